//! Where state is kept: one atomic, idempotent commit for each handled message.
//!
//! [`Store`] is the interface; [`sqlite`] is the embedded kind (one file, `synchronous=FULL`, for
//! one process), [`redis`] the kind that several processes share (one script a commit).
//! The conformance suite in `conformance` (feature of that name) runs against every kind.
//! [`open`] picks the kind by URL.
//!
//! Invariant: the store knows nothing of games. Keys, journal entries, snapshots and bodies are
//! opaque to it.

#[cfg(feature = "conformance")]
#[expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]
pub mod conformance;
mod names;
mod open;
pub mod redis;
pub mod sqlite;

use std::time::Duration;

use async_trait::async_trait;
pub use open::{OpenError, folder, open};
use protocol::{Message, MessageId, Service, Shard};
use rules::Time;

/// The name of an aggregate: which service owns it and its key (a game id, `account:<id>`, …).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AggregateKey {
    /// The owner.
    pub service: Service,
    /// Its key; decides the shard.
    pub key: String,
}

impl AggregateKey {
    /// The shard of this aggregate: commits, outbox and deadlines of one shard live together.
    pub fn shard(&self) -> Shard {
        Shard::of(&self.key)
    }
}

/// An instant at which an aggregate wants to hear `ToNight::Due`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadline {
    /// Its name within the aggregate; carries the turn it belongs to.
    pub name: String,
    /// When.
    pub at: Time,
}

/// A deadline of some aggregate, as [`Store::due`] lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDeadline {
    /// Whose.
    pub aggregate: AggregateKey,
    /// Which.
    pub deadline: Deadline,
}

/// One step of one aggregate. All of it happens, or nothing.
#[derive(Debug, Clone)]
pub struct Commit {
    /// Whose step.
    pub aggregate: AggregateKey,
    /// The version that the step was decided on; 0 for a new aggregate. The new version is one
    /// more.
    pub expected: u64,
    /// The message whose step was to lead to that version, when this one was decided before that
    /// one was known to be taken: without that step this one is not taken either, whoever's step
    /// led there instead.
    pub after: Option<MessageId>,
    /// The message that was handled.
    pub message: MessageId,
    /// The journal entry: the input and what it brought about.
    pub entry: Vec<u8>,
    /// A snapshot of the state after this step, when one is due. It replaces an earlier one;
    /// loading then starts here. Journal entries before it are kept for the replay.
    pub snapshot: Option<Vec<u8>>,
    /// All deadlines of the aggregate from now on; `None`: as they were.
    pub deadlines: Option<Vec<Deadline>>,
    /// Messages to send, in order, after those already in the shard's outbox.
    pub outbox: Vec<Message>,
}

/// What came of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// It is on disk under this version.
    Done(u64),
    /// The message had been handled before, in the step to this version: nothing was changed.
    Repeat(u64),
    /// Another version is in the store: nothing was changed; load again.
    Conflict(u64),
}

/// An aggregate as it is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stored {
    /// Its version; 0 when it does not exist.
    pub version: u64,
    /// The newest snapshot and the version it was taken at.
    pub snapshot: Option<(u64, Vec<u8>)>,
    /// The journal entries after the snapshot, in order.
    pub entries: Vec<Vec<u8>>,
}

/// An entry of a shard's outbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    /// Its place; grows.
    pub place: u64,
    /// What to send.
    pub message: Message,
}

/// The number of a lease. Each lease on the same thing has the next number, so that whoever has lost
/// one without noticing can be told from the one who has it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

/// What other processes put into outboxes, as it happens. May miss some while the store is away.
pub type Bells = tokio::sync::broadcast::Receiver<(Service, Shard)>;

/// How a store's connection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// Is there one, as far as the last call could tell?
    pub connected: bool,
    /// How often it has been made anew after it was lost.
    pub reconnects: u64,
}

/// Why the store could not answer. The step may have been taken or not: the caller tries the
/// same commit again and reads `Repeat` as done.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The store is out of reach or refuses for now.
    #[error("store is unavailable: {0}")]
    Unavailable(String),
    /// What is stored cannot be read.
    #[error("store holds something unreadable at {place}: {why}")]
    Corrupt {
        /// Where.
        place: String,
        /// What is wrong with it.
        why: String,
    },
}

