//! What one job writes, within the transaction that it shares with others.

use protocol::{Message, MessageId};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{AggregateKey, Commit, Committed, Deadline};

/// Takes a step, or finds that it must not be taken. Gives the places of its messages, too.
pub(super) fn commit(
    connection: &Connection,
    commit: &Commit,
) -> rusqlite::Result<(Committed, Vec<u64>)> {
    let found = find(connection, &commit.aggregate)?;
    if let Some(found) = &found
        && let Some(version) = handled(connection, found, &commit.message)?
    {
        return Ok((Committed::Repeat(version), Vec::new()));
    }
    let current = found.as_ref().map_or(0, |found| found.version);
    let mut fits = current == commit.expected;
    if let (Some(found), Some(after)) = (&found, &commit.after) {
        fits &= handled(connection, found, after)? == Some(current);
    }
    if !fits {
        return Ok((Committed::Conflict(current), Vec::new()));
    }
    let version = current + 1;
    let id = match found {
        Some(Found { id, .. }) => {
            connection
                .prepare_cached("UPDATE aggregates SET version = ?2 WHERE id = ?1")?
                .execute(params![id, version.cast_signed()])?;
            id
        }
        None => connection
            .prepare_cached("INSERT INTO aggregates (service, key, version) VALUES (?1, ?2, ?3)")?
            .insert(params![
                commit.aggregate.service.name(),
                commit.aggregate.key,
                version.cast_signed()
            ])?,
    };
    connection
        .prepare_cached("INSERT INTO journal (aggregate, version, entry) VALUES (?1, ?2, ?3)")?
        .execute(params![id, version.cast_signed(), commit.entry])?;
    connection
        .prepare_cached("INSERT INTO handled (aggregate, message, version) VALUES (?1, ?2, ?3)")?
        .execute(params![id, commit.message.0, version.cast_signed()])?;
    if let Some(state) = &commit.snapshot {
        put_snapshot(connection, id, version, state)?;
    }
    if let Some(deadlines) = &commit.deadlines {
        set_deadlines(connection, id, deadlines)?;
    }
    let places = commit
        .outbox
        .iter()
        .map(|message| put_into_outbox(connection, &commit.aggregate, message))
        .collect::<rusqlite::Result<_>>()?;
    Ok((Committed::Done(version), places))
}

