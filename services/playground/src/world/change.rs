//! What can be done to the world, and what is to be told of it.

use protocol::{ChatGroup, UserId};
use serde::{Deserialize, Serialize};

use super::membership::{Founding, GroupChange, Verdict};
use super::people::Newcomer;
use super::tables::{Pace, Table};

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// Places in the order of all chats are set aside.
    Reserve {
        /// Up to and including this one.
        upto: u64,
    },
    /// People come into the world, or change their nickname.
    Register {
        /// Who.
        people: Vec<Newcomer>,
    },
    /// Someone becomes the bot's friend, or is no longer.
    Befriend {
        /// Who.
        user: UserId,
        /// Friend from now on.
        friend: bool,
    },
    /// Groups are made: all of them, or none.
    Found(Vec<Founding>),
    /// Something happens in a group.
    InGroup {
        /// Which.
        group: ChatGroup,
        /// What.
        change: GroupChange,
    },
    /// A request to join is answered.
    Settle {
        /// The request's flag.
        flag: String,
        /// Who answers.
        by: UserId,
        /// How.
        verdict: Verdict,
    },
    /// A visitor sits down.
    Seat {
        /// The visitor's session.
        token: String,
        /// The table.
        table: Table,
    },
    /// A visitor wants it faster or slower.
    SetPace {
        /// The visitor's session.
        token: String,
        /// How fast.
        pace: Pace,
    },
    /// A visitor's game is over for good; the bots go home.
    Rise {
        /// The visitor's session.
        token: String,
    },
}

/// Why someone is no longer in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Departure {
    /// Went.
    Left,
    /// Was removed.
    Kicked {
        /// By whom.
        by: UserId,
    },
}

/// Something that the other side and the pages are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Happening {
    /// A new friend of the bot.
    Befriended {
        /// Who.
        user: UserId,
    },
    /// People or groups came into the world under these numbers.
    Made {
        /// The people.
        people: Vec<UserId>,
        /// The groups.
        groups: Vec<ChatGroup>,
    },
    /// Someone asks to join.
    Asked {
        /// Which group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// What they wrote.
        comment: String,
        /// The request's name.
        flag: String,
    },
    /// A request was turned down.
    TurnedDown {
        /// Which group.
        group: ChatGroup,
        /// Who had asked.
        user: UserId,
        /// What they were told.
        reason: String,
    },
    /// A member came.
    Joined {
        /// Which group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// Who let them in; themselves where the door stands open.
        by: UserId,
    },
    /// A member went.
    Departed {
        /// Which group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// How.
        how: Departure,
    },
    /// A card changed.
    Carded {
        /// Which group.
        group: ChatGroup,
        /// Whose.
        user: UserId,
        /// From.
        old: String,
        /// To.
        new: String,
    },
    /// A group has a new name.
    Renamed {
        /// Which group.
        group: ChatGroup,
        /// By whom.
        by: UserId,
        /// The name.
        name: String,
    },
    /// A member was muted or may speak again.
    Muted {
        /// Which group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// For so many seconds; 0: may speak again.
        seconds: u64,
    },
    /// Everybody was muted or may speak again.
    AllMuted {
        /// Which group.
        group: ChatGroup,
        /// By whom.
        by: UserId,
        /// Muted from now on.
        on: bool,
    },
    /// A member became administrator or is one no more.
    Ranked {
        /// Which group.
        group: ChatGroup,
        /// Who.
        user: UserId,
        /// Administrator from now on.
        admin: bool,
    },
    /// A table was laid, changed or cleared.
    TableChanged,
}
