//! A broker that dies, is full, or does not let us in. These have a broker of their own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bus::{Bus, BusError, Outgoing, Settle};
use protocol::Service;
use servers::rabbit::{RabbitServer, VHOST};

use crate::ground::{Vhost, broker, ill, message, next, open, topic, well};
use crate::sender::{Seen, Sender, listen, reaches};

/// Killed under load (`kill -9`) and started again; then it closes all connections: nothing that
/// was confirmed is lost, nothing overtakes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_killed_loses_nothing_that_it_confirmed() {
    const COUNT: usize = 12_000;
    let mut server = RabbitServer::start().await.expect("a broker");
    // A broker that dies within three seconds after a queue was made may forget the queue, with
    // what it has confirmed (seen with 3.10.8): the names of queues are written late.
    let sync = server.ctl(&["eval", "[ok = dets:sync(T) || T <- dets:all()]."]);
    sync.await.expect("written");
    let bus = open(&server.url(VHOST));
    well(&bus).await;
    let topics: Vec<_> = (0..4).map(|n| topic(Service::Night, n)).collect();
    let mut subscription = bus.subscribe(topics.clone(), 32).await.expect("listening");
    let sender = Sender::new(&bus, &topics);
    let answered = Arc::clone(&sender.answered);
    let sending = tokio::spawn(sender.send(COUNT));
    let listening = tokio::spawn(async move {
        let mut seen = Seen::default();
        listen(&mut subscription, &mut seen, COUNT).await;
        seen
    });
    reaches(&answered, COUNT / 10).await;
    server.kill().expect("killed");
    ill(&bus, "").await;
    server.start_again().await.expect("it comes back");
    well(&bus).await;
    reaches(&answered, COUNT / 2).await;
    // What a broker does that ends by itself, or whose operator tidies up.
    let close = ["close_all_connections", "-p", VHOST, "a test"];
    server.ctl(&close).await.expect("closed");
    let sender = sending.await.expect("sent");
    let seen = listening.await.expect("heard");
    seen.check(COUNT);
    println!("{} failures, {} repeats", sender.failures, seen.repeats);
    full(&server, &bus).await;
}

/// A broker that is full says so; publishers hear of it in time; what they had handed over
/// arrives later, in order.
async fn full(server: &RabbitServer, bus: &Arc<dyn Bus>) {
    const COUNT: usize = 200;
    let to = topic(Service::Tally, 0);
    let mut subscription = bus.subscribe(vec![to], 32).await.expect("listening");
    server
        .ctl(&["set_vm_memory_high_watermark", "absolute", "1"])
        .await
        .expect("an alarm");
    let sending = tokio::spawn(Sender::new(bus, &[to]).send(COUNT));
    let why = ill(bus, "takes no messages").await;
    assert!(why.contains("memory"), "{why}");
    let refused = bus.publish(vec![Outgoing::first(message(to, "0"))]).await;
    assert!(matches!(refused.err(), Some(BusError::Unavailable(_))));
    let began = Instant::now();
    let refused = bus.publish_transient(vec![message(to, "0")]).await;
    assert!(refused.is_err() && began.elapsed() < Duration::from_secs(1));
    server
        .ctl(&["set_vm_memory_high_watermark", "absolute", "512MB"])
        .await
        .expect("no alarm");
    well(bus).await;
    let mut seen = Seen::default();
    listen(&mut subscription, &mut seen, COUNT).await;
    seen.check(COUNT);
    sending.await.expect("sent");
}

/// A broker that refuses the password, and one without our virtual host: it is said, without the
/// password, and when the operator mends it, we come in.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_does_not_let_us_in_is_asked_again() {
    let vhost = Vhost::new().await;
    let server = broker().await;
    server
        .ctl(&["add_user", "late", "another"])
        .await
        .expect("a user");
    let url = format!(
        "amqp://late:hush@127.0.0.1:{}/{}",
        server.port(),
        vhost.name
    );
    let bus = open(&url);
    let why = ill(&bus, "refuses user \"late\", or its password").await;
    assert!(!why.contains("hush"), "{why}");
    server
        .ctl(&["change_password", "late", "hush"])
        .await
        .expect("changed");
    let why = ill(&bus, "none for user \"late\"").await;
    assert!(why.contains(&vhost.name), "{why}");
    // As deploy/rabbitmq/rabbitmq.conf tells operators to do it.
    let ours = "^duskgate";
    let permit = [
        "set_permissions",
        "-p",
        &vhost.name,
        "late",
        ours,
        ours,
        ours,
    ];
    server.ctl(&permit).await.expect("permitted");
    well(&bus).await;
    let to = topic(Service::Night, 0);
    Sender::new(&bus, &[to]).send(1).await;
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    let delivery = next(&mut subscription).await;
    let dead = Settle::Dead("a test".to_owned());
    let settled = subscription.settle(delivery.tag, dead).await;
    settled.expect("it may do all that it needs");
    let letters = bus.dead_letters(Service::Night).await.expect("that, too");
    bus.put_back(Service::Night, letters[0].id)
        .await
        .expect("and that");
}
