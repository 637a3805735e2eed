//! One seat's page in the book.

use serde::{Deserialize, Serialize};

use super::answer::{Answer, PostId, Refusal, VotePost};
use super::thread::{Ballot, Choice};
use crate::ids::{SeatId, Stamp};

/// How many of its own vote posts a seat can reply to: the newest ones. Where changes are not
/// limited, a page must not grow with them.
const POSTS_KEPT: usize = 16;

/// What the book has of one seat.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Page {
    /// The seat's ballot, void or not.
    pub(super) cast: Option<Cast>,
    /// The change that the seat was last asked to confirm.
    pub(super) asked: Option<VotePost>,
    /// The posts that were taken as votes, oldest first.
    made: Vec<PostId>,
}

/// A ballot with the post that it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cast {
    pub(super) choice: Choice,
    pub(super) at: Stamp,
    pub(super) changes: u8,
    /// `None` when the director cast it.
    pub(super) post: Option<PostId>,
    /// Was the post taken back since?
    pub(super) recalled: bool,
}

impl Page {
    /// Puts the post in the place of the ballot there was; `change` is how many changes that
    /// uses up.
    pub(super) fn write(&mut self, post: &VotePost, change: u8) -> Ballot {
        let changes = self
            .cast
            .as_ref()
            .map_or(0, |cast| cast.changes)
            .saturating_add(change);
        self.made.extend(post.id.clone());
        if self.made.len() > POSTS_KEPT {
            self.made.remove(0);
        }
        let cast = Cast {
            choice: post.choice,
            at: post.at,
            changes,
            post: post.id.clone(),
            recalled: false,
        };
        let ballot = cast.ballot(post.voter);
        self.cast = Some(cast);
        ballot
    }

    /// Remembers a change to ask about, in place of an earlier one.
    pub(super) fn ask(&mut self, post: &VotePost) -> Result<Answer, Refusal> {
        if self
            .asked
            .as_ref()
            .is_some_and(|asked| post.at.before(&asked.at))
        {
            return Err(Refusal::Overtaken);
        }
        self.asked = Some(post.clone());
        Ok(Answer::NeedsConfirm)
    }

    pub(super) fn made(&self, post: &PostId) -> bool {
        self.made.contains(post)
    }
}

impl Cast {
    pub(super) fn ballot(&self, voter: SeatId) -> Ballot {
        Ballot {
            voter,
            choice: self.choice,
            at: self.at,
            changes: self.changes,
        }
    }
}
