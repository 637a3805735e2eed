//! A game: everything about one run of a board. It changes only by [`Game::apply`].

use std::sync::Arc;

use crate::board::{Board, Colour, Options, Timetable};
use crate::book::ThreadId;
use crate::dice::{BadForce, Dice};
use crate::ids::{FactionId, RoleId, SeatId, SeatSet, SkillId, Time, Turn};
use crate::input::{Act, Input};
use crate::notice::{Arg, Audience, Notice};
use crate::phase::{Phase, PhaseKind};
use crate::refusal::Refusal;
use crate::skill::Held;
use crate::world::{Holding, HoldingId, Seat, StateRecord, World};

/// One run of a board.
#[derive(Debug, Clone)]
pub struct Game {
    pub(crate) board: Arc<Board>,
    pub(crate) options: Options,
    pub(crate) timetable: Timetable,
    pub(crate) world: World,
    pub(crate) kept: Kept,
    /// The instant of the input that is being applied.
    pub(crate) now: Time,
    /// Notices of the input that is being applied.
    pub(crate) out: Vec<Notice>,
}

/// What a rewind does not take back.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Kept {
    /// The newest beginning of a phase or window.
    pub turn: Turn,
    /// The game's draws.
    pub dice: Dice,
    /// The draws that decide when windows close early (G2).
    pub timing: Dice,
    /// The next holding's name.
    pub next_holding: u16,
    /// When the window that is open ends; `None`: by the director's word.
    pub deadline: Option<Time>,
    /// By how much the window really ends later, unsaid, so that a reaction asked late has its
    /// time, in milliseconds.
    #[serde(default)]
    pub grace: i64,
    /// When the window was opened, and the earliest moment at which it may close early.
    pub opened: Time,
    /// The drawn moment before which a window does not close early; `None`: it never does.
    pub early: Option<Time>,
    /// By how much late reactions have moved this night's later windows, in milliseconds.
    pub shift: i64,
    /// The thread whose book is awaited.
    pub awaiting: Option<ThreadId>,
    /// The thread that is or was open last.
    pub thread: Option<ThreadId>,
    /// When a vote thread was shut last: posts sent before belong to it.
    pub shut: Option<Time>,
    /// The dusk's votes wait to be settled anew after a rewind.
    pub unsettled: bool,
    /// The pause that is in force.
    pub paused: Option<Pause>,
    /// Cards that were given, in order.
    pub cards: Vec<(SeatId, Colour)>,
    /// Posts of the last three days without a speed-up, newest last.
    pub posts: Vec<Vec<(SeatId, u16)>>,
    /// States at the beginning of the night and of the vote's settlement.
    pub night_checkpoint: Option<Box<World>>,
    pub vote_checkpoint: Option<Box<World>>,
    /// What the last settlement reckoned.
    pub reckoning: Vec<Reckoned>,
    /// How the game ended.
    pub ending: Option<Ending>,
    /// Factions that had a member when the game started.
    pub started: Vec<FactionId>,
    /// How many seats of each class there were when the game started.
    pub class_sizes: Vec<u8>,
    /// A forced draw that could not be given.
    pub bad_force: Option<BadForce>,
}

/// A pause. A type of its own: a snapshot cannot tell `Some(None)` from `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Pause {
    /// What is left of the window that is open, in milliseconds; `None`: it has no deadline.
    pub left: Option<i64>,
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Ending {
    /// These factions won; their seats share it.
    Won {
        /// The factions.
        factions: Vec<FactionId>,
        /// The seats.
        seats: SeatSet,
    },
    /// Nobody won.
    Draw,
    /// The director ended it without a winner.
    Stopped,
}

/// A line of the reckoning (结算) of the last settlement, for the director.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Reckoned {
    /// A skill acted.
    Used {
        /// Whose.
        seat: SeatId,
        /// Which.
        skill: SkillId,
        /// Chosen targets.
        targets: Vec<SeatId>,
        /// Final targets.
        finals: Vec<SeatId>,
    },
    /// A hit and what became of it.
    Hit {
        /// The hit.
        hit: crate::world::Hit,
        /// What became of it.
        end: HitEnd,
    },
    /// A vote was counted.
    Vote(crate::count::Outcome),
}

