//! The outbox relay: moves what commits have left in the store's outbox to the bus, in order.
//!
//! One task a service and shard. It sleeps until a commit rings; it hands entries over without
//! waiting for the answers to earlier ones, and deletes what the bus has answered for. After an
//! error it begins again at the first entry without an answer.
//!
//! Several processes may run the same service: a relay moves its outbox only while it holds the
//! store's lease on it ([`Tenure`]), which it takes when there is something to move and lets
//! lapse when there is not.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bus::{BusError, Outgoing, Receipt};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use protocol::{Message, Service, Shard};
use store::{Bells, StoreError};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::outbox::Outboxes;
use crate::parts::Parts;
use crate::tenure::{Tenancy, Tenure};

/// How many entries are read at a time.
const BATCH: usize = 128;
/// How many entries wait for the bus's answer at most.
const WINDOW: usize = 1_024;
/// What the bus has answered for is deleted together, after so long or when it is so many.
const LINGER: Duration = Duration::from_millis(20);
const MANY: usize = 64;
/// Bells are not missed within a process that has the store for itself; this is for what was
/// there before.
const SWEEP: Duration = Duration::from_secs(30);
/// Among several processes: for what another has left behind, or a bell that was not heard.
const SHARED_SWEEP: Duration = Duration::from_secs(2);
/// The pause after an error, and the longest it grows to.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// At the end, how long the bus may be silent before we leave the rest to the next start.
const PATIENCE: Duration = Duration::from_millis(250);

/// Starts the relays of a service, one a shard. They end some time after `stop`.
pub(crate) fn start(parts: &Parts, service: Service, stop: &CancellationToken) -> JoinSet<()> {
    let mut relays = JoinSet::new();
    let bells = parts.store.bells();
    let sweep = if bells.is_some() { SHARED_SWEEP } else { SWEEP };
    if let Some(bells) = bells {
        relays.spawn(pass_on(
            bells,
            service,
            parts.outboxes.clone(),
            stop.clone(),
        ));
    }
    for shard in Shard::all() {
        let tenure = Tenure::new(
            Arc::clone(&parts.store),
            service,
            shard,
            parts.instance.to_string(),
        );
        let relay = Relay {
            parts: parts.clone(),
            service,
            shard,
            sweep,
            tenure,
            cursor: 0,
            again_up_to: u64::MAX,
            more: true,
            unanswered: BTreeSet::new(),
            answers: FuturesUnordered::new(),
            answered: Vec::new(),
            answered_since: Instant::now(),
        };
        relays.spawn(relay.run(stop.clone()));
    }
    relays
}

