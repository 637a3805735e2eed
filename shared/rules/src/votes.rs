//! Vote threads, closed books, the settlement of votes, the election, petitions, idling.

use std::sync::Arc;

use crate::board::{Colour, End, Harm, StateDef, TieBreak, WindowKind};
use crate::book::{Choice, ClosedBook, Thread, ThreadId, ThreadKind};
use crate::count::{CountFacts, Outcome, Verdict, count};
use crate::game::{Game, Pause, Reckoned};
use crate::ids::{SeatId, SeatSet, StateId, Time};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::refusal::Refusal;
use crate::world::Hit;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

impl Game {
    /// The vote thread that is open or whose book is awaited, made from what is public.
    pub fn thread(&self) -> Option<Thread> {
        let id = self
            .kept
            .thread
            .filter(|_| self.vote_window_open() || self.kept.awaiting.is_some())?;
        let day = self.world.phase.kind == PhaseKind::Day;
        let calendar = self.calendar();
        let before = |minutes: i64| {
            self.kept
                .deadline
                .filter(|_| minutes > 0)
                .map(|d| d.plus_ms(-minutes * MINUTE))
        };
        let barred: SeatSet = self.all().filter(|s| self.at(*s).barred).collect();
        let (voters, choosable) = self.electorate();
        Some(Thread {
            id,
            version: self.world.thread_version,
            kind: if day {
                ThreadKind::Day
            } else {
                ThreadKind::Election
            },
            day: self.number(),
            voters,
            choosable,
            must_vote: voters.iter().filter(|s| self.must_vote(*s)).collect(),
            secret: self.vote_is_secret(),
            changes: self.board.vote.changes,
            changes_until: calendar.and_then(|c| before(c.changes_stop_minutes)),
            sped_up: self.world.sped_up,
            // Chat has whole seconds.
            opens_at: self.kept.shut.map(Time::whole_second),
            closes_at: self.kept.deadline,
            petitions_until: if day && self.world.tied.is_empty() {
                calendar.and_then(|c| before(c.petitions_stop_minutes))
            } else {
                Some(Time(0))
            },
            paused: self.kept.paused.is_some(),
            void_targets: if day {
                barred
            } else {
                barred.or(self.world.election.withdrawn)
            },
        })
    }

    /// Who may vote, and for whom, as everybody knows it: in a second vote all but the tied, for
    /// the tied (F16); in an election with candidates the others, for the candidates (F6).
    pub(crate) fn electorate(&self) -> (SeatSet, SeatSet) {
        let barred: SeatSet = self.all().filter(|s| self.at(*s).barred).collect();
        let all = self.publicly_in_play().minus(barred);
        let free = |which: fn(&Self, SeatId) -> bool| -> SeatSet {
            all.iter().filter(|s| !which(self, *s)).collect()
        };
        let (voters, choosable) = (free(Self::voteless), free(Self::unvotable));
        let tied = self.world.tied;
        if self.world.phase.kind != PhaseKind::Election {
            return if tied.is_empty() {
                (voters, choosable)
            } else {
                (voters.minus(tied), choosable.and(tied))
            };
        }
        let election = self.world.election;
        let rules = self.board.sheriff.as_ref().map(|s| s.election);
        let rules = rules.unwrap_or_default();
        let withdrawn = if rules.withdrawn_vote {
            SeatSet::EMPTY
        } else {
            election.withdrawn
        };
        let voters = voters.minus(withdrawn);
        if !tied.is_empty() {
            let left = choosable.and(tied).minus(election.withdrawn);
            (voters.minus(tied), left)
        } else if rules.candidates {
            let rivals = choosable.and(election.candidates);
            (voters.minus(election.candidates), rivals)
        } else {
            (voters, choosable)
        }
    }

    pub(crate) fn vote_window_open(&self) -> bool {
        self.world
            .window
            .is_some_and(|w| self.board.windows[w.index()].kind.is_vote())
    }

    pub(crate) fn thread_changed(&mut self) {
        self.world.thread_version += 1;
    }

