//! The tables, and how older files are brought up to date.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;

use crate::OpenError;

/// The script that brings a file from format `n` to `n + 1` is at place `n`. Scripts are only
/// ever added.
const MIGRATIONS: &[&str] = &[
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
];

/// How long a reader waits for SQLite's own short locks (while it recovers after a crash).
const BUSY: Duration = Duration::from_secs(5);

/// Brings the file to this build's format. Each step is one transaction.
pub(super) fn migrate(connection: &mut Connection, folder: &Path) -> Result<(), OpenError> {
    migrate_with(connection, folder, MIGRATIONS)
}

fn migrate_with(
    connection: &mut Connection,
    folder: &Path,
    scripts: &[&str],
) -> Result<(), OpenError> {
    let broken = |why: rusqlite::Error| OpenError::Folder {
        folder: folder.to_owned(),
        why: format!("its database: {why}"),
    };
    let found: u32 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(broken)?;
    let known = u32::try_from(scripts.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(OpenError::Newer {
            folder: folder.to_owned(),
            found,
            known,
        });
    }
    for (format, script) in (1..).zip(scripts).skip(found as usize) {
        let step = connection.transaction().map_err(broken)?;
        step.execute_batch(script).map_err(broken)?;
        step.pragma_update(None, "user_version", format)
            .map_err(broken)?;
        step.commit().map_err(broken)?;
    }
    Ok(())
}

/// Settings of the one connection that writes. `synchronous=FULL` in WAL mode: a commit returns
/// when it is on disk.
pub(super) fn set_up_writer(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // The writer folds the log in itself, when it has nothing else to do.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Settings of a connection that reads.
pub(super) fn set_up_reader(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_is_brought_up_to_date_and_keeps_its_rows() {
        let mut connection = Connection::open_in_memory().unwrap();
        let folder = Path::new("here");
        let first = ["CREATE TABLE a (x INTEGER) STRICT"];
        migrate_with(&mut connection, folder, &first).unwrap();
        connection.execute("INSERT INTO a VALUES (7)", ()).unwrap();

        let both = [
            first[0],
            "ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 3",
        ];
        migrate_with(&mut connection, folder, &both).unwrap();
        migrate_with(&mut connection, folder, &both).unwrap();
        let row: (i64, i64) = connection
            .query_row("SELECT x, y FROM a", (), |r| Ok((r.get(0)?, r.get(1)?)))
            .unwrap();
        assert_eq!(row, (7, 3));

        let error = migrate_with(&mut connection, folder, &first)
            .unwrap_err()
            .to_string();
        assert!(error.contains("newer release"), "{error}");
    }

    #[test]
    fn a_failed_step_leaves_the_file_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        let bad = ["CREATE TABLE a (x INTEGER) STRICT; CREATE TABLE a (x INTEGER) STRICT"];
        assert!(migrate_with(&mut connection, Path::new("here"), &bad).is_err());
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_master", (), |r| r.get(0))
            .unwrap();
        assert_eq!(tables, 0);
    }
}
