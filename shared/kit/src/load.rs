//! An aggregate from what the store has of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use store::{AggregateKey, Store, StoreError};

use crate::aggregate::Aggregate;
use crate::cache::Cached;
use crate::chain::Chain;
use crate::journal::Entry;
use crate::writer::panic_text;

/// The aggregate's name in the store.
pub(crate) fn name<A: Aggregate>(key: &str) -> AggregateKey {
    AggregateKey {
        service: A::SERVICE,
        key: key.to_owned(),
    }
}

/// Loads from the newest snapshot and what has happened since.
pub(crate) async fn load<A: Aggregate>(
    store: &dyn Store,
    env: &A::Env,
    key: &str,
) -> Result<Cached<A>, StoreError> {
    let stored = store.load(&name::<A>(key)).await?;
    let corrupt = |what: String, why: String| StoreError::Corrupt {
        place: format!("{what} of {}/{key}", A::SERVICE),
        why,
    };
    let (snapshot_at, mut state) = match stored.snapshot {
        None => (0, A::new(env, key)),
        Some((at, bytes)) => {
            let load = || A::load(env, key, &bytes).map_err(|e| e.to_string());
            let loaded = catch_unwind(AssertUnwindSafe(load))
                .unwrap_or_else(|panic| Err(panic_text(&*panic)));
            (
                at,
                loaded.map_err(|why| corrupt(format!("snapshot {at}"), why))?,
            )
        }
    };
    for (version, bytes) in (snapshot_at + 1..).zip(&stored.entries) {
        let replayed = Entry::<A::Input>::read(bytes).and_then(|entry| {
            // What it brought about then was committed then.
            let handle = || {
                state.about(&entry.trace);
                state.handle(env, &entry.input)
            };
            catch_unwind(AssertUnwindSafe(handle))
                .map(drop)
                .map_err(|panic| panic_text(&*panic))
        });
        replayed.map_err(|why| corrupt(format!("journal entry {version}"), why))?;
    }
    Ok(Cached {
        state,
        version: stored.version,
        last: None,
        snapshot_at,
        chain: Chain::from(stored.version),
    })
}
