//! Rounds past a service's queues and dead letters, for whoever watches.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bus::BusError;
use protocol::{Message, Service, Shard, Topic};
use tokio_util::sync::CancellationToken;

use crate::parts::Parts;

/// Between two rounds.
const ROUND: Duration = Duration::from_secs(5);
/// Dead letters are read when there are more or fewer than before, and this often.
const READ: Duration = Duration::from_secs(60);

/// Looks after the numbers of one service. Every process of the service has the same.
pub(crate) struct Watch<F> {
    parts: Parts,
    service: Service,
    /// May a game stand still without this message?
    holds_up: F,
    /// How many letters there were, and when they were read.
    read: Option<(u64, Instant)>,
}

impl<F: Fn(&Message) -> bool> Watch<F> {
    pub(crate) fn new(parts: &Parts, service: Service, holds_up: F) -> Self {
        Self {
            parts: parts.clone(),
            service,
            holds_up,
            read: None,
        }
    }

    /// Makes rounds until it is told to stop. While the bus is away the numbers stay as they were:
    /// that it is away is told elsewhere.
    pub(crate) async fn make_rounds(mut self, stop: CancellationToken) {
        loop {
            let round = async {
                if let Err(error) = self.look().await {
                    tracing::debug!(service = %self.service, %error, "the queues were not counted");
                }
                tokio::time::sleep(ROUND).await;
            };
            if stop.run_until_cancelled(round).await.is_none() {
                return;
            }
        }
    }

    async fn look(&mut self) -> Result<(), BusError> {
        let (bus, metrics) = (&self.parts.bus, &self.parts.metrics);
        let service = self.service;
        if bus.condition().blocked {
            return Ok(());
        }
        let mut waiting = 0;
        for shard in Shard::all() {
            waiting += bus.waiting(Topic { service, shard }).await?;
        }
        metrics.queue_waiting(service, waiting);
        let letters = bus.count_letters(service).await?;
        metrics.letters_standing(service, letters);
        let known = self
            .read
            .is_some_and(|(read, at)| read == letters && (letters == 0 || at.elapsed() < READ));
        if !known {
            let stuck: BTreeSet<String> = if letters == 0 {
                BTreeSet::new()
            } else {
                let letters = bus.dead_letters(service).await?.into_iter();
                letters
                    .map(|letter| letter.message)
                    .filter(|message| (self.holds_up)(message))
                    .map(|message| message.key)
                    .collect()
            };
            metrics.stuck_games(service, u64::try_from(stuck.len()).unwrap_or(u64::MAX));
            self.read = Some((letters, Instant::now()));
        }
        Ok(())
    }
}
