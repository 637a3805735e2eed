//! What writers have in memory, and how it is kept at a graceful stop.
//!
//! A journal may only be replayed by the code that wrote it. So before a process ends, everything
//! it knows is brought to disk as snapshots: the next process, which may be another release,
//! replays nothing.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};
use store::{Store, StoreError};

use crate::aggregate::Aggregate;
use crate::cache::{Cache, Cell};
use crate::load::{load, name};
use crate::writer::panic_text;

/// So many snapshots are under way at a time: they share transactions.
const AT_ONCE: usize = 128;
/// How long keeping may take in all; what is left is replayed from its journal.
const PATIENCE: Duration = Duration::from_secs(10);

/// The aggregates that one writer has in memory, or had.
pub(crate) struct Memory<A: Aggregate> {
    pub(crate) cache: Cache<A>,
    pub(crate) env: Arc<A::Env>,
    /// All aggregates of the service are of this kind: those that an earlier process has left in
    /// their journals are looked after, too.
    looks_after_all: AtomicBool,
}

impl<A: Aggregate> Memory<A> {
    pub(crate) fn new(cache: Cache<A>, env: Arc<A::Env>) -> Self {
        Self {
            cache,
            env,
            looks_after_all: AtomicBool::new(false),
        }
    }

    /// This is the memory of the service itself.
    pub(crate) fn look_after_all(&self) {
        self.looks_after_all.store(true, Ordering::Relaxed);
    }
}

/// How many aggregates were kept, and how many could not be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    kept: usize,
    failed: usize,
}

/// A memory of aggregates of any kind.
#[async_trait]
trait Keep: Send + Sync {
    async fn keep(&self, store: &dyn Store) -> Tally;
}

/// The memories of all writers of a process. Cheap to clone; clones share them.
#[derive(Clone, Default)]
pub struct Memories(Arc<Mutex<Vec<Arc<dyn Keep>>>>);

impl Memories {
    pub(crate) fn add<A: Aggregate>(&self, memory: Arc<Memory<A>>) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(memory);
    }

    /// Keeps a snapshot of every aggregate in memory that has taken steps since its newest one, of
    /// those that have had to make room, and of those that a crash has left in their journals. To be called when nothing is handled any more;
    /// a step that is taken meanwhile is not lost, only not in the snapshot. Answers how many
    /// snapshots were kept. What cannot be kept is logged: its journal has it all the same.
    pub(crate) async fn keep_all(&self, store: &dyn Store) -> usize {
        let memories = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut all = Tally::default();
        let keeping = async {
            for memory in memories {
                let one = memory.keep(store).await;
                all.kept += one.kept;
                all.failed += one.failed;
            }
        };
        let in_time = tokio::time::timeout(PATIENCE, keeping).await.is_ok();
        let Tally { kept, failed } = all;
        if in_time && failed == 0 {
            tracing::info!(kept, "all state is kept in snapshots");
        } else {
            tracing::warn!(
                kept,
                failed,
                in_time,
                "some state is left in journals: do not start another release before this one \
                 has stopped well"
            );
        }
        kept
    }
}

impl fmt::Debug for Memories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Memories")
    }
}

#[async_trait]
impl<A: Aggregate> Keep for Memory<A> {
    async fn keep(&self, store: &dyn Store) -> Tally {
        let (mut known, mut begun) = (self.cache.known(), Tally::default());
        if self.looks_after_all.load(Ordering::Relaxed) {
            match self.left_behind(store, &known).await {
                Ok(left) => known.extend(left.into_iter().map(|key| (key, Cell::default()))),
                Err(error) => {
                    let service = A::SERVICE;
                    tracing::warn!(%service, %error, "cannot see what is only in journals");
                    begun.failed += 1;
                }
            }
        }
        stream::iter(known)
            .map(|(key, cell)| self.keep_one(store, key, cell))
            .buffer_unordered(AT_ONCE)
            .fold(begun, |mut tally, kept| async move {
                match kept {
                    Some(true) => tally.kept += 1,
                    Some(false) => {}
                    None => tally.failed += 1,
                }
                tally
            })
            .await
    }
}

impl<A: Aggregate> Memory<A> {
    /// Those that are not known here and have steps that are in no snapshot.
    async fn left_behind(
        &self,
        store: &dyn Store,
        known: &[(String, Cell<A>)],
    ) -> Result<Vec<String>, StoreError> {
        let known: HashSet<&str> = known.iter().map(|(key, _)| &**key).collect();
        let mut keys = store.keys(A::SERVICE).await?;
        keys.retain(|key| !known.contains(&**key));
        let looks = keys.into_iter().map(|key| async move {
            let stored = store.load(&name::<A>(&key)).await?;
            Ok((!stored.entries.is_empty()).then_some(key))
        });
        stream::iter(looks)
            .buffer_unordered(AT_ONCE)
            .try_filter_map(|key| async { Ok(key) })
            .try_collect()
            .await
    }

    /// Was a snapshot kept? `None`: one was needed, and could not be.
    async fn keep_one(&self, store: &dyn Store, key: String, cell: Cell<A>) -> Option<bool> {
        match self.try_to_keep(store, &key, &cell).await {
            Ok(kept) => Some(kept),
            Err(error) => {
                tracing::warn!(service = %A::SERVICE, key, %error, "no snapshot was kept");
                None
            }
        }
    }

    async fn try_to_keep(
        &self,
        store: &dyn Store,
        key: &str,
        cell: &Cell<A>,
    ) -> Result<bool, StoreError> {
        let mut cached = cell.lock().await;
        let current = match cached.take().filter(|known| !known.chain.is_broken()) {
            Some(current) => current,
            None => load::<A>(store, &self.env, key).await?,
        };
        let current = cached.insert(current);
        if current.version == current.snapshot_at {
            return Ok(false);
        }
        let saved = catch_unwind(AssertUnwindSafe(|| current.state.save()));
        let state = saved.map_err(|panic| StoreError::Corrupt {
            place: format!("the state of {}/{key}", A::SERVICE),
            why: panic_text(&*panic),
        })?;
        let kept = store
            .keep_snapshot(&name::<A>(key), current.version, state)
            .await?;
        if kept {
            current.snapshot_at = current.version;
        }
        Ok(kept)
    }
}
