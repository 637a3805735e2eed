//! The service on a real bus and store: deadlines wait for watermarks, also across a restart.

#![allow(clippy::unwrap_used, reason = "helpers of tests may fail as tests do")]

mod common;

use std::sync::Arc;

use bus::Outgoing;
use common::{ACCOUNT, DIRECTOR, KEY, SQUARE, Sim, alias, player, settings};
use kit::testing::{DEADLINE, TestParts, wait_for};
use night::Env;
use protocol::{Message, MessageId, Place, Service, Shard, ToNight, Topic};
use rules::Time;
use store::Deadline;
use tokio::task::JoinHandle;

/// The service on these parts, until they are shut down.
fn start(parts: &TestParts) -> JoinHandle<anyhow::Result<()>> {
    let env = Arc::new(Env::new(boards::builtin().iter().cloned(), settings(2)));
    tokio::spawn(night::run(parts.parts(), env))
}

trait Handed {
    fn parts(&self) -> kit::Parts;
}

impl Handed for TestParts {
    fn parts(&self) -> kit::Parts {
        kit::Parts::clone(self)
    }
}

fn message(id: &str, key: &str, input: &ToNight) -> Message {
    let shard = Shard::of(KEY);
    Message {
        id: MessageId(id.to_owned()),
        trace: id.to_owned(),
        to: Topic {
            service: Service::Night,
            shard,
        },
        key: key.to_owned(),
        body: serde_json::to_string(input).unwrap(),
    }
}

/// The lines that lead to a quick game in its opening.
fn up_to_the_opening() -> Vec<ToNight> {
    let mut sim = Sim::new(settings(2));
    let mut open = sim.line(DIRECTOR, Place::Square, "m158 日历=quick");
    open.speaker.director = true;
    let entropy = "7f".repeat(32);
    let mut inputs = vec![ToNight::Open {
        square: SQUARE,
        line: open,
        entropy,
        taken: Vec::new(),
    }];
    for n in 0..14 {
        let line = sim.line(player(n), Place::Private, &format!("报名 {}", alias(n)));
        inputs.push(ToNight::Line(line));
    }
    for order in ["发牌", "开始"] {
        inputs.push(ToNight::Line(sim.line(DIRECTOR, Place::Private, order)));
    }
    inputs
}

async fn publish(parts: &TestParts, id: &str, input: &ToNight) {
    let message = Outgoing::first(message(id, KEY, input));
    let _receipts = parts.bus.publish(vec![message]).await.unwrap();
}

async fn watermark(parts: &TestParts, upto: Time) {
    let input = ToNight::Watermark {
        account: ACCOUNT,
        upto,
    };
    let id = format!("watermark/{}", upto.0);
    parts
        .bus
        .publish_transient(vec![message(&id, "", &input)])
        .await
        .unwrap();
}

/// Waits until the game's deadline has this beginning.
async fn deadline(parts: &TestParts, begins: &str) -> Deadline {
    wait_for(begins, DEADLINE, || async {
        let due = parts.store.due(Time(i64::MAX), 10).await.unwrap();
        due.into_iter()
            .map(|due| due.deadline)
            .find(|deadline| deadline.name.starts_with(begins))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deadline_waits_for_its_watermark_also_across_a_restart() {
    let parts = TestParts::new().await;
    let service = start(&parts);
    for (n, input) in up_to_the_opening().iter().enumerate() {
        publish(&parts, &format!("line/{n}"), input).await;
    }
    let first = deadline(&parts, "turn/").await;

    // The watermark is there before the deadline is: it passes at once.
    watermark(&parts, first.at.plus_ms(60_000)).await;
    ring(&parts, &first).await;
    let second = wait_for("the next window", DEADLINE, || async {
        Some(deadline(&parts, "turn/").await).filter(|deadline| *deadline != first)
    })
    .await;

    // This one comes while the chat side is away, and the process is started again.
    ring(&parts, &second).await;
    let wait = deadline(&parts, "wait/").await;
    assert!(wait.at > second.at);
    let parts = parts.restart().await;
    service.await.unwrap().unwrap();
    let service = start(&parts);
    // Watermarks come every second; those that come while nobody listens are lost.
    let third = wait_for("the window after that", DEADLINE, || async {
        watermark(&parts, second.at.plus_ms(4_999)).await;
        watermark(&parts, second.at.plus_ms(5_000)).await;
        let due = parts.store.due(Time(i64::MAX), 10).await.unwrap();
        let mut turns = due.into_iter().map(|due| due.deadline);
        turns.find(|deadline| deadline.name.starts_with("turn/"))
    })
    .await;
    assert_ne!(third, second);

    parts.shutdown.cancel();
    service.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_that_began_at_another_instance_is_found() {
    let parts = TestParts::new().await;
    let service = start(&parts);
    for (n, input) in up_to_the_opening().iter().enumerate() {
        publish(&parts, &format!("line/{n}"), input).await;
    }
    let env = Arc::new(Env::new(boards::builtin().iter().cloned(), settings(2)));
    let other = kit::Writer::<night::Night>::new(parts.parts(), env);
    let mut turn = deadline(&parts, "turn/").await;
    // The first time the service has heard no watermark at all; then they come without a pause,
    // while the games' queue has been elsewhere for a moment.
    for _ in 0..2 {
        let input = due(&turn);
        let id = MessageId(format!("due/{}", turn.name));
        other.handle(KEY, id, "due", input).await.unwrap();
        deadline(&parts, "wait/").await;
        turn = wait_for("the next window", DEADLINE, || async {
            watermark(&parts, turn.at.plus_ms(5_000)).await;
            let all = parts.store.due(Time(i64::MAX), 10).await.unwrap();
            let mut turns = all.into_iter().map(|due| due.deadline);
            turns.find(|next| next.name.starts_with("turn/") && *next != turn)
        })
        .await;
    }

    parts.shutdown.cancel();
    service.await.unwrap().unwrap();
}

async fn ring(parts: &TestParts, deadline: &Deadline) {
    publish(parts, &format!("due/{}", deadline.name), &due(deadline)).await;
}

fn due(deadline: &Deadline) -> ToNight {
    ToNight::Due {
        deadline: deadline.name.clone(),
        at: deadline.at,
        now: deadline.at,
    }
}
