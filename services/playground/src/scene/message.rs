//! One message.

use std::collections::{BTreeMap, BTreeSet};

use protocol::UserId;
use rules::Time;
use serde::{Deserialize, Serialize};

use super::number::MessageNumber;

/// The longest message, in characters. Far more than the platform takes, so that tests can send
/// what is too long for the other side.
pub const TEXT_LIMIT: usize = 20_000;

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Piece {
    /// Text.
    Text(String),
    /// A mention.
    At(UserId),
    /// A mention of everybody.
    AtAll,
    /// A bundle of forwarded messages.
    Bundle(Vec<Node>),
    /// Something that the stand-in only carries: a picture, a face, …
    Other {
        /// Its type.
        kind: String,
        /// What belongs to it.
        data: serde_json::Map<String, serde_json::Value>,
    },
}

/// One message in a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// The name it stands under.
    pub name: String,
    /// What it says.
    pub text: String,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its place in the order of all chats.
    pub seq: u64,
    /// Its sequence number within the chat, counted from 1 without gaps.
    pub real: u64,
    /// Who said it.
    pub from: UserId,
    /// When.
    pub at: Time,
    /// What.
    pub pieces: Vec<Piece>,
    /// The place of the message that it quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<u64>,
    /// The place of the newest step that changed it afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<u64>,
    /// Who took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled_by: Option<UserId>,
    /// Reactions: which face, by whom.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reactions: BTreeMap<String, BTreeSet<UserId>>,
}

impl Message {
    /// Its number on the platform.
    pub fn number(&self) -> MessageNumber {
        MessageNumber::at(self.seq)
    }

    /// It as people read it; `name` knows what a mentioned person is called.
    pub fn text(&self, name: impl Fn(UserId) -> String) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(words) => text.push_str(words),
                Piece::At(user) => {
                    text.push('@');
                    text.push_str(&name(*user));
                    text.push(' ');
                }
                Piece::AtAll => text.push_str("@全体成员 "),
                Piece::Bundle(nodes) => {
                    for (nth, node) in nodes.iter().enumerate() {
                        if nth > 0 {
                            text.push('\n');
                        }
                        text.push_str(&node.text);
                    }
                }
                Piece::Other { kind, .. } => {
                    text.push('[');
                    text.push_str(match kind.as_str() {
                        "image" => "图片",
                        "face" => "表情",
                        _ => "不支持的消息",
                    });
                    text.push(']');
                }
            }
        }
        text
    }
}
