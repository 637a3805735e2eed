//! The connection to the servers, and how it comes back.
//!
//! One connection carries all calls at once. A call that fails in a way that puts the connection
//! in doubt drops it, and the next call makes another; each new one is checked before it is used,
//! so a server that came back with weaker settings is not trusted. (`ConnectionManager` of the
//! client library gives up for good when a reconnect fails for another reason than I/O, such as a
//! refused password.)

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::io::tcp::TcpSettings;
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionInfo, Pipeline, RedisFuture, RedisResult, Value,
};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::admission::{self, Refusal};
use super::faults;
use super::url::{Servers, Target};
use crate::{Condition, StoreError};

/// How long a server may take to answer before the outcome counts as unknown.
const ANSWER: Duration = Duration::from_secs(3);
/// How long it may take to connect.
const CONNECT: Duration = Duration::from_secs(2);
/// After a failed attempt to connect, calls fail at once for so long.
const BREATH: Duration = Duration::from_millis(200);
/// A cluster's connections come back by themselves; all are made anew at most this often.
const RENEW: Duration = Duration::from_secs(2);
/// So many calls wait to be written at a time.
const QUEUE: usize = 1_024;

/// A connection to one server or to all of a cluster. Cheap to clone.
#[derive(Clone)]
pub(super) enum Connection {
    One(MultiplexedConnection),
    Cluster(ClusterConnection),
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            Self::One(one) => one.req_packed_command(cmd),
            Self::Cluster(cluster) => cluster.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        match self {
            Self::One(one) => one.req_packed_commands(pipeline, offset, count),
            Self::Cluster(cluster) => cluster.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        match self {
            Self::One(one) => one.get_db(),
            Self::Cluster(cluster) => cluster.get_db(),
        }
    }
}

enum Maker {
    One(Client),
    Cluster(Box<ClusterClient>),
}

/// A connection and which one it is.
#[derive(Clone)]
struct Current {
    number: u64,
    since: Instant,
    connection: Connection,
}

/// The way to the servers.
pub(super) struct Link {
    target: Arc<Target>,
    maker: Arc<Maker>,
    /// What carries the connections: they must outlive whoever happens to need one.
    runtime: Handle,
    current: Mutex<Option<Current>>,
    /// Held by whoever connects; says how the last attempt failed.
    connecting: tokio::sync::Mutex<Option<(Instant, Refusal)>>,
    /// The number of the newest connection.
    newest: watch::Sender<u64>,
}

impl Link {
    /// Does not connect yet. To be called on the runtime that is to carry the connections.
    pub(super) fn new(target: Target) -> RedisResult<Self> {
        let maker = match &target.servers {
            Servers::One(info) => Maker::One(Client::open(patient(info))?),
            Servers::Cluster(nodes) => Maker::Cluster(Box::new(
                ClusterClientBuilder::new(nodes.iter().map(patient))
                    .connection_timeout(CONNECT)
                    .response_timeout(ANSWER)
                    .overall_response_timeout(Some(ANSWER))
                    .tcp_settings(tcp_settings())
                    .retries(3)
                    .build()?,
            )),
        };
        Ok(Self {
            target: Arc::new(target),
            maker: Arc::new(maker),
            runtime: Handle::current(),
            current: Mutex::default(),
            connecting: tokio::sync::Mutex::default(),
            newest: watch::Sender::new(0),
        })
    }

    /// For people.
    pub(super) fn address(&self) -> &str {
        &self.target.address
    }

    /// How the connection is, as far as the last call could tell.
    pub(super) fn condition(&self) -> Condition {
        Condition {
            connected: self.established().is_some(),
            reconnects: self.newest.borrow().saturating_sub(1),
        }
    }

    /// Numbers of new connections, as they are made.
    pub(super) fn renewals(&self) -> watch::Receiver<u64> {
        self.newest.subscribe()
    }

    /// How to reach one server (of a cluster: the nth node, round and round) for a connection of
    /// its own.
    pub(super) fn client(&self, nth: usize) -> RedisResult<Client> {
        match &self.target.servers {
            Servers::One(info) => Client::open(patient(info)),
            Servers::Cluster(nodes) => Client::open(patient(&nodes[nth % nodes.len()])),
        }
    }

