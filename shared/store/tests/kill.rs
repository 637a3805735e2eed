//! `kill -9` at random moments: nothing acknowledged is missing, nothing half done is there.
//!
//! A child process commits as fast as it can from several tasks and tells each step only after
//! it was acknowledged. Everything a step writes can be computed from its key and version, so
//! the parent can check every byte.

mod steps;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use rand::RngExt;
use steps::{check, game, step};
use store::sqlite::SqliteStore;
use store::{Committed, Store};

/// Tells the child where to work; without it the child's test does nothing.
const FOLDER: &str = "DUSKGATE_TEST_KILL_FOLDER";
const GAMES: usize = 6;
const ROUNDS: usize = 12;

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
