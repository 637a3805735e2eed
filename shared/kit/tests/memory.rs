//! A graceful stop leaves nothing to replay.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::{Desk, FaultyStore, NightDiary, Note, TallyDiary, id, lines, write};
use kit::testing::{DEADLINE, TestParts, wait_for};
use kit::{Aggregate, NoHooks, Parts, Writer, serve};
use protocol::Service;
use store::{AggregateKey, Store, StoreError};

fn writer<A: Aggregate<Env = Desk>>(parts: &Parts) -> Writer<A> {
    Writer::new(parts.clone(), Arc::new(Desk::default()))
}

async fn add<A: Aggregate<Input = Note>>(writer: &Writer<A>, key: &str, texts: &[&str]) {
    for text in texts {
        writer
            .handle(key, id(&format!("{key}/{text}")), "t", write(text))
            .await
            .unwrap();
    }
}

async fn snapshot_at(store: &Arc<dyn Store>, service: Service, key: &str) -> u64 {
    let key = key.to_owned();
    let stored = store.load(&AggregateKey { service, key }).await.unwrap();
    stored.snapshot.map_or(0, |(version, _)| version)
}

#[tokio::test]
async fn the_next_process_replays_nothing() {
    let parts = TestParts::new().await;
    let (night, tally) = (writer::<NightDiary>(&parts), writer::<TallyDiary>(&parts));
    add(&night, "7-1", &["a", "b"]).await;
    add(&night, "7-2", &["c"]).await;
    add(&tally, "7-1", &["d"]).await;
    let chapter = Note::Chapter("e".to_owned());
    night.handle("7-3", id("e"), "t", chapter).await.unwrap();
    assert_eq!(lines(&night, "7-4").await, Vec::<String>::new());

    assert_eq!(
        parts.keep_snapshots().await,
        3,
        "7-3 has one, 7-4 is nothing"
    );
    assert_eq!(parts.keep_snapshots().await, 0, "all have one");
    drop((night, tally));

    let parts = parts.restart().await;
    let (night, tally) = (writer::<NightDiary>(&parts), writer::<TallyDiary>(&parts));
    for (key, expected) in [
        ("7-1", &["a", "b"][..]),
        ("7-2", &["c"]),
        ("7-3", &["e"]),
        ("7-4", &[]),
    ] {
        assert_eq!(lines(&night, key).await, expected, "{key}");
    }
    assert_eq!(lines(&tally, "7-1").await, ["d"]);
    assert_eq!(night.env().handled.load(Ordering::Relaxed), 0);
    assert_eq!(tally.env().handled.load(Ordering::Relaxed), 0);
    add(&night, "7-1", &["f"]).await;
    assert_eq!(lines(&night, "7-1").await, ["a", "b", "f"]);
}

/// What a crash has left in journals is replayed once, and kept at the next graceful stop.
#[tokio::test]
async fn what_was_replayed_is_kept_too() {
    let parts = TestParts::new().await;
    let night = writer::<NightDiary>(&parts);
    add(&night, "7-1", &["a", "b"]).await;
    drop(night);
    let parts = parts.restart().await;
    let night = writer::<NightDiary>(&parts);
    assert_eq!(lines(&night, "7-1").await, ["a", "b"]);
    assert_eq!(parts.keep_snapshots().await, 1);
    assert_eq!(snapshot_at(&parts.store, Service::Night, "7-1").await, 2);
}

/// Nobody has asked for them since a crash: they are kept all the same by their service.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crash_has_left_in_journals_is_kept() {
    let parts = TestParts::new().await;
    let (night, tally) = (writer::<NightDiary>(&parts), writer::<TallyDiary>(&parts));
    let keys: Vec<_> = (1..=20).map(|n| format!("7-{n}")).collect();
    for key in &keys {
        add(&night, key, &["a", "b"]).await;
    }
    add(&tally, "7-1", &["c"]).await;
    drop((night, tally));

    let parts = parts.restart().await;
    let (night, tally) = (writer::<NightDiary>(&parts), writer::<TallyDiary>(&parts));
    add(&night, "7-1", &["d"]).await;
    assert_eq!(lines(&tally, "7-9").await, Vec::<String>::new());
    let service = tokio::spawn(serve(night.clone(), NoHooks));
    wait_for("the service to listen", DEADLINE, || async {
        let report = parts.health.report().await;
        report.get("night")?.is_ok().then_some(())
    })
    .await;
    parts.shutdown.cancel();
    service.await.unwrap().unwrap();
    assert_eq!(parts.keep_snapshots().await, keys.len());
    for key in &keys {
        let expected = if key == "7-1" { 3 } else { 2 };
        assert_eq!(
            snapshot_at(&parts.store, Service::Night, key).await,
            expected
        );
    }
    assert_eq!(night.env().handled.load(Ordering::Relaxed), 3 + 19 * 2);
    assert_eq!(
        snapshot_at(&parts.store, Service::Tally, "7-1").await,
        0,
        "tally was not served here"
    );
}

#[tokio::test]
async fn those_who_had_to_make_room_are_kept_too() {
    let parts = TestParts::new().await;
    let night = Writer::<NightDiary>::keeping(4, parts.clone(), Arc::new(Desk::default()));
    let keys: Vec<_> = (1..=12).map(|n| format!("7-{n}")).collect();
    for key in &keys {
        add(&night, key, &["a", "b", "c"]).await;
    }
    assert_eq!(parts.keep_snapshots().await, keys.len());
    for key in &keys {
        assert_eq!(
            snapshot_at(&parts.store, Service::Night, key).await,
            3,
            "{key}"
        );
    }
}

/// Another process has gone on meanwhile: its version is not covered by an older snapshot.
#[tokio::test]
async fn a_stale_state_is_not_kept() {
    let parts = TestParts::new().await;
    let (one, other) = (writer::<NightDiary>(&parts), writer::<NightDiary>(&parts));
    add(&one, "7-1", &["a"]).await;
    add(&other, "7-1", &["b"]).await;
    assert_eq!(parts.keep_snapshots().await, 1);
    assert_eq!(snapshot_at(&parts.store, Service::Night, "7-1").await, 2);
    drop((one, other));
    let parts = parts.restart().await;
    let after = writer::<NightDiary>(&parts);
    assert_eq!(lines(&after, "7-1").await, ["a", "b"]);
}

#[tokio::test]
async fn a_store_that_is_away_costs_nothing_but_the_snapshots() {
    let parts = TestParts::new().await;
    let store = FaultyStore::around(Arc::clone(&parts.store));
    let faulty = Parts {
        store: Arc::clone(&store) as Arc<dyn Store>,
        ..Parts::clone(&parts)
    };
    let night = writer::<NightDiary>(&faulty);
    add(&night, "7-1", &["a"]).await;
    store.away.store(true, Ordering::Relaxed);
    assert_eq!(faulty.keep_snapshots().await, 0);
    assert!(matches!(
        night.read("7-2", |_| ()).await,
        Err(StoreError::Unavailable(_))
    ));
    store.away.store(false, Ordering::Relaxed);
    assert_eq!(faulty.keep_snapshots().await, 1);
    assert_eq!(lines(&night, "7-1").await, ["a"]);
}
