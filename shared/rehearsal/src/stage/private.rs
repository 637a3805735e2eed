//! Private messages of seats.

use chat::{Reader, Said};
use rules::SeatId;
use rules::book::{Answer, Choice, PostKind, VotePost};

use super::{Stage, Stop};

/// Does a message that comes before its time wait for it?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// The clock moves to the window in which the skill opens.
    Waits,
    /// It is sent now.
    Now,
}

impl Stage<'_> {
    /// A seat writes to the bot.
    pub(crate) fn write(
        &mut self,
        seat: SeatId,
        message: &str,
        patience: Patience,
    ) -> Result<(), Stop> {
        let message = chat::clean(message);
        let said = chat::read(&message, &self.vocabulary, Reader::Player)
            .map_err(|misread| Stop::Refused(self.words.misread(&misread)))?;
        self.act_for(seat, &said, patience)
    }

    /// A seat says this in private, or the director in its name.
    pub(super) fn act_for(
        &mut self,
        seat: SeatId,
        said: &Said,
        patience: Patience,
    ) -> Result<(), Stop> {
        match said {
            Said::Confirm => return self.confirm(seat),
            // Questions and the diary change nothing in the game.
            Said::Status
            | Said::Help(_)
            | Said::Elevator
            | Said::Ballots
            | Said::Notices
            | Said::Diary(_) => return Ok(()),
            Said::VotePost | Said::Petition => return Err(self.refuse("answer/square-only")),
            Said::Vote { target, .. } => {
                let choice = target.seat().map_or(Choice::Abstain, Choice::Seat);
                return self.vote_in_private(seat, choice);
            }
            Said::Run | Said::Withdraw if !self.has_candidates() => {
                return Err(self.refuse("answer/no-candidacy"));
            }
            Said::Director(_) => return Err(self.refuse("answer/director-only")),
            Said::SignUp(_) | Said::Quit => return Err(self.refuse("answer/already-dealt")),
            Said::Say(_) | Said::Open => return Err(self.refuse("answer/not-here")),
            Said::Run
            | Said::Withdraw
            | Said::Skill { .. }
            | Said::Decline(_)
            | Said::LastWords(_)
            | Said::Surrender
            | Said::AgreeSurrender => {}
        }
        if let (Patience::Waits, Said::Skill { skill, .. } | Said::Decline(Some(skill))) =
            (patience, said)
        {
            self.wait_for_turn(seat, *skill)?;
        }
        match said.act(seat) {
            Some(act) => self.apply(act),
            None => Ok(()),
        }
    }

    fn has_candidates(&self) -> bool {
        let sheriff = self.game.board().sheriff.as_ref();
        sheriff.is_some_and(|s| s.election.candidates)
    }

    /// 确认: the change that the seat was asked about counts.
    fn confirm(&mut self, seat: SeatId) -> Result<(), Stop> {
        let stamp = self.stamp();
        let answer = self.book.as_mut().map(|book| book.confirm(seat, stamp));
        match answer {
            Some(Answer::Taken(_) | Answer::Changed { .. }) => Ok(()),
            Some(Answer::Refused(why)) => Err(Stop::Refused(self.vote_refusal(why, seat, None))),
            None | Some(Answer::NeedsConfirm) => Err(self.refuse("vote/nothing-to-confirm")),
        }
    }

    /// 投: a vote while the vote is secret, or a change of it, which is asked about.
    fn vote_in_private(&mut self, seat: SeatId, choice: Choice) -> Result<(), Stop> {
        let at = self.stamp();
        let Some(book) = self.book.as_mut().filter(|book| book.thread().secret) else {
            return Err(self.refuse("vote/in-public"));
        };
        let voted = book.ballot(seat).is_some_and(|standing| !standing.void);
        let kind = if voted {
            PostKind::Change {
                reply_to_own: false,
            }
        } else {
            PostKind::First
        };
        let answer = book.post(&VotePost {
            voter: seat,
            kind,
            choice,
            at,
            id: None,
        });
        match answer {
            Answer::Taken(_) | Answer::Changed { .. } | Answer::NeedsConfirm => Ok(()),
            Answer::Refused(why) => Err(Stop::Refused(self.vote_refusal(why, seat, Some(choice)))),
        }
    }

    pub(super) fn refuse(&self, key: &str) -> Stop {
        Stop::Refused(self.words.plain(key))
    }
}
