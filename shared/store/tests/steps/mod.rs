//! Steps of which every byte can be computed from key and version, and a check that they are there.

use protocol::{Message, MessageId, Service, Shard, Topic};
use rules::Time;
use store::{AggregateKey, Commit, Deadline, Store};

pub fn game(nth: usize) -> AggregateKey {
    AggregateKey {
        service: Service::Night,
        key: format!("7-{nth}"),
    }
}

/// The one step that leads to this version.
pub fn step(game: &AggregateKey, version: u64) -> Commit {
    let key = &game.key;
    let at = i64::try_from(version).expect("a small number");
    Commit {
        aggregate: game.clone(),
        expected: version - 1,
        after: None,
        message: MessageId(format!("m{version}")),
        entry: format!("{key} step {version} ").repeat(20).into_bytes(),
        snapshot: version
            .is_multiple_of(7)
            .then(|| format!("{key} at {version}").into_bytes()),
        deadlines: Some(vec![Deadline {
            name: format!("d#{version}"),
            at: Time(at),
        }]),
        outbox: (0..2)
            .map(|part| Message {
                id: MessageId(format!("night/{key}/{version}.{part}")),
                trace: "t".to_owned(),
                to: Topic {
                    service: Service::Publish,
                    shard: Shard::of(key),
                },
                key: key.clone(),
                body: "{}".to_owned(),
            })
            .collect(),
    }
}

/// All of a game is there up to some version that is no lower than the acknowledged one.
pub async fn check(store: &dyn Store, nth: usize, acknowledged: u64) -> u64 {
    let game = game(nth);
    let stored = store.load(&game).await.expect("readable");
    let version = stored.version;
    assert!(
        version >= acknowledged,
        "{game:?}: {acknowledged} was acknowledged, {version} is there"
    );

    let snapshot_at = version - version % 7;
    let snapshot = (snapshot_at > 0).then(|| {
        (
            snapshot_at,
            format!("{} at {snapshot_at}", game.key).into_bytes(),
        )
    });
    assert_eq!(stored.snapshot, snapshot);
    let journal = store.journal(&game, 0, usize::MAX).await.expect("readable");
    let expected: Vec<_> = (1..=version).map(|v| (v, step(&game, v).entry)).collect();
    assert_eq!(journal, expected);
    for v in [1, version / 2, version, version + 1] {
        let handled = store
            .handled(&game, &MessageId(format!("m{v}")))
            .await
            .expect("readable");
        assert_eq!(
            handled,
            (1..=version).contains(&v).then_some(v),
            "m{v} of {version}"
        );
    }

    let outbox = store
        .outbox(game.service, game.shard(), 0, usize::MAX)
        .await
        .expect("readable");
    let own = outbox
        .into_iter()
        .map(|entry| entry.message)
        .filter(|m| m.key == game.key);
    let expected = (1..=version).flat_map(|v| step(&game, v).outbox);
    assert!(
        own.eq(expected),
        "{game:?}: the outbox does not fit version {version}"
    );

    let due = store
        .due(Time(i64::MAX), usize::MAX)
        .await
        .expect("readable");
    let own: Vec<_> = due
        .into_iter()
        .filter(|d| d.aggregate == game)
        .map(|d| d.deadline)
        .collect();
    let expected = if version == 0 {
        None
    } else {
        step(&game, version).deadlines
    };
    assert_eq!(own, expected.unwrap_or_default());
    version
}
