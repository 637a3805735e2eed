//! Opening a store by URL.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Store;
use crate::redis::RedisStore;
use crate::sqlite::SqliteStore;

/// Why a store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error(
        "folder {} is in use by another duskgate process: stop that one, or give this one \
         another folder (store.url)", folder.display()
    )]
    InUse {
        /// The folder.
        folder: PathBuf,
    },
    /// The folder or its files cannot be used.
    #[error("folder {} cannot be used: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        why: String,
    },
    /// A newer release wrote it.
    #[error(
        "folder {} was written by a newer release (its format is {found}, this release knows \
         {known}): run that release, or restore a backup", folder.display()
    )]
    Newer {
        /// The folder.
        folder: PathBuf,
        /// The format that was found.
        found: u32,
        /// The newest format that this build knows.
        known: u32,
    },
    /// A server's URL cannot be read.
    #[error("store.url cannot be used: {why}")]
    Url {
        /// Why not; never quotes the URL, which may have a password.
        why: String,
    },
    /// The server is not there, or lets nobody in.
    #[error("redis at {address} {why}")]
    Away {
        /// Which server.
        address: String,
        /// What is the matter.
        why: String,
    },
    /// The server might lose what it acknowledged.
    #[error(
        "redis at {address} may lose what it acknowledged: {why}. Set appendonly yes and \
         appendfsync always there, or accept it with ?durability=relaxed in store.url"
    )]
    NotDurable {
        /// Which server.
        address: String,
        /// Which of its settings.
        why: String,
    },
    /// A newer release wrote to the server.
    #[error(
        "redis at {address} was written by a newer release (its format is {found}, this release \
         knows {known}): run that release, or restore a backup"
    )]
    NewerServer {
        /// Which server.
        address: String,
        /// The format that was found.
        found: u32,
        /// The newest format that this build knows.
        known: u32,
    },
    /// A kind of store that this build does not have.
    #[error(
        "there is no store of kind {kind:?} in this release: use file:FOLDER, redis://HOST:PORT, \
         redis+unix:///SOCKET or redis-cluster://HOST:PORT,HOST:PORT"
    )]
    UnknownKind {
        /// The kind.
        kind: String,
    },
}

/// Opens the store at `url`: `file:FOLDER` for the embedded kind (the folder is made when it is
/// missing), `redis://…`, `redis+unix://…` or `redis-cluster://…` for the shared one (see
/// [`RedisStore::open`]).
pub async fn open(url: &str) -> Result<Arc<dyn Store>, OpenError> {
    if ["redis://", "redis+unix://", "redis-cluster://"]
        .iter()
        .any(|scheme| url.starts_with(scheme))
    {
        return Ok(Arc::new(RedisStore::open(url).await?));
    }
    let folder = folder(url)?;
    let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&folder)).await;
    match opened {
        Ok(store) => Ok(Arc::new(store?)),
        // The opening never panics on what it finds; if it does, that is a fault of ours.
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

/// The folder that a `file:` URL names.
pub fn folder(url: &str) -> Result<PathBuf, OpenError> {
    let unknown = |kind: &str| OpenError::UnknownKind {
        kind: kind.to_owned(),
    };
    let (kind, rest) = url.split_once(':').ok_or_else(|| unknown(url))?;
    if kind != "file" {
        return Err(unknown(kind));
    }
    let path = rest.strip_prefix("//").unwrap_or(rest);
    if path.is_empty() {
        return Err(OpenError::Folder {
            folder: PathBuf::new(),
            why: "no folder is named after file:".to_owned(),
        });
    }
    Ok(Path::new(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_urls_name_folders() {
        for (url, path) in [
            ("file:./duskgate-data", "./duskgate-data"),
            ("file:data", "data"),
            ("file:/var/lib/duskgate", "/var/lib/duskgate"),
            ("file:///var/lib/duskgate", "/var/lib/duskgate"),
        ] {
            assert_eq!(folder(url).unwrap(), Path::new(path), "{url}");
        }
    }

    #[tokio::test]
    async fn other_kinds_are_refused_with_a_way_out() {
        for url in ["mysql://user:hush@host:6379", "nonsense", ""] {
            let error = open(url).await.err().expect("no such kind").to_string();
            assert!(error.contains("use file:FOLDER"), "{error}");
            assert!(!error.contains("hush"), "{error}");
        }
    }
}