/// Keeps a snapshot of an aggregate that is at this version; false when it is at another.
pub(super) fn keep_snapshot(
    connection: &Connection,
    aggregate: &AggregateKey,
    version: u64,
    state: &[u8],
) -> rusqlite::Result<bool> {
    match find(connection, aggregate)? {
        Some(found) if found.version == version && !found.retired => {
            put_snapshot(connection, found.id, version, state)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// Retires an aggregate that is at this version; false when it is at another.
pub(super) fn retire(
    connection: &Connection,
    aggregate: &AggregateKey,
    version: u64,
) -> rusqlite::Result<bool> {
    let Some(found) = find(connection, aggregate)?.filter(|found| found.version == version) else {
        return Ok(false);
    };
    for statement in [
        "UPDATE aggregates SET retired = 1 WHERE id = ?1",
        "DELETE FROM handled WHERE aggregate = ?1",
        "DELETE FROM deadlines WHERE aggregate = ?1",
    ] {
        connection.prepare_cached(statement)?.execute([found.id])?;
    }
    Ok(true)
}

fn put_snapshot(
    connection: &Connection,
    id: i64,
    version: u64,
    state: &[u8],
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO snapshots (aggregate, version, state) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![id, version.cast_signed(), state])?;
    Ok(())
}

/// An aggregate's row.
pub(super) struct Found {
    pub(super) id: i64,
    pub(super) version: u64,
    /// Is its story over?
    pub(super) retired: bool,
}

/// The row of an aggregate.
pub(super) fn find(
    connection: &Connection,
    aggregate: &AggregateKey,
) -> rusqlite::Result<Option<Found>> {
    connection
        .prepare_cached(
            "SELECT id, version, retired FROM aggregates WHERE service = ?1 AND key = ?2",
        )?
        .query_row(params![aggregate.service.name(), aggregate.key], |row| {
            Ok(Found {
                id: row.get(0)?,
                version: row.get::<_, i64>(1)?.cast_unsigned(),
                retired: row.get(2)?,
            })
        })
        .optional()
}

/// The version of the step that handled a message. Of a retired aggregate everything counts as
/// handled.
pub(super) fn handled(
    connection: &Connection,
    found: &Found,
    message: &MessageId,
) -> rusqlite::Result<Option<u64>> {
    if found.retired {
        return Ok(Some(found.version));
    }
    connection
        .prepare_cached("SELECT version FROM handled WHERE aggregate = ?1 AND message = ?2")?
        .query_row(params![found.id, message.0], |row| {
            Ok(row.get::<_, i64>(0)?.cast_unsigned())
        })
        .optional()
}

/// Makes these the aggregate's deadlines, touching only what differs.
fn set_deadlines(connection: &Connection, id: i64, new: &[Deadline]) -> rusqlite::Result<()> {
    let old = connection
        .prepare_cached("SELECT name, at FROM deadlines WHERE aggregate = ?1")?
        .query_map([id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    for (name, _) in old
        .iter()
        .filter(|(name, _)| !new.iter().any(|d| d.name == *name))
    {
        connection
            .prepare_cached("DELETE FROM deadlines WHERE aggregate = ?1 AND name = ?2")?
            .execute(params![id, name])?;
    }
    for deadline in new {
        if old
            .iter()
            .any(|(name, at)| *name == deadline.name && *at == deadline.at.0)
        {
            continue;
        }
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO deadlines (aggregate, name, at) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![id, deadline.name, deadline.at.0])?;
    }
    Ok(())
}

/// Gives the message's place.
fn put_into_outbox(
    connection: &Connection,
    from: &AggregateKey,
    message: &Message,
) -> rusqlite::Result<u64> {
    let place = connection
        .prepare_cached(
            "INSERT INTO outbox (service, shard, message, trace, to_service, to_shard, key, body)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .insert(params![
            from.service.name(),
            from.shard().number(),
            message.id.0,
            message.trace,
            message.to.service.name(),
            message.to.shard.number(),
            message.key,
            message.body,
        ])?;
    Ok(place.cast_unsigned())
}

/// Forgets outbox entries.
pub(super) fn forget(connection: &Connection, places: &[u64]) -> rusqlite::Result<()> {
    let mut delete = connection.prepare_cached("DELETE FROM outbox WHERE place = ?1")?;
    for place in places {
        delete.execute([place.cast_signed()])?;
    }
    Ok(())
}

/// Counts that a message's handling begins.
pub(super) fn begin_trial(
    connection: &Connection,
    aggregate: &AggregateKey,
    message: &MessageId,
) -> rusqlite::Result<u32> {
    connection
        .prepare_cached(
            "INSERT INTO trials (service, key, message, begun) VALUES (?1, ?2, ?3, 1)
             ON CONFLICT DO UPDATE SET begun = begun + 1 RETURNING begun",
        )?
        .query_row(
            params![aggregate.service.name(), aggregate.key, message.0],
            |row| row.get(0),
        )
}

/// Forgets that count.
pub(super) fn end_trial(
    connection: &Connection,
    aggregate: &AggregateKey,
    message: &MessageId,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM trials WHERE service = ?1 AND key = ?2 AND message = ?3")?
        .execute(params![aggregate.service.name(), aggregate.key, message.0])?;
    Ok(())
}

/// Writes something that nobody reads.
pub(super) fn pulse(connection: &Connection) -> rusqlite::Result<()> {
    connection
        .prepare_cached("UPDATE pulse SET beats = beats + 1 WHERE id = 1")?
        .execute(())?;
    Ok(())
}
