//! Reading what scripts send: numbers may come as strings.

use onebot::Id;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A whole number that may also come as a string of digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number(pub(super) u64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = Id::deserialize(deserializer)?;
        id.number()
            .map(Self)
            .ok_or_else(|| D::Error::custom("要一个非负整数"))
    }
}

/// One thing, or a list of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(super) enum OneOrMany<T> {
    /// A list.
    Many(Vec<T>),
    /// One.
    One(T),
}

impl<T> OneOrMany<T> {
    /// As a list.
    pub(super) fn list(self) -> Vec<T> {
        match self {
            Self::Many(list) => list,
            Self::One(one) => vec![one],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_two_forms() {
        let read = |json: &str| serde_json::from_str::<Number>(json).ok();
        assert_eq!(read("7"), Some(Number(7)));
        assert_eq!(read("\"7\""), Some(Number(7)));
        for bad in ["-7", "\"x\"", "null", "1.5", "[]"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        let list = |json: &str| {
            serde_json::from_str::<OneOrMany<Number>>(json)
                .unwrap()
                .list()
        };
        assert_eq!(list("[1,\"2\"]"), [Number(1), Number(2)]);
        assert_eq!(list("3"), [Number(3)]);
    }
}
