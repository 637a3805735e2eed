//! Names of services and numbers of shards, as they are kept.

use protocol::{Service, Shard};

/// The service of this name.
pub(crate) fn service(name: &str) -> Result<Service, String> {
    Service::ALL
        .into_iter()
        .find(|service| service.name() == name)
        .ok_or_else(|| format!("there is no service {name:?}"))
}

/// The shard of this number.
pub(crate) fn shard(number: i64) -> Result<Shard, String> {
    Shard::all()
        .find(|shard| i64::from(shard.number()) == number)
        .ok_or_else(|| format!("there is no shard {number}"))
}
