//! Names of keys, and how deadlines are written.
//!
//! All keys of a shard have the hash tag `{sNN}`, so that a Redis Cluster keeps them on one node
//! and one script may touch them. Of an aggregate: `a` state (hash), `j` journal (stream), `h`
//! handled messages (hash), `z` archive (list), `q` who holds it, `r` number of the last holding. Of
//! a service in a shard: `o` outbox (stream), `p` last place given, `l` lease, `f` number of the last
//! lease, `k` keys (set), `t` trials (hash). Of a shard: `d` deadlines (sorted set), `pulse`.

use protocol::{MessageId, Service, Shard};
use rules::Time;

use crate::{AggregateKey, Deadline, DueDeadline, names};

/// Makes the names of one store's keys.
#[derive(Debug, Clone)]
pub(super) struct Keys {
    prefix: String,
}

impl Keys {
    /// Several stores may share a server under different prefixes.
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
        }
    }

    pub(super) fn state(&self, of: &AggregateKey) -> String {
        self.of_aggregate('a', of)
    }

    pub(super) fn journal(&self, of: &AggregateKey) -> String {
        self.of_aggregate('j', of)
    }

    pub(super) fn handled(&self, of: &AggregateKey) -> String {
        self.of_aggregate('h', of)
    }

    pub(super) fn archive(&self, of: &AggregateKey) -> String {
        self.of_aggregate('z', of)
    }

    pub(super) fn holding(&self, of: &AggregateKey) -> String {
        self.of_aggregate('q', of)
    }

    pub(super) fn holdings(&self, of: &AggregateKey) -> String {
        self.of_aggregate('r', of)
    }

    pub(super) fn outbox(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("o:{service}"))
    }

    pub(super) fn places(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("p:{service}"))
    }

    pub(super) fn lease(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("l:{service}"))
    }

    pub(super) fn fence(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("f:{service}"))
    }

    pub(super) fn index(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("k:{service}"))
    }

    pub(super) fn trials(&self, service: Service, shard: Shard) -> String {
        self.of_shard(shard, &format!("t:{service}"))
    }

    pub(super) fn due(&self, shard: Shard) -> String {
        self.of_shard(shard, "d")
    }

    pub(super) fn pulse(&self, shard: Shard) -> String {
        self.of_shard(shard, "pulse")
    }

    /// Where the format of all this is written down.
    pub(super) fn format(&self) -> String {
        format!("{}:format", self.prefix)
    }

    /// The channel on which commits tell of outboxes.
    pub(super) fn bells(&self) -> String {
        format!("{}:bells", self.prefix)
    }

    fn of_aggregate(&self, kind: char, of: &AggregateKey) -> String {
        self.of_shard(of.shard(), &format!("{kind}:{}/{}", of.service, of.key))
    }

    fn of_shard(&self, shard: Shard, rest: &str) -> String {
        format!("{}:{{s{shard}}}:{rest}", self.prefix)
    }
}

/// A message of an aggregate as a field of its trials.
pub(super) fn trial(of: &AggregateKey, message: &MessageId) -> String {
    format!("{}:{}{message}", of.key.len(), of.key)
}

/// A deadline as a member of its shard's set: sorted as bytes, the earliest comes first. (Scores
/// are floating point and would not keep every instant.)
pub(super) fn due_member(aggregate: &AggregateKey, deadline: &Deadline) -> String {
    let (service, key) = (aggregate.service, &aggregate.key);
    let (at, name) = (sortable(deadline.at), &deadline.name);
    format!("{at}{service}/{}:{key}{name}", key.len())
}

/// Reads what [`due_member`] has written.
pub(super) fn parse_due_member(member: &str) -> Result<DueDeadline, String> {
    let parse = || {
        let (at, rest) = member.split_at_checked(16)?;
        let at = u64::from_str_radix(at, 16).ok()?;
        let (service, rest) = rest.split_once('/')?;
        let (length, rest) = rest.split_once(':')?;
        let (key, name) = rest.split_at_checked(length.parse().ok()?)?;
        Some(DueDeadline {
            aggregate: AggregateKey {
                service: names::service(service).ok()?,
                key: key.to_owned(),
            },
            deadline: Deadline {
                name: name.to_owned(),
                at: Time((at ^ SIGN).cast_signed()),
            },
        })
    };
    parse().ok_or_else(|| format!("{member:?} is no deadline"))
}

const SIGN: u64 = 1 << 63;

/// The bound of a range of members up to and with this instant.
pub(super) fn due_until(until: Time) -> String {
    match until.0.checked_add(1) {
        Some(after) => format!("({}", sortable(Time(after))),
        None => "+".to_owned(),
    }
}

fn sortable(at: Time) -> String {
    format!("{:016x}", at.0.cast_unsigned() ^ SIGN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_are_sorted_and_read_back() {
        let instants = [i64::MIN, -1, 0, 1, 1_800_000_000_000, i64::MAX];
        let written: Vec<_> = instants
            .map(|at| {
                let due = DueDeadline {
                    aggregate: AggregateKey {
                        service: Service::Publish,
                        key: "鸣潮:{s07}/1".to_owned(),
                    },
                    deadline: Deadline {
                        name: "dawn#3:/".to_owned(),
                        at: Time(at),
                    },
                };
                let member = due_member(&due.aggregate, &due.deadline);
                assert_eq!(parse_due_member(&member), Ok(due));
                member
            })
            .to_vec();
        assert!(written.is_sorted());
        for garbage in [
            "",
            "7",
            "8000000000000000nobody/1:ab",
            "8000000000000000night/9:ab",
        ] {
            assert!(parse_due_member(garbage).is_err(), "{garbage}");
        }
    }

    #[test]
    fn keys_of_a_shard_have_its_tag_whatever_the_aggregate_is_called() {
        let of = AggregateKey {
            service: Service::Night,
            key: "{other}".to_owned(),
        };
        let key = Keys::new("duskgate").state(&of);
        assert_eq!(
            key,
            format!("duskgate:{{s{}}}:a:night/{{other}}", of.shard())
        );
    }
}
