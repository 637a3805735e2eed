//! Messages arrive, in order, and nobody waits for another's queue.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::Service;

use super::{
    Ground, QUIET, answered, drain, expect, expect_quiet, message, next, publish, settle,
    subscribe, topic,
};
use crate::{Outgoing, Settle};

/// Nothing is lost on the way, and nothing added.
pub async fn a_message_arrives_as_it_was_sent(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 3);
    let mut sent = message(to, "鸣潮 \"1\"/7.0");
    sent.body = format!("{{\"text\":\"\\u0000 魔女会 {}\"}}", "长".repeat(10_000));
    let mut subscription = subscribe(&bus, &[to], 4).await;
    let receipts = bus
        .publish(vec![Outgoing::first(sent.clone())])
        .await
        .unwrap();
    let delivery = next(&mut subscription).await;
    assert_eq!(delivery.message, sent);
    assert_eq!((delivery.attempt, delivery.redelivered), (1, false));
    settle(&mut subscription, &delivery, Settle::Ack).await;
    answered(receipts).await;
}

/// A queue is there before anybody listens to it.
pub async fn what_comes_before_its_consumer_waits_for_it(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Publish, 0);
    let receipts = publish(&bus, to, &["1", "2", "3"]).await;
    let mut subscription = subscribe(&bus, &[to], 4).await;
    drain(&mut subscription, &["1", "2", "3"]).await;
    answered(receipts).await;
}

/// Many publish to one queue at once: what each sent stays in its order, and comes once.
pub async fn each_publishers_order_is_kept(ground: &dyn Ground) {
    const PUBLISHERS: usize = 6;
    const EACH: usize = 60;
    let bus = ground.open().await;
    let to = topic(Service::Tally, 9);
    let publishers: Vec<_> = (0..PUBLISHERS)
        .map(|publisher| {
            let bus = Arc::clone(&bus);
            tokio::spawn(async move {
                let mut receipts = Vec::new();
                for n in (0..EACH).step_by(3) {
                    let batch = (n..n + 3)
                        .map(|n| Outgoing::first(message(to, &format!("{publisher}/{n}"))))
                        .collect();
                    receipts.extend(bus.publish(batch).await.unwrap());
                }
                answered(receipts).await;
            })
        })
        .collect();
    let mut subscription = subscribe(&bus, &[to], 16).await;
    let mut seen = BTreeMap::<String, Vec<usize>>::new();
    for _ in 0..PUBLISHERS * EACH {
        let delivery = next(&mut subscription).await;
        let (publisher, n) = delivery.message.id.0.split_once('/').unwrap();
        seen.entry(publisher.to_owned())
            .or_default()
            .push(n.parse().unwrap());
        settle(&mut subscription, &delivery, Settle::Ack).await;
    }
    expect_quiet(&mut subscription).await;
    for publisher in publishers {
        publisher.await.unwrap();
    }
    assert_eq!(seen.len(), PUBLISHERS);
    for (publisher, numbers) in seen {
        assert_eq!(
            numbers,
            (0..EACH).collect::<Vec<_>>(),
            "publisher {publisher}"
        );
    }
}

/// One batch for several queues: each gets its part in order.
pub async fn a_batch_is_spread_in_order(ground: &dyn Ground) {
    let bus = ground.open().await;
    let topics = [
        topic(Service::Night, 1),
        topic(Service::Night, 2),
        topic(Service::Tally, 1),
    ];
    let batch = (0..30)
        .map(|n| Outgoing::first(message(topics[n % topics.len()], &n.to_string())))
        .collect();
    let receipts = bus.publish(batch).await.unwrap();
    for (nth, to) in topics.into_iter().enumerate() {
        let mut subscription = subscribe(&bus, &[to], 2).await;
        for n in (nth..30).step_by(topics.len()) {
            drain(&mut subscription, &[&n.to_string()]).await;
        }
        expect_quiet(&mut subscription).await;
    }
    answered(receipts).await;
}

/// After the acknowledgement the publisher has its answer, and the message is gone for good.
pub async fn an_acknowledged_message_is_answered_and_gone(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 8).await;
    let receipts = publish(&bus, to, &["1", "2", "3"]).await;
    let (first, second) = (
        expect(&mut subscription, "1").await,
        expect(&mut subscription, "2").await,
    );
    let third = expect(&mut subscription, "3").await;
    for delivery in [&second, &third, &first] {
        settle(&mut subscription, delivery, Settle::Ack).await;
    }
    answered(receipts).await;
    drop(subscription);
    let mut subscription = subscribe(&bus, &[to], 8).await;
    expect_quiet(&mut subscription).await;
}

