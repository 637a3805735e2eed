//! Relays, lanes and two instances on a bus over RabbitMQ whose connections are cut.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use bus::amqp::{AmqpBus, Settings};
use common::{Desk, NightDiary, Note, TallyDiary, id, lines};
use kit::config::Config;
use kit::testing::{DEADLINE, TestParts, wait_for};
use kit::{NoHooks, Parts, TimeSource, Writer, serve};
use protocol::Service;
use servers::proxy::Proxy;
use servers::rabbit::{RabbitServer, VHOST, url_at};
use tokio_util::sync::CancellationToken;

const COUNT: usize = 600;
/// Others of the same shard, which are handled beside the first.
const KEYS: usize = 3;

/// One process of a service, with a network of its own.
struct Instance {
    parts: Parts,
    proxy: Proxy,
    night: Writer<NightDiary>,
}

impl Instance {
    async fn start(server: &RabbitServer, store: &Arc<dyn store::Store>) -> Self {
        let proxy = Proxy::start(server.port()).await.unwrap();
        let settings = Settings {
            confirm: Duration::from_secs(2),
            ..Settings::default()
        };
        let bus = AmqpBus::open(&url_at(proxy.port(), VHOST), settings).unwrap();
        let parts = Parts::new(
            Config::default(),
            Arc::clone(store),
            Arc::new(bus),
            TimeSource::system(),
            CancellationToken::new(),
        );
        let night: Writer<NightDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
        let tally: Writer<TallyDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
        tokio::spawn(serve(night.clone(), NoHooks));
        tokio::spawn(serve(tally, NoHooks));
        let bus = Arc::clone(&parts.bus);
        wait_for("the bus to be well", DEADLINE, || async {
            bus.health().await.ok()
        })
        .await;
        Self {
            parts,
            proxy,
            night,
        }
    }
}

fn key(n: usize) -> String {
    format!("7-{}", n % KEYS)
}

/// What one aggregate sends arrives at others once and in order, while the network of both
/// instances is cut, stalls and is away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_arrive_once_and_in_order_whatever_the_network_does() {
    let server = RabbitServer::start().await.unwrap();
    let embedded = TestParts::new().await;
    let instances = [
        Instance::start(&server, &embedded.store).await,
        Instance::start(&server, &embedded.store).await,
    ];
    let night = instances[0].night.clone();
    let sending = tokio::spawn(async move {
        for n in 0..COUNT {
            let pass = Note::Pass {
                to: Service::Tally,
                key: key(n),
                text: n.to_string(),
            };
            let name = id(&n.to_string());
            night.handle("7-9", name, "a test", pass).await.unwrap();
            if n % 10 == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let mut weather = 0_usize;
    while !sending.is_finished() {
        let proxy = &instances[weather % 2].proxy;
        match weather % 10 {
            6 => proxy.refuse(),
            8 | 9 => proxy.mend(),
            _ => proxy.cut(),
        }
        weather += 1;
        tokio::time::sleep(Duration::from_millis(90)).await;
    }
    sending.await.unwrap();
    for instance in &instances {
        instance.proxy.mend();
    }
    for nth in 0..KEYS {
        let expected: Vec<_> = (nth..COUNT).step_by(KEYS).map(|n| n.to_string()).collect();
        let arrived = wait_for("all to arrive", DEADLINE, || async {
            // Each writer has a memory of its own; a fresh one sees what is in the store.
            let parts = instances[0].parts.clone();
            let tally: Writer<TallyDiary> = Writer::new(parts, Arc::new(Desk::default()));
            let arrived = lines(&tally, &key(nth)).await;
            (arrived.len() >= expected.len()).then_some(arrived)
        })
        .await;
        assert_eq!(arrived, expected);
    }
    for instance in &instances {
        instance.parts.shutdown.cancel();
    }
}
