//! What the services say to each other: typed, versioned messages, and the names of people,
//! places and games that they carry. No behaviour lives here.
//!
//! Invariant: nothing here knows how a message travels (`bus`) or where state is kept (`store`).

mod ids;
mod line;
mod message;
mod say;
mod services;

pub use ids::{AccountId, ChatGroup, GameId, MessageRef, SHARDS, Scene, Shard, UserId};
pub use line::{Line, Place, Speaker};
pub use message::{Message, MessageId, Service, Topic};
pub use say::{
    Audience, Part, Phrase, PlatformAct, Refused, Say, SayKind, Send, SendKey, SendOutcome,
};
pub use services::{
    Directory, DirectoryGroup, GroupPlan, PoolIn, Roster, RosterSeat, RosterState, ToClock,
    ToIngest, ToNight, ToPublish, ToTally,
};
