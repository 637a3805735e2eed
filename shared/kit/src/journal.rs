//! What a journal entry looks like: a small JSON with the input of a step and what it brought
//! about. Replays, the record at the end of a game and support read it.

use protocol::MessageId;
use serde::de::DeserializeOwned;
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

impl<I: DeserializeOwned> Entry<I> {
    /// Reads an entry; the error says what is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let entry: Self = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if entry.format > FORMAT {
            return Err(format!(
                "it has format {}, this release reads up to {FORMAT}",
                entry.format
            ));
        }
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_small_and_read_back() {
        let entry = Entry {
            format: FORMAT,
            id: MessageId("m1".to_owned()),
            trace: "t".to_owned(),
            input: 7,
            log: None,
        };
        let bytes = serde_json::to_vec(&entry).unwrap();
        assert_eq!(bytes, br#"{"v":1,"id":"m1","trace":"t","input":7}"#);
        assert_eq!(Entry::read(&bytes), Ok(entry));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let newer = br#"{"v":2,"id":"m1","trace":"t","input":7}"#;
        assert_eq!(
            Entry::<u8>::read(newer),
            Err("it has format 2, this release reads up to 1".to_owned())
        );
        assert!(Entry::<u8>::read(b"\0").is_err());
    }
}
