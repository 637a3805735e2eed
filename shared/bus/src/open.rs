//! Opening a bus by URL.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Bus;
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
    /// A kind of bus that this build does not have.
    #[error(
        "there is no bus of kind {kind:?} in this release: use local (amqp:// comes with the \
         cluster)"
    )]
    UnknownKind {
        /// The kind.
        kind: String,
    },
}

/// Opens the bus at `url`: `local` for the in-process kind, which keeps its dead letters in
/// `folder`.
pub async fn open(url: &str, folder: &Path) -> Result<Arc<dyn Bus>, OpenError> {
    if url != "local" {
        let kind = url.split(':').next().unwrap_or(url).to_owned();
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
        for url in ["amqp://user:hush@host:5672/vhost", "nonsense", ""] {
            let error = open(url, Path::new("nowhere"))
                .await
                .err()
                .expect("no such kind");
            let text = error.to_string();
            assert!(text.contains("use local"), "{text}");
            assert!(!text.contains("hush"), "{text}");
        }
    }
}
