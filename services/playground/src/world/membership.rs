//! What groups are made of: ranks, members, doors, requests, and what can be done in a group.

use protocol::{ChatGroup, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

/// The longest mute, in seconds; the platform takes less than 30 days.
pub const LONGEST_MUTE: u64 = 2_591_999;

/// What someone is in a group. The greater has power over the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// Anybody.
    Member,
    /// An administrator.
    Admin,
    /// The owner.
    Owner,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name that this group shows; empty: the nickname.
    pub card: String,
    /// The rank.
    pub rank: Rank,
    /// When they came.
    pub joined: Time,
    /// May not speak before this instant.
    pub muted_until: Option<Time>,
}

/// How one gets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// By a request that owner or administrator grants.
    #[default]
    Ask,
    /// Anybody walks in.
    Open,
}

/// What became of a request to join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Let in.
    Granted,
    /// Turned down.
    Refused {
        /// What the person is told.
        reason: String,
    },
}

/// A request to join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its name.
    pub flag: String,
    /// Who asks.
    pub user: UserId,
    /// What they wrote.
    pub comment: String,
    /// When.
    pub at: Time,
    /// The answer and who gave it; `None`: not yet.
    pub answer: Option<(UserId, Verdict)>,
}

/// A group that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Founding {
    /// Its number; `None`: the world picks one.
    pub id: Option<ChatGroup>,
    /// Its name.
    pub name: String,
    /// Who owns it.
    pub owner: UserId,
    /// Its administrators.
    pub admins: Vec<UserId>,
    /// Its other members.
    pub members: Vec<UserId>,
    /// How others get in.
    pub door: Door,
}

impl Founding {
    /// Everybody who is to be in it.
    pub fn people(&self) -> impl Iterator<Item = UserId> {
        [self.owner]
            .into_iter()
            .chain(self.admins.iter().copied())
            .chain(self.members.iter().copied())
    }
}

/// Something that is done in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupChange {
    /// Someone asks to join, or walks in where the door is open.
    Join {
        /// Who.
        user: UserId,
        /// What they write.
        comment: String,
    },
    /// Someone goes.
    Leave {
        /// Who.
        user: UserId,
    },
    /// Someone is removed.
    Kick {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// And may not ask again.
        bar: bool,
    },
    /// A card is set; empty takes it away.
    Card {
        /// Whose.
        user: UserId,
        /// By whom.
        by: UserId,
        /// The card.
        card: String,
    },
    /// The group gets a name.
    Rename {
        /// By whom.
        by: UserId,
        /// The name.
        name: String,
    },
    /// Someone is muted.
    Mute {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// For so many seconds; 0: may speak again.
        seconds: u64,
    },
    /// Everybody without rank is muted.
    MuteAll {
        /// By whom.
        by: UserId,
        /// On or off.
        on: bool,
    },
    /// Someone becomes administrator or is one no more.
    Promote {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// Administrator from now on.
        admin: bool,
    },
}

impl GroupChange {
    /// Whom it is about.
    pub fn subject(&self) -> Option<UserId> {
        match self {
            Self::Join { user, .. }
            | Self::Leave { user }
            | Self::Kick { user, .. }
            | Self::Card { user, .. }
            | Self::Mute { user, .. }
            | Self::Promote { user, .. } => Some(*user),
            Self::Rename { .. } | Self::MuteAll { .. } => None,
        }
    }
}

/// A time that someone spent in a group, by the order of all chats; they see what was said in
/// it, also afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stay {
    pub(super) from: u64,
    pub(super) until: Option<u64>,
}

/// What one person can see of a group: what was said while they were in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight(pub(super) Vec<Stay>);

impl Sight {
    /// All that was ever said.
    pub fn everything() -> Self {
        Self(vec![Stay {
            from: 0,
            until: None,
        }])
    }

    /// Could they see what was said at this place in the order of all chats?
    pub fn covers(&self, seq: u64) -> bool {
        let within = |stay: &Stay| stay.from < seq && stay.until.is_none_or(|until| seq < until);
        self.0.iter().any(within)
    }
}
