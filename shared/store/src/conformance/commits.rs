//! One step at a time: whole or not at all, once.

use protocol::Service;
use rules::Time;

use super::{Ground, aggregate, deadline, done, everything, message, name, refused, step};
use crate::{Commit, Committed, Stored};

/// Nothing is kept under a name that was never used.
pub async fn an_unknown_aggregate_is_empty(ground: &dyn Ground) {
    let store = ground.open().await;
    let nobody = aggregate(Service::Night, "7-1");
    assert_eq!(store.load(&nobody).await.unwrap(), Stored::default());
    assert_eq!(store.handled(&nobody, &name("m1")).await.unwrap(), None);
    assert_eq!(store.version(&nobody).await.unwrap(), 0);
    assert_eq!(store.journal(&nobody, 0, 10).await.unwrap(), []);
    assert_eq!(
        store.keys(Service::Night).await.unwrap(),
        Vec::<String>::new()
    );
    assert_eq!(
        store
            .outbox(Service::Night, nobody.shard(), 0, 10)
            .await
            .unwrap(),
        []
    );
    assert_eq!(store.due(Time(i64::MAX), 10).await.unwrap(), []);
    assert_eq!(store.next_due().await.unwrap(), None);
}

/// All parts of a step are there after it, at once.
pub async fn a_step_is_kept_whole(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let version = done(
        &store,
        Commit {
            snapshot: Some(b"state".to_vec()),
            deadlines: Some(vec![deadline("dawn#3", 5_000)]),
            outbox: vec![message("o1", "7-1"), message("o2", "pool:7")],
            ..step(&game, 0, "m1")
        },
    )
    .await;
    assert_eq!(version, 1);
    assert_eq!(store.version(&game).await.unwrap(), 1);
    assert_eq!(
        store.load(&game).await.unwrap(),
        Stored {
            version: 1,
            snapshot: Some((1, b"state".to_vec())),
            entries: vec![]
        }
    );
    assert_eq!(
        store.journal(&game, 0, 10).await.unwrap(),
        [(1, b"entry of m1".to_vec())],
        "entries before a snapshot are kept"
    );
    assert_eq!(store.handled(&game, &name("m1")).await.unwrap(), Some(1));
    assert_eq!(store.handled(&game, &name("m2")).await.unwrap(), None);
    let sent: Vec<_> = store
        .outbox(Service::Night, game.shard(), 0, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.message)
        .collect();
    assert_eq!(sent, [message("o1", "7-1"), message("o2", "pool:7")]);
    let due = store.due(Time(5_000), 10).await.unwrap();
    assert_eq!(due.len(), 1);
    assert_eq!(
        (&due[0].aggregate, &due[0].deadline),
        (&game, &deadline("dawn#3", 5_000))
    );
}

/// A step that was decided on another's heels is not taken without it, also when somebody else's
/// step has led to the version that it expects.
pub async fn a_step_follows_the_one_that_it_names(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let after = |before: &str, expected, id| Commit {
        after: Some(name(before)),
        ..step(&game, expected, id)
    };
    let taken = store.commit(after("nothing", 0, "m0")).await.unwrap();
    assert!(
        matches!(taken, Committed::Done(1) | Committed::Conflict(0)),
        "nothing is before the first: {taken:?}"
    );
    let first = if taken == Committed::Done(1) {
        "m0"
    } else {
        "m1"
    };
    if first == "m1" {
        done(&store, step(&game, 0, "m1")).await;
    }
    let lost = store.commit(after("lost", 1, "m2")).await.unwrap();
    assert_eq!(lost, Committed::Conflict(1));
    assert_eq!(done(&store, after(first, 1, "m3")).await, 2);
    let late = store.commit(after(first, 2, "m4")).await.unwrap();
    assert_eq!(late, Committed::Conflict(2), "it is not the last one");
    let repeat = store.commit(after("lost", 1, "m3")).await.unwrap();
    assert_eq!(repeat, Committed::Repeat(2));
    assert_eq!(store.load(&game).await.unwrap().entries.len(), 2);
}

