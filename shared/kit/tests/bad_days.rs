//! Broker and store that are not there, or full: it is said once, in words, and all goes on by
//! itself.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bus::amqp::{AmqpBus, Settings};
use common::{Desk, NightDiary, Note, TallyDiary, id};
use kit::testing::{DEADLINE, wait_for};
use kit::{Config, NoHooks, Parts, TimeSource, Writer, serve};
use protocol::Service;
use servers::proxy::Proxy;
use servers::rabbit::{RabbitServer, VHOST, url_at};
use servers::redis::{RedisServer, RedisStarter};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Keys in many shards.
const KEYS: usize = 30;
/// For so long it is looked whether somebody complains again and again.
const LOOKS: u32 = 30;
const LOOK: Duration = Duration::from_millis(100);
/// The most lines that say the same in one trouble: each of two connections, or services, tells a
/// reason once, and a network that cuts connections gives a few reasons (ended, reset, refused).
const MOST: usize = 8;

/// What was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn start() -> Self {
        let log = Self::default();
        let writer = log.clone();
        tracing_subscriber::fmt()
            .json()
            .with_max_level(tracing::Level::INFO)
            .with_writer(move || writer.clone())
            .init();
        log
    }

    /// What was said since the last look.
    fn take(&self) -> Said {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        let text = String::from_utf8(bytes).unwrap();
        let lines = text.lines().filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            // lapin has its own opinion of connections that end; the product does not listen to it.
            let ours = !line["target"].as_str()?.starts_with("lapin");
            ours.then_some(line)
        });
        Said(lines.collect())
    }
}

struct Said(Vec<serde_json::Value>);

impl Said {
    /// How often something was complained of.
    fn complaints(&self) -> BTreeMap<String, usize> {
        let mut count = BTreeMap::new();
        for line in &self.0 {
            if ["WARN", "ERROR"].contains(&line["level"].as_str().unwrap()) {
                let what = line["fields"]["message"].as_str().unwrap().to_owned();
                *count.entry(what).or_default() += 1;
            }
        }
        count
    }

    #[track_caller]
    fn assert_brief(&self, about: &[&str]) {
        let complaints = self.complaints();
        for what in about {
            let found = complaints.keys().any(|said| said.contains(what));
            assert!(found, "{what:?} was not said, but {complaints:?}");
        }
        for (what, times) in &complaints {
            assert!(*times <= MOST, "{what:?} was said {times} times");
        }
    }

    #[track_caller]
    fn has(&self, part: &str) -> bool {
        self.0.iter().any(|line| line.to_string().contains(part))
    }
}

/// A service that sends and one that takes, behind networks of their own.
struct Site {
    rabbit: RabbitServer,
    redis: RedisServer,
    to_bus: Proxy,
    to_store: Proxy,
    parts: Parts,
    night: Writer<NightDiary>,
    tally: Writer<TallyDiary>,
    running: Vec<JoinHandle<anyhow::Result<()>>>,
    sent: usize,
    log: Log,
}

impl Site {
    /// Begins while neither broker nor store can be reached.
    async fn start() -> Self {
        let log = Log::start();
        let rabbit = RabbitServer::start().await.unwrap();
        let redis = RedisStarter::default().on_port().start().await.unwrap();
        let to_bus = Proxy::start(rabbit.port()).await.unwrap();
        let to_store = Proxy::start(redis.port().unwrap()).await.unwrap();
        to_bus.refuse();
        to_store.refuse();
        let settings = Settings {
            spread: Duration::ZERO,
            confirm: Duration::from_secs(2),
            ..Settings::default()
        };
        let store = format!("redis://127.0.0.1:{}", to_store.port());
        let parts = Parts::new(
            Config::default(),
            store::open(&store).await.unwrap(),
            Arc::new(AmqpBus::open(&url_at(to_bus.port(), VHOST), settings).unwrap()),
            TimeSource::system(),
            CancellationToken::new(),
        );
        let night: Writer<NightDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
        let tally: Writer<TallyDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
        let running = vec![
            tokio::spawn(serve(night.clone(), NoHooks)),
            tokio::spawn(serve(tally.clone(), NoHooks)),
        ];
        Self {
            rabbit,
            redis,
            to_bus,
            to_store,
            parts,
            night,
            tally,
            running,
            sent: 0,
            log,
        }
    }

    /// Has a line sent from each key of tally's to the same of night's, as often as it takes.
    fn send(&mut self) -> JoinHandle<()> {
        let (tally, nth) = (self.tally.clone(), self.sent);
        self.sent += 1;
        tokio::spawn(async move {
            for key in keys() {
                let note = Note::Pass {
                    to: Service::Night,
                    key: key.clone(),
                    text: nth.to_string(),
                };
                let name = id(&format!("note {nth}"));
                wait_for("the store to take a step", 3 * DEADLINE, || async {
                    let (name, note) = (name.clone(), note.clone());
                    tally.handle(&key, name, "t", note).await.ok()
                })
                .await;
            }
        })
    }

