//! How long a message takes, to be read by people: `cargo test -p bus --test amqp speed -- \
//! --ignored --nocapture --test-threads 1`.

use std::time::{Duration, Instant};

use bus::conformance::Ground;
use bus::{Outgoing, Settle};
use protocol::Service;

use crate::ground::{Vhost, message, next, topic};
use crate::sender::{Seen, Sender, listen};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn speed_of_one_at_a_time() {
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    let to = topic(Service::Night, 0);
    let mut subscription = bus.subscribe(vec![to], 32).await.expect("listening");
    let (mut consumed, mut confirmed) = (Vec::new(), Vec::new());
    for n in 0..2_000 {
        let began = Instant::now();
        let sent = vec![Outgoing::first(message(to, &n.to_string()))];
        let receipt = bus.publish(sent).await.expect("taken").remove(0);
        let confirm = async {
            receipt.await.expect("confirmed");
            confirmed.push(began.elapsed());
        };
        let consume = async {
            let delivery = next(&mut subscription).await;
            consumed.push(began.elapsed());
            delivery.tag
        };
        let ((), tag) = tokio::join!(confirm, consume);
        subscription
            .settle(tag, Settle::Ack)
            .await
            .expect("unsettled");
    }
    println!("publish to confirm: {}", spread(confirmed));
    println!("publish to consume: {}", spread(consumed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures"]
async fn speed_of_many_at_once() {
    const COUNT: usize = 40_000;
    let vhost = Vhost::new().await;
    let bus = vhost.open().await;
    for topics in [1, 16] {
        let topics: Vec<_> = (0..topics).map(|n| topic(Service::Night, n)).collect();
        let mut subscription = bus.subscribe(topics.clone(), 32).await.expect("listening");
        let began = Instant::now();
        let sending = tokio::spawn(Sender::new(&bus, &topics).send(COUNT));
        listen(&mut subscription, &mut Seen::default(), COUNT).await;
        sending.await.expect("sent");
        let rate = COUNT as u128 * 1_000_000 / began.elapsed().as_micros();
        println!("{} queues: {rate} messages a second", topics.len());
    }
}

fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part: usize| times[times.len() * part / 1_000];
    format!("p50 {:?}, p99 {:?}, p99.9 {:?}", at(500), at(990), at(999))
}
