//! What commits and relays tell each other about outboxes within a process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use protocol::{SHARDS, Service, Shard};
use tokio::sync::Notify;

/// A bell and a mark for each outbox. A commit with messages rings the bell, so that the relay
/// wakes at once; the relay keeps the mark where it is. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Outboxes(Arc<[Outbox]>);

#[derive(Debug, Default)]
struct Outbox {
    bell: Notify,
    handed_over: AtomicU64,
}

impl Default for Outboxes {
    fn default() -> Self {
        let count = Service::ALL.len() * usize::from(SHARDS);
        Self((0..count).map(|_| Outbox::default()).collect())
    }
}

impl Outboxes {
    /// Something was put into this outbox.
    pub fn ring(&self, service: Service, shard: Shard) {
        self.at(service, shard).bell.notify_one();
    }

    /// Waits until something has been put into this outbox since the last wait.
    pub(crate) async fn rung(&self, service: Service, shard: Shard) {
        self.at(service, shard).bell.notified().await;
    }

    /// The place up to which entries have been handed to the bus, in order.
    pub(crate) fn handed_over(&self, service: Service, shard: Shard) -> u64 {
        self.at(service, shard).handed_over.load(Ordering::Acquire)
    }

    /// Sets that place.
    pub(crate) fn set_handed_over(&self, service: Service, shard: Shard, place: u64) {
        self.at(service, shard)
            .handed_over
            .store(place, Ordering::Release);
    }

    fn at(&self, service: Service, shard: Shard) -> &Outbox {
        &self.0[service as usize * usize::from(SHARDS) + usize::from(shard.number())]
    }
}
