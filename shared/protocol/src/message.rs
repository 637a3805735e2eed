//! The envelope in which messages travel.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ids::Shard;

/// A service that owns aggregates and a queue a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Service {
    /// The bridge to chat.
    Ingest,
    /// Ballot books, posts, petitions.
    Tally,
    /// The referee.
    Night,
    /// What is said to whom, and the pool of groups.
    Publish,
    /// Deadlines.
    Clock,
    /// The stand-in for QQ.
    Playground,
}

impl Service {
    /// Every service.
    pub const ALL: [Self; 6] = [
        Self::Ingest,
        Self::Tally,
        Self::Night,
        Self::Publish,
        Self::Clock,
        Self::Playground,
    ];

    /// Its name, as in queue names and sections of the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ingest => "ingest",
            Self::Tally => "tally",
            Self::Night => "night",
            Self::Publish => "publish",
            Self::Clock => "clock",
            Self::Playground => "playground",
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where a message goes: one service's queue of one shard, named `duskgate.<service>.<shard>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Topic {
    /// Whose queue.
    pub service: Service,
    /// Which shard of it.
    pub shard: Shard,
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "duskgate.{}.{}", self.service, self.shard)
    }
}

/// The name of a message. A message with a name that an aggregate has already handled is
/// answered as done: repeats change nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub String);

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A message on the bus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Its name, for idempotency.
    pub id: MessageId,
    /// The chat message (or deadline) that all this is about: one id through all services.
    pub trace: String,
    /// Where it goes.
    pub to: Topic,
    /// The aggregate it is for: a game id, `account:<id>` or `pool:<account>`. Empty: for the
    /// service itself (watermarks, nudges); such messages carry no durable meaning and are not
    /// committed.
    pub key: String,
    /// JSON of the receiving service's input type ([`crate::ToNight`] for night, and so on).
    pub body: String,
}
