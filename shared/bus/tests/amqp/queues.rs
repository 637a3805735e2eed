//! What there is at the broker, and what the broker does with it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bus::amqp::{AmqpBus, Settings};
use bus::conformance::Ground;
use bus::{Bus, Outgoing, Settle};
use futures::FutureExt;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Connection, ConnectionProperties};
use protocol::{Service, Shard, Topic};
use servers::DEADLINE;
use servers::rabbit::VHOST;

use crate::ground::{Vhost, broker, message, next, open, settings, topic, well};
use crate::sender::{Seen, Sender, listen};

/// The queues of a virtual host and the policies that they have.
async fn queues(vhost: &str) -> BTreeMap<String, String> {
    let list = [
        "list_queues",
        "-p",
        vhost,
        "--no-table-headers",
        "name",
        "type",
        "policy",
    ];
    let text = broker().await.ctl(&list).await.expect("a list");
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    lines
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

/// A broker that has loaded `deploy/rabbitmq/definitions.json` has all that we use, as we use
/// it, and its policies fit.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_definitions_are_what_we_use() {
    let before = queues(VHOST).await;
    let bus = open(&broker().await.url(VHOST));
    well(&bus).await;
    for service in Service::ALL {
        let topics: Vec<_> = Shard::all().map(|shard| Topic { service, shard }).collect();
        let mut subscription = bus.subscribe(topics.clone(), 4).await.expect("listening");
        let sent = topics
            .iter()
            .map(|to| Outgoing::first(message(*to, "1")))
            .collect();
        for receipt in bus.publish(sent).await.expect("taken") {
            receipt.await.expect("declared as it is there, or 406");
        }
        for nth in 0..topics.len() {
            let delivery = next(&mut subscription).await;
            let how = match nth {
                0 => Settle::Dead("a test".to_owned()),
                _ => Settle::Ack,
            };
            subscription
                .settle(delivery.tag, how)
                .await
                .expect("unsettled");
        }
        let letters = bus.dead_letters(service).await.expect("a list");
        assert_eq!(letters.len(), 1);
        let policy = format!("quorum\tduskgate-{service}");
        for topic in topics {
            assert_eq!(before[&topic.to_string()], policy);
        }
        assert_eq!(
            before[&format!("duskgate.dead.{service}")],
            "quorum\tduskgate-dead"
        );
    }
    let after = queues(VHOST).await;
    assert_eq!(after, before, "nothing had to be made");
}

/// A message that takes its consumer down every time is given up by the broker, with a reason,
/// and its queue moves on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_that_kills_its_consumer_is_given_up() {
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Night, 0);
    for id in ["poison", "good"] {
        let sent = vec![Outgoing::first(message(to, id))];
        bus.publish(sent).await.expect("taken");
    }
    let mut deaths = 0;
    loop {
        let mut subscription = bus.subscribe(vec![to], 1).await.expect("listening");
        let delivery = next(&mut subscription).await;
        if delivery.message.id.0 == "good" {
            assert_eq!(delivery.attempt, 1);
            subscription
                .settle(delivery.tag, Settle::Ack)
                .await
                .expect("unsettled");
            break;
        }
        assert_eq!(
            (delivery.attempt, delivery.returned, delivery.redelivered),
            (1, deaths, deaths > 0)
        );
        deaths += 1;
    }
    assert_eq!(
        deaths, 101,
        "the first time, and as often again as the policy says"
    );
    let letters = bus.dead_letters(Service::Night).await.expect("a list");
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].message, message(to, "poison"));
    assert!(
        letters[0].reason.contains("came back too often"),
        "{}",
        letters[0].reason
    );
    bus.put_back(Service::Night, letters[0].id)
        .await
        .expect("there");
    let mut subscription = bus.subscribe(vec![to], 1).await.expect("listening");
    let again = next(&mut subscription).await;
    assert_eq!((again.message, again.attempt), (message(to, "poison"), 1));
}

/// Many poisonous messages among good ones: all good ones are handled in order, all others are
/// among the dead letters with their reasons.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_fills_the_dead_letters_while_the_queue_moves_on() {
    const COUNT: usize = 120;
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Tally, 3);
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    let sending = tokio::spawn(Sender::new(&bus, &[to]).send(COUNT));
    let mut good = Vec::new();
    while good.len() < COUNT - COUNT / 3 {
        let delivery = next(&mut subscription).await;
        let n: usize = delivery.message.id.0.parse().expect("a number");
        let how = match n % 6 {
            0 => Settle::Dead(format!("reason {n}")),
            3 => Settle::Retry(Duration::ZERO),
            _ => {
                good.push(n);
                Settle::Ack
            }
        };
        subscription
            .settle(delivery.tag, how)
            .await
            .expect("unsettled");
    }
    sending.await.expect("sent");
    assert!(good.is_sorted(), "{good:?}");
    let letters = bus.dead_letters(Service::Tally).await.expect("a list");
    let listed: Vec<_> = letters
        .iter()
        .map(|letter| {
            (
                letter.message.id.0.parse().expect("a number"),
                &*letter.reason,
            )
        })
        .collect();
    let expected: Vec<(usize, String)> = (0..COUNT)
        .step_by(3)
        .map(|n| match n % 6 {
            0 => (n, format!("reason {n}")),
            _ => (n, "not handled in 5 tries".to_owned()),
        })
        .collect();
    let expected: Vec<_> = expected.iter().map(|(n, reason)| (*n, &**reason)).collect();
    let mut by_number = listed.clone();
    by_number.sort_unstable();
    assert_eq!(by_number, expected);
    // A message that was tried several times dies later than one that was given up at once.
    let mut ids: Vec<_> = letters.iter().map(|letter| letter.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), COUNT / 3);
}

