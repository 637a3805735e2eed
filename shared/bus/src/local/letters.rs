//! Dead letters of the in-process bus, in a small file of their own: they outlive the process.
//!
//! A letter that was put back stays in the file, out of sight, until its message has been
//! settled, because the queue it is in does not outlive the process.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use protocol::{Message, Service};
use rusqlite::{Connection, params};

use crate::{DeadLetter, OpenError};

/// The file's name in its folder.
const FILE: &str = "dead-letters.sqlite";

/// How long another process may keep us waiting.
const BUSY: Duration = Duration::from_secs(5);

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
            // Another process may look at the letters, too.
            connection.busy_timeout(BUSY)?;
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

    /// Marks a letter as put back; answers whether there was one.
    pub(super) fn take(&self, service: Service, id: u64) -> rusqlite::Result<bool> {
        self.with(|connection| {
            let taken = connection.execute(
                "UPDATE letters SET put_back = 1 WHERE id = ?1 AND service = ?2 AND put_back = 0",
                params![id.cast_signed(), service.name()],
            )?;
            Ok(taken > 0)
        })
    }

    /// Forgets a letter that has not been put back; answers whether there was one.
    pub(super) fn drop(&self, service: Service, id: u64) -> rusqlite::Result<bool> {
        self.with(|connection| {
            let dropped = connection.execute(
                "DELETE FROM letters WHERE id = ?1 AND service = ?2 AND put_back = 0",
                params![id.cast_signed(), service.name()],
            )?;
            Ok(dropped > 0)
        })
    }

    /// How many letters of a service have not been put back.
    pub(super) fn count(&self, service: Service) -> rusqlite::Result<u64> {
        self.with(|connection| {
            connection.query_row(
                "SELECT count(*) FROM letters WHERE service = ?1 AND put_back = 0",
                [service.name()],
                |row| row.get::<_, i64>(0).map(i64::cast_unsigned),
            )
        })
    }

    /// Forgets a letter that was put back and has been handled.
    pub(super) fn forget(&self, id: u64) -> rusqlite::Result<()> {
        self.with(|connection| {
            connection.execute("DELETE FROM letters WHERE id = ?1", [id.cast_signed()])?;
            Ok(())
        })
    }

    /// What was put back, by whatever process, and is not settled; and whether it had been taken
    /// up before.
    pub(super) fn unsettled(&self) -> rusqlite::Result<Vec<(u64, Message, bool)>> {
        self.with(|connection| {
            connection
                .prepare(
                    "SELECT id, message, put_back FROM letters WHERE put_back > 0 ORDER BY id",
                )?
                .query_map((), |row| {
                    let id = row.get::<_, i64>(0)?.cast_unsigned();
                    let message = read(1, &row.get::<_, String>(1)?)?;
                    Ok((id, message, row.get::<_, i64>(2)? > 1))
                })?
                .collect()
        })
    }

    /// A letter that was put back is in its queue: if it is so again, in another process, the one
    /// before has not outlived it.
    pub(super) fn taken_up(&self, id: u64) -> rusqlite::Result<()> {
        self.with(|connection| {
            connection.execute(
                "UPDATE letters SET put_back = 2 WHERE id = ?1",
                [id.cast_signed()],
            )?;
            Ok(())
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
