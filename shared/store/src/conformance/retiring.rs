//! What is left of an aggregate whose story is over.

use protocol::Service;
use rules::Time;

use super::{Everything, Ground, aggregate, deadline, done, everything, message, name, step};
use crate::{AggregateKey, Commit, Committed, Store, Stored};
use std::sync::Arc;

/// A journal that is long enough to be put away in several pieces.
const STEPS: u64 = 600;

async fn play(store: &Arc<dyn Store>, game: &AggregateKey) {
    for version in 0..STEPS {
        let commit = Commit {
            entry: format!("entry {version} ").repeat(8).into_bytes(),
            snapshot: (version == STEPS - 3).then(|| b"state".to_vec()),
            deadlines: (version == STEPS - 2).then(|| vec![deadline("reveal#9", 70)]),
            outbox: if version == STEPS - 1 {
                vec![message("over", &game.key)]
            } else {
                vec![]
            },
            ..step(game, version, &format!("m{version}"))
        };
        done(store, commit).await;
    }
}

/// State and journal are there as they were; deadlines and the key are not.
pub async fn a_retired_aggregate_can_be_read(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let other = aggregate(Service::Night, "7-2");
    let plan = Commit {
        deadlines: Some(vec![deadline("dawn#1", 50)]),
        ..step(&other, 0, "m0")
    };
    done(&store, plan).await;
    play(&store, &game).await;
    let before = everything(&store, &game).await;
    assert_eq!(before.stored.entries.len(), 2);
    assert!(store.retire(&game, STEPS).await.unwrap());
    let mut due = before.due.clone();
    due.retain(|due| due.aggregate != game);
    assert_eq!(due.len(), 1);
    let expected = Everything {
        due,
        next_due: Some(Time(50)),
        keys: vec!["7-2".to_owned()],
        ..before
    };
    assert_eq!(everything(&store, &game).await, expected);
    for (after, limit) in [
        (0, 1),
        (250, 12),
        (255, 2),
        (STEPS - 1, 5),
        (STEPS, 5),
        (3, 0),
    ] {
        let from = usize::try_from(after).unwrap();
        let until = from.saturating_add(limit).min(expected.journal.len());
        assert_eq!(
            store.journal(&game, after, limit).await.unwrap(),
            expected.journal[from..until],
            "{limit} after {after}"
        );
    }
    assert!(store.retire(&game, STEPS).await.unwrap(), "once more");
    drop(store);
    let store = ground.open().await;
    assert_eq!(everything(&store, &game).await, expected);
    assert_eq!(done(&store, step(&other, 1, "m1")).await, 2, "others go on");
}

/// Whatever comes later counts as handled and changes nothing.
pub async fn a_retired_aggregate_takes_no_steps(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Tally, "7-1");
    done(&store, step(&game, 0, "m0")).await;
    done(&store, step(&game, 1, "m1")).await;
    assert!(store.retire(&game, 2).await.unwrap());
    let before = everything(&store, &game).await;
    for (expected, id) in [(0, "m0"), (2, "m1"), (2, "new"), (9, "newer")] {
        let answer = store.commit(step(&game, expected, id)).await.unwrap();
        assert_eq!(answer, Committed::Repeat(2), "{id}");
        let handled = store.handled(&game, &name(id)).await.unwrap();
        assert_eq!(handled, Some(2), "{id}");
    }
    let kept = store.keep_snapshot(&game, 2, b"no".to_vec()).await;
    assert!(!kept.unwrap());
    assert_eq!(everything(&store, &game).await, before);
}

/// A step that was taken meanwhile, or an aggregate that was never there, is left alone.
pub async fn only_the_version_that_is_over_is_retired(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    done(&store, step(&game, 0, "m0")).await;
    done(&store, step(&game, 1, "m1")).await;
    let before = everything(&store, &game).await;
    for version in [0, 1, 3] {
        assert!(!store.retire(&game, version).await.unwrap(), "{version}");
    }
    assert_eq!(everything(&store, &game).await, before);
    assert_eq!(done(&store, step(&game, 2, "m2")).await, 3);
    let nobody = aggregate(Service::Night, "7-2");
    assert!(!store.retire(&nobody, 0).await.unwrap());
    assert_eq!(store.load(&nobody).await.unwrap(), Stored::default());
    assert_eq!(done(&store, step(&nobody, 0, "m0")).await, 1);
}
