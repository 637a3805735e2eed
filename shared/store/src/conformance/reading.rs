//! What is read back.

use protocol::Service;
use rules::Time;

use super::{Everything, Ground, aggregate, deadline, done, everything, message, refused, step};
use crate::{Commit, Committed, Stored};

/// Loading gives the newest snapshot and the entries after it.
pub async fn loading_starts_at_the_newest_snapshot(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    for version in 0..9 {
        let snapshot = [2, 5]
            .contains(&version)
            .then(|| format!("state {}", version + 1).into_bytes());
        done(
            &store,
            Commit {
                snapshot,
                ..step(&game, version, &format!("m{version}"))
            },
        )
        .await;
    }
    let entries = |from| {
        (from..9)
            .map(|n| format!("entry of m{n}").into_bytes())
            .collect()
    };
    assert_eq!(
        store.load(&game).await.unwrap(),
        Stored {
            version: 9,
            snapshot: Some((6, b"state 6".to_vec())),
            entries: entries(6)
        }
    );
    let plain = aggregate(Service::Night, "7-2");
    for version in 0..9 {
        done(&store, step(&plain, version, &format!("m{version}"))).await;
    }
    assert_eq!(
        store.load(&plain).await.unwrap(),
        Stored {
            version: 9,
            snapshot: None,
            entries: entries(0)
        }
    );
}

/// A snapshot may be kept between steps: it counts as the newest, and nothing else changes.
pub async fn a_snapshot_is_kept_between_steps(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    for version in 0..5 {
        let commit = Commit {
            snapshot: (version == 1).then(|| b"state at 2".to_vec()),
            deadlines: Some(vec![deadline(&format!("d#{version}"), 7)]),
            outbox: vec![message(&format!("o{version}"), "7-1")],
            ..step(&game, version, &format!("m{version}"))
        };
        done(&store, commit).await;
    }
    let before = everything(&store, &game).await;
    assert!(
        store
            .keep_snapshot(&game, 5, b"state at 5".to_vec())
            .await
            .unwrap()
    );
    let expected = Everything {
        stored: Stored {
            version: 5,
            snapshot: Some((5, b"state at 5".to_vec())),
            entries: vec![],
        },
        ..before
    };
    assert_eq!(everything(&store, &game).await, expected);
    drop(store);
    let store = ground.open().await;
    assert_eq!(everything(&store, &game).await, expected);
    refused(&store, step(&game, 5, "m4"), Committed::Repeat(5)).await;
    assert_eq!(done(&store, step(&game, 5, "m5")).await, 6);
    assert_eq!(
        store.load(&game).await.unwrap().entries,
        [b"entry of m5".to_vec()]
    );
}

/// A snapshot of another version than the stored one is not kept: a step has been taken since,
/// or there is no such aggregate.
pub async fn a_snapshot_of_another_version_is_not_kept(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    for version in 0..3 {
        let snapshot = (version == 0).then(|| b"state at 1".to_vec());
        let commit = Commit {
            snapshot,
            ..step(&game, version, &format!("m{version}"))
        };
        done(&store, commit).await;
    }
    let before = everything(&store, &game).await;
    for version in [0, 1, 2, 4] {
        assert!(
            !store
                .keep_snapshot(&game, version, b"no".to_vec())
                .await
                .unwrap(),
            "{version}"
        );
        assert_eq!(everything(&store, &game).await, before, "{version}");
    }
    let nobody = aggregate(Service::Night, "7-2");
    for version in [0, 1] {
        assert!(
            !store
                .keep_snapshot(&nobody, version, b"no".to_vec())
                .await
                .unwrap()
        );
        assert_eq!(store.load(&nobody).await.unwrap(), Stored::default());
    }
}

