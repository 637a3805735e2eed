//! The loop of a service: queue → decide → commit → acknowledge.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use async_trait::async_trait;
use bus::{Delivery, MAX_ATTEMPTS, Settle, Subscription};
use futures::FutureExt;
use protocol::{Message, Shard, Topic};
use store::StoreError;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::aggregate::Aggregate;
use crate::lanes::{Ended, Lanes};
use crate::logging::Told;
use crate::metrics::MessageOutcome;
use crate::relay;
use crate::retire;
use crate::trials::{Trial, Trials};
use crate::watch::Watch;
use crate::writer::{HandleError, Handled, Writer, panic_text};

/// How many messages of a queue are in hand at a time.
const PREFETCH: usize = 32;
/// The pause before a failed message is tried again; it doubles with each try.
const RETRY: Duration = Duration::from_millis(20);
/// The pause while the store is away; it doubles up to the second.
const WAIT: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// What a service adds to the loop. Every method has a default that does nothing.
#[async_trait]
pub trait Hooks<A: Aggregate>: Send + Sync + 'static {
    /// A message for the service itself (its key is empty). It is acknowledged when this
    /// returns, and nothing is committed. Messages of one shard come one after another.
    async fn on_service_message(&self, message: Message) {
        let _ = message;
    }

    /// A step was committed (or had been before), its message not yet acknowledged. A crash
    /// may swallow this call: use it to wake somebody who would find the work anyway.
    async fn after_commit(&self, key: &str, input: &A::Input, handled: &Handled) {
        let _ = (key, input, handled);
    }

    /// May a game stand still when this message is given up?
    fn holds_up(&self, message: &Message) -> bool {
        let _ = message;
        false
    }

    /// A message is about to become a dead letter; its aggregate's sequence moves on without
    /// it. `reason` may quote what the message said: it is for operators.
    async fn on_dead(&self, message: &Message, reason: &str) {
        let _ = (message, reason);
    }
}

/// No hooks.
#[derive(Debug, Clone, Copy)]
pub struct NoHooks;

impl<A: Aggregate> Hooks<A> for NoHooks {}

/// Runs a service until its parts' shutdown token is cancelled: takes the messages of its
/// sixteen queues, has the writer handle them, acknowledges; and moves its outboxes to the bus.
/// One key is handled strictly in order, different keys side by side. At the end it finishes
/// what is in hand.
///
/// # Errors
/// When the queues cannot be subscribed to, or the bus ends while nobody asked for it.
pub async fn serve<A: Aggregate>(writer: Writer<A>, hooks: impl Hooks<A>) -> anyhow::Result<()> {
    let parts = writer.parts().clone();
    let listening = Arc::new(AtomicBool::new(false));
    parts.health.register(A::SERVICE.name(), {
        let listening = Arc::clone(&listening);
        move || {
            let listens = listening.load(Ordering::Relaxed);
            async move {
                if listens {
                    Ok(())
                } else {
                    Err("does not listen".to_owned())
                }
            }
        }
    });
    parts.metrics.serves(A::SERVICE);
    writer.serves();
    let outboxes = parts.outboxes.clone();
    parts
        .health
        .register(format!("{} outbox", A::SERVICE), move || {
            let health = outboxes.health(A::SERVICE);
            async move { health }
        });

    let stop_relays = CancellationToken::new();
    // However this function ends, its relays end too.
    let _stop = stop_relays.clone().drop_guard();
    let relays = relay::start(&parts, A::SERVICE, &stop_relays);
    let retiring = tokio::spawn(retire::make_rounds(writer.clone(), stop_relays.clone()));
    let worker = Arc::new(Worker {
        writer,
        hooks,
        trials: Trials::default(),
        store_is_away: Told::default(),
    });
    let watched = Arc::clone(&worker);
    let holds_up = move |message: &Message| watched.hooks.holds_up(message);
    let watching =
        tokio::spawn(Watch::new(&parts, A::SERVICE, holds_up).make_rounds(stop_relays.clone()));
    let topics = Shard::all()
        .map(|shard| Topic {
            service: A::SERVICE,
            shard,
        })
        .collect();
    let subscription = parts.bus.subscribe(topics, PREFETCH).await;
    let subscription =
        subscription.with_context(|| format!("{} cannot take messages", A::SERVICE))?;
    listening.store(true, Ordering::Relaxed);
    tracing::info!(service = %A::SERVICE, "listening");

    let served = Loop {
        worker,
        subscription,
        lanes: Lanes::default(),
        running: JoinSet::new(),
    }
    .run(&parts.shutdown)
    .await;

    listening.store(false, Ordering::Relaxed);
    stop_relays.cancel();
    relays.join_all().await;
    if retiring.await.is_err() {
        tracing::error!(service = %A::SERVICE, "putting games away panicked");
    }
    if watching.await.is_err() {
        tracing::error!(service = %A::SERVICE, "watching the queues panicked");
    }
    tracing::info!(service = %A::SERVICE, "stopped");
    served
}

