//! Why something typed does not count, and the template that says so.

use rules::book::Refusal;
use serde::{Deserialize, Serialize};
use texts::phrases::vote_refusal;

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
    /// It was typed where others read it, and this vote is secret (R1).
    InPrivate,
    /// It was sent in private, where this board does not vote.
    InPublic,
    /// People still sign up: nobody votes on anything yet.
    NotDealt,
}

impl Reason {
    /// The template for it.
    pub fn key(self) -> &'static str {
        match self {
            Self::Book(why) => vote_refusal(why),
            Self::NoVote => "vote/no-vote",
            Self::Form => "vote/form",
            Self::NoTarget => "vote/no-target",
            Self::Several => "vote/several",
            Self::Unknown => "vote/unknown",
            Self::InPrivate => "vote/in-private",
            Self::InPublic => "vote/in-public",
            Self::NotDealt => "answer/not-dealt",
        }
    }

    /// Its name for those who count refusals: the template's, without the theme.
    pub fn name(self) -> &'static str {
        let key = self.key();
        key.split_once('/').map_or(key, |(_, name)| name)
    }
}