/// A message that was handled is answered with the version of its step, whatever the caller
/// believes the version to be.
pub async fn a_repeat_changes_nothing(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Tally, "7-1");
    let first = Commit {
        deadlines: Some(vec![deadline("door#1", 9)]),
        outbox: vec![message("o1", "7-1")],
        ..step(&game, 0, "m1")
    };
    assert_eq!(done(&store, first.clone()).await, 1);
    refused(&store, first.clone(), Committed::Repeat(1)).await;
    for expected in [1, 2, 40] {
        let again = Commit {
            expected,
            snapshot: Some(b"other".to_vec()),
            ..first.clone()
        };
        refused(&store, again, Committed::Repeat(1)).await;
    }
}

/// Repeats are known for the life of the aggregate, across snapshots and reopening.
pub async fn a_repeat_is_known_after_many_steps(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Tally, "7-1");
    for version in 0..150 {
        let snapshot = (version % 64 == 63).then(|| b"state".to_vec());
        done(
            &store,
            Commit {
                snapshot,
                ..step(&game, version, &format!("m{version}"))
            },
        )
        .await;
    }
    drop(store);
    let store = ground.open().await;
    for version in [0, 63, 64, 149] {
        let again = step(&game, 150, &format!("m{version}"));
        refused(&store, again, Committed::Repeat(version + 1)).await;
        let handled = store
            .handled(&game, &name(&format!("m{version}")))
            .await
            .unwrap();
        assert_eq!(handled, Some(version + 1));
    }
    assert_eq!(done(&store, step(&game, 150, "m150")).await, 151);
}

/// A name counts within its aggregate.
pub async fn one_name_may_be_handled_by_several_aggregates(ground: &dyn Ground) {
    let store = ground.open().await;
    for (service, key) in [
        (Service::Tally, "7-1"),
        (Service::Night, "7-1"),
        (Service::Tally, "7-2"),
        (Service::Tally, "7-11"),
    ] {
        assert_eq!(
            done(&store, step(&aggregate(service, key), 0, "m1")).await,
            1
        );
    }
}

/// A step decided on another version than the stored one is refused.
pub async fn a_conflict_changes_nothing(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let loaded = |expected, id| Commit {
        snapshot: Some(b"other".to_vec()),
        deadlines: Some(vec![deadline("other#1", 1)]),
        outbox: vec![message("other", "7-1")],
        ..step(&game, expected, id)
    };
    refused(&store, loaded(1, "early"), Committed::Conflict(0)).await;
    assert_eq!(store.handled(&game, &name("early")).await.unwrap(), None);

    done(
        &store,
        Commit {
            deadlines: Some(vec![deadline("dawn#1", 7)]),
            ..step(&game, 0, "m1")
        },
    )
    .await;
    done(&store, step(&game, 1, "m2")).await;
    for expected in [0, 1, 3, u64::from(u32::MAX)] {
        refused(&store, loaded(expected, "m3"), Committed::Conflict(2)).await;
        assert_eq!(store.handled(&game, &name("m3")).await.unwrap(), None);
    }
    assert_eq!(
        done(&store, step(&game, 2, "m3")).await,
        3,
        "the refused name is free"
    );
}

/// Keys, names and bytes mean nothing to the store.
pub async fn what_is_kept_is_opaque(ground: &dyn Ground) {
    let store = ground.open().await;
    let large = (0..1_000_000_u32)
        .map(|n| (n % 251) as u8)
        .collect::<Vec<_>>();
    let awkward = [
        ("plain", vec![]),
        (
            "it's; DROP TABLE \"aggregates\" --",
            b"\0\xff{not json".to_vec(),
        ),
        ("pool:12345", b"{}".to_vec()),
        ("鸣潮 {s07}:g:*", "魔女会\r\n".as_bytes().to_vec()),
        ("large", large),
    ];
    for (key, bytes) in &awkward {
        let owner = aggregate(Service::Publish, key);
        let commit = Commit {
            entry: bytes.clone(),
            deadlines: Some(vec![
                deadline(key, i64::MIN),
                deadline(&format!("{key}'"), i64::MAX),
            ]),
            outbox: vec![message(&format!("o/{key}"), key)],
            ..step(&owner, 0, &format!("m/{key}"))
        };
        done(&store, commit).await;
        done(
            &store,
            Commit {
                snapshot: Some(bytes.clone()),
                ..step(&owner, 1, "snapshot")
            },
        )
        .await;
    }
    drop(store);
    let store = ground.open().await;
    for (key, bytes) in &awkward {
        let owner = aggregate(Service::Publish, key);
        let stored = store.load(&owner).await.unwrap();
        assert_eq!(
            (stored.version, stored.snapshot),
            (2, Some((2, bytes.clone()))),
            "{key}"
        );
        assert_eq!(
            store.journal(&owner, 0, 1).await.unwrap(),
            [(1, bytes.clone())],
            "{key}"
        );
        let outbox = store
            .outbox(Service::Publish, owner.shard(), 0, 100)
            .await
            .unwrap();
        let sent = message(&format!("o/{key}"), key);
        assert!(outbox.iter().any(|entry| entry.message == sent), "{key}");
        let handled = store
            .handled(&owner, &name(&format!("m/{key}")))
            .await
            .unwrap();
        assert_eq!(handled, Some(1), "{key}");
    }
    let due = store.due(Time(i64::MAX), 100).await.unwrap();
    assert_eq!(due.len(), 2 * awkward.len());
    assert!(
        due[..awkward.len()]
            .iter()
            .all(|d| d.deadline.at == Time(i64::MIN))
    );
}

