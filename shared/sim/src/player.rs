//! Everybody at once: seats, director, tally and clock, with random legal choices.

use rules::book::ClosedBook;
use rules::{
    Act, Game, Input, Order, PhaseKind, Refusal, SeatId, SkillId, Stamp, Time, Turn, Word,
};

use crate::orders::Orders;
use crate::rng::Rng;
use crate::setting::START;
use crate::voting::Voting;

/// What "in the last minutes" means, in milliseconds.
const LAST_MINUTES: i64 = 15 * 60_000;

/// How often people do what, in thousandths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    /// Whoever owes an action sends it.
    pub act: u32,
    /// A skill's last use is kept for later.
    pub keep: u32,
    /// Whoever does not, declines (else it is left to the deadline).
    pub decline: u32,
    /// A voter votes.
    pub vote: u32,
    /// A voter follows the day's favourite.
    pub follow: u32,
    /// A faction's member moves a surrender, in a window.
    pub surrender: u32,
    /// A voter asks for a shorter or longer day.
    pub petition: u32,
    /// Somebody waits until the last minutes of the window.
    pub late: u32,
    /// The director orders something before the next input.
    pub order: u32,
    /// Something is sent too late, too early or twice.
    pub slip: u32,
}

impl Habits {
    /// Players who mostly do what they should; the director does nothing.
    pub const PLAYERS: Self = Self {
        act: 850,
        keep: 600,
        decline: 500,
        vote: 950,
        follow: 500,
        surrender: 2,
        petition: 20,
        late: 20,
        order: 0,
        slip: 0,
    };

    /// The same, with a busy director, stale deadlines and books, and refused messages.
    pub const LIVELY: Self = Self {
        order: 40,
        slip: 30,
        surrender: 10,
        petition: 100,
        ..Self::PLAYERS
    };
}

/// Says what happens next in a game. A seed and a game give the same inputs everywhere.
#[derive(Debug, Clone)]
pub struct Player {
    rng: Rng,
    habits: Habits,
    now: Time,
    arrival: u64,
    turn: Turn,
    /// What was sent, declined or left in this window.
    done: Vec<(SeatId, SkillId)>,
    /// Acts beyond what is owed that are still to come in this window.
    extras: usize,
    voting: Voting,
    orders: Orders,
}

impl Player {
    /// The player of this seed; its games begin at [`START`].
    pub fn new(seed: u64, habits: Habits) -> Self {
        Self {
            // Apart from the stream that deals the game of the same seed.
            rng: Rng::new(seed ^ 0x5eed_0f7e_51a7),
            habits,
            now: START,
            arrival: 0,
            turn: Turn(0),
            done: Vec::new(),
            extras: 0,
            voting: Voting::default(),
            orders: Orders::default(),
        }
    }

    /// What happens next; `None` when the game is over.
    pub fn next(&mut self, game: &Game) -> Option<Input> {
        if game.ending().is_some() {
            return None;
        }
        let act = self.act(game);
        let mut stamp = self.stamp();
        if self.rng.chance(self.habits.slip) {
            // It was long on its way.
            stamp.secs -= self.rng.part_of(3600);
        }
        Some(Input {
            now: self.now,
            stamp,
            act,
        })
    }

    fn act(&mut self, game: &Game) -> Act {
        if game.phase().kind == PhaseKind::Setup {
            return Act::Director(Order::Start);
        }
        if game.turn() != self.turn {
            self.begin_turn(game);
        }
        self.tick(game);
        if game.paused() {
            return self.while_paused(game);
        }
        if self.rng.chance(self.habits.order)
            && let Some(order) = self.orders.some(game, &mut self.rng)
        {
            return Act::Director(order);
        }
        if let Some(thread) = game.awaits_book() {
            let slip = self.rng.chance(self.habits.slip);
            return Act::BookClosed {
                thread: Turn(thread.0 - u32::from(slip && thread.0 > 0)),
                book: self.book(game),
            };
        }
        if let Some(petition) = self.vote(game) {
            return petition;
        }
        self.owed(game)
            .or_else(|| self.extra(game))
            .unwrap_or_else(|| self.clock(game))
    }

