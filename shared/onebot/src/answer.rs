//! Answers to calls, and their three outcomes.

use serde_json::Value;

use crate::fields::Fields;
use crate::refusal::{Refusal, classify};

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// `ok`, `async`, `failed`.
    pub status: String,
    /// 0 ok, 1 async, else the kind of failure; every side has numbers of its own.
    pub retcode: i64,
    /// What was asked for; null when there is nothing.
    pub data: Value,
    /// What the call was marked with; `None` when it comes back empty, null or not at all.
    pub echo: Option<Value>,
    /// All fields as they came.
    pub fields: Fields,
}

/// What became of a call. A failed answer is often a delivered message, so there are three.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Done; the data may be null.
    Done(Value),
    /// Certainly not done.
    Refused {
        /// Why.
        why: Refusal,
        /// The side's own words.
        raw: String,
    },
    /// Nobody knows.
    Unknown {
        /// The side's own words.
        raw: String,
    },
}

impl Answer {
    /// From the fields of a frame without `post_type`.
    pub(crate) fn read(fields: Fields) -> Self {
        let echo = fields
            .value("echo")
            .filter(|echo| echo.as_str() != Some(""))
            .cloned();
        Self {
            status: fields.text("status").to_owned(),
            retcode: fields.signed("retcode").unwrap_or(-1),
            data: fields.value("data").cloned().unwrap_or(Value::Null),
            echo,
            fields,
        }
    }

    /// The echo as the text we sent.
    pub fn echo_text(&self) -> Option<&str> {
        self.echo.as_ref().and_then(Value::as_str)
    }

    /// What the side says about a failure: all of its texts.
    pub fn words(&self) -> String {
        let mut words: Vec<&str> = Vec::new();
        for name in ["message", "msg", "wording"] {
            let text = self.fields.text(name);
            if !text.is_empty() && !words.contains(&text) {
                words.push(text);
            }
        }
        words.join(" | ")
    }

    /// Was it done? `ok` and `async` are the only signs of success.
    pub fn outcome(&self) -> Outcome {
        if self.status == "ok" || self.status == "async" {
            return Outcome::Done(self.data.clone());
        }
        let words = self.words();
        let raw = format!("retcode {}: {words}", self.retcode);
        match classify(self.retcode, &words) {
            Some(why) => Outcome::Refused { why, raw },
            None => Outcome::Unknown { raw },
        }
    }
}
