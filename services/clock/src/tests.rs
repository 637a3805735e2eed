//! The service on a real store and bus, with a clock that the tests move.

use std::future::Future;

use bus::{Outgoing, Subscription};
use kit::testing::{DEADLINE, TestParts, wait_for};
use kit::{Config, ManualClock, TimeSource};
use protocol::{Message, MessageId, ToClock, ToNight};
use store::{AggregateKey, Commit, Committed, Deadline};
use tokio::task::JoinHandle;

use super::*;

/// A game's queue of deadlines and the clock that fills it.
struct Bench {
    parts: TestParts,
    hand: ManualClock,
    running: Option<JoinHandle<anyhow::Result<()>>>,
}

/// What night was told.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Heard {
    game: String,
    deadline: String,
    at: i64,
    now: i64,
}

fn game(n: u32) -> AggregateKey {
    AggregateKey {
        service: Service::Night,
        key: format!("90000-{n}"),
    }
}

fn heard(game: u32, deadline: &str, at: i64, now: i64) -> Heard {
    Heard {
        game: format!("90000-{game}"),
        deadline: deadline.to_owned(),
        at,
        now,
    }
}

impl Bench {
    async fn new(now: i64) -> Self {
        let (clock, hand) = TimeSource::manual(Time(now));
        let parts = TestParts::with(Config::default(), clock).await;
        Self {
            parts,
            hand,
            running: None,
        }
    }

    async fn started(now: i64) -> Self {
        let mut bench = Self::new(now).await;
        bench.start();
        bench
    }

    fn start(&mut self) {
        self.running = Some(tokio::spawn(run(self.parts.clone())));
    }

    /// Stops the service and opens everything again, as after a restart.
    async fn restart(mut self) -> Self {
        self.stop().await;
        Self {
            parts: self.parts.restart().await,
            hand: self.hand,
            running: None,
        }
    }

    async fn stop(&mut self) {
        self.parts.shutdown.cancel();
        if let Some(running) = self.running.take() {
            patiently("clock to stop", running).await.unwrap().unwrap();
        }
    }

    /// Sets a game's deadlines, all of them.
    async fn set(&self, n: u32, version: u64, deadlines: &[(&str, i64)]) {
        let deadlines = deadlines
            .iter()
            .map(|(name, at)| Deadline {
                name: (*name).to_owned(),
                at: Time(*at),
            })
            .collect();
        let commit = Commit {
            aggregate: game(n),
            expected: version,
            after: None,
            message: MessageId(format!("set {n} {version}")),
            entry: Vec::new(),
            snapshot: None,
            deadlines: Some(deadlines),
            outbox: Vec::new(),
        };
        let done = self.parts.store.commit(commit).await.unwrap();
        assert_eq!(done, Committed::Done(version + 1));
    }

    /// Tells clock that some deadlines have changed.
    async fn nudge(&self) {
        let message = Message {
            id: MessageId("nudge".to_owned()),
            trace: String::new(),
            to: Topic {
                service: Service::Clock,
                shard: game(1).shard(),
            },
            key: String::new(),
            body: serde_json::to_string(&ToClock::Changed { next: None }).unwrap(),
        };
        self.parts
            .bus
            .publish_transient(vec![message])
            .await
            .unwrap();
    }

    async fn night(&self) -> Night {
        let topics = Shard::all()
            .map(|shard| Topic {
                service: Service::Night,
                shard,
            })
            .collect();
        Night(self.parts.bus.subscribe(topics, 64).await.unwrap())
    }
}

/// The far side of night's queues.
struct Night(Box<dyn Subscription>);

impl Night {
    /// The next message, unsettled.
    async fn take(&mut self) -> (Heard, MessageId, u64) {
        let delivery = patiently("a deadline", self.0.next())
            .await
            .expect("the bus is there");
        let Ok(ToNight::Due { deadline, at, now }) = serde_json::from_str(&delivery.message.body)
        else {
            panic!("night got {}", delivery.message.body)
        };
        let game = delivery.message.key;
        (
            Heard {
                game,
                deadline,
                at: at.0,
                now: now.0,
            },
            delivery.message.id,
            delivery.tag,
        )
    }

    /// The next message, acknowledged.
    async fn hear(&mut self) -> Heard {
        let (heard, _, tag) = self.take().await;
        self.0.settle(tag, Settle::Ack).await.unwrap();
        heard
    }

    /// Sure that nothing was rung before this marker.
    async fn nothing_before(&mut self, bench: &Bench) {
        let marker = ToNight::Due {
            deadline: "marker".to_owned(),
            at: Time(0),
            now: Time(0),
        };
        let messages = Shard::all().map(|shard| Message {
            id: MessageId(format!("marker {shard}")),
            trace: String::new(),
            to: Topic {
                service: Service::Night,
                shard,
            },
            key: "marker".to_owned(),
            body: serde_json::to_string(&marker).unwrap(),
        });
        let messages = messages.map(Outgoing::first).collect();
        let receipts = bench.parts.bus.publish(messages).await.unwrap();
        for _ in Shard::all() {
            assert_eq!(self.hear().await.game, "marker");
        }
        for receipt in receipts {
            receipt.await.unwrap();
        }
    }
}

async fn patiently<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, future)
        .await
        .unwrap_or_else(|_| panic!("no {what}"))
}

#[tokio::test]
async fn a_deadline_is_rung_when_it_comes() {
    let bench = Bench::started(1_000).await;
    let mut night = bench.night().await;
    bench
        .set(1, 0, &[("close:1", 2_000), ("close:2", 2_500)])
        .await;
    bench.nudge().await;
    night.nothing_before(&bench).await;
    bench.hand.set(Time(2_000));
    assert_eq!(night.hear().await, heard(1, "close:1", 2_000, 2_000));
    bench.set(1, 1, &[("close:2", 2_500)]).await;
    bench.hand.set(Time(2_500));
    assert_eq!(night.hear().await, heard(1, "close:2", 2_500, 2_500));
}

