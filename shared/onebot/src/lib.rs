//! `OneBot` v11 as it is in the wild: tolerant types of our own for what a chat side sends, and
//! strict ones for what is sent to it.
//!
//! Invariants: nothing that arrives as JSON is refused for being unknown; unknown events, fields
//! and segments are kept. Where a message belongs is decided by its `message_type` alone, never by
//! the presence of a group id. A private send has no place for a group id.

mod action;
mod answer;
pub mod cq;
pub mod data;
mod event;
mod fields;
mod frame;
mod id;
mod message;
mod refusal;
mod token;

pub use action::{Action, HistoryStart};
pub use answer::{Answer, Outcome};
pub use event::{Chat, ChatMessage, Departure, Event, EventKind, Meta, Notice, Request, Sender};
pub use fields::Fields;
pub use frame::{Call, Frame, FrameError};
pub use id::Id;
pub use message::{Message, Piece, Segment, Target};
pub use refusal::Refusal;
pub use token::{bearer, same_secret};
