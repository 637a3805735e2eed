//! The fields of a JSON object, read without ever failing.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::Id;

/// A JSON object whose fields may be missing, null, or of another type than the standard says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fields(pub Map<String, Value>);

impl Fields {
    /// The fields of an object; no fields for anything else.
    pub fn of(value: &Value) -> Self {
        Self(value.as_object().cloned().unwrap_or_default())
    }

    /// A field as it is.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A field as an id.
    pub fn id(&self, name: &str) -> Option<Id> {
        self.value(name).and_then(Id::read)
    }

    /// A field as a person's or group's number.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.id(name)?.number()
    }

    /// A field as a signed number.
    pub fn signed(&self, name: &str) -> Option<i64> {
        self.id(name)?.as_str().parse().ok()
    }

    /// A field as text; empty when it is missing or no text.
    pub fn text(&self, name: &str) -> &str {
        self.value(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A field as yes or no.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::Number(number) => number.as_i64().map(|n| n != 0),
            Value::String(text) => match text.as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// A field that is an object; no fields when it is none.
    #[must_use]
    pub fn object(&self, name: &str) -> Self {
        self.value(name).map(Self::of).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn wrong_types_read_as_missing() {
        let fields = Fields::of(&json!({
            "a": null, "b": "12", "c": {"d": 1}, "e": "true", "f": 0, "g": [1]
        }));
        assert_eq!(fields.id("a"), None);
        assert_eq!(fields.number("b"), Some(12));
        assert_eq!(fields.object("c").signed("d"), Some(1));
        assert_eq!(fields.flag("e"), Some(true));
        assert_eq!(fields.flag("f"), Some(false));
        assert_eq!(fields.text("g"), "");
        assert_eq!(Fields::of(&json!([1])), Fields::default());
    }
}
