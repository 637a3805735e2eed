//! How messages travel between services: a queue for each service and shard, in order, at
//! least once, one active consumer a queue.
//!
//! [`Bus`] is the interface; [`local`] is the in-process kind, [`amqp`] the one over RabbitMQ for
//! services in many processes. The conformance suite in
//! `conformance` (feature of that name) runs against every kind. [`open`] picks the kind by URL.
//!
//! Invariants: a message is acknowledged only after its handler has committed; messages of one
//! queue are delivered in the order in which they were published; a message that cannot be
//! handled goes to the dead letters after a few tries and its queue moves on.

pub mod amqp;
#[cfg(feature = "conformance")]
#[expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]
pub mod conformance;
pub mod local;
mod open;

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
pub use open::{OpenError, open};
use protocol::{Message, Service, Topic};

/// Why the bus did not do something. A message may have been taken all the same: publish it
/// again under its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BusError {
    /// Out of reach, blocked, or no confirmation in time.
    #[error("bus is unavailable: {0}")]
    Unavailable(String),
    /// The bus is shutting down.
    #[error("bus is closed")]
    Closed,
    /// The bus knows no such delivery (any more): it was settled, or given to another consumer.
    #[error("no unsettled delivery has tag {0}")]
    UnknownDelivery(u64),
    /// There is no such dead letter (any more).
    #[error("{0} has no dead letter {1}")]
    UnknownLetter(Service, u64),
}

/// A message on its way to the bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// The message.
    pub message: Message,
    /// May it have been handed over before (by a process that died, or without an answer)? Its
    /// deliveries are then marked [`Delivery::redelivered`].
    pub again: bool,
}

impl Outgoing {
    /// A message that is handed over for the first time.
    pub fn first(message: Message) -> Self {
        Self {
            message,
            again: false,
        }
    }

    /// A message that may have been handed over before.
    pub fn again(message: Message) -> Self {
        Self {
            message,
            again: true,
        }
    }
}

/// The bus's answer for one message, awaited: `Ok` when the message will reach its queue's
/// consumer even if this process dies now.
///
/// After an error publish the message again, and then all later ones of its queue that have no
/// answer. Await it or drop it: as long as a message has failed and its publisher has not heard
/// so, a bus may take nothing more for its queue, because it would arrive first.
pub struct Receipt(Pin<Box<dyn Future<Output = Result<(), BusError>> + Send>>);

impl Receipt {
    /// A receipt that is answered when the future is.
    pub fn new(answer: impl Future<Output = Result<(), BusError>> + Send + 'static) -> Self {
        Self(Box::pin(answer))
    }
}

impl Future for Receipt {
    type Output = Result<(), BusError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}

/// A message as it is handed to a consumer.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The message.
    pub message: Message,
    /// Which try this is, from 1.
    pub attempt: u32,
    /// May an earlier delivery of it have been handled in part (a crash, a lost
    /// acknowledgement, a restart)?
    pub redelivered: bool,
    /// How often it has come back because whoever had it in hand was gone, as far as the bus can
    /// tell. A message that takes its process down each time shows here.
    pub returned: u32,
    /// When it was handed to the bus, by its sender's clock; `None`: nobody knows.
    pub published: Option<SystemTime>,
    /// The bus's own mark for settling.
    pub tag: u64,
}

/// A message that nobody could handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// The bus's own mark.
    pub id: u64,
    /// The message.
    pub message: Message,
    /// Why it was given up.
    pub reason: String,
}

/// What to do with a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settle {
    /// Handled and committed.
    Ack,
    /// Not now: the same message again, before those behind it, after a pause. After
    /// [`MAX_ATTEMPTS`] it becomes a dead letter.
    Retry(Duration),
    /// Not now, for a reason that is not the message's fault (the store is away): as often as it
    /// takes.
    Wait(Duration),
    /// Never: a dead letter at once.
    Dead(String),
}

/// How the bus's connections are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// Can messages be sent and taken?
    pub connected: bool,
    /// Does the broker take no messages for now (a memory or disk alarm)?
    pub blocked: bool,
    /// How often a connection has been made anew after it was lost.
    pub reconnects: u64,
}

/// After how many tries a message becomes a dead letter.
pub const MAX_ATTEMPTS: u32 = 5;

/// What a consumer reads from; dropping it returns what is unsettled to its queues.
#[async_trait]
pub trait Subscription: Send {
    /// The next delivery; `None` when the bus has shut down. Of one queue at most `prefetch`
    /// deliveries are unsettled at a time. Giving up the wait loses no delivery.
    async fn next(&mut self) -> Option<Delivery>;

    /// Settles a delivery. When a message becomes a dead letter, it is kept for good before
    /// this returns.
    async fn settle(&mut self, tag: u64, how: Settle) -> Result<(), BusError>;

    /// Unsettled deliveries with tags below this are void: the connection that they came by is
    /// lost. They come again, here with new tags or at another consumer; nobody may wait for
    /// the old ones. It only grows.
    fn void_below(&self) -> u64 {
        0
    }
}

/// A bus. Every method may be called from any task.
#[async_trait]
pub trait Bus: Send + Sync + 'static {
    /// Hands messages over, in order, and returns as soon as their order is fixed, with a
    /// receipt for each. Whoever publishes keeps its own record, the outbox, until the receipt
    /// is answered. (The in-process kind keeps the receipt's promise by answering only when the
    /// consumer has settled the message.)
    async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError>;

    /// Hands over messages that may be lost (watermarks, nudges) without waiting. They are
    /// lost when nobody listens.
    async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError>;

    /// Subscribes to queues. A queue has one active consumer; a second one waits until the
    /// first is gone.
    async fn subscribe(
        &self,
        topics: Vec<Topic>,
        prefetch: usize,
    ) -> Result<Box<dyn Subscription>, BusError>;

    /// The dead letters of a service, oldest first.
    async fn dead_letters(&self, service: Service) -> Result<Vec<DeadLetter>, BusError>;

    /// Puts a dead letter back at the end of its queue.
    async fn put_back(&self, service: Service, id: u64) -> Result<(), BusError>;

    /// Forgets a dead letter.
    async fn drop_letter(&self, service: Service, id: u64) -> Result<(), BusError>;

    /// How many dead letters a service has: cheap, for watching. While somebody looks at them it
    /// may say less. (The in-process kind also takes up letters that another process has put
    /// back.)
    async fn count_letters(&self, service: Service) -> Result<u64, BusError>;

    /// How many messages wait in a queue that no consumer has in hand.
    async fn waiting(&self, topic: Topic) -> Result<u64, BusError>;

    /// How its connections are.
    fn condition(&self) -> Condition;

    /// Is it there and taking messages?
    async fn health(&self) -> Result<(), BusError>;
}