struct Loop<A: Aggregate, H> {
    worker: Arc<Worker<A, H>>,
    subscription: Box<dyn Subscription>,
    lanes: Lanes,
    running: JoinSet<(Delivery, Verdict, Instant)>,
}

/// What to do with a delivery that was worked on.
enum Verdict {
    Ack(MessageOutcome),
    /// Try again; or give it up with this reason, when it has been tried often enough.
    Retry(String),
    /// The store is away.
    Wait,
    Dead(String),
}

impl<A: Aggregate, H: Hooks<A>> Loop<A, H> {
    async fn run(mut self, shutdown: &CancellationToken) -> anyhow::Result<()> {
        while !shutdown.is_cancelled() {
            tokio::select! {
                () = shutdown.cancelled() => {}
                Some(done) = self.running.join_next() => self.finish(done?, true).await,
                delivery = self.subscription.next() => match delivery {
                    Some(delivery) => self.accept(delivery),
                    None if shutdown.is_cancelled() => {}
                    None => bail!("the bus has ended"),
                },
            }
        }
        // What is in work is finished; what is only held goes back to its queues.
        while let Some(done) = self.running.join_next().await {
            self.finish(done?, false).await;
        }
        Ok(())
    }

    fn accept(&mut self, delivery: Delivery) {
        self.lanes.void_below(self.subscription.void_below());
        let metrics = &self.worker.writer.parts().metrics;
        if delivery.redelivered {
            metrics.redelivered(A::SERVICE);
        } else if let Some(published) = delivery.published {
            // Clocks of two machines may differ: what comes from the future has not waited.
            metrics.queue_took(A::SERVICE, published.elapsed().unwrap_or_default());
        }
        if let Some(delivery) = self.lanes.arrived(delivery) {
            self.start(delivery);
        }
    }

    fn start(&mut self, delivery: Delivery) {
        let worker = Arc::clone(&self.worker);
        let Message { id, trace, key, .. } = &delivery.message;
        let span = tracing::info_span!("message", service = %A::SERVICE, trace, key, %id);
        let work = async move {
            let began = Instant::now();
            let work = AssertUnwindSafe(worker.work(&delivery))
                .catch_unwind()
                .await;
            let verdict = work.unwrap_or_else(|panic| {
                Verdict::Retry(format!("panicked: {}", panic_text(&*panic)))
            });
            (delivery, verdict, began)
        };
        self.running.spawn(work.instrument(span));
    }

    async fn finish(&mut self, done: (Delivery, Verdict, Instant), go_on: bool) {
        let (delivery, verdict, began) = done;
        self.lanes.void_below(self.subscription.void_below());
        if self.lanes.is_void(&delivery) {
            // It comes again, here or at another instance, and what was handled is recognised as
            // a repeat.
            let message = &delivery.message;
            tracing::debug!(service = %A::SERVICE, id = %message.id, "came by a lost connection");
            let next = self.lanes.ended(&delivery, Ended::Settled);
            if let Some(next) = next.filter(|_| go_on) {
                self.start(next);
            }
            return;
        }
        let (settle, outcome, ended) = match verdict {
            Verdict::Ack(outcome) => (Settle::Ack, outcome, Ended::Settled),
            Verdict::Retry(_) if delivery.attempt < MAX_ATTEMPTS => {
                let pause = RETRY * 2_u32.saturating_pow(delivery.attempt - 1);
                (Settle::Retry(pause), MessageOutcome::Retry, Ended::Retried)
            }
            Verdict::Wait => {
                let doubled = WAIT.0 * 2_u32.saturating_pow(self.lanes.waits(&delivery).min(10));
                (
                    Settle::Wait(doubled.min(WAIT.1)),
                    MessageOutcome::Wait,
                    Ended::Waited,
                )
            }
            Verdict::Dead(reason) | Verdict::Retry(reason) => {
                self.worker.bury(&delivery, &reason).await;
                (Settle::Dead(reason), MessageOutcome::Dead, Ended::Settled)
            }
        };
        let message = &delivery.message;
        let metrics = &self.worker.writer.parts().metrics;
        metrics.handled(A::SERVICE, outcome);
        if let Err(error) = self.subscription.settle(delivery.tag, settle).await {
            // It comes again; handled messages are recognised as repeats.
            tracing::warn!(service = %A::SERVICE, id = %message.id, %error, "not settled");
        }
        metrics.handle_took(A::SERVICE, began.elapsed());
        let next = self.lanes.ended(&delivery, ended);
        if let Some(next) = next.filter(|_| go_on) {
            self.start(next);
        }
    }
}