/// What became of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum HitEnd {
    /// The seat went out.
    Out,
    /// It was out already (G17).
    AlreadyOut,
    /// A state stopped it.
    Stopped(crate::ids::StateId),
    /// Another seat went out in its place.
    StoodIn(SeatId),
    /// It waits for this seat, which may go out in its place.
    Waits(SeatId),
}

/// Who sits where with what, when a game is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSetup {
    /// The card.
    pub role: RoleId,
    /// The faction, where it is dealt apart from the role.
    pub faction: Option<FactionId>,
}

/// What a game is made of.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The board.
    pub board: Arc<Board>,
    /// The seats in elevator order.
    pub seats: Vec<SeatSetup>,
    /// Parameters.
    pub options: Options,
    /// Calendar, zone, speed.
    pub timetable: Timetable,
    /// 32 bytes from which all of the game's randomness comes. Secret.
    pub seed: [u8; 32],
    /// Forced draws, for rehearsals.
    pub dice: Vec<String>,
}

impl Game {
    /// Deals: makes the game and everyone's card notice. It stands in `setup` until
    /// [`crate::input::Order::Start`].
    pub fn new(setup: Setup) -> (Self, Vec<Notice>) {
        let Setup {
            board,
            seats,
            options,
            timetable,
            seed,
            dice,
        } = setup;
        let mut seats: Vec<Seat> = seats
            .into_iter()
            .map(|s| {
                let faction = s
                    .faction
                    .or(board.role_def(s.role).faction)
                    .unwrap_or(FactionId(0));
                Seat {
                    card: s.role,
                    role: s.role,
                    faction,
                    dealt: faction,
                    told_faction: None,
                    out: None,
                    knows_out: false,
                    barred: false,
                    holdings: Vec::new(),
                    faces: Vec::new(),
                    weight: 0,
                    shares: None,
                }
            })
            .collect();
        seats.truncate(SeatSet::CAPACITY);
        let mut forced = Dice::new(seed, 0);
        forced.force(dice);
        let mut game = Self {
            world: World::new(seats),
            kept: Kept {
                turn: Turn(0),
                dice: forced,
                timing: Dice::new(seed, 1),
                next_holding: 0,
                deadline: None,
                grace: 0,
                opened: Time(0),
                early: None,
                shift: 0,
                awaiting: None,
                thread: None,
                shut: None,
                unsettled: false,
                paused: None,
                cards: Vec::new(),
                posts: Vec::new(),
                night_checkpoint: None,
                vote_checkpoint: None,
                reckoning: Vec::new(),
                ending: None,
                started: Vec::new(),
                class_sizes: Vec::new(),
                bad_force: None,
            },
            board,
            options,
            timetable,
            now: Time(0),
            out: Vec::new(),
        };
        game.count_sides();
        game.deal_cards();
        let notices = std::mem::take(&mut game.out);
        (game, notices)
    }

    /// Takes an input: either it is refused and nothing has changed, or it changes the game and
    /// these notices are made.
    ///
    /// # Errors
    /// Why the input is refused; made only from what its sender may know.
    pub fn apply(&mut self, input: &Input) -> Result<Vec<Notice>, Refusal> {
        debug_assert!(
            self.out.is_empty(),
            "notices of an earlier input are left over"
        );
        self.now = input.now;
        if self.kept.ending.is_some() {
            return Err(Refusal::Over);
        }
        match &input.act {
            Act::Use { seat, skill, words } => self.use_skill(*seat, *skill, words, input.stamp)?,
            Act::Decline { seat, skill } => self.decline(*seat, *skill)?,
            Act::LastWords { seat, text } => self.leave_last_words(*seat, text)?,
            Act::Surrender { seat } => self.move_surrender(*seat)?,
            Act::AgreeSurrender { seat } => self.agree_surrender(*seat)?,
            Act::Clock { turn } => self.ring(*turn)?,
            Act::BookClosed { thread, book } => self.take_book(*thread, book)?,
            Act::Candidacy { seat, runs } => self.announce_candidacy(*seat, *runs)?,
            Act::Petition { thread, faster } => self.take_petition(*thread, *faster)?,
            Act::Director(order) => self.obey(order)?,
        }
        self.consider_early_close();
        Ok(std::mem::take(&mut self.out))
    }