#[tokio::test]
async fn the_doorbell_finds_what_nobody_told_it() {
    let bench = Bench::started(1_000).await;
    let mut night = bench.night().await;
    bench.set(1, 0, &[("close", 500)]).await;
    assert_eq!(night.hear().await, heard(1, "close", 500, 1_000));
}

#[tokio::test]
async fn what_fell_due_while_clock_was_down_is_rung_when_it_is_back() {
    let bench = Bench::started(0).await;
    bench.set(1, 0, &[("close", 3_600_000)]).await;
    let mut bench = bench.restart().await;
    bench.hand.set(Time(5_000_000));
    let mut night = bench.night().await;
    bench.start();
    assert_eq!(night.hear().await, heard(1, "close", 3_600_000, 5_000_000));
    bench.stop().await;
}

#[tokio::test]
async fn a_ring_that_was_cut_off_is_rung_again_under_the_same_name() {
    let mut bench = Bench::started(10_000).await;
    bench.set(1, 0, &[("close", 10_000)]).await;
    let mut night = bench.night().await;
    let (first, name, _) = night.take().await;
    drop(night);
    bench.stop().await;
    let mut bench = bench.restart().await;
    bench.hand.set(Time(30_000));
    bench.start();
    let mut night = bench.night().await;
    let (second, again, _) = night.take().await;
    assert_eq!((first.now, second.now), (10_000, 30_000));
    assert_eq!(name, again, "within a minute it is the same message");
    bench.stop().await;
}

#[tokio::test]
async fn what_stays_is_rung_again_after_a_minute_under_another_name() {
    let bench = Bench::started(0).await;
    let mut night = bench.night().await;
    bench.set(1, 0, &[("close", 0)]).await;
    let (_, first, tag) = night.take().await;
    night.0.settle(tag, Settle::Ack).await.unwrap();
    bench.hand.set(Time(59_999));
    bench.nudge().await;
    bench.set(2, 0, &[("close", 59_999)]).await;
    assert_eq!(
        night.hear().await,
        heard(2, "close", 59_999, 59_999),
        "and not game 1 again"
    );
    bench.hand.set(Time(60_000));
    let (again, second, _) = night.take().await;
    assert_eq!(again, heard(1, "close", 0, 60_000));
    assert_ne!(first, second);
}

#[tokio::test]
async fn a_slow_game_does_not_delay_the_others() {
    let bench = Bench::started(1_000).await;
    let mut night = bench.night().await;
    bench.set(1, 0, &[("slow", 1_000)]).await;
    let (slow, _, tag) = night.take().await;
    assert_eq!(slow.deadline, "slow");
    for n in 2..40 {
        bench.set(n, 0, &[("quick", 1_500)]).await;
    }
    bench.hand.set(Time(1_500));
    let mut quick = Vec::new();
    for _ in 2..40 {
        quick.push(night.hear().await.game);
    }
    quick.sort();
    quick.dedup();
    assert_eq!(quick.len(), 38);
    night.0.settle(tag, Settle::Ack).await.unwrap();
}

#[tokio::test]
async fn two_deadlines_of_a_game_come_in_order() {
    let bench = Bench::new(10_000).await;
    bench
        .set(1, 0, &[("b", 9_000), ("a", 9_500), ("c", 8_000)])
        .await;
    let mut night = bench.night().await;
    let mut bench = bench;
    bench.start();
    let order = [night.hear().await, night.hear().await, night.hear().await];
    assert_eq!(order.map(|heard| heard.deadline), ["c", "b", "a"]);
    bench.stop().await;
}

#[tokio::test]
async fn lateness_is_measured_once_a_deadline_and_looking_is_healthy() {
    let bench = Bench::new(10_500).await;
    bench.set(1, 0, &[("close", 10_000)]).await;
    let mut bench = bench;
    bench.start();
    let mut night = bench.night().await;
    let _ = night.hear().await;
    wait_for("the measure", DEADLINE, || async {
        let text = bench.parts.metrics.render();
        let sum = "duskgate_deadline_lateness_seconds_sum 0.5";
        text.lines().any(|line| line == sum).then_some(())
    })
    .await;
    let report = bench.parts.health.report().await;
    assert_eq!(report.get("clock"), Some(&Ok(())));
    bench.stop().await;
}

/// With the machine's own time: late by less than a tenth of a second.
#[tokio::test]
async fn rings_are_on_time() {
    let parts = TestParts::new().await;
    let running = tokio::spawn(run(parts.clone()));
    let topics = Shard::all()
        .map(|shard| Topic {
            service: Service::Night,
            shard,
        })
        .collect();
    let mut night = Night(parts.bus.subscribe(topics, 64).await.unwrap());
    let (_, hand) = TimeSource::manual(Time(0));
    let bench = Bench {
        parts,
        hand,
        running: Some(running),
    };
    let mut late = Vec::new();
    for n in 1..=10 {
        let at = bench.parts.clock.now().plus_ms(150);
        bench.set(n, 0, &[("close", at.0)]).await;
        bench.nudge().await;
        let heard = night.hear().await;
        bench.set(n, 1, &[]).await;
        late.push(heard.now - heard.at);
    }
    late.sort_unstable();
    assert!(late[0] >= 0, "too early: {late:?}");
    assert!(late[late.len() / 2] < 100, "late by {late:?} ms");
}
