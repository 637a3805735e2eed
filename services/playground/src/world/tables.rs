//! Tables: the games that visitors of the page have begun.

use std::collections::BTreeMap;

use protocol::{ChatGroup, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

use super::change::Happening;
use super::refusal::Refusal;

/// How fast a visitor's game goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// As the quick calendar says.
    #[default]
    Quick,
    /// The director closes each window early.
    Rapid,
    /// The director closes each window as soon as the bots have moved.
    Rush,
    /// The director closes a window only when asked to.
    Manual,
}

/// Who plays the seats that the visitor does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Cast {
    /// Bots.
    #[default]
    Bots,
    /// Nobody: bots sign up and leave the rest to the visitor.
    Nobody,
}

/// One game of a visitor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// The public group.
    pub square: ChatGroup,
    /// Who directs: a bot, or the visitor in its place.
    pub director: UserId,
    /// Who plays, in the order of signing up.
    pub seats: Vec<UserId>,
    /// The visitor's own seat among them; `None`: the visitor looks on and types for anyone.
    pub visitor: Option<UserId>,
    /// Decides everything that the bots choose.
    pub seed: u64,
    /// How fast.
    pub pace: Pace,
    /// Who plays the other seats.
    pub cast: Cast,
    /// Since when.
    pub opened: Time,
    /// Nobody plays here any more.
    pub over: bool,
}

impl Table {
    /// Those whom bots play: everybody but the visitor.
    pub fn bots(&self) -> impl Iterator<Item = UserId> {
        self.seats
            .iter()
            .copied()
            .filter(|seat| Some(*seat) != self.visitor)
    }

    /// Everybody at the table, the director last.
    pub fn everybody(&self) -> impl Iterator<Item = UserId> {
        self.seats.iter().copied().chain([self.director])
    }
}

/// How many tables that are over are remembered, so that a page can still be read.
const REMEMBERED: usize = 50;

/// All tables by the session that owns them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Tables(BTreeMap<String, Table>);

impl Tables {
    pub(super) fn get(&self, token: &str) -> Option<&Table> {
        self.0.get(token)
    }

    pub(super) fn open(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.0
            .iter()
            .filter(|(_, table)| !table.over)
            .map(|(token, table)| (token.as_str(), table))
    }

    pub(super) fn seat(&mut self, token: &str, table: &Table) -> Result<Vec<Happening>, Refusal> {
        let director_busy = self
            .open()
            .any(|(other, open)| other != token && open.director == table.director);
        if director_busy {
            return Err(Refusal::HouseFull);
        }
        self.0.insert(token.to_owned(), table.clone());
        self.forget_the_oldest();
        Ok(vec![Happening::TableChanged])
    }

    pub(super) fn set_pace(&mut self, token: &str, pace: Pace) -> Result<Vec<Happening>, Refusal> {
        self.open_mut(token)?.pace = pace;
        Ok(vec![Happening::TableChanged])
    }

    pub(super) fn rise(&mut self, token: &str) -> Result<Vec<Happening>, Refusal> {
        self.open_mut(token)?.over = true;
        Ok(vec![Happening::TableChanged])
    }

    fn open_mut(&mut self, token: &str) -> Result<&mut Table, Refusal> {
        self.0
            .get_mut(token)
            .filter(|table| !table.over)
            .ok_or(Refusal::NoSuchTable)
    }

    fn forget_the_oldest(&mut self) {
        let over = self.0.values().filter(|table| table.over).count();
        if over <= REMEMBERED {
            return;
        }
        let oldest = self
            .0
            .iter()
            .filter(|(_, table)| table.over)
            .min_by_key(|(_, table)| table.opened)
            .map(|(token, _)| token.clone());
        if let Some(oldest) = oldest {
            self.0.remove(&oldest);
        }
    }
}
