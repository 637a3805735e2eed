//! What the servers' errors mean, in words that say what to do.

use redis::{ErrorKind, RedisError, ServerErrorKind};

use crate::StoreError;

/// What an error means to callers.
pub(super) fn explain(address: &str, error: &RedisError) -> StoreError {
    if is_corrupt(error) {
        return StoreError::Corrupt {
            place: format!("redis at {address}"),
            why: error.to_string(),
        };
    }
    StoreError::Unavailable(format!("redis at {address} {}", words(error)))
}

/// What is stored does not fit together: trying again would not help.
pub(super) fn is_corrupt(error: &RedisError) -> bool {
    let text = error.to_string();
    error.code() == Some("WRONGTYPE")
        || error.kind() == ErrorKind::UnexpectedReturnType
        // A journal that is ahead of its aggregate's state.
        || text.contains("specified in XADD is equal or smaller")
}

/// The server knows no such command, or does not permit it to us.
pub(super) fn is_refused(error: &RedisError) -> bool {
    use ServerErrorKind::{NoPerm, ResponseError};
    matches!(error.kind(), ErrorKind::Server(NoPerm | ResponseError))
}

/// May the connection to one server be the cause?
pub(super) fn puts_connection_in_doubt(error: &RedisError) -> bool {
    use ErrorKind::{Io, Parse, Server};
    error.is_unrecoverable_error()
        || lets_nobody_in(error)
        || matches!(error.kind(), Io | Parse | Server(ServerErrorKind::ReadOnly))
}

/// Must the connections to all nodes of a cluster be made anew? Single ones come back by
/// themselves.
pub(super) fn puts_cluster_in_doubt(error: &RedisError) -> bool {
    lets_nobody_in(error) || error.kind() == ErrorKind::ClusterConnectionNotFound
}

fn lets_nobody_in(error: &RedisError) -> bool {
    error.kind() == ErrorKind::AuthenticationFailed
        || matches!(error.code(), Some("NOAUTH" | "WRONGPASS"))
}

/// Completes "redis at HOST …".
pub(super) fn words(error: &RedisError) -> String {
    let says = error.to_string();
    match error.code() {
        Some("OOM") => {
            return "is out of memory: raise its maxmemory, or give it a machine with more"
                .to_owned();
        }
        Some("NOAUTH") => return "wants a password: put it into store.url".to_owned(),
        Some("WRONGPASS") => return "refuses the password in store.url".to_owned(),
        Some("LOADING") => return "is still loading its data".to_owned(),
        Some("MISCONF") => return format!("cannot write to its disk: {says}"),
        Some("READONLY") => return "is a replica and takes no writes".to_owned(),
        Some("CLUSTERDOWN" | "MASTERDOWN") => return format!("is down in part: {says}"),
        Some("NOPERM") => return format!("does not permit what a store needs: {says}"),
        _ => {}
    }
    if error.kind() == ErrorKind::AuthenticationFailed {
        "refuses the password in store.url (or wants none)".to_owned()
    } else if error.is_timeout() {
        "does not answer".to_owned()
    } else if error.is_connection_refusal() {
        format!("is not there: {says}")
    } else if error.is_io_error() {
        format!("is out of reach: {says}")
    } else {
        format!("refuses: {says}")
    }
}
