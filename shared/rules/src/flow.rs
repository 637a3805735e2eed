//! Phases, windows and deadlines: what begins when, and what then happens first.

use std::sync::Arc;

use jiff::civil;

use crate::board::{Calendar, End, TeamChoice, Usage, WindowKind};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, Time, Turn};
use crate::notice::{Arg, Notice};
use crate::phase::{Phase, PhaseKind, WindowId};
use crate::refusal::Refusal;
use crate::skill::{Event, Held};
use crate::world::{Intent, Lapse, Reaction};

const MINUTE: i64 = 60_000;

impl Game {
    /// The calendar it runs by; `None`: `manual`.
    pub(crate) fn calendar(&self) -> Option<&Calendar> {
        self.board.calendar(&self.timetable.calendar)
    }

    // --- the clock --------------------------------------------------------------------------

    /// A deadline has come. Of another turn, or before its time, it changes nothing.
    pub(crate) fn ring(&mut self, turn: Turn) -> Result<(), Refusal> {
        match self.deadline() {
            Some((expected, at)) if expected == turn && at <= self.now => {
                self.close_window();
                Ok(())
            }
            _ => Err(Refusal::Stale),
        }
    }

    /// When the open window closes early, if everybody has acted and the calendar allows it.
    pub(crate) fn early_close_at(&self) -> Option<Time> {
        self.kept
            .early
            .filter(|_| !self.vote_is_open() && !self.anything_owed())
    }

    /// After an input by which the last obligation may have been met: when the drawn moment has
    /// passed already, a new one is drawn, so that closing does not follow the last message.
    pub(crate) fn consider_early_close(&mut self) {
        let (Some(early), Some(deadline)) = (self.kept.early, self.kept.deadline) else {
            return;
        };
        if early > self.now || self.vote_is_open() || self.anything_owed() {
            return;
        }
        let left = deadline.plus_ms(self.kept.grace).since(self.now);
        let wait = self.kept.timing.part_of(left);
        self.kept.early = Some(self.now.plus_ms(wait + 1));
    }

    fn vote_is_open(&self) -> bool {
        self.world
            .window
            .is_some_and(|w| self.board.windows[w.index()].kind.is_vote())
    }

