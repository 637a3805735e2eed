//! Aggregates in memory, each behind a lock of its own.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use protocol::MessageId;

use crate::chain::Chain;

/// An aggregate after its last step, which may still be on its way to the store.
pub(crate) struct Cached<A> {
    pub(crate) state: A,
    pub(crate) version: u64,
    /// The message of the step that led to this version, when that was taken here.
    pub(crate) last: Option<MessageId>,
    /// The version of the newest snapshot in the store.
    pub(crate) snapshot_at: u64,
    /// The steps since it was loaded.
    pub(crate) chain: Chain,
}

/// Where an aggregate is kept between its steps; empty, or with a broken chain, when it must be
/// loaded. Whoever holds the lock decides its next step.
pub(crate) type Cell<A> = Arc<tokio::sync::Mutex<Option<Cached<A>>>>;

/// The cells in use, and the most recently used ones besides.
pub(crate) struct Cache<A> {
    cells: Mutex<Cells<A>>,
    capacity: usize,
}

struct Cells<A> {
    by_key: HashMap<String, (Cell<A>, u64)>,
    /// Counts uses, to tell which was last.
    uses: u64,
    /// Those that have had to make room with steps that are in no snapshot.
    behind: BTreeSet<String>,
}

impl<A> Cache<A> {
    /// A cache that keeps about so many aggregates when they are not in use.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            cells: Mutex::new(Cells {
                by_key: HashMap::new(),
                uses: 0,
                behind: BTreeSet::new(),
            }),
            capacity,
        }
    }

    /// The cell of this key.
    pub(crate) fn cell(&self, key: &str) -> Cell<A> {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        cells.uses += 1;
        let now = cells.uses;
        if let Some((cell, used)) = cells.by_key.get_mut(key) {
            *used = now;
            return Arc::clone(cell);
        }
        if cells.by_key.len() >= self.capacity {
            cells.evict(self.capacity - self.capacity / 4);
        }
        cells.behind.remove(key);
        let cell = Cell::default();
        cells
            .by_key
            .insert(key.to_owned(), (Arc::clone(&cell), now));
        cell
    }

    /// All that may have steps that are in no snapshot. The cells of those that have made room
    /// are new and empty, and nobody else's.
    pub(crate) fn known(&self) -> Vec<(String, Cell<A>)> {
        let cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        let here = cells
            .by_key
            .iter()
            .map(|(key, (cell, _))| (key.clone(), Arc::clone(cell)));
        let gone = cells
            .behind
            .iter()
            .map(|key| (key.clone(), Cell::default()));
        here.chain(gone).collect()
    }
}

impl<A> Cells<A> {
    /// Drops the least recently used cells that nobody holds, until so many are left.
    fn evict(&mut self, left: usize) {
        // Nobody can get hold of an idle cell while we hold the lock on the map.
        let mut idle: Vec<_> = self
            .by_key
            .iter()
            .filter(|(_, (cell, _))| Arc::strong_count(cell) == 1)
            .map(|(key, (_, used))| (*used, key.clone()))
            .collect();
        idle.sort_unstable();
        let surplus = self.by_key.len().saturating_sub(left);
        for (_, key) in idle.into_iter().take(surplus) {
            let Some((cell, _)) = self.by_key.remove(&key) else {
                continue;
            };
            // An empty one was never loaded, or its state was given up: nobody knows.
            let whole = cell.try_lock().is_ok_and(|cached| {
                cached.as_ref().is_some_and(|cached| {
                    cached.version == cached.snapshot_at && !cached.chain.is_broken()
                })
            });
            if !whole {
                self.behind.insert(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_unless_somebody_holds_it() {
        let cache = Cache::<()>::new(4);
        let held = cache.cell("held");
        for key in ["a", "b", "c"] {
            cache.cell(key);
        }
        cache.cell("a");
        cache.cell("d");
        let cells = cache.cells.lock().unwrap();
        let mut keys: Vec<_> = cells.by_key.keys().map(String::as_str).collect();
        keys.sort_unstable();
        assert_eq!(keys, ["a", "c", "d", "held"]);
        drop(cells);
        assert!(Arc::ptr_eq(&held, &cache.cell("held")));
    }
}
