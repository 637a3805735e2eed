//! Wins: rules as data, checked in the board's priority order when a list is fixed.

use crate::board::Harm;
use crate::game::{Ending, Game};
use crate::ids::{ClassId, FactionId, RoleId, SeatId, SeatSet, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::{Phase, PhaseKind};

/// A condition over who is in play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cond {
    /// All of them hold.
    All(Vec<Cond>),
    /// One of them holds.
    Any(Vec<Cond>),
    /// Everyone in it is out, and there was someone when the game started.
    AllOut(Who),
    /// Someone in it is in play.
    InPlay(Who),
    /// This faction has lost: it never had a member, everyone in it is out, or it surrendered.
    Lost(FactionId),
    /// As many of the first are in play as of the second, or more.
    AtLeast(Who, Who),
    /// It does not hold.
    Not(Box<Cond>),
    /// This faction has not lost, and every other one that can win has (T2, TP23).
    LastLeft(FactionId),
    /// Everybody in play who is not of this faction has this state.
    AllHave {
        /// The state.
        state: StateId,
        /// The faction whose seats need not have it.
        but: FactionId,
    },
    /// The vote of this day has just been settled.
    VoteOf(u16),
    /// The vote of a day has just been settled, and nobody has gone out since its door opened
    /// (TP10).
    QuietVote,
    /// The seat with this card, now of this faction, was voted out on this day, or went out in
    /// the place of one that was (T2).
    VotedOut {
        /// Of which faction.
        faction: FactionId,
        /// Which card.
        card: RoleId,
        /// On which day.
        day: u16,
    },
    /// Somebody of this faction has got so many marks by this skill, spent ones included (T3).
    Marks {
        /// Of which faction.
        faction: FactionId,
        /// By which skill.
        skill: SkillId,
        /// How many.
        at_least: u8,
    },
    /// So many game days running (a night and the day after it) in which nobody went out,
    /// counted from the first full day after this faction was gone (M8, M16).
    QuietDays {
        /// How many.
        days: u16,
        /// Counted from the first full day after this faction was gone.
        since: FactionId,
    },
}

/// A group of seats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    /// Of this faction.
    pub faction: FactionId,
    /// Of this class by card (G26); `None`: any.
    pub class: Option<ClassId>,
    /// Of this role; `None`: any.
    pub role: Option<RoleId>,
}

/// What a check of wins finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    /// Nobody wins (R4).
    Draw,
    /// This faction wins.
    Won(FactionId),
}

/// What makes a faction win or lose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WinRule {
    /// Whose rule.
    pub faction: FactionId,
    /// It wins when this holds.
    pub wins: Cond,
    /// These win with it, each if someone in it is in play (F7).
    pub also: Vec<Who>,
}

impl Game {
    fn of(&self, who: Who) -> impl Iterator<Item = SeatId> {
        self.all().filter(move |s| {
            self.at(*s).faction == who.faction
                && (who.class.is_none() || self.class(*s) == who.class)
                && who.role.is_none_or(|role| self.at(*s).role == role)
        })
    }

    fn holds(&self, cond: &Cond) -> bool {
        match cond {
            Cond::All(conds) => conds.iter().all(|c| self.holds(c)),
            Cond::Any(conds) => conds.iter().any(|c| self.holds(c)),
            Cond::AllOut(who) => {
                let there_were = match (who.role, who.class) {
                    (Some(role), _) => self
                        .all()
                        .any(|s| self.at(s).card == role && self.at(s).dealt == who.faction),
                    (None, Some(class)) => self.kept.class_sizes[class.index()] > 0,
                    (None, None) => self.kept.started.contains(&who.faction),
                };
                there_were
                    && !self
                        .of(*who)
                        .any(|s| self.stands(s) && !self.counts_as_gone(s))
            }
            Cond::InPlay(who) => self.of(*who).any(|s| self.stands(s)),
            Cond::Lost(faction) => self.has_lost(*faction),
            Cond::AtLeast(a, b) => {
                let count = |who| self.of(who).filter(|s| self.stands(*s)).count();
                count(*a) >= count(*b)
            }
            Cond::Not(cond) => !self.holds(cond),
            Cond::LastLeft(faction) => {
                let others = self.kept.started.iter().filter(|f| *f != faction);
                !self.has_lost(*faction)
                    && others
                        .filter(|f| self.can_win(**f))
                        .all(|f| self.has_lost(*f))
            }
            Cond::AllHave { state, but } => {
                let mut needed = self.all().filter(|s| self.at(*s).faction != *but);
                needed.all(|s| !self.stands(s) || self.has_state(s, *state))
            }
            Cond::VoteOf(day) => self.vote_is_settled() && self.number() == *day,
            Cond::QuietVote => {
                let by_day = |phase: Phase| {
                    matches!(phase.kind, PhaseKind::Day | PhaseKind::Dusk)
                        && phase.number == self.number()
                };
                self.vote_is_settled() && !self.world.outs.iter().any(|o| by_day(o.cause.phase))
            }
            Cond::VotedOut { faction, card, day } => self.world.outs.iter().any(|out| {
                let seat = self.at(out.seat);
                (seat.card, seat.faction) == (*card, *faction)
                    && out.cause.harm == Harm::Vote
                    && out.cause.phase.number == *day
            }),
            Cond::Marks {
                faction,
                skill,
                at_least,
            } => self.all().any(|s| {
                let mut holdings = self.at(s).holdings.iter();
                self.at(s).faction == *faction
                    && holdings.any(|h| h.skill == *skill && h.memory >= i32::from(*at_least))
            }),
            Cond::QuietDays { days, since } => {
                let gone = self.world.gone_on.iter().rev().find(|(f, _)| f == since);
                let after = gone.map_or(0, |(_, day)| *day);
                let last = self.world.quiet_days.last().copied().unwrap_or(0);
                self.has_lost(*since)
                    && last >= after + days
                    && (0..*days).all(|d| self.world.quiet_days.contains(&(last - d)))
                    && last == self.world.phase.number
            }
        }
    }

