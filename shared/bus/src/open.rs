//! Opening a bus by URL.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Bus;
use crate::amqp::{AmqpBus, Settings};
use crate::local::LocalBus;

/// Why a bus could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file of dead letters cannot be used.
    #[error("dead letters in {} cannot be used: {why}", file.display())]
    Letters {
        /// The file.
        file: PathBuf,
        /// Why not.
        why: String,
    },
    /// The broker's address cannot be used.
    #[error("the broker's address: {why}")]
    Address {
        /// Why not.
        why: String,
    },
    /// A kind of bus that there is not.
    #[error("there is no bus of kind {kind:?}: use local, or amqp://user:password@host:port/vhost")]
    UnknownKind {
        /// The kind.
        kind: String,
    },
}

/// Opens the bus at `url`: `local` for the in-process kind, which keeps its dead letters in
/// `folder`; `amqp://user:password@host:port/vhost` for the one over RabbitMQ, whose broker may
/// come later.
pub async fn open(url: &str, folder: &Path) -> Result<Arc<dyn Bus>, OpenError> {
    let kind = url.split(':').next().unwrap_or(url);
    if kind == "amqp" || kind == "amqps" {
        return Ok(Arc::new(AmqpBus::open(url, Settings::default())?));
    }
    if url != "local" {
        let kind = kind.to_owned();
        return Err(OpenError::UnknownKind { kind });
    }
    let folder = folder.to_owned();
    let opened = tokio::task::spawn_blocking(move || LocalBus::open(&folder)).await;
    match opened {
        Ok(bus) => Ok(Arc::new(bus?)),
        // The opening never panics on what it finds; if it does, that is a fault of ours.
        Err(panicked) => std::panic::resume_unwind(panicked.into_panic()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn other_kinds_are_refused_with_a_way_out() {
        for url in ["kafka://user:hush@host:5672/vhost", "nonsense", ""] {
            let error = open(url, Path::new("nowhere"))
                .await
                .err()
                .expect("no such kind");
            let text = error.to_string();
            assert!(text.contains("use local"), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }
    #[tokio::test]
    async fn a_broker_need_not_be_there_yet() {
        let url = "amqp://user:hush@127.0.0.1:1/vhost";
        let bus = open(url, Path::new("nowhere")).await.expect("a bus");
        let why = bus.health().await.expect_err("not there").to_string();
        assert!(why.contains("127.0.0.1:1/vhost"), "{why}");
        assert!(!why.contains("hush"), "{why}");
    }
}
