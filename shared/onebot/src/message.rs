//! Messages and their segments.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::cq;
use crate::fields::Fields;
use crate::id::Id;

/// A piece of a message: a type and its data. Unknown types and data are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Segment {
    /// What it is: `text`, `at`, `reply`, `face`, `image`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// What belongs to it.
    pub data: Fields,
}

/// Whom an at-segment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Everybody in the group.
    All,
    /// One person.
    User(Id),
}

/// A segment as far as this project cares for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text that was typed, or that the client put there.
    Text(&'a str),
    /// A mention.
    At(Target),
    /// The quote of another message; `None` when the side gave no id.
    Reply(Option<Id>),
    /// A face (表情); some clients send its name as text behind it.
    Face,
    /// Anything else.
    Other,
}

impl Segment {
    /// A segment of any type.
    pub fn new(kind: impl Into<String>, data: Map<String, Value>) -> Self {
        Self {
            kind: kind.into(),
            data: Fields(data),
        }
    }

    /// Plain text; never read for markup.
    pub fn text(text: impl Into<String>) -> Self {
        Self::with("text", "text", Value::from(text.into()))
    }

    /// A mention of one person.
    pub fn at(user: u64) -> Self {
        Self::with("at", "qq", Value::from(user.to_string()))
    }

    /// A quote.
    pub fn reply(message: &Id) -> Self {
        Self::with("reply", "id", Value::from(message.as_str()))
    }

    fn with(kind: &str, name: &str, value: Value) -> Self {
        let mut data = Map::new();
        data.insert(name.to_owned(), value);
        Self::new(kind, data)
    }

    /// What it means to us.
    pub fn piece(&self) -> Piece<'_> {
        match self.kind.as_str() {
            "text" => Piece::Text(self.data.text("text")),
            "at" => match self.data.id("qq") {
                Some(id) if id.as_str() == "all" => Piece::At(Target::All),
                Some(id) => Piece::At(Target::User(id)),
                None => Piece::Other,
            },
            "reply" => Piece::Reply(self.data.id("id")),
            "face" | "mface" | "bface" | "sface" => Piece::Face,
            _ => Piece::Other,
        }
    }

    /// From JSON. What is no object, or has no type, becomes a segment of the empty type that
    /// keeps it.
    fn read(value: &Value) -> Self {
        let fields = Fields::of(value);
        let kind = fields.text("type");
        if kind.is_empty() {
            return Self::with("", "value", value.clone());
        }
        Self {
            kind: kind.to_owned(),
            data: fields.object("data"),
        }
    }
}

/// A message: its segments in order. Reads all three forms of the standard (an array, one
/// segment, a CQ string) and always writes an array.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Message(pub Vec<Segment>);

impl Message {
    /// From JSON in any of the three forms. Anything else is an empty message.
    pub fn read(value: &Value) -> Self {
        match value {
            Value::String(text) => cq::parse(text),
            Value::Array(items) => Self(items.iter().map(Segment::read).collect()),
            Value::Object(_) => Self(vec![Segment::read(value)]),
            _ => Self::default(),
        }
    }

    /// The texts of it, one after the other.
    pub fn plain_text(&self) -> String {
        self.0
            .iter()
            .filter_map(|segment| match segment.piece() {
                Piece::Text(text) => Some(text),
                _ => None,
            })
            .collect()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::read(&Value::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_all_three_forms() {
        let array = Message::read(&json!([{"type": "text", "data": {"text": "你好"}}]));
        let object = Message::read(&json!({"type": "text", "data": {"text": "你好"}}));
        let string = Message::read(&json!("你好"));
        assert_eq!(array, object);
        assert_eq!(array, string);
        assert_eq!(array.plain_text(), "你好");
    }

    #[test]
    fn keeps_what_it_does_not_know() {
        let message = Message::read(&json!([
            {"type": "rps", "data": null},
            {"type": "newthing", "data": {"a": 1}},
            {"type": "dice"},
            7
        ]));
        assert_eq!(message.0[1].data.signed("a"), Some(1));
        assert!(
            message
                .0
                .iter()
                .all(|segment| segment.piece() == Piece::Other)
        );
        assert_eq!(message.0[3].data.signed("value"), Some(7));
    }

    #[test]
    fn a_mention_is_a_whole_id() {
        let at = |qq: Value| Message::read(&json!([{"type": "at", "data": {"qq": qq}}]));
        assert_eq!(at(json!(123)).0[0].piece(), at(json!("123")).0[0].piece());
        assert_ne!(at(json!(123)).0[0].piece(), at(json!(1234)).0[0].piece());
        assert_eq!(at(json!("all")).0[0].piece(), Piece::At(Target::All));
    }

    #[test]
    fn writes_arrays() {
        let message = Message(vec![
            Segment::reply(&Id::new("-5")),
            Segment::at(7),
            Segment::text("[CQ:at,qq=all]"),
        ]);
        assert_eq!(
            serde_json::to_value(&message).unwrap(),
            json!([
                {"type": "reply", "data": {"id": "-5"}},
                {"type": "at", "data": {"qq": "7"}},
                {"type": "text", "data": {"text": "[CQ:at,qq=all]"}}
            ])
        );
    }
}