/// Rings for what other processes put into a service's outboxes.
async fn pass_on(mut bells: Bells, service: Service, outboxes: Outboxes, stop: CancellationToken) {
    loop {
        let heard = tokio::select! {
            heard = bells.recv() => heard,
            () = stop.cancelled() => return,
        };
        match heard {
            Ok((of, shard)) if of == service => outboxes.ring(service, shard),
            Ok(_) => {}
            Err(RecvError::Lagged(_)) => {
                for shard in Shard::all() {
                    outboxes.ring(service, shard);
                }
            }
            Err(RecvError::Closed) => return,
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Bus(#[from] BusError),
}

struct Relay {
    parts: Parts,
    service: Service,
    shard: Shard,
    sweep: Duration,
    tenure: Tenure,
    /// The last place handed over.
    cursor: u64,
    /// Entries up to here may have been handed over before. At first that is everything we did
    /// not see being written.
    again_up_to: u64,
    /// May there be entries after the cursor?
    more: bool,
    /// Handed over, without an answer so far.
    unanswered: BTreeSet<u64>,
    answers: FuturesUnordered<BoxFuture<'static, (u64, Result<(), BusError>)>>,
    /// The bus has answered for these; the store has not forgotten them yet.
    answered: Vec<u64>,
    /// When the first of those came.
    answered_since: Instant,
}

impl Relay {
    async fn run(mut self, stop: CancellationToken) {
        let mut pause = PAUSE.0;
        while !stop.is_cancelled() {
            match self.turn(&stop).await {
                Ok(()) => {
                    pause = PAUSE.0;
                    self.moves();
                }
                Err(error) => {
                    self.is_stuck(&error);
                    self.begin_again();
                    tokio::select! {
                        () = tokio::time::sleep(pause) => {}
                        () = stop.cancelled() => {}
                    }
                    pause = (pause * 2).min(PAUSE.1);
                }
            }
        }
        if let Err(error) = self.flush().await {
            let (service, shard) = (self.service, self.shard);
            tracing::warn!(%service, %shard, %error, "the outbox is left to the next start");
        }
        self.parts
            .metrics
            .outbox_waiting(self.service, -count(self.unanswered.len()));
    }

    /// Tells whoever watches that this outbox moves.
    fn moves(&self) {
        let (service, shard) = (self.service, self.shard);
        if self
            .parts
            .outboxes
            .set_trouble(service, shard, None)
            .is_some()
        {
            self.parts.metrics.outboxes_stuck(service, -1);
            if self.parts.outboxes.health(service).is_ok() {
                tracing::info!(%service, "all outboxes move again");
            } else {
                tracing::debug!(%service, %shard, "the outbox moves again");
            }
        }
    }

    /// Tells whoever watches why this outbox does not move; the log, once for each reason and not
    /// for each of a service's sixteen outboxes.
    fn is_stuck(&self, error: &RelayError) {
        let (service, shard, why) = (self.service, self.shard, error.to_string());
        let known = self.parts.outboxes.is_known(service, &why);
        let told = self
            .parts
            .outboxes
            .set_trouble(service, shard, Some(why.clone()));
        if told.is_none() {
            self.parts.metrics.outboxes_stuck(service, 1);
        }
        if !known {
            tracing::error!(%service, %shard, why, "the outbox is stuck; trying again and again");
        }
    }

    /// Hands over what there is, then waits for something to happen.
    async fn turn(&mut self, stop: &CancellationToken) -> Result<(), RelayError> {
        if self.answered.len() >= MANY || self.forget_at().is_some_and(|at| at <= Instant::now()) {
            self.forget_answered().await?;
        }
        if self.more && self.unanswered.len() < WINDOW {
            return self.hand_over().await;
        }
        if !self.unanswered.is_empty() && self.tenure.is_ending() {
            return self.stay().await.map(|_| ());
        }
        let until = self.wait_until();
        let answer = tokio::select! {
            answer = self.answers.next(), if !self.answers.is_empty() => answer,
            () = self.parts.outboxes.rung(self.service, self.shard) => {
                self.tenure.is_wanted();
                self.more = true;
                None
            }
            () = tokio::time::sleep_until(until.into()) => {
                self.more = self.unanswered.is_empty() && self.answered.is_empty();
                None
            }
            () = stop.cancelled() => None,
        };
        match answer {
            Some(answer) => self.take_answers(answer),
            None => Ok(()),
        }
    }

    /// When to look again though nothing has happened.
    fn wait_until(&self) -> Instant {
        let now = Instant::now();
        let renewal = (!self.unanswered.is_empty()).then(|| self.tenure.ends_soon_at());
        let again = self.tenure.try_again_at();
        [self.forget_at(), renewal.flatten(), again]
            .into_iter()
            .flatten()
            .min()
            .map_or(now + self.sweep, |at| at.min(now + self.sweep))
    }

    fn forget_at(&self) -> Option<Instant> {
        (!self.answered.is_empty()).then(|| self.answered_since + LINGER)
    }

    /// Makes sure that the outbox is ours to move. It is not when somebody else moves it.
    async fn stay(&mut self) -> Result<bool, RelayError> {
        let busy = !self.unanswered.is_empty();
        match self.tenure.stay(busy).await? {
            Tenancy::Same => Ok(true),
            Tenancy::New => {
                self.start_over();
                Ok(true)
            }
            Tenancy::Nothing => {
                self.more = false;
                Ok(false)
            }
            Tenancy::Others => {
                self.start_over();
                self.more = false;
                Ok(false)
            }
        }
    }

    async fn hand_over(&mut self) -> Result<(), RelayError> {
        if !self.stay().await? {
            return Ok(());
        }
        let (service, shard) = (self.service, self.shard);
        let entries = self
            .parts
            .store
            .outbox(service, shard, self.cursor, BATCH)
            .await?;
        // After a short batch, too: it may have ended before an entry that cannot be read.
        self.more = !entries.is_empty();
        let again_up_to = self.again_up_to;
        if entries.len() < BATCH && again_up_to == u64::MAX {
            // From here on we see everything being written.
            self.again_up_to = entries.last().map_or(self.cursor, |entry| entry.place);
        }
        let Some(last) = entries.last().map(|entry| entry.place) else {
            return Ok(());
        };
        for entry in &entries {
            let Message { id, trace, to, .. } = &entry.message;
            tracing::debug!(%service, trace, %id, %to, "handing over");
        }
        let places: Vec<_> = entries.iter().map(|entry| entry.place).collect();
        let outgoing = entries.into_iter().map(|entry| Outgoing {
            again: entry.place <= again_up_to,
            message: entry.message,
        });
        let receipts = match self.parts.bus.publish(outgoing.collect()).await {
            Ok(receipts) => receipts,
            Err(error) => {
                self.again_up_to = self.again_up_to.max(last);
                return Err(error.into());
            }
        };
        self.cursor = last;
        self.parts.outboxes.set_handed_over(service, shard, last);
        self.parts
            .metrics
            .outbox_waiting(service, count(places.len()));
        for (place, receipt) in places.into_iter().zip(receipts) {
            self.expect(place, receipt);
        }
        Ok(())
    }

    fn expect(&mut self, place: u64, receipt: Receipt) {
        self.unanswered.insert(place);
        self.answers
            .push(receipt.map(move |answer| (place, answer)).boxed());
    }

    /// Takes this answer and all others that are there.
    fn take_answers(&mut self, first: (u64, Result<(), BusError>)) -> Result<(), RelayError> {
        let mut next = Some(first);
        while let Some((place, answer)) = next {
            answer?;
            self.unanswered.remove(&place);
            if self.answered.is_empty() {
                self.answered_since = Instant::now();
            }
            self.answered.push(place);
            self.parts.metrics.outbox_waiting(self.service, -1);
            next = self.answers.next().now_or_never().flatten();
        }
        Ok(())
    }

    async fn forget_answered(&mut self) -> Result<(), StoreError> {
        if !self.answered.is_empty() {
            if self.tenure.forget(&self.answered).await? {
                self.answered.clear();
            } else {
                // Whoever moves the outbox now hands them over again.
                self.start_over();
                self.answered.clear();
            }
        }
        Ok(())
    }

    /// Somebody else may have moved the outbox meanwhile: what is in it may all have been handed
    /// over before.
    fn start_over(&mut self) {
        self.begin_again();
        self.cursor = 0;
        self.again_up_to = u64::MAX;
    }

    /// Goes back to the first entry without an answer. What was answered and is not forgotten
    /// yet is forgotten before anything is read.
    fn begin_again(&mut self) {
        self.again_up_to = self.again_up_to.max(self.cursor);
        if let Some(first) = self.unanswered.first() {
            self.cursor = self.cursor.min(first - 1);
            self.parts
                .outboxes
                .set_handed_over(self.service, self.shard, self.cursor);
        }
        self.parts
            .metrics
            .outbox_waiting(self.service, -count(self.unanswered.len()));
        self.unanswered.clear();
        self.answers.clear();
        self.more = true;
    }

    /// Hands over what is left, takes the answers that still come, and lets others move the rest.
    async fn flush(&mut self) -> Result<(), RelayError> {
        self.forget_answered().await?;
        self.more = true;
        while self.more {
            self.hand_over().await?;
        }
        while let Ok(Some(answer)) = tokio::time::timeout(PATIENCE, self.answers.next()).await {
            self.take_answers(answer)?;
            self.forget_answered().await?;
        }
        self.forget_answered().await?;
        self.tenure.end().await?;
        Ok(())
    }
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
