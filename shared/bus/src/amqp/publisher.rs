//! Hands messages to the broker and promises nothing before it has confirmed them.

use std::collections::{BTreeSet, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::future::{FutureExt, join_all};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{Channel, Queue};
use protocol::{Message, Service, Topic};
use tokio::sync::{mpsc, oneshot};

use super::address::Address;
use super::confirms::{Confirm, Confirms, Sent};
use super::envelope::{Envelope, Mark};
use super::fence::{Fence, Token};
use super::link::{Link, Live, Tools};
use super::session::{Condition, Session};
use super::topology;
use crate::{BusError, Outgoing, Receipt};

/// So long a publisher waits for a connection that is gone, or blocked.
const PATIENCE: Duration = Duration::from_secs(2);
/// What is known of a queue's listeners is that old at most.
const FRESH: Duration = Duration::from_secs(1);
/// A queue that nobody was listening to is looked at again sooner.
const UNHEARD: Duration = Duration::from_millis(100);
/// Making sure of a queue takes no longer.
const DECLARE: Duration = Duration::from_secs(5);
/// Nor asking who listens.
const ASK: Duration = Duration::from_secs(1);
/// With so many messages waiting in a queue, further ones that may be lost are lost.
const TRANSIENT_LIMIT: u32 = 1_024;

/// The publishing side. One channel, so that what is published first arrives first.
pub(super) struct Publisher {
    link: Link<Outlet>,
    fence: Arc<Mutex<Fence>>,
}

impl Publisher {
    /// A publisher that waits so long for a confirmation.
    pub(super) fn start(address: Arc<Address>, process: &str, confirm: Duration) -> Self {
        let fence = Arc::new(Mutex::new(Fence::default()));
        let lasting = Lasting {
            fence: Arc::clone(&fence),
            confirm,
        };
        Self {
            link: Link::start(address, process, lasting),
            fence,
        }
    }

    /// Is it connected, and does the broker take messages?
    pub(super) fn health(&self) -> Result<(), BusError> {
        blocked(&*self.link.now()?).map_or(Ok(()), |(why, _)| Err(BusError::Unavailable(why)))
    }

    /// How it is, apart from the consuming side.
    pub(super) fn condition(&self) -> crate::Condition {
        let live = self.link.now();
        crate::Condition {
            connected: live.is_ok(),
            blocked: live.is_ok_and(|live| blocked(&live).is_some()),
            reconnects: self.link.reconnects(),
        }
    }

    /// How many messages wait in a topic's queue.
    pub(super) async fn waiting(&self, topic: Topic) -> Result<u64, BusError> {
        let live = self.link.now()?;
        let known = live.tools.ask(&live.session, topic).await?;
        Ok(known.waiting.into())
    }

    /// How many messages wait among a service's dead letters.
    pub(super) async fn count_letters(&self, service: Service) -> Result<u64, BusError> {
        let live = self.link.now()?;
        let queue = live.tools.ask_dead(&live.session, service).await?;
        Ok(queue.message_count().into())
    }

    /// Hands messages over in order.
    pub(super) async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError> {
        let live = self.ready().await?;
        let topics: BTreeSet<_> = messages.iter().map(|out| out.message.to).collect();
        for topic in &topics {
            live.tools.declare(&live.session, *topic).await?;
        }
        // Nothing waits from here on: this is where the order is fixed.
        let mut fence = self.fence();
        fence
            .admit(live.number, topics)
            .map_err(BusError::Unavailable)?;
        let receipts = messages.into_iter().map(|Outgoing { message, again }| {
            let token = fence.token(message.to);
            let mark = if again { Mark::Again } else { Mark::First };
            live.tools.send(&message, &mark, Some(token))
        });
        Ok(receipts.collect())
    }

    /// Hands over messages that may be lost, behind what was handed over before.
    pub(super) async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError> {
        let live = self.link.now()?;
        if let Some((why, _)) = blocked(&live) {
            return Err(BusError::Unavailable(why));
        }
        let topics: BTreeSet<_> = messages.iter().map(|message| message.to).collect();
        let asked = topics.into_iter().map(async |topic| {
            let asked = tokio::time::timeout(ASK, live.tools.heard(&live.session, topic));
            (topic, matches!(asked.await, Ok(Ok(true))))
        });
        let heard: HashMap<_, _> = join_all(asked).await.into_iter().collect();
        let mut fence = self.fence();
        for message in messages {
            let topic = message.to;
            if heard[&topic] {
                if !fence.admits_transient(live.number, topic, Instant::now()) {
                    let why = format!("a connection was lost; {topic} has to catch up");
                    return Err(BusError::Unavailable(why));
                }
                drop(live.tools.send(&message, &Mark::Transient, None));
            }
        }
        Ok(())
    }

    /// Keeps a message among the dead letters; on return it is there for good.
    pub(super) async fn bury(&self, message: &Message, reason: &str) -> Result<(), BusError> {
        let live = self.ready().await?;
        let service = message.to.service;
        live.tools.declare_dead(&live.session, service).await?;
        live.tools
            .send(message, &Mark::Dead(reason.to_owned()), None)
            .await
    }

    /// A connection on which the broker takes messages.
    async fn ready(&self) -> Result<Arc<Live<Outlet>>, BusError> {
        let live = self.link.within(PATIENCE).await?;
        let mut condition = live.session.condition();
        while let Some((why, since)) = blocked(&live) {
            let Some(left) = PATIENCE.checked_sub(since.elapsed()) else {
                return Err(BusError::Unavailable(why));
            };
            // Either way we look again.
            let _ = tokio::time::timeout(left, condition.changed()).await;
        }
        Ok(live)
    }

    fn fence(&self) -> MutexGuard<'_, Fence> {
        self.fence.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn blocked(live: &Live<Outlet>) -> Option<(String, Instant)> {
    match &*live.session.condition().borrow() {
        Condition::Blocked { why, since } => Some((why.clone(), *since)),
        Condition::Well | Condition::Ended(_) => None,
    }
}

/// What is known of a topic's queue.
#[derive(Debug, Clone, Copy)]
struct Known {
    listeners: u32,
    waiting: u32,
    at: Instant,
}

impl Known {
    fn is_heard(self) -> bool {
        self.listeners > 0 && self.waiting < TRANSIENT_LIMIT
    }
}

/// What outlives connections.
#[derive(Clone)]
struct Lasting {
    fence: Arc<Mutex<Fence>>,
    confirm: Duration,
}

/// The channels of one publishing connection.
struct Outlet {
    /// With confirmations.
    channel: Channel,
    /// For everything that waits for an answer.
    desk: Channel,
    confirms: mpsc::UnboundedSender<Sent>,
    topics: Mutex<HashMap<Topic, Known>>,
    dead: Mutex<BTreeSet<Service>>,
}

#[async_trait]
impl Tools for Outlet {
    const ROLE: &str = "publishing";
    type Lasting = Lasting;

    async fn set_up(
        session: &Session,
        number: u64,
        lasting: Lasting,
    ) -> Result<Self, lapin::Error> {
        let channel = session.connection().create_channel().await?;
        channel
            .confirm_select(ConfirmSelectOptions::default())
            .await?;
        let desk = session.connection().create_channel().await?;
        topology::declare_exchanges(&desk).await?;
        let (confirms, sent) = mpsc::unbounded_channel();
        let collector = Confirms::new(number, session, lasting.fence, lasting.confirm);
        tokio::spawn(collector.run(sent));
        Ok(Self {
            channel,
            desk,
            confirms,
            topics: Mutex::default(),
            dead: Mutex::default(),
        })
    }
}

impl Outlet {
    /// Makes sure that a topic has its queue.
    async fn declare(&self, session: &Session, topic: Topic) -> Result<(), BusError> {
        let known = lock(&self.topics).contains_key(&topic);
        if known {
            return Ok(());
        }
        self.ask(session, topic).await.map(|_| ())
    }

    /// Does anybody listen to a topic who may keep up?
    async fn heard(&self, session: &Session, topic: Topic) -> Result<bool, BusError> {
        let known = lock(&self.topics).get(&topic).copied();
        let fresh = known.filter(|known| {
            let age = known.at.elapsed();
            age < UNHEARD || age < FRESH && known.is_heard()
        });
        match fresh {
            Some(known) => Ok(known.is_heard()),
            None => self.ask(session, topic).await.map(Known::is_heard),
        }
    }

    async fn ask(&self, session: &Session, topic: Topic) -> Result<Known, BusError> {
        self.declare_dead(session, topic.service).await?;
        let declared = topology::declare_topic(&self.desk, topic);
        let queue = answered(session, &topology::queue(topic), declared).await?;
        let known = Known {
            listeners: queue.consumer_count(),
            waiting: queue.message_count(),
            at: Instant::now(),
        };
        lock(&self.topics).insert(topic, known);
        Ok(known)
    }

    async fn declare_dead(&self, session: &Session, service: Service) -> Result<(), BusError> {
        if lock(&self.dead).contains(&service) {
            return Ok(());
        }
        self.ask_dead(session, service).await?;
        lock(&self.dead).insert(service);
        Ok(())
    }

    async fn ask_dead(&self, session: &Session, service: Service) -> Result<Queue, BusError> {
        let declared = topology::declare_dead(&self.desk, service);
        answered(session, &topology::dead_queue(service), declared).await
    }

    /// Hands a message to the connection. Its place in the order is fixed when this returns.
    fn send(&self, message: &Message, mark: &Mark, token: Option<Token>) -> Receipt {
        let topic = token.is_some().then_some(message.to);
        let options = BasicPublishOptions {
            mandatory: !matches!(mark, Mark::Transient),
            ..BasicPublishOptions::default()
        };
        let (exchange, key) = match mark {
            Mark::Dead(_) => (
                topology::DEAD_EXCHANGE,
                message.to.service.name().to_owned(),
            ),
            Mark::First | Mark::Again | Mark::Transient => {
                (topology::EXCHANGE, topology::routing_key(message.to))
            }
        };
        let Envelope {
            properties,
            payload,
        } = Envelope::seal(message, mark);
        let channel = self.channel.clone();
        let confirm = async move {
            channel
                .basic_publish(exchange.into(), key.into(), options, &payload, properties)
                .await?
                .await
        };
        let (answer, answered) = oneshot::channel();
        let sent = Sent {
            topic,
            confirm: begun(confirm.boxed()),
            answer,
        };
        // When the collector has gone, so has the answer's sender.
        let _ = self.confirms.send(sent);
        Receipt::new(async move {
            let answer = answered.await.unwrap_or_else(|_| {
                let why = "the connection is lost".to_owned();
                Err(BusError::Unavailable(why))
            });
            // From here on it has been heard.
            drop(token);
            answer
        })
    }
}

/// Begins to publish: lapin takes a message's place in the order when its future is polled for
/// the first time, and then waits until it is written.
fn begun(mut confirm: Confirm) -> Confirm {
    let mut context = Context::from_waker(Waker::noop());
    match Pin::new(&mut confirm).poll(&mut context) {
        Poll::Pending => confirm,
        Poll::Ready(confirmation) => futures::future::ready(confirmation).boxed(),
    }
}

/// What the broker says to the declaration of a queue. When it does not let us have it as it is
/// to be, the connection begins anew.
async fn answered(
    session: &Session,
    queue: &str,
    declared: impl Future<Output = lapin::Result<Queue>>,
) -> Result<Queue, BusError> {
    match tokio::time::timeout(DECLARE, declared).await {
        Ok(Ok(queue)) => Ok(queue),
        Ok(Err(error)) => {
            let why = format!("the queue {queue} cannot be used: {error}");
            session.end(why.clone());
            Err(BusError::Unavailable(why))
        }
        Err(_) => Err(BusError::Unavailable(format!(
            "the broker does not answer about the queue {queue}"
        ))),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