/// What a publisher marks as sent again is marked at the consumer.
pub async fn what_may_have_been_sent_before_says_so(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Ingest, 5);
    let batch = vec![
        Outgoing::again(message(to, "old")),
        Outgoing::first(message(to, "new")),
    ];
    let receipts = bus.publish(batch).await.unwrap();
    let mut subscription = subscribe(&bus, &[to], 8).await;
    let old = expect(&mut subscription, "old").await;
    assert_eq!((old.attempt, old.redelivered), (1, true));
    let new = expect(&mut subscription, "new").await;
    assert_eq!((new.attempt, new.redelivered), (1, false));
    settle(&mut subscription, &old, Settle::Ack).await;
    settle(&mut subscription, &new, Settle::Ack).await;
    answered(receipts).await;
}

/// A consumer that waits is woken.
pub async fn a_consumer_hears_of_messages_while_it_waits(ground: &dyn Ground) {
    let bus = ground.open().await;
    let topics = [topic(Service::Night, 1), topic(Service::Night, 2)];
    let mut subscription = subscribe(&bus, &topics, 1).await;
    let listener = tokio::spawn(async move {
        for n in 0..50 {
            drain(&mut subscription, &[&n.to_string()]).await;
        }
    });
    for n in 0..50 {
        answered(publish(&bus, topics[n % 2], &[&n.to_string()]).await).await;
    }
    listener.await.unwrap();
}

/// A wait that was given up takes no message with it.
pub async fn giving_up_the_wait_loses_nothing(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 1);
    let mut subscription = subscribe(&bus, &[to], 100).await;
    let publisher = tokio::spawn({
        let bus = Arc::clone(&bus);
        async move {
            for n in 0..100 {
                publish(&bus, to, &[&n.to_string()]).await;
                tokio::task::yield_now().await;
            }
        }
    });
    for n in 0..100 {
        let delivery = loop {
            let wait = tokio::time::timeout(Duration::from_micros(50), subscription.next());
            if let Ok(delivery) = wait.await {
                break delivery.unwrap();
            }
        };
        assert_eq!(delivery.message.id.0, n.to_string());
        settle(&mut subscription, &delivery, Settle::Ack).await;
    }
    publisher.await.unwrap();
}

/// A queue that is full, stuck or without a consumer keeps nobody else back.
pub async fn topics_do_not_wait_for_each_other(ground: &dyn Ground) {
    let bus = ground.open().await;
    let (free, in_hand) = (topic(Service::Night, 0), topic(Service::Night, 1));
    let (waiting, unheard) = (topic(Service::Night, 2), topic(Service::Night, 3));
    let mut subscription = subscribe(&bus, &[free, in_hand, waiting], 1).await;
    for stuck in [in_hand, waiting, unheard] {
        publish(&bus, stuck, &["stuck", "behind it"]).await;
    }
    for _ in 0..2 {
        let delivery = expect(&mut subscription, "stuck").await;
        if delivery.message.to == waiting {
            settle(&mut subscription, &delivery, Settle::Wait(QUIET * 1_000)).await;
        }
    }
    for n in 0..20 {
        let n = n.to_string();
        let receipts = publish(&bus, free, &[&n]).await;
        drain(&mut subscription, &[&n]).await;
        answered(receipts).await;
    }
    expect_quiet(&mut subscription).await;
}

/// Watermarks and nudges: delivered to whoever listens, behind what was published before;
/// nobody is told when nobody does.
pub async fn messages_that_may_be_lost_reach_whoever_listens(ground: &dyn Ground) {
    let bus = ground.open().await;
    let (heard, unheard) = (topic(Service::Night, 0), topic(Service::Night, 1));
    let mut subscription = subscribe(&bus, &[heard], 1).await;
    publish(&bus, heard, &["1", "2"]).await;
    let marks = vec![message(unheard, "lost"), message(heard, "mark")];
    bus.publish_transient(marks).await.unwrap();
    publish(&bus, heard, &["3"]).await;
    drain(&mut subscription, &["1", "2", "mark", "3"]).await;
}

/// Health is told.
pub async fn a_bus_that_is_there_says_so(ground: &dyn Ground) {
    ground.open().await.health().await.unwrap();
}
