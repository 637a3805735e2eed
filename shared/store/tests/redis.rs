//! The kind on Redis against the conformance suite: one server of its own for each test.

mod spoil;

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{Service, Shard};
use servers::redis::RedisServer;
use store::Store;
use store::conformance::Ground;

struct OneServer(RedisServer);

impl OneServer {
    async fn new() -> Self {
        Self(RedisServer::start().await.expect("a server"))
    }
}

#[async_trait]
impl Ground for OneServer {
    async fn open(&self) -> Arc<dyn Store> {
        store::open(&self.0.url()).await.expect("a store")
    }

    async fn spoil_outbox(&self, service: Service, shard: Shard, place: u64) {
        spoil::spoil(&self.0, "duskgate", service, shard, place).await;
    }
}

store::conformance_tests!(OneServer::new().await);