    fn begin_turn(&mut self, game: &Game) {
        self.turn = game.turn();
        self.done.clear();
        self.extras = self.rng.below(4);
        if let Some(thread) = game.thread() {
            self.voting.keep_up(thread, &mut self.rng);
        }
    }

    fn stamp(&mut self) -> Stamp {
        self.arrival += 1;
        Stamp {
            secs: self.now.0.div_euclid(1000),
            seq: 0,
            arrival: self.arrival,
            scene: 0,
        }
    }

    /// Some time passes, within the window.
    fn tick(&mut self, game: &Game) {
        let left = game
            .deadline()
            .map_or(3_600_000, |(_, at)| at.since(self.now));
        let step = if self.rng.chance(self.habits.late) {
            left.saturating_sub(1 + self.rng.part_of(LAST_MINUTES))
                .max(0)
        } else {
            self.rng.part_of(left / 16)
        };
        self.now = self.now.plus_ms(1 + step);
    }

    fn while_paused(&mut self, game: &Game) -> Act {
        if self.rng.chance(500) {
            self.now = self.now.plus_minutes(self.rng.part_of(600));
            return Act::Director(Order::Resume);
        }
        let seat = self.any_seat(game);
        Act::Decline { seat, skill: None }
    }

    // --- the vote ---------------------------------------------------------------------------

    /// Some voters post; answers a petition that holds by it.
    fn vote(&mut self, game: &Game) -> Option<Act> {
        let thread = game.thread()?;
        self.voting.keep_up(thread, &mut self.rng);
        while self.voting.goes_on() {
            let stamp = self.stamp();
            let act = self.voting.one(&self.habits, &mut self.rng, stamp);
            if act.is_some() {
                return act;
            }
            self.tick(game);
            if self.rng.chance(100) {
                return None;
            }
        }
        None
    }

    fn book(&mut self, game: &Game) -> ClosedBook {
        if let Some(thread) = game.thread() {
            self.voting.keep_up(thread, &mut self.rng);
        }
        self.voting.close()
    }

    // --- skills -----------------------------------------------------------------------------

    /// Something that is owed and was not thought of in this window.
    fn owed(&mut self, game: &Game) -> Option<Act> {
        let mut owed = game.obligations();
        owed.retain(|o| !self.done.contains(&(o.seat, o.skill)));
        while !owed.is_empty() {
            let one = owed.swap_remove(self.rng.below(owed.len()));
            self.done.push((one.seat, one.skill));
            let last = game.held(one.seat, one.skill).and_then(|h| game.holding(h));
            let kept = last.is_some_and(|h| h.left == Some(1));
            if kept && self.rng.chance(self.habits.keep) {
                continue;
            }
            if self.rng.chance(self.habits.act) {
                if let Some(act) = self.use_of(game, one.seat, one.skill) {
                    return Some(act);
                }
            } else if self.rng.chance(self.habits.decline) {
                let skill = (!self.rng.chance(200)).then_some(one.skill);
                return Some(Act::Decline {
                    seat: one.seat,
                    skill,
                });
            }
        }
        None
    }

    /// A use that is legal as far as its sender may know, with random targets in range.
    fn use_of(&mut self, game: &Game, seat: SeatId, skill: SkillId) -> Option<Act> {
        let held = game
            .open_skills(seat)
            .into_iter()
            .find(|h| h.skill == skill)?;
        let seats = game.seat_count(held);
        let mut range = game.range(held);
        let most = range.len().min(usize::from(seats.max));
        let least = usize::from(seats.min);
        if most < least {
            return None;
        }
        let mut words = Vec::with_capacity(most);
        for _ in 0..least + self.rng.below(most - least + 1) {
            let target = self.rng.seat(range)?;
            range.remove(target);
            words.push(Word::Seat(target));
        }
        match game.check_use(seat, skill, &words) {
            Ok(_) => {}
            Err(Refusal::Choices { choices, .. }) => {
                words.push(Word::Skill(*self.rng.pick(&choices)?));
            }
            Err(Refusal::Options { options, .. }) => {
                let option = self.rng.pick(&options)?;
                let skill = game.board().skill(option);
                words.push(skill.map_or_else(|_| Word::Text(option.clone()), Word::Skill));
            }
            Err(Refusal::Guess { skills, .. }) => words = self.guess(game, &skills)?,
            Err(Refusal::RoleChoices { choices, .. }) => {
                words.push(Word::Role(*self.rng.pick(&choices)?));
            }
            Err(_) => return None,
        }
        game.check_use(seat, skill, &words).ok()?;
        Some(Act::Use { seat, skill, words })
    }

