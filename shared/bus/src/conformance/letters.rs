//! Dead letters: kept, listed, put back.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use protocol::{Service, Topic};

use super::{
    Ground, QUIET, SOON, answered, drain, expect, expect_quiet, message, publish, settle,
    subscribe, topic,
};
use crate::{Bus, BusError, Settle};

/// Publishes a message and gives it up.
async fn bury(bus: &Arc<dyn Bus>, service: Service, id: &str, reason: &str) {
    let to = topic(service, 0);
    let mut subscription = subscribe(bus, &[to], 1).await;
    let receipts = publish(bus, to, &[id]).await;
    let delivery = expect(&mut subscription, id).await;
    settle(
        &mut subscription,
        &delivery,
        Settle::Dead(reason.to_owned()),
    )
    .await;
    answered(receipts).await;
}

async fn listed(bus: &Arc<dyn Bus>, service: Service) -> Vec<(String, String)> {
    let letters = bus.dead_letters(service).await.expect("the bus answers");
    letters
        .into_iter()
        .map(|letter| (letter.message.id.0, letter.reason))
        .collect()
}

fn pair(id: &str, reason: &str) -> (String, String) {
    (id.to_owned(), reason.to_owned())
}

/// A message that is given up at once is kept as it was.
pub async fn a_dead_letter_is_kept_with_its_reason(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Tally, 4);
    let mut subscription = subscribe(&bus, &[to], 1).await;
    let receipts = publish(&bus, to, &["bad", "good"]).await;
    let delivery = expect(&mut subscription, "bad").await;
    settle(
        &mut subscription,
        &delivery,
        Settle::Dead("读不懂: \"x\"".to_owned()),
    )
    .await;
    let letters = bus.dead_letters(Service::Tally).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].message, message(to, "bad"));
    assert_eq!(letters[0].reason, "读不懂: \"x\"");
    drain(&mut subscription, &["good"]).await;
    answered(receipts).await;
}

/// Each service has its own; the oldest comes first.
pub async fn dead_letters_are_listed_by_service_oldest_first(ground: &dyn Ground) {
    let bus = ground.open().await;
    for (service, id) in [
        (Service::Night, "1"),
        (Service::Tally, "2"),
        (Service::Night, "3"),
        (Service::Night, "4"),
    ] {
        bury(&bus, service, id, "no").await;
    }
    let night = listed(&bus, Service::Night).await;
    assert_eq!(night, [pair("1", "no"), pair("3", "no"), pair("4", "no")]);
    assert_eq!(listed(&bus, Service::Tally).await, [pair("2", "no")]);
    assert_eq!(listed(&bus, Service::Publish).await, []);
}

/// A letter that is put back has a new place, and a first try again.
pub async fn a_letter_that_is_put_back_goes_to_the_end(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    bury(&bus, Service::Night, "dead", "no").await;
    publish(&bus, to, &["1", "2"]).await;
    let letter = bus.dead_letters(Service::Night).await.unwrap().remove(0);
    bus.put_back(Service::Night, letter.id).await.unwrap();
    publish(&bus, to, &["3"]).await;
    assert_eq!(listed(&bus, Service::Night).await, [], "it is on its way");
    let mut subscription = subscribe(&bus, &[to], 1).await;
    drain(&mut subscription, &["1", "2"]).await;
    let delivery = expect(&mut subscription, "dead").await;
    assert_eq!(delivery.message, letter.message);
    assert_eq!((delivery.attempt, delivery.redelivered), (1, true));
    settle(&mut subscription, &delivery, Settle::Ack).await;
    drain(&mut subscription, &["3"]).await;
    assert_eq!(listed(&bus, Service::Night).await, []);
}

/// A letter that is given up once more is listed once, with the new reason.
pub async fn a_letter_that_is_put_back_may_die_again(ground: &dyn Ground) {
    let bus = ground.open().await;
    bury(&bus, Service::Night, "dead", "first reason").await;
    bury(&bus, Service::Night, "other", "another").await;
    let letter = bus.dead_letters(Service::Night).await.unwrap().remove(0);
    bus.put_back(Service::Night, letter.id).await.unwrap();
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 1).await;
    let delivery = expect(&mut subscription, "dead").await;
    settle(
        &mut subscription,
        &delivery,
        Settle::Dead("second reason".to_owned()),
    )
    .await;
    let expected = [pair("other", "another"), pair("dead", "second reason")];
    assert_eq!(listed(&bus, Service::Night).await, expected);
    expect_quiet(&mut subscription).await;
}

/// What is not there, or not that service's, or already on its way, cannot be put back.
pub async fn only_what_is_there_can_be_put_back(ground: &dyn Ground) {
    let bus = ground.open().await;
    let nothing = bus.put_back(Service::Night, 12_345).await;
    assert_eq!(
        nothing,
        Err(BusError::UnknownLetter(Service::Night, 12_345))
    );
    bury(&bus, Service::Night, "dead", "no").await;
    let id = bus.dead_letters(Service::Night).await.unwrap()[0].id;
    let anothers = bus.put_back(Service::Tally, id).await;
    assert_eq!(anothers, Err(BusError::UnknownLetter(Service::Tally, id)));
    bus.put_back(Service::Night, id).await.unwrap();
    let twice = bus.put_back(Service::Night, id).await;
    assert_eq!(twice, Err(BusError::UnknownLetter(Service::Night, id)));
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 8).await;
    drain(&mut subscription, &["dead"]).await;
    expect_quiet(&mut subscription).await;
}

