//! Why something typed does not count, and the template that says so.

use rules::book::Refusal;
use serde::{Deserialize, Serialize};

/// Why an attempt to vote, or a question about votes, came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// The book's own reason.
    Book(Refusal),
    /// There is no vote that it could be for.
    NoVote,
    /// It is not in the prescribed form.
    Form,
    /// It names nobody.
    NoTarget,
    /// It names more than one seat.
    Several,
    /// It names somebody who is not in the game.
    Unknown,
    /// It was sent in private, where this board does not vote.
    InPublic,
}

impl Reason {
    /// The template for it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Book(Refusal::TooEarly) => "vote/too-early",
            Self::Book(Refusal::TooLate) => "vote/too-late",
            Self::Book(Refusal::Paused) => "vote/paused",
            Self::Book(Refusal::NotAVoter) => "vote/not-a-voter",
            Self::Book(Refusal::NotChoosable) => "vote/not-choosable",
            Self::Book(Refusal::AlreadyVoted) => "vote/already-voted",
            Self::Book(Refusal::NothingToChange) => "vote/nothing-to-change",
            Self::Book(Refusal::ChangesUsedUp) => "vote/changes-used-up",
            Self::Book(Refusal::TooLateForChange) => "vote/too-late-for-change",
            Self::Book(Refusal::TooLateByHand) => "vote/too-late-by-hand",
            Self::Book(Refusal::SpedUp) => "vote/sped-up",
            Self::Book(Refusal::Overtaken) => "vote/overtaken",
            Self::Book(Refusal::NothingToConfirm) => "vote/nothing-to-confirm",
            Self::NoVote => "vote/no-vote",
            Self::Form => "vote/form",
            Self::NoTarget => "vote/no-target",
            Self::Several => "vote/several",
            Self::Unknown => "vote/unknown",
            Self::InPublic => "vote/in-public",
        }
    }

    /// Its name for those who count refusals: the template's, without the theme.
    pub fn name(self) -> &'static str {
        let key = self.key();
        key.split_once('/').map_or(key, |(_, name)| name)
    }
}
