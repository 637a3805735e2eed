//! The kind on Redis when its server is killed, away, standing still, full, or wrongly set up.

mod steps;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use protocol::{MessageId, Service, Shard};
use rand::RngExt;
use servers::proxy::Proxy;
use servers::redis::{RedisServer, RedisStarter};
use servers::{DEADLINE, wait_for};
use steps::{check, game, step};
use store::{AggregateKey, Commit, Committed, OpenError, Store, StoreError};
use tokio::task::JoinHandle;

const GAMES: usize = 6;
const ROUNDS: usize = 12;

async fn open(server: &RedisServer) -> Arc<dyn Store> {
    store::open(&server.url()).await.expect("a store")
}

async fn why_not(url: &str) -> OpenError {
    store::open(url).await.err().expect("it is refused")
}

fn unavailable<T: std::fmt::Debug>(answer: Result<T, StoreError>) -> String {
    match answer {
        Err(StoreError::Unavailable(why)) => why,
        other => panic!("unavailable was expected, not {other:?}"),
    }
}

/// A step with nothing but this entry.
fn plain(key: &str, version: u64, entry: Vec<u8>) -> Commit {
    Commit {
        aggregate: AggregateKey {
            service: Service::Tally,
            key: key.to_owned(),
        },
        expected: version - 1,
        after: None,
        message: MessageId(format!("m{version}")),
        entry,
        snapshot: None,
        deadlines: None,
        outbox: vec![],
    }
}

async fn wait_until_well(store: &Arc<dyn Store>) {
    wait_for("the store to be well", DEADLINE, async || {
        store.health().await.ok()
    })
    .await;
}

/// What the tasks of the kill test have seen.
#[derive(Default)]
struct Seen {
    acknowledged: [AtomicU64; GAMES],
    stop: AtomicBool,
    errors: AtomicU32,
    /// Steps whose answer was lost, and that were found taken.
    repeats: AtomicU32,
}

