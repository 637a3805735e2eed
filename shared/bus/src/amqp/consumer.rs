//! The consuming side: a task that keeps a subscription on whatever connection there is.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream::{BoxStream, SelectAll};
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use lapin::{Acker, Channel};
use protocol::Topic;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::link::{Link, Live, Pause, Tools};
use super::session::Session;
use super::topology;

/// A polite end takes no longer.
const GOODBYE: Duration = Duration::from_secs(1);
/// Between two looks whether another instance has taken a queue.
const LOOK: Duration = Duration::from_millis(250);
/// A subscription that lasted so long was no failure.
const LASTED: Duration = Duration::from_secs(1);

/// What the task tells its subscription.
pub(super) enum News {
    /// A message of the queue at this place of the list.
    Arrived(usize, Box<Delivery>),
    /// Whatever has arrived is the broker's again.
    Lost,
}

/// What the subscription tells its task.
pub(super) enum Order {
    Ack(Acker),
    /// It cannot be read: the broker is to move it to the dead letters.
    Reject(Acker),
    /// Give everything back and begin anew.
    Renew,
}

/// A connection for consuming needs nothing but exchanges to bind queues to.
pub(super) struct Intake;

#[async_trait]
impl Tools for Intake {
    const ROLE: &str = "consuming";
    type Lasting = ();

    async fn set_up(session: &Session, _: u64, (): ()) -> Result<Self, lapin::Error> {
        let channel = session.connection().create_channel().await?;
        topology::declare_exchanges(&channel).await?;
        channel.close(200, "OK".into()).await?;
        Ok(Self)
    }
}

/// A queue of a subscription.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) topic: Topic,
    /// So long other instances, which want it more, go first.
    pub(super) after: Duration,
}

pub(super) struct Consumer {
    pub(super) link: Link<Intake>,
    pub(super) wanted: Vec<Wanted>,
    pub(super) prefetch: u16,
    pub(super) news: mpsc::UnboundedSender<News>,
    pub(super) orders: mpsc::UnboundedReceiver<Order>,
    /// Set when it listens to the queues that it wants at once.
    pub(super) listening: watch::Sender<bool>,
}

/// Why a channel ended.
enum End {
    /// The subscription is gone.
    Dropped,
    /// As ordered.
    Renewed,
    Lost(String),
}

impl From<lapin::Error> for End {
    fn from(error: lapin::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

type Arrivals = SelectAll<BoxStream<'static, (usize, lapin::Result<Option<Delivery>>)>>;

impl Consumer {
    /// Runs until the subscription is dropped.
    pub(super) async fn run(mut self) {
        let mut pause = Pause::default();
        while let Some(live) = self.connection().await {
            let began = Instant::now();
            let end = self.listen(&live).await;
            if self.news.send(News::Lost).is_err() {
                return;
            }
            if began.elapsed() >= LASTED {
                pause = Pause::default();
            }
            match end {
                End::Dropped => return,
                End::Renewed => {}
                End::Lost(why) => {
                    tracing::warn!(why, "a subscription was lost; subscribing again");
                    tokio::time::sleep(pause.next()).await;
                }
            }
        }
    }

    /// Waits for a connection. `None`: nobody waits for messages any more.
    async fn connection(&mut self) -> Option<std::sync::Arc<Live<Intake>>> {
        loop {
            tokio::select! {
                live = self.link.some_time() => return live,
                order = self.orders.recv() => {
                    // It is about a connection that is gone.
                    order?;
                }
            }
        }
    }

    async fn listen(&mut self, live: &Live<Intake>) -> End {
        let channel = match live.session.connection().create_channel().await {
            Ok(channel) => channel,
            Err(error) => return error.into(),
        };
        let mut arrivals = Arrivals::new();
        let end = tokio::select! {
            Err(end) = self.serve(&channel, &mut arrivals) => end,
            why = live.session.ended() => return End::Lost(why),
        };
        // What is unsettled returns to its queues. Consumers are dropped after that: one that is
        // cancelled makes way for the next, which would get what is behind the unsettled.
        let goodbye = channel.close(200, "OK".into());
        let _ = tokio::time::timeout(GOODBYE, goodbye).await;
        drop(arrivals);
        end
    }

    async fn serve(
        &mut self,
        channel: &Channel,
        arrivals: &mut Arrivals,
    ) -> Result<Infallible, End> {
        let qos = BasicQosOptions::default();
        channel.basic_qos(self.prefetch, qos).await?;
        let services: BTreeSet<_> = self.wanted.iter().map(|w| w.topic.service).collect();
        for service in services {
            topology::declare_dead(channel, service).await?;
        }
        let began = Instant::now();
        let mut later = Vec::new();
        for (place, wanted) in self.wanted.iter().enumerate() {
            if wanted.after.is_zero() {
                arrivals.push(consume(channel, place, wanted.topic).await?);
            } else {
                later.push((place, *wanted));
            }
        }
        self.listening.send_replace(true);
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                order = self.orders.recv() => match order {
                    None => return Err(End::Dropped),
                    Some(Order::Renew) => return Err(End::Renewed),
                    Some(order) => execute(order).await?,
                },
                Some((place, arrived)) = arrivals.next() => {
                    let Some(delivery) = arrived? else {
                        let topic = self.wanted[place].topic;
                        return Err(End::Lost(format!("the broker ends the consumer of {topic}")));
                    };
                    // The subscription may be gone; then its orders end, too.
                    let _ = self.news.send(News::Arrived(place, Box::new(delivery)));
                }
                _ = look.tick(), if !later.is_empty() => {
                    let mut still_later = Vec::new();
                    for (place, wanted) in std::mem::take(&mut later) {
                        // Where another instance is active, we stand by.
                        let queue = topology::declare_topic(channel, wanted.topic).await?;
                        if queue.consumer_count() > 0 || began.elapsed() >= wanted.after {
                            arrivals.push(consume(channel, place, wanted.topic).await?);
                        } else {
                            still_later.push((place, wanted));
                        }
                    }
                    later = still_later;
                }
            }
        }
    }
}

async fn execute(order: Order) -> lapin::Result<()> {
    match order {
        Order::Ack(acker) => acker.ack(BasicAckOptions::default()).await?,
        Order::Reject(acker) => {
            let for_good = BasicRejectOptions { requeue: false };
            acker.reject(for_good).await?
        }
        Order::Renew => true,
    };
    Ok(())
}

async fn consume(
    channel: &Channel,
    place: usize,
    topic: Topic,
) -> lapin::Result<BoxStream<'static, (usize, lapin::Result<Option<Delivery>>)>> {
    topology::declare_topic(channel, topic).await?;
    let consumer = channel
        .basic_consume(
            topology::queue(topic).into(),
            "".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await?;
    // The end is news, too.
    let arrivals = consumer
        .map(|arrived| arrived.map(Some))
        .chain(futures::stream::once(async { Ok(None) }))
        .map(move |arrived| (place, arrived));
    Ok(arrivals.boxed())
}
