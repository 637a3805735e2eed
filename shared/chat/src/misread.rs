//! What could not be read, and what may have been meant.

use serde::Serialize;

/// Why a line is no command. Its [`key`](Misread::key) names the template of the friendly answer,
/// which is filled with the fields.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Misread {
    /// There is nothing in the line.
    #[error("there is no command in the line")]
    Nothing {},
    /// The first word is no command and no skill.
    #[error("no command is called {word:?}")]
    Unknown {
        /// The first word, shortened.
        word: String,
        /// The command that it is nearest to.
        nearest: Option<String>,
    },
    /// A word after the command names nothing of the kind that is needed.
    #[error("no {thing} is called {word:?}")]
    NoSuch {
        /// Of what kind.
        thing: Thing,
        /// The word, shortened.
        word: String,
        /// The name that it is nearest to.
        nearest: Option<String>,
    },
    /// The command is known, but what follows it does not fit.
    #[error("the command is written {usage:?}")]
    Usage {
        /// The command's form.
        usage: &'static str,
    },
    /// More words than any command takes.
    #[error("there are too many words in the line")]
    TooLong {},
}

/// A kind of thing that can be named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Thing {
    /// A seat.
    #[serde(rename = "座位")]
    Seat,
    /// A role.
    #[serde(rename = "身份")]
    Role,
    /// A faction.
    #[serde(rename = "阵营")]
    Faction,
    /// A state.
    #[serde(rename = "状态")]
    State,
    /// A skill.
    #[serde(rename = "技能")]
    Skill,
}

impl std::fmt::Display for Thing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Seat => "seat",
            Self::Role => "role",
            Self::Faction => "faction",
            Self::State => "state",
            Self::Skill => "skill",
        })
    }
}

impl Misread {
    /// The template of the friendly answer.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Nothing {} => "answer/misread-nothing",
            Self::Unknown { .. } => "answer/misread-unknown",
            Self::NoSuch { .. } => "answer/misread-no-such",
            Self::Usage { .. } => "answer/misread-usage",
            Self::TooLong {} => "answer/misread-too-long",
        }
    }
}

/// A word short enough to be repeated to whoever typed it.
pub(crate) fn shortened(word: &str) -> String {
    const MOST: usize = 12;
    let mut short: String = word
        .chars()
        .filter(|c| !c.is_control())
        .take(MOST)
        .collect();
    if word.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
