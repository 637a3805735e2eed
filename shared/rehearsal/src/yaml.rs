//! YAML as the format needs it: texts, lists and maps in the order of the file, with places.
//!
//! Numbers and truth values are texts here: whether `3` is a die, an alias or a weight depends
//! on where it stands.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Spanned, UserMessageFormatter};

use crate::unreadable::{Place, Unreadable, Wrong};

/// A node of the file.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) at: Place,
    pub(crate) shape: Shape,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Shape {
    Nothing,
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// Reads a text as one document. A key that stands twice in a map is an error.
pub(crate) fn parse(text: &str) -> Result<Node, Unreadable> {
    let options = serde_saphyr::options! {
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        underscored_numbers_as_strings: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| Unreadable::Yaml(error.render_with_formatter(&UserMessageFormatter)))
}

impl Node {
    pub(crate) fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong::new(self.at, message)
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Nothing => "nothing",
            Shape::Text(_) => "a text",
            Shape::List(_) => "a list",
            Shape::Map(_) => "a map",
        }
    }

    /// The text that it must be; `what` says of what, for the message.
    pub(crate) fn text(&self, what: &str) -> Result<&str, Wrong> {
        match &self.shape {
            Shape::Text(text) => Ok(text),
            _ => Err(self.wrong(format!("{what} must be a text, this is {}", self.kind()))),
        }
    }

    /// The list that it must be.
    pub(crate) fn list(&self, what: &str) -> Result<&[Node], Wrong> {
        match &self.shape {
            Shape::List(list) => Ok(list),
            _ => Err(self.wrong(format!("{what} must be a list, this is {}", self.kind()))),
        }
    }

    /// The map that it must be.
    pub(crate) fn map(&self, what: &str) -> Result<&[(String, Node)], Wrong> {
        match &self.shape {
            Shape::Map(map) => Ok(map),
            _ => Err(self.wrong(format!("{what} must be a map, this is {}", self.kind()))),
        }
    }

    /// Its items, or itself as the only one.
    pub(crate) fn one_or_more(&self) -> &[Node] {
        match &self.shape {
            Shape::List(list) => list,
            _ => std::slice::from_ref(self),
        }
    }

    /// A text, or a list of them.
    pub(crate) fn texts(&self, what: &str) -> Result<Vec<String>, Wrong> {
        self.one_or_more()
            .iter()
            .map(|node| node.text(what).map(str::to_owned))
            .collect()
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<Shape>::deserialize(deserializer)?;
        Ok(Self {
            at: Place {
                line: spanned.referenced.line(),
                column: spanned.referenced.column(),
            },
            shape: spanned.value,
        })
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text, a list or a map")
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Shape, E> {
        Ok(Shape::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Shape, E> {
        Ok(Shape::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        let mut list = Vec::new();
        while let Some(node) = seq.next_element()? {
            list.push(node);
        }
        Ok(Shape::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Shape::Map(entries))
    }
}
