//! What a book is asked, and what it answers.

use serde::{Deserialize, Serialize};

use super::thread::{Ballot, Choice};
use crate::ids::{SeatId, Stamp};

/// The name of a post, by which a reply finds it. Opaque.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PostId(pub String);

/// What a vote post is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PostKind {
    /// 投票.
    First,
    /// 改票.
    Change {
        /// Is it a reply to one of the seat's own vote posts of this thread? Chat platforms lose
        /// reply links, so one that is none is asked about and not thrown away (G7).
        reply_to_own: bool,
    },
    /// 代投: the director casts or changes the seat's ballot.
    ByHand,
}

/// A vote post of the prescribed form, or the director's 代投.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VotePost {
    /// Whose ballot.
    pub voter: SeatId,
    /// What it is.
    pub kind: PostKind,
    /// For whom.
    pub choice: Choice,
    /// When it was sent.
    pub at: Stamp,
    /// Its name in the square; `None` when it is no post there.
    pub id: Option<PostId>,
}

/// What a book answers to a vote post or to 确认.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub enum Answer {
    /// The seat's ballot is in: its first, or one in place of a void one (G19).
    Taken(Ballot),
    /// The seat's ballot was changed.
    Changed {
        /// As it counts now.
        ballot: Ballot,
        /// How many changes the seat has left; `None`: any number.
        left: Option<u8>,
    },
    /// A change that would count, were it a reply to the seat's own vote post: it counts once
    /// the seat says 确认.
    NeedsConfirm,
    /// It does not count.
    Refused(Refusal),
}

/// Why a post does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// It was sent before this thread began.
    #[error("sent before the vote began")]
    TooEarly,
    /// It was sent after door-close, or came when the book was closed (G25).
    #[error("too late, the vote has ended")]
    TooLate,
    /// The game is paused (G27).
    #[error("the game is paused")]
    Paused,
    /// The seat may not vote in this thread.
    #[error("not a voter of this thread")]
    NotAVoter,
    /// The target is out, sent off, or no candidate.
    #[error("the target cannot be voted for")]
    NotChoosable,
    /// 弃权 by a seat that must vote (R2).
    #[error("this seat cannot abstain")]
    MustVote,
    /// 投票 by a seat that has voted; a change would have to be a 改票.
    #[error("the seat has voted already")]
    AlreadyVoted,
    /// 改票 by a seat that has not voted.
    #[error("there is no vote to change")]
    NothingToChange,
    /// No changes left.
    #[error("the seat has used up its changes")]
    ChangesUsedUp,
    /// The last hour: no changes any more (G7).
    #[error("too late for a change")]
    TooLateForChange,
    /// The last hour: no 代投 any more (G7).
    #[error("too late for a vote by the director's hand")]
    TooLateByHand,
    /// No changes while a speed-up is in force (G7).
    #[error("no changes while the day is sped up")]
    SpedUp,
    /// A later post has taken its place already.
    #[error("overtaken by a later post")]
    Overtaken,
    /// 确认 without a question that is open.
    #[error("nothing to confirm")]
    NothingToConfirm,
}
