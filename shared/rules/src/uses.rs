//! Sending, replacing, declining and resolving uses of skills.

use std::sync::Arc;

use crate::board::{Redirect, Usage};
use crate::game::{Game, Reckoned};
use crate::ids::{SeatId, SeatSet, SkillId, Stamp};
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::refusal::{NotChoosable, Refusal};
use crate::skill::Held;
use crate::world::Intent;

/// A use that is legal as far as its sender may know.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Which holding.
    pub held: Held,
    /// The chosen targets.
    pub targets: Vec<SeatId>,
    /// The other words.
    pub words: Vec<Word>,
}

impl Game {
    /// Would this use be taken? Changes nothing.
    ///
    /// # Errors
    /// Why not, made only from what the sender may know.
    pub fn check_use(&self, seat: SeatId, skill: SkillId, words: &[Word]) -> Result<Plan, Refusal> {
        self.running()?;
        let me = self.seat(seat).ok_or(Refusal::NoSuchSeat)?;
        let mut held = self.held(seat, skill).ok_or(Refusal::NotHeld(skill))?;
        let def = self.board.skill_def(skill);
        let mut asked = self.world.reactions.iter();
        let asked = asked.find(|r| r.seat == seat && r.skill == skill);
        match (def.usage, asked) {
            (_, Some(reaction)) => held.holding = reaction.holding,
            (Usage::Standing, None) => return Err(Refusal::ActsByItself(skill)),
            (Usage::Reaction, None) => return Err(Refusal::NotNow { skill, opens: None }),
            (Usage::Sent | Usage::Immediate, None) => {
                if !self.world.window.is_some_and(|w| def.windows.has(w)) {
                    if me.knows_out {
                        return Err(Refusal::Out);
                    }
                    let opens = (0..self.board.windows.len())
                        .map(crate::phase::WindowId::at)
                        .find(|w| def.windows.has(*w));
                    return Err(Refusal::NotNow { skill, opens });
                }
                if me.knows_out {
                    return Err(Refusal::Out);
                }
            }
        }
        // Who has no use left is not told of what bars it, and must not learn of it here.
        if self.holding(held).is_some_and(|h| h.left == Some(0)) {
            return Err(Refusal::UsedUp(skill));
        }
        if self.knows_barred(seat, skill) {
            return Err(Refusal::Barred(skill));
        }
        if let Some(night) = self.holding(held).and_then(|h| self.rests_until(h)) {
            return Err(Refusal::Rests { skill, night });
        }
        if let Some(by) = self.excluded_by(held) {
            return Err(Refusal::Excluded { skill, by });
        }
        if !def.code.open(self, held) {
            return Err(Refusal::NotNow { skill, opens: None });
        }
        let (targets, rest) = def.code.read_targets(words);
        self.check_targets(held, &targets)?;
        def.code.read_words(self, held, &rest)?;
        Ok(Plan {
            held,
            targets,
            words: rest,
        })
    }

    fn check_targets(&self, held: Held, targets: &[SeatId]) -> Result<(), Refusal> {
        let skill = held.skill;
        let n = targets.len();
        let count = self.seat_count(held);
        if n < usize::from(count.min) || n > usize::from(count.max) {
            return Err(Refusal::SeatCount {
                skill,
                min: count.min,
                max: count.max,
            });
        }
        let range = if n > 0 {
            self.range(held)
        } else {
            SeatSet::EMPTY
        };
        let mut seen = SeatSet::EMPTY;
        for target in targets {
            if target.index() >= self.world.seats.len() {
                return Err(Refusal::NoSuchSeat);
            }
            if !seen.insert(*target) {
                return Err(Refusal::Twice(*target));
            }
            if !range.has(*target) {
                let why = self
                    .not_choosable(held, *target)
                    .unwrap_or(NotChoosable::Narrowed);
                return Err(Refusal::NotChoosable {
                    skill,
                    seat: *target,
                    why,
                });
            }
        }
        Ok(())
    }

    pub(crate) fn running(&self) -> Result<(), Refusal> {
        if self.kept.ending.is_some() {
            return Err(Refusal::Over);
        }
        if self.world.phase.kind == crate::PhaseKind::Setup {
            return Err(Refusal::NotBegun);
        }
        if self.kept.paused.is_some() {
            return Err(Refusal::Paused);
        }
        Ok(())
    }

