//! The outbox relay: moves what commits have left in the store's outbox to the bus, in order.

use std::sync::Arc;

use protocol::{SHARDS, Service, Shard};
use tokio::sync::Notify;

/// A bell for each outbox; a commit with messages rings it, the relay sleeps until it rings.
#[derive(Debug, Clone)]
pub struct Bells(Arc<[Notify]>);

impl Default for Bells {
    fn default() -> Self {
        let count = Service::ALL.len() * usize::from(SHARDS);
        Self((0..count).map(|_| Notify::new()).collect())
    }
}

impl Bells {
    /// Something was put into this outbox.
    pub fn ring(&self, service: Service, shard: Shard) {
        self.bell(service, shard).notify_one();
    }

    /// Waits until something has been put into this outbox since the last wait.
    pub(crate) async fn rung(&self, service: Service, shard: Shard) {
        self.bell(service, shard).notified().await;
    }

    fn bell(&self, service: Service, shard: Shard) -> &Notify {
        &self.0[service as usize * usize::from(SHARDS) + usize::from(shard.number())]
    }
}
