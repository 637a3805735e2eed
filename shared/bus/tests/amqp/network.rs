//! A network that misbehaves: nothing is lost, and order is kept.

use std::sync::Arc;
use std::time::Duration;

use bus::{BusError, Outgoing, Settle};
use protocol::Service;
use servers::proxy::Proxy;
use servers::rabbit::url_at;

use crate::ground::{Vhost, ill, message, next, open, topic, well};
use crate::sender::{Seen, Sender, listen, reaches};

/// A bus on a virtual host of its own, behind a proxy.
async fn behind() -> (Arc<dyn bus::Bus>, Proxy, Vhost) {
    let vhost = Vhost::new().await;
    let proxy = Proxy::start(vhost.server.port()).await.expect("a proxy");
    let bus = open(&url_at(proxy.port(), &vhost.name));
    well(&bus).await;
    (bus, proxy, vhost)
}

/// Connections are cut again and again under load, at both sides at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cut_connections_lose_nothing_and_keep_the_order() {
    const CUTS: usize = 7;
    const COUNT: usize = 600 * (CUTS + 1);
    let (bus, proxy, _vhost) = behind().await;
    let topics = [topic(Service::Night, 0), topic(Service::Night, 1)];
    let mut subscription = bus.subscribe(topics.to_vec(), 32).await.expect("listening");
    let sender = Sender::new(&bus, &topics);
    let answered = Arc::clone(&sender.answered);
    let sending = tokio::spawn(sender.send(COUNT));
    let cutting = tokio::spawn(async move {
        for cut in 1..=CUTS {
            reaches(&answered, cut * COUNT / (CUTS + 1)).await;
            proxy.cut();
        }
        proxy
    });
    let mut seen = Seen::default();
    listen(&mut subscription, &mut seen, COUNT).await;
    seen.check(COUNT);
    let sender = sending.await.expect("sent");
    cutting.await.expect("cut");
    assert!(sender.failures > 0);
    println!("{} failures, {} repeats", sender.failures, seen.repeats);
}

/// A network that stalls: whoever publishes hears of it in time, health tells, and afterwards
/// everything arrives in order, though the stalled copies arrive, too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_network_is_noticed_and_keeps_the_order() {
    const COUNT: usize = 400;
    let (bus, proxy, _vhost) = behind().await;
    let topics = [topic(Service::Tally, 0), topic(Service::Tally, 1)];
    let mut subscription = bus.subscribe(topics.to_vec(), 32).await.expect("listening");
    Sender::new(&bus, &topics).send(2).await;
    let mut seen = Seen::default();
    listen(&mut subscription, &mut seen, 2).await;
    proxy.stall();
    let sending = tokio::spawn(Sender::new(&bus, &topics).send(COUNT));
    let why = ill(&bus, "a confirmation has not come").await;
    assert!(why.contains("unavailable"), "{why}");
    proxy.mend();
    listen(&mut subscription, &mut seen, COUNT).await;
    seen.check(COUNT);
    assert!(sending.await.expect("sent").failures > 0);
    well(&bus).await;
}

/// A slow network is no fault.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_network_is_only_slow() {
    const COUNT: usize = 300;
    let (bus, proxy, _vhost) = behind().await;
    let to = topic(Service::Night, 0);
    let mut subscription = bus.subscribe(vec![to], 32).await.expect("listening");
    proxy.delay(Duration::from_millis(40));
    let sending = tokio::spawn(Sender::new(&bus, &[to]).send(COUNT));
    let mut seen = Seen::default();
    listen(&mut subscription, &mut seen, COUNT).await;
    seen.check(COUNT);
    assert_eq!(
        (sending.await.expect("sent").failures, seen.repeats),
        (0, 0)
    );
}

