//! The director's orders and rulings.

use std::sync::Arc;

use crate::board::{Colour, Harm, Usage, WindowKind};
use crate::game::{Ending, Game, Pause};
use crate::ids::{FactionId, SeatId, SeatSet, Turn};
use crate::input::{Order, Ruling};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::refusal::Refusal;
use crate::skill::Held;
use crate::world::{Face, Hit, World};

/// How long a window lasts that a rewind opens again, in minutes, where times of day have
/// passed.
const AGAIN_MINUTES: i64 = 30;

/// A minute in milliseconds.
const MINUTE: i64 = 60_000;

/// A day in milliseconds.
const DAY: i64 = 24 * 60 * MINUTE;

/// The longest extension: what is longer is a slip, and would keep the game from ending.
const LONGEST: i64 = 30 * DAY;

impl Game {
    pub(crate) fn obey(&mut self, order: &Order) -> Result<(), Refusal> {
        match order {
            Order::Start => return self.start(),
            Order::End(faction) => {
                let known = |f: &FactionId| f.index() < self.board.factions.len();
                if faction.as_ref().is_some_and(|f| !known(f)) {
                    return Err(Refusal::NotOnBoard);
                }
                let ending = match faction {
                    Some(f) => Ending::Won {
                        factions: vec![*f],
                        seats: SeatSet::EMPTY,
                    },
                    None => Ending::Stopped,
                };
                self.end(ending);
                return Ok(());
            }
            Order::Resume => return self.resume(),
            Order::Announce(text) => {
                self.tell(Notice::public("director/says").with("text", Arg::Text(text.clone())));
                return Ok(());
            }
            _ => self.running()?,
        }
        match order {
            Order::Next => self.next_window(),
            Order::CloseDoor => self.close_door(),
            Order::OpenDoor => self.force_door(),
            Order::SpeedUp => self.by_day(Self::speed_up),
            Order::Extend(ms) => {
                let waits = self.kept.deadline.is_some() || self.calendar().is_none();
                if !waits || !(1..=LONGEST).contains(ms) {
                    return Err(Refusal::OrderNotNow);
                }
                self.extend(*ms);
                Ok(())
            }
            Order::Pause => {
                self.pause();
                Ok(())
            }
            Order::Card {
                seat,
                colour,
                reason,
            } => {
                let _ = self.seat(*seat).ok_or(Refusal::NoSuchSeat)?;
                self.give_card(*seat, *colour, Arg::Text(reason.clone()));
                Ok(())
            }
            Order::Rewind => self.rewind(),
            Order::Rule { ruling, reason } => self.rule(ruling, reason),
            Order::Start | Order::End(_) | Order::Resume | Order::Announce(_) => Ok(()),
        }
    }

    fn next_window(&mut self) -> Result<(), Refusal> {
        if self.kept.unsettled {
            self.kept.unsettled = false;
            self.settle_dusk();
            return Ok(());
        }
        if self.world.window.is_none() {
            return Err(Refusal::OrderNotNow);
        }
        self.close_window();
        Ok(())
    }

    fn close_door(&mut self) -> Result<(), Refusal> {
        if !self.vote_window_open() {
            return Err(Refusal::OrderNotNow);
        }
        self.next_window()
    }

    /// 开门: windows close one after another until a door opens.
    fn force_door(&mut self) -> Result<(), Refusal> {
        let open = |game: &Self| {
            game.kept.awaiting.is_some()
                || game.kept.ending.is_some()
                || (game.world.phase.kind == PhaseKind::Day && game.world.window.is_some())
        };
        if open(self) {
            return Err(Refusal::OrderNotNow);
        }
        if self.kept.unsettled {
            self.next_window()?;
        }
        let start = self.world.phase;
        for _ in 0..self.board.windows.len() * 2 {
            let election_began =
                self.world.phase.kind == PhaseKind::Election && self.world.phase != start;
            if open(self) || election_began {
                break;
            }
            self.close_window();
        }
        Ok(())
    }

    fn by_day(&mut self, act: impl FnOnce(&mut Self)) -> Result<(), Refusal> {
        if self.world.phase.kind != PhaseKind::Day || self.world.window.is_none() {
            return Err(Refusal::OrderNotNow);
        }
        act(self);
        Ok(())
    }

    // --- pause ------------------------------------------------------------------------------

    fn pause(&mut self) {
        let left = self.kept.deadline.map(|d| d.since(self.now));
        self.kept.paused = Some(Pause { left });
        self.thread_changed();
        self.tell(Notice::public("day/paused"));
    }

