//! The measurements for `make bench` measure what they say.

use kit::bench::{commit_latency, flush_latency};
use kit::testing::TestParts;
use protocol::Service;
use store::AggregateKey;

#[tokio::test]
async fn commits_and_flushes_are_measured() {
    let parts = TestParts::new().await;
    let commits = commit_latency(&*parts.store, 300).await.unwrap();
    let flushes = flush_latency(parts.folder(), 300).unwrap();
    assert!(commits.p50() <= commits.p99() && flushes.p50() <= flushes.p99());
    println!("commit {:?}/{:?}", commits.p50(), commits.p99());
    println!("flush {:?}/{:?}", flushes.p50(), flushes.p99());
    let bench = AggregateKey {
        service: Service::Night,
        key: "bench".to_owned(),
    };
    assert_eq!(parts.store.load(&bench).await.unwrap().version, 300);
    let again = commit_latency(&*parts.store, 1).await;
    assert!(again.is_err(), "it wants a store of its own");
}
