//! From queue to commit to acknowledgement, and on to the next queue.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bus::{Bus, MAX_ATTEMPTS};
use common::{
    Desk, Fault, FaultyBus, FaultyStore, NightDiary, Note, TallyDiary, beside, id, lines, message,
    publish, write,
};
use futures::future::join_all;
use kit::testing::{DEADLINE, TestParts, wait_for};
use kit::{Handled, Hooks, NoHooks, Parts, Writer, serve};
use protocol::{Message, Service, Shard, Topic};
use store::Store;
use tokio::task::JoinHandle;

fn night(parts: &Parts) -> Writer<NightDiary> {
    Writer::new(parts.clone(), Arc::new(Desk::default()))
}

fn tally(parts: &Parts) -> Writer<TallyDiary> {
    Writer::new(parts.clone(), Arc::new(Desk::default()))
}

type Running = JoinHandle<anyhow::Result<()>>;

fn start<A: kit::Aggregate>(writer: &Writer<A>) -> Running {
    tokio::spawn(serve(writer.clone(), NoHooks))
}

async fn stop(parts: &Parts, services: Vec<Running>) {
    parts.shutdown.cancel();
    for service in services {
        let ended = tokio::time::timeout(DEADLINE, service)
            .await
            .expect("it stops in time");
        ended.unwrap().unwrap();
    }
}

fn pass(text: &str) -> Note {
    Note::Pass {
        to: Service::Tally,
        key: "7-9".to_owned(),
        text: text.to_owned(),
    }
}

async fn wait_for_lines<const NTH: usize>(
    writer: &Writer<common::Diary<NTH>>,
    key: &str,
    count: usize,
) -> Vec<String> {
    wait_for(&format!("{count} lines in {key}"), DEADLINE, || async {
        let lines = lines(writer, key).await;
        (lines.len() >= count).then_some(lines)
    })
    .await
}

