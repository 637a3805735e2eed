//! `kill -9` at random moments: nothing acknowledged is missing, nothing half done is there.
//!
//! A child process commits as fast as it can from several tasks and tells each step only after
//! it was acknowledged. Everything a step writes can be computed from its key and version, so
//! the parent can check every byte.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use protocol::{Message, MessageId, Service, Shard, Topic};
use rand::RngExt;
use rules::Time;
use store::sqlite::SqliteStore;
use store::{AggregateKey, Commit, Committed, Deadline, Store};

/// Tells the child where to work; without it the child's test does nothing.
const FOLDER: &str = "DUSKGATE_TEST_KILL_FOLDER";
const GAMES: usize = 6;
const ROUNDS: usize = 12;

fn game(nth: usize) -> AggregateKey {
    AggregateKey {
        service: Service::Night,
        key: format!("7-{nth}"),
    }
}

/// The one step that leads to this version.
fn step(game: &AggregateKey, version: u64) -> Commit {
    let key = &game.key;
    let at = i64::try_from(version).expect("a small number");
    Commit {
        aggregate: game.clone(),
        expected: version - 1,
        message: MessageId(format!("m{version}")),
        entry: format!("{key} step {version} ").repeat(20).into_bytes(),
        snapshot: version
            .is_multiple_of(7)
            .then(|| format!("{key} at {version}").into_bytes()),
        deadlines: Some(vec![Deadline {
            name: format!("d#{version}"),
            at: Time(at),
        }]),
        outbox: (0..2)
            .map(|part| Message {
                id: MessageId(format!("night/{key}/{version}.{part}")),
                trace: "t".to_owned(),
                to: Topic {
                    service: Service::Publish,
                    shard: Shard::of(key),
                },
                key: key.clone(),
                body: "{}".to_owned(),
            })
            .collect(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the other half of nothing_acknowledged_is_lost, which starts it in a process of its own"]
async fn child() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let store = Arc::new(SqliteStore::open(Path::new(&folder)).expect("the folder is free"));
    let tasks: Vec<_> = (0..GAMES)
        .map(|nth| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let game = game(nth);
                let version = store.load(&game).await.expect("readable").version;
                for version in version + 1.. {
                    let committed = store.commit(step(&game, version)).await.expect("committed");
                    assert_eq!(committed, Committed::Done(version));
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "\nack {nth} {version}")
                        .and_then(|()| out.flush())
                        .expect("told");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("the parent kills us first");
    }
}

fn start_child(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("our own name"))
        .args([
            "--exact",
            "child",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child")
}

/// The game and version that a line of the child acknowledges.
fn acknowledgement(line: &str) -> Option<(usize, u64)> {
    let (nth, version) = line.strip_prefix("ack ")?.split_once(' ')?;
    Some((nth.parse().ok()?, version.parse().ok()?))
}

/// Lets the child work, kills it, and adds what it has told. True if it told anything.
fn work_and_kill(folder: &Path, acknowledged: &mut BTreeMap<usize, u64>, after: usize) -> bool {
    let mut child = start_child(folder);
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let mut told = 0;
    let mut line = String::new();
    loop {
        line.clear();
        output.read_line(&mut line).expect("its output");
        // A line that was cut off by the kill was not told.
        let Some(whole) = line.strip_suffix('\n') else {
            break;
        };
        if let Some((nth, version)) = acknowledgement(whole) {
            acknowledged.insert(nth, version);
            told += 1;
            if told == after {
                // What it tells until it is dead is still in the pipe, and read below.
                child.kill().expect("SIGKILL");
            }
        }
    }
    child.wait().expect("its end");
    told > 0
}

/// All of a game is there up to some version that is no lower than the acknowledged one.
async fn check(store: &dyn Store, nth: usize, acknowledged: u64) -> u64 {
    let game = game(nth);
    let stored = store.load(&game).await.expect("readable");
    let version = stored.version;
    assert!(
        version >= acknowledged,
        "{game:?}: {acknowledged} was acknowledged, {version} is there"
    );

    let snapshot_at = version - version % 7;
    let snapshot = (snapshot_at > 0).then(|| {
        (
            snapshot_at,
            format!("{} at {snapshot_at}", game.key).into_bytes(),
        )
    });
    assert_eq!(stored.snapshot, snapshot);
    let journal = store.journal(&game, 0, usize::MAX).await.expect("readable");
    let expected: Vec<_> = (1..=version).map(|v| (v, step(&game, v).entry)).collect();
    assert_eq!(journal, expected);
    for v in [1, version / 2, version, version + 1] {
        let handled = store
            .handled(&game, &MessageId(format!("m{v}")))
            .await
            .expect("readable");
        assert_eq!(
            handled,
            (1..=version).contains(&v).then_some(v),
            "m{v} of {version}"
        );
    }

    let outbox = store
        .outbox(game.service, game.shard(), 0, usize::MAX)
        .await
        .expect("readable");
    let own = outbox
        .into_iter()
        .map(|entry| entry.message)
        .filter(|m| m.key == game.key);
    let expected = (1..=version).flat_map(|v| step(&game, v).outbox);
    assert!(
        own.eq(expected),
        "{game:?}: the outbox does not fit version {version}"
    );

    let due = store
        .due(Time(i64::MAX), usize::MAX)
        .await
        .expect("readable");
    let own: Vec<_> = due
        .into_iter()
        .filter(|d| d.aggregate == game)
        .map(|d| d.deadline)
        .collect();
    let expected = if version == 0 {
        None
    } else {
        step(&game, version).deadlines
    };
    assert_eq!(own, expected.unwrap_or_default());
    version
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost() {
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let mut acknowledged = BTreeMap::new();
    let mut in_flight = 0;
    for round in 0..ROUNDS {
        let after = rand::rng().random_range(1..120);
        assert!(
            work_and_kill(folder.path(), &mut acknowledged, after),
            "round {round}"
        );
        let store = SqliteStore::open(folder.path()).expect("the dead hold no lock");
        for nth in 0..GAMES {
            let told = acknowledged.get(&nth).copied().unwrap_or(0);
            let version = check(&store, nth, told).await;
            in_flight += version - told;
            // A step that was taken and not told is recognised when it comes again.
            if version > 0 {
                let again = store
                    .commit(step(&game(nth), version))
                    .await
                    .expect("answered");
                assert_eq!(again, Committed::Repeat(version));
            }
            acknowledged.insert(nth, version);
        }
    }
    let total: u64 = acknowledged.values().sum();
    println!("{total} steps over {ROUNDS} kills; {in_flight} were taken and not yet told");
}
