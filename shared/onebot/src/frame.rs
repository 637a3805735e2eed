//! What travels over a connection: one JSON text a frame.

use serde_json::Value;

use crate::answer::Answer;
use crate::event::Event;
use crate::fields::Fields;

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// Something happened: it has a `post_type`.
    Event(Box<Event>),
    /// The answer to a call: it has a `status` or `retcode`.
    Answer(Answer),
    /// A call, as the implementation side receives it.
    Call(Call),
    /// JSON that is none of these, kept as it is.
    Other(Value),
}

/// A call as it is received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The action's name.
    pub action: String,
    /// Its parameters.
    pub params: Fields,
    /// To be given back in the answer.
    pub echo: Value,
}

/// A frame that is no JSON.
#[derive(Debug, thiserror::Error)]
#[error("frame of {length} bytes is no JSON: {source}")]
pub struct FrameError {
    /// How long it was.
    pub length: usize,
    /// Where it stops being JSON.
    pub source: serde_json::Error,
}

impl Frame {
    /// Reads a frame's text.
    pub fn read(text: &str) -> Result<Self, FrameError> {
        serde_json::from_str(text)
            .map(|value| Self::of(&value))
            .map_err(|source| FrameError {
                length: text.len(),
                source,
            })
    }

    /// Tells what a JSON value is.
    pub fn of(value: &Value) -> Self {
        let fields = Fields::of(value);
        if fields.value("post_type").is_some() {
            return Self::Event(Box::new(Event::read(fields)));
        }
        if fields.value("status").is_some() || fields.value("retcode").is_some() {
            return Self::Answer(Answer::read(fields));
        }
        if !fields.text("action").is_empty() {
            return Self::Call(Call {
                action: fields.text("action").to_owned(),
                params: fields.object("params"),
                echo: fields.0.get("echo").cloned().unwrap_or(Value::Null),
            });
        }
        Self::Other(value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_frames_are_an_error_and_odd_ones_are_kept() {
        assert!(Frame::read("{\"post_type\":").is_err());
        assert!(Frame::read("").is_err());
        for odd in ["7", "[]", "null", "{}", "\"x\"", "{\"reply\":\"嗨\"}"] {
            assert!(matches!(Frame::read(odd), Ok(Frame::Other(_))), "{odd}");
        }
    }

    #[test]
    fn deep_nesting_is_refused_not_crashed_on() {
        let deep = "[".repeat(100_000);
        assert!(Frame::read(&deep).is_err());
    }
}
