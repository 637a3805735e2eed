//! Phases, windows and sets of them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A kind of phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PhaseKind {
    /// Cards are dealt; the game has not begun.
    Setup,
    /// 开局.
    Opening,
    /// 夜晚.
    Night,
    /// 晨曦: who is out is fixed, reactions are asked.
    Dawn,
    /// 警长竞选.
    Election,
    /// 白天: the door is open.
    Day,
    /// 黄昏: the vote is settled, reactions are asked.
    Dusk,
    /// The game is over.
    End,
}

impl PhaseKind {
    /// Every kind, in the order of a game.
    pub const ALL: [Self; 8] = [
        Self::Setup,
        Self::Opening,
        Self::Night,
        Self::Dawn,
        Self::Election,
        Self::Day,
        Self::Dusk,
        Self::End,
    ];

    /// The word that board files and rehearsals use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Setup => "setup",
            Self::Opening => "opening",
            Self::Night => "night",
            Self::Dawn => "dawn",
            Self::Election => "election",
            Self::Day => "day",
            Self::Dusk => "dusk",
            Self::End => "end",
        }
    }

    /// The kind that this word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.word() == word)
    }
}

/// A phase: its kind and which one of that kind it is, counted from 1. Only nights and days
/// count on; dawn, dusk and the rest carry the number of the night or day they follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Phase {
    /// Its kind.
    pub kind: PhaseKind,
    /// Its number.
    pub number: u16,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.word(), self.number)
    }
}

/// A set of kinds of phases. Empty stands for none, unless the place says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PhaseSet(u8);

impl PhaseSet {
    /// No phase.
    pub const NONE: Self = Self(0);

    /// Is this kind in it?
    pub fn has(self, kind: PhaseKind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    /// None in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// This set and one more kind.
    #[must_use]
    pub fn with(self, kind: PhaseKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }
}

impl FromIterator<PhaseKind> for PhaseSet {
    fn from_iter<I: IntoIterator<Item = PhaseKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, Self::with)
    }
}

/// A window of the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WindowId(pub u8);

impl WindowId {
    /// The window at this place of the board's table.
    pub fn at(place: usize) -> Self {
        Self(u8::try_from(place).unwrap_or(u8::MAX))
    }

    /// Its place in the board's table.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A set of windows, at most 64 a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WindowSet(u64);

impl WindowSet {
    /// Is it in the set?
    pub fn has(self, window: WindowId) -> bool {
        self.0 >> window.0 & 1 == 1
    }

    /// None in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<WindowId> for WindowSet {
    fn from_iter<I: IntoIterator<Item = WindowId>>(windows: I) -> Self {
        Self(windows.into_iter().fold(0, |bits, w| bits | 1 << w.0))
    }
}
