//! The things that a service is handed at start.

use std::sync::Arc;

use bus::Bus;
use store::Store;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::health::Health;
use crate::metrics::Metrics;
use crate::relay::Bells;
use crate::time::TimeSource;

/// What a service works with. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Parts {
    /// The settings.
    pub config: Arc<Config>,
    /// How messages travel.
    pub bus: Arc<dyn Bus>,
    /// Where state is kept.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: TimeSource,
    /// What is counted.
    pub metrics: Metrics,
    /// What is well and what is not.
    pub health: Health,
    /// Wakes the outbox relays after commits.
    pub bells: Bells,
    /// Cancelled when the process is to stop.
    pub shutdown: CancellationToken,
}

impl Parts {
    /// Parts around this store and bus. Health checks for both are registered.
    pub fn new(
        config: Config,
        store: Arc<dyn Store>,
        bus: Arc<dyn Bus>,
        clock: TimeSource,
        shutdown: CancellationToken,
    ) -> Self {
        let health = Health::default();
        let (checked_store, checked_bus) = (Arc::clone(&store), Arc::clone(&bus));
        health.register("store", move || {
            let store = Arc::clone(&checked_store);
            async move { store.health().await.map_err(|e| e.to_string()) }
        });
        health.register("bus", move || {
            let bus = Arc::clone(&checked_bus);
            async move { bus.health().await.map_err(|e| e.to_string()) }
        });
        Self {
            config: Arc::new(config),
            bus,
            store,
            clock,
            metrics: Metrics::default(),
            health,
            bells: Bells::default(),
            shutdown,
        }
    }

    /// Opens the store and the bus that the configuration names.
    pub async fn open(config: Config, shutdown: CancellationToken) -> anyhow::Result<Self> {
        let _ = (config, shutdown);
        todo!()
    }
}
