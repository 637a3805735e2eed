//! Answers to calls.

use serde_json::{Value, json};

use crate::hall::Trouble;
use crate::world::Refusal;

/// What a call is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Done.
    Done(Value),
    /// Not done, or so it says.
    Failed {
        /// The kind of failure.
        retcode: i64,
        /// In words.
        words: String,
    },
    /// Nothing comes.
    Silence,
}

impl Reply {
    /// Parameters that make no sense.
    pub(super) fn bad(words: impl Into<String>) -> Self {
        Self::Failed {
            retcode: 1400,
            words: words.into(),
        }
    }

    /// A failure in words.
    pub(super) fn failed(words: impl Into<String>) -> Self {
        Self::Failed {
            retcode: 1200,
            words: words.into(),
        }
    }

    /// No such action.
    pub(super) fn unknown(action: &str) -> Self {
        Self::Failed {
            retcode: 1404,
            words: format!("不支持的API {action}"),
        }
    }

    /// A send that the platform refused with one of its numbers.
    pub(super) fn result(result: i64, words: &str) -> Self {
        Self::failed(format!("EventChecker Failed: {}", checked(result, words)))
    }

    /// A send of which nobody knows whether it arrived.
    pub(super) fn timeout() -> Self {
        Self::failed(format!("Timeout: {}", checked(0, "")))
    }

    /// The frame, for a call with this echo.
    pub(super) fn frame(&self, echo: &Value, no_data: bool) -> Option<String> {
        let (status, retcode, data, words) = match self {
            Self::Done(data) => ("ok", 0, data.clone(), ""),
            Self::Failed { retcode, words } => ("failed", *retcode, Value::Null, words.as_str()),
            Self::Silence => return None,
        };
        let mut frame = json!({
            "status": status, "retcode": retcode, "data": data, "message": words,
            "wording": words, "echo": echo, "stream": "normal-action",
        });
        if no_data && let Some(frame) = frame.as_object_mut() {
            frame.remove("data");
        }
        Some(frame.to_string())
    }
}

fn checked(result: i64, words: &str) -> String {
    format!(
        "NTEvent serviceAndMethod:NodeIKernelMsgService/sendMsg \
         ListenerName:NodeIKernelMsgListener/onMsgInfoListUpdate EventRet:\n{{\n    \
         \"result\": {result},\n    \"errMsg\": \"{words}\"\n}}\n"
    )
}

impl From<Trouble> for Reply {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Refused(refusal) => refusal.into(),
            Trouble::Unavailable(words) => Self::failed(words),
        }
    }
}

impl From<Refusal> for Reply {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NoRight { .. } => Self::failed("ERR_NOT_GROUP_ADMIN"),
            Refusal::NotAMember { .. } => Self::failed("user not in group"),
            Refusal::NoSuchRequest => Self::failed("No such request"),
            other => Self::failed(other.to_string()),
        }
    }
}
