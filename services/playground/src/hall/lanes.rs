//! One step at a time in each chat, so that what is told of them keeps their order.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Mutex as Lane, OwnedMutexGuard};

/// How many idle lanes are kept before they are swept.
const SWEEP_AT: usize = 1_024;

/// A lane for each name.
#[derive(Debug)]
pub(crate) struct Lanes<K>(Mutex<HashMap<K, Arc<Lane<()>>>>);

impl<K> Default for Lanes<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Lanes<K> {
    /// Waits for one's turn; the turn ends when the guard is dropped.
    pub(crate) async fn enter(&self, name: K) -> OwnedMutexGuard<()> {
        let lane = {
            let mut lanes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if lanes.len() > SWEEP_AT {
                lanes.retain(|_, lane| Arc::strong_count(lane) > 1);
            }
            Arc::clone(lanes.entry(name).or_default())
        };
        lane.lock_owned().await
    }
}
