//! What is read, and the connections for it.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use protocol::{MessageId, Service};
use rules::Time;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use super::step::Found;
use super::{schema, step, store_error};
use crate::{AggregateKey, Deadline, DueDeadline, StoreError, Stored, names};

/// So many idle connections are kept for the next reader.
const KEPT: usize = 4;

/// Connections that read.
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            idle: Mutex::default(),
        }
    }

    /// Reads with a connection of its own. Blocks.
    pub(super) fn with<T>(
        &self,
        what: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.connect().map_err(|e| store_error(&e))?,
        };
        let result = what(&mut connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if result.is_ok() && idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }

    fn connect(&self) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        schema::set_up_reader(&connection)?;
        Ok(connection)
    }
}

type Read<T> = Result<T, StoreError>;

/// See [`Store::load`](crate::Store::load).
pub(super) fn load(connection: &mut Connection, aggregate: &AggregateKey) -> Read<Stored> {
    let read = |connection: &mut Connection| -> rusqlite::Result<Stored> {
        // One transaction: version, snapshot and entries belong together.
        let view = connection.transaction()?;
        let Some(Found { id, version, .. }) = step::find(&view, aggregate)? else {
            return Ok(Stored::default());
        };
        let snapshot = view
            .prepare_cached("SELECT version, state FROM snapshots WHERE aggregate = ?1")?
            .query_row([id], |row| Ok((unsigned(row, 0)?, row.get(1)?)))
            .optional()?;
        let from = snapshot
            .as_ref()
            .map_or(0, |(version, _): &(u64, Vec<u8>)| *version);
        let entries = view
            .prepare_cached(
                "SELECT entry FROM journal WHERE aggregate = ?1 AND version > ?2 ORDER BY version",
            )?
            .query_map(params![id, from.cast_signed()], |row| row.get(0))?
            .collect::<rusqlite::Result<Vec<Vec<u8>>>>()?;
        Ok(Stored {
            version,
            snapshot,
            entries,
        })
    };
    let stored = read(connection).map_err(|e| store_error(&e))?;
    let from = stored.snapshot.as_ref().map_or(0, |(version, _)| *version);
    if from + stored.entries.len() as u64 == stored.version {
        return Ok(stored);
    }
    Err(StoreError::Corrupt {
        place: format!("journal of {}/{}", aggregate.service, aggregate.key),
        why: format!(
            "{} entries after version {from} do not make version {}",
            stored.entries.len(),
            stored.version
        ),
    })
}

/// See [`Store::handled`](crate::Store::handled).
pub(super) fn handled(
    connection: &Connection,
    aggregate: &AggregateKey,
    message: &MessageId,
) -> Read<Option<u64>> {
    let read = || -> rusqlite::Result<Option<u64>> {
        match step::find(connection, aggregate)? {
            Some(found) => step::handled(connection, &found, message),
            None => Ok(None),
        }
    };
    read().map_err(|e| store_error(&e))
}

/// See [`Store::version`](crate::Store::version).
pub(super) fn version(connection: &Connection, aggregate: &AggregateKey) -> Read<u64> {
    let found = step::find(connection, aggregate).map_err(|e| store_error(&e))?;
    Ok(found.map_or(0, |found| found.version))
}

/// See [`Store::journal`](crate::Store::journal).
pub(super) fn journal(
    connection: &Connection,
    aggregate: &AggregateKey,
    after: u64,
    limit: usize,
) -> Read<Vec<(u64, Vec<u8>)>> {
    let read = || -> rusqlite::Result<Vec<(u64, Vec<u8>)>> {
        let Some(Found { id, .. }) = step::find(connection, aggregate)? else {
            return Ok(Vec::new());
        };
        connection
            .prepare_cached(
                "SELECT version, entry FROM journal WHERE aggregate = ?1 AND version > ?2
                 ORDER BY version LIMIT ?3",
            )?
            .query_map(params![id, after.cast_signed(), at_most(limit)], |row| {
                Ok((unsigned(row, 0)?, row.get(1)?))
            })?
            .collect()
    };
    read().map_err(|e| store_error(&e))
}

/// See [`Store::keys`](crate::Store::keys).
pub(super) fn keys(connection: &Connection, service: Service) -> Read<Vec<String>> {
    let read = || -> rusqlite::Result<Vec<String>> {
        connection
            .prepare_cached(
                "SELECT key FROM aggregates WHERE service = ?1 AND retired = 0 ORDER BY key",
            )?
            .query_map([service.name()], |row| row.get(0))?
            .collect()
    };
    read().map_err(|e| store_error(&e))
}

/// See [`Store::due`](crate::Store::due).
pub(super) fn due(connection: &Connection, until: Time, limit: usize) -> Read<Vec<DueDeadline>> {
    type Raw = (String, String, String, i64);
    let read = || -> rusqlite::Result<Vec<Raw>> {
        connection
            .prepare_cached(
                "SELECT a.service, a.key, d.name, d.at FROM deadlines d
                 JOIN aggregates a ON a.id = d.aggregate
                 WHERE d.at <= ?1 ORDER BY d.at, d.aggregate, d.name LIMIT ?2",
            )?
            .query_map(params![until.0, at_most(limit)], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
            })?
            .collect()
    };
    let rows = read().map_err(|e| store_error(&e))?;
    rows.into_iter()
        .map(|(owner, key, name, at)| {
            let service = names::service(&owner).map_err(|why| StoreError::Corrupt {
                place: format!("deadline {name} of {owner}/{key}"),
                why,
            })?;
            Ok(DueDeadline {
                aggregate: AggregateKey { service, key },
                deadline: Deadline { name, at: Time(at) },
            })
        })
        .collect()
}

/// See [`Store::next_due`](crate::Store::next_due).
pub(super) fn next_due(connection: &Connection) -> Read<Option<Time>> {
    let read = || -> rusqlite::Result<Option<Time>> {
        connection
            .prepare_cached("SELECT min(at) FROM deadlines")?
            .query_row((), |row| Ok(row.get::<_, Option<i64>>(0)?.map(Time)))
    };
    read().map_err(|e| store_error(&e))
}

fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}

fn at_most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}