    pub(crate) fn use_skill(
        &mut self,
        seat: SeatId,
        skill: SkillId,
        words: &[Word],
        stamp: Stamp,
    ) -> Result<(), Refusal> {
        let plan = self.check_use(seat, skill, words)?;
        let board = Arc::clone(&self.board);
        let def = board.skill_def(skill);
        let for_all = self.sent_for_all(skill);
        let earlier = self.world.intents.iter().position(|i| {
            i.skill == skill && (for_all || (i.seat == seat && i.holding == plan.held.holding))
        });
        if earlier.is_some_and(|i| stamp.before(&self.world.intents[i].stamp)) {
            return Err(Refusal::Overtaken);
        }
        let asked = self.is_asked(plan.held);
        let usage = if asked { Usage::Reaction } else { def.usage };
        let intent = Intent {
            seat,
            holding: plan.held.holding,
            skill,
            targets: plan.targets,
            words: plan.words,
            window: self.world.window.unwrap_or(crate::WindowId(u8::MAX)),
            stamp,
            vain: usage != Usage::Reaction
                && !for_all
                && !self.stands(seat)
                && !def.code.acts_unawares(),
        };
        match usage {
            Usage::Sent => {
                if let Some(i) = earlier {
                    self.world.intents.remove(i);
                }
                self.world
                    .declined
                    .retain(|(s, k)| !(*k == skill && (*s == seat || for_all)));
                self.world.intents.push(intent.clone());
                self.receipt(&intent, earlier.is_some());
                if !intent.vain {
                    def.code.sent(self, plan.held, Some(&intent));
                }
            }
            Usage::Immediate => {
                self.receipt(&intent, false);
                self.resolve(&intent);
                self.settle();
                self.reactions_are_done();
            }
            Usage::Reaction => {
                self.world
                    .reactions
                    .retain(|r| r.seat != seat || r.holding != plan.held.holding);
                self.receipt(&intent, false);
                let before = self.world.outs.len();
                let pending = self.winner();
                self.resolve(&intent);
                self.settle();
                self.after_reaction(self.world.outs.len() > before, pending);
            }
            Usage::Standing => {}
        }
        Ok(())
    }

    /// The receipt to the sender; of a team's skill every member hears who chose what (G3).
    fn receipt(&mut self, intent: &Intent, replaced: bool) {
        let notice = |to: Notice| {
            to.with("seat", Arg::Seat(intent.seat))
                .with("skill", Arg::Skill(intent.skill))
                .with("targets", Arg::Order(intent.targets.clone()))
                .with("options", Arg::Words(intent.words.clone()))
                .with("replaced", Arg::Flag(replaced))
        };
        let receipt = notice(Notice::to(intent.seat, "receipt/used")).receipt();
        let agreed = !self.sent_for_all(intent.skill);
        let team = self.team_of(intent.seat, intent.skill).map(|group| {
            notice(Notice::group(group, "team/chose"))
                .with("agreed", Arg::Flag(agreed))
                .from(intent.seat)
        });
        self.tell(receipt);
        if let Some(team) = team {
            self.tell(team);
        }
    }

    /// 放弃: nothing in this window, or not this skill.
    pub(crate) fn decline(&mut self, seat: SeatId, skill: Option<SkillId>) -> Result<(), Refusal> {
        self.running()?;
        let _ = self.seat(seat).ok_or(Refusal::NoSuchSeat)?;
        let board = Arc::clone(&self.board);
        let open: Vec<Held> = self
            .open_skills(seat)
            .into_iter()
            .filter(|held| skill.is_none_or(|s| s == held.skill))
            .collect();
        let (forced, free): (Vec<Held>, Vec<Held>) = open
            .into_iter()
            .partition(|h| board.skill_def(h.skill).forced);
        // What is excluded by a message of this window is not open, but the message can be
        // taken back.
        let waiting: Vec<Held> = self
            .world
            .intents
            .iter()
            .filter(|i| i.seat == seat && skill.is_none_or(|s| s == i.skill))
            .map(|i| Held {
                seat,
                holding: i.holding,
                skill: i.skill,
            })
            .filter(|h| !board.skill_def(h.skill).forced)
            .collect();
        if free.is_empty() && waiting.is_empty() {
            return Err(match (forced.first(), skill) {
                (Some(held), _) => Refusal::Forced(held.skill),
                (None, Some(s)) if self.held(seat, s).is_none() => Refusal::NotHeld(s),
                (None, _) => Refusal::NothingToDecline,
            });
        }
        let before = self.world.outs.len();
        let pending = self.winner();
        let mut declined: Vec<SkillId> = Vec::new();
        for held in free.into_iter().chain(waiting) {
            if declined.contains(&held.skill) {
                continue;
            }
            declined.push(held.skill);
            self.decline_one(held);
        }
        let notice = Notice::to(seat, "receipt/declined").with("skills", Arg::Skills(declined));
        self.tell(notice.receipt());
        if self.world.outs.len() > before {
            self.after_reaction(true, pending);
        } else {
            self.reactions_are_done();
        }
        Ok(())
    }

