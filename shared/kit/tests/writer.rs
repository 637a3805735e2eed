//! One writer, one step at a time, once.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use common::{Desk, Fault, FaultyStore, NightDiary, Note, TallyDiary, id, lines, write};
use futures::FutureExt;
use kit::journal::Entry;
use kit::testing::TestParts;
use kit::{HandleError, Parts, Writer};
use protocol::{Service, Shard, ToClock, Topic};
use store::{AggregateKey, Commit, Store, StoreError};

fn writer(parts: &Parts) -> Writer<NightDiary> {
    Writer::new(parts.clone(), Arc::new(Desk::default()))
}

fn night(key: &str) -> AggregateKey {
    AggregateKey {
        service: Service::Night,
        key: key.to_owned(),
    }
}

/// Hands in a line under a name of its own.
async fn add(writer: &Writer<NightDiary>, key: &str, text: &str) -> u64 {
    writer
        .handle(key, id(text), "t", write(text))
        .await
        .unwrap()
        .version
}

#[tokio::test]
async fn steps_are_kept_across_a_restart() {
    let parts = TestParts::new().await;
    let before = writer(&parts);
    for n in 0..150 {
        assert_eq!(add(&before, "7-1", &n.to_string()).await, n + 1);
    }
    add(&before, "7-2", "other").await;
    let stored = parts.store.load(&night("7-1")).await.unwrap();
    assert_eq!(stored.snapshot.unwrap().0, 128, "one every 64 steps");
    drop(before);

    let parts = parts.restart().await;
    let after = writer(&parts);
    let expected: Vec<_> = (0..150).map(|n| n.to_string()).collect();
    assert_eq!(lines(&after, "7-1").await, expected);
    assert_eq!(
        after.env().handled.load(Ordering::Relaxed),
        22,
        "the rest is in the snapshot"
    );
    assert_eq!(lines(&after, "7-2").await, ["other"]);
    assert_eq!(lines(&after, "7-3").await, Vec::<String>::new());
    assert_eq!(add(&after, "7-1", "150").await, 151);
}

#[tokio::test]
async fn a_snapshot_is_taken_when_the_step_asks_for_it() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    add(&writer, "7-1", "a").await;
    writer
        .handle("7-1", id("b"), "t", Note::Chapter("b".to_owned()))
        .await
        .unwrap();
    for n in 0..63 {
        add(&writer, "7-1", &n.to_string()).await;
    }
    let stored = parts.store.load(&night("7-1")).await.unwrap();
    assert_eq!(stored.snapshot, Some((2, br#"["a","b"]"#.to_vec())));
    add(&writer, "7-1", "63").await;
    let stored = parts.store.load(&night("7-1")).await.unwrap();
    assert_eq!(stored.snapshot.unwrap().0, 66, "counted from the last one");
}

#[tokio::test]
async fn a_step_leaves_journal_outbox_and_deadlines() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    let pass = Note::Pass {
        to: Service::Tally,
        key: "7-9".to_owned(),
        text: "x".to_owned(),
    };
    let handled = writer
        .handle("7-1", id("m1"), "chat-5", pass.clone())
        .await
        .unwrap();
    assert_eq!(
        (handled.version, handled.repeat, handled.ignored),
        (1, false, false)
    );
    assert_eq!(handled.log, Some(serde_json::json!({ "lines": 1 })));
    let remind = Note::Remind {
        name: "dawn#1".to_owned(),
        at: 77,
    };
    writer
        .handle("7-1", id("m2"), "chat-6", remind)
        .await
        .unwrap();

    let journal = parts.store.journal(&night("7-1"), 0, 10).await.unwrap();
    let entry = Entry::<Note>::read(&journal[0].1).unwrap();
    assert_eq!(
        (entry.id, &*entry.trace, entry.input),
        (id("m1"), "chat-5", pass)
    );
    assert_eq!(entry.log, handled.log);

    let outbox = parts
        .store
        .outbox(Service::Night, Shard::of("7-1"), 0, 10)
        .await
        .unwrap();
    assert_eq!(outbox.len(), 1);
    let sent = &outbox[0].message;
    assert_eq!(
        (&*sent.id.0, &*sent.trace, &*sent.key),
        ("night/7-1/1.0", "chat-5", "7-9")
    );
    assert_eq!(
        sent.to,
        Topic {
            service: Service::Tally,
            shard: Shard::of("7-9")
        }
    );
    assert_eq!(sent.body, r#"{"Write":"x"}"#);
    assert_eq!(parts.store.next_due().await.unwrap(), Some(rules::Time(77)));
}

#[tokio::test]
async fn the_clock_is_nudged_when_deadlines_change() {
    let parts = TestParts::new().await;
    let topics = Shard::all()
        .map(|shard| Topic {
            service: Service::Clock,
            shard,
        })
        .collect();
    let mut clock = parts.bus.subscribe(topics, 1).await.unwrap();
    let writer = writer(&parts);
    let remind = Note::Remind {
        name: "dawn#1".to_owned(),
        at: 77,
    };
    writer.handle("7-1", id("m1"), "t", remind).await.unwrap();
    let nudge = clock.next().await.unwrap().message;
    assert_eq!(nudge.key, "");
    let told: ToClock = serde_json::from_str(&nudge.body).unwrap();
    assert_eq!(
        told,
        ToClock::Changed {
            next: Some(rules::Time(77))
        }
    );
}

#[tokio::test]
async fn a_repeat_is_answered_and_changes_nothing() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    add(&writer, "7-1", "a").await;
    add(&writer, "7-1", "b").await;
    let again = writer
        .handle("7-1", id("a"), "t", write("something else"))
        .await
        .unwrap();
    assert_eq!((again.repeat, again.version, again.log), (true, 1, None));
    assert_eq!(lines(&writer, "7-1").await, ["a", "b"]);
    assert_eq!(add(&writer, "7-1", "c").await, 3);
}

#[tokio::test]
async fn what_is_ignored_is_not_committed() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    add(&writer, "7-1", "a").await;
    let handled = writer
        .handle("7-1", id("n"), "t", Note::Nothing)
        .await
        .unwrap();
    assert_eq!(
        (handled.ignored, handled.repeat, handled.version),
        (true, false, 1)
    );
    assert_eq!(
        parts.store.handled(&night("7-1"), &id("n")).await.unwrap(),
        None
    );
    assert_eq!(add(&writer, "7-1", "b").await, 2);
}

