//! The in-process kind: queues in memory, dead letters in a small file.
//!
//! Queues do not outlive the process; what was not settled is still in its sender's outbox and
//! is published again after a restart. That is why a receipt is answered when the consumer has
//! settled, and not before.

mod letters;
mod queue;
mod subscription;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use async_trait::async_trait;
use protocol::{Message, SHARDS, Service, Topic};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use self::letters::Letters;
use self::queue::{Consumer, Item, Origin, Queue};
use self::subscription::LocalSubscription;
use crate::{Bus, BusError, Condition, DeadLetter, OpenError, Outgoing, Receipt, Subscription};

/// With so many messages waiting in a queue, further ones that may be lost are lost.
const TRANSIENT_LIMIT: usize = 1_024;

/// A bus within one process.
pub struct LocalBus(Arc<Shared>);

struct Shared {
    /// One for each service and shard, each with a lock of its own: topics never wait for each
    /// other.
    queues: Vec<Mutex<Queue>>,
    letters: Letters,
    /// Letters that were put back and are in our queues.
    on_their_way: Mutex<BTreeSet<u64>>,
    last_consumer: AtomicU64,
    closed: CancellationToken,
}

impl LocalBus {
    /// A bus with empty queues, and with the dead letters that are in `folder`. Letters that had
    /// been put back and were not settled are in their queues again. Blocks.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        let letters = Letters::open(folder)?;
        let count = Service::ALL.len() * usize::from(SHARDS);
        let shared = Shared {
            queues: (0..count).map(|_| Mutex::default()).collect(),
            letters,
            on_their_way: Mutex::default(),
            last_consumer: AtomicU64::default(),
            closed: CancellationToken::new(),
        };
        shared.take_up_letters().map_err(|why| OpenError::Letters {
            file: folder.to_owned(),
            why: why.to_string(),
        })?;
        Ok(Self(Arc::new(shared)))
    }

    /// Stops the bus: subscriptions end, nothing is taken any more.
    pub fn close(&self) {
        self.0.closed.cancel();
    }

    async fn with_letters<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Shared) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, BusError> {
        let shared = Arc::clone(&self.0);
        blocking(move || what(&shared)).await
    }
}

/// Runs something that blocks on the file of dead letters. It runs to its end, also when the
/// caller goes away.
async fn blocking<T: Send + 'static>(
    what: impl FnOnce() -> rusqlite::Result<T> + Send + 'static,
) -> Result<T, BusError> {
    let unavailable = |why: String| BusError::Unavailable(format!("dead letters: {why}"));
    tokio::task::spawn_blocking(what)
        .await
        .map_err(|e| unavailable(e.to_string()))?
        .map_err(|e| unavailable(e.to_string()))
}

impl Shared {
    fn queue(&self, topic: Topic) -> MutexGuard<'_, Queue> {
        self.queue_at(place_of(topic))
    }

    fn queue_at(&self, index: usize) -> MutexGuard<'_, Queue> {
        self.queues[index]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: Message, origin: Origin, redelivered: bool, returned: u32) {
        let topic = message.to;
        let item = Item {
            message,
            attempt: 1,
            redelivered,
            returned,
            published: SystemTime::now(),
            not_before: None,
            origin,
        };
        self.queue(topic).push(item);
    }

    fn on_their_way(&self) -> MutexGuard<'_, BTreeSet<u64>> {
        self.on_their_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts letters into their queues that were put back and are not there: before this process
    /// began, or by another process meanwhile.
    fn take_up_letters(&self) -> rusqlite::Result<()> {
        let mut known = self.on_their_way();
        for (id, message, before) in self.letters.unsettled()? {
            if known.contains(&id) {
                continue;
            }
            self.letters.taken_up(id)?;
            known.insert(id);
            self.push(message, Origin::Letter(id), true, before.into());
        }
        Ok(())
    }

    /// A letter that was put back has been handled.
    fn forget_letter(&self, id: u64) -> rusqlite::Result<()> {
        let mut known = self.on_their_way();
        self.letters.forget(id)?;
        known.remove(&id);
        Ok(())
    }

    fn check_open(&self) -> Result<(), BusError> {
        if self.closed.is_cancelled() {
            Err(BusError::Closed)
        } else {
            Ok(())
        }
    }
}

/// Where a topic's queue is among the queues.
fn place_of(topic: Topic) -> usize {
    topic.service as usize * usize::from(SHARDS) + usize::from(topic.shard.number())
}

#[async_trait]
impl Bus for LocalBus {
    async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError> {
        self.0.check_open()?;
        let receipts = messages.into_iter().map(|Outgoing { message, again }| {
            let (settled, receipt) = oneshot::channel();
            self.0
                .push(message, Origin::Published(settled), again, again.into());
            Receipt::new(async move { receipt.await.map_err(|_| BusError::Closed) })
        });
        Ok(receipts.collect())
    }

    async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError> {
        self.0.check_open()?;
        for message in messages {
            let room = {
                let queue = self.0.queue(message.to);
                queue.is_listened_to() && queue.waiting() < TRANSIENT_LIMIT
            };
            if room {
                self.0.push(message, Origin::Transient, false, 0);
            }
        }
        Ok(())
    }

    async fn subscribe(
        &self,
        topics: Vec<Topic>,
        prefetch: usize,
    ) -> Result<Box<dyn Subscription>, BusError> {
        self.0.check_open()?;
        let consumer = Consumer {
            id: self.0.last_consumer.fetch_add(1, Ordering::Relaxed),
            wake: Arc::new(Notify::new()),
        };
        Ok(Box::new(LocalSubscription::new(
            Arc::clone(&self.0),
            consumer,
            &topics,
            prefetch,
        )))
    }

    async fn dead_letters(&self, service: Service) -> Result<Vec<DeadLetter>, BusError> {
        self.with_letters(move |shared| shared.letters.list(service))
            .await
    }

    async fn put_back(&self, service: Service, id: u64) -> Result<(), BusError> {
        self.0.check_open()?;
        let found = self
            .with_letters(move |shared| {
                let found = shared.letters.take(service, id)?;
                if found {
                    shared.take_up_letters()?;
                }
                Ok(found)
            })
            .await?;
        if found {
            Ok(())
        } else {
            Err(BusError::UnknownLetter(service, id))
        }
    }

    async fn drop_letter(&self, service: Service, id: u64) -> Result<(), BusError> {
        let dropped = self
            .with_letters(move |shared| shared.letters.drop(service, id))
            .await?;
        if dropped {
            Ok(())
        } else {
            Err(BusError::UnknownLetter(service, id))
        }
    }

    async fn count_letters(&self, service: Service) -> Result<u64, BusError> {
        self.with_letters(move |shared| {
            shared.take_up_letters()?;
            shared.letters.count(service)
        })
        .await
    }

    async fn waiting(&self, topic: Topic) -> Result<u64, BusError> {
        let waiting = self.0.queue(topic).waiting();
        Ok(u64::try_from(waiting).unwrap_or(u64::MAX))
    }

    fn condition(&self) -> Condition {
        Condition {
            connected: !self.0.closed.is_cancelled(),
            blocked: false,
            reconnects: 0,
        }
    }

    async fn health(&self) -> Result<(), BusError> {
        self.0.check_open()
    }
}