    /// 继续: windows go on with what was left of them, and later ones move along; a door-close
    /// that passed moves to the next day; the door opens by the clock (G27).
    fn resume(&mut self) -> Result<(), Refusal> {
        let Some(Pause { left }) = self.kept.paused.take() else {
            return Err(Refusal::OrderNotNow);
        };
        let window = self.world.window;
        let kind = window.map(|w| self.board.windows[w.index()].kind);
        let by_clock = window.is_some_and(|w| {
            self.calendar()
                .is_some_and(|c| matches!(c.ends[w.index()], crate::board::End::At(_)))
        });
        if by_clock && kind.is_some_and(WindowKind::is_vote) {
            self.kept.deadline = self.kept.deadline.map(|deadline| {
                let late = self.now.since(deadline);
                let days = if late < 0 { 0 } else { late / DAY + 1 };
                deadline.plus_ms(days.saturating_mul(DAY))
            });
        } else if let Some(left) = left.filter(|_| !by_clock || kind != Some(WindowKind::Rest)) {
            let deadline = self.now.plus_ms(left.max(1));
            let moved = self.kept.deadline.map_or(0, |d| deadline.since(d));
            self.kept.deadline = Some(deadline);
            if by_clock {
                self.kept.shift = self.kept.shift.saturating_add(moved);
            }
            self.kept.early = self.kept.early.map(|e| e.plus_ms(moved));
        }
        self.thread_changed();
        self.tell(Notice::public("day/resumed").with("until", Arg::Time(self.kept.deadline)));
        Ok(())
    }

    // --- cards ------------------------------------------------------------------------------

    /// Gives a card: a tag, told and published; so many of one colour become the next at once
    /// where the board says so (G20). A red card ends the seat's rights (G19).
    pub(crate) fn give_card(&mut self, seat: SeatId, colour: Colour, reason: Arg) {
        let board = Arc::clone(&self.board);
        self.kept.cards.push((seat, colour));
        self.lay_card(seat, colour);
        self.tell(
            Notice::to(seat, "penalty/you")
                .with("colour", Arg::Colour(colour))
                .with("reason", reason.clone()),
        );
        self.tell(
            Notice::public("penalty/public")
                .with("seat", Arg::Seat(seat))
                .with("colour", Arg::Colour(colour))
                .with("reason", reason),
        );
        let next = match colour {
            Colour::Blue => Some(Colour::Yellow),
            Colour::Yellow => Some(Colour::Red),
            Colour::Red => None,
        };
        match (next, board.penalties.merge) {
            (Some(next), Some(n)) => {
                let same = self
                    .kept
                    .cards
                    .iter()
                    .filter(|c| **c == (seat, colour))
                    .count();
                if same >= usize::from(n) {
                    self.kept.cards.retain(|c| *c != (seat, colour));
                    self.lift_cards(seat, colour);
                    self.give_card(seat, next, Arg::Text("merged".to_owned()));
                }
            }
            (None, _) => {
                self.count_red_cards(seat);
                self.send_off(seat);
            }
            _ => {}
        }
    }

    fn lay_card(&mut self, seat: SeatId, colour: Colour) {
        let state = self
            .board
            .states
            .iter()
            .position(|s| s.card == Some(colour));
        if let Some(state) = state {
            self.lay(seat, crate::StateId::at(state), None, None, None);
        }
    }

    fn lift_cards(&mut self, seat: SeatId, colour: Colour) {
        if let Some(state) = self
            .board
            .states
            .iter()
            .position(|s| s.card == Some(colour))
        {
            self.lift(seat, crate::StateId::at(state));
        }
    }

    /// A red card: rights end at once, the badge among them; while a vote is open the going-out
    /// settles with it, otherwise at once (G19).
    fn send_off(&mut self, seat: SeatId) {
        self.world.seats[seat.index()].barred = true;
        self.drop_messages_of(seat);
        self.world.reactions.retain(|r| r.seat != seat);
        self.world.may_speak_last.remove(seat);
        self.destroy_badge(seat);
        if !self.stands(seat) {
            return self.reactions_are_done();
        }
        if self.world.phase.kind == PhaseKind::Day || self.thread().is_some() {
            self.world.sent_off.push(seat);
            self.thread_changed();
        } else {
            self.hit(Hit {
                target: seat,
                harm: Harm::SentOff,
                by: None,
                skill: None,
            });
            self.settle();
            if self.world.phase.kind == PhaseKind::Dusk {
                self.publish_dusk_outs();
            }
            self.reactions_are_done();
        }
    }