    /// In play, and yet gone for those who must remove everybody (F13).
    fn counts_as_gone(&self, seat: SeatId) -> bool {
        self.working(seat).any(|(_, def)| def.gone)
    }

    /// Does the board say how this faction can win? A board without win rules leaves that open.
    pub(crate) fn can_win(&self, faction: FactionId) -> bool {
        let rules = &self.board.wins;
        rules.is_empty() || rules.iter().any(|rule| rule.faction == faction)
    }

    fn vote_is_settled(&self) -> bool {
        self.world.phase.kind == PhaseKind::Dusk && !self.kept.unsettled
    }

    fn has_lost(&self, faction: FactionId) -> bool {
        self.world.lost.contains(&faction)
            || !self
                .of(Who {
                    faction,
                    class: None,
                    role: None,
                })
                .any(|s| self.stands(s))
    }

    /// How the game would end if wins were checked now: a draw, or the first in the board's order
    /// of priority.
    pub(crate) fn winner(&self) -> Option<Decided> {
        if self.board.draws.iter().any(|draw| self.holds(draw)) {
            return Some(Decided::Draw);
        }
        let rule = self.board.wins.iter().find(|rule| {
            self.kept.started.contains(&rule.faction)
                && !self.world.lost.contains(&rule.faction)
                && self.holds(&rule.wins)
        });
        rule.map(|rule| Decided::Won(rule.faction))
    }

    /// Checks wins; ends the game when one is there. A faction that had lost at an earlier
    /// check cannot win (G21); one without a member at the start can neither win nor lose.
    pub(crate) fn check_wins(&mut self) {
        if self.kept.ending.is_some() {
            return;
        }
        match self.winner() {
            Some(Decided::Won(faction)) => {
                let rule = self.board.wins.iter().find(|r| r.faction == faction);
                let also = rule.map_or(&[][..], |r| &r.also).iter();
                let with = also.filter(|who| self.of(**who).any(|s| self.stands(s)));
                let factions = std::iter::once(faction).chain(with.map(|w| w.faction));
                return self.end(Ending::Won {
                    factions: factions.collect(),
                    seats: SeatSet::EMPTY,
                });
            }
            Some(Decided::Draw) => return self.end(Ending::Draw),
            None => {}
        }
        for faction in self.kept.started.clone() {
            if self.has_lost(faction) {
                self.lose(faction);
            }
        }
        let standing = self
            .kept
            .started
            .iter()
            .any(|f| self.can_win(*f) && !self.world.lost.contains(f));
        if !standing {
            self.end(Ending::Draw);
        }
    }

