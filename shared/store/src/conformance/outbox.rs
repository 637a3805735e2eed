//! The outbox: in order, one for each service and shard, until it is sent.

use std::sync::Arc;
use std::time::Duration;

use protocol::{Service, Shard};

use super::{Ground, aggregate, done, key_in_shard, message, step};
use crate::{Commit, OutboxEntry, Store, StoreError};

async fn outbox(
    store: &Arc<dyn Store>,
    shard: Shard,
    after: u64,
    limit: usize,
) -> Vec<OutboxEntry> {
    store
        .outbox(Service::Night, shard, after, limit)
        .await
        .expect("the store answers")
}

fn names(entries: &[OutboxEntry]) -> Vec<&str> {
    entries.iter().map(|entry| &*entry.message.id.0).collect()
}

/// Forgets entries under a lease.
async fn sent(store: &Arc<dyn Store>, service: Service, shard: Shard, places: &[u64]) {
    let fence = store
        .lease(service, shard, "the relay", Duration::from_secs(60))
        .await
        .unwrap()
        .expect("nobody else wants it");
    assert!(store.sent(service, shard, fence, places).await.unwrap());
}

async fn send(store: &Arc<dyn Store>, key: &str, expected: u64, ids: &[&str]) {
    let outbox = ids.iter().map(|id| message(id, key)).collect();
    let id = format!("m{expected}");
    done(
        store,
        Commit {
            outbox,
            ..step(&aggregate(Service::Night, key), expected, &id)
        },
    )
    .await;
}

/// Messages of one shard leave in the order of their commits, whichever aggregate they are from.
pub async fn the_outbox_keeps_its_order(ground: &dyn Ground) {
    let store = ground.open().await;
    let shard = Shard::of("7-1");
    let (one, two) = (key_in_shard(shard, 0), key_in_shard(shard, 1));
    send(&store, &one, 0, &["a", "b"]).await;
    send(&store, &two, 0, &["c"]).await;
    send(&store, &one, 1, &[]).await;
    send(&store, &one, 2, &["d", "e", "f"]).await;
    send(&store, &two, 1, &["g"]).await;

    let all = outbox(&store, shard, 0, 100).await;
    assert_eq!(names(&all), ["a", "b", "c", "d", "e", "f", "g"]);
    assert!(all.is_sorted_by(|x, y| x.place < y.place));
    assert!(all[0].place > 0, "0 is before all places");
    assert_eq!(names(&outbox(&store, shard, 0, 3).await), ["a", "b", "c"]);
    assert_eq!(
        names(&outbox(&store, shard, all[2].place, 3).await),
        ["d", "e", "f"]
    );
    assert_eq!(
        names(&outbox(&store, shard, all[6].place, 3).await),
        Vec::<&str>::new()
    );
}

/// Each service and shard has an outbox of its own: the sender's, not the receiver's.
pub async fn outboxes_are_apart(ground: &dyn Ground) {
    let store = ground.open().await;
    let shard = Shard::of("7-1");
    let far = Shard::all()
        .find(|s| *s != shard)
        .expect("there are several shards");
    let (near_key, far_key) = (key_in_shard(shard, 0), key_in_shard(far, 0));
    let cases = [
        (Service::Night, &near_key, &far_key, "a"),
        (Service::Night, &far_key, &near_key, "b"),
        (Service::Tally, &near_key, &near_key, "c"),
    ];
    for (service, from, to, id) in cases {
        let outbox = vec![message(id, to)];
        done(
            &store,
            Commit {
                outbox,
                ..step(&aggregate(service, from), 0, "m")
            },
        )
        .await;
    }
    for (service, from, _, id) in cases {
        let entries = store.outbox(service, Shard::of(from), 0, 10).await.unwrap();
        assert_eq!(names(&entries), [id]);
    }
    assert_eq!(store.outbox(Service::Tally, far, 0, 10).await.unwrap(), []);
}

/// Exactly the named entries go, in any order, also when some have gone before.
pub async fn what_was_sent_is_forgotten_and_nothing_else(ground: &dyn Ground) {
    let store = ground.open().await;
    let shard = Shard::of("7-1");
    let other = Shard::all()
        .find(|s| *s != shard)
        .expect("there are several shards");
    let key = key_in_shard(shard, 0);
    send(&store, &key, 0, &["a", "b", "c", "d", "e"]).await;
    let places: Vec<_> = outbox(&store, shard, 0, 100)
        .await
        .into_iter()
        .map(|entry| entry.place)
        .collect();

    sent(&store, Service::Night, shard, &[]).await;
    sent(&store, Service::Night, other, &places).await;
    sent(&store, Service::Tally, shard, &places).await;
    assert_eq!(
        outbox(&store, shard, 0, 100).await.len(),
        5,
        "another's outbox is not touched"
    );

    sent(&store, Service::Night, shard, &[places[3], places[1]]).await;
    assert_eq!(names(&outbox(&store, shard, 0, 100).await), ["a", "c", "e"]);
    sent(
        &store,
        Service::Night,
        shard,
        &[places[1], places[0], places[4] + 100],
    )
    .await;
    assert_eq!(names(&outbox(&store, shard, 0, 100).await), ["c", "e"]);

    drop(store);
    let store = ground.open().await;
    assert_eq!(names(&outbox(&store, shard, 0, 100).await), ["c", "e"]);
    let left = outbox(&store, shard, 0, 100).await;
    assert_eq!(
        (left[0].place, left[1].place),
        (places[2], places[4]),
        "places stay"
    );
}

/// Places only grow, also when the outbox has been empty and the store closed.
pub async fn places_are_never_given_twice(ground: &dyn Ground) {
    let shard = Shard::of("7-1");
    let key = key_in_shard(shard, 0);
    let mut last = 0;
    for round in 0..4 {
        let store = ground.open().await;
        send(&store, &key, round, &["a", "b"]).await;
        let entries = outbox(&store, shard, 0, 100).await;
        assert_eq!(entries.len(), 2);
        assert!(entries[0].place > last, "{} after {last}", entries[0].place);
        last = entries[1].place;
        let places: Vec<_> = entries.iter().map(|entry| entry.place).collect();
        sent(&store, Service::Night, shard, &places).await;
    }
}

/// What cannot be read is told with its place; other outboxes do not suffer.
pub async fn an_unreadable_entry_is_named(ground: &dyn Ground) {
    let store = ground.open().await;
    let shard = Shard::of("7-1");
    let other = Shard::all()
        .find(|s| *s != shard)
        .expect("there are several shards");
    send(&store, &key_in_shard(shard, 0), 0, &["a", "b"]).await;
    send(&store, &key_in_shard(other, 0), 0, &["c"]).await;
    let places: Vec<_> = outbox(&store, shard, 0, 100)
        .await
        .into_iter()
        .map(|entry| entry.place)
        .collect();
    drop(store);
    ground.spoil_outbox(Service::Night, shard, places[1]).await;
    let store = ground.open().await;

    assert_eq!(
        names(&outbox(&store, shard, 0, 100).await),
        ["a"],
        "what is before it can go"
    );
    match store.outbox(Service::Night, shard, places[0], 100).await {
        Err(StoreError::Corrupt { place, .. }) => {
            assert!(place.contains(&places[1].to_string()), "{place}");
        }
        other => panic!("unreadable, and yet {other:?}"),
    }
    assert_eq!(names(&outbox(&store, other, 0, 100).await), ["c"]);
    send(&store, &key_in_shard(shard, 0), 1, &["d"]).await;
    sent(&store, Service::Night, shard, &places).await;
    assert_eq!(names(&outbox(&store, shard, 0, 100).await), ["d"]);
}
