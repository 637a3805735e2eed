//! Dead letters of the in-process bus, in a small file of their own: they outlive the process.
//!
//! A letter that was put back stays in the file, out of sight, until its message has been
//! settled, because the queue it is in does not outlive the process.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use protocol::{Message, Service};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{DeadLetter, OpenError};

/// The file's name in its folder.
const FILE: &str = "dead-letters.sqlite";

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS letters (
        id       INTEGER PRIMARY KEY AUTOINCREMENT,
        service  TEXT    NOT NULL,
        message  TEXT    NOT NULL,
        reason   TEXT    NOT NULL,
        put_back INTEGER NOT NULL DEFAULT 0
    ) STRICT;
";

/// The file. Every method blocks.
pub(super) struct Letters(Mutex<Connection>);

impl Letters {
    pub(super) fn open(folder: &Path) -> Result<Self, OpenError> {
        let file = folder.join(FILE);
        let connect = || -> rusqlite::Result<Connection> {
            let connection = Connection::open(&file)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            connection.execute_batch(SCHEMA)?;
            Ok(connection)
        };
        let broken = |why: String| OpenError::Letters {
            file: file.clone(),
            why,
        };
        std::fs::create_dir_all(folder).map_err(|e| broken(e.to_string()))?;
        let connection = connect().map_err(|e| broken(e.to_string()))?;
        Ok(Self(Mutex::new(connection)))
    }

    /// Keeps a message that is given up; `earlier` is the letter it was before, if it had been
    /// put back.
    pub(super) fn keep(
        &self,
        message: &Message,
        reason: &str,
        earlier: Option<u64>,
    ) -> rusqlite::Result<()> {
        let text = serde_json::to_string(message)
            .map_err(|e| rusqlite::Error::ToSqlConversionFailure(Box::new(e)))?;
        self.with(|connection| {
            let step = connection.transaction()?;
            if let Some(id) = earlier {
                step.execute("DELETE FROM letters WHERE id = ?1", [id.cast_signed()])?;
            }
            step.execute(
                "INSERT INTO letters (service, message, reason) VALUES (?1, ?2, ?3)",
                params![message.to.service.name(), text, reason],
            )?;
            step.commit()
        })
    }

    /// The letters of a service, oldest first.
    pub(super) fn list(&self, service: Service) -> rusqlite::Result<Vec<DeadLetter>> {
        self.with(|connection| {
            connection
                .prepare(
                    "SELECT id, message, reason FROM letters
                     WHERE service = ?1 AND put_back = 0 ORDER BY id",
                )?
                .query_map([service.name()], |row| {
                    Ok(DeadLetter {
                        id: row.get::<_, i64>(0)?.cast_unsigned(),
                        message: read(1, &row.get::<_, String>(1)?)?,
                        reason: row.get(2)?,
                    })
                })?
                .collect()
        })
    }

    /// Marks a letter as put back and gives its message; `None` when there is no such letter.
    pub(super) fn take(&self, service: Service, id: u64) -> rusqlite::Result<Option<Message>> {
        self.with(|connection| {
            connection
                .query_row(
                    "UPDATE letters SET put_back = 1
                     WHERE id = ?1 AND service = ?2 AND put_back = 0 RETURNING message",
                    params![id.cast_signed(), service.name()],
                    |row| read(0, &row.get::<_, String>(0)?),
                )
                .optional()
        })
    }

    /// Forgets a letter that was put back and has been handled.
    pub(super) fn forget(&self, id: u64) -> rusqlite::Result<()> {
        self.with(|connection| {
            connection.execute("DELETE FROM letters WHERE id = ?1", [id.cast_signed()])?;
            Ok(())
        })
    }

    /// What was put back and not settled when the process ended.
    pub(super) fn unsettled(&self) -> rusqlite::Result<Vec<(u64, Message)>> {
        self.with(|connection| {
            connection
                .prepare("SELECT id, message FROM letters WHERE put_back = 1 ORDER BY id")?
                .query_map((), |row| {
                    let id = row.get::<_, i64>(0)?.cast_unsigned();
                    Ok((id, read(1, &row.get::<_, String>(1)?)?))
                })?
                .collect()
        })
    }

    fn with<T>(
        &self,
        what: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        what(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read(column: usize, text: &str) -> rusqlite::Result<Message> {
    serde_json::from_str(text).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(e))
    })
}