    /// The instant the game waits for, and the turn to name when it comes. `None`: only people
    /// can move it.
    pub fn deadline(&self) -> Option<(Turn, Time)> {
        if self.kept.ending.is_some() || self.kept.paused.is_some() || self.kept.awaiting.is_some()
        {
            return None;
        }
        let at = match (self.real_end(), self.early_close_at()) {
            (Some(late), Some(early)) => late.min(early),
            (Some(late), None) => late,
            (None, _) => return None,
        };
        Some((self.kept.turn, at))
    }

    /// The end of the open window as people are told it; `None`: by the director's word.
    pub fn window_ends(&self) -> Option<Time> {
        self.kept.deadline
    }

    /// The thread whose closed book the game waits for.
    pub fn awaits_book(&self) -> Option<ThreadId> {
        self.kept.awaiting
    }

    /// The board.
    pub fn board(&self) -> &Arc<Board> {
        &self.board
    }

    /// Its parameters.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Calendar, zone and speed.
    pub fn timetable(&self) -> &Timetable {
        &self.timetable
    }

    /// The phase it stands in.
    pub fn phase(&self) -> Phase {
        self.world.phase
    }

    /// The newest beginning of a phase or window.
    pub fn turn(&self) -> Turn {
        self.kept.turn
    }

    /// Is it paused?
    pub fn paused(&self) -> bool {
        self.kept.paused.is_some()
    }

    /// How it ended, when it has.
    pub fn ending(&self) -> Option<&Ending> {
        self.kept.ending.as_ref()
    }

    /// The reckoning of the last settlement, for the director.
    pub fn reckoning(&self) -> &[Reckoned] {
        &self.kept.reckoning
    }

    /// A forced draw of a rehearsal that could not be given, and forced draws left over.
    pub fn bad_force(&self) -> Option<&BadForce> {
        self.kept.bad_force.as_ref()
    }

    /// Everything that a rewind takes back, to read.
    pub fn world(&self) -> &World {
        &self.world
    }

    // --- what skills may do -----------------------------------------------------------------

    /// Makes a notice.
    pub fn tell(&mut self, notice: Notice) {
        self.out.push(notice);
    }

    /// Makes a public notice: at once by day, when the door opens by night.
    pub fn tell_public(&mut self, notice: Notice) {
        debug_assert_eq!(notice.to, Audience::Public);
        match self.world.phase.kind {
            PhaseKind::Day | PhaseKind::Dusk | PhaseKind::End => self.out.push(notice),
            _ => self.world.at_door.push(notice),
        }
    }

    /// A pick among candidates, with the game's own dice (G12, G26). `name` names them for
    /// forced draws. `None` when there are no candidates.
    pub fn draw<T: Clone>(&mut self, candidates: &[T], name: impl Fn(&T) -> String) -> Option<T> {
        let drawn = self.kept.dice.draw(candidates.len(), |i| {
            candidates.get(i).map(&name).unwrap_or_default()
        });
        let place = drawn.unwrap_or_else(|bad| {
            self.kept.bad_force.get_or_insert(bad);
            0
        });
        candidates.get(place).cloned()
    }

    /// A seat joins a faction, and is told.
    pub fn join_faction(&mut self, seat: SeatId, faction: FactionId) {
        let me = &mut self.world.seats[seat.index()];
        me.faction = faction;
        me.told_faction = Some(faction);
        self.tell(Notice::to(seat, "faction/turned").with("faction", Arg::Faction(faction)));
    }

    /// Gives a seat a skill, as dealt; returns the new holding.
    pub fn grant(&mut self, seat: SeatId, skill: SkillId, dealt: bool) -> HoldingId {
        self.add_holding(seat, skill, dealt, None)
    }

    /// Gives a seat a skill, as dealt, by way of another skill; returns the new holding.
    pub fn grant_via(&mut self, seat: SeatId, skill: SkillId, via: SkillId) -> HoldingId {
        self.add_holding(seat, skill, false, Some(via))
    }

    /// Lends a seat a skill, as dealt, by way of another skill, until it is taken back; returns the
    /// new holding.
    pub fn lend(&mut self, seat: SeatId, skill: SkillId, via: SkillId) -> HoldingId {
        let id = self.add_holding(seat, skill, false, Some(via));
        if let Some(holding) = self.holding_mut(Held {
            seat,
            holding: id,
            skill,
        }) {
            holding.lent = true;
        }
        id
    }