/// A place for state. Every method may be called from any task.
#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// The aggregate's newest snapshot and what has happened since.
    async fn load(&self, aggregate: &AggregateKey) -> Result<Stored, StoreError>;

    /// Has this message been handled by the aggregate? The version of that step if so.
    async fn handled(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<Option<u64>, StoreError>;

    /// The aggregate's version; 0 when it does not exist. Costs less than loading.
    async fn version(&self, aggregate: &AggregateKey) -> Result<u64, StoreError>;

    /// Takes one step. On return of `Done` it is on disk.
    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;

    /// Keeps a snapshot of an aggregate as it is at `version`, in place of an earlier one, and
    /// changes nothing else. Only while the aggregate is still at that version; answers whether
    /// it was. On return of `true` it is on disk.
    async fn keep_snapshot(
        &self,
        aggregate: &AggregateKey,
        version: u64,
        state: Vec<u8>,
    ) -> Result<bool, StoreError>;

    /// Journal entries after version `after`, at most `limit`, each with its version.
    async fn journal(
        &self,
        aggregate: &AggregateKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError>;

    /// The keys of a service's aggregates that have deadlines or were committed to and not
    /// retired; for start-up and watching.
    async fn keys(&self, service: Service) -> Result<Vec<String>, StoreError>;

    /// The outbox of a service's shard after `after`, at most `limit`, in order. It ends before
    /// an entry that cannot be read; when that is the first, it is an error.
    async fn outbox(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError>;

    /// Gives `holder` the sole right to move an outbox, for so long from now on, unless somebody
    /// else has it. Who has it already keeps it under the same number. The store's own clock
    /// counts.
    async fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError>;

    /// Gives a lease back, so that the next need not wait. One that was lost changes nothing.
    async fn release(&self, service: Service, shard: Shard, fence: Fence)
    -> Result<(), StoreError>;

    /// Gives `holder` the sole right to whatever an aggregate stands for outside the store (an
    /// account's connection to chat), under the same rules as [`lease`](Self::lease).
    async fn hold(
        &self,
        aggregate: &AggregateKey,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError>;

    /// Gives such a right back, so that the next need not wait. One that was lost changes
    /// nothing.
    async fn let_go(&self, aggregate: &AggregateKey, fence: Fence) -> Result<(), StoreError>;

    /// Forgets outbox entries, by place, that the bus has taken. Only under the newest lease that
    /// was given; answers whether it was. A crash may bring the last of them back: they are sent
    /// again, and recognised as repeats.
    async fn sent(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
        places: &[u64],
    ) -> Result<bool, StoreError>;

    /// Tells what other processes on the same store put into outboxes; `None`: there are none.
    fn bells(&self) -> Option<Bells>;

    /// The aggregate's story is over: gives back what only a living one needs. Only while it is
    /// at that version; answers whether it was. Its state and journal can still be read; it has
    /// no deadlines, is not among [`keys`](Self::keys), and every message counts as handled in
    /// its last step. Its messages stay in the outbox until they are sent. Asking again changes
    /// nothing.
    async fn retire(&self, aggregate: &AggregateKey, version: u64) -> Result<bool, StoreError>;

    /// Deadlines at or before `until`, earliest first, at most `limit`.
    async fn due(&self, until: Time, limit: usize) -> Result<Vec<DueDeadline>, StoreError>;

    /// The instant of the earliest deadline of all.
    async fn next_due(&self) -> Result<Option<Time>, StoreError>;

    /// An aggregate begins to handle a message that may have ended a process before: answers how
    /// often that was begun and not ended, this time included. On return it is on disk.
    async fn begin_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<u32, StoreError>;

    /// The process has outlived it: the count begins anew.
    async fn end_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<(), StoreError>;

    /// How its connection is.
    fn condition(&self) -> Condition;

    /// Is it there and able to write?
    async fn health(&self) -> Result<(), StoreError>;
}