    /// Tally has closed the book.
    pub(crate) fn take_book(&mut self, thread: ThreadId, book: &ClosedBook) -> Result<(), Refusal> {
        if self.kept.awaiting != Some(thread) {
            return Err(Refusal::Stale);
        }
        self.kept.awaiting = None;
        let board = Arc::clone(&self.board);
        let second = !self.world.tied.is_empty();
        let kind = if second {
            WindowKind::Runoff
        } else {
            WindowKind::Vote
        };
        let window = board
            .windows_of(self.world.phase.kind)
            .find(|w| board.windows[w.index()].kind == kind);
        let book = self.without_others(book);
        if self.world.phase.kind == PhaseKind::Election {
            self.settle_sent_off();
            let tied = self.elect(&book);
            self.world.tied = tied.filter(|_| !second).unwrap_or_default();
            if self.world.tied.is_empty() {
                self.tell_outs();
                self.ask_badge_of_out_sheriff();
            }
        } else {
            if !second {
                self.punish_idling(&book);
            }
            let tied = self.tie_to_run_off(&book).filter(|_| !second);
            self.world.tied = tied.unwrap_or_default();
            if self.world.tied.is_empty() {
                self.world.books.push(book);
            }
        }
        match window {
            Some(window) => self.after_window(window),
            None => self.end_phase(),
        }
        Ok(())
    }

    /// Is the day's vote secret (R1)?
    pub(crate) fn vote_is_secret(&self) -> bool {
        let from = self.board.vote.secret_from;
        self.world.phase.kind != PhaseKind::Election && from.is_some_and(|day| self.number() >= day)
    }

    /// The state that the day's vote gives to whoever has the most, in place of putting it out
    /// (R1).
    fn vote_shows(&self) -> Option<StateId> {
        let shows = self.board.vote.first_day_shows;
        shows.filter(|_| self.world.phase.kind != PhaseKind::Election && self.number() == 1)
    }

    /// The book without ballots of those who may not vote, or for those who cannot be voted for:
    /// in an election both change until its door is shut.
    fn without_others(&self, book: &ClosedBook) -> ClosedBook {
        let (voters, choosable) = self.electorate();
        let mut book = book.clone();
        if self.world.phase.kind == PhaseKind::Election || !self.world.tied.is_empty() {
            book.ballots.retain(|b| {
                let names = match b.choice {
                    Choice::Seat(seat) => choosable.has(seat),
                    Choice::Abstain => true,
                };
                voters.has(b.voter) && names
            });
        }
        book
    }

    /// Is there a second vote after a tied one in this phase?
    fn has_runoff(&self) -> bool {
        let mut windows = self.board.windows_of(self.world.phase.kind);
        windows.any(|w| self.board.windows[w.index()].kind == WindowKind::Runoff)
    }

    /// The seats among whom a tied vote of the day is run off, where the game has that. The count
    /// is published with the tie.
    fn tie_to_run_off(&mut self, book: &ClosedBook) -> Option<SeatSet> {
        if !self.options.runoff || !self.has_runoff() || !self.world.tied.is_empty() {
            return None;
        }
        let ballots = self.ballots(book);
        let outcome = count(&ballots, &self.day_facts());
        let Verdict::Tie(tied) = outcome.verdict else {
            return None;
        };
        self.publish_ballots("vote/result", &ballots, &outcome);
        Some(tied)
    }

    fn day_facts(&self) -> CountFacts {
        CountFacts {
            weights: self.weights(),
            void: self.void_ballots(),
            extra: Vec::new(),
            ties: self.ties(),
        }
    }

    /// The ballots that can count: of voters and for seats that the public knows in play and no
    /// card has barred. Who must vote and has no such ballot votes by the dice (R2, R6).
    fn ballots(&mut self, book: &ClosedBook) -> Vec<(SeatId, Option<SeatId>)> {
        let n = self.world.seats.len();
        let ok = |s: SeatId| s.index() < n && !self.world.announced.has(s) && !self.at(s).barred;
        let choosable = |s: SeatId| ok(s) && !self.unvotable(s);
        let mut ballots: Vec<(SeatId, Option<SeatId>)> = book
            .ballots
            .iter()
            .filter(|b| ok(b.voter) && !self.voteless(b.voter))
            .filter_map(|b| match b.choice {
                Choice::Abstain if self.must_vote(b.voter) => None,
                Choice::Abstain => Some((b.voter, None)),
                Choice::Seat(target) if choosable(target) => Some((b.voter, Some(target))),
                Choice::Seat(_) => None,
            })
            .collect();
        let candidates: Vec<SeatId> = self.all().filter(|s| choosable(*s)).collect();
        let missing: Vec<SeatId> = self
            .all()
            .filter(|s| self.stands(*s) && self.must_vote(*s))
            .filter(|s| ballots.iter().all(|(voter, _)| voter != s))
            .collect();
        for voter in missing {
            let Some(target) = self.draw(&candidates, ToString::to_string) else {
                continue;
            };
            ballots.push((voter, Some(target)));
            self.tell(Notice::to(voter, "vote/drawn").with("target", Arg::Seat(target)));
        }
        ballots.sort_by_key(|(voter, _)| *voter);
        ballots
    }

