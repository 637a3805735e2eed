//! The kind on Redis against the conformance suite, on a Redis Cluster of three nodes that the
//! tests share, each under a prefix of its own.

mod spoil;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use protocol::{MessageId, Service, Shard};
use servers::redis::RedisCluster;
use servers::{DEADLINE, wait_for};
use store::conformance::Ground;
use store::{AggregateKey, Commit, Committed, Store};
use tokio::sync::Mutex;

/// Started by the first test and stopped with the last of those that run at a time: what is never
/// dropped would leave its folders behind.
static SHARED: Mutex<Weak<RedisCluster>> = Mutex::const_new(Weak::new());
static PLACES: AtomicU32 = AtomicU32::new(0);

struct Place {
    cluster: Arc<RedisCluster>,
    prefix: String,
}

impl Place {
    async fn new() -> Self {
        let mut shared = SHARED.lock().await;
        let cluster = if let Some(cluster) = shared.upgrade() {
            cluster
        } else {
            let cluster = Arc::new(RedisCluster::start().await.expect("a cluster"));
            *shared = Arc::downgrade(&cluster);
            cluster
        };
        let prefix = format!("test-{}", PLACES.fetch_add(1, Ordering::Relaxed));
        Self { cluster, prefix }
    }
}

#[async_trait]
impl Ground for Place {
    async fn open(&self) -> Arc<dyn Store> {
        let url = format!("{}?prefix={}", self.cluster.url(), self.prefix);
        store::open(&url).await.expect("a store")
    }

    async fn spoil_outbox(&self, service: Service, shard: Shard, place: u64) {
        let node = &self.cluster.nodes()[0];
        spoil::spoil(node, &self.prefix, service, shard, place).await;
    }
}

store::conformance_tests!(Place::new().await);

fn step(key: &str, version: u64) -> Commit {
    Commit {
        aggregate: AggregateKey {
            service: Service::Night,
            key: key.to_owned(),
        },
        expected: version - 1,
        after: None,
        message: MessageId(format!("m{version}")),
        entry: b"entry".to_vec(),
        snapshot: None,
        deadlines: None,
        outbox: vec![],
    }
}

/// Hands a step in until it is taken.
async fn insist(store: &Arc<dyn Store>, key: &str, version: u64) {
    let committed = wait_for("the step to be taken", DEADLINE, async || {
        store.commit(step(key, version)).await.ok()
    })
    .await;
    assert!(
        matches!(committed, Committed::Done(v) | Committed::Repeat(v) if v == version),
        "{key}: {committed:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_dies_keeps_back_its_own_shards_and_comes_back() {
    let mut cluster = RedisCluster::start().await.expect("a cluster");
    let store = store::open(&cluster.url()).await.expect("a store");
    let keys: Vec<_> = (0..40).map(|nth| format!("7-{nth}")).collect();
    for key in &keys {
        insist(&store, key, 1).await;
    }
    cluster.nodes_mut()[1].kill().expect("a kill");
    let (mut well, mut away) = (Vec::new(), Vec::new());
    for key in &keys {
        match store.commit(step(key, 2)).await {
            Ok(committed) => {
                assert_eq!(committed, Committed::Done(2));
                well.push(key);
            }
            Err(_) => away.push(key),
        }
    }
    assert!(!well.is_empty() && !away.is_empty(), "{well:?} {away:?}");
    assert!(store.health().await.is_err());
    cluster.nodes_mut()[1].start_again().await.expect("a start");
    for key in &away {
        insist(&store, key, 2).await;
    }
    for key in &keys {
        insist(&store, key, 3).await;
        let game = step(key, 1).aggregate;
        assert_eq!(store.load(&game).await.expect("readable").version, 3);
    }
    wait_for("the store to be well", DEADLINE, async || {
        store.health().await.ok()
    })
    .await;
}