    /// A duration of the calendar at the game's speed, in milliseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "calendars speak of minutes and days, far below what a double holds"
    )]
    pub(crate) fn span(&self, minutes: i64) -> i64 {
        (minutes as f64 * MINUTE as f64 / self.timetable.speed.max(0.001)).round() as i64
    }

    /// Is a window left out, because it has no length in this game's calendar, or nothing is to be
    /// run off in it?
    fn left_out(&self, window: WindowId) -> bool {
        if self.board.windows[window.index()].kind == WindowKind::Runoff
            && self.world.tied.is_empty()
        {
            return true;
        }
        match self.calendar() {
            Some(calendar) => calendar.ends[window.index()] == End::After(0),
            None => self.board.windows[window.index()].kind == WindowKind::Rest,
        }
    }

    /// When a window that opens now ends; `None`: by the director's word.
    fn end_of(&self, window: WindowId) -> Option<Time> {
        let kind = self.board.windows[window.index()].kind;
        Some(match self.calendar()?.ends[window.index()] {
            End::After(minutes) => self.now.plus_ms(self.span(i64::from(minutes))),
            // The door opens by the clock, whatever has moved before it.
            End::At(minutes) if kind == WindowKind::Rest => self.next_moved_by(minutes, 0),
            End::At(minutes) => self.next_time_of_day(minutes),
        })
    }

    /// The next time that the zone's clocks show so many minutes after midnight, moved by what
    /// has moved the windows since the door was shut (M2).
    pub(crate) fn next_time_of_day(&self, minutes: u16) -> Time {
        self.next_moved_by(minutes, self.kept.shift)
    }

    fn next_moved_by(&self, minutes: u16, shift: i64) -> Time {
        let zone = &self.timetable.zone;
        let now = jiff::Timestamp::from_millisecond(self.now.0).unwrap_or_default();
        let local = zone.to_datetime(now);
        let part = |n: u16| i8::try_from(n).unwrap_or(0);
        let time = civil::Time::new(part(minutes / 60), part(minutes % 60), 0, 0)
            .unwrap_or(civil::Time::midnight());
        // From yesterday on: a window that late reactions moved may end after midnight.
        let mut date = local.date().yesterday().unwrap_or(local.date());
        for _ in 0..4 {
            let at = zone
                .to_ambiguous_timestamp(date.to_datetime(time))
                .compatible()
                .map_or(self.now.0, jiff::Timestamp::as_millisecond);
            let at = Time(at).plus_ms(shift);
            if at > self.now {
                return at;
            }
            date = date.tomorrow().unwrap_or(date);
        }
        self.now.plus_minutes(i64::from(minutes))
    }

    /// A reaction asked late gets its time, and later windows of the night shift (M2). At a dusk
    /// in which everyone sees at once who goes out the window's end moves with it whether or not
    /// somebody is asked. Elsewhere the end that people are told stays: it would tell of the reaction.
    pub(crate) fn leave_time_for_reaction(&mut self) {
        let Some(minutes) = self.calendar().map(|c| c.reaction_minutes) else {
            return;
        };
        let Some(deadline) = self.kept.deadline else {
            return;
        };
        let wanted = self.now.plus_ms(self.span(minutes));
        let missing = wanted.since(deadline.plus_ms(self.kept.grace));
        if missing <= 0 {
            return;
        }
        if self.dusk_is_public() {
            self.kept.shift = self.kept.shift.saturating_add(missing);
            self.kept.deadline = Some(wanted);
        } else {
            self.kept.grace = wanted.since(deadline);
        }
    }

    /// When the open window really ends.
    pub(crate) fn real_end(&self) -> Option<Time> {
        self.kept.deadline.map(|d| d.plus_ms(self.kept.grace))
    }

    pub(crate) fn reactions_are_open(&self) -> bool {
        let window = self.world.window;
        window.is_some_and(|w| self.board.windows[w.index()].kind == WindowKind::Reactions)
    }

    // --- windows ----------------------------------------------------------------------------

    /// Closes the window that is open and goes on to whatever comes next.
    pub(crate) fn close_window(&mut self) {
        let Some(window) = self.world.window else {
            return;
        };
        match self.board.windows[window.index()].kind {
            WindowKind::Vote | WindowKind::Runoff => {
                self.resolve_window(window);
                self.raise(&Event::WindowClosed(window));
                self.world.window = None;
                self.kept.deadline = None;
                self.kept.early = None;
                self.kept.awaiting = self.kept.thread;
                self.kept.shut = Some(self.now);
                if self.kept.awaiting.is_none() {
                    self.after_window(window);
                }
            }
            WindowKind::Reactions => {
                if !self.lapse_reactions() {
                    self.after_window(window);
                }
            }
            WindowKind::Skills => {
                self.resolve_window(window);
                self.raise(&Event::WindowClosed(window));
                self.after_window(window);
            }
            WindowKind::Rest => self.after_window(window),
        }
    }

    /// Opens the next window of the phase that has a length, or ends the phase.
    pub(crate) fn after_window(&mut self, window: WindowId) {
        if self.kept.ending.is_some() {
            return;
        }
        let board = Arc::clone(&self.board);
        let next = board
            .windows_of(self.world.phase.kind)
            .find(|w| *w > window && !self.left_out(*w));
        match next {
            Some(next) => self.open_window(next),
            None => self.end_phase(),
        }
    }

    pub(crate) fn open_window(&mut self, window: WindowId) {
        self.kept.turn = Turn(self.kept.turn.0 + 1);
        self.world.window = Some(window);
        self.world.declined.clear();
        self.kept.opened = self.now;
        self.kept.deadline = self.end_of(window);
        self.kept.grace = 0;
        self.kept.early = self.draw_early();
        if let Some(pause) = &mut self.kept.paused {
            pause.left = self.kept.deadline.map(|d| d.since(self.now));
        }
        let kind = self.board.windows[window.index()].kind;
        if kind.is_vote() {
            self.kept.thread = Some(self.kept.turn);
            self.world.thread_version = 1;
        }
        self.raise(&Event::WindowOpened(window));
        // Nothing is said of the wait for the door: when it begins depends on who was asked late.
        if kind != WindowKind::Rest {
            self.tell(
                Notice::public("window/open")
                    .with("window", Arg::Window(window))
                    .with("phase", Arg::Phase(self.world.phase))
                    .with("secret", Arg::Flag(self.vote_is_secret()))
                    .with("until", Arg::Time(self.kept.deadline))
                    .with("runs", Arg::Flag(self.takes_candidates()))
                    .prompt(),
            );
        }
        if kind == WindowKind::Reactions {
            for i in 0..self.world.reactions.len() {
                self.world.reactions[i].until = self.kept.deadline;
                let reaction = self.world.reactions[i];
                self.prompt_reaction(reaction);
            }
        }
        self.prompt_open_skills();
    }

    /// The moment before which a window does not close early: at least a quarter of its length
    /// in, drawn apart from the game's own dice, whoever can act in it (G2).
    fn draw_early(&mut self) -> Option<Time> {
        let early = self.calendar()?.early;
        let deadline = self.kept.deadline.filter(|_| early)?;
        let length = deadline.since(self.now).max(4);
        let wait = length / 4 + self.kept.timing.part_of(length - length / 4);
        Some(self.now.plus_ms(wait))
    }

    fn prompt_open_skills(&mut self) {
        for seat in self.all() {
            let mut skills = Vec::new();
            let reactions = &self.world.reactions;
            self.each_open(seat, |held| {
                if !reactions
                    .iter()
                    .any(|r| r.seat == seat && r.holding == held.holding)
                {
                    skills.push(held.skill);
                }
            });
            if !skills.is_empty() {
                let notice = Notice::to(seat, "prompt/open")
                    .with("skills", Arg::Skills(skills))
                    .with("until", Arg::Time(self.kept.deadline))
                    .prompt();
                self.tell(notice);
            }
        }
    }

    /// The window's messages take effect in the board's order; forced skills without one act by
    /// their rule.
    fn resolve_window(&mut self, window: WindowId) {
        enum Item {
            Sent(Intent),
            Unsent(Held),
        }
        let board = Arc::clone(&self.board);
        let mut items: Vec<(u16, Item)> = Vec::new();
        let (now, later): (Vec<_>, Vec<_>) = std::mem::take(&mut self.world.intents)
            .into_iter()
            .partition(|i| i.window == window);
        self.world.intents = later;
        let now = self.agreed(&now);
        for intent in now {
            items.push((board.skill_def(intent.skill).order, Item::Sent(intent)));
        }
        for seat in self.all() {
            for holding in &self.at(seat).holdings {
                let def = board.skill_def(holding.skill);
                let sent = items.iter().any(|(_, item)| match item {
                    Item::Sent(i) => i.seat == seat && i.holding == holding.id,
                    Item::Unsent(_) => false,
                });
                if def.forced && def.usage == Usage::Sent && def.windows.has(window) && !sent {
                    let held = Held {
                        seat,
                        holding: holding.id,
                        skill: holding.skill,
                    };
                    if self.stands(seat) && def.code.open(self, held) {
                        items.push((def.order, Item::Unsent(held)));
                    }
                }
            }
        }
        items.sort_by_key(|(order, _)| *order);
        for (_, item) in items {
            match item {
                Item::Sent(intent) => self.resolve(&intent),
                Item::Unsent(held) if !self.barred(held.seat, held.skill) => {
                    board.skill_def(held.skill).code.unsent(self, held);
                }
                Item::Unsent(_) => {}
            }
        }
    }

    /// Where a team must agree, its members' messages become one if all name the same seats, and
    /// none otherwise (F3).
    fn agreed(&self, messages: &[Intent]) -> Vec<Intent> {
        let mut kept: Vec<Intent> = Vec::with_capacity(messages.len());
        let together = |i: &Intent| {
            let team = self.board.skill_def(i.skill).team.as_ref();
            team.is_some_and(|t| t.choice == TeamChoice::Agreed)
        };
        let counts = |i: &Intent| !i.vain && !self.barred(i.seat, i.skill);
        let group = |i: &Intent| (i.skill, self.team_of(i.seat, i.skill));
        for (place, message) in messages.iter().enumerate() {
            if !together(message) {
                kept.push(message.clone());
                continue;
            }
            let mine = group(message);
            let same_team = |i: &&Intent| group(i) == mine && counts(i);
            let first = !messages[..place].iter().any(|i| same_team(&i));
            let mut all = messages.iter().filter(same_team);
            if counts(message) && first && all.all(|i| i.targets == message.targets) {
                kept.push(message.clone());
            }
        }
        kept
    }

    /// What was not answered lapses. True when others were asked through that, and the window
    /// stays open for them.
    fn lapse_reactions(&mut self) -> bool {
        let board = Arc::clone(&self.board);
        for reaction in self.world.reactions.clone() {
            let mine = |r: &Reaction| (r.seat, r.holding) == (reaction.seat, reaction.holding);
            let Some(place) = self.world.reactions.iter().position(mine) else {
                continue;
            };
            self.world.reactions.remove(place);
            let held = Held {
                seat: reaction.seat,
                holding: reaction.holding,
                skill: reaction.skill,
            };
            if self.holding(held).is_some() {
                board.skill_def(reaction.skill).code.lapsed(self, held);
            }
        }
        if !self.world.reactions.is_empty() {
            self.leave_time_for_reaction();
            if self.real_end().is_none_or(|end| end > self.now) {
                return true;
            }
            return self.lapse_reactions();
        }
        self.reactions_are_done();
        false
    }

    // --- phases -----------------------------------------------------------------------------

    /// 开始: the opening begins.
    pub(crate) fn start(&mut self) -> Result<(), Refusal> {
        if self.world.phase.kind != PhaseKind::Setup {
            return Err(Refusal::OrderNotNow);
        }
        let first = self.flow_phase(0);
        self.begin_phase(first);
        Ok(())
    }

    /// Has there been a night, or is it the first?
    pub(crate) fn night_has_come(&self) -> bool {
        (0..=self.world.flow_place).any(|place| self.flow_kind(place) == PhaseKind::Night)
    }

    /// The phase at this place of the flow, or nothing where the game skips it.
    fn flow_kind(&self, place: u32) -> PhaseKind {
        let flow = &self.board.flow;
        let place = place as usize;
        match flow.lead.get(place) {
            Some(kind) => *kind,
            None => flow.cycle[(place - flow.lead.len()) % flow.cycle.len()],
        }
    }

    fn flow_phase(&self, place: u32) -> Phase {
        let kind = self.flow_kind(place);
        let before = |k: PhaseKind| {
            let n = (0..=place).filter(|p| self.flow_kind(*p) == k).count();
            u16::try_from(n).unwrap_or(u16::MAX)
        };
        let number = match kind {
            PhaseKind::Night | PhaseKind::Dawn => before(PhaseKind::Night),
            PhaseKind::Day | PhaseKind::Dusk => before(PhaseKind::Day),
            _ => 1,
        };
        Phase { kind, number }
    }

    fn next_phase(&mut self) -> Phase {
        if !self.world.inserted.is_empty() {
            return self.world.inserted.remove(0);
        }
        if self.world.phase.kind == PhaseKind::Dawn && self.world.election.due {
            self.world.election.due = false;
            return Phase {
                kind: PhaseKind::Election,
                number: self.world.phase.number,
            };
        }
        loop {
            self.world.flow_place += 1;
            let next = self.flow_phase(self.world.flow_place);
            if next.kind != PhaseKind::Election || self.options.sheriff {
                return next;
            }
        }
    }

    /// Puts a phase before the next one of the flow, after those put in earlier: a second vote in
    /// one day (N16) is the day once more, under the same number.
    pub fn insert_phase(&mut self, phase: Phase) {
        self.world.inserted.push(phase);
    }

    /// How many phases from now it is until something lapses. Phases put in are not counted.
    pub(crate) fn phases_until(&self, lapse: Lapse) -> u32 {
        let cycle = self.board.flow.lead.len() + self.board.flow.cycle.len();
        let far = u32::try_from(cycle)
            .unwrap_or(u32::MAX)
            .saturating_mul(u32::from(lapse.skip) + 1);
        let mut left = lapse.skip;
        for ahead in 1..=far {
            if lapse
                .phases
                .has(self.flow_kind(self.world.flow_place + ahead))
            {
                if left == 0 {
                    return ahead;
                }
                left -= 1;
            }
        }
        u32::MAX
    }

    /// What ends with the phase, then the next one begins.
    pub(crate) fn end_phase(&mut self) {
        match self.world.phase.kind {
            PhaseKind::Opening => self.count_sides(),
            PhaseKind::Night => self.settle(),
            PhaseKind::Dusk => self.end_dusk(),
            _ => {}
        }
        if self.kept.ending.is_some() {
            return;
        }
        let next = self.next_phase();
        self.begin_phase(next);
    }

    fn begin_phase(&mut self, phase: Phase) {
        let once_more = self.world.phase == phase;
        self.world.phase = phase;
        self.lapse_states(phase.kind);
        match phase.kind {
            PhaseKind::Night => {
                self.world.struck = crate::SeatSet::EMPTY;
                self.kept.reckoning.clear();
            }
            PhaseKind::Election | PhaseKind::Day => self.kept.shift = 0,
            _ => {}
        }
        if phase.kind == PhaseKind::Day && !once_more {
            self.open_door();
            if self.kept.ending.is_some() {
                return;
            }
        }
        if phase.kind == PhaseKind::Dusk {
            return self.settle_dusk();
        }
        self.raise(&Event::PhaseBegan(phase));
        if phase.kind == PhaseKind::Dawn {
            self.reactions_are_done();
            if self.kept.ending.is_some() {
                return;
            }
        }
        self.open_first_window();
        if phase.kind == PhaseKind::Night && self.world.phase == phase {
            self.kept.night_checkpoint = Some(Box::new(self.world.clone()));
            self.kept.vote_checkpoint = None;
        }
    }

    /// The vote is settled, then those who may react have their time.
    pub(crate) fn settle_dusk(&mut self) {
        self.settle_votes();
        if self.kept.ending.is_some() {
            return;
        }
        self.raise(&Event::PhaseBegan(self.world.phase));
        self.let_held_back_fall();
        if self.kept.ending.is_some() {
            return;
        }
        if self.nothing_follows_the_cut() {
            return self.end_phase();
        }
        self.open_first_window();
    }

    /// The day, or the election before it, ends at once by this seat's deed: no vote is counted,
    /// and what follows is the dusk (F5).
    pub fn cut_short(&mut self, by: SeatId) {
        if self.kept.ending.is_some() {
            return;
        }
        let board = Arc::clone(&self.board);
        let phase = self.world.phase.kind;
        self.world.intents.retain(|i| {
            let window = board.windows.get(i.window.index());
            window.is_none_or(|w| w.phase != phase)
        });
        self.world.window = None;
        self.world.books.clear();
        self.world.tied = SeatSet::EMPTY;
        self.kept.deadline = None;
        self.kept.early = None;
        self.kept.awaiting = None;
        self.kept.thread = None;
        self.kept.shut = Some(self.now);
        self.world.cut_short = Some(by);
        if phase == PhaseKind::Election {
            self.put_election_off();
        }
        self.world.inserted.clear();
        let cycle = board.flow.lead.len() + board.flow.cycle.len();
        for _ in 0..cycle {
            self.world.flow_place += 1;
            if self.flow_kind(self.world.flow_place) == PhaseKind::Dusk {
                break;
            }
        }
        self.begin_phase(self.flow_phase(self.world.flow_place));
    }

    /// After a day that was cut short the night begins at once, unless somebody else has gone out
    /// since: then there is a dusk for those who may react. Everybody sees who went out, so the
    /// dusk tells nothing.
    fn nothing_follows_the_cut(&mut self) -> bool {
        let Some(by) = self.world.cut_short.take() else {
            return false;
        };
        let number = self.number();
        let by_day = [PhaseKind::Election, PhaseKind::Day, PhaseKind::Dusk];
        let others = self.world.outs.iter().any(|o| {
            o.seat != by && o.cause.phase.number == number && by_day.contains(&o.cause.phase.kind)
        });
        !others && self.world.reactions.is_empty()
    }

    fn open_first_window(&mut self) {
        let board = Arc::clone(&self.board);
        let first = board
            .windows_of(self.world.phase.kind)
            .find(|w| !self.left_out(*w));
        match first {
            Some(window) => self.open_window(window),
            None => self.end_phase(),
        }
    }

    /// States with an end lapse at its beginning, before anything else happens (G11).
    fn lapse_states(&mut self, kind: PhaseKind) {
        let mut lapsed = Vec::new();
        self.world.states.retain_mut(|record| {
            let Some(lapse) = record.until.as_mut().filter(|l| l.phases.has(kind)) else {
                return true;
            };
            if lapse.skip > 0 {
                lapse.skip -= 1;
                return true;
            }
            if record.told {
                lapsed.push((record.seat, record.state));
            }
            false
        });
        for (seat, state) in lapsed {
            self.tell(Notice::to(seat, "state/lapsed").with("state", Arg::State(state)));
        }
    }

    /// Tells every skill that listens.
    pub(crate) fn raise(&mut self, event: &Event) {
        let board = Arc::clone(&self.board);
        let mut listeners: Vec<Held> = Vec::new();
        for seat in self.all() {
            for holding in &self.at(seat).holdings {
                let listens = board.skill_def(holding.skill).code.listens();
                let hears = listens.has(event.kind());
                if hears {
                    listeners.push(Held {
                        seat,
                        holding: holding.id,
                        skill: holding.skill,
                    });
                }
            }
        }
        for held in listeners {
            if self.holding(held).is_some() {
                board.skill_def(held.skill).code.on_event(self, held, event);
            }
        }
    }

    pub(crate) fn prompt_reaction(&mut self, reaction: Reaction) {
        let notice = Notice::to(reaction.seat, "prompt/reaction")
            .with("skill", Arg::Skill(reaction.skill))
            .with("until", Arg::Time(reaction.until))
            .prompt();
        self.tell(notice);
    }
}
