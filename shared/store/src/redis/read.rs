//! Reading what the scripts have written.

use std::collections::HashMap;

use protocol::{Message, MessageId, Topic};
use redis::{FromRedisValue, RedisResult};

use super::keys::Keys;
use super::link::Connection;
use super::scripts::LOAD;
use crate::{AggregateKey, OutboxEntry, StoreError, Stored, names};

/// An entry of a stream: its id and its fields.
pub(super) type StreamEntry = (String, HashMap<String, Vec<u8>>);

/// What [`LOAD`] answers: version, retired, version and state of the snapshot, entries after it.
pub(super) type Loaded = (
    u64,
    Option<String>,
    Option<u64>,
    Option<Vec<u8>>,
    Vec<StreamEntry>,
);

/// Runs the script that reads an aggregate.
pub(super) async fn load(
    connection: &mut Connection,
    keys: &Keys,
    aggregate: &AggregateKey,
) -> RedisResult<Loaded> {
    let mut script = LOAD.prepare_invoke();
    script
        .key(keys.state(aggregate))
        .key(keys.journal(aggregate));
    script.invoke_async(connection).await
}

/// Puts together what was read of an aggregate that is not retired.
pub(super) fn stored(aggregate: &AggregateKey, loaded: Loaded) -> Result<Stored, StoreError> {
    let (version, _, snapshot_at, state, entries) = loaded;
    let snapshot = snapshot_at.zip(state);
    let from = snapshot.as_ref().map_or(0, |(at, _)| *at);
    let entries = entries_of(aggregate, entries)?;
    if !entries.iter().map(|(at, _)| *at).eq(from + 1..=version) {
        return Err(journal_is_corrupt(
            aggregate,
            format!("its entries after version {from} do not make version {version}"),
        ));
    }
    Ok(Stored {
        version,
        snapshot,
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
    })
}

/// Journal entries, each with its version.
pub(super) fn entries_of(
    aggregate: &AggregateKey,
    entries: Vec<StreamEntry>,
) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
    entries
        .into_iter()
        .map(|(id, mut fields)| {
            number(&id)
                .zip(fields.remove("e"))
                .ok_or_else(|| journal_is_corrupt(aggregate, format!("{id} is no journal entry")))
        })
        .collect()
}

pub(super) fn journal_is_corrupt(aggregate: &AggregateKey, why: String) -> StoreError {
    StoreError::Corrupt {
        place: format!("journal of {}/{}", aggregate.service, aggregate.key),
        why,
    }
}

/// Outbox entries up to the first that cannot be read. When that is the first of all, an error.
pub(super) fn outbox_of(entries: Vec<StreamEntry>) -> Result<Vec<OutboxEntry>, StoreError> {
    let mut read = Vec::with_capacity(entries.len());
    for (id, fields) in entries {
        let place = number(&id).unwrap_or_default();
        match message(fields) {
            Ok(message) => read.push(OutboxEntry { place, message }),
            // What is before it can go; it is told about when it is its turn.
            Err(_) if !read.is_empty() => break,
            Err(why) => {
                return Err(StoreError::Corrupt {
                    place: format!("outbox entry {place}"),
                    why,
                });
            }
        }
    }
    Ok(read)
}

fn message(mut fields: HashMap<String, Vec<u8>>) -> Result<Message, String> {
    let mut text = |field: &str| {
        let bytes = fields
            .remove(field)
            .ok_or_else(|| format!("it has no field {field:?}"))?;
        String::from_utf8(bytes).map_err(|_| format!("its field {field:?} is no text"))
    };
    let shard = text("n")?;
    let shard = shard
        .parse()
        .map_err(|_| format!("{shard:?} is no number of a shard"))?;
    Ok(Message {
        id: MessageId(text("i")?),
        trace: text("t")?,
        to: Topic {
            service: names::service(&text("s")?)?,
            shard: names::shard(shard)?,
        },
        key: text("k")?,
        body: text("b")?,
    })
}

/// The number that an id of a stream stands for.
fn number(id: &str) -> Option<u64> {
    id.strip_suffix("-0")?.parse().ok()
}

/// A stream's entries with ids after this number.
pub(super) async fn stream(
    connection: &mut Connection,
    key: String,
    after: u64,
    limit: usize,
) -> RedisResult<Vec<StreamEntry>> {
    redis::cmd("XRANGE")
        .arg(key)
        .arg(format!("({after}-0"))
        .arg("+")
        .arg("COUNT")
        .arg(at_most(limit))
        .query_async(connection)
        .await
}

/// A limit as the server takes it.
pub(super) fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// One command, one answer.
pub(super) async fn ask<T: FromRedisValue>(
    connection: &mut Connection,
    command: &mut redis::Cmd,
) -> RedisResult<T> {
    command.query_async(connection).await
}