struct Worker<A: Aggregate, H> {
    writer: Writer<A>,
    hooks: H,
    trials: Trials,
    store_is_away: Told,
}

impl<A: Aggregate, H: Hooks<A>> Worker<A, H> {
    /// Works on a delivery; on one that may have ended a process, as a trial.
    async fn work(&self, delivery: &Delivery) -> Verdict {
        if delivery.returned == 0 {
            return self.handle(delivery).await;
        }
        let store = &*self.writer.parts().store;
        let trial = self.trials.begin(store, A::SERVICE, &delivery.message);
        match trial.await {
            Ok(Trial::NotNeeded) => self.handle(delivery).await,
            Ok(Trial::Begun(alone)) => {
                let verdict = self.handle(delivery).await;
                if !matches!(verdict, Verdict::Wait) {
                    self.end_trial(delivery).await;
                }
                drop(alone);
                verdict
            }
            Ok(Trial::Guilty(times)) => Verdict::Dead(format!(
                "{times} processes in a row have ended while they handled it alone"
            )),
            Err(error) => self.store_failed(error),
        }
    }

    async fn end_trial(&self, delivery: &Delivery) {
        let store = &*self.writer.parts().store;
        let ended = self.trials.end(store, A::SERVICE, &delivery.message).await;
        if let Err(error) = ended {
            tracing::debug!(%error, "the end of a trial was not noted");
        }
    }

    /// What a failure of the store means for the message.
    fn store_failed(&self, error: StoreError) -> Verdict {
        match error {
            StoreError::Unavailable(why) => {
                if self.store_is_away.is_new(&why) {
                    tracing::warn!(service = %A::SERVICE, why, "waiting for the store");
                } else {
                    tracing::debug!(why, "waiting for the store");
                }
                Verdict::Wait
            }
            // Waiting would not help, and would keep back the other games of the queue.
            StoreError::Corrupt { .. } => Verdict::Dead(error.to_string()),
        }
    }

    async fn handle(&self, delivery: &Delivery) -> Verdict {
        let message = &delivery.message;
        if message.key.is_empty() {
            self.hooks.on_service_message(message.clone()).await;
            return Verdict::Ack(MessageOutcome::Done);
        }
        let input: A::Input = match serde_json::from_str(&message.body) {
            Ok(input) => input,
            Err(error) => return Verdict::Dead(format!("its body cannot be read: {error}")),
        };
        let (key, trace) = (&*message.key, &*message.trace);
        let (id, again) = (message.id.clone(), input.clone());
        let handled = if delivery.redelivered {
            self.writer.handle_again(key, id, trace, again).await
        } else {
            self.writer.handle(key, id, trace, again).await
        };
        match handled {
            Ok(handled) => {
                tracing::debug!(
                    version = handled.version,
                    repeat = handled.repeat,
                    "handled"
                );
                if self.store_is_away.is_over() {
                    tracing::info!(service = %A::SERVICE, "the store takes steps again");
                }
                self.hooks.after_commit(key, &input, &handled).await;
                Verdict::Ack(match handled {
                    Handled { repeat: true, .. } => MessageOutcome::Repeat,
                    Handled { ignored: true, .. } => MessageOutcome::Ignored,
                    Handled { .. } => MessageOutcome::Done,
                })
            }
            Err(HandleError::Store(error)) => self.store_failed(error),
            Err(HandleError::Panicked { what, .. }) => Verdict::Retry(format!("panicked: {what}")),
        }
    }

    /// Tells everyone that a message is given up. The reason may quote the message, and stays
    /// out of the log.
    async fn bury(&self, delivery: &Delivery, reason: &str) {
        let Message { id, trace, key, .. } = &delivery.message;
        tracing::error!(
            service = %A::SERVICE, key, trace, %id, attempt = delivery.attempt,
            "a message is given up; see the dead letters"
        );
        self.writer.parts().metrics.dead_letter(A::SERVICE);
        let told = AssertUnwindSafe(self.hooks.on_dead(&delivery.message, reason));
        if told.catch_unwind().await.is_err() {
            tracing::error!(service = %A::SERVICE, %id, "the hook for dead letters panicked");
        }
    }
}