    /// Ends the game, publishes what has not been, and reveals everything.
    pub(crate) fn end(&mut self, ending: Ending) {
        self.publish_rest();
        let ending = match ending {
            Ending::Won { factions, .. } => {
                let seats = self
                    .all()
                    .filter(|s| factions.contains(&self.allegiance(*s)))
                    .collect();
                Ending::Won { factions, seats }
            }
            other => other,
        };
        let number = self.world.phase.number;
        self.world.phase = Phase {
            kind: PhaseKind::End,
            number,
        };
        self.world.window = None;
        self.world.reactions.clear();
        self.world.waiting.clear();
        self.world.intents.clear();
        self.kept.deadline = None;
        self.kept.early = None;
        self.kept.awaiting = None;
        let notice = Notice::public("game/over");
        let notice = match &ending {
            Ending::Won { factions, seats } => notice
                .with("factions", Arg::FactionList(factions.clone()))
                .with("winners", Arg::Seats(*seats))
                .with("draw", Arg::Flag(false)),
            Ending::Draw | Ending::Stopped => notice
                .with("factions", Arg::FactionList(Vec::new()))
                .with("winners", Arg::Seats(SeatSet::EMPTY))
                .with("draw", Arg::Flag(ending == Ending::Draw)),
        };
        self.tell(notice);
        let cards = self
            .all()
            .map(|s| (s, self.at(s).card, self.at(s).faction))
            .collect();
        self.tell(Notice::public("game/reveal").with("cards", Arg::Cards(cards)));
        self.kept.ending = Some(ending);
    }

    /// 投降: a member moves its faction's surrender and agrees to it (M9).
    pub(crate) fn move_surrender(&mut self, seat: SeatId) -> Result<(), crate::Refusal> {
        self.running()?;
        let faction = self.may_surrender(seat)?;
        if self.world.surrenders.iter().any(|(f, _)| *f == faction) {
            return self.agree_surrender(seat);
        }
        self.world.surrenders.push((faction, SeatSet::EMPTY));
        self.agree_surrender(seat)
    }

    /// 同意投降; those who are out included (M11).
    pub(crate) fn agree_surrender(&mut self, seat: SeatId) -> Result<(), crate::Refusal> {
        self.running()?;
        let faction = self.may_surrender(seat)?;
        let members = self.asked_to_surrender(faction);
        let Some((_, agreed)) = self
            .world
            .surrenders
            .iter_mut()
            .find(|(f, _)| *f == faction)
        else {
            return Err(crate::Refusal::NoSurrender);
        };
        if !agreed.insert(seat) {
            return Err(crate::Refusal::NoSurrender);
        }
        let left = members.minus(*agreed);
        for member in members.without(seat).iter() {
            self.tell(
                Notice::to(member, "surrender/agreed")
                    .with("seat", Arg::Seat(seat))
                    .with("waiting", Arg::Seats(left))
                    .from(seat),
            );
        }
        self.tell(
            Notice::to(seat, "surrender/taken")
                .with("waiting", Arg::Seats(left))
                .receipt(),
        );
        if left.is_empty() {
            self.lose(faction);
            self.tell(Notice::public("surrender/done").with("faction", Arg::Faction(faction)));
            self.check_wins();
        }
        Ok(())
    }

    fn may_surrender(&self, seat: SeatId) -> Result<FactionId, crate::Refusal> {
        let faction = self.seat(seat).ok_or(crate::Refusal::NoSuchSeat)?.dealt;
        let may = self.board.surrender.contains(&faction) && !self.known_lost(faction);
        may.then_some(faction)
            .ok_or(crate::Refusal::CannotSurrender)
    }

    /// Who is asked for a faction's surrender: those dealt into it, as in its private group. Who
    /// has turned since is not known to them, nor are they to it (m158 §投降).
    fn asked_to_surrender(&self, faction: FactionId) -> SeatSet {
        self.all()
            .filter(|s| self.at(*s).dealt == faction)
            .collect()
    }

    /// Has everybody who is asked agreed to a surrender?
    pub(crate) fn surrendered(&self, faction: FactionId) -> bool {
        let asked = self.asked_to_surrender(faction);
        let mut moved = self.world.surrenders.iter();
        moved.any(|(f, agreed)| *f == faction && asked.minus(*agreed).is_empty())
    }

    /// Does everybody know that it has lost? What is not published yet must not show in who may
    /// surrender.
    fn known_lost(&self, faction: FactionId) -> bool {
        let asked = self.asked_to_surrender(faction);
        self.surrendered(faction) || asked.minus(self.world.announced).is_empty()
    }

    /// A losing condition is met: it cannot win any more (G21), and quiet days count from now
    /// (M8).
    fn lose(&mut self, faction: FactionId) {
        if self.world.lost.contains(&faction) {
            return;
        }
        self.world.lost.push(faction);
        if !self.world.gone_on.iter().any(|(f, _)| *f == faction) {
            let number = self.world.phase.number;
            self.world.gone_on.push((faction, number));
        }
    }
}