    fn decline_one(&mut self, held: Held) {
        let board = Arc::clone(&self.board);
        let def = board.skill_def(held.skill);
        let seat = held.seat;
        if self.is_asked(held) {
            self.world
                .reactions
                .retain(|r| r.seat != seat || r.holding != held.holding);
            def.code.lapsed(self, held);
            return;
        }
        let for_all = self.sent_for_all(held.skill);
        let before = self.world.intents.len();
        self.world
            .intents
            .retain(|i| i.skill != held.skill || !(for_all || i.holding == held.holding));
        let taken_back = self.world.intents.len() < before;
        let team = self.team_of(seat, held.skill);
        match team {
            Some(group) if for_all => {
                for member in self.group_members(group).iter() {
                    self.world.declined.push((member, held.skill));
                }
            }
            _ => self.world.declined.push((seat, held.skill)),
        }
        if let Some(group) = team {
            let told = Notice::group(group, "team/declined")
                .with("seat", Arg::Seat(seat))
                .with("skill", Arg::Skill(held.skill))
                .with("agreed", Arg::Flag(!for_all))
                .from(seat);
            self.tell(told);
        }
        if taken_back {
            def.code.sent(self, held, None);
        }
    }

    /// Is a reaction with this holding open? A skill that is sent in windows can be asked for as
    /// well.
    pub(crate) fn is_asked(&self, held: Held) -> bool {
        let mut reactions = self.world.reactions.iter();
        reactions.any(|r| (r.seat, r.holding) == (held.seat, held.holding))
    }

    /// A message takes effect: its use is spent, its targets pass the redirects and veils, and
    /// its code runs on the final ones.
    pub(crate) fn resolve(&mut self, intent: &Intent) {
        let board = Arc::clone(&self.board);
        let def = board.skill_def(intent.skill);
        let held = Held {
            seat: intent.seat,
            holding: intent.holding,
            skill: intent.skill,
        };
        // G16, V2: silenced by an earlier item of the same window, or the skill is gone.
        if intent.vain || self.holding(held).is_none() || self.barred(intent.seat, intent.skill) {
            return;
        }
        let night = self.number();
        let chosen: SeatSet = intent.targets.iter().copied().collect();
        if let Some(holding) = self.holding_mut(held) {
            holding.left = holding.left.map(|n| n.saturating_sub(1));
            holding.note_use(night, chosen);
        }
        let (landed, finals) = if def.targeted {
            self.final_targets(intent).into_iter().unzip()
        } else {
            (Vec::new(), intent.targets.clone())
        };
        self.kept.reckoning.push(Reckoned::Used {
            seat: intent.seat,
            skill: intent.skill,
            targets: intent.targets.clone(),
            finals: finals.clone(),
        });
        if finals.len() == intent.targets.len() {
            def.code.resolve(self, held, intent, &finals);
        } else {
            let landed = Intent {
                targets: landed,
                ..intent.clone()
            };
            def.code.resolve(self, held, &landed, &finals);
        }
    }

    /// A forced skill that was not sent picks its seats at random among those that can be chosen
    /// (G12), and is then used like any other.
    pub fn use_at_random(&mut self, held: Held) {
        let wanted = self.board.skill_def(held.skill).seats.min;
        let mut range: Vec<SeatId> = self.range(held).iter().collect();
        let mut targets = Vec::new();
        for _ in 0..wanted {
            let Some(target) = self.draw(&range, ToString::to_string) else {
                return;
            };
            range.retain(|s| *s != target);
            targets.push(target);
        }
        self.resolve(&Intent {
            seat: held.seat,
            holding: held.holding,
            skill: held.skill,
            targets,
            words: Vec::new(),
            window: self.world.window.unwrap_or(crate::WindowId(u8::MAX)),
            stamp: Stamp::default(),
            vain: false,
        });
    }

    /// Was this seat chosen by the last use and, on the night before that, by the one before?
    pub fn chosen_twice_running(&self, held: Held, seat: SeatId) -> bool {
        let Some(holding) = self.holding(held) else {
            return false;
        };
        match (holding.before, holding.last) {
            (Some((first, before)), Some((second, last))) => {
                first + 1 == second && before.has(seat) && last.has(seat)
            }
            _ => false,
        }
    }

    /// Where the balls end: each redirect is asked once, for the seat that the ball is at then
    /// (G10); a veiled seat lets no effect through (V27). Each chosen seat whose ball lands, with
    /// the seat where it does.
    fn final_targets(&mut self, intent: &Intent) -> Vec<(SeatId, SeatId)> {
        if self.world.states.is_empty() {
            return intent.targets.iter().map(|t| (*t, *t)).collect();
        }
        let board = Arc::clone(&self.board);
        let mut finals = Vec::with_capacity(intent.targets.len());
        for target in &intent.targets {
            let mut ball = *target;
            for state in &board.redirects {
                let Some(redirect) = board.state_def(*state).redirect else {
                    continue;
                };
                let record = self.working(ball).find(|(r, _)| r.state == *state);
                let Some(partner) = record.map(|(r, _)| r.partner) else {
                    continue;
                };
                ball = match redirect {
                    Redirect::Back => intent.seat,
                    Redirect::Partner => partner.unwrap_or(ball),
                    Redirect::Random => {
                        let others = self.in_play().minus(self.holders_of(*state));
                        let others: Vec<SeatId> = others.iter().collect();
                        self.draw(&others, ToString::to_string).unwrap_or(ball)
                    }
                };
            }
            if !self.veiled(ball) {
                finals.push((*target, ball));
            }
        }
        finals
    }
}
