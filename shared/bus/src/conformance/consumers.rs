//! Who may take from a queue, and how much.

use std::collections::BTreeMap;

use protocol::Service;

use super::{
    Ground, answered, drain, expect, expect_quiet, next, publish, settle, subscribe, topic,
};
use crate::Settle;

/// While the first consumer lives, the second gets nothing, however much there is.
pub async fn one_consumer_at_a_time(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut first = subscribe(&bus, &[to], 1).await;
    let mut second = subscribe(&bus, &[to], 8).await;
    publish(&bus, to, &["1", "2", "3", "4"]).await;
    let delivery = expect(&mut first, "1").await;
    expect_quiet(&mut second).await;
    settle(
        &mut first,
        &delivery,
        Settle::Retry(std::time::Duration::ZERO),
    )
    .await;
    expect_quiet(&mut second).await;
    drain(&mut first, &["1", "2"]).await;
    expect_quiet(&mut second).await;
    // The waiting one may go: it was never active.
    drop(second);
    drain(&mut first, &["3", "4"]).await;
}

/// When the active consumer goes, the next one gets what was unsettled, marked, and then the
/// rest, all in order.
pub async fn a_second_consumer_takes_over_in_order(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut first = subscribe(&bus, &[to], 3).await;
    let mut second = subscribe(&bus, &[to], 2).await;
    let receipts = publish(&bus, to, &["1", "2", "3", "4", "5"]).await;
    let taking_over = tokio::spawn(async move {
        let mut seen = Vec::new();
        for _ in 0..4 {
            let delivery = next(&mut second).await;
            settle(&mut second, &delivery, Settle::Ack).await;
            seen.push((delivery.message.id.0, delivery.redelivered));
        }
        seen
    });
    drain(&mut first, &["1"]).await;
    for id in ["2", "3", "4"] {
        expect(&mut first, id).await;
    }
    drop(first);
    let seen = taking_over.await.unwrap();
    let ids: Vec<_> = seen.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["2", "3", "4", "5"]);
    assert!(
        seen[..3].iter().all(|(_, redelivered)| *redelivered),
        "{seen:?}"
    );
    assert!(!seen[3].1, "5 was never handed out: {seen:?}");
    answered(receipts).await;
}

/// Acknowledged and given up stays so; what was to be tried again comes to the next consumer.
pub async fn what_was_settled_does_not_come_again_after_a_takeover(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut first = subscribe(&bus, &[to], 8).await;
    publish(&bus, to, &["1", "2", "3", "4"]).await;
    let mut in_hand = Vec::new();
    for id in ["1", "2", "3", "4"] {
        in_hand.push(expect(&mut first, id).await);
    }
    settle(&mut first, &in_hand[0], Settle::Ack).await;
    settle(
        &mut first,
        &in_hand[1],
        Settle::Retry(std::time::Duration::ZERO),
    )
    .await;
    settle(
        &mut first,
        &in_hand[2],
        Settle::Dead("unreadable".to_owned()),
    )
    .await;
    drop(first);
    let mut second = subscribe(&bus, &[to], 8).await;
    drain(&mut second, &["2", "4"]).await;
    expect_quiet(&mut second).await;
    assert_eq!(bus.dead_letters(Service::Night).await.unwrap().len(), 1);
}

/// At most so many of one queue are unsettled; other queues have their own count.
pub async fn no_more_than_prefetch_are_unsettled(ground: &dyn Ground) {
    let bus = ground.open().await;
    let (one, two) = (topic(Service::Night, 0), topic(Service::Night, 1));
    let mut subscription = subscribe(&bus, &[one, two], 3).await;
    let ids: Vec<_> = (0..10).map(|n| n.to_string()).collect();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    publish(&bus, one, &ids).await;
    publish(&bus, two, &ids).await;
    let mut unsettled = BTreeMap::<_, Vec<_>>::new();
    for _ in 0..6 {
        let delivery = next(&mut subscription).await;
        unsettled
            .entry(delivery.message.to)
            .or_default()
            .push(delivery);
    }
    expect_quiet(&mut subscription).await;
    for to in [one, two] {
        let seen: Vec<_> = unsettled[&to]
            .iter()
            .map(|d| d.message.id.0.as_str())
            .collect();
        assert_eq!(seen, ["0", "1", "2"], "{to}");
    }
    for (settled, id) in [(1, "3"), (0, "4"), (2, "5")] {
        settle(&mut subscription, &unsettled[&two][settled], Settle::Ack).await;
        let delivery = expect(&mut subscription, id).await;
        assert_eq!(delivery.message.to, two);
        expect_quiet(&mut subscription).await;
    }
}

/// Each topic has its own active consumer.
pub async fn several_consumers_share_the_topics(ground: &dyn Ground) {
    let bus = ground.open().await;
    let topics: Vec<_> = (0..4).map(|n| topic(Service::Tally, n)).collect();
    let mut left = subscribe(&bus, &topics[..2], 2).await;
    let mut right = subscribe(&bus, &topics[2..], 2).await;
    let mut spare = subscribe(&bus, &topics, 2).await;
    for to in &topics {
        publish(&bus, *to, &["a", "b"]).await;
    }
    for (subscription, own) in [(&mut left, &topics[..2]), (&mut right, &topics[2..])] {
        for _ in 0..4 {
            let delivery = next(subscription).await;
            assert!(own.contains(&delivery.message.to));
            settle(subscription, &delivery, Settle::Ack).await;
        }
        expect_quiet(subscription).await;
    }
    expect_quiet(&mut spare).await;
    drop(left);
    for to in &topics {
        publish(&bus, *to, &["c"]).await;
    }
    for _ in 0..2 {
        let delivery = expect(&mut spare, "c").await;
        assert!(topics[..2].contains(&delivery.message.to));
        settle(&mut spare, &delivery, Settle::Ack).await;
    }
    expect_quiet(&mut spare).await;
    for _ in 0..2 {
        drain(&mut right, &["c"]).await;
    }
}