    /// Takes back what was lent to a seat by way of this skill.
    pub fn take_back(&mut self, seat: SeatId, via: SkillId) {
        let holdings = self.at(seat).holdings.iter();
        let lent: Vec<Held> = holdings
            .filter(|h| h.lent && h.via == Some(via))
            .map(|h| Held {
                seat,
                holding: h.id,
                skill: h.skill,
            })
            .collect();
        for held in lent {
            self.revoke(held);
        }
    }

    /// A seat gets what another one holds, as dealt, but not what is only lent, nor what it holds
    /// itself. Answers the skills that it has got.
    pub fn inherit(&mut self, from: SeatId, to: SeatId, via: SkillId) -> Vec<SkillId> {
        let estate = self.at(from).holdings.iter().filter(|h| !h.lent);
        let estate: Vec<Held> = estate
            .map(|h| Held {
                seat: from,
                holding: h.id,
                skill: h.skill,
            })
            .collect();
        let mut got = Vec::new();
        for left in estate {
            let holds = |h: &Holding| h.skill == left.skill && !h.lent;
            if self.at(to).holdings.iter().any(holds) {
                continue;
            }
            let heir = Held {
                seat: to,
                holding: self.grant_via(to, left.skill, via),
                skill: left.skill,
            };
            let code = Arc::clone(&self.board.skill_def(left.skill).code);
            code.inherited(self, left, heir);
            got.push(left.skill);
        }
        got
    }

    fn add_holding(
        &mut self,
        seat: SeatId,
        skill: SkillId,
        dealt: bool,
        via: Option<SkillId>,
    ) -> HoldingId {
        let id = HoldingId(self.kept.next_holding);
        self.kept.next_holding += 1;
        let left = self.board.skill_def(skill).uses;
        self.world.seats[seat.index()].holdings.push(Holding {
            id,
            skill,
            left,
            last: None,
            before: None,
            ever: SeatSet::EMPTY,
            memory: 0,
            dealt,
            via,
            lent: false,
            uses: Vec::new(),
        });
        let code = Arc::clone(&self.board.skill_def(skill).code);
        code.gained(
            self,
            Held {
                seat,
                holding: id,
                skill,
            },
        );
        id
    }

    /// Takes a holding away, with messages that wait for it and the states that stand by it.
    pub fn revoke(&mut self, held: Held) {
        let seat = &mut self.world.seats[held.seat.index()];
        seat.holdings.retain(|h| h.id != held.holding);
        let before = self.world.intents.len();
        self.world
            .intents
            .retain(|i| i.seat != held.seat || i.holding != held.holding);
        if self.world.intents.len() < before {
            let code = Arc::clone(&self.board.skill_def(held.skill).code);
            code.sent(self, held, None);
        }
        self.world
            .reactions
            .retain(|r| r.seat != held.seat || r.holding != held.holding);
        // What it has laid without an end: on its own holder that stood by it; on others it stays
        // and is nobody's any more.
        let standing = self.board.skill_def(held.skill).usage == crate::board::Usage::Standing;
        let source = Some((held.seat, held.holding));
        let endless = |s: &StateRecord| s.from == source && s.until.is_none();
        self.world
            .states
            .retain(|s| !endless(s) || (s.seat != held.seat && !standing));
        for state in self.world.states.iter_mut().filter(|s| endless(s)) {
            state.from = None;
        }
    }

    /// The holding, while the seat has it.
    pub fn holding(&self, held: Held) -> Option<&Holding> {
        self.world.seats[held.seat.index()]
            .holdings
            .iter()
            .find(|h| h.id == held.holding)
    }

    /// The holding, to change what its code keeps in it.
    pub fn holding_mut(&mut self, held: Held) -> Option<&mut Holding> {
        self.world.seats[held.seat.index()]
            .holdings
            .iter_mut()
            .find(|h| h.id == held.holding)
    }

    /// Moves seats into a faction, without a word: who is told of it, its skill says.
    pub fn turn_to(&mut self, seats: SeatSet, faction: FactionId) {
        for seat in seats.iter() {
            self.world.seats[seat.index()].faction = faction;
        }
    }

    /// From now on the seat wins when the other one does (F19).
    pub fn share_win_of(&mut self, seat: SeatId, other: SeatId) {
        self.world.seats[seat.index()].shares = Some(other);
    }

