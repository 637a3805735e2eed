//! The embedded kind against the conformance suite, and what is its own.

use std::sync::Arc;

use async_trait::async_trait;
use protocol::{Service, Shard};
use rusqlite::params;
use store::conformance::Ground;
use store::sqlite::SqliteStore;
use store::{OpenError, Store};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder"))
    }
}

#[async_trait]
impl Ground for Folder {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.0.path()).expect("a store"))
    }

    async fn spoil_outbox(&self, service: Service, shard: Shard, place: u64) {
        let file = SqliteStore::database(self.0.path());
        let changed = rusqlite::Connection::open(file)
            .and_then(|connection| {
                connection.execute(
                    "UPDATE outbox SET to_service = 'nobody'
                     WHERE service = ?1 AND shard = ?2 AND place = ?3",
                    params![service.name(), shard.number(), place.cast_signed()],
                )
            })
            .expect("the entry can be spoiled");
        assert_eq!(changed, 1);
    }
}

store::conformance_tests!(Folder::new());

#[tokio::test]
async fn a_folder_belongs_to_one_process() {
    let folder = Folder::new();
    let first = folder.open().await;
    match SqliteStore::open(folder.0.path()) {
        Err(OpenError::InUse { folder: named }) => assert_eq!(named, folder.0.path()),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("a folder in use was opened again"),
    }
    first.health().await.expect("the first is not disturbed");
    drop(first);
    folder.open().await;
}

#[tokio::test]
async fn opening_makes_the_folder_and_tells_what_is_in_the_way() {
    let folder = Folder::new();
    let deep = folder.0.path().join("a/b");
    store::open(&format!("file:{}", deep.display()))
        .await
        .expect("a store");
    assert!(SqliteStore::database(&deep).exists());

    let file = folder.0.path().join("plain");
    std::fs::write(&file, "no folder").expect("a file");
    let error = store::open(&format!("file:{}", file.display()))
        .await
        .err()
        .expect("no folder");
    assert!(error.to_string().contains("plain"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = Folder::new();
    let file = SqliteStore::database(folder.0.path());
    let garbage = "this is no database at all, but somebody's notes. ".repeat(100);
    std::fs::write(&file, &garbage).expect("a file");
    let error = SqliteStore::open(folder.0.path())
        .err()
        .expect("no database")
        .to_string();
    assert!(error.contains("cannot be used"), "{error}");
    assert_eq!(
        std::fs::read_to_string(&file).expect("still there"),
        garbage
    );
}

#[tokio::test]
async fn a_file_of_a_newer_release_is_refused() {
    let folder = Folder::new();
    drop(folder.open().await);
    rusqlite::Connection::open(SqliteStore::database(folder.0.path()))
        .and_then(|connection| connection.pragma_update(None, "user_version", 99))
        .expect("a newer format");
    let error = SqliteStore::open(folder.0.path())
        .err()
        .expect("newer")
        .to_string();
    assert!(error.contains("newer release (its format is 99"), "{error}");
}