/// Consumers come and go under load, with messages in hand and others behind them: each takeover
/// begins with what was in hand.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn takeovers_keep_the_order() {
    const TAKEOVERS: usize = 80;
    const EACH: usize = 12;
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Night, 0);
    let listen_again = || bus.subscribe(vec![to], 8);
    let mut active = listen_again().await.expect("listening");
    let sending = tokio::spawn(Sender::new(&bus, &[to]).send((TAKEOVERS + 1) * EACH));
    let mut seen = Seen::default();
    for takeover in 1..=TAKEOVERS {
        listen(&mut active, &mut seen, takeover * EACH).await;
        // In hand, and never settled.
        next(&mut active).await;
        let standby = listen_again().await.expect("listening");
        drop(std::mem::replace(&mut active, standby));
    }
    listen(&mut active, &mut seen, (TAKEOVERS + 1) * EACH).await;
    seen.check((TAKEOVERS + 1) * EACH);
    sending.await.expect("sent");
}

/// What waits for long is given back to the broker before it asks, and comes again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_held_for_too_long() {
    let vhost = Vhost::new().await;
    let short = Settings {
        hold: Duration::from_millis(300),
        ..settings()
    };
    let bus: Arc<dyn Bus> = Arc::new(AmqpBus::open(&vhost.url(), short).expect("an address"));
    let to = topic(Service::Night, 0);
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    Sender::new(&bus, &[to]).send(3).await;
    let first = next(&mut subscription).await;
    let hour = Settle::Wait(Duration::from_secs(3_600));
    subscription
        .settle(first.tag, hour)
        .await
        .expect("unsettled");
    let again = next(&mut subscription).await;
    assert_eq!((&again.message, again.returned), (&first.message, 1));
    assert!(subscription.void_below() > first.tag);
    subscription
        .settle(again.tag, Settle::Ack)
        .await
        .expect("unsettled");
    let mut seen = Seen::default();
    listen(&mut subscription, &mut seen, 2).await;
    assert_eq!(seen.numbers[&to], [1, 2]);
}

/// What is none of our messages is put aside and shown.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_cannot_be_read_is_put_aside() {
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Clock, 1);
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    let properties = ConnectionProperties::default();
    let stranger = Connection::connect(&vhost.url(), properties)
        .await
        .expect("connected");
    let channel = stranger.create_channel().await.expect("a channel");
    channel
        .confirm_select(ConfirmSelectOptions::default())
        .await
        .expect("confirms");
    channel
        .basic_publish(
            "duskgate".into(),
            "clock.01".into(),
            BasicPublishOptions::default(),
            b"hello?",
            BasicProperties::default(),
        )
        .await
        .expect("published")
        .await
        .expect("confirmed");
    bus.publish(vec![Outgoing::first(message(to, "1"))])
        .await
        .expect("taken");
    let delivery = next(&mut subscription).await;
    assert_eq!(delivery.message, message(to, "1"));
    let letter = servers::wait_for("the letter", DEADLINE, async || {
        bus.dead_letters(Service::Clock)
            .await
            .expect("a list")
            .pop()
    })
    .await;
    assert_eq!(
        (&*letter.message.body, letter.message.to.service),
        ("hello?", Service::Clock)
    );
    assert!(letter.reason.contains("format"), "{}", letter.reason);
}

/// Somebody deletes a queue while it is used: it is made again, and what is published then
/// arrives.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_that_is_gone_is_made_again() {
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Night, 2);
    let mut subscription = bus.subscribe(vec![to], 8).await.expect("listening");
    let mut seen = Seen::default();
    Sender::new(&bus, &[to]).send(20).await;
    listen(&mut subscription, &mut seen, 20).await;
    let delete = ["delete_queue", "-p", &vhost.name, "duskgate.night.02"];
    broker().await.ctl(&delete).await.expect("deleted");
    let sender = Sender::new(&bus, &[to]).send(50).await;
    assert!(sender.failures > 0, "it was told that there was no queue");
    listen(&mut subscription, &mut seen, 50).await;
    seen.check(50);
}

/// Two instances that start together share the queues; when one goes, the other has them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instances_share_the_queues_and_take_over() {
    let vhost = Vhost::new().await;
    let topics: Vec<_> = (0..16).map(|n| topic(Service::Night, n)).collect();
    let spread = Settings {
        spread: Duration::from_millis(1_500),
        ..settings()
    };
    let mut instances = Vec::new();
    for _ in 0..2 {
        let bus: Arc<dyn Bus> = Arc::new(AmqpBus::open(&vhost.url(), spread).expect("an address"));
        instances.push(bus);
    }
    for bus in &instances {
        well(bus).await;
    }
    let both = instances.iter().map(|bus| bus.subscribe(topics.clone(), 4));
    let mut subscriptions: Vec<_> = futures::future::join_all(both)
        .await
        .into_iter()
        .map(|subscription| subscription.expect("listening"))
        .collect();
    let sender = Sender::new(&instances[0], &topics).send(16).await;
    let mut shares = [Vec::new(), Vec::new()];
    while shares[0].len() + shares[1].len() < 16 {
        for (share, subscription) in shares.iter_mut().zip(&mut subscriptions) {
            if let Some(delivery) = subscription.next().now_or_never() {
                let delivery = delivery.expect("the bus goes on");
                subscription
                    .settle(delivery.tag, Settle::Ack)
                    .await
                    .expect("unsettled");
                share.push(delivery.message.to);
            }
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(sender.failures, 0);
    let counts = [shares[0].len(), shares[1].len()];
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    drop(subscriptions.remove(0));
    Sender::new(&instances[1], &topics).send(16).await;
    let mut seen = Seen::default();
    listen(&mut subscriptions[0], &mut seen, 16).await;
    assert_eq!(seen.numbers.len(), 16);
}
