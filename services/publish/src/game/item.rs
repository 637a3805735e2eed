//! One message on its way to one scene.

use protocol::{ChatGroup, MessageRef, SayKind, SendKey, UserId};
use rules::{SeatId, SeatSet};
use serde::{Deserialize, Serialize};

/// A message and how it is meant: enough to send it elsewhere, later, or again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// The name of its first send; sends after it add a number.
    pub base: String,
    /// How often it has been sent.
    pub sends: u16,
    /// Its place in the order in which things are said.
    pub place: u64,
    /// For whom.
    pub reader: Reader,
    /// The words.
    pub text: String,
    /// What it quotes.
    pub reply: Option<MessageRef>,
    /// What kind of saying it is.
    pub kind: SayKind,
    /// Where it comes from.
    pub origin: Origin,
    /// Is it marked as a repeat, because nobody knows what became of it?
    pub repeat: bool,
}

/// Who is to read it. The scene is found anew each time: a seat may have passed to somebody
/// else, a stranger may have come into a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Reader {
    /// Whoever plays the seat, in private.
    Seat(SeatId),
    /// A person, in private.
    User(UserId),
    /// Somebody who directs the game, in private, as long as they do.
    Director(UserId),
    /// The square.
    Square,
    /// Those of a private group who are in its chat group.
    Room {
        /// The private group.
        name: String,
        /// Whom it reaches there.
        seats: SeatSet,
    },
    /// A group that is neither, before the game has a roster.
    Group(ChatGroup),
}

/// Where a message comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Origin {
    /// Some service says it.
    Said,
    /// Publish's own: trouble with other messages. Trouble with these is not told any more.
    Trouble,
}

impl Item {
    /// The name of the next send.
    pub fn key(&self) -> SendKey {
        SendKey(match self.sends {
            0 => self.base.clone(),
            n => format!("{}~{n}", self.base),
        })
    }

    /// Must it reach its reader?
    pub fn is_notice(&self) -> bool {
        self.kind == SayKind::Notice
    }
}

impl Reader {
    /// The reader as part of a send's name.
    pub fn word(&self) -> String {
        match self {
            Self::Seat(seat) => format!("s{seat}"),
            Self::User(user) => format!("u{user}"),
            Self::Director(user) => format!("d{user}"),
            Self::Square => "square".to_owned(),
            Self::Room { .. } => "room".to_owned(),
            Self::Group(group) => format!("g{group}"),
        }
    }
}
