//! Who may move an outbox.

use std::time::{Duration, Instant};

use protocol::{Service, Shard};

use super::{Ground, aggregate, done, message, step};
use crate::Commit;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(40);

/// One holder at a time; the holder keeps its number, another's lease or outbox is no matter.
pub async fn an_outbox_has_one_holder(ground: &dyn Ground) {
    let store = ground.open().await;
    let (night, shard) = (Service::Night, Shard::of("7-1"));
    let other = Shard::all().find(|s| *s != shard).unwrap();
    let lease = |service, shard, holder| store.lease(service, shard, holder, LONG);
    let first = lease(night, shard, "one").await.unwrap();
    assert!(first.is_some());
    assert_eq!(lease(night, shard, "two").await.unwrap(), None);
    assert_eq!(lease(night, shard, "one").await.unwrap(), first);
    assert!(lease(Service::Tally, shard, "two").await.unwrap().is_some());
    assert!(lease(night, other, "two").await.unwrap().is_some());
}

/// The same for what an aggregate stands for; it has nothing to do with outboxes.
pub async fn what_an_aggregate_stands_for_has_one_holder(ground: &dyn Ground) {
    let store = ground.open().await;
    let (one, other) = (
        aggregate(Service::Ingest, "account:1"),
        aggregate(Service::Ingest, "account:2"),
    );
    let hold = async |of, holder, lasting| store.hold(of, holder, lasting).await.unwrap();
    let first = hold(&one, "a", LONG).await.unwrap();
    assert_eq!(hold(&one, "b", LONG).await, None);
    assert_eq!(hold(&one, "a", LONG).await, Some(first));
    assert!(hold(&other, "b", LONG).await.is_some());
    let outbox = store.lease(Service::Ingest, one.shard(), "b", LONG).await;
    assert!(outbox.unwrap().is_some());
    store.let_go(&one, first).await.unwrap();
    let second = hold(&one, "b", SHORT).await.unwrap();
    assert_eq!(second.0, first.0 + 1);
    store.let_go(&one, first).await.unwrap();
    let since = Instant::now();
    let third = loop {
        if let Some(fence) = hold(&one, "a", LONG).await {
            break fence;
        }
        assert!(since.elapsed() < LONG, "it should have ended");
        tokio::time::sleep(SHORT / 8).await;
    };
    assert!(
        since.elapsed() > SHORT / 2,
        "who was gone gave nothing back"
    );
    assert_eq!(third.0, second.0 + 1);
}

/// What was given back can be had at once, under a higher number.
pub async fn a_lease_can_be_given_back(ground: &dyn Ground) {
    let store = ground.open().await;
    let (night, shard) = (Service::Night, Shard::of("7-1"));
    let lease = async |holder| store.lease(night, shard, holder, LONG).await.unwrap();
    let first = lease("one").await.unwrap();
    store.release(night, shard, first).await.unwrap();
    let second = lease("two").await.unwrap();
    assert_eq!(second.0, first.0 + 1, "each has the next number");
    store.release(night, shard, first).await.unwrap();
    assert_eq!(lease("one").await, None, "only the holder gives it back");
}

/// A lease ends by itself. Whoever had it is told apart from whoever has it now.
pub async fn who_has_lost_a_lease_forgets_nothing(ground: &dyn Ground) {
    let store = ground.open().await;
    let game = aggregate(Service::Night, "7-1");
    let (night, shard) = (game.service, game.shard());
    let outbox = vec![message("a", "7-1"), message("b", "7-1")];
    done(
        &store,
        Commit {
            outbox,
            ..step(&game, 0, "m1")
        },
    )
    .await;
    let entries = store.outbox(night, shard, 0, 10).await.unwrap();
    let first = store.lease(night, shard, "one", SHORT).await.unwrap();
    let first = first.unwrap();
    let since = Instant::now();
    let second = loop {
        if let Some(fence) = store.lease(night, shard, "two", LONG).await.unwrap() {
            break fence;
        }
        assert!(since.elapsed() < LONG, "it should have ended");
        tokio::time::sleep(SHORT / 8).await;
    };
    assert!(second > first);
    let places = [entries[0].place];
    assert!(!store.sent(night, shard, first, &places).await.unwrap());
    assert_eq!(store.outbox(night, shard, 0, 10).await.unwrap(), entries);
    assert!(store.sent(night, shard, second, &places).await.unwrap());
    assert_eq!(
        store.outbox(night, shard, 0, 10).await.unwrap(),
        entries[1..]
    );
    // The first may have it again, and is another then.
    store.release(night, shard, second).await.unwrap();
    let third = store
        .lease(night, shard, "one", LONG)
        .await
        .unwrap()
        .unwrap();
    assert!(third > second);
    assert!(!store.sent(night, shard, first, &[]).await.unwrap());
    assert!(store.sent(night, shard, third, &[]).await.unwrap());
}