    fn weights(&self) -> Vec<i32> {
        self.all().map(|s| self.vote_weight(s)).collect()
    }

    fn ties(&self) -> Vec<(SeatId, TieBreak)> {
        let mut ties = Vec::new();
        for record in &self.world.states {
            let tie = self.board.state_def(record.state).tie;
            let bears = tie == TieBreak::Itself;
            let can = !bears || (self.stands(record.seat) && !self.at(record.seat).barred);
            let puts_out = self.vote_shows().is_none();
            if tie != TieBreak::Nothing && self.works(record) && can && (puts_out || !bears) {
                ties.push((record.seat, tie));
            }
        }
        ties
    }

    /// Ballots that a state makes void: of whom it lies on, for whoever laid it (独尊).
    pub fn void_ballots(&self) -> Vec<(SeatId, SeatId)> {
        let spares = |r: &&crate::world::StateRecord| {
            self.board.state_def(r.state).spares_layer && self.works(r)
        };
        let records = self.world.states.iter().filter(spares);
        records
            .filter_map(|r| r.from.map(|(layer, _)| (r.seat, layer)))
            .collect()
    }

    fn publish_ballots(
        &mut self,
        key: &'static str,
        ballots: &[(SeatId, Option<SeatId>)],
        outcome: &Outcome,
    ) {
        let voters = self.board.vote.ballots_public && !self.vote_is_secret();
        let counts = voters || self.options.counts;
        let shown = if voters { ballots.to_vec() } else { Vec::new() };
        let tally = if counts {
            outcome.tally.clone()
        } else {
            Vec::new()
        };
        let (seat, tie) = match outcome.verdict {
            Verdict::Top(seat) | Verdict::Decided { seat, .. } => (Some(seat), SeatSet::EMPTY),
            Verdict::Tie(tie) if counts => (None, tie),
            Verdict::Tie(_) | Verdict::Nobody => (None, SeatSet::EMPTY),
        };
        let tied = matches!(outcome.verdict, Verdict::Tie(_) | Verdict::Decided { .. });
        let by = match outcome.verdict {
            Verdict::Decided { seat, by } if voters && seat != by => SeatSet::only(by),
            _ => SeatSet::EMPTY,
        };
        let badge = self.board.sheriff.as_ref().map(|sheriff| sheriff.state);
        let sheriff = badge.is_some_and(|b| by.iter().any(|s| self.has_state(s, b)));
        let unopposed = outcome.tally.is_empty() && self.lone_candidate().is_some();
        let goes_on = self.has_runoff() && matches!(outcome.verdict, Verdict::Tie(_));
        let notice = Notice::public(key)
            .with("last", Arg::Flag(!unopposed && !goes_on))
            .with("ballots", Arg::Ballots(shown))
            .with("tally", Arg::Tally(tally))
            .with(
                "top",
                Arg::Seats(seat.map_or(SeatSet::EMPTY, SeatSet::only)),
            )
            .with("tie", Arg::Seats(tie))
            .with("tied", Arg::Flag(tied))
            .with("decided_by", Arg::Seats(by))
            .with("sheriff", Arg::Flag(sheriff))
            .with("shows", Arg::Flag(self.vote_shows().is_some()));
        self.tell(notice);
        self.kept.reckoning.push(Reckoned::Vote(outcome.clone()));
    }

    // --- the day's vote ---------------------------------------------------------------------

    /// The dusk begins: red cards, then the count, then the one who is voted out.
    pub(crate) fn settle_votes(&mut self) {
        self.kept.reckoning.clear();
        self.kept.vote_checkpoint = Some(Box::new(self.world.clone()));
        let before = self.board.penalties.red_before_vote;
        if before {
            self.settle_sent_off();
        }
        for book in std::mem::take(&mut self.world.books) {
            self.settle_vote(&book);
        }
        if self.board.publication.vote_at_once {
            self.publish_dusk_outs();
        }
        self.reactions_are_done();
    }

