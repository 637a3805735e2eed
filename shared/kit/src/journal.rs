//! What a journal entry looks like: a small JSON with the input of a step and what it brought
//! about. Replays, the record at the end of a game and support read it.

use protocol::MessageId;
use serde::{Deserialize, Serialize};

/// The version of the format that this build writes.
pub const FORMAT: u32 = 1;

/// One step of an aggregate, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry<I> {
    /// The format's version.
    #[serde(rename = "v")]
    pub format: u32,
    /// The message that was handled.
    pub id: MessageId,
    /// The chat message or deadline that it is all about.
    pub trace: String,
    /// The input.
    pub input: I,
    /// What [`Effects::log`](crate::Effects::log) said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<serde_json::Value>,
}