async fn wait_for_empty_outboxes(store: &Arc<dyn Store>) {
    wait_for("empty outboxes", DEADLINE, || async {
        for service in Service::ALL {
            for shard in Shard::all() {
                if !store.outbox(service, shard, 0, 1).await.unwrap().is_empty() {
                    return None;
                }
            }
        }
        Some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_go_from_service_to_service_in_order() {
    let parts = TestParts::new().await;
    let (night, tally) = (night(&parts), tally(&parts));
    let services = vec![start(&night), start(&tally)];
    let count = 200;
    let sent = (0..count)
        .map(|n| {
            message(
                Service::Night,
                "7-1",
                &format!("m{n}"),
                &pass(&n.to_string()),
            )
        })
        .collect();
    for receipt in join_all(publish(&parts, sent).await).await {
        receipt.unwrap();
    }
    let expected: Vec<_> = (0..count).map(|n| n.to_string()).collect();
    assert_eq!(
        lines(&night, "7-1").await,
        expected,
        "what is answered is committed"
    );
    assert_eq!(wait_for_lines(&tally, "7-9", count).await, expected);
    wait_for_empty_outboxes(&parts.store).await;
    stop(&parts, services).await;
}

/// The relay is woken by the commit: a missed bell would cost half a minute.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_message_after_another_needs_no_polling() {
    let parts = TestParts::new().await;
    let (night, tally) = (night(&parts), tally(&parts));
    let services = vec![start(&night), start(&tally)];
    for n in 0..100 {
        let text = n.to_string();
        night
            .handle("7-1", id(&text), "t", pass(&text))
            .await
            .unwrap();
        wait_for_lines(&tally, "7-9", n + 1).await;
    }
    stop(&parts, services).await;
}

struct Watching {
    dead: Arc<Mutex<Vec<(String, String)>>>,
    committed: Arc<Mutex<Vec<(String, u64)>>>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Watching {
    fn new() -> Self {
        Self {
            dead: Arc::default(),
            committed: Arc::default(),
            told: Arc::default(),
        }
    }

    fn clone_of(&self) -> Self {
        Self {
            dead: Arc::clone(&self.dead),
            committed: Arc::clone(&self.committed),
            told: Arc::clone(&self.told),
        }
    }
}

#[async_trait]
impl Hooks<NightDiary> for Watching {
    async fn on_service_message(&self, message: Message) {
        self.told.lock().unwrap().push(message.body);
    }

    async fn after_commit(&self, key: &str, _: &Note, handled: &Handled) {
        self.committed
            .lock()
            .unwrap()
            .push((key.to_owned(), handled.version));
    }

    fn holds_up(&self, message: &Message) -> bool {
        message.id.0 != "bad"
    }

    async fn on_dead(&self, message: &Message, reason: &str) {
        self.dead
            .lock()
            .unwrap()
            .push((message.id.0.clone(), reason.to_owned()));
    }
}

/// Waits until the metrics have this line.
async fn shows(parts: &Parts, line: &str) {
    wait_for(line, DEADLINE, || async {
        let shown = parts.metrics.render();
        shown.lines().any(|l| l == line).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_given_up_at_once() {
    let parts = TestParts::new().await;
    let night = night(&parts);
    let watching = Watching::new();
    let service = tokio::spawn(serve(night.clone(), watching.clone_of()));
    let mut bad = message(Service::Night, "7-1", "bad", &write(""));
    bad.body = "{\"Sing\":1}".to_owned();
    let good = message(Service::Night, "7-1", "good", &write("good"));
    for receipt in join_all(publish(&parts, vec![bad, good]).await).await {
        receipt.unwrap();
    }
    assert_eq!(lines(&night, "7-1").await, ["good"]);
    let letters = parts.bus.dead_letters(Service::Night).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert!(
        letters[0].reason.starts_with("its body cannot be read"),
        "{}",
        letters[0].reason
    );
    assert_eq!(
        *watching.dead.lock().unwrap(),
        [("bad".to_owned(), letters[0].reason.clone())]
    );
    assert_eq!(*watching.committed.lock().unwrap(), [("7-1".to_owned(), 1)]);
    let counted = parts.metrics.render();
    for line in [
        r#"duskgate_dead_letters_total{service="night"} 1"#,
        r#"duskgate_messages_handled_total{service="night",outcome="dead"} 1"#,
        r#"duskgate_messages_handled_total{service="night",outcome="done"} 1"#,
    ] {
        assert!(
            counted.lines().any(|l| l == line),
            "{line} is missing in\n{counted}"
        );
    }
    stop(&parts, vec![service]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_makes_us_panic_is_tried_given_up_and_can_be_put_back() {
    let parts = TestParts::new().await;
    let night = night(&parts);
    night.env().broken.store(true, Ordering::Relaxed);
    let watching = Watching::new();
    let service = tokio::spawn(serve(night.clone(), watching.clone_of()));
    let beside = beside("7-1");
    let sent = vec![
        message(Service::Night, "7-1", "a", &write("a")),
        message(Service::Night, "7-1", "b", &Note::Stumble("b".to_owned())),
        message(Service::Night, "7-1", "c", &write("c")),
        message(Service::Night, &beside, "x", &write("x")),
    ];
    for receipt in join_all(publish(&parts, sent).await).await {
        receipt.unwrap();
    }
    assert_eq!(
        lines(&night, "7-1").await,
        ["a", "c"],
        "the sequence moves on"
    );
    assert_eq!(lines(&night, &beside).await, ["x"]);
    let letter = parts
        .bus
        .dead_letters(Service::Night)
        .await
        .unwrap()
        .remove(0);
    assert_eq!(
        (letter.message.id, &*letter.reason),
        (id("b"), "panicked: stumbled over b")
    );
    assert_eq!(
        watching.dead.lock().unwrap().len(),
        1,
        "told once, not at each try"
    );
    // a, the tries of b, c, x; nothing was loaded in between but after panics.
    let tries = night.env().handled.load(Ordering::Relaxed);
    assert!(tries >= 3 + MAX_ATTEMPTS, "{tries}");

    let [standing, stuck] = ["dead_letters_standing", "stuck_games"]
        .map(|name| format!(r#"duskgate_{name}{{service="night"}}"#));
    shows(&parts, &format!("{standing} 1")).await;
    shows(&parts, &format!("{stuck} 1")).await;
    night.env().broken.store(false, Ordering::Relaxed);
    parts.bus.put_back(Service::Night, letter.id).await.unwrap();
    assert_eq!(wait_for_lines(&night, "7-1", 3).await, ["a", "c", "b"]);
    shows(&parts, &format!("{stuck} 0")).await;
    stop(&parts, vec![service]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_the_store_is_away_messages_wait_in_order() {
    let parts = TestParts::new().await;
    let store = FaultyStore::around(Arc::clone(&parts.store));
    let faulty = Parts {
        store: Arc::clone(&store) as Arc<dyn Store>,
        ..Parts::clone(&parts)
    };
    let (night, tally) = (night(&faulty), tally(&faulty));
    let services = vec![start(&night), start(&tally)];
    store.away.store(true, Ordering::Relaxed);
    let count = 30;
    let sent = (0..count)
        .map(|n| {
            message(
                Service::Night,
                "7-1",
                &format!("m{n}"),
                &pass(&n.to_string()),
            )
        })
        .collect();
    let receipts = publish(&parts, sent).await;
    wait_for("a few waits", DEADLINE, || async {
        let waits = r#"duskgate_messages_handled_total{service="night",outcome="wait"} "#;
        let counted = faulty.metrics.render();
        let line = counted
            .lines()
            .find_map(|l| l.strip_prefix(waits))?
            .parse::<u32>()
            .unwrap();
        (line > 2).then_some(())
    })
    .await;
    store.fail(&[Fault::After, Fault::Before, Fault::After]);
    store.away.store(false, Ordering::Relaxed);
    for receipt in join_all(receipts).await {
        receipt.unwrap();
    }
    let expected: Vec<_> = (0..count).map(|n| n.to_string()).collect();
    assert_eq!(lines(&night, "7-1").await, expected);
    assert_eq!(wait_for_lines(&tally, "7-9", count).await, expected);
    assert_eq!(parts.bus.dead_letters(Service::Night).await.unwrap(), []);
    stop(&parts, services).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreadable_state_does_not_keep_back_other_games() {
    let parts = TestParts::new().await;
    let beside = beside("7-1");
    let spoiled = store::Commit {
        aggregate: store::AggregateKey {
            service: Service::Night,
            key: "7-1".to_owned(),
        },
        expected: 0,
        after: None,
        message: id("m"),
        entry: b"no json".to_vec(),
        snapshot: None,
        deadlines: None,
        outbox: vec![],
    };
    parts.store.commit(spoiled).await.unwrap();
    let night = night(&parts);
    let service = start(&night);
    let sent = vec![
        message(Service::Night, "7-1", "a", &write("a")),
        message(Service::Night, &beside, "x", &write("x")),
    ];
    for receipt in join_all(publish(&parts, sent).await).await {
        receipt.unwrap();
    }
    assert_eq!(lines(&night, &beside).await, ["x"]);
    let letters = parts.bus.dead_letters(Service::Night).await.unwrap();
    assert!(
        letters[0].reason.contains("journal entry 1 of night/7-1"),
        "{}",
        letters[0].reason
    );
    stop(&parts, vec![service]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_for_the_service_itself_are_not_committed() {
    let parts = TestParts::new().await;
    let night = night(&parts);
    let watching = Watching::new();
    let service = tokio::spawn(serve(night.clone(), watching.clone_of()));
    wait_for("the service to listen", DEADLINE, || async {
        parts
            .health
            .report()
            .await
            .get("night")?
            .is_ok()
            .then_some(())
    })
    .await;
    let to = Topic {
        service: Service::Night,
        shard: Shard::of("7-1"),
    };
    let marks = (0..50)
        .map(|n| Message {
            id: id(&n.to_string()),
            trace: String::new(),
            to,
            key: String::new(),
            body: n.to_string(),
        })
        .collect();
    parts.bus.publish_transient(marks).await.unwrap();
    wait_for("all marks", DEADLINE, || async {
        (watching.told.lock().unwrap().len() == 50).then_some(())
    })
    .await;
    let expected: Vec<_> = (0..50).map(|n| n.to_string()).collect();
    assert_eq!(*watching.told.lock().unwrap(), expected, "in order");
    assert_eq!(
        parts.store.keys(Service::Night).await.unwrap(),
        Vec::<String>::new()
    );
    stop(&parts, vec![service]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stopping_and_starting_loses_nothing_and_repeats_nothing() {
    let mut parts = TestParts::new().await;
    let count = 120;
    let all: Vec<_> = (0..count).map(|n| n.to_string()).collect();
    let mut handed_in = 0;
    while handed_in < count {
        let (night, tally) = (night(&parts), tally(&parts));
        // Some of the time nobody takes what is sent to tally.
        let mut services = vec![start(&night)];
        if handed_in % 20 == 0 {
            services.push(start(&tally));
        }
        for text in &all[handed_in..handed_in + 10] {
            night
                .handle("7-1", id(text), "t", pass(text))
                .await
                .unwrap();
        }
        handed_in += 10;
        stop(&parts, services).await;
        drop((night, tally));
        parts = parts.restart().await;
    }
    let (night, tally) = (night(&parts), tally(&parts));
    let services = vec![start(&night), start(&tally)];
    assert_eq!(wait_for_lines(&tally, "7-9", count).await, all);
    wait_for_empty_outboxes(&parts.store).await;
    assert_eq!(lines(&tally, "7-9").await, all, "nothing twice");
    stop(&parts, services).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_earlier_process_left_is_marked_as_sent_again() {
    let parts = TestParts::new().await;
    let before = night(&parts);
    before
        .handle("7-1", id("old"), "t", pass("old"))
        .await
        .unwrap();
    drop(before);
    let parts = parts.restart().await;
    let night = night(&parts);
    let service = start(&night);
    let topics = Shard::all()
        .map(|shard| Topic {
            service: Service::Tally,
            shard,
        })
        .collect();
    let mut listener = parts.bus.subscribe(topics, 8).await.unwrap();
    let old = listener.next().await.unwrap();
    assert_eq!(
        (&*old.message.id.0, old.redelivered),
        ("night/7-1/1.0", true)
    );
    night
        .handle("7-1", id("new"), "t", pass("new"))
        .await
        .unwrap();
    let new = listener.next().await.unwrap();
    assert_eq!(
        (&*new.message.id.0, new.redelivered),
        ("night/7-1/2.0", false)
    );
    drop(listener);
    stop(&parts, vec![service]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bus_that_fails_now_and_then_costs_nothing_but_time() {
    let parts = TestParts::new().await;
    let bus = FaultyBus::around(Arc::clone(&parts.bus));
    let faulty = Parts {
        bus: Arc::clone(&bus) as Arc<dyn Bus>,
        ..Parts::clone(&parts)
    };
    let (night, tally) = (night(&faulty), tally(&faulty));
    let services = vec![start(&night), start(&tally)];
    let count = 12;
    for n in 0..count {
        let text = n.to_string();
        night
            .handle("7-1", id(&text), "t", pass(&text))
            .await
            .unwrap();
    }
    let mut arrived = wait_for_lines(&tally, "7-9", count).await;
    wait_for_empty_outboxes(&parts.store).await;
    // A batch that was lost on the way may be overtaken by one that was not; nothing is lost.
    arrived.sort_by_key(|line| line.parse::<usize>().unwrap());
    let expected: Vec<_> = (0..count).map(|n| n.to_string()).collect();
    assert_eq!(arrived, expected);
    let seen = bus.seen.lock().unwrap().clone();
    let mut names = std::collections::HashSet::new();
    for (name, again) in seen {
        let first = names.insert(name.clone());
        assert!(first || again, "{name} was sent again without a mark");
    }
    stop(&parts, services).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_receiver_keeps_back_nobody_else() {
    let parts = TestParts::new().await;
    let night = night(&parts);
    let service = start(&night);
    // Nobody takes what is for publish; tally's come through.
    let to_publish = |text: &str| Note::Pass {
        to: Service::Publish,
        key: "7-1".into(),
        text: text.into(),
    };
    let tally = tally(&parts);
    let other = start(&tally);
    for n in 0..20 {
        let text = n.to_string();
        night
            .handle("7-1", id(&format!("p{n}")), "t", to_publish(&text))
            .await
            .unwrap();
        night
            .handle("7-1", id(&format!("t{n}")), "t", pass(&text))
            .await
            .unwrap();
        wait_for_lines(&tally, "7-9", n + 1).await;
    }
    assert!(
        parts
            .handed_over(Service::Night, Shard::of("7-1"))
            .await
            .unwrap()
    );
    let left = parts
        .store
        .outbox(Service::Night, Shard::of("7-1"), 0, 100)
        .await
        .unwrap();
    let left = left
        .iter()
        .filter(|e| e.message.to.service == Service::Publish)
        .count();
    assert_eq!(
        left, 20,
        "handed over, and kept until somebody has taken them"
    );
    let began = std::time::Instant::now();
    stop(&parts, vec![service, other]).await;
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "stopping does not wait for a receiver"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handed_over_tells_when_a_watermark_may_follow() {
    let parts = TestParts::new().await;
    let night = night(&parts);
    let shard = Shard::of("7-1");
    assert!(
        parts.handed_over(Service::Night, shard).await.unwrap(),
        "nothing to hand over"
    );
    night.handle("7-1", id("a"), "t", pass("a")).await.unwrap();
    assert!(
        !parts.handed_over(Service::Night, shard).await.unwrap(),
        "no relay runs"
    );
    let service = start(&night);
    wait_for("the relay", DEADLINE, || async {
        parts
            .handed_over(Service::Night, shard)
            .await
            .unwrap()
            .then_some(())
    })
    .await;
    stop(&parts, vec![service]).await;
}

/// One entry that cannot be read keeps back what is behind it, and says so to whoever watches.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outbox_that_does_not_move_says_so() {
    let parts = TestParts::new().await;
    let store = FaultyStore::around(Arc::clone(&parts.store));
    let faulty = Parts {
        store: Arc::clone(&store) as Arc<dyn Store>,
        ..Parts::clone(&parts)
    };
    let (night, tally) = (night(&faulty), tally(&faulty));
    for text in ["a", "b", "c"] {
        night
            .handle("7-1", id(text), "t", pass(text))
            .await
            .unwrap();
    }
    store.spoiled.store(2, Ordering::Relaxed);
    let services = vec![start(&night), start(&tally)];
    wait_for_lines(&tally, "7-9", 1).await;
    let why = wait_for("the outbox to say why", DEADLINE, || async {
        parts.health.report().await.remove("night outbox")?.err()
    })
    .await;
    let shard = Shard::of("7-1");
    assert!(
        why.contains(&format!("shard {shard}: ")) && why.contains("outbox entry 2"),
        "{why}"
    );
    let stuck = |count: u8| format!("duskgate_outboxes_stuck{{service=\"night\"}} {count}\n");
    assert!(parts.metrics.render().contains(&stuck(1)));
    assert_eq!(lines(&tally, "7-9").await, ["a"]);
    let report = parts.health.report().await;
    assert_eq!(report["tally outbox"], Ok(()), "the others are well");

    store.spoiled.store(0, Ordering::Relaxed);
    assert_eq!(wait_for_lines(&tally, "7-9", 3).await, ["a", "b", "c"]);
    wait_for("the outbox to be well", DEADLINE, || async {
        let report = parts.health.report().await;
        report["night outbox"].is_ok().then_some(())
    })
    .await;
    assert!(parts.metrics.render().contains(&stuck(0)));
    stop(&parts, services).await;
}