    /// Those whom red cards have sent off go out.
    pub(crate) fn settle_sent_off(&mut self) {
        for seat in std::mem::take(&mut self.world.sent_off) {
            self.hit(Hit {
                target: seat,
                harm: Harm::SentOff,
                by: None,
                skill: None,
            });
        }
        self.settle();
    }

    fn settle_vote(&mut self, book: &ClosedBook) {
        let ballots = self.ballots(book);
        let outcome = count(&ballots, &self.day_facts());
        self.publish_ballots("vote/result", &ballots, &outcome);
        let (Verdict::Top(seat) | Verdict::Decided { seat, .. }) = outcome.verdict else {
            return;
        };
        match self.vote_shows() {
            Some(state) => self.show_faction(seat, state),
            None => self.vote_out(seat, outcome.verdict),
        }
    }

    /// The first day's vote makes a faction known (redblack §投票, R1).
    fn show_faction(&mut self, seat: SeatId, state: StateId) {
        self.lay(seat, state, None, None, None);
        let faction = self.at(seat).faction;
        self.tell(
            Notice::public("vote/faction-shown")
                .with("seat", Arg::Seat(seat))
                .with("faction", Arg::Faction(faction)),
        );
    }

    /// Whoever the vote names goes out, or whoever bears a tie, or has said that it will take the
    /// place of the one voted out (redblack §替罪羊, R5, R11).
    fn vote_out(&mut self, seat: SeatId, verdict: Verdict) {
        let bears = matches!(verdict, Verdict::Decided { seat, by } if seat == by);
        let own = |which: fn(&StateDef) -> bool, seat: SeatId| {
            let record = self.working(seat).find(|(_, def)| which(def));
            let from = record.and_then(|(record, _)| record.from)?;
            let mut held = self.at(seat).holdings.iter();
            held.find(|h| h.id == from.1).map(|h| h.skill)
        };
        let instead = |s: &SeatId| {
            *s != seat
                && self.stands(*s)
                && !self.at(*s).barred
                && self.working(*s).any(|(_, def)| def.voted_instead)
                && self.stays_in(*s).is_none()
        };
        let (target, skill) = if bears {
            (seat, own(|def| def.tie == TieBreak::Itself, seat))
        } else if let Some(other) = self.all().find(instead) {
            (other, own(|def| def.voted_instead, other))
        } else {
            (seat, None)
        };
        if target != seat {
            self.tell_stand_in(target, seat);
        }
        self.hit(Hit {
            target,
            harm: Harm::Vote,
            by: None,
            skill,
        });
        self.settle();
    }

    /// It is published who goes out in whose place (redblack §公示).
    pub fn tell_stand_in(&mut self, seat: SeatId, saved: SeatId) {
        self.tell(
            Notice::public("vote/instead")
                .with("seat", Arg::Seat(seat))
                .with("saved", Arg::Seat(saved)),
        );
    }

    /// What ends with the dusk: whether the day was quiet, the rest of its list, wins.
    pub(crate) fn end_dusk(&mut self) {
        let number = self.number();
        let quiet = !self
            .world
            .outs
            .iter()
            .any(|o| o.cause.phase.number == number);
        if quiet && number > 0 {
            self.world.quiet_days.push(number);
        }
        self.settle_sent_off();
        self.publish_dusk_outs();
        self.world.sped_up = false;
        self.check_wins();
    }

    // --- the election -----------------------------------------------------------------------

    /// The seat with the most votes is sheriff; without any vote nobody (M12). On a tie nobody, or
    /// there is a second vote among the tied, whom it answers.
    fn elect(&mut self, book: &ClosedBook) -> Option<SeatSet> {
        let lone = self.lone_candidate();
        let ballots = self.ballots(book);
        let facts = CountFacts {
            weights: vec![100; self.world.seats.len()],
            ..CountFacts::default()
        };
        let outcome = count(&ballots, &facts);
        self.publish_ballots("election/result", &ballots, &outcome);
        match outcome.verdict {
            Verdict::Tie(tied) if self.has_runoff() => return Some(tied),
            Verdict::Top(seat) => self.pin_badge(seat),
            _ => {
                if let Some(seat) = lone {
                    self.pin_badge(seat);
                }
            }
        }
        None
    }

