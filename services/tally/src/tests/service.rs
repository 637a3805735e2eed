//! The service on a real store and bus.

use std::future::Future;

use bus::{Outgoing, Settle, Subscription};
use kit::testing::{DEADLINE, TestParts, wait_for};
use protocol::{Message, MessageId, Place, Service, Shard, ToNight, ToPublish, ToTally, Topic};
use rules::Turn;
use tokio::task::JoinHandle;

use super::{Desk, KEY, roster, seat, thread};
use crate::run;

struct Bench {
    parts: TestParts,
    running: JoinHandle<anyhow::Result<()>>,
    sent: u32,
}

impl Bench {
    fn start(parts: TestParts, sent: u32) -> Self {
        let running = tokio::spawn(run(parts.clone()));
        Self {
            parts,
            running,
            sent,
        }
    }

    async fn restart(self) -> Self {
        self.parts.shutdown.cancel();
        patiently("tally to stop", self.running)
            .await
            .unwrap()
            .unwrap();
        Self::start(self.parts.restart().await, self.sent)
    }

    /// Hands in an input under the name of the nth, and waits until it is settled.
    async fn give_as(&self, n: u32, input: &ToTally) {
        let message = Message {
            id: MessageId(format!("test/{n}")),
            trace: format!("trace {n}"),
            to: Topic {
                service: Service::Tally,
                shard: Shard::of(KEY),
            },
            key: KEY.to_owned(),
            body: serde_json::to_string(input).unwrap(),
        };
        let receipts = self
            .parts
            .bus
            .publish(vec![Outgoing::first(message)])
            .await
            .unwrap();
        for receipt in receipts {
            patiently("tally to settle", receipt).await.unwrap();
        }
    }

    async fn give(&mut self, input: &ToTally) {
        self.sent += 1;
        self.give_as(self.sent, input).await;
    }

    async fn listen(&self, service: Service) -> Box<dyn Subscription> {
        let topics = Shard::all().map(|shard| Topic { service, shard }).collect();
        self.parts.bus.subscribe(topics, 64).await.unwrap()
    }
}

async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future)
        .await
        .unwrap_or_else(|_| panic!("no {what}"))
}

async fn next<T: serde::de::DeserializeOwned>(queue: &mut Box<dyn Subscription>) -> T {
    let delivery = patiently("message", queue.next())
        .await
        .expect("the bus is there");
    assert_eq!(delivery.message.key, KEY);
    queue.settle(delivery.tag, Settle::Ack).await.unwrap();
    serde_json::from_str(&delivery.message.body).unwrap()
}

async fn next_key(queue: &mut Box<dyn Subscription>) -> String {
    match next(queue).await {
        ToPublish::Say(say) => say.phrases[0].key.clone(),
        other => panic!("publish got {other:?}"),
    }
}

#[tokio::test]
async fn a_vote_goes_from_queue_to_receipt_to_book_also_across_a_restart() {
    let mut lines = Desk::quiet();
    let mut post =
        |who: &str, text: &str| ToTally::Line(lines.line(Some(seat(who)), Place::Square, text));
    let mut bench = Bench::start(TestParts::new().await, 0);
    let mut publish = bench.listen(Service::Publish).await;
    bench.give(&ToTally::Roster(roster())).await;
    bench.give(&ToTally::Thread(thread())).await;
    let vote = post("甲", "投票对象：乙");
    bench.give(&vote).await;
    assert_eq!(next_key(&mut publish).await, "vote/taken");
    // The same message again changes nothing and says nothing.
    bench.give_as(bench.sent, &vote).await;
    drop(publish);

    let mut bench = bench.restart().await;
    let mut publish = bench.listen(Service::Publish).await;
    let mut night = bench.listen(Service::Night).await;
    bench.give_as(bench.sent, &vote).await;
    bench.give(&post("甲", "投票对象：丙")).await;
    assert_eq!(next_key(&mut publish).await, "vote/already-voted");
    bench.give(&ToTally::Close { thread: Turn(1) }).await;
    let ToNight::Book { book, .. } = next(&mut night).await else {
        panic!("night got no book")
    };
    assert_eq!(book.ballots.len(), 1);
    assert_eq!(book.posts, [(seat("甲"), 2)]);

    wait_for("the refusal to be counted", DEADLINE, || async {
        let text = bench.parts.metrics.render();
        let line = r#"duskgate_refusals_total{service="tally",reason="already-voted"} 1"#;
        text.lines().any(|counted| counted == line).then_some(())
    })
    .await;
    bench.parts.shutdown.cancel();
    patiently("tally to stop", bench.running)
        .await
        .unwrap()
        .unwrap();
}

/// What cannot be read is given up: night keeps that for the record, and knows whether the game may
/// stand still.
#[tokio::test]
async fn night_hears_of_what_was_given_up() {
    let bench = Bench::start(TestParts::new().await, 0);
    let mut night = bench.listen(Service::Night).await;
    let to = Topic {
        service: Service::Tally,
        shard: Shard::of(KEY),
    };
    let order = Message {
        id: MessageId("an order".to_owned()),
        trace: "a trace".to_owned(),
        to,
        key: KEY.to_owned(),
        body: "{\"Close\":{\"thread\":\"no number\"}}".to_owned(),
    };
    let service_message = Message {
        key: String::new(),
        ..order.clone()
    };
    let sent = [service_message, order].map(Outgoing::first);
    let receipts = bench.parts.bus.publish(sent.to_vec()).await.unwrap();
    let delivery = patiently("news", night.next()).await.unwrap();
    assert_eq!(delivery.message.trace, "a trace");
    let skipped = ToNight::Skipped {
        message: "an order".to_owned(),
        holds_up: true,
    };
    let body: ToNight = serde_json::from_str(&delivery.message.body).unwrap();
    assert_eq!(body, skipped);
    night.settle(delivery.tag, Settle::Ack).await.unwrap();
    for receipt in receipts {
        patiently("tally to settle", receipt).await.unwrap();
    }
    let letters = bench.parts.bus.dead_letters(Service::Tally).await.unwrap();
    assert_eq!(letters.len(), 1);
    let stuck = r#"duskgate_stuck_games{service="tally"} 1"#;
    wait_for("the game to show as stuck", DEADLINE, || async {
        let text = bench.parts.metrics.render();
        text.lines().any(|line| line == stuck).then_some(())
    })
    .await;
    bench.parts.shutdown.cancel();
    patiently("tally to stop", bench.running)
        .await
        .unwrap()
        .unwrap();
}
