//! The embedded kind: one SQLite file in a folder of its own, for one process.
//!
//! One thread writes. What waits for it is taken together into one transaction, so that many
//! commits share one flush to disk. Reads have connections of their own and never wait for it.

mod leases;
mod outboxes;
mod read;
mod schema;
mod step;
mod write;

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{MessageId, Service, Shard};
use rules::Time;
use rusqlite::Connection;

use self::leases::{Leases, Thing};
use self::outboxes::Outboxes;
use self::read::Readers;
use self::write::{Job, WriteThread};
use crate::{
    AggregateKey, Bells, Commit, Committed, Condition, DueDeadline, Fence, OpenError, OutboxEntry,
    Store, StoreError, Stored,
};

/// The database's name in its folder.
const DATABASE: &str = "duskgate.sqlite";
/// The file whose lock says that a process has the folder.
const LOCK: &str = "duskgate.lock";

/// A store in a folder. The folder belongs to this value until it is dropped.
pub struct SqliteStore {
    // Fields are dropped in this order: connections before the lock.
    writer: WriteThread,
    readers: Arc<Readers>,
    outboxes: Arc<Outboxes>,
    leases: Leases,
    _lock: File,
}

impl SqliteStore {
    /// Opens the store in `folder`, which is made when it is missing. Blocks.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let broken = |why: String| OpenError::Folder {
            folder: folder.to_owned(),
            why,
        };
        std::fs::create_dir_all(folder).map_err(|e| broken(e.to_string()))?;
        let lock = lock(folder)?;
        let path = folder.join(DATABASE);
        let mut connection = Connection::open(&path).map_err(|e| broken(e.to_string()))?;
        schema::set_up_writer(&connection).map_err(|e| broken(e.to_string()))?;
        schema::migrate(&mut connection, folder)?;
        let outboxes = Outboxes::read(&connection).map_err(|e| broken(e.to_string()))?;
        let outboxes = Arc::new(outboxes);
        let writer = WriteThread::start(connection, Arc::clone(&outboxes))
            .map_err(|e| broken(e.to_string()))?;
        Ok(Self {
            writer,
            readers: Arc::new(Readers::new(path)),
            outboxes,
            leases: Leases::default(),
            _lock: lock,
        })
    }

    /// The file that holds everything, for backups and tests.
    pub fn database(folder: &Path) -> PathBuf {
        folder.join(DATABASE)
    }

    async fn read<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let readers = Arc::clone(&self.readers);
        tokio::task::spawn_blocking(move || readers.with(what))
            .await
            .map_err(|e| StoreError::Unavailable(format!("a read did not finish: {e}")))?
    }
}

fn lock(folder: &Path) -> Result<File, OpenError> {
    let broken = |e: std::io::Error| OpenError::Folder {
        folder: folder.to_owned(),
        why: format!("its lock: {e}"),
    };
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join(LOCK))
        .map_err(broken)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(OpenError::InUse {
            folder: folder.to_owned(),
        }),
        Err(TryLockError::Error(e)) => Err(broken(e)),
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn load(&self, aggregate: &AggregateKey) -> Result<Stored, StoreError> {
        let aggregate = aggregate.clone();
        self.read(move |connection| read::load(connection, &aggregate))
            .await
    }

    async fn handled(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<Option<u64>, StoreError> {
        let (aggregate, message) = (aggregate.clone(), message.clone());
        self.read(move |connection| read::handled(connection, &aggregate, &message))
            .await
    }

    async fn version(&self, aggregate: &AggregateKey) -> Result<u64, StoreError> {
        let aggregate = aggregate.clone();
        self.read(move |connection| read::version(connection, &aggregate))
            .await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.writer
            .ask(|answer| Job::Commit(Box::new(commit), answer))
            .await
    }

    async fn keep_snapshot(
        &self,
        aggregate: &AggregateKey,
        version: u64,
        state: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let aggregate = aggregate.clone();
        self.writer
            .ask(|answer| Job::Keep {
                aggregate,
                version,
                state,
                answer,
            })
            .await
    }

    async fn journal(
        &self,
        aggregate: &AggregateKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        let aggregate = aggregate.clone();
        self.read(move |connection| read::journal(connection, &aggregate, after, limit))
            .await
    }

    async fn keys(&self, service: Service) -> Result<Vec<String>, StoreError> {
        self.read(move |connection| read::keys(connection, service))
            .await
    }

    async fn outbox(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.outboxes.list(service, shard, after, limit)
    }

    async fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        let outbox = Thing::Outbox(service, shard);
        Ok(self.leases.lease(outbox, holder, lasting))
    }

    async fn release(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
    ) -> Result<(), StoreError> {
        self.leases.release(&Thing::Outbox(service, shard), fence);
        Ok(())
    }

    async fn hold(
        &self,
        aggregate: &AggregateKey,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        let thing = Thing::Aggregate(aggregate.clone());
        Ok(self.leases.lease(thing, holder, lasting))
    }

    async fn let_go(&self, aggregate: &AggregateKey, fence: Fence) -> Result<(), StoreError> {
        self.leases
            .release(&Thing::Aggregate(aggregate.clone()), fence);
        Ok(())
    }

    async fn sent(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
        places: &[u64],
    ) -> Result<bool, StoreError> {
        let outbox = Thing::Outbox(service, shard);
        if !self.leases.is_newest(&outbox, fence) {
            return Ok(false);
        }
        let taken = self.outboxes.take(service, shard, places);
        if !taken.is_empty() {
            self.writer.tell(Job::Forget(taken))?;
        }
        Ok(true)
    }

    fn bells(&self) -> Option<Bells> {
        None
    }

    async fn retire(&self, aggregate: &AggregateKey, version: u64) -> Result<bool, StoreError> {
        let aggregate = aggregate.clone();
        self.writer
            .ask(|answer| Job::Retire {
                aggregate,
                version,
                answer,
            })
            .await
    }

    async fn due(&self, until: Time, limit: usize) -> Result<Vec<DueDeadline>, StoreError> {
        self.read(move |connection| read::due(connection, until, limit))
            .await
    }

    async fn next_due(&self) -> Result<Option<Time>, StoreError> {
        self.read(|connection| read::next_due(connection)).await
    }

    async fn begin_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<u32, StoreError> {
        let (aggregate, message) = (aggregate.clone(), message.clone());
        self.writer
            .ask(|answer| Job::BeginTrial {
                aggregate,
                message,
                answer,
            })
            .await
    }

    async fn end_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        let (aggregate, message) = (aggregate.clone(), message.clone());
        self.writer
            .ask(|answer| Job::EndTrial {
                aggregate,
                message,
                answer,
            })
            .await
    }

    fn condition(&self) -> Condition {
        Condition {
            connected: true,
            reconnects: 0,
        }
    }

    async fn health(&self) -> Result<(), StoreError> {
        self.writer.ask(Job::Pulse).await
    }
}

/// What an error of SQLite means to callers.
fn store_error(error: &rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    match error.sqlite_error_code() {
        Some(DatabaseCorrupt | NotADatabase) => StoreError::Corrupt {
            place: DATABASE.to_owned(),
            why: error.to_string(),
        },
        _ => StoreError::Unavailable(error.to_string()),
    }
}
