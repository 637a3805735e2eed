//! Ids, which arrive as numbers or as strings.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::Value;

/// The platform's name of a message, person, group or request. Opaque: a number and a string with
/// the same digits are the same id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(String);

impl Id {
    /// An id from its text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// An id from JSON; `None` for what is neither number nor string, and for an empty string.
    pub fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some(Self(text.trim().to_owned())),
            Value::Number(number) => Some(Self(whole_number(number))),
            _ => None,
        }
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// As the number of a person or group; `None` when it is negative or no number.
    pub fn number(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// As JSON: a number where the text is exactly a number (every side takes that), else a
    /// string.
    pub fn to_json(&self) -> Value {
        match self.0.parse::<i64>() {
            Ok(number) if number.to_string() == self.0 => Value::from(number),
            _ => Value::from(self.0.clone()),
        }
    }
}

/// Some sides are written in JavaScript and may print a large whole number as `1.0e9`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "guarded by the range check"
)]
fn whole_number(number: &serde_json::Number) -> String {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.is_i64() || number.is_u64() {
        return number.to_string();
    }
    match number.as_f64() {
        Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => (float as i64).to_string(),
        _ => number.to_string(),
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self(number.to_string())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::read(&value).ok_or_else(|| de::Error::custom("an id must be a number or a string"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_and_strings_are_the_same_id() {
        assert_eq!(Id::read(&json!(10_000_001)), Id::read(&json!("10000001")));
        assert_eq!(Id::read(&json!(1.0e9)), Id::read(&json!(1_000_000_000)));
        assert_eq!(
            Id::read(&json!(-1_846_291_122)).unwrap().as_str(),
            "-1846291122"
        );
    }

    #[test]
    fn a_negative_or_textual_id_is_no_person() {
        assert_eq!(Id::new("-5").number(), None);
        assert_eq!(Id::new("u_x").number(), None);
        assert_eq!(Id::new("7").number(), Some(7));
    }

    #[test]
    fn json_keeps_odd_texts() {
        assert_eq!(Id::new("12").to_json(), json!(12));
        assert_eq!(Id::new("-12").to_json(), json!(-12));
        assert_eq!(Id::new("007").to_json(), json!("007"));
        assert_eq!(Id::new("a|b").to_json(), json!("a|b"));
    }

    #[test]
    fn null_and_empty_are_no_ids() {
        assert_eq!(Id::read(&json!(null)), None);
        assert_eq!(Id::read(&json!("")), None);
        assert_eq!(Id::read(&json!([1])), None);
    }
}
