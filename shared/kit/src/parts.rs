//! The things that a service is handed at start.

use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use bus::Bus;
use protocol::{Service, Shard};
use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::config::{ClockSource, Config};
use crate::health::Health;
use crate::logging::Told;
use crate::memory::Memories;
use crate::metrics::Metrics;
use crate::outbox::Outboxes;
use crate::time::TimeSource;

/// Between two looks whether the store is there: the first pause, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

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
    pub outboxes: Outboxes,
    /// What writers have in memory.
    pub memories: Memories,
    /// The name under which this process holds leases.
    pub instance: Arc<str>,
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
        let instance = drawn_name().into();
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
            outboxes: Outboxes::default(),
            memories: Memories::default(),
            instance,
            shutdown,
        }
    }

    /// Opens the store and the bus that the settings name.
    pub async fn open(config: Config, shutdown: CancellationToken) -> anyhow::Result<Self> {
        let clock = match &config.clock.source {
            ClockSource::System => TimeSource::system(),
            ClockSource::Playground(_) => {
                bail!("clock.source: this release has no clock but \"system\"")
            }
        };
        let store = store::open(config.store.url.reveal())
            .await
            .context("store.url")?;
        let bus = open_bus(&config).await?;
        let name = fixed_name(&config);
        let mut parts = Self::new(config, store, bus, clock, shutdown);
        if let Some(name) = name {
            parts.instance = name.into();
        }
        Ok(parts)
    }

    /// Waits until the store takes steps, or the process is to stop. For what a service reads
    /// before it begins; later on every call is tried again by whoever needs it.
    pub async fn store_is_there(&self) {
        let mut pause = PAUSE.0;
        let told = Told::default();
        while let Err(error) = self.store.health().await {
            if told.is_new(&error.to_string()) {
                tracing::warn!(%error, "waiting for the store");
            }
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.shutdown.cancelled() => return,
            }
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// The last thing before a graceful end, when all services have stopped: keeps a snapshot of
    /// every aggregate that has taken steps since its newest one: of those that a writer on these
    /// parts has in memory, and of all others of the services that were served. The next process
    /// replays no journal. Answers how many it kept; what cannot be kept is logged.
    pub async fn keep_snapshots(&self) -> usize {
        self.memories.keep_all(&*self.store).await
    }

    /// Has everything that was committed for this outbox before the call been handed to the
    /// bus? Then whatever is published now comes after it in every queue.
    pub async fn handed_over(&self, service: Service, shard: Shard) -> Result<bool, StoreError> {
        let place = self.outboxes.handed_over(service, shard);
        Ok(self
            .store
            .outbox(service, shard, place, 1)
            .await?
            .is_empty())
    }
}

/// Opens the bus that the settings name.
///
/// # Errors
/// When its URL, or the folder for its dead letters, cannot be used.
pub async fn open_bus(config: &Config) -> anyhow::Result<Arc<dyn Bus>> {
    let folder = bus_folder(config)?;
    bus::open(config.bus.url.reveal(), &folder)
        .await
        .context("bus.url")
}

/// The in-process bus keeps its dead letters in the folder of the embedded store; others need none.
fn bus_folder(config: &Config) -> anyhow::Result<PathBuf> {
    match store::folder(config.store.url.reveal()) {
        Ok(folder) => Ok(folder),
        Err(_) if config.bus.url.reveal() != "local" => Ok(PathBuf::new()),
        Err(_) => bail!(
            "bus.url: \"local\" keeps its dead letters in the folder of store.url, which is none: \
             use file:FOLDER there, or amqp:// here"
        ),
    }
}

/// A name that no other process has.
fn drawn_name() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// The machine and the address that the process listens on, which only one process can have:
/// whoever is started again after a crash holds at once what it held before.
fn fixed_name(config: &Config) -> Option<String> {
    let listen = config.http.listen;
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    (listen.port() != 0).then(|| format!("{}/{listen}", machine.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_started_again_has_its_name_and_no_other_has() {
        let at = |listen: &str| {
            let mut config = Config::default();
            config.http.listen = listen.parse().expect("an address");
            fixed_name(&config)
        };
        assert!(at("127.0.0.1:8081").is_some());
        assert_eq!(at("127.0.0.1:8081"), at("127.0.0.1:8081"));
        assert_ne!(at("127.0.0.1:8081"), at("127.0.0.1:8082"));
        assert_eq!(
            at("127.0.0.1:0"),
            None,
            "any port may be another's next time"
        );
        assert_ne!(drawn_name(), drawn_name());
    }
}
