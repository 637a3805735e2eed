//! The RabbitMQ kind: a queue a topic at a broker, for services in many processes.
//!
//! [`topology`] names what there is at the broker. [`link`] keeps one connection for publishing
//! ([`publisher`], [`confirms`]) and one for consuming ([`consumer`], [`subscription`]); each is
//! set up anew after its first error ([`session`]), because lapin's own recovery gives up
//! without a word. [`fence`] keeps the order over failures. [`letters`] shows dead letters.
//!
//! A receipt is answered when the broker has the message on disk. Trying again and waiting
//! happen at the consumer ([`held`]): the broker counts only how often a message came back
//! because its consumer died.

mod address;
mod confirms;
mod consumer;
mod envelope;
mod fence;
mod held;
mod letters;
mod link;
mod publisher;
mod session;
mod spread;
mod subscription;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use protocol::{Message, Service, Topic};
use tokio::sync::{mpsc, watch};

use self::address::Address;
use self::consumer::{Consumer, Intake};
use self::held::Held;
use self::link::Link;
use self::publisher::Publisher;
use self::subscription::AmqpSubscription;
use crate::{Bus, BusError, Condition, DeadLetter, OpenError, Outgoing, Receipt, Subscription};

/// So long a subscription waits for the broker before it goes on waiting unseen.
const PATIENCE: Duration = Duration::from_secs(3);

/// How an [`AmqpBus`] behaves.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Within so long of its start an instance subscribes to what it wants less, so that
    /// instances that start together share the queues. Zero: to everything at once.
    pub spread: Duration,
    /// A confirmation that takes longer does not come: the message fails, and is published
    /// again.
    pub confirm: Duration,
    /// The broker takes a consumer's channel away when a message is unsettled for too long (half
    /// an hour as a rule). After so long everything is given back and comes again at once, as if
    /// its consumer had died.
    pub hold: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            spread: Duration::from_millis(1_500),
            confirm: Duration::from_secs(10),
            hold: Duration::from_secs(20 * 60),
        }
    }
}

/// A bus over a RabbitMQ broker. It keeps itself connected.
pub struct AmqpBus {
    shared: Arc<Shared>,
    settings: Settings,
}

struct Shared {
    address: Arc<Address>,
    publisher: Arc<Publisher>,
    intake: Link<Intake>,
    /// This process's own number.
    instance: u64,
}

impl AmqpBus {
    /// The bus at `amqp://user:password@host:port/vhost`. The broker need not be there yet.
    /// Call it within a tokio runtime.
    pub fn open(url: &str, settings: Settings) -> Result<Self, OpenError> {
        let address = Address::parse(url).map_err(|why| OpenError::Address { why })?;
        let address = Arc::new(address);
        // Without randomness every instance wants the same: the balance is worse.
        let instance = getrandom::u64().unwrap_or_default();
        let process = format!("{instance:016x} (process {})", std::process::id());
        let shared = Shared {
            publisher: Arc::new(Publisher::start(
                Arc::clone(&address),
                &process,
                settings.confirm,
            )),
            intake: Link::start(Arc::clone(&address), &process, ()),
            address,
            instance,
        };
        Ok(Self {
            shared: Arc::new(shared),
            settings,
        })
    }
}

#[async_trait]
impl Bus for AmqpBus {
    async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError> {
        self.shared.publisher.publish(messages).await
    }

    async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError> {
        self.shared.publisher.publish_transient(messages).await
    }

    async fn subscribe(
        &self,
        topics: Vec<Topic>,
        prefetch: usize,
    ) -> Result<Box<dyn Subscription>, BusError> {
        let (news, inbox) = mpsc::unbounded_channel();
        let (orders, outbox) = mpsc::unbounded_channel();
        let listening = watch::Sender::new(false);
        let mut listens = listening.subscribe();
        let held = Held::new(topics.len());
        let consumer = Consumer {
            link: self.shared.intake.clone(),
            wanted: spread::over(self.shared.instance, self.settings.spread, &topics),
            prefetch: u16::try_from(prefetch.max(1)).unwrap_or(u16::MAX),
            news,
            orders: outbox,
            listening,
        };
        tokio::spawn(consumer.run());
        let listens = listens.wait_for(|listens| *listens);
        if tokio::time::timeout(PATIENCE, listens).await.is_err() {
            tracing::warn!("the broker is not there; messages come when it is");
        }
        Ok(Box::new(AmqpSubscription {
            shared: Arc::clone(&self.shared),
            held,
            news: inbox,
            orders,
            hold: self.settings.hold,
            renewing: false,
        }))
    }

    async fn dead_letters(&self, service: Service) -> Result<Vec<DeadLetter>, BusError> {
        letters::list(&self.shared.address, service).await
    }

    async fn put_back(&self, service: Service, id: u64) -> Result<(), BusError> {
        letters::put_back(&self.shared.address, &self.shared.publisher, service, id).await
    }

    async fn drop_letter(&self, service: Service, id: u64) -> Result<(), BusError> {
        letters::forget(&self.shared.address, service, id).await
    }

    async fn count_letters(&self, service: Service) -> Result<u64, BusError> {
        self.shared.publisher.count_letters(service).await
    }

    async fn waiting(&self, topic: Topic) -> Result<u64, BusError> {
        self.shared.publisher.waiting(topic).await
    }

    fn condition(&self) -> Condition {
        let sending = self.shared.publisher.condition();
        Condition {
            connected: sending.connected && self.shared.intake.now().is_ok(),
            reconnects: sending.reconnects + self.shared.intake.reconnects(),
            ..sending
        }
    }

    async fn health(&self) -> Result<(), BusError> {
        self.shared.publisher.health()?;
        self.shared.intake.now().map(|_| ())
    }
}
