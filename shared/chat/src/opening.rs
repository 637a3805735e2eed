//! What follows `开局`: the board, the game's name, the calendar, the board's own parameters.

use serde::{Deserialize, Serialize};

use crate::misread::Misread;
use crate::tokens::{Tokens, fold};
use crate::words::usage_of;

/// A game that someone wants to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opening {
    /// The board, by id or name, as typed.
    pub board: String,
    /// The name the game is to have.
    pub name: Option<String>,
    /// The calendar; `None`: the board's own.
    pub calendar: Option<CalendarKind>,
    /// Everything else of the form `key=value`, keys in small letters, in the order typed.
    pub options: Vec<(String, String)>,
}

/// A calendar by any of its names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CalendarKind {
    /// 快 / quick.
    Quick,
    /// 慢 / slow.
    Slow,
    /// 手动 / manual: no deadlines, phases end by the director's word.
    Manual,
    /// Another one, by the board's own name for it.
    Other(String),
}

impl CalendarKind {
    /// The calendar's name in board files.
    pub fn name(&self) -> &str {
        match self {
            Self::Quick => "quick",
            Self::Slow => "slow",
            Self::Manual => "manual",
            Self::Other(name) => name,
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "quick" | "快" | "快速" | "快局" => Self::Quick,
            "slow" | "慢" | "慢速" | "慢局" => Self::Slow,
            "manual" | "手动" | "手控" => Self::Manual,
            other => Self::Other(other.to_owned()),
        }
    }
}

/// Reads all that follows `开局`. The name may have several words; `key=value` may stand
/// anywhere behind the board.
///
/// # Errors
/// [`Misread::Usage`] without a board, or with a `key=value` that lacks one of the two.
pub fn opening(text: &str) -> Result<Opening, Misread> {
    let usage = || Misread::Usage {
        usage: usage_of("开局").unwrap_or_default(),
    };
    let mut tokens = Tokens::new(text).peekable();
    let board = tokens
        .next()
        .map(|token| token.text.to_owned())
        .ok_or_else(usage)?;
    if board.contains(['=', '＝']) {
        return Err(usage());
    }
    let mut name: Vec<&str> = Vec::new();
    let mut calendar = None;
    let mut options = Vec::new();
    for token in tokens {
        let split = token.text.split_once(['=', '＝']).filter(|_| !token.quoted);
        let Some((key, value)) = split else {
            name.push(token.text);
            continue;
        };
        let (key, value) = (fold(key), fold(value));
        if key.is_empty() || value.is_empty() {
            return Err(usage());
        }
        if matches!(key.as_str(), "日历" | "calendar") {
            calendar = Some(CalendarKind::of(&value));
        } else {
            options.push((key, value));
        }
    }
    let name = Some(name.join(" ")).filter(|name| !name.is_empty());
    Ok(Opening {
        board,
        name,
        calendar,
        options,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn board_name_calendar_and_parameters() {
        let read = opening("m158 鸣潮 一 日历＝quick sheriff=false").unwrap();
        assert_eq!(read.board, "m158");
        assert_eq!(read.name.as_deref(), Some("鸣潮 一"));
        assert_eq!(read.calendar, Some(CalendarKind::Quick));
        assert_eq!(read.options, [("sheriff".to_owned(), "false".to_owned())]);
    }

    #[test]
    fn everything_but_the_board_is_optional() {
        let read = opening(" 鸣潮 ").unwrap();
        assert_eq!(
            (read.board.as_str(), read.name, read.calendar),
            ("鸣潮", None, None)
        );
        assert_eq!(
            opening("m158 日历=手动").unwrap().calendar,
            Some(CalendarKind::Manual)
        );
    }

    #[test]
    fn half_a_parameter_is_refused() {
        for text in ["", "   ", "日历=quick", "m158 日历=", "m158 =quick"] {
            assert!(
                matches!(opening(text), Err(Misread::Usage { .. })),
                "{text:?}"
            );
        }
    }
}