/// A broker that is not there at the start, and later: services wait, say so, and come back by
/// themselves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_not_there_is_waited_for() {
    let vhost = Vhost::new().await;
    let proxy = Proxy::start(vhost.server.port()).await.expect("a proxy");
    proxy.refuse();
    let bus = open(&url_at(proxy.port(), &vhost.name));
    let to = topic(Service::Night, 0);
    let why = ill(&bus, &format!("127.0.0.1:{}/{}", proxy.port(), vhost.name)).await;
    assert!(!why.contains("dawn"), "no password: {why}");
    let refused = bus.publish(vec![Outgoing::first(message(to, "1"))]).await;
    assert!(matches!(refused.err(), Some(BusError::Unavailable(_))));
    let refused = bus.publish_transient(vec![message(to, "1")]).await;
    assert!(matches!(refused.err(), Some(BusError::Unavailable(_))));
    assert!(bus.dead_letters(Service::Night).await.is_err());

    // It subscribes when the broker comes.
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("it waits");
    proxy.mend();
    well(&bus).await;
    let mut seen = Seen::default();
    Sender::new(&bus, &[to]).send(5).await;
    listen(&mut subscription, &mut seen, 5).await;

    proxy.refuse();
    ill(&bus, "").await;
    proxy.mend();
    Sender::new(&bus, &[to]).send(9).await;
    listen(&mut subscription, &mut seen, 9).await;
    seen.check(9);
    well(&bus).await;
}

/// When a connection is lost, deliveries in hand are void, and come again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_of_a_lost_connection_are_void() {
    let (bus, proxy, _vhost) = behind().await;
    let to = topic(Service::Night, 0);
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    Sender::new(&bus, &[to]).send(3).await;
    let waits = next(&mut subscription).await;
    let pause = Duration::from_secs(3_600);
    let wait = subscription.settle(waits.tag, Settle::Wait(pause)).await;
    wait.expect("unsettled");
    let void_below = subscription.void_below();
    assert!(void_below <= waits.tag, "nothing is void");
    proxy.cut();
    let mut ids = Vec::new();
    while ids.len() < 3 {
        let delivery = next(&mut subscription).await;
        assert!(delivery.redelivered && delivery.tag >= subscription.void_below());
        let settled = subscription.settle(delivery.tag, Settle::Ack).await;
        settled.expect("unsettled");
        ids.push(delivery.message.id.0);
    }
    assert_eq!(ids, ["0", "1", "2"], "the pause went with the connection");
    assert!(subscription.void_below() > waits.tag);
    let void = subscription.settle(waits.tag, Settle::Ack).await;
    assert_eq!(void, Err(BusError::UnknownDelivery(waits.tag)));
}

/// Who has not heard yet that its messages failed cannot publish later ones: they would go
/// before those that failed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_overtakes_what_failed_unheard() {
    let (bus, proxy, _vhost) = behind().await;
    let (to, other) = (topic(Service::Night, 0), topic(Service::Night, 1));
    Sender::new(&bus, &[to, other]).send(2).await;
    let one = |to, id: &str| vec![Outgoing::first(message(to, id))];
    proxy.stall();
    let unheard = bus.publish(one(to, "first")).await.expect("taken");
    proxy.refuse();
    ill(&bus, "").await;
    proxy.mend();
    well(&bus).await;
    let early = bus.publish(one(to, "second")).await;
    assert!(matches!(early.err(), Some(BusError::Unavailable(_))));
    let early = bus.publish_transient(vec![message(to, "mark")]).await;
    assert!(early.is_ok(), "nobody listens, and it is lost");
    bus.publish(one(other, "other"))
        .await
        .expect("not its queue");
    for receipt in unheard {
        assert!(matches!(receipt.await, Err(BusError::Unavailable(_))));
    }
    for id in ["first", "second"] {
        for receipt in bus.publish(one(to, id)).await.expect("taken") {
            receipt.await.expect("confirmed");
        }
    }
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    for id in ["0", "first", "second"] {
        assert_eq!(next(&mut subscription).await.message.id.0, id);
    }
}

/// A second instance takes over when the first one's connection dies without a word, and order
/// is kept.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_instance_takes_over_from_one_that_is_cut_off() {
    const COUNT: usize = 500;
    let (first, proxy, vhost) = behind().await;
    let second = open(&vhost.url());
    well(&second).await;
    let to = topic(Service::Night, 0);
    let mut active = first.subscribe(vec![to], 32).await.expect("listening");
    let mut standby = second.subscribe(vec![to], 32).await.expect("listening");
    let sending = tokio::spawn(Sender::new(&second, &[to]).send(COUNT));
    let mut seen = Seen::default();
    listen(&mut active, &mut seen, 100).await;
    // In hand, and never settled.
    next(&mut active).await;
    proxy.refuse();
    listen(&mut standby, &mut seen, COUNT).await;
    seen.check(COUNT);
    sending.await.expect("sent");
    let mut void = async || active.next().await.map(|delivery| delivery.message.id.0);
    let nothing = tokio::time::timeout(Duration::from_millis(100), void()).await;
    assert!(nothing.is_err(), "{nothing:?}");
}
