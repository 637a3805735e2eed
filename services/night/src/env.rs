//! What surrounds games and never changes while the process runs.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use protocol::AccountId;
use rules::{Board, Timetable};

/// Nothing runs slower than this.
const SLOWEST: f64 = 0.001;

/// How private groups are made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Groups {
    /// Real groups from a pool.
    Managed {
        /// How many groups the pool has, on every account without an entry in `accounts`.
        pool: usize,
        /// Accounts with a pool of their own.
        accounts: HashMap<AccountId, usize>,
    },
    /// No groups: the bot passes messages on.
    Relayed,
}

/// What an operator decides about games.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The zone in which calendars state times of day.
    pub zone: TimeZone,
    /// Durations of calendars are divided by it.
    pub speed: f64,
    /// How private groups are made.
    pub groups: Groups,
    /// How long after a deadline messages sent before it may still arrive, at speed 1.
    pub grace_ms: u64,
    /// How long a deadline waits for the account's watermark before the director is asked.
    pub patience_ms: u64,
}

impl Default for Settings {
    /// As the built-in configuration: five seconds of grace, ten minutes of patience, no pool.
    fn default() -> Self {
        Self {
            zone: TimeZone::UTC,
            speed: 1.0,
            groups: Groups::Managed {
                pool: 0,
                accounts: HashMap::new(),
            },
            grace_ms: 5_000,
            patience_ms: 10 * 60_000,
        }
    }
}

/// Boards and settings.
#[derive(Debug)]
pub struct Env {
    boards: BTreeMap<String, Arc<Board>>,
    settings: Settings,
}

impl Env {
    /// With these boards.
    pub fn new(boards: impl IntoIterator<Item = Arc<Board>>, settings: Settings) -> Self {
        let boards = boards
            .into_iter()
            .map(|board| (board.id.clone(), board))
            .collect();
        Self { boards, settings }
    }

    /// The board of this id.
    pub fn board(&self, id: &str) -> Option<&Arc<Board>> {
        self.boards.get(id)
    }

    /// The board that someone calls so, by id or name.
    pub(crate) fn board_called(&self, word: &str) -> Option<&Arc<Board>> {
        let word = chat::fold(word);
        self.boards
            .values()
            .find(|board| chat::fold(&board.id) == word || chat::fold(&board.name) == word)
    }

    /// All boards, by id.
    pub(crate) fn boards(&self) -> impl Iterator<Item = &Arc<Board>> {
        self.boards.values()
    }

    /// How many pool groups the account has; `None`: none are needed.
    pub(crate) fn pool(&self, account: AccountId) -> Option<usize> {
        match &self.settings.groups {
            Groups::Managed { pool, accounts } => {
                Some(accounts.get(&account).copied().unwrap_or(*pool))
            }
            Groups::Relayed => None,
        }
    }

    /// How long after a deadline messages sent before it may still arrive, in milliseconds.
    pub(crate) fn grace_ms(&self) -> i64 {
        let grace = Duration::from_millis(self.settings.grace_ms);
        let grace = grace.div_f64(self.settings.speed.max(SLOWEST));
        i64::try_from(grace.as_millis()).unwrap_or(i64::MAX)
    }

    /// How long a deadline waits for a watermark, in milliseconds.
    pub(crate) fn patience_ms(&self) -> i64 {
        i64::try_from(self.settings.patience_ms).unwrap_or(i64::MAX)
    }

    /// A calendar by name with zone and speed.
    pub(crate) fn timetable(&self, calendar: &str) -> Timetable {
        Timetable {
            calendar: calendar.to_owned(),
            zone: self.settings.zone.clone(),
            speed: self.settings.speed,
        }
    }
}
