//! What a server must be before it is trusted with state.

use std::collections::BTreeMap;

use redis::cluster_routing::{MultipleNodeRoutingInfo, RoutingInfo};
use redis::{Cmd, FromRedisValue, RedisError, Value};

use super::faults;
use super::keys::Keys;
use super::link::Connection;
use super::url::{Durability, Target};
use crate::{OpenError, StoreError};

/// How everything is kept, as this build knows it.
const FORMAT: u32 = 1;

/// Why there is no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not there, or does not let us in. It may do so later.
    Away(String),
    /// It might lose what it acknowledged.
    NotDurable(String),
    /// A newer release has written to it.
    Newer(u32),
}

impl Refusal {
    pub(super) fn away(error: &RedisError) -> Self {
        Self::Away(faults::words(error))
    }

    pub(super) fn silent() -> Self {
        Self::Away("does not answer".to_owned())
    }

    /// What a call is answered.
    pub(super) fn for_callers(&self, address: &str) -> StoreError {
        StoreError::Unavailable(match self {
            Self::Away(why) => format!("redis at {address} {why}"),
            other => other.clone().for_start(address).to_string(),
        })
    }

    /// What a start that is refused says.
    pub(super) fn for_start(self, address: &str) -> OpenError {
        let address = address.to_owned();
        match self {
            Self::Away(why) => OpenError::Away { address, why },
            Self::NotDurable(why) => OpenError::NotDurable { address, why },
            Self::Newer(found) => OpenError::NewerServer {
                address,
                found,
                known: FORMAT,
            },
        }
    }
}

/// Asks every server that may hold state for its settings, and for the format of what is there.
pub(super) async fn check(connection: &mut Connection, target: &Target) -> Result<(), Refusal> {
    for (server, settings) in settings(connection, target).await? {
        let problem = settings.problem();
        let named = if matches!(connection, Connection::Cluster(_)) {
            format!(" (node {server})")
        } else {
            String::new()
        };
        match (problem, target.durability) {
            (Some(problem), Durability::Always) => {
                return Err(Refusal::NotDurable(format!("{problem}{named}")));
            }
            (Some(problem), Durability::Relaxed) => tracing::warn!(
                server,
                problem,
                "a crash of the store's server may take acknowledged steps back (durability=relaxed)"
            ),
            (None, _) => {}
        }
        if let Some(policy) = settings.evicts() {
            tracing::warn!(
                server,
                policy,
                "maxmemory-policy should be noeviction: the store's server may throw games away \
                 when its memory is full"
            );
        }
    }
    check_format(connection, target).await
}

#[derive(Debug, Default)]
struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Why what was acknowledged may not be on disk.
    fn problem(&self) -> Option<String> {
        let must = [("appendonly", "yes"), ("appendfsync", "always")];
        must.into_iter().find_map(
            |(name, wanted)| match self.0.get(name).map(String::as_str) {
                Some(value) if value == wanted => None,
                Some(value) => Some(format!("its {name} is {value:?} and must be {wanted:?}")),
                None => Some(format!("it does not tell its {name} (CONFIG GET)")),
            },
        )
    }

    fn evicts(&self) -> Option<&str> {
        let policy = self.0.get("maxmemory-policy")?;
        (policy != "noeviction").then_some(policy)
    }
}

async fn settings(
    connection: &mut Connection,
    target: &Target,
) -> Result<BTreeMap<String, Settings>, Refusal> {
    let mut all = BTreeMap::<String, Settings>::new();
    for name in ["appendonly", "appendfsync", "maxmemory-policy"] {
        let mut ask = redis::cmd("CONFIG");
        ask.arg("GET").arg(name);
        let answers = match everywhere(connection, ask, target).await {
            Ok(answers) => answers,
            // It may be forbidden, or a service that does not have it: then nothing is known.
            Err(error) if faults::is_refused(&error) => BTreeMap::new(),
            Err(error) => return Err(Refusal::away(&error)),
        };
        all.entry(target.address.clone()).or_default();
        for (server, answer) in answers {
            let told = BTreeMap::<String, String>::from_redis_value(answer).unwrap_or_default();
            all.entry(server).or_default().0.extend(told);
        }
    }
    // Of a cluster the nodes speak for themselves.
    if all.len() > 1 {
        all.retain(|_, settings| !settings.0.is_empty());
    }
    Ok(all)
}

/// Asks each server that holds state.
async fn everywhere(
    connection: &mut Connection,
    ask: Cmd,
    target: &Target,
) -> Result<BTreeMap<String, Value>, RedisError> {
    match connection {
        Connection::One(one) => {
            let answer = ask.query_async(one).await?;
            Ok(BTreeMap::from([(target.address.clone(), answer)]))
        }
        Connection::Cluster(cluster) => {
            let all = RoutingInfo::MultiNode((MultipleNodeRoutingInfo::AllMasters, None));
            let answer = cluster.route_command(ask, all).await?.extract_error()?;
            Ok(BTreeMap::from_redis_value(answer)?)
        }
    }
}

async fn check_format(connection: &mut Connection, target: &Target) -> Result<(), Refusal> {
    let key = Keys::new(&target.prefix).format();
    let away = |error: RedisError| Refusal::away(&error);
    let found: Option<u32> = redis::cmd("GET")
        .arg(&key)
        .query_async(connection)
        .await
        .map_err(away)?;
    match found {
        Some(found) if found > FORMAT => Err(Refusal::Newer(found)),
        Some(_) => Ok(()),
        None => redis::cmd("SET")
            .arg(&key)
            .arg(FORMAT)
            .arg("NX")
            .exec_async(connection)
            .await
            .map_err(away),
    }
}