    /// All that was sent has arrived, once and in order, and all is well.
    async fn arrives(&self) {
        let expected: Vec<_> = (0..self.sent).map(|nth| nth.to_string()).collect();
        for key in keys() {
            wait_for("all to arrive", 3 * DEADLINE, || async {
                let read = self.night.read(&key, |diary| diary.lines.clone()).await;
                (read.ok()? == expected).then_some(())
            })
            .await;
        }
        wait_for("all to be well", DEADLINE, || async {
            let report = self.parts.health.report().await;
            report.values().all(Result::is_ok).then_some(())
        })
        .await;
    }

    /// What readiness says, when it says these words.
    async fn is_ill(&self, check: &str, words: &str) {
        wait_for(words, DEADLINE, || async {
            let why = self.parts.health.report().await.remove(check)?.err()?;
            why.contains(words).then_some(())
        })
        .await;
    }

    /// Looks for a while, and it does not become well.
    async fn stays_ill(&self, check: &str) {
        for look in 0..LOOKS {
            let report = self.parts.health.report().await;
            assert!(report[check].is_err(), "{check} is well at look {look}");
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn keys() -> impl Iterator<Item = String> {
    (0..KEYS).map(|n| format!("7-{n}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn trouble_is_told_once_and_passes() {
    let mut site = Site::start().await;

    // Not there at start.
    let sending = site.send();
    let (bus, store) = (site.to_bus.port(), site.to_store.port());
    site.is_ill("bus", &format!("127.0.0.1:{bus}")).await;
    site.is_ill("store", &format!("127.0.0.1:{store}")).await;
    site.stays_ill("bus").await;
    let said = site.log.take();
    said.assert_brief(&["no connection to the broker", "waiting for the store"]);
    site.to_bus.mend();
    site.to_store.mend();
    sending.await.unwrap();
    site.arrives().await;
    let said = site.log.take();
    assert!(said.has("connected to the broker") && said.has("the store is there"));

    // Gone for a while.
    site.to_bus.refuse();
    site.to_store.refuse();
    site.is_ill("store", &format!("127.0.0.1:{store}")).await;
    site.is_ill("bus", &format!("127.0.0.1:{bus}")).await;
    let sending = site.send();
    site.stays_ill("bus").await;
    site.to_store.mend();
    sending.await.unwrap();
    // The outboxes have something to move now, and nowhere to move it.
    wait_for("outboxes to be stuck", DEADLINE, || async {
        let health = site.parts.health.report().await.remove("tally outbox")?;
        health.err()
    })
    .await;
    site.stays_ill("bus").await;
    // Which of the two an outbox was stuck at first is a matter of milliseconds.
    site.log
        .take()
        .assert_brief(&["no connection to the broker", "the outbox is stuck"]);
    assert!(!site.parts.bus.condition().connected);
    site.to_bus.mend();
    site.arrives().await;
    let condition = site.parts.bus.condition();
    assert!(
        condition.connected && condition.reconnects >= 2,
        "{condition:?}"
    );
    assert!(site.parts.store.condition().reconnects >= 1);
    assert!(site.log.take().has("all outboxes move again"));

    // The broker is full.
    let alarm = ["set_vm_memory_high_watermark", "absolute", "1"];
    site.rabbit.ctl(&alarm).await.unwrap();
    site.send().await.unwrap();
    site.is_ill("bus", "memory").await;
    assert!(site.parts.bus.condition().blocked);
    site.stays_ill("bus").await;
    site.log
        .take()
        .assert_brief(&["the broker takes no messages"]);
    let enough = ["set_vm_memory_high_watermark", "absolute", "512MB"];
    site.rabbit.ctl(&enough).await.unwrap();
    site.arrives().await;
    assert!(!site.parts.bus.condition().blocked);
    assert!(site.log.take().has("the broker takes messages again"));

    // The store is full.
    site.redis
        .cli(&["config", "set", "maxmemory", "1"])
        .await
        .unwrap();
    site.is_ill("store", "out of memory").await;
    let sending = site.send();
    site.stays_ill("store").await;
    let said = site.log.take();
    said.assert_brief(&[]);
    site.redis
        .cli(&["config", "set", "maxmemory", "0"])
        .await
        .unwrap();
    sending.await.unwrap();
    site.arrives().await;

    site.parts.shutdown.cancel();
    for service in site.running {
        service.await.unwrap().unwrap();
    }
}