/// `Some` replaces all deadlines, `None` leaves them, an empty list clears them.
pub async fn deadlines_are_replaced_kept_and_cleared(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let other = aggregate(Service::Night, "7-2");
    done(
        &store,
        Commit {
            deadlines: Some(vec![deadline("dawn#1", 50)]),
            ..step(&other, 0, "m")
        },
    )
    .await;
    let steps = [
        (
            Some(vec![deadline("dawn#1", 10), deadline("door#1", 20)]),
            vec![10, 20, 50],
        ),
        (None, vec![10, 20, 50]),
        (
            Some(vec![deadline("door#1", 30), deadline("noon#1", 5)]),
            vec![5, 30, 50],
        ),
        (
            Some(vec![deadline("door#1", 30), deadline("noon#1", 5)]),
            vec![5, 30, 50],
        ),
        (Some(vec![]), vec![50]),
        (None, vec![50]),
    ];
    for (version, (deadlines, expected)) in (0..).zip(steps) {
        done(
            &store,
            Commit {
                deadlines,
                ..step(&game, version, &format!("m{version}"))
            },
        )
        .await;
        let due = store.due(Time(100), 10).await.unwrap();
        let at: Vec<_> = due.iter().map(|d| d.deadline.at.0).collect();
        assert_eq!(at, expected, "after step {version}");
        assert_eq!(store.next_due().await.unwrap(), Some(Time(expected[0])));
    }
}

/// A store that was closed and opened again shows what it showed.
pub async fn everything_is_there_after_reopening(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    for version in 0..10 {
        done(
            &store,
            Commit {
                snapshot: (version == 6).then(|| b"state at 7".to_vec()),
                deadlines: Some(vec![deadline(&format!("d#{version}"), 100)]),
                outbox: vec![message(&format!("o{version}"), "7-1")],
                ..step(&game, version, &format!("m{version}"))
            },
        )
        .await;
    }
    let before = everything(&store, &game).await;
    drop(store);
    let store = ground.open().await;
    assert_eq!(everything(&store, &game).await, before);
    assert_eq!(done(&store, step(&game, 10, "m10")).await, 11);
}

/// Whoever asked may go away; the step is taken or not, and the store goes on.
pub async fn a_step_whose_caller_has_gone_is_taken_whole_or_not_at_all(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    for round in 0..30 {
        let version = store.load(&game).await.unwrap().version;
        let commit = Commit {
            outbox: vec![message(&format!("o{round}"), "7-1")],
            ..step(&game, version, &format!("m{round}"))
        };
        {
            let mut abandoned = store.commit(commit.clone());
            // One look, then the caller is gone.
            let waker = std::task::Waker::noop();
            let _ = abandoned
                .as_mut()
                .poll(&mut std::task::Context::from_waker(waker));
        }
        let answer = store.commit(commit).await.unwrap();
        let expected = [Committed::Done(version + 1), Committed::Repeat(version + 1)];
        assert!(expected.contains(&answer), "{answer:?}");
    }
    assert_eq!(store.load(&game).await.unwrap().version, 30);
    let outbox = store
        .outbox(Service::Night, game.shard(), 0, 100)
        .await
        .unwrap();
    let sent: Vec<_> = outbox.into_iter().map(|entry| entry.message.id.0).collect();
    assert_eq!(sent, (0..30).map(|n| format!("o{n}")).collect::<Vec<_>>());
}
