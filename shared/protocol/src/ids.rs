//! Names of people, places, games and shards.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.0)
            }
        }
    };
}

number! {
    /// The chat account that Duskgate speaks and listens with (OneBot `self_id`).
    AccountId
}
number! {
    /// A person's chat id. It means something only together with an [`AccountId`].
    UserId
}
number! {
    /// A chat group's id. It means something only together with an [`AccountId`].
    ChatGroup
}

/// A game: the account it is played on and its number there, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId {
    /// The account that speaks and listens for the game.
    pub account: AccountId,
    /// The game's number on that account; people see it.
    pub number: u32,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.account, self.number)
    }
}

/// A text that is no [`GameId`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadGameId(pub String);

impl fmt::Display for BadGameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a game id (account-number): {:?}", self.0)
    }
}

impl std::error::Error for BadGameId {}

impl FromStr for GameId {
    type Err = BadGameId;

    fn from_str(text: &str) -> Result<Self, BadGameId> {
        let bad = || BadGameId(text.to_owned());
        let (account, number) = text.split_once('-').ok_or_else(bad)?;
        Ok(Self {
            account: AccountId(account.parse().map_err(|_| bad())?),
            number: number.parse().map_err(|_| bad())?,
        })
    }
}

impl Serialize for GameId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}

/// How many shards there are. A constant: games keep their shard for life.
pub const SHARDS: u8 = 16;

/// One of the [`SHARDS`] parts into which queues and keys are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shard(u8);

impl Shard {
    /// The shard of an aggregate's key (a game id, an account, a pool). FNV-1a, so that every
    /// build and machine agrees.
    pub fn of(key: &str) -> Self {
        let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        // Fold the high bits in: the low ones alone mix badly for short keys.
        let mixed = hash ^ (hash >> 32);
        Self(u8::try_from(mixed % u64::from(SHARDS)).unwrap_or(0))
    }

    /// Every shard, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SHARDS).map(Self)
    }

    /// Its number, from 0.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}", self.0)
    }
}

/// Where something is said: a group or one person's private chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scene {
    /// A group.
    Group(ChatGroup),
    /// The private chat with a person.
    Private(UserId),
}

/// The platform's name of a message. Opaque; unique only within an account, scene and peer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageRef(pub String);

impl fmt::Display for MessageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
