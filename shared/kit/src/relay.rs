//! The outbox relay: moves what commits have left in the store's outbox to the bus, in order.
//!
//! One task a service and shard. It sleeps until a commit rings; it hands entries over without
//! waiting for the answers to earlier ones, and deletes what the bus has answered for. After an
//! error it begins again at the first entry without an answer.

use std::collections::BTreeSet;
use std::time::Duration;

use bus::{BusError, Outgoing, Receipt};
use futures::future::{BoxFuture, FutureExt};
use futures::stream::{FuturesUnordered, StreamExt};
use protocol::{Service, Shard};
use store::StoreError;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::parts::Parts;

/// How many entries are read at a time.
const BATCH: usize = 128;
/// How many entries wait for the bus's answer at most.
const WINDOW: usize = 1_024;
/// Bells are not missed; this is for what another process has written.
const SWEEP: Duration = Duration::from_secs(30);
/// The pause after an error, and the longest it grows to.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));
/// At the end, how long the bus may be silent before we leave the rest to the next start.
const PATIENCE: Duration = Duration::from_millis(250);

/// Starts the relays of a service, one a shard. They end some time after `stop`.
pub(crate) fn start(parts: &Parts, service: Service, stop: &CancellationToken) -> JoinSet<()> {
    let mut relays = JoinSet::new();
    for shard in Shard::all() {
        let relay = Relay {
            parts: parts.clone(),
            service,
            shard,
            cursor: 0,
            again_up_to: u64::MAX,
            more: true,
            unanswered: BTreeSet::new(),
            answers: FuturesUnordered::new(),
            answered: Vec::new(),
        };
        relays.spawn(relay.run(stop.clone()));
    }
    relays
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
            tracing::info!(%service, %shard, "the outbox moves again");
        }
    }

    /// Tells whoever watches why this outbox does not move; the log, once for each reason.
    fn is_stuck(&self, error: &RelayError) {
        let (service, shard, why) = (self.service, self.shard, error.to_string());
        let told = self
            .parts
            .outboxes
            .set_trouble(service, shard, Some(why.clone()));
        if told.is_none() {
            self.parts.metrics.outboxes_stuck(service, 1);
        }
        if told.as_ref() != Some(&why) {
            tracing::error!(%service, %shard, why, "the outbox is stuck; trying again and again");
        }
    }

    /// Hands over what there is, then waits for something to happen.
    async fn turn(&mut self, stop: &CancellationToken) -> Result<(), RelayError> {
        self.forget_answered().await?;
        if self.more && self.unanswered.len() < WINDOW {
            return self.hand_over().await;
        }
        let answer = tokio::select! {
            answer = self.answers.next(), if !self.answers.is_empty() => answer,
            () = self.parts.outboxes.rung(self.service, self.shard) => None,
            () = tokio::time::sleep(SWEEP) => None,
            () = stop.cancelled() => None,
        };
        if let Some(answer) = answer {
            return self.take_answers(answer);
        }
        self.more = true;
        Ok(())
    }

    async fn hand_over(&mut self) -> Result<(), RelayError> {
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
            self.answered.push(place);
            self.parts.metrics.outbox_waiting(self.service, -1);
            next = self.answers.next().now_or_never().flatten();
        }
        Ok(())
    }

    async fn forget_answered(&mut self) -> Result<(), StoreError> {
        if !self.answered.is_empty() {
            self.parts
                .store
                .sent(self.service, self.shard, &self.answered)
                .await?;
            self.answered.clear();
        }
        Ok(())
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

    /// Hands over what is left and takes the answers that still come.
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
        Ok(())
    }
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
