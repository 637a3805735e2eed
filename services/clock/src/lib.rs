//! Deadlines: the service that tells night when one has come.
//!
//! It keeps nothing of its own. Deadlines live with the games, in the store; clock looks there,
//! sleeps until the next instant, and rings. It looks again each second when its doorbell goes,
//! when a game says that its deadlines have changed, and when a game has taken what was rung. A
//! deadline stays in the store until its game has dealt with it, so one that fell due while
//! clock was down, or whose message was lost, is rung when clock looks next; one that stays is
//! rung again every minute.
//!
//! Invariant: whatever clock does twice or too late does no harm; night decides what a deadline
//! means, from the time that the message carries.

mod doorbell;
mod ring;
mod rounds;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bus::{Bus, BusError, Settle};
use kit::{CancellationToken, Parts};
use protocol::{Service, Shard, Topic};
use rules::Time;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use doorbell::Doorbell;
use ring::Rang;
use rounds::Rounds;

/// How far ahead clock looks: further than the doorbell is ever apart, so that each deadline is
/// known before it comes, if it was set that early.
const AHEAD_MS: i64 = 3_000;

/// For how long clock may be unable to look before it counts as unwell.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the rings under way are waited for at the end. What is cut off is rung after the
/// next start.
const LAST_WAIT: Duration = Duration::from_secs(1);

/// The pause before clock tries again to listen to nudges.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);

/// Runs the service until its parts' shutdown token is cancelled.
pub async fn run(parts: Parts) -> anyhow::Result<()> {
    let bell = Arc::new(Notify::new());
    let doorbell = Doorbell::hang(Arc::clone(&bell)).await?;
    let nudges = tokio::spawn(nudges(
        Arc::clone(&parts.bus),
        Arc::clone(&bell),
        parts.shutdown.clone(),
    ));

    let mut desk = Desk::new(parts);
    desk.work(&bell).await;

    doorbell.take_down().await;
    desk.finish().await;
    nudges.await?;
    Ok(())
}

/// Clock at work.
struct Desk {
    parts: Parts,
    rounds: Rounds,
    rings: JoinSet<Rang>,
    /// When it last could look into the store.
    looked: Arc<Mutex<Instant>>,
}

impl Desk {
    fn new(parts: Parts) -> Self {
        let looked = Arc::new(Mutex::new(Instant::now()));
        let last = Arc::clone(&looked);
        parts.health.register("clock", move || {
            let since = last
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .elapsed();
            let well = since <= PATIENCE;
            let answer = if well {
                Ok(())
            } else {
                Err(format!("has not looked for {since:?}"))
            };
            async move { answer }
        });
        Self {
            parts,
            rounds: Rounds::default(),
            rings: JoinSet::new(),
            looked,
        }
    }

    async fn work(&mut self, bell: &Notify) {
        let shutdown = self.parts.shutdown.clone();
        while !shutdown.is_cancelled() {
            let next = self.look().await;
            let clock = self.parts.clock.clone();
            let sleep = async move {
                match next {
                    Some(at) => clock.sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = bell.notified() => {}
                () = sleep => {}
                Some(rang) = self.rings.join_next() => self.settle(rang),
            }
            while let Some(rang) = self.rings.try_join_next() {
                self.settle(rang);
            }
        }
    }

    /// Rings what is due; answers when the next deadline comes, as far as it is known.
    async fn look(&mut self) -> Option<Time> {
        loop {
            let now = self.parts.clock.now();
            let limit = self.rounds.limit();
            let due = match self.parts.store.due(now.plus_ms(AHEAD_MS), limit).await {
                Ok(due) => due,
                Err(error) => {
                    tracing::warn!(%error, "deadlines cannot be read; looking again soon");
                    return None;
                }
            };
            *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
            let plan = self.rounds.plan(&due, now, due.len() < limit);
            for ring in plan.rings {
                self.rings.spawn(ring::ring(self.parts.clone(), ring));
            }
            if !plan.more {
                return plan.next;
            }
        }
    }

    fn settle(&mut self, rang: Result<Rang, tokio::task::JoinError>) {
        match rang {
            Ok(rang) => self.rounds.settle(&rang.aggregate, rang.taken),
            // Which game's ring it was is not known any more; all are open to being rung again.
            Err(error) => {
                tracing::error!(%error, "a ring was cut short");
                self.rounds = Rounds::default();
            }
        }
    }

    async fn finish(mut self) {
        let all = async { while self.rings.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_WAIT, all).await.is_err() {
            tracing::info!("deadlines under way are rung again after the next start");
        }
    }
}

/// Rings the bell whenever a game says that its deadlines have changed, until the shutdown.
/// Nudges are a help: without them the doorbell finds the deadlines.
async fn nudges(bus: Arc<dyn Bus>, bell: Arc<Notify>, shutdown: CancellationToken) {
    let listening = async {
        loop {
            if let Err(error) = listen(bus.as_ref(), &bell).await {
                tracing::warn!(%error, "nudges cannot be heard; listening again soon");
            }
            tokio::time::sleep(LISTEN_AGAIN).await;
        }
    };
    shutdown.run_until_cancelled(listening).await;
}

/// Listens until the bus goes away.
async fn listen(bus: &dyn Bus, bell: &Notify) -> Result<(), BusError> {
    const PREFETCH: usize = 64;
    let topics = Shard::all()
        .map(|shard| Topic {
            service: Service::Clock,
            shard,
        })
        .collect();
    let mut subscription = bus.subscribe(topics, PREFETCH).await?;
    while let Some(delivery) = subscription.next().await {
        bell.notify_one();
        subscription.settle(delivery.tag, Settle::Ack).await?;
    }
    Ok(())
}