    /// Makes a call. An error means that its outcome is unknown, except for those of
    /// [`faults::is_corrupt`].
    pub(super) async fn call<T>(
        &self,
        what: impl AsyncFnOnce(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        let mut current = self
            .current()
            .await
            .map_err(|refusal| refusal.for_callers(self.address()))?;
        match what(&mut current.connection).await {
            Ok(answer) => Ok(answer),
            Err(error) => {
                self.doubt(&current, &error);
                Err(faults::explain(self.address(), &error))
            }
        }
    }

    /// Connects if there is no connection, and says why if that cannot be.
    pub(super) async fn connect(&self) -> Result<(), Refusal> {
        self.current().await.map(|_| ())
    }

    async fn current(&self) -> Result<Current, Refusal> {
        if let Some(current) = self.established() {
            return Ok(current);
        }
        let mut failed = self.connecting.lock().await;
        // Somebody may have connected, or tried to, while we waited.
        if let Some(current) = self.established() {
            return Ok(current);
        }
        if let Some((at, refusal)) = &*failed
            && at.elapsed() < BREATH
        {
            return Err(refusal.clone());
        }
        match self.make().await {
            Ok(connection) => {
                if failed.take().is_some() {
                    tracing::info!(address = self.address(), "the store is there");
                }
                let mut number = 0;
                self.newest.send_modify(|newest| {
                    *newest += 1;
                    number = *newest;
                });
                let current = Current {
                    number,
                    since: Instant::now(),
                    connection,
                };
                *self.lock() = Some(current.clone());
                Ok(current)
            }
            Err(refusal) => {
                let told = failed.replace((Instant::now(), refusal.clone()));
                if told.is_none_or(|(_, told)| told != refusal) {
                    let error = refusal.for_callers(self.address());
                    tracing::warn!(%error, "waiting for the store");
                }
                Err(refusal)
            }
        }
    }

    async fn make(&self) -> Result<Connection, Refusal> {
        let (maker, target) = (Arc::clone(&self.maker), Arc::clone(&self.target));
        let make = async move {
            let connection = match &*maker {
                Maker::One(client) => {
                    let config = AsyncConnectionConfig::new()
                        .set_connection_timeout(Some(CONNECT))
                        .set_response_timeout(Some(ANSWER))
                        .set_pipeline_buffer_size(QUEUE);
                    client
                        .get_multiplexed_async_connection_with_config(&config)
                        .await
                        .map(Connection::One)
                }
                Maker::Cluster(client) => {
                    client.get_async_connection().await.map(Connection::Cluster)
                }
            };
            let mut connection = connection.map_err(|error| Refusal::away(&error))?;
            admission::check(&mut connection, &target).await?;
            Ok(connection)
        };
        let making = tokio::time::timeout(CONNECT + ANSWER, make);
        // It fails only when the runtime is shutting down.
        match self.runtime.spawn(making).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(Refusal::silent()),
        }
    }

    /// Drops the connection on which this happened, if it may be the cause.
    fn doubt(&self, used: &Current, error: &redis::RedisError) {
        let in_doubt = match used.connection {
            Connection::One(_) => faults::puts_connection_in_doubt(error),
            Connection::Cluster(_) => {
                faults::puts_cluster_in_doubt(error) && used.since.elapsed() > RENEW
            }
        };
        if !in_doubt {
            return;
        }
        let mut current = self.lock();
        if current.as_ref().is_some_and(|c| c.number == used.number) {
            *current = None;
            tracing::warn!(address = self.address(), %error, "the store's connection is dropped");
        }
    }

    fn established(&self) -> Option<Current> {
        self.lock().clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tcp_settings() -> TcpSettings {
    TcpSettings::default()
        .set_nodelay(true)
        .set_user_timeout(ANSWER)
}

fn patient(info: &ConnectionInfo) -> ConnectionInfo {
    info.clone().set_tcp_settings(tcp_settings())
}