    /// Its messages that wait do not count any more; a team whose choice goes with them hears of
    /// it, so that somebody else can choose.
    fn drop_messages_of(&mut self, seat: SeatId) {
        let board = Arc::clone(&self.board);
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.world.intents)
            .into_iter()
            .partition(|i| i.seat == seat);
        self.world.intents = kept;
        for intent in gone {
            let held = Held {
                seat,
                holding: intent.holding,
                skill: intent.skill,
            };
            board.skill_def(intent.skill).code.sent(self, held, None);
            if let Some(group) = self.team_of(seat, intent.skill) {
                let dropped = Notice::group(group, "team/dropped")
                    .with("seat", Arg::Seat(seat))
                    .with("skill", Arg::Skill(intent.skill));
                self.tell(dropped);
            }
        }
    }

    /// Two red cards in one faction: the director is asked whether it forfeits (G14).
    fn count_red_cards(&mut self, seat: SeatId) {
        let faction = self.at(seat).faction;
        let red: SeatSet = self
            .kept
            .cards
            .iter()
            .filter(|(s, c)| *c == Colour::Red && self.at(*s).faction == faction)
            .map(|(s, _)| *s)
            .collect();
        if red.len() >= 2 {
            self.tell(
                Notice::director("director/two-red-cards")
                    .with("faction", Arg::Faction(faction))
                    .with("seats", Arg::Seats(red)),
            );
        }
    }

    // --- rewinding --------------------------------------------------------------------------

    /// 回档: back to the last checkpoint.
    fn rewind(&mut self) -> Result<(), Refusal> {
        if self.world.phase.kind == PhaseKind::Dusk && self.kept.vote_checkpoint.is_some() {
            self.rewind_to_vote()
        } else if self.kept.night_checkpoint.is_some() {
            self.rewind_to_night();
            Ok(())
        } else {
            Err(Refusal::NoCheckpoint)
        }
    }

    /// Back to the beginning of the night: its first window opens again under a new turn.
    pub fn rewind_to_night(&mut self) {
        let Some(world) = self.kept.night_checkpoint.clone() else {
            return;
        };
        self.restore(*world);
        self.kept.vote_checkpoint = None;
        let Some(window) = self.world.window else {
            return;
        };
        self.reopen(window);
    }

    /// Back to the moment before the vote was settled. It is settled anew when the director
    /// goes on (下一步), after whatever was ruled in between.
    fn rewind_to_vote(&mut self) -> Result<(), Refusal> {
        let Some(world) = self.kept.vote_checkpoint.clone() else {
            return Err(Refusal::NoCheckpoint);
        };
        self.restore(*world);
        self.kept.turn = Turn(self.kept.turn.0 + 1);
        self.world.window = None;
        self.kept.deadline = None;
        self.kept.unsettled = true;
        Ok(())
    }

    /// Puts an earlier world in force. Cards stay, and so does what they ended.
    fn restore(&mut self, world: World) {
        self.world = world;
        self.out.retain(|n| n.kind == crate::NoticeKind::Receipt);
        self.kept.awaiting = None;
        self.kept.unsettled = false;
        let board = Arc::clone(&self.board);
        self.world
            .states
            .retain(|r| board.state_def(r.state).card.is_none());
        for (seat, colour) in self.kept.cards.clone() {
            self.lay_card(seat, colour);
        }
        for (seat, colour) in self.kept.cards.clone() {
            if colour == Colour::Red && self.stands(seat) {
                self.world.seats[seat.index()].barred = true;
                self.hit(Hit {
                    target: seat,
                    harm: Harm::SentOff,
                    by: None,
                    skill: None,
                });
            }
        }
        self.settle();
        self.tell(Notice::public("rewound").with("phase", Arg::Phase(self.world.phase)));
    }

    /// Opens a window again: with its whole length, or half an hour where times of day passed;
    /// later windows of the night move along.
    fn reopen(&mut self, window: crate::WindowId) {
        self.kept.shift = 0;
        let ends = self.calendar().map(|c| c.ends[window.index()]);
        if let Some(crate::board::End::At(minutes)) = ends {
            let planned = self.next_time_of_day(minutes);
            let wanted = self.now.plus_minutes(AGAIN_MINUTES);
            // The planned end is tonight's, or (it has passed) tomorrow's.
            let tonight = if planned.since(self.now) > DAY / 2 {
                planned.plus_minutes(-24 * 60)
            } else {
                planned
            };
            self.kept.shift = wanted.since(tonight).max(0);
        }
        self.open_window(window);
    }

    // --- rulings ----------------------------------------------------------------------------

    /// Are the states, skills, factions and roles that it names on the board?
    fn names_the_board(&self, ruling: &Ruling) -> bool {
        let board = &self.board;
        match ruling {
            Ruling::Lay(_, state) | Ruling::Lift(_, state) => state.index() < board.states.len(),
            Ruling::Give(_, skill) | Ruling::Take(_, skill) => skill.index() < board.skills.len(),
            Ruling::Faction(_, faction) => faction.index() < board.factions.len(),
            Ruling::Face(_, faction, role) => {
                faction.index() < board.factions.len() && role.index() < board.roles.len()
            }
            Ruling::PutOut(_)
            | Ruling::BringBack(_)
            | Ruling::Weight(..)
            | Ruling::Tell(..)
            | Ruling::ExtendWindow(_) => true,
        }
    }

    fn rule(&mut self, ruling: &Ruling, reason: &str) -> Result<(), Refusal> {
        if !self.names_the_board(ruling) {
            return Err(Refusal::NotOnBoard);
        }
        let board = Arc::clone(&self.board);
        let known = |seat: &SeatId| self.seat(*seat).map(|_| ()).ok_or(Refusal::NoSuchSeat);
        match ruling {
            Ruling::PutOut(seat) => {
                known(seat)?;
                if !self.stands(*seat) {
                    return Err(Refusal::AlreadySo(*seat));
                }
                self.hit(Hit {
                    target: *seat,
                    harm: Harm::Ruling,
                    by: None,
                    skill: None,
                });
                self.settle();
                if matches!(self.world.phase.kind, PhaseKind::Day | PhaseKind::Dusk) {
                    self.publish_dusk_outs();
                    if self.world.phase.kind == PhaseKind::Day {
                        self.thread_changed();
                    }
                }
                self.check_wins();
            }
            Ruling::BringBack(seat) => {
                known(seat)?;
                if self.stands(*seat) {
                    return Err(Refusal::AlreadySo(*seat));
                }
                self.bring_back(*seat);
            }
            Ruling::Lay(seat, state) => {
                known(seat)?;
                self.lay(*seat, *state, None, None, None);
            }
            Ruling::Lift(seat, state) => {
                known(seat)?;
                if !self.has_state(*seat, *state) {
                    return Err(Refusal::AlreadySo(*seat));
                }
                self.lift(*seat, *state);
            }
            Ruling::Give(seat, skill) => {
                known(seat)?;
                self.grant(*seat, *skill, false);
                self.tell(Notice::to(*seat, "skill/got").with("skill", Arg::Skill(*skill)));
            }
            Ruling::Take(seat, skill) => {
                known(seat)?;
                let held = self.held(*seat, *skill).ok_or(Refusal::AlreadySo(*seat))?;
                self.revoke(held);
                // Who waits for that skill's answer does not wait any longer.
                self.settle();
                if board.skill_def(*skill).usage != Usage::Standing {
                    self.tell(Notice::to(*seat, "skill/lost").with("skill", Arg::Skill(*skill)));
                }
            }
            Ruling::Faction(seat, faction) => {
                known(seat)?;
                self.join_faction(*seat, *faction);
            }
            Ruling::Face(seat, faction, role) => {
                known(seat)?;
                let face = Face {
                    faction: Some(*faction),
                    role: Some(*role),
                    armed: None,
                };
                self.world.seats[seat.index()].faces.push(face);
            }
            Ruling::Weight(seat, weight) => {
                known(seat)?;
                self.world.seats[seat.index()].weight = weight.saturating_sub(100);
            }
            Ruling::Tell(seat, text) => {
                known(seat)?;
                self.tell(
                    Notice::to(*seat, "director/tells").with("text", Arg::Text(text.clone())),
                );
            }
            Ruling::ExtendWindow(minutes) => {
                let ms = i64::from(*minutes) * MINUTE;
                let deadline = self.kept.deadline.filter(|_| ms <= LONGEST);
                let deadline = deadline.ok_or(Refusal::OrderNotNow)?;
                self.kept.deadline = Some(deadline.plus_ms(ms));
                self.kept.early = None;
                if self.vote_window_open() {
                    self.thread_changed();
                }
            }
        }
        let _ = reason;
        Ok(())
    }

    /// Coming back clears what the going-out brought: who it was announced with, reactions, the
    /// surrender of rights, a red card. Other states that lay on it stay (m217 §出局).
    fn bring_back(&mut self, seat: SeatId) {
        self.undo_out(seat);
        let me = &mut self.world.seats[seat.index()];
        me.barred = false;
        let faction = me.faction;
        self.kept.cards.retain(|c| *c != (seat, Colour::Red));
        self.lift_cards(seat, Colour::Red);
        if !self.surrendered(faction) {
            self.world.lost.retain(|f| *f != faction);
        }
        self.thread_changed();
        self.tell(Notice::to(seat, "back/you"));
        self.tell_public(Notice::public("back/public").with("seat", Arg::Seat(seat)));
    }
}