/// The journal is kept from the first step on and can be read a piece at a time.
pub async fn the_journal_is_read_in_pieces(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let other = aggregate(Service::Night, "7-2");
    for version in 0..25 {
        let snapshot = (version == 20).then(|| b"state".to_vec());
        done(
            &store,
            Commit {
                snapshot,
                ..step(&game, version, &format!("m{version}"))
            },
        )
        .await;
        done(&store, step(&other, version, &format!("x{version}"))).await;
    }
    let mut read = Vec::new();
    loop {
        let after = read.last().map_or(0, |(version, _)| *version);
        let piece = store.journal(&game, after, 10).await.unwrap();
        assert!(piece.len() <= 10);
        if piece.is_empty() {
            break;
        }
        read.extend(piece);
    }
    let expected: Vec<_> = (0..25)
        .map(|n| (n + 1, format!("entry of m{n}").into_bytes()))
        .collect();
    assert_eq!(read, expected);
    assert_eq!(store.journal(&game, 25, 10).await.unwrap(), []);
    assert_eq!(store.journal(&game, 0, 0).await.unwrap(), []);
}

/// Due deadlines come earliest first, up to and with the instant asked for.
pub async fn deadlines_are_listed_earliest_first(ground: &dyn Ground) {
    let store = ground.open().await;
    let plans = [
        (
            Service::Night,
            "7-1",
            vec![deadline("a#1", 30), deadline("b#1", 10)],
        ),
        (Service::Night, "7-2", vec![deadline("a#1", 20)]),
        (
            Service::Publish,
            "pool:7",
            vec![deadline("sweep", 10), deadline("late", 41)],
        ),
    ];
    for (service, key, deadlines) in plans {
        let commit = Commit {
            deadlines: Some(deadlines),
            ..step(&aggregate(service, key), 0, "m1")
        };
        done(&store, commit).await;
    }
    let list = |until, limit| {
        let store = &store;
        async move {
            let due = store.due(Time(until), limit).await.unwrap();
            due.into_iter()
                .map(|d| (d.deadline.at.0, d.aggregate.key, d.deadline.name))
                .collect::<Vec<_>>()
        }
    };
    assert_eq!(list(9, 10).await, []);
    let mut at_ten = list(10, 10).await;
    at_ten.sort();
    let text = |at, key: &str, name: &str| (at, key.to_owned(), name.to_owned());
    assert_eq!(
        at_ten,
        [text(10, "7-1", "b#1"), text(10, "pool:7", "sweep")]
    );
    let all = list(i64::MAX, 10).await;
    assert_eq!(
        all.iter().map(|d| d.0).collect::<Vec<_>>(),
        [10, 10, 20, 30, 41]
    );
    assert_eq!(all[2..4], [text(20, "7-2", "a#1"), text(30, "7-1", "a#1")]);
    assert_eq!(
        list(i64::MAX, 3).await,
        all[..3],
        "the earliest, when not all are wanted"
    );
    assert_eq!(list(i64::MAX, 0).await, []);
    assert_eq!(store.next_due().await.unwrap(), Some(Time(10)));
}

/// All keys that were ever committed to, each with its own service.
pub async fn keys_are_listed_by_service(ground: &dyn Ground) {
    let store = ground.open().await;
    for (service, key) in [
        (Service::Night, "7-1"),
        (Service::Night, "7-2"),
        (Service::Tally, "7-1"),
        (Service::Ingest, "account:7"),
    ] {
        done(&store, step(&aggregate(service, key), 0, "m1")).await;
        done(&store, step(&aggregate(service, key), 1, "m2")).await;
    }
    let keys = |service| {
        let store = &store;
        async move {
            let mut keys = store.keys(service).await.unwrap();
            keys.sort();
            keys
        }
    };
    assert_eq!(keys(Service::Night).await, ["7-1", "7-2"]);
    assert_eq!(keys(Service::Tally).await, ["7-1"]);
    assert_eq!(keys(Service::Ingest).await, ["account:7"]);
    assert_eq!(keys(Service::Publish).await, Vec::<String>::new());
}

/// A store that is there says so.
pub async fn health_is_told(ground: &dyn Ground) {
    let store = ground.open().await;
    store.health().await.unwrap();
    let game = aggregate(Service::Night, "7-1");
    assert_eq!(done(&store, step(&game, 0, "m1")).await, 1);
    store.health().await.unwrap();
    assert_eq!(
        store.load(&game).await.unwrap().version,
        1,
        "asking changes nothing"
    );
}
