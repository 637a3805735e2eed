//! Where the tests have their buses: one broker for all, a virtual host for each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bus::amqp::{AmqpBus, Settings};
use bus::conformance::Ground;
use bus::{Bus, Delivery, Subscription};
use protocol::{Message, MessageId, Service, Shard, Topic};
use servers::DEADLINE;
use servers::rabbit::{RabbitServer, RabbitStarter, spare_vhost};
use tokio::sync::OnceCell;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(5);
/// More than there are tests.
const VHOSTS: usize = 64;

/// The broker of all tests that leave it in peace.
pub async fn broker() -> &'static RabbitServer {
    static BROKER: OnceCell<&RabbitServer> = OnceCell::const_new();
    let start = async || {
        let starter = RabbitStarter::default().spare_vhosts(VHOSTS);
        let server = starter.start().await.expect("a broker");
        server.for_the_whole_run().expect("a janitor")
    };
    BROKER.get_or_init(start).await
}

/// A virtual host for one test.
pub struct Vhost {
    pub name: String,
    pub server: &'static RabbitServer,
}

impl Vhost {
    pub async fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        assert!(number < VHOSTS, "make more of them");
        Self {
            name: spare_vhost(number),
            server: broker().await,
        }
    }

    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }
}

#[async_trait]
impl Ground for Vhost {
    async fn open(&self) -> Arc<dyn Bus> {
        let bus = open(&self.url());
        well(&bus).await;
        bus
    }
}

/// Everything at once; a confirmation that does not come is missed sooner than in earnest.
pub fn settings() -> Settings {
    Settings {
        spread: Duration::ZERO,
        confirm: Duration::from_secs(2),
        ..Settings::default()
    }
}

pub fn open(url: &str) -> Arc<dyn Bus> {
    Arc::new(AmqpBus::open(url, settings()).expect("an address"))
}

/// Waits until the bus says that it is well.
pub async fn well(bus: &Arc<dyn Bus>) {
    let until = Instant::now() + DEADLINE;
    while let Err(why) = bus.health().await {
        assert!(Instant::now() < until, "still not well: {why}");
        tokio::time::sleep(LOOK).await;
    }
}

/// Waits until the bus says what is wrong, in these words.
pub async fn ill(bus: &Arc<dyn Bus>, words: &str) -> String {
    let until = Instant::now() + DEADLINE;
    loop {
        let health = bus.health().await;
        match &health {
            Err(why) if why.to_string().contains(words) => return why.to_string(),
            _ => assert!(Instant::now() < until, "not {words:?}, but {health:?}"),
        }
        tokio::time::sleep(LOOK).await;
    }
}

pub fn topic(service: Service, number: u8) -> Topic {
    let shard = Shard::all().nth(number.into()).expect("so many");
    Topic { service, shard }
}

pub fn message(to: Topic, id: &str) -> Message {
    Message {
        id: MessageId(id.to_owned()),
        trace: "a test".to_owned(),
        to,
        key: "7-1".to_owned(),
        body: format!("{{\"n\":\"{id}\",\"padding\":\"{}\"}}", "…".repeat(80)),
    }
}

pub async fn next(subscription: &mut Box<dyn Subscription>) -> Delivery {
    tokio::time::timeout(DEADLINE, subscription.next())
        .await
        .expect("a delivery in time")
        .expect("the bus goes on")
}
