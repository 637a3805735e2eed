//! The in-process kind against the conformance suite, and what is its own.

use std::sync::Arc;

use async_trait::async_trait;
use bus::conformance::Ground;
use bus::local::LocalBus;
use bus::{Bus, BusError, Outgoing, Settle};
use futures::FutureExt;
use protocol::{Message, MessageId, Service, Shard, Topic};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }
}

#[async_trait]
impl Ground for Folder {
    async fn open(&self) -> Arc<dyn Bus> {
        Arc::new(LocalBus::open(self.0.path()).expect("a bus"))
    }
}

bus::conformance_tests!(Folder::new());

fn message(id: &str) -> Message {
    Message {
        id: MessageId(id.to_owned()),
        trace: String::new(),
        to: Topic {
            service: Service::Night,
            shard: Shard::of("7-1"),
        },
        key: "7-1".to_owned(),
        body: "{}".to_owned(),
    }
}

#[tokio::test]
async fn a_receipt_is_answered_when_the_consumer_has_settled_and_not_before() {
    let folder = Folder::new();
    let bus = folder.open().await;
    let sent = ["ack", "dead", "retry"]
        .map(|id| Outgoing::first(message(id)))
        .to_vec();
    let mut receipts = bus.publish(sent).await.expect("taken");
    let mut subscription = bus
        .subscribe(vec![message("").to], 8)
        .await
        .expect("listening");
    let mut tags = Vec::new();
    for _ in 0..3 {
        tags.push(subscription.next().await.expect("a delivery").tag);
    }
    assert!(
        receipts
            .iter_mut()
            .all(|receipt| receipt.now_or_never().is_none())
    );
    let pause = std::time::Duration::from_secs(3600);
    for (tag, how) in tags.into_iter().zip([
        Settle::Ack,
        Settle::Dead("no".to_owned()),
        Settle::Retry(pause),
    ]) {
        subscription.settle(tag, how).await.expect("unsettled");
    }
    assert_eq!((&mut receipts[0]).now_or_never(), Some(Ok(())));
    assert_eq!(
        (&mut receipts[1]).now_or_never(),
        Some(Ok(())),
        "a dead letter is kept"
    );
    assert_eq!((&mut receipts[2]).now_or_never(), None);
    drop(subscription);
    assert_eq!(
        (&mut receipts[2]).now_or_never(),
        None,
        "it is still in its queue"
    );
}

#[tokio::test]
async fn a_closed_bus_ends_subscriptions_and_takes_nothing() {
    let folder = Folder::new();
    let bus = Arc::new(LocalBus::open(folder.0.path()).expect("a bus"));
    let mut subscription = bus
        .subscribe(vec![message("").to], 8)
        .await
        .expect("listening");
    let listener = tokio::spawn(async move { subscription.next().await.is_none() });
    tokio::task::yield_now().await;
    bus.close();
    assert!(listener.await.expect("no panic"));
    let refused = bus.publish(vec![Outgoing::first(message("1"))]).await;
    assert_eq!(refused.err(), Some(BusError::Closed));
    assert_eq!(bus.health().await, Err(BusError::Closed));
}

#[tokio::test]
async fn nudges_do_not_pile_up() {
    let folder = Folder::new();
    let bus = folder.open().await;
    bus.publish_transient(vec![message("nobody listens")])
        .await
        .expect("taken");
    let mut subscription = bus
        .subscribe(vec![message("").to], 1)
        .await
        .expect("listening");
    for n in 0..5_000 {
        bus.publish_transient(vec![message(&n.to_string())])
            .await
            .expect("taken");
    }
    let mut kept = 0;
    while let Some(Some(delivery)) = subscription.next().now_or_never() {
        assert_eq!(delivery.message.id.0, kept.to_string());
        subscription
            .settle(delivery.tag, Settle::Ack)
            .await
            .expect("unsettled");
        kept += 1;
    }
    assert_eq!(kept, 1_024);
}