    /// Can one announce oneself for the election that is open now?
    pub(crate) fn takes_candidates(&self) -> bool {
        let rules = self.board.sheriff.as_ref().map(|s| s.election);
        rules.is_some_and(|r| r.candidates)
            && self.world.phase.kind == PhaseKind::Election
            && self.world.election.put_off == 0
            && self.world.tied.is_empty()
    }

    /// The only candidate, where it needs no vote.
    fn lone_candidate(&self) -> Option<SeatId> {
        let rules = self.board.sheriff.as_ref().map(|s| s.election)?;
        let (_, choosable) = self.electorate();
        let lone = rules.candidates && rules.lone_elected && choosable.len() == 1;
        choosable.nth(0).filter(|_| lone)
    }

    /// 竞选, 退选: a seat runs for sheriff, or withdraws, while the election's door is open (F6).
    /// An election that was put off takes no new candidates (F16). Seats that have gone out
    /// without anybody's knowing run like others.
    pub(crate) fn announce_candidacy(&mut self, seat: SeatId, runs: bool) -> Result<(), Refusal> {
        self.running()?;
        let me = self.seat(seat).ok_or(Refusal::NoSuchSeat)?;
        let rules = self.board.sheriff.as_ref().map(|s| s.election);
        let open = self.world.phase.kind == PhaseKind::Election && self.vote_window_open();
        if !open || !rules.is_some_and(|r| r.candidates) {
            return Err(Refusal::NoCandidacy);
        }
        if me.knows_out {
            return Err(Refusal::Out);
        }
        let election = self.world.election;
        let is_candidate = election.candidates.has(seat);
        match (runs, is_candidate) {
            (true, true) => return Err(Refusal::Runs),
            (false, false) => return Err(Refusal::DoesNotRun),
            (true, false) => {
                let late = election.put_off > 0 || !self.world.tied.is_empty();
                if late || me.barred || election.withdrawn.has(seat) {
                    return Err(Refusal::CandidacyClosed);
                }
                self.world.election.candidates.insert(seat);
            }
            (false, true) => {
                self.world.election.candidates.remove(seat);
                self.world.election.withdrawn.insert(seat);
            }
        }
        self.thread_changed();
        let candidates = self.world.election.candidates;
        self.tell(
            Notice::public("election/candidacy")
                .with("seat", Arg::Seat(seat))
                .with("runs", Arg::Flag(runs))
                .with("candidates", Arg::Seats(candidates)),
        );
        Ok(())
    }

    /// The day was cut short during the election: the first night's list is out, and the election
    /// is put off, or there is no sheriff any more (F5).
    pub(crate) fn put_election_off(&mut self) {
        self.publish_night_outs();
        let most = self.board.sheriff.as_ref().map(|s| s.election.put_off);
        let election = &mut self.world.election;
        election.put_off = election.put_off.saturating_add(1);
        election.due = most.is_some_and(|most| election.put_off <= most);
        let due = election.due;
        self.tell(Notice::public("election/put-off").with("again", Arg::Flag(due)));
    }

    /// Makes a seat the sheriff: the state and the skills that come with it.
    pub fn pin_badge(&mut self, seat: SeatId) {
        let board = Arc::clone(&self.board);
        let Some(sheriff) = &board.sheriff else {
            return;
        };
        self.lay(seat, sheriff.state, None, None, None);
        for skill in &sheriff.skills {
            self.grant(seat, *skill, false);
        }
        self.tell(Notice::to(seat, "sheriff/you"));
    }

    /// Takes the badge off a seat with all that came with it.
    pub fn unpin_badge(&mut self, seat: SeatId) {
        let board = Arc::clone(&self.board);
        let Some(sheriff) = &board.sheriff else {
            return;
        };
        self.lift(seat, sheriff.state);
        for skill in &sheriff.skills {
            if let Some(held) = self.held(seat, *skill) {
                self.revoke(held);
            }
        }
    }

    /// The badge is gone for good, if this seat has it; that is published.
    pub fn destroy_badge(&mut self, seat: SeatId) {
        let state = self.board.sheriff.as_ref().map(|sheriff| sheriff.state);
        if state.is_some_and(|state| self.has_state(seat, state)) {
            self.unpin_badge(seat);
            self.tell_public(Notice::public("sheriff/gone").with("seat", Arg::Seat(seat)));
        }
    }

