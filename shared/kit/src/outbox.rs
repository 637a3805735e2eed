//! What commits and relays tell each other about outboxes within a process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    /// Why it does not move.
    trouble: Mutex<Option<String>>,
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

    /// Says why an outbox does not move, or that it does. Answers what was said before.
    pub(crate) fn set_trouble(
        &self,
        service: Service,
        shard: Shard,
        trouble: Option<String>,
    ) -> Option<String> {
        let mut told = self
            .at(service, shard)
            .trouble
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut told, trouble)
    }

    /// Is this the trouble of any outbox of a service?
    pub(crate) fn is_known(&self, service: Service, trouble: &str) -> bool {
        Shard::all().any(|shard| {
            let told = self.at(service, shard).trouble.lock();
            let told = told.unwrap_or_else(PoisonError::into_inner);
            told.as_deref() == Some(trouble)
        })
    }

    /// Do all outboxes of a service move? If not: which do not, and why.
    pub(crate) fn health(&self, service: Service) -> Result<(), String> {
        let stuck: Vec<_> = Shard::all()
            .filter_map(|shard| {
                let outbox = self.at(service, shard);
                let trouble = outbox
                    .trouble
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                trouble.as_ref().map(|why| format!("shard {shard}: {why}"))
            })
            .collect();
        if stuck.is_empty() {
            Ok(())
        } else {
            Err(format!("does not move, {}", stuck.join("; ")))
        }
    }

    fn at(&self, service: Service, shard: Shard) -> &Outbox {
        &self.0[service as usize * usize::from(SHARDS) + usize::from(shard.number())]
    }
}