/// Commits as fast as it goes; hands a step in again until it is answered.
async fn work(store: Arc<dyn Store>, seen: Arc<Seen>, nth: usize) {
    let game = game(nth);
    for version in 1.. {
        let mut tried = false;
        loop {
            if seen.stop.load(Ordering::Relaxed) && !tried {
                return;
            }
            match store.commit(step(&game, version)).await {
                Ok(Committed::Done(v)) if v == version => break,
                Ok(Committed::Repeat(v)) if v == version && tried => {
                    seen.repeats.fetch_add(1, Ordering::Relaxed);
                    break;
                }
                Err(StoreError::Unavailable(_)) => {
                    seen.errors.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
                other => panic!("step {version} of {nth} was answered {other:?}"),
            }
            tried = true;
        }
        seen.acknowledged[nth].store(version, Ordering::Release);
    }
}

impl Seen {
    fn acknowledged(&self, nth: usize) -> u64 {
        self.acknowledged[nth].load(Ordering::Acquire)
    }

    fn total(&self) -> u64 {
        (0..GAMES).map(|nth| self.acknowledged(nth)).sum()
    }

    /// Waits until some more steps are acknowledged.
    async fn go_on(&self, up_to: u64) {
        let enough = self.total() + rand::rng().random_range(10..up_to);
        wait_for("steps", DEADLINE, async || {
            (self.total() >= enough).then_some(())
        })
        .await;
    }
}

/// Tasks at work on all games.
fn start_work(store: &Arc<dyn Store>, seen: &Arc<Seen>) -> Vec<JoinHandle<()>> {
    (0..GAMES)
        .map(|nth| tokio::spawn(work(Arc::clone(store), Arc::clone(seen), nth)))
        .collect()
}

/// Ends the work and checks that all of it is there once: versions, journal, handled messages,
/// deadlines, and the outbox.
async fn end_work(what: &str, store: &dyn Store, seen: &Seen, tasks: Vec<JoinHandle<()>>) {
    seen.stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("every step was answered well");
    }
    let mut versions = 0;
    for nth in 0..GAMES {
        let version = check(store, nth, seen.acknowledged(nth)).await;
        assert_eq!(version, seen.acknowledged(nth));
        versions += version;
    }
    let mut outbox = 0;
    for shard in Shard::all() {
        let entries = store.outbox(Service::Night, shard, 0, usize::MAX).await;
        outbox += entries.expect("readable").len() as u64;
    }
    assert_eq!(outbox, 2 * versions);
    println!(
        "{versions} steps over {what}; {} calls failed, {} of their steps were taken",
        seen.errors.load(Ordering::Relaxed),
        seen.repeats.load(Ordering::Relaxed)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let mut server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    let seen = Arc::new(Seen::default());
    let tasks = start_work(&store, &seen);
    for _ in 0..ROUNDS {
        seen.go_on(150).await;
        server.kill().expect("a kill");
        let before: Vec<_> = (0..GAMES).map(|nth| seen.acknowledged(nth)).collect();
        server.start_again().await.expect("a start");
        // While the others go on: another client sees what was acknowledged.
        let other = open(&server).await;
        for (nth, before) in before.into_iter().enumerate() {
            let version = other.load(&game(nth)).await.expect("readable").version;
            assert!(version >= before, "game {nth}: {version} after {before}");
        }
    }
    end_work(&format!("{ROUNDS} kills"), &*store, &seen, tasks).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_done_twice_on_a_bad_network() {
    let server = RedisStarter::default().on_port().start().await;
    let server = server.expect("a server");
    let proxy = Proxy::start(server.port().expect("a port")).await;
    let proxy = proxy.expect("a proxy");
    let url = format!("redis://127.0.0.1:{}", proxy.port());
    let store = store::open(&url).await.expect("a store");
    let seen = Arc::new(Seen::default());
    let tasks = start_work(&store, &seen);
    for round in 0..ROUNDS {
        seen.go_on(60).await;
        match round % 4 {
            0 | 1 => proxy.cut(),
            2 => {
                proxy.refuse();
                wait_until_failing(&store).await;
            }
            // Longer than answers are waited for: what is held back arrives after all, when the
            // same steps have long been handed in again.
            _ => {
                proxy.stall();
                wait_until_failing(&store).await;
            }
        }
        proxy.mend();
    }
    end_work(&format!("{ROUNDS} faults"), &*store, &seen, tasks).await;
}

async fn wait_until_failing(store: &Arc<dyn Store>) {
    wait_for("a call to fail", DEADLINE, async || {
        store.load(&game(0)).await.is_err().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_waited_for() {
    let mut server = RedisStarter::default()
        .on_port()
        .start()
        .await
        .expect("a server");
    server.stop().await.expect("a stop");
    let store = open(&server).await;
    let why = unavailable(store.health().await);
    assert!(why.contains("is not there"), "{why}");
    let why = unavailable(store.commit(plain("7-1", 1, vec![])).await);
    assert!(why.contains("is not there"), "{why}");
    server.start_again().await.expect("a start");
    wait_until_well(&store).await;

    let committed = store.commit(plain("7-1", 1, vec![])).await;
    assert_eq!(committed.expect("an answer"), Committed::Done(1));
    // It goes away and comes back.
    server.stop().await.expect("a stop");
    unavailable(store.commit(plain("7-1", 2, vec![])).await);
    assert!(store.health().await.is_err());
    server.start_again().await.expect("a start");
    wait_until_well(&store).await;
    let committed = store.commit(plain("7-1", 2, vec![])).await;
    assert_eq!(committed.expect("an answer"), Committed::Done(2));
}

#[tokio::test]
async fn a_wrong_password_is_said_and_waited_for() {
    let server = RedisStarter::default()
        .password("right")
        .start()
        .await
        .expect("a server");
    for (login, expected) in [
        ("", "wants a password"),
        ("?pass=wrong", "refuses the password"),
    ] {
        let url = format!("{}{login}", server.url());
        let store = store::open(&url).await.expect("it is waited for");
        let why = unavailable(store.commit(plain("7-1", 1, vec![])).await);
        assert!(why.contains(expected), "{why}");
        let why = unavailable(store.health().await);
        assert!(why.contains(expected) && !why.contains("wrong"), "{why}");
    }
    let waiting = store::open(&format!("{}?pass=new", server.url())).await;
    let waiting = waiting.expect("it is waited for");
    unavailable(waiting.health().await);
    server
        .cli(&["config", "set", "requirepass", "new"])
        .await
        .expect("a new password");
    wait_until_well(&waiting).await;
}

#[tokio::test]
async fn a_server_that_stands_still_is_not_waited_for_without_end() {
    let server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    let committed = store.commit(plain("7-1", 1, vec![])).await;
    assert_eq!(committed.expect("an answer"), Committed::Done(1));
    server.pause().expect("a pause");
    let since = Instant::now();
    let why = unavailable(store.commit(plain("7-1", 2, b"x".to_vec())).await);
    assert!(why.contains("does not answer"), "{why}");
    let why = unavailable(store.health().await);
    assert!(why.contains("does not answer"), "{why}");
    assert!(since.elapsed() < Duration::from_secs(15), "{since:?}");
    server.resume().expect("a resumption");
    wait_until_well(&store).await;
    // The first call was waiting in the server's socket: either way it counts once.
    let committed = store.commit(plain("7-1", 2, b"x".to_vec())).await;
    let committed = committed.expect("an answer");
    assert!(
        [Committed::Done(2), Committed::Repeat(2)].contains(&committed),
        "{committed:?}"
    );
    let version = store.load(&plain("7-1", 1, vec![]).aggregate).await;
    assert_eq!(version.expect("readable").version, 2);
}

#[tokio::test]
async fn a_full_server_says_so_keeps_what_it_has_and_goes_on_when_there_is_room() {
    let server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    for version in 1..=10 {
        let committed = store
            .commit(plain("7-1", version, vec![b'x'; 100_000]))
            .await;
        assert_eq!(committed.expect("an answer"), Committed::Done(version));
    }
    let limit = async |bytes| {
        let set = ["config", "set", "maxmemory", bytes];
        assert_eq!(server.cli(&set).await.expect("an answer"), "OK");
    };
    limit("1mb").await;
    let next = plain("7-1", 11, b"x".to_vec());
    let why = unavailable(store.commit(next.clone()).await);
    assert!(why.contains("out of memory"), "{why}");
    assert!(unavailable(store.health().await).contains("out of memory"));
    // What is there can be read, and nothing of the refused step is among it.
    let stored = store.load(&next.aggregate).await.expect("readable");
    assert_eq!((stored.version, stored.entries.len()), (10, 10));
    let handled = store.handled(&next.aggregate, &next.message).await;
    assert_eq!(handled.expect("readable"), None);
    limit("64mb").await;
    let committed = store.commit(next).await;
    assert_eq!(committed.expect("an answer"), Committed::Done(11));
    store.health().await.expect("it is well");
}

#[tokio::test]
async fn a_server_that_may_forget_is_refused_unless_that_is_accepted() {
    for (name, value) in [("appendonly", "no"), ("appendfsync", "everysec")] {
        let server = RedisStarter::default()
            .option(name, value)
            .start()
            .await
            .expect("a server");
        let error = why_not(&server.url()).await;
        assert!(matches!(error, OpenError::NotDurable { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(name) && text.contains(value), "{text}");
        let url = format!("{}?durability=relaxed", server.url());
        let store = store::open(&url).await.expect("a store");
        store.health().await.expect("it is well");
    }
}

#[tokio::test]
async fn a_server_that_comes_back_weaker_is_not_trusted() {
    let mut server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    store.health().await.expect("it is well");
    server.stop().await.expect("a stop");
    server.set_option("appendfsync", "no");
    server.start_again().await.expect("a start");
    let why = wait_for("the store to say what is wrong", DEADLINE, async || {
        let why = unavailable(store.health().await);
        why.contains("appendfsync").then_some(why)
    })
    .await;
    assert!(why.contains("durability=relaxed"), "{why}");
    server
        .cli(&["config", "set", "appendfsync", "always"])
        .await
        .expect("a setting");
    wait_until_well(&store).await;
}

#[tokio::test]
async fn a_server_that_does_not_tell_its_settings_is_refused() {
    let server = RedisServer::start().await.expect("a server");
    let rule = ["acl", "setuser", "default", "-config"];
    assert_eq!(server.cli(&rule).await.expect("an answer"), "OK");
    let error = why_not(&server.url()).await.to_string();
    assert!(error.contains("does not tell its appendonly"), "{error}");
    let url = format!("{}?durability=relaxed", server.url());
    store::open(&url).await.expect("a store");
}

/// The settings that we ship are accepted, and the rights that they name are enough.
#[tokio::test]
async fn the_settings_that_we_ship_will_do() {
    let shipped = include_str!("../../../deploy/redis/redis.conf");
    let mut starter = RedisStarter::default();
    for line in shipped.lines() {
        let Some((name, value)) = line.split_once(' ') else {
            continue;
        };
        // The test has a socket of its own, not the shipped address.
        if !["#", "bind", "port", "protected-mode"].contains(&name) {
            starter = starter.option(name, value.trim_matches('"'));
        }
    }
    let server = starter.start().await.expect("a server");
    let rule = shipped
        .lines()
        .find_map(|line| line.strip_prefix("#   user "));
    let rule = rule.expect("a rule").replace(">密码", ">secret");
    let setuser = ["acl", "setuser"].into_iter().chain(rule.split(' '));
    let setuser: Vec<_> = setuser.collect();
    assert_eq!(server.cli(&setuser).await.expect("an answer"), "OK");
    let url = format!("{}?user=duskgate&pass=secret", server.url());
    let (here, there) = (
        store::open(&url).await.expect("a store"),
        store::open(&url).await.expect("a store"),
    );
    here.health().await.expect("it is well");
    let mut bells = there.bells().expect("it may be shared");
    let mut version = 0;
    wait_for("a bell", DEADLINE, async || {
        version += 1;
        let committed = here.commit(step(&game(1), version)).await;
        assert_eq!(committed.expect("an answer"), Committed::Done(version));
        let patience = Duration::from_millis(100);
        tokio::time::timeout(patience, bells.recv()).await.ok()
    })
    .await
    .expect("a bell");
    let (game, shard) = (game(1), game(1).shard());
    check(&*there, 1, version).await;
    let lease = there.lease(game.service, shard, "one", Duration::from_secs(9));
    let fence = lease.await.expect("an answer").expect("a lease");
    assert!(
        there
            .sent(game.service, shard, fence, &[1])
            .await
            .expect("an answer")
    );
    there
        .release(game.service, shard, fence)
        .await
        .expect("an answer");
    assert!(there.retire(&game, version).await.expect("an answer"));
    assert_eq!(there.load(&game).await.expect("readable").version, version);
}

#[tokio::test]
async fn what_a_newer_release_wrote_is_left_alone() {
    let server = RedisServer::start().await.expect("a server");
    let set = ["set", "duskgate:format", "99"];
    assert_eq!(server.cli(&set).await.expect("an answer"), "OK");
    let error = why_not(&server.url()).await.to_string();
    assert!(error.contains("newer release (its format is 99"), "{error}");
}

/// Whoever restored half a backup is told, and nothing is written over it.
#[tokio::test]
async fn a_journal_ahead_of_its_state_is_not_written_to() {
    let server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    for version in 1..=3 {
        let committed = store.commit(plain("7-1", version, vec![])).await;
        assert_eq!(committed.expect("an answer"), Committed::Done(version));
    }
    let game = plain("7-1", 1, vec![]).aggregate;
    let key = format!("duskgate:{{s{}}}:a:tally/7-1", game.shard());
    let set = ["hset", &key, "v", "1"];
    assert_eq!(server.cli(&set).await.expect("an answer"), "0");
    let again = Commit {
        message: MessageId("other".to_owned()),
        ..plain("7-1", 2, vec![])
    };
    let error = store.commit(again.clone()).await.expect_err("corrupt");
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    let handled = store.handled(&game, &again.message).await;
    assert_eq!(handled.expect("readable"), None);
    let loaded = store.load(&game).await.expect_err("corrupt");
    assert!(loaded.to_string().contains("7-1"), "{loaded}");
}

/// What one process commits, the others hear of; also after the server was away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bells_ring_in_the_other_processes() {
    let mut server = RedisServer::start().await.expect("a server");
    let (here, there) = (open(&server).await, open(&server).await);
    let mut own = here.bells().expect("it may be shared");
    let mut bells = there.bells().expect("it may be shared");
    let mut version = 0;
    for _ in 0..2 {
        let heard = wait_for("a bell", DEADLINE, async || {
            version += 1;
            let committed = here.commit(step(&game(1), version)).await;
            assert!(matches!(committed, Ok(Committed::Done(_))), "{committed:?}");
            let patience = Duration::from_millis(100);
            tokio::time::timeout(patience, bells.recv()).await.ok()
        })
        .await;
        assert_eq!(heard.expect("a bell"), (Service::Night, game(1).shard()));
        assert!(own.try_recv().is_err(), "one's own are no news");
        server.kill().expect("a kill");
        server.start_again().await.expect("a start");
        wait_until_well(&here).await;
        wait_until_well(&there).await;
        while bells.try_recv().is_ok() {}
    }
}

/// A web server's worker, say, whose runtime is its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_outlives_the_runtime_that_happened_to_need_it() {
    let mut server = RedisServer::start().await.expect("a server");
    let store = open(&server).await;
    server.kill().expect("it can be killed");
    wait_until_failing(&store).await;
    server.start_again().await.expect("it starts again");
    let passer_by = Arc::clone(&store);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(wait_until_well(&passer_by));
    })
    .join()
    .expect("no panic");
    let step = store.commit(plain("7-1", 1, vec![1])).await;
    assert_eq!(step.expect("the connection is there"), Committed::Done(1));
}
