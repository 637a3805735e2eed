//! Why a file cannot be read.

use std::fmt;

/// A place in a file: line and column in characters, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file is no rehearsal. Such a file is not played at all.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The file or folder cannot be opened.
    #[error("cannot be opened: {0}")]
    Io(#[from] std::io::Error),
    /// It is no YAML.
    #[error("is no YAML: {0}")]
    Yaml(String),
    /// Something in it is not in the format, or names nothing on the board.
    #[error("{}{at}: {message}", step.map_or(String::new(), |n| format!("step {n}, ")))]
    Wrong {
        /// The step, counted from 1; `None`: above the steps.
        step: Option<usize>,
        /// Where.
        at: Place,
        /// What, and what to do.
        message: String,
    },
}

impl Unreadable {
    /// The step that is wrong, counted from 1.
    pub fn step(&self) -> Option<usize> {
        match self {
            Self::Wrong { step, .. } => *step,
            Self::Io(_) | Self::Yaml(_) => None,
        }
    }
}

/// Something that is not in the format, before it is known in which step it stands.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) at: Place,
    pub(crate) message: String,
}

impl Wrong {
    pub(crate) fn new(at: Place, message: impl Into<String>) -> Self {
        Self {
            at,
            message: message.into(),
        }
    }

    pub(crate) fn in_step(self, step: usize) -> Unreadable {
        Unreadable::Wrong {
            step: Some(step),
            at: self.at,
            message: self.message,
        }
    }
}

impl From<Wrong> for Unreadable {
    fn from(wrong: Wrong) -> Self {
        Self::Wrong {
            step: None,
            at: wrong.at,
            message: wrong.message,
        }
    }
}
