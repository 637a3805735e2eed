//! The director's commands.

use chat::{DirectorCommand, Reader, Said};
use protocol::Phrase;
use rules::book::{Answer, Choice, PostKind, VotePost};
use rules::{Act, SeatId};
use serde_json::json;

use super::private::Patience;
use super::{Stage, Stop};

impl Stage<'_> {
    /// The director gives a command.
    pub(crate) fn direct(&mut self, message: &str) -> Result<(), Stop> {
        let message = chat::clean(message);
        let said = chat::read(&message, &self.vocabulary, Reader::Director)
            .map_err(|misread| Stop::Refused(self.words.misread(&misread)))?;
        match said {
            Said::Director(command) => self.obey(&command),
            Said::Help(_) | Said::Elevator | Said::Ballots | Said::Notices => Ok(()),
            _ => Err(self.refuse("answer/no-seat")),
        }
    }

    fn obey(&mut self, command: &DirectorCommand) -> Result<(), Stop> {
        match command {
            DirectorCommand::Order(order) => self.apply(Act::Director(order.clone())),
            DirectorCommand::VoteFor { voter, target } => {
                let choice = target.seat().map_or(Choice::Abstain, Choice::Seat);
                self.vote_for(*voter, choice)
            }
            DirectorCommand::ActFor { seat, said } => self.act_for(*seat, said, Patience::Now),
            DirectorCommand::Substitute { seat, .. } => self.substitute(*seat),
            DirectorCommand::Hold => {
                self.heard.hold();
                Ok(())
            }
            DirectorCommand::Release(None) => {
                let released = self.heard.release();
                released
                    .then_some(())
                    .ok_or_else(|| self.refuse("director/nothing-held"))
            }
            DirectorCommand::Release(Some(item))
            | DirectorCommand::Reject { item, .. }
            | DirectorCommand::Answer { item, .. } => {
                let phrase = Phrase::new("director/no-item", json!({"item": item}));
                Err(Stop::Refused(self.words.phrase(&phrase)))
            }
            DirectorCommand::Deal => Err(self.refuse("director/already-dealt")),
            // A coach and answers to the director change nothing in the game.
            DirectorCommand::Coach { .. }
            | DirectorCommand::Remind
            | DirectorCommand::Reckoning
            | DirectorCommand::State => Ok(()),
        }
    }

    /// 代投.
    fn vote_for(&mut self, voter: SeatId, choice: Choice) -> Result<(), Stop> {
        let at = self.stamp();
        let Some(book) = &mut self.book else {
            return Err(self.refuse("director/no-vote-open"));
        };
        let answer = book.post(&VotePost {
            voter,
            kind: PostKind::ByHand,
            choice,
            at,
            id: None,
        });
        match answer {
            Answer::Taken(_) | Answer::Changed { .. } => Ok(()),
            Answer::NeedsConfirm => Err(self.refuse("director/no-vote-open")),
            Answer::Refused(why) => Err(Stop::Refused(self.vote_refusal(why, voter, Some(choice)))),
        }
    }

    /// 替补: another person plays the seat as it is; once a seat (m158 §替补).
    fn substitute(&mut self, seat: SeatId) -> Result<(), Stop> {
        if self.substituted.insert(seat) {
            Ok(())
        } else {
            let seat = self.words.seat(seat);
            let phrase = Phrase::new("refusal/already-so", json!({"seat": seat}));
            Err(Stop::Refused(self.words.phrase(&phrase)))
        }
    }
}