/// A restart keeps dead letters.
pub async fn dead_letters_outlive_the_process(ground: &dyn Ground) {
    let bus = ground.open().await;
    bury(&bus, Service::Night, "1", "no").await;
    bury(&bus, Service::Night, "2", "neither").await;
    let before = bus.dead_letters(Service::Night).await.unwrap();
    let bus = ground.reopen(bus).await;
    assert_eq!(bus.dead_letters(Service::Night).await.unwrap(), before);
    bus.put_back(Service::Night, before[0].id).await.unwrap();
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 1).await;
    drain(&mut subscription, &["1"]).await;
    drop(subscription);
    let bus = ground.reopen(bus).await;
    assert_eq!(listed(&bus, Service::Night).await, [pair("2", "neither")]);
}

/// A letter that was put back and not settled when the process died comes again.
pub async fn a_letter_that_is_put_back_outlives_the_process(ground: &dyn Ground) {
    let bus = ground.open().await;
    bury(&bus, Service::Night, "dead", "no").await;
    let id = bus.dead_letters(Service::Night).await.unwrap()[0].id;
    bus.put_back(Service::Night, id).await.unwrap();
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 1).await;
    expect(&mut subscription, "dead").await;
    drop(subscription);
    let bus = ground.reopen(bus).await;
    assert_eq!(listed(&bus, Service::Night).await, []);
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 1).await;
    let delivery = expect(&mut subscription, "dead").await;
    assert!(delivery.redelivered);
    settle(&mut subscription, &delivery, Settle::Ack).await;
    drop(subscription);
    let bus = ground.reopen(bus).await;
    let mut subscription = subscribe(&bus, &[topic(Service::Night, 0)], 1).await;
    expect_quiet(&mut subscription).await;
}

/// What is dropped is gone, and only that, and only once.
pub async fn a_letter_can_be_dropped(ground: &dyn Ground) {
    let bus = ground.open().await;
    for id in ["1", "2", "3"] {
        bury(&bus, Service::Night, id, "no").await;
    }
    let id = bus.dead_letters(Service::Night).await.unwrap()[1].id;
    let anothers = bus.drop_letter(Service::Tally, id).await;
    assert_eq!(anothers, Err(BusError::UnknownLetter(Service::Tally, id)));
    bus.drop_letter(Service::Night, id).await.unwrap();
    let twice = bus.drop_letter(Service::Night, id).await;
    assert_eq!(twice, Err(BusError::UnknownLetter(Service::Night, id)));
    let back = bus.put_back(Service::Night, id).await;
    assert_eq!(back, Err(BusError::UnknownLetter(Service::Night, id)));
    let expected = [pair("1", "no"), pair("3", "no")];
    assert_eq!(listed(&bus, Service::Night).await, expected);
    let bus = ground.reopen(bus).await;
    assert_eq!(listed(&bus, Service::Night).await, expected);
}

/// Waiting messages and dead letters are counted, without touching them.
pub async fn what_waits_is_counted(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    count(&bus, to, 0, 0).await;
    bury(&bus, Service::Night, "dead", "no").await;
    publish(&bus, to, &["1", "2", "3"]).await;
    count(&bus, to, 3, 1).await;
    let mut subscription = subscribe(&bus, &[to], 1).await;
    drain(&mut subscription, &["1", "2", "3"]).await;
    count(&bus, to, 0, 1).await;
}

/// A broker may take a moment to say so.
async fn count(bus: &Arc<dyn Bus>, to: Topic, waiting: u64, letters: u64) {
    let until = Instant::now() + SOON;
    loop {
        let counted = (
            bus.waiting(to).await.unwrap(),
            bus.count_letters(to.service).await.unwrap(),
        );
        if counted == (waiting, letters) {
            return;
        }
        assert!(Instant::now() < until, "counted {counted:?}");
        tokio::time::sleep(QUIET).await;
    }
}

/// Whoever had it in hand and went away is counted; trying again is not.
pub async fn a_delivery_says_how_often_it_came_back_and_how_old_it_is(ground: &dyn Ground) {
    let bus = ground.open().await;
    let to = topic(Service::Night, 0);
    let before = SystemTime::now() - Duration::from_secs(1);
    publish(&bus, to, &["1"]).await;
    for deaths in 0..3 {
        let mut subscription = subscribe(&bus, &[to], 1).await;
        let delivery = expect(&mut subscription, "1").await;
        assert_eq!((delivery.returned, delivery.attempt), (deaths, 1));
        let published = delivery.published.unwrap();
        assert!((before..=SystemTime::now()).contains(&published));
        settle(&mut subscription, &delivery, Settle::Wait(Duration::ZERO)).await;
        let again = expect(&mut subscription, "1").await;
        assert_eq!((again.returned, again.attempt), (deaths, 1));
        assert_eq!(again.published, Some(published));
        drop(subscription);
    }
}
