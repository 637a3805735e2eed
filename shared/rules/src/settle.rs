//! Settlement: hits become goings-out, or are stopped. The one place that knows what "going
//! out" means: votes, cards and rulings come through here too.

use std::sync::Arc;

use crate::board::{Harm, Members, Told};
use crate::game::{Game, HitEnd, Reckoned};
use crate::ids::{GroupId, SeatId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::{Phase, PhaseKind, PhaseSet};
use crate::skill::{Event, Held};
use crate::wins::Decided;
use crate::world::{
    Cause, HeldBack, Hit, HoldingId, Lapse, OutRecord, Reaction, StateRecord, WaitingOut,
};

impl Game {
    /// Queues harm for the settlement.
    pub fn hit(&mut self, hit: Hit) {
        self.world.hits.push(hit);
    }

    /// Takes the waiting hits of a skill out of the settlement.
    pub fn take_hits(&mut self, skill: crate::SkillId) -> Vec<Hit> {
        let (taken, kept) = std::mem::take(&mut self.world.hits)
            .into_iter()
            .partition(|hit| hit.skill == Some(skill));
        self.world.hits = kept;
        taken
    }

    /// Remembers who was chosen by a strike tonight, for those who hear of it.
    pub fn note_struck(&mut self, chosen: &[SeatId]) {
        for seat in chosen {
            self.world.struck.insert(*seat);
        }
    }

    /// Who was chosen by strikes tonight, so far.
    pub fn struck(&self) -> crate::SeatSet {
        self.world.struck
    }

    /// Drops messages of a skill that wait; true when there was one.
    pub fn drop_intents(
        &mut self,
        skill: crate::SkillId,
        which: impl Fn(&crate::world::Intent) -> bool,
    ) -> bool {
        let before = self.world.intents.len();
        self.world.intents.retain(|i| i.skill != skill || !which(i));
        self.world.intents.len() < before
    }

    /// Lays a state. `from` is the holding that lays it, `partner` the other seat of a pair.
    pub fn lay(
        &mut self,
        seat: SeatId,
        state: StateId,
        from: Option<(SeatId, HoldingId)>,
        until: Option<Lapse>,
        partner: Option<SeatId>,
    ) {
        let times = self.board.state_def(state).times;
        let told = match self.board.state_def(state).told {
            Told::Never => false,
            Told::Always => true,
            Told::WhenItBars => self.would_bar(seat, state),
        };
        let member = self.has_state(seat, state);
        self.world.states.push(StateRecord {
            state,
            seat,
            from,
            partner,
            times,
            until,
            told,
        });
        if told {
            self.tell(Notice::to(seat, "state/laid").with("state", Arg::State(state)));
        }
        if !member {
            self.welcome(seat, state);
        }
    }

    /// The groups that meet by this state get a member: it learns who they are, and they hear of
    /// it. At the deal everyone learns that at once.
    fn welcome(&mut self, seat: SeatId, state: StateId) {
        if self.world.phase.kind == PhaseKind::Setup {
            return;
        }
        let board = Arc::clone(&self.board);
        for (i, group) in board.groups.iter().enumerate() {
            if group.members != Members::State(state) {
                continue;
            }
            let group = GroupId::at(i);
            let mates = self.group_members(group).without(seat);
            self.tell(
                Notice::to(seat, "group/mates")
                    .with("group", Arg::Group(group))
                    .with("mates", Arg::Seats(mates)),
            );
            if !mates.is_empty() {
                self.tell(
                    Notice::group(group, "group/joined")
                        .with("group", Arg::Group(group))
                        .with("seat", Arg::Seat(seat))
                        .from(seat),
                );
            }
        }
    }

    /// Takes a state off a seat, whoever laid it.
    pub fn lift(&mut self, seat: SeatId, state: StateId) {
        self.world
            .states
            .retain(|r| r.seat != seat || r.state != state);
    }

    /// Takes back that a seat was asked: there is nothing to answer any more.
    pub fn unask(&mut self, held: Held) {
        self.world
            .reactions
            .retain(|r| r.seat != held.seat || r.holding != held.holding);
    }

    /// A seat that has just been put out never was: its own reactions and last words go with it.
    pub fn undo_out(&mut self, seat: SeatId) {
        let me = &mut self.world.seats[seat.index()];
        me.out = None;
        me.knows_out = false;
        let faction = me.faction;
        let index = self.world.outs.iter().rposition(|o| o.seat == seat);
        if let Some(index) = index {
            self.world.outs.remove(index);
            if index < self.world.published {
                self.world.published -= 1;
            }
        }
        self.world.announced.remove(seat);
        self.world.may_speak_last.remove(seat);
        self.world.last_words.retain(|(s, _)| *s != seat);
        self.world.reactions.retain(|r| r.seat != seat);
        self.world.gone_on.retain(|(f, _)| *f != faction);
    }

    /// How many records of a state lie on a seat.
    pub fn count_state(&self, seat: SeatId, state: StateId) -> usize {
        let records = self.world.states.iter();
        records
            .filter(|r| (r.seat, r.state) == (seat, state))
            .count()
    }

    /// Takes so many records of a state off a seat, oldest first.
    pub fn lift_some(&mut self, seat: SeatId, state: StateId, mut n: usize) {
        self.world.states.retain(|r| {
            let takes = n > 0 && (r.seat, r.state) == (seat, state);
            n -= usize::from(takes);
            !takes
        });
    }

    /// Asks a seat for a reaction. It may be sent until its phase's reaction window closes. Who
    /// has a red card cannot react: it counts as unanswered at once (G19).
    pub fn ask(&mut self, held: Held) {
        if self.at(held.seat).barred {
            let code = Arc::clone(&self.board.skill_def(held.skill).code);
            return code.lapsed(self, held);
        }
        let open = self.reactions_are_open();
        if open {
            self.leave_time_for_reaction();
        }
        let reaction = Reaction {
            seat: held.seat,
            holding: held.holding,
            skill: held.skill,
            asked: self.now,
            until: self.real_end(),
        };
        self.world.reactions.push(reaction);
        if open {
            self.prompt_reaction(reaction);
        }
    }

    /// Takes hits in the board's order until none is left. Triggers may add some, and so may what
    /// follows the settlement.
    pub(crate) fn settle(&mut self) {
        self.settle_after(Vec::new());
    }

    /// Settles on, after these ends of hits.
    fn settle_after(&mut self, mut ends: Vec<(Hit, HitEnd)>) {
        loop {
            self.settle_hits(&mut ends);
            if let Some(fallen) = self.ask_or_let_fall() {
                ends.push(fallen);
                continue;
            }
            if ends.is_empty() {
                break;
            }
            let event = Event::Settled {
                ends: std::mem::take(&mut ends),
            };
            self.raise(&event);
        }
        if self.board.publication.told_at_once {
            self.tell_outs();
        }
    }

    fn settle_hits(&mut self, ends: &mut Vec<(Hit, HitEnd)>) {
        let board = Arc::clone(&self.board);
        let place = |hit: &Hit| match hit.harm {
            harm if harm.is_final() => 0,
            _ => hit
                .skill
                .and_then(|s| board.settlement.iter().position(|x| *x == s))
                .map_or(usize::MAX, |p| p + 1),
        };
        while !self.world.hits.is_empty() {
            let mut hits = std::mem::take(&mut self.world.hits);
            hits.sort_by_key(place);
            for hit in hits {
                let end = self.settle_hit(&hit);
                ends.push(self.ended(hit, end));
            }
        }
    }

    /// Notes what became of a hit, and tells the skills that listen.
    fn ended(&mut self, hit: Hit, end: HitEnd) -> (Hit, HitEnd) {
        self.kept.reckoning.push(Reckoned::Hit {
            hit: hit.clone(),
            end,
        });
        let event = Event::HitEnded {
            hit: hit.clone(),
            end,
        };
        self.raise(&event);
        (hit, end)
    }

    fn settle_hit(&mut self, hit: &Hit) -> HitEnd {
        if !self.stands(hit.target) {
            return HitEnd::AlreadyOut;
        }
        if hit.harm != Harm::Ruling
            && let Some(state) = self.stays_in(hit.target)
        {
            return HitEnd::Stopped(state);
        }
        if !hit.harm.is_final() {
            if let Some(other) = self.stand_in(hit) {
                return HitEnd::StoodIn(other);
            }
            if let Some(state) = self.prevent(hit) {
                return HitEnd::Stopped(state);
            }
        }
        if let Some(seat) = self.wait_for_stand_in(hit) {
            return HitEnd::Waits(seat);
        }
        self.put_out(hit.target, hit, self.world.phase);
        HitEnd::Out
    }

    /// The state by which nothing puts the seat out (R6).
    pub(crate) fn stays_in(&self, seat: SeatId) -> Option<StateId> {
        let mut working = self.working(seat);
        working.find(|(_, d)| d.stays_in).map(|(r, _)| r.state)
    }

    // --- goings-out that wait ---------------------------------------------------------------

    /// Does somebody have to be asked before the target goes out? A second hit of the same
    /// settlement waits with the first (G17).
    fn wait_for_stand_in(&mut self, hit: &Hit) -> Option<SeatId> {
        if matches!(hit.harm, Harm::SentOff | Harm::Ruling) {
            return None;
        }
        let mut waiting = self.world.waiting.iter();
        if let Some(already) = waiting.find(|w| w.hit.target == hit.target) {
            return Some(already.seat);
        }
        let board = Arc::clone(&self.board);
        let held = self.all().find_map(|seat| {
            let holdings = self.at(seat).holdings.iter();
            let mut helds = holdings.map(|h| Held {
                seat,
                holding: h.id,
                skill: h.skill,
            });
            helds.find(|held| {
                self.can_step_in(*held)
                    && board.skill_def(held.skill).code.steps_in(self, *held, hit)
            })
        })?;
        self.world.waiting.push(WaitingOut {
            hit: hit.clone(),
            phase: self.world.phase,
            seat: held.seat,
            holding: held.holding,
            skill: held.skill,
            asked: false,
        });
        Some(held.seat)
    }

    fn can_step_in(&self, held: Held) -> bool {
        self.stands(held.seat)
            && self.holding(held).is_some_and(|h| h.left != Some(0))
            && !self.barred(held.seat, held.skill)
    }

    /// When no hit is left: whoever may stand in and is in play is asked; without anybody to wait
    /// for the target goes out.
    fn ask_or_let_fall(&mut self) -> Option<(Hit, HitEnd)> {
        for place in 0..self.world.waiting.len() {
            let waiting = self.world.waiting[place].clone();
            let held = Held {
                seat: waiting.seat,
                holding: waiting.holding,
                skill: waiting.skill,
            };
            let mine = |r: &Reaction| (r.seat, r.holding) == (held.seat, held.holding);
            let can = self.can_step_in(held);
            if can && self.world.reactions.iter().any(mine) {
                continue;
            }
            if can && !waiting.asked {
                self.world.waiting[place].asked = true;
                self.ask(held);
                continue;
            }
            self.world.reactions.retain(|r| !mine(r));
            self.world.waiting.remove(place);
            self.put_out(waiting.hit.target, &waiting.hit, waiting.phase);
            return Some(self.ended(waiting.hit, HitEnd::Out));
        }
        None
    }

    /// The holder goes out in the place of whoever waits for it, with the same cause; its own
    /// protections do not apply (N17, TP8).
    pub fn stand_in_for_waiting(&mut self, held: Held) {
        let mut ends = Vec::new();
        for waiting in self.take_waiting(held) {
            let (seat, end) = if self.stands(held.seat) {
                (held.seat, HitEnd::StoodIn(held.seat))
            } else {
                (waiting.hit.target, HitEnd::Out)
            };
            self.put_out(seat, &waiting.hit, waiting.phase);
            ends.push(self.ended(waiting.hit, end));
        }
        self.settle_after(ends);
    }

    /// Nobody goes out in the place of whoever waits for this holder.
    pub fn let_waiting_fall(&mut self, held: Held) {
        let mut ends = Vec::new();
        for waiting in self.take_waiting(held) {
            if self.stands(waiting.hit.target) {
                self.put_out(waiting.hit.target, &waiting.hit, waiting.phase);
                ends.push(self.ended(waiting.hit, HitEnd::Out));
            }
        }
        self.settle_after(ends);
    }

    /// A seat goes out now: nobody needs to answer for it any more.
    fn stop_waiting_for(&mut self, seat: SeatId) {
        let (over, waiting): (Vec<_>, Vec<_>) = std::mem::take(&mut self.world.waiting)
            .into_iter()
            .partition(|w| w.hit.target == seat);
        for w in over {
            let asked = |other: &WaitingOut| (other.seat, other.holding) == (w.seat, w.holding);
            if !waiting.iter().any(asked) {
                self.unask(Held {
                    seat: w.seat,
                    holding: w.holding,
                    skill: w.skill,
                });
            }
        }
        self.world.waiting = waiting;
    }

    fn take_waiting(&mut self, held: Held) -> Vec<WaitingOut> {
        let (mine, others) = std::mem::take(&mut self.world.waiting)
            .into_iter()
            .partition(|w| (w.seat, w.holding) == (held.seat, held.holding));
        self.world.waiting = others;
        mine
    }

    /// Who would go out if the harm that waits were settled now, and nobody stood in for anybody
    /// (放逐: T9, TP18).
    pub fn would_go_out(&self) -> crate::SeatSet {
        let mut ahead = self.clone();
        ahead.settle();
        while let Some(waiting) = ahead.world.waiting.pop() {
            ahead.put_out(waiting.hit.target, &waiting.hit, waiting.phase);
            ahead.settle_after(vec![(waiting.hit, HitEnd::Out)]);
        }
        self.in_play().minus(ahead.in_play())
    }

    /// Someone goes out in the target's place, with the same cause; its own protections do not
    /// apply (N17).
    fn stand_in(&mut self, hit: &Hit) -> Option<SeatId> {
        let board = Arc::clone(&self.board);
        for state in &board.stand_ins {
            let found = self.world.states.iter().position(|r| {
                r.state == *state
                    && r.seat == hit.target
                    && self.works(r)
                    && r.from
                        .is_some_and(|(s, _)| s != hit.target && self.stands(s))
            });
            if let Some(i) = found {
                let record = self.world.states.remove(i);
                let (seat, _) = record.from?;
                self.put_out(seat, hit, self.world.phase);
                return Some(seat);
            }
        }
        None
    }

    /// The first state that stops the hit, in the board's order; of several records of it the
    /// one that ends soonest, of equals the oldest (G9).
    fn prevent(&mut self, hit: &Hit) -> Option<StateId> {
        if self.world.states.is_empty() {
            return None;
        }
        let board = Arc::clone(&self.board);
        for state in &board.preventions {
            if !board.state_def(*state).stops.has(hit.harm) {
                continue;
            }
            let found = self
                .world
                .states
                .iter()
                .enumerate()
                .filter(|(_, r)| r.state == *state && r.seat == hit.target && self.works(r))
                .min_by_key(|(i, r)| (r.until.map_or(u32::MAX, |l| self.phases_until(l)), *i))
                .map(|(i, _)| i);
            let Some(i) = found else { continue };
            let by = self.world.states[i].clone();
            if board.state_def(*state).holds_back {
                let silenced = self
                    .working(hit.target)
                    .filter(|(_, def)| def.silences)
                    .map(|(r, _)| r.state)
                    .collect();
                self.world.held_back.push(HeldBack {
                    hit: hit.clone(),
                    silenced,
                });
            }
            if let Some(times) = &mut self.world.states[i].times {
                *times -= 1;
                if *times == 0 {
                    self.world.states.remove(i);
                }
            }
            self.raise(&Event::Prevented {
                hit: hit.clone(),
                by,
            });
            return Some(*state);
        }
        None
    }

    /// Harm that was held back falls, and nothing stops it any more (F4).
    pub(crate) fn let_held_back_fall(&mut self) {
        if self.world.held_back.is_empty() {
            return;
        }
        let until = Some(Lapse {
            phases: PhaseSet::NONE.with(PhaseKind::Night),
            skip: 0,
        });
        for held in std::mem::take(&mut self.world.held_back) {
            for state in held.silenced {
                self.lay(held.hit.target, state, None, until, None);
            }
            self.hit(Hit {
                harm: Harm::Fatal,
                ..held.hit
            });
        }
        self.settle();
        if self.board.publication.vote_at_once {
            self.publish_dusk_outs();
        }
        self.reactions_are_done();
    }

    fn put_out(&mut self, seat: SeatId, hit: &Hit, phase: Phase) {
        let cause = Cause {
            harm: hit.harm,
            by: hit.by,
            skill: hit.skill,
            phase,
        };
        self.stop_waiting_for(seat);
        let me = &mut self.world.seats[seat.index()];
        me.out = Some(cause);
        let faction = me.faction;
        self.world.outs.push(OutRecord { seat, cause });
        let gone = !self
            .all()
            .any(|s| self.stands(s) && self.at(s).faction == faction);
        if gone {
            self.world.gone_on.push((faction, self.number()));
        }
        if self.dusk_is_public() && self.reactions_are_open() {
            self.leave_time_for_reaction();
        }
        self.raise(&Event::WentOut { seat, cause });
    }

    /// Is it dusk, on a board that publishes at once who goes out in it?
    pub(crate) fn dusk_is_public(&self) -> bool {
        self.world.phase.kind == PhaseKind::Dusk && self.board.publication.vote_at_once
    }

    /// After a reaction: lists and wins. A win that the reaction itself has brought about does
    /// not wait for the reactions that are still open; `pending` is who would have won before it
    /// (G18).
    pub(crate) fn after_reaction(&mut self, put_out: bool, pending: Option<Decided>) {
        if self.dusk_is_public() {
            self.publish_dusk_outs();
        }
        let winner = self.winner();
        if put_out && winner.is_some() && winner != pending {
            self.check_wins();
        } else if self.world.reactions.is_empty() {
            if put_out || self.world.phase.kind == PhaseKind::Dusk {
                self.check_wins();
            } else {
                self.reactions_are_done();
            }
        }
    }

    /// When no reaction is open any more, wins are checked where a list has been fixed (G18).
    pub(crate) fn reactions_are_done(&mut self) {
        if !self.world.reactions.is_empty() || self.kept.ending.is_some() {
            return;
        }
        if self.world.phase.kind == PhaseKind::Dusk && !self.world.sent_off.is_empty() {
            // What follows the vote comes first (G19, R16).
            self.settle_sent_off();
            self.publish_dusk_outs();
            if !self.world.reactions.is_empty() {
                return;
            }
        }
        let fixed = self.board.wins_checked == crate::board::WinsChecked::Fixed;
        match self.world.phase.kind {
            PhaseKind::Dusk => self.check_wins(),
            PhaseKind::Dawn | PhaseKind::Day if fixed => self.check_wins(),
            _ => {}
        }
    }
}