#[tokio::test]
async fn after_an_unclear_commit_the_same_message_finds_the_truth() {
    for fault in [Fault::Before, Fault::After] {
        let parts = TestParts::new().await;
        let store = FaultyStore::around(Arc::clone(&parts.store));
        let faulty = Parts {
            store: Arc::clone(&store) as Arc<dyn Store>,
            ..Parts::clone(&parts)
        };
        let writer = writer(&faulty);
        add(&writer, "7-1", "a").await;
        store.fail(&[fault, fault]);
        for attempt in 0..2 {
            let answer = writer.handle("7-1", id("b"), "t", write("b")).await;
            let unclear = matches!(answer, Err(HandleError::Store(StoreError::Unavailable(_))));
            assert!(unclear, "{fault:?}, {attempt}: {answer:?}");
        }
        let handled = writer
            .handle("7-1", id("b"), "t", write("b"))
            .await
            .unwrap();
        assert_eq!(
            (handled.version, handled.repeat),
            (2, fault == Fault::After)
        );
        assert_eq!(lines(&writer, "7-1").await, ["a", "b"], "{fault:?}");
        assert_eq!(add(&writer, "7-1", "c").await, 3);
    }
}

#[tokio::test]
async fn a_panic_is_an_error_and_leaves_no_trace() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    add(&writer, "7-1", "a").await;
    writer.env().broken.store(true, Ordering::Relaxed);
    let stumble = Note::Stumble("b".to_owned());
    match writer.handle("7-1", id("b"), "t", stumble.clone()).await {
        Err(HandleError::Panicked {
            aggregate,
            message,
            what,
        }) => {
            assert_eq!((&*aggregate, message), ("night/7-1", id("b")));
            assert_eq!(what, "stumbled over b");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(lines(&writer, "7-1").await, ["a"]);
    writer.env().broken.store(false, Ordering::Relaxed);
    let handled = writer.handle("7-1", id("b"), "t", stumble).await.unwrap();
    assert_eq!((handled.version, handled.repeat), (2, false));
    assert_eq!(lines(&writer, "7-1").await, ["a", "b"]);
}

/// Whoever loses many races in a row gets its input back, and hands it in again.
async fn hand_in_until_taken(writer: &Writer<NightDiary>, text: &str) {
    loop {
        match writer.handle("7-1", id(text), "t", write(text)).await {
            Ok(handled) => return assert!(!handled.repeat, "{text}"),
            Err(HandleError::Store(StoreError::Unavailable(why))) => {
                assert!(why.contains("races lost"), "{why}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_of_one_aggregate_lose_nothing() {
    let parts = TestParts::new().await;
    let tasks: Vec<_> = (0..3)
        .map(|nth| {
            let writer = writer(&parts);
            tokio::spawn(async move {
                for n in 0..40 {
                    hand_in_until_taken(&writer, &format!("{nth}/{n}")).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let all = lines(&writer(&parts), "7-1").await;
    assert_eq!(all.len(), 120);
    for nth in 0..3 {
        let own: Vec<_> = all
            .iter()
            .filter(|l| l.starts_with(&format!("{nth}/")))
            .collect();
        let expected: Vec<_> = (0..40).map(|n| format!("{nth}/{n}")).collect();
        assert!(
            own.into_iter().eq(expected.iter()),
            "in the order in which they were handed in"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_keys_are_handled_side_by_side() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    let tasks: Vec<_> = (0..40)
        .map(|game| {
            let writer = writer.clone();
            tokio::spawn(async move {
                for n in 0..10 {
                    add(&writer, &format!("7-{game}"), &n.to_string()).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    for game in 0..40 {
        assert_eq!(lines(&writer, &format!("7-{game}")).await.len(), 10);
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_leaves_no_half_changed_state() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    for n in 0..40 {
        let text = n.to_string();
        let call = writer.handle("7-1", id(&text), "t", write(&text));
        // Given up at some point on the way.
        let _ = tokio::time::timeout(std::time::Duration::from_micros(n * 20), call).await;
        writer
            .handle("7-1", id(&text), "t", write(&text))
            .await
            .unwrap();
    }
    let expected: Vec<_> = (0..40).map(|n| n.to_string()).collect();
    assert_eq!(lines(&writer, "7-1").await, expected);
}

#[tokio::test]
async fn services_do_not_see_each_others_aggregates() {
    let parts = TestParts::new().await;
    let night = writer(&parts);
    let tally = Writer::<TallyDiary>::new(Parts::clone(&parts), Arc::new(Desk::default()));
    add(&night, "7-1", "a").await;
    assert_eq!(
        tally
            .handle("7-1", id("a"), "t", write("b"))
            .await
            .unwrap()
            .version,
        1
    );
    assert_eq!(lines(&tally, "7-1").await, ["b"]);
    assert_eq!(lines(&night, "7-1").await, ["a"]);
}

#[tokio::test]
async fn what_cannot_be_read_is_named() {
    let parts = TestParts::new().await;
    let spoil = async |key: &str, entry: &[u8], snapshot: Option<Vec<u8>>| {
        let commit = Commit {
            aggregate: night(key),
            expected: 0,
            after: None,
            message: id("m"),
            entry: entry.to_vec(),
            snapshot,
            deadlines: None,
            outbox: vec![],
        };
        parts.store.commit(commit).await.unwrap();
    };
    let stumble = r#"{"v":1,"id":"m","trace":"","input":{"Stumble":"x"}}"#;
    spoil("7-1", b"no json", None).await;
    spoil("7-2", b"{}", Some(b"no json".to_vec())).await;
    spoil("7-3", stumble.as_bytes(), None).await;
    let writer = writer(&parts);
    writer.env().broken.store(true, Ordering::Relaxed);
    for (key, named) in [
        ("7-1", "journal entry 1 of night/7-1"),
        ("7-2", "snapshot 1 of night/7-2"),
        ("7-3", "journal entry 1 of night/7-3"),
    ] {
        match writer.read(key, |_| ()).await {
            Err(StoreError::Corrupt { place, .. }) => assert_eq!(place, named),
            other => panic!("{key}: {other:?}"),
        }
    }
}

/// A repeat that is expected as one costs neither a step nor what is in memory.
#[tokio::test]
async fn a_repeat_that_is_expected_leaves_the_state_in_memory() {
    let parts = TestParts::new().await;
    let writer = writer(&parts);
    for n in 0..5 {
        add(&writer, "7-1", &n.to_string()).await;
    }
    let again = |text: &'static str| writer.handle_again("7-1", id(text), "t", write(text));
    let handled = again("3").await.unwrap();
    assert_eq!((handled.repeat, handled.version), (true, 4));
    assert_eq!(writer.env().handled.load(Ordering::Relaxed), 5);
    let handled = again("new").await.unwrap();
    assert_eq!((handled.repeat, handled.version), (false, 6));
    assert_eq!(
        lines(&writer, "7-1").await,
        ["0", "1", "2", "3", "4", "new"]
    );
    assert_eq!(writer.env().handled.load(Ordering::Relaxed), 6);
}

/// Parts with a store that fails and waits on demand.
fn faulty(parts: &TestParts) -> (Arc<FaultyStore>, Parts) {
    let store = FaultyStore::around(Arc::clone(&parts.store));
    let parts = Parts {
        store: Arc::clone(&store) as Arc<dyn Store>,
        ..Parts::clone(parts)
    };
    (store, parts)
}

/// Hands in a line that says which one it follows, until it is taken.
async fn follow(writer: Writer<NightDiary>, text: String) {
    let note = Note::Follow(text.clone());
    while writer
        .handle("7-1", id(&text), "t", note.clone())
        .await
        .is_err()
    {
        tokio::task::yield_now().await;
    }
}

/// Each line in the journal was decided on the state before it there.
async fn assert_each_follows_the_last(parts: &Parts) {
    let journal = parts.store.journal(&night("7-1"), 0, 10_000).await.unwrap();
    let mut last = None;
    for (version, bytes) in journal {
        let entry = Entry::<Note>::read(&bytes).unwrap();
        let Note::Follow(text) = entry.input else {
            panic!("{:?} is of another test", entry.input)
        };
        let log = serde_json::json!({ "after": last });
        assert_eq!(entry.log, Some(log), "version {version}, {text}");
        last = Some(text);
    }
}

/// Hands lines in side by side; gives back their tasks when all of them have been decided on.
async fn follow_side_by_side(
    writer: &Writer<NightDiary>,
    texts: &[&str],
) -> Vec<tokio::task::JoinHandle<()>> {
    let before = writer.env().handled.load(Ordering::Relaxed);
    let tasks = texts
        .iter()
        .map(|text| tokio::spawn(follow(writer.clone(), (*text).to_owned())));
    let tasks = tasks.collect();
    let decided = before + u32::try_from(texts.len()).unwrap();
    servers::wait_for("all to be decided", servers::DEADLINE, async || {
        (writer.env().handled.load(Ordering::Relaxed) == decided).then_some(())
    })
    .await;
    tasks
}

#[tokio::test]
async fn steps_are_decided_before_the_last_one_is_kept_and_shown_only_then() {
    let parts = TestParts::new().await;
    let (store, parts) = faulty(&parts);
    let writer = writer(&parts);
    follow(writer.clone(), "first".to_owned()).await;
    store.held.send_replace(true);
    let tasks = follow_side_by_side(&writer, &["second", "third"]).await;
    let ignored = writer.handle("7-1", id("x"), "t", Note::Nothing);
    let (shown, ignored) = (lines(&writer, "7-1").now_or_never(), ignored.now_or_never());
    assert_eq!(shown, None, "nobody is shown what is not on disk");
    let peeked = writer.peek("7-1", |diary| diary.lines.len()).await;
    assert_eq!(
        peeked.unwrap(),
        3,
        "who prepares the next step may look ahead"
    );
    assert!(ignored.is_none(), "nor told what was decided on it");
    store.held.send_replace(false);
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(lines(&writer, "7-1").await, ["first", "second", "third"]);
    assert_each_follows_the_last(&parts).await;
}

#[tokio::test]
async fn steps_are_decided_again_when_somebody_elses_came_first() {
    let bare = TestParts::new().await;
    let (store, parts) = faulty(&bare);
    let (here, there) = (writer(&parts), writer(&bare));
    follow(here.clone(), "first".to_owned()).await;
    store.held.send_replace(true);
    let tasks = follow_side_by_side(&here, &["a", "b", "c"]).await;
    // One step, so that the version which the second of ours expects is there, but another's.
    follow(there, "other".to_owned()).await;
    store.held.send_replace(false);
    for task in tasks {
        task.await.unwrap();
    }
    let mut all = lines(&writer(&bare), "7-1").await;
    assert_eq!(all[..2], ["first", "other"]);
    all.sort_unstable();
    assert_eq!(all, ["a", "b", "c", "first", "other"]);
    assert_eq!(lines(&here, "7-1").await.len(), 5);
    assert_each_follows_the_last(&bare).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steps_behind_one_that_fails_are_taken_once_all_the_same() {
    let bare = TestParts::new().await;
    let (store, parts) = faulty(&bare);
    let writer = writer(&parts);
    for round in 0..20 {
        // Where in the row the failures are differs.
        let fault = [Fault::Before, Fault::After][round % 2];
        let tasks: Vec<_> = (0..12)
            .map(|nth| {
                if nth == round % 12 {
                    store.fail(&[fault, fault]);
                }
                tokio::spawn(follow(writer.clone(), format!("{round}/{nth}")))
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
    }
    let mut all = lines(&writer, "7-1").await;
    assert_eq!(all, lines(&self::writer(&bare), "7-1").await);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 240);
    assert_each_follows_the_last(&bare).await;
}

#[tokio::test]
async fn nothing_is_left_out_on_an_old_state() {
    let parts = TestParts::new().await;
    let (here, there) = (writer(&parts), writer(&parts));
    add(&here, "7-1", "first").await;
    add(&there, "7-1", "question").await;
    let answer = Note::Answer {
        to: "question".to_owned(),
        text: "answer".to_owned(),
    };
    let handled = here.handle("7-1", id("m"), "t", answer.clone());
    assert!(!handled.await.unwrap().ignored, "there is a question");
    assert_eq!(lines(&here, "7-1").await, ["first", "question", "answer"]);
    let other = Note::Answer {
        to: "no such question".to_owned(),
        text: "answer".to_owned(),
    };
    let handled = here.handle("7-1", id("n"), "t", other).await.unwrap();
    assert!(handled.ignored);
}
