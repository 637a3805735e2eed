//! Messages that were given up, from an operator's place: `duskgate letters`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bus::local::LocalBus;
use bus::{Bus, Outgoing, Settle};
use protocol::{Message, MessageId, Service, Shard, Topic};
use servers::rabbit::{RabbitServer, VHOST};

const PATIENCE: Duration = Duration::from_secs(40);
const KEY: &str = "7-1";

fn duskgate(folder: &Path, bus: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duskgate"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DUSKGATE_")) {
        command.env_remove(name);
    }
    command
        .env("DUSKGATE_STORE_URL", format!("file:{}", folder.display()))
        .env("DUSKGATE_BUS_URL", bus)
        .stdin(Stdio::null());
    command
}

/// What the tool prints; `Err`: what it complains of.
fn letters(folder: &Path, bus: &str, args: &[&str]) -> Result<String, String> {
    let output = duskgate(folder, bus)
        .arg("letters")
        .args(args)
        .output()
        .expect("the binary starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    if output.status.success() {
        Ok(text(output.stdout))
    } else {
        Err(text(output.stderr))
    }
}

/// Gives up two messages that no service can read.
async fn give_up(bus: &Arc<dyn Bus>) {
    let topic = Topic {
        service: Service::Night,
        shard: Shard::of(KEY),
    };
    let mut subscription = bus.subscribe(vec![topic], 1).await.expect("listening");
    for name in ["first", "second"] {
        let message = Message {
            id: MessageId(name.to_owned()),
            trace: format!("trace-of-{name}"),
            to: topic,
            key: KEY.to_owned(),
            body: "{\"a secret\":1}".to_owned(),
        };
        let sent = bus.publish(vec![Outgoing::first(message)]).await;
        let receipts = sent.expect("taken");
        let delivery = subscription.next().await.expect("a message");
        let dead = Settle::Dead("a reason".to_owned());
        let settled = subscription.settle(delivery.tag, dead).await;
        settled.expect("settled");
        for receipt in receipts {
            receipt.await.expect("answered");
        }
    }
}

/// The ids of what is listed.
fn ids(listed: &str) -> Vec<&str> {
    let lines = listed.lines();
    lines.filter_map(|line| line.split(' ').nth(1)).collect()
}

/// Lists, drops the first, puts the second back.
fn look_drop_and_put_back(folder: &Path, bus: &str) {
    let listed = letters(folder, bus, &["list"]).expect("a list");
    let [first, second] = ids(&listed)[..] else {
        panic!("two letters: {listed}");
    };
    assert!(
        listed.contains("game=7-1 message=first trace=trace-of-first"),
        "{listed}"
    );
    assert!(
        !listed.contains("secret") && !listed.contains("reason"),
        "{listed}"
    );
    let full = letters(folder, bus, &["list", "night", "--full"]).expect("a list");
    assert!(
        full.contains("a secret") && full.contains("a reason"),
        "{full}"
    );
    let none = letters(folder, bus, &["list", "tally"]).expect("a list");
    assert_eq!(none, "");

    letters(folder, bus, &["drop", "night", first]).expect("dropped");
    let why = letters(folder, bus, &["put-back", "night", first]).expect_err("gone");
    assert!(why.contains("has no dead letter"), "{why}");
    let why = letters(folder, bus, &["drop", "nobody", first]).expect_err("no service");
    assert!(why.contains("there are ingest, tally"), "{why}");
    letters(folder, bus, &["put-back", "night", second]).expect("put back");
    let listed = letters(folder, bus, &["list"]).expect("a list");
    assert_eq!(ids(&listed), Vec::<&str>::new(), "{listed}");
}

struct Running {
    child: Child,
    url: String,
}

impl Running {
    fn start(folder: &Path) -> Self {
        let mut child = duskgate(folder, "local")
            .args(["up", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut first = String::new();
        let stdout = child.stdout.take().expect("piped");
        BufReader::new(stdout)
            .read_line(&mut first)
            .expect("a first line");
        let url = first.trim().strip_prefix("listening ");
        let url = url.expect("an address").to_owned();
        Self { child, url }
    }

    /// Waits until the metrics have this line.
    #[track_caller]
    fn shows(&self, line: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            let page = ureq::get(format!("{}/metrics", self.url)).call();
            let text = page.and_then(|mut page| page.body_mut().read_to_string());
            if text.as_ref().is_ok_and(|t| t.lines().any(|l| l == line)) {
                return;
            }
            assert!(Instant::now() < until, "not {line}, but {text:?}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// In one process, while it is down and while it runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_of_the_embedded_bus() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    {
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::open(folder).expect("a bus"));
        give_up(&bus).await;
    }
    look_drop_and_put_back(folder, "local");

    // The next process takes up what was put back, and gives it up again: it cannot be read.
    let running = Running::start(folder);
    let given_up = |times| format!("duskgate_dead_letters_total{{service=\"night\"}} {times}");
    running.shows(&given_up(1));
    running.shows(r#"duskgate_dead_letters_standing{service="night"} 1"#);
    running.shows(r#"duskgate_stuck_games{service="night"} 1"#);
    // So does the one that runs.
    let listed = letters(folder, "local", &["list", "night"]).expect("a list");
    let id = ids(&listed)[0];
    letters(folder, "local", &["put-back", "night", id]).expect("put back");
    running.shows(&given_up(2));
    let listed = letters(folder, "local", &["list", "night"]).expect("a list");
    let again = ids(&listed)[0];
    assert_ne!(again, id, "it is another letter");
    letters(folder, "local", &["drop", "night", again]).expect("dropped");
    running.shows(r#"duskgate_dead_letters_standing{service="night"} 0"#);
    running.shows(r#"duskgate_stuck_games{service="night"} 0"#);
}

/// Over a broker.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn letters_of_a_broker() {
    let server = RabbitServer::start().await.expect("a broker");
    let url = server.url(VHOST);
    let bus = bus::open(&url, Path::new("")).await.expect("a bus");
    give_up(&bus).await;
    let folder = tempfile::tempdir().expect("a folder");
    look_drop_and_put_back(folder.path(), &url);
    let topic = Topic {
        service: Service::Night,
        shard: Shard::of(KEY),
    };
    let mut subscription = bus.subscribe(vec![topic], 1).await.expect("listening");
    let delivery = tokio::time::timeout(PATIENCE, subscription.next()).await;
    let delivery = delivery.expect("in time").expect("the bus goes on");
    assert_eq!(delivery.message.id.0, "second");
    assert!(delivery.redelivered);
}