    /// Elected although it went out in the night: it passes or tears the badge (M12).
    pub fn ask_badge_of_out_sheriff(&mut self) {
        let Some(sheriff) = self.board.sheriff.as_ref() else {
            return;
        };
        let out = self.holder_of(sheriff.state).filter(|s| !self.stands(*s));
        if let Some(seat) = out {
            self.ask_for_badge(seat);
        }
    }

    /// If the seat has the badge, it passes or tears it.
    pub fn ask_for_badge(&mut self, seat: SeatId) {
        let Some(sheriff) = self.board.sheriff.as_ref() else {
            return;
        };
        let has = self.has_state(seat, sheriff.state);
        for skill in sheriff.skills.clone().into_iter().filter(|_| has) {
            if self.board.skill_def(skill).usage == crate::board::Usage::Reaction
                && let Some(held) = self.held(seat, skill)
            {
                self.ask(held);
            }
        }
    }

    // --- petitions and idling ---------------------------------------------------------------

    /// Enough seats have asked (G23). A later one undoes the other.
    pub(crate) fn take_petition(&mut self, thread: ThreadId, faster: bool) -> Result<(), Refusal> {
        let open = self.world.phase.kind == PhaseKind::Day && self.vote_window_open();
        if self.kept.thread != Some(thread) || !open {
            return Err(Refusal::Stale);
        }
        if faster {
            self.speed_up();
        } else {
            self.extend(self.a_day());
        }
        Ok(())
    }

    /// How long a petitioned extension is, in milliseconds: a day (G27); in a calendar of
    /// durations as long as the window itself.
    fn a_day(&self) -> i64 {
        let end = self
            .world
            .window
            .and_then(|w| self.calendar().map(|c| c.ends[w.index()]));
        match end {
            Some(End::After(minutes)) => self.span(i64::from(minutes)),
            Some(End::At(_)) | None => DAY,
        }
    }

    pub(crate) fn speed_up(&mut self) {
        self.world.sped_up = true;
        self.thread_changed();
        self.tell(Notice::public("day/sped-up").with("until", Arg::Time(self.kept.deadline)));
    }

    pub(crate) fn extend(&mut self, ms: i64) {
        self.world.sped_up = false;
        self.kept.deadline = self.kept.deadline.map(|d| d.plus_ms(ms));
        if let Some(Pause { left: Some(left) }) = &mut self.kept.paused {
            *left = left.saturating_add(ms);
        }
        self.kept.early = None;
        if self.vote_window_open() {
            self.thread_changed();
        }
        self.tell(Notice::public("day/extended").with("until", Arg::Time(self.kept.deadline)));
    }

    /// Door-close of a day without a speed-up: a yellow card for each of the board's idling
    /// rules that a seat in play has met (G20).
    fn punish_idling(&mut self, book: &ClosedBook) {
        if self.world.sped_up {
            return;
        }
        let posts = |seat: SeatId, of: &[(SeatId, u16)]| {
            of.iter().find(|(s, _)| *s == seat).map_or(0, |(_, n)| *n)
        };
        let rules = self.board.penalties.clone();
        self.kept.posts.push(book.posts.clone());
        let older = self.kept.posts.len().saturating_sub(3);
        self.kept.posts.drain(..older);
        let three = self.kept.posts.clone();
        let watched: Vec<SeatId> = self
            .publicly_in_play()
            .iter()
            .filter(|s| !self.at(*s).barred && self.stands(*s))
            .collect();
        let mut idle: Vec<(SeatId, &'static str)> = Vec::new();
        for seat in watched {
            if posts(seat, &book.posts) < rules.few_posts {
                idle.push((seat, "few_posts"));
            }
            let few = |day: &Vec<_>| posts(seat, day) < rules.few_posts_three_days;
            if rules.few_posts_three_days > 0 && three.len() == 3 && three.iter().all(few) {
                idle.push((seat, "few_posts_three_days"));
            }
            let voted = book.ballots.iter().any(|b| b.voter == seat) || book.void.has(seat);
            if rules.no_vote && !voted && !self.voteless(seat) {
                idle.push((seat, "no_vote"));
            }
        }
        if self.options.idle_cards {
            for (seat, why) in idle {
                self.give_card(seat, Colour::Yellow, Arg::Text(why.to_owned()));
            }
        } else if !idle.is_empty() {
            let seats: SeatSet = idle.iter().map(|(s, _)| *s).collect();
            self.tell(Notice::director("director/idle").with("seats", Arg::Seats(seats)));
        }
    }
}
