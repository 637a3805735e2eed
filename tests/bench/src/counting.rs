//! A store that remembers what was committed, when, and how large it was.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use protocol::{MessageId, Service, Shard};
use rules::Time;
use store::{
    AggregateKey, Bells, Commit, Committed, DueDeadline, Fence, OutboxEntry, Store, StoreError,
    Stored,
};

/// One commit.
#[derive(Debug, Clone)]
pub struct Step {
    /// Whose.
    pub service: Service,
    /// When it was handed to the store.
    pub began: Instant,
    /// When it was on disk.
    pub ended: Instant,
    /// What it appends: the journal entry, messages, deadlines, names. Not the snapshot.
    pub appended: usize,
    /// The bytes of its snapshot, if one was due.
    pub snapshot: Option<usize>,
    /// How many messages it sends on.
    pub messages: usize,
}

/// A store around another one.
pub struct Counting {
    inner: Arc<dyn Store>,
    steps: Mutex<Vec<Step>>,
}

impl Counting {
    /// Around this store.
    pub fn around(inner: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            steps: Mutex::default(),
        })
    }

    /// The steps since this was last asked, by when they were on disk.
    pub fn take(&self) -> Vec<Step> {
        std::mem::take(&mut *self.steps())
    }

    /// How many steps there are to take.
    pub fn count(&self) -> usize {
        self.steps().len()
    }

    /// Returns when nothing has been committed for so long.
    pub async fn quiet(&self, pause: Duration) {
        loop {
            let before = self.count();
            tokio::time::sleep(pause).await;
            if self.count() == before {
                return;
            }
        }
    }

    fn steps(&self) -> MutexGuard<'_, Vec<Step>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes that a commit appends, whatever the store makes of them.
fn appended(commit: &Commit) -> usize {
    let deadlines = commit.deadlines.iter().flatten();
    let messages = commit.outbox.iter();
    commit.entry.len()
        + commit.message.0.len()
        + deadlines.map(|d| d.name.len() + 8).sum::<usize>()
        + messages
            .map(|m| m.id.0.len() + m.trace.len() + m.key.len() + m.body.len())
            .sum::<usize>()
}

#[async_trait]
impl Store for Counting {
    async fn load(&self, aggregate: &AggregateKey) -> Result<Stored, StoreError> {
        self.inner.load(aggregate).await
    }

    async fn handled(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<Option<u64>, StoreError> {
        self.inner.handled(aggregate, message).await
    }

    async fn version(&self, aggregate: &AggregateKey) -> Result<u64, StoreError> {
        self.inner.version(aggregate).await
    }

    async fn hold(
        &self,
        aggregate: &AggregateKey,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        self.inner.hold(aggregate, holder, lasting).await
    }

    async fn let_go(&self, aggregate: &AggregateKey, fence: Fence) -> Result<(), StoreError> {
        self.inner.let_go(aggregate, fence).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let mut step = Step {
            service: commit.aggregate.service,
            began: Instant::now(),
            ended: Instant::now(),
            appended: appended(&commit),
            snapshot: commit.snapshot.as_ref().map(Vec::len),
            messages: commit.outbox.len(),
        };
        let committed = self.inner.commit(commit).await;
        step.ended = Instant::now();
        if matches!(committed, Ok(Committed::Done(_))) {
            self.steps().push(step);
        }
        committed
    }

    async fn keep_snapshot(
        &self,
        aggregate: &AggregateKey,
        version: u64,
        state: Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.inner.keep_snapshot(aggregate, version, state).await
    }

    async fn journal(
        &self,
        aggregate: &AggregateKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.inner.journal(aggregate, after, limit).await
    }

    async fn keys(&self, service: Service) -> Result<Vec<String>, StoreError> {
        self.inner.keys(service).await
    }

    async fn outbox(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.inner.outbox(service, shard, after, limit).await
    }

    async fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        self.inner.lease(service, shard, holder, lasting).await
    }

    async fn release(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
    ) -> Result<(), StoreError> {
        self.inner.release(service, shard, fence).await
    }

    async fn sent(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
        places: &[u64],
    ) -> Result<bool, StoreError> {
        self.inner.sent(service, shard, fence, places).await
    }

    fn bells(&self) -> Option<Bells> {
        self.inner.bells()
    }

    async fn retire(&self, aggregate: &AggregateKey, version: u64) -> Result<bool, StoreError> {
        self.inner.retire(aggregate, version).await
    }

    async fn due(&self, until: Time, limit: usize) -> Result<Vec<DueDeadline>, StoreError> {
        self.inner.due(until, limit).await
    }

    async fn next_due(&self) -> Result<Option<Time>, StoreError> {
        self.inner.next_due().await
    }

    async fn begin_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<u32, StoreError> {
        self.inner.begin_trial(aggregate, message).await
    }

    async fn end_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        self.inner.end_trial(aggregate, message).await
    }

    fn condition(&self) -> store::Condition {
        self.inner.condition()
    }

    async fn health(&self) -> Result<(), StoreError> {
        self.inner.health().await
    }
}
