//! What a store's URL says.

use redis::{ConnectionInfo, IntoConnectionInfo};

use crate::OpenError;

/// One server, or the nodes of a cluster that are asked first.
#[derive(Debug, Clone)]
pub(super) enum Servers {
    One(Box<ConnectionInfo>),
    Cluster(Vec<ConnectionInfo>),
}

/// What a server must promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// What it acknowledges is on its disk.
    Always,
    /// Whoever set this knows that a crash of the server may take the last steps back.
    Relaxed,
}

/// A store's URL, read.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) servers: Servers,
    /// For people: never with a password.
    pub(super) address: String,
    pub(super) prefix: String,
    pub(super) durability: Durability,
}

/// The prefix of keys when none is given.
const PREFIX: &str = "duskgate";

/// Reads `redis://[user:password@]host[:port][/db]`, `redis+unix:///path/to.sock` or
/// `redis-cluster://[user:password@]host:port,host:port…`. Parameters: `cluster=true`,
/// `prefix=NAME`, `durability=relaxed`; `user`, `pass` and `db` for a socket.
pub(super) fn parse(url: &str) -> Result<Target, OpenError> {
    let bad = |why: &str| OpenError::Url {
        why: why.to_owned(),
    };
    let (plain, parameters) = url.split_once('?').unwrap_or((url, ""));
    let mut prefix = PREFIX.to_owned();
    let mut durability = Durability::Always;
    let mut cluster = false;
    let mut left = Vec::new();
    for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
        match parameter.split_once('=') {
            Some(("prefix", name)) if is_plain(name) => name.clone_into(&mut prefix),
            Some(("prefix", _)) => {
                return Err(bad("prefix= takes letters, digits, '-', '_' and '.' only"));
            }
            Some(("durability", "relaxed")) => durability = Durability::Relaxed,
            Some(("durability", "always")) => durability = Durability::Always,
            Some(("durability", _)) => return Err(bad("durability= is always or relaxed")),
            Some(("cluster", "true")) => cluster = true,
            Some(("cluster", "false")) => cluster = false,
            Some(("cluster", _)) => return Err(bad("cluster= is true or false")),
            Some(("user" | "pass" | "db", _)) => left.push(parameter),
            _ => {
                return Err(bad(
                    "it has a parameter that is not known (prefix, durability, cluster; user, \
                     pass and db for a socket)",
                ));
            }
        }
    }
    let left = if left.is_empty() {
        String::new()
    } else {
        format!("?{}", left.join("&"))
    };
    let connection = |url: String| {
        url.into_connection_info()
            .map_err(|_| bad("host, port, path or number of the database cannot be read"))
    };

    let (scheme, rest) = plain
        .split_once("://")
        .ok_or_else(|| bad("it has no ://"))?;
    let cluster = cluster || scheme == "redis-cluster";
    if !cluster {
        let info = connection(format!("{plain}{left}"))?;
        return Ok(Target {
            address: info.addr().to_string(),
            servers: Servers::One(Box::new(info)),
            prefix,
            durability,
        });
    }
    if scheme == "redis+unix" {
        return Err(bad("a cluster is reached over TCP"));
    }
    let (login, hosts) = match rest.rsplit_once('@') {
        Some((login, hosts)) => (format!("{login}@"), hosts),
        None => (String::new(), rest),
    };
    let nodes = hosts
        .trim_end_matches('/')
        .split(',')
        .map(|host| connection(format!("redis://{login}{host}")))
        .collect::<Result<Vec<_>, _>>()?;
    let address: Vec<_> = nodes.iter().map(|node| node.addr().to_string()).collect();
    Ok(Target {
        address: address.join(","),
        servers: Servers::Cluster(nodes),
        prefix,
        durability,
    })
}

/// It must have no braces, which would take the place of the shard's tag.
fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_say_where_and_how() {
        let cases = [
            ("redis://host", "host:6379", 1, PREFIX, Durability::Always),
            (
                "redis://:hush@host:7000/2?durability=relaxed",
                "host:7000",
                1,
                PREFIX,
                Durability::Relaxed,
            ),
            (
                "redis+unix:///run/redis.sock?pass=hush&prefix=test-1",
                "/run/redis.sock",
                1,
                "test-1",
                Durability::Always,
            ),
            (
                "redis-cluster://user:hush@a:1,b:2,c:3",
                "a:1,b:2,c:3",
                3,
                PREFIX,
                Durability::Always,
            ),
            (
                "redis://a:1/?cluster=true",
                "a:1",
                1,
                PREFIX,
                Durability::Always,
            ),
        ];
        for (url, address, nodes, prefix, durability) in cases {
            let target = parse(url).unwrap();
            assert_eq!(target.address, address, "{url}");
            assert_eq!(target.prefix, prefix, "{url}");
            assert_eq!(target.durability, durability, "{url}");
            match &target.servers {
                Servers::Cluster(list) => assert_eq!(list.len(), nodes, "{url}"),
                Servers::One(_) => assert!(!url.contains("cluster"), "{url}"),
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_without_the_password() {
        for url in [
            "redis://:hush@host:port",
            "redis://:hush@host?durabilty=relaxed",
            "redis://:hush@host?durability=never",
            "redis://:hush@host?prefix={s00}",
            "redis+unix:///a.sock?pass=hush&cluster=true",
            "redis:hush",
        ] {
            let error = parse(url).unwrap_err().to_string();
            assert!(error.contains("store.url"), "{error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
