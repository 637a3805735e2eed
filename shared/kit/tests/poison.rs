//! A message that ends its process each time it is handled.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

mod common;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bus::Bus;
use bus::amqp::{AmqpBus, Settings};
use bus::local::LocalBus;
use common::{Desk, NightDiary, Note, TallyDiary, beside, id, lines, write};
use kit::testing::wait_for;
use kit::{Config, Hooks, NoHooks, Parts, TimeSource, Writer, serve};
use protocol::{Message, Service};
use servers::rabbit::{RabbitServer, VHOST};
use store::sqlite::SqliteStore;
use tokio_util::sync::CancellationToken;

/// Tell the child where to work; without them the child's test does nothing.
const FOLDER: &str = "DUSKGATE_TEST_POISON_FOLDER";
const BUS: &str = "DUSKGATE_TEST_POISON_BUS";
const GAME: &str = "7-1";
/// Others, some of them in the game's own queue.
const OTHERS: usize = 40;
/// The child may take so long.
const PATIENCE: Duration = Duration::from_secs(40);

/// Writes down what was skipped, as a real game does.
struct Skips(Writer<NightDiary>);

#[async_trait]
impl Hooks<NightDiary> for Skips {
    fn holds_up(&self, _: &Message) -> bool {
        true
    }

    async fn on_dead(&self, message: &Message, _: &str) {
        let name = id(&format!("skipped/{}", message.id));
        let skipped = self.0.handle(&message.key, name, "t", write("skipped"));
        skipped.await.unwrap();
    }
}

fn others() -> Vec<String> {
    let beside = beside(GAME);
    let many = (100..100 + OTHERS).map(|n| format!("7-{n}"));
    many.chain([beside]).collect()
}

/// Has a poisoned message and innocent ones sent, and waits until all is dealt with.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the other half of the tests below, which start it in a process of its own"]
async fn child() {
    let (Ok(folder), Ok(url)) = (std::env::var(FOLDER), std::env::var(BUS)) else {
        return;
    };
    let folder = Path::new(&folder);
    let bus: Arc<dyn Bus> = if url == "local" {
        Arc::new(LocalBus::open(folder).unwrap())
    } else {
        let settings = Settings {
            spread: Duration::ZERO,
            ..Settings::default()
        };
        Arc::new(AmqpBus::open(&url, settings).unwrap())
    };
    let parts = Parts::new(
        Config::default(),
        Arc::new(SqliteStore::open(folder).unwrap()),
        Arc::clone(&bus),
        TimeSource::system(),
        CancellationToken::new(),
    );
    let night: Writer<NightDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
    let tally: Writer<TallyDiary> = Writer::new(parts.clone(), Arc::new(Desk::default()));
    let to = Service::Night;
    let pass = |key: &str, text: &str| Note::Pass {
        to,
        key: key.to_owned(),
        text: text.to_owned(),
    };
    let others = others();
    let mut notes = vec![pass(GAME, "before")];
    notes.extend(others.iter().take(OTHERS / 2).map(|key| pass(key, "one")));
    notes.push(Note::Curse {
        to,
        key: GAME.to_owned(),
    });
    notes.push(pass(GAME, "behind"));
    notes.extend(others.iter().map(|key| pass(key, "two")));
    for (n, note) in notes.into_iter().enumerate() {
        // The sender is in the game's shard; who has sent already sends nothing again.
        let name = id(&format!("note {n}"));
        tally.handle(GAME, name, "t", note).await.unwrap();
    }
    let services = [
        tokio::spawn(serve(night.clone(), Skips(night.clone()))),
        tokio::spawn(serve(tally.clone(), NoHooks)),
    ];
    wait_for("the game to go on", PATIENCE, || async {
        let lines = lines(&night, GAME).await;
        (lines == ["before", "skipped", "behind"]).then_some(())
    })
    .await;
    for (n, key) in others.iter().enumerate() {
        let expected: &[&str] = if n < OTHERS / 2 {
            &["one", "two"]
        } else {
            &["two"]
        };
        wait_for("the others to have all of theirs", PATIENCE, || async {
            (lines(&night, key).await == expected).then_some(())
        })
        .await;
    }
    let letters = bus.dead_letters(Service::Night).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].message.key, GAME);
    assert!(letters[0].reason.contains("processes"), "{letters:?}");
    let stuck = r#"duskgate_stuck_games{service="night"} 1"#;
    wait_for("the game to show as stuck", PATIENCE, || async {
        parts.metrics.render().contains(stuck).then_some(())
    })
    .await;
    parts.shutdown.cancel();
    for service in services {
        service.await.unwrap().unwrap();
    }
}

/// Starts the child again and again until it lives; answers how often it died.
async fn deaths(folder: &Path, bus: &str) -> u32 {
    for deaths in 0..=8 {
        let mut child = Command::new(std::env::current_exe().unwrap());
        child
            .args(["--exact", "child", "--ignored", "--test-threads=1"])
            .args(["--nocapture"])
            .env(FOLDER, folder)
            .env(BUS, bus)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let ended = tokio::task::spawn_blocking(move || child.output());
        let output = ended.await.unwrap().unwrap();
        if output.status.success() {
            return deaths;
        }
        // A failed test ends with a code, an aborted process with a signal.
        assert!(
            output.status.code().is_none(),
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    panic!("the message kills on and on");
}

/// It is given up after a few deaths, its game goes on and is shown as stuck, and nothing innocent
/// is given up with it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn within_one_process_poison_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let deaths = deaths(folder.path(), "local").await;
    assert!((3..=4).contains(&deaths), "{deaths} deaths");
}

/// The same over a broker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_a_broker_poison_is_given_up() {
    let server = RabbitServer::start().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let deaths = deaths(folder.path(), &server.url(VHOST)).await;
    assert!((3..=6).contains(&deaths), "{deaths} deaths");
}
