//! Messages that are not handled at the first try.

use std::time::{Duration, Instant};

use protocol::Service;

use super::{Ground, answered, drain, expect, expect_quiet, publish, settle, subscribe, topic};
use crate::{BusError, MAX_ATTEMPTS, Settle};

const PAUSE: Duration = Duration::from_millis(5);

/// A message that failed is tried again at once, before all that has not been handed out.
pub async fn a_retried_message_comes_again_before_those_behind_it(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 1).await;
    let receipts = publish(&bus, to, &["1", "2", "3"]).await;
    let first = expect(&mut subscription, "1").await;
    settle(&mut subscription, &first, Settle::Retry(PAUSE)).await;
    let again = expect(&mut subscription, "1").await;
    assert_eq!((again.attempt, again.redelivered), (2, true));
    settle(&mut subscription, &again, Settle::Wait(PAUSE)).await;
    drain(&mut subscription, &["1"]).await;
    let second = expect(&mut subscription, "2").await;
    assert_eq!((second.attempt, second.redelivered), (1, false));
    settle(&mut subscription, &second, Settle::Ack).await;
    drain(&mut subscription, &["3"]).await;
    answered(receipts).await;
}

/// With several in hand: those that fail come again in the queue's order, and what has not been
/// handed out waits for them.
pub async fn a_message_in_hand_returns_to_its_place(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 4).await;
    publish(&bus, to, &["1", "2", "3", "4", "5", "6"]).await;
    let mut in_hand = Vec::new();
    for id in ["1", "2", "3", "4"] {
        in_hand.push(expect(&mut subscription, id).await);
    }
    expect_quiet(&mut subscription).await;
    for (nth, how) in [
        (0, Settle::Retry(PAUSE)),
        (1, Settle::Ack),
        (2, Settle::Wait(PAUSE)),
        (3, Settle::Ack),
    ] {
        settle(&mut subscription, &in_hand[nth], how).await;
    }
    drain(&mut subscription, &["1", "3", "5", "6"]).await;
}

/// A message does not come again before its pause is over.
pub async fn the_pause_is_kept(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let pause = Duration::from_millis(60);
    let mut subscription = subscribe(&bus, &[to], 8).await;
    publish(&bus, to, &["1"]).await;
    for how in [Settle::Retry(pause), Settle::Wait(pause)] {
        let delivery = expect(&mut subscription, "1").await;
        let began = Instant::now();
        settle(&mut subscription, &delivery, how).await;
        let again = expect(&mut subscription, "1").await;
        assert!(
            began.elapsed() >= pause,
            "it came after {:?}",
            began.elapsed()
        );
        settle(&mut subscription, &again, Settle::Retry(Duration::ZERO)).await;
    }
    drain(&mut subscription, &["1"]).await;
}

/// After [`MAX_ATTEMPTS`] tries a message is a dead letter, and its queue moves on.
pub async fn a_message_is_given_up_after_a_few_tries(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 1).await;
    let receipts = publish(&bus, to, &["poison", "good"]).await;
    for attempt in 1..=MAX_ATTEMPTS {
        let delivery = expect(&mut subscription, "poison").await;
        assert_eq!(
            (delivery.attempt, delivery.redelivered),
            (attempt, attempt > 1)
        );
        assert_eq!(bus.dead_letters(Service::Night).await.unwrap(), []);
        settle(&mut subscription, &delivery, Settle::Retry(PAUSE)).await;
    }
    drain(&mut subscription, &["good"]).await;
    let letters = bus.dead_letters(Service::Night).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].message.id.0, "poison");
    assert!(
        letters[0].reason.contains(&MAX_ATTEMPTS.to_string()),
        "{}",
        letters[0].reason
    );
    answered(receipts).await;
    expect_quiet(&mut subscription).await;
}

/// A message may wait for the store as often as it takes.
pub async fn waiting_is_no_try(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 1).await;
    publish(&bus, to, &["1", "2"]).await;
    for round in 0..3 * MAX_ATTEMPTS {
        let delivery = expect(&mut subscription, "1").await;
        assert_eq!((delivery.attempt, delivery.redelivered), (1, round > 0));
        settle(&mut subscription, &delivery, Settle::Wait(Duration::ZERO)).await;
    }
    let delivery = expect(&mut subscription, "1").await;
    settle(&mut subscription, &delivery, Settle::Retry(Duration::ZERO)).await;
    assert_eq!(expect(&mut subscription, "1").await.attempt, 2);
    assert_eq!(bus.dead_letters(Service::Night).await.unwrap(), []);
}

/// A mark counts once, and only at its own consumer.
pub async fn a_delivery_is_settled_once(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = subscribe(&bus, &[to], 4).await;
    publish(&bus, to, &["1", "2"]).await;
    let delivery = expect(&mut subscription, "1").await;
    settle(&mut subscription, &delivery, Settle::Ack).await;
    for how in [
        Settle::Ack,
        Settle::Retry(PAUSE),
        Settle::Dead("no".to_owned()),
    ] {
        let unknown = subscription.settle(delivery.tag, how).await;
        assert_eq!(unknown, Err(BusError::UnknownDelivery(delivery.tag)));
    }
    let never = delivery.tag + 1_000_000;
    let unknown = subscription.settle(never, Settle::Ack).await;
    assert_eq!(unknown, Err(BusError::UnknownDelivery(never)));
    drain(&mut subscription, &["2"]).await;
    expect_quiet(&mut subscription).await;
    assert_eq!(bus.dead_letters(Service::Night).await.unwrap(), []);
}