    /// Draws the cards that lie face down from those that nobody has been dealt (F1, F14).
    pub fn lay_face_down(&mut self) {
        let board = Arc::clone(&self.board);
        let rule = &board.deal;
        let mut left = board.cards(self.world.seats.len());
        for seat in self.all() {
            let card = self.at(seat).card;
            if let Some(place) = left.iter().position(|c| *c == card) {
                left.remove(place);
            }
        }
        while self.world.face_down.len() < usize::from(rule.face_down) {
            left.retain(|card| rule.may_lie_with(&board, *card, &self.world.face_down));
            let Some(card) = self.draw(&left, |c| board.role_def(*c).name.clone()) else {
                return;
            };
            self.world.face_down.push(card);
            if let Some(place) = left.iter().position(|c| *c == card) {
                left.remove(place);
            }
        }
    }

    /// Who takes part: at the deal, and once more when the opening has moved cards and factions
    /// (a faction without a member then can neither win nor lose).
    pub(crate) fn count_sides(&mut self) {
        let seats = &self.world.seats;
        let mut started: Vec<FactionId> = seats.iter().map(|s| s.faction).collect();
        started.sort_unstable();
        started.dedup();
        self.kept.started = started;
        let of = |class: usize| {
            let classes = seats.iter().map(|s| self.board.role_def(s.card).class);
            let n = classes.filter(|c| c.map(crate::ClassId::index) == Some(class));
            u8::try_from(n.count()).unwrap_or(u8::MAX)
        };
        self.kept.class_sizes = (0..self.board.classes.len()).map(of).collect();
    }

    /// The seat gets another card instead of its own: role, faction, skills and win are the new
    /// card's from then on (F14).
    pub fn change_card(&mut self, seat: SeatId, role: RoleId) {
        let board = Arc::clone(&self.board);
        let held: Vec<Held> = self
            .at(seat)
            .holdings
            .iter()
            .map(|h| Held {
                seat,
                holding: h.id,
                skill: h.skill,
            })
            .collect();
        for held in held {
            self.revoke(held);
        }
        let me = &mut self.world.seats[seat.index()];
        me.card = role;
        me.role = role;
        // Where factions are dealt apart, the seat keeps its own.
        if let Some(faction) = board.role_def(role).faction {
            me.faction = faction;
            me.dealt = faction;
        }
        me.told_faction = None;
        self.tell_card(seat);
        for skill in &board.role_def(role).skills {
            self.grant(seat, *skill, true);
        }
    }

    fn tell_card(&mut self, seat: SeatId) {
        let me = self.at(seat);
        let skills = self.board.role_def(me.card).skills.clone();
        let notice = Notice::to(seat, "card")
            .with("role", Arg::Role(me.card))
            .with("faction", Arg::Faction(me.faction))
            .with("skills", Arg::Skills(skills));
        self.tell(notice);
    }

    fn deal_cards(&mut self) {
        let board = Arc::clone(&self.board);
        for seat in self.all() {
            let card = self.world.seats[seat.index()].card;
            for skill in &board.role_def(card).skills {
                self.grant(seat, *skill, true);
            }
            self.tell_card(seat);
        }
        for (group, members) in self.groups() {
            for seat in members.iter() {
                self.tell(
                    Notice::to(seat, "group/mates")
                        .with("group", Arg::Group(group))
                        .with("mates", Arg::Seats(members.without(seat))),
                );
            }
        }
    }
}

impl World {
    fn new(seats: Vec<Seat>) -> Self {
        Self {
            phase: Phase {
                kind: PhaseKind::Setup,
                number: 0,
            },
            window: None,
            flow_place: 0,
            seats,
            states: Vec::new(),
            intents: Vec::new(),
            declined: Vec::new(),
            hits: Vec::new(),
            held_back: Vec::new(),
            face_down: Vec::new(),
            reactions: Vec::new(),
            waiting: Vec::new(),
            announced: SeatSet::EMPTY,
            outs: Vec::new(),
            published: 0,
            at_door: Vec::new(),
            last_words: Vec::new(),
            may_speak_last: SeatSet::EMPTY,
            struck: SeatSet::EMPTY,
            thread_version: 0,
            sped_up: false,
            sent_off: Vec::new(),
            lost: Vec::new(),
            surrenders: Vec::new(),
            gone_on: Vec::new(),
            quiet_days: Vec::new(),
            election: crate::world::Election::default(),
            tied: SeatSet::EMPTY,
            cut_short: None,
            inserted: Vec::new(),
            books: Vec::new(),
        }
    }
}
