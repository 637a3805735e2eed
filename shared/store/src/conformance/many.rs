//! Many tasks at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::{Service, Shard};

use super::{Ground, aggregate, done, key_in_shard, message, name, step};
use crate::{Commit, Committed};

const TASKS: u64 = 8;
const STEPS: u64 = 25;

/// Tasks that all write to one aggregate and load again on conflict: each step is taken once.
pub async fn racing_writers_lose_nothing(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let tasks = (0..TASKS).map(|task| {
        let (store, game) = (Arc::clone(&store), game.clone());
        tokio::spawn(async move {
            let mut version = 0;
            for n in 0..STEPS {
                let id = format!("m{task}.{n}");
                loop {
                    let outbox = vec![message(&format!("o{task}.{n}"), "7-1")];
                    let commit = Commit {
                        outbox,
                        ..step(&game, version, &id)
                    };
                    match store.commit(commit).await.unwrap() {
                        Committed::Done(new) => {
                            assert_eq!(new, version + 1);
                            version = new;
                            break;
                        }
                        Committed::Conflict(current) => {
                            assert_ne!(current, version);
                            version = current;
                        }
                        Committed::Repeat(at) => {
                            panic!("{id} was never answered, yet done at {at}")
                        }
                    }
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    let journal = store.journal(&game, 0, usize::MAX).await.unwrap();
    assert_eq!(
        journal
            .iter()
            .map(|(version, _)| *version)
            .collect::<Vec<_>>(),
        (1..=TASKS * STEPS).collect::<Vec<_>>()
    );
    let outbox = store
        .outbox(Service::Night, game.shard(), 0, usize::MAX)
        .await
        .unwrap();
    for ((version, entry), sent) in journal.iter().zip(&outbox) {
        let id = sent.message.id.0.replace('o', "m");
        assert_eq!(
            entry,
            format!("entry of {id}").as_bytes(),
            "outbox in the order of commits"
        );
        assert_eq!(
            store.handled(&game, &name(&id)).await.unwrap(),
            Some(*version)
        );
    }
    assert_eq!(outbox.len() as u64, TASKS * STEPS);
}

/// Steps that are handed in together are judged each on its own.
pub async fn a_conflict_undoes_nothing_of_its_neighbours(ground: &dyn Ground) {
    let store = ground.open().await;
    let rounds = 60;
    let tasks: Vec<_> = (0..rounds)
        .map(|n| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let key = format!("7-{}", n / 2 + 1);
                // Of each two, the second is decided on a version that does not exist.
                let expected = if n % 2 == 0 { 0 } else { 99 };
                let commit = Commit {
                    outbox: vec![message(&format!("o{n}"), &key)],
                    ..step(&aggregate(Service::Night, &key), expected, &format!("m{n}"))
                };
                (n, store.commit(commit).await.unwrap())
            })
        })
        .collect();
    for task in tasks {
        let (n, answer) = task.await.unwrap();
        match answer {
            Committed::Done(1) => assert_eq!(n % 2, 0, "m{n}"),
            Committed::Conflict(0 | 1) => assert_eq!(n % 2, 1, "m{n}"),
            other => panic!("m{n} was answered {other:?}"),
        }
    }
    let mut sent = Vec::new();
    for shard in Shard::all() {
        sent.extend(
            store
                .outbox(Service::Night, shard, 0, usize::MAX)
                .await
                .unwrap(),
        );
    }
    let mut sent: Vec<_> = sent.into_iter().map(|entry| entry.message.id.0).collect();
    let mut expected: Vec<_> = (0..rounds).step_by(2).map(|n| format!("o{n}")).collect();
    sent.sort();
    expected.sort();
    assert_eq!(sent, expected);
}

/// Aggregates of one shard commit side by side; each one's messages stay in its order.
pub async fn the_order_of_an_aggregate_holds_under_load(ground: &dyn Ground) {
    let store = ground.open().await;
    let shard = Shard::of("7-1");
    let tasks: Vec<_> = (0..8)
        .map(|nth| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let key = key_in_shard(shard, nth);
                let owner = aggregate(Service::Tally, &key);
                for version in 0..STEPS {
                    let outbox = (0..3)
                        .map(|part| message(&format!("{version}.{part}"), &key))
                        .collect();
                    done(
                        &store,
                        Commit {
                            outbox,
                            ..step(&owner, version, &format!("m{version}"))
                        },
                    )
                    .await;
                    // Readers see a step as soon as it is answered.
                    assert_eq!(store.load(&owner).await.unwrap().version, version + 1);
                }
                key
            })
        })
        .collect();
    let mut keys = Vec::new();
    for task in tasks {
        keys.push(task.await.unwrap());
    }
    let mut by_key = BTreeMap::<String, Vec<String>>::new();
    for entry in store
        .outbox(Service::Tally, shard, 0, usize::MAX)
        .await
        .unwrap()
    {
        by_key
            .entry(entry.message.key)
            .or_default()
            .push(entry.message.id.0);
    }
    let expected: Vec<_> = (0..STEPS)
        .flat_map(|v| (0..3).map(move |part| format!("{v}.{part}")))
        .collect();
    assert_eq!(by_key.len(), keys.len());
    for key in keys {
        assert_eq!(by_key[&key], expected, "{key}");
    }
}