    /// A guess at whom somebody's skill has chosen, right in half of the cases where it can be.
    fn guess(&mut self, game: &Game, skills: &[SkillId]) -> Option<Vec<Word>> {
        let sent = game.world().intents.iter();
        let sent: Vec<_> = sent.filter(|i| skills.contains(&i.skill)).collect();
        let (whose, skill, targets) = match self.rng.pick(&sent) {
            Some(intent) if self.rng.chance(500) => {
                (intent.seat, intent.skill, intent.targets.clone())
            }
            _ => {
                let target = self.any_seat(game);
                (self.any_seat(game), *self.rng.pick(skills)?, vec![target])
            }
        };
        let mut words = vec![Word::Seat(whose), Word::Skill(skill)];
        words.extend(targets.into_iter().map(Word::Seat));
        Some(words)
    }

    /// A change of mind, last words, a surrender, something that nobody waits for.
    fn extra(&mut self, game: &Game) -> Option<Act> {
        while self.extras > 0 {
            self.extras -= 1;
            let act = match self.rng.below(6) {
                0 | 1 => self.change_of_mind(game),
                2 => self.last_words(game),
                3 => self.at_leisure(game),
                4 => self.candidacy(game),
                _ => self.surrender(game),
            };
            if act.is_some() {
                return act;
            }
        }
        None
    }

    fn change_of_mind(&mut self, game: &Game) -> Option<Act> {
        let intent = self.rng.pick(&game.world().intents)?;
        let (seat, skill) = (intent.seat, intent.skill);
        if self.rng.chance(300) {
            let skill = Some(skill);
            return Some(Act::Decline { seat, skill });
        }
        self.use_of(game, seat, skill)
    }

    /// A skill for which no window waits.
    fn at_leisure(&mut self, game: &Game) -> Option<Act> {
        let open = game.all().flat_map(|seat| game.open_skills(seat));
        let open: Vec<_> = open
            .filter(|held| game.board().skill_def(held.skill).unhurried)
            .collect();
        let held = self.rng.pick(&open)?;
        let (seat, skill) = (held.seat, held.skill);
        self.use_of(game, seat, skill)
    }

    fn last_words(&mut self, game: &Game) -> Option<Act> {
        let seat = self.rng.seat(game.world().may_speak_last)?;
        let text = "后会有期".to_owned();
        Some(Act::LastWords { seat, text })
    }

    /// Somebody runs for sheriff, or withdraws.
    fn candidacy(&mut self, game: &Game) -> Option<Act> {
        if game.phase().kind != PhaseKind::Election {
            return None;
        }
        let seat = self.any_seat(game);
        let runs = !game.world().election.candidates.has(seat);
        Some(Act::Candidacy { seat, runs })
    }

    fn surrender(&mut self, game: &Game) -> Option<Act> {
        let seat = self.any_seat(game);
        if !game.world().surrenders.is_empty() {
            return Some(Act::AgreeSurrender { seat });
        }
        self.rng
            .chance(self.habits.surrender)
            .then_some(Act::Surrender { seat })
    }

    fn any_seat(&mut self, game: &Game) -> SeatId {
        let seats = rules::SeatSet::first(game.world().seats.len());
        self.rng.seat(seats).unwrap_or(SeatId(0))
    }

    // --- the clock --------------------------------------------------------------------------

    /// The deadline comes, or the director goes on where there is none.
    fn clock(&mut self, game: &Game) -> Act {
        let Some((turn, at)) = game.deadline() else {
            return Act::Director(Order::Next);
        };
        if self.rng.chance(self.habits.slip) {
            let turn = Turn(turn.0.saturating_sub(1));
            return Act::Clock { turn };
        }
        self.now = self.now.max(at);
        Act::Clock { turn }
    }
}
