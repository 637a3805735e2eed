//! Helpers for tests of services (feature `testing`).

use std::future::Future;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::config::Config;
use crate::parts::Parts;
use crate::time::TimeSource;

/// Parts with a store of their own in a temporary folder and an in-process bus. The folder goes
/// when this is dropped.
pub struct TestParts {
    parts: Parts,
    folder: TempDir,
}

impl TestParts {
    /// Fresh parts with the built-in settings and the machine's clock.
    pub async fn new() -> Self {
        Self::with(Config::default(), TimeSource::system()).await
    }

    /// Fresh parts with these settings and this clock. The settings' store and bus are not
    /// looked at.
    pub async fn with(config: Config, clock: TimeSource) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        Self {
            parts: open(folder.path(), config, clock).await,
            folder,
        }
    }

    /// Stops everything that runs on these parts and opens the same folder again, as after a
    /// restart of the process. Let go of all other clones of the parts before, or soon.
    ///
    /// # Panics
    /// When somebody holds on to the store.
    pub async fn restart(self) -> Self {
        let Self { parts, folder } = self;
        parts.shutdown.cancel();
        let (config, clock) = (Config::clone(&parts.config), parts.clock.clone());
        drop(parts);
        let parts = open(folder.path(), config, clock).await;
        Self { parts, folder }
    }

    /// Where the store is.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Deref for TestParts {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

/// How long [`wait_for`] is patient as a rule.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until `look` finds what it looks for.
///
/// # Panics
/// When it has not after `deadline`: `what` is then in the message.
pub async fn wait_for<T, F>(what: &str, deadline: Duration, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let search = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let Ok(found) = tokio::time::timeout(deadline, search).await else {
        panic!("waited {deadline:?} for {what} in vain")
    };
    found
}

async fn open(folder: &Path, config: Config, clock: TimeSource) -> Parts {
    let url = format!("file:{}", folder.display());
    let store = wait_for("the folder to be free", DEADLINE, || async {
        match store::open(&url).await {
            Ok(store) => Some(store),
            Err(store::OpenError::InUse { .. }) => None,
            Err(error) => panic!("{error}"),
        }
    })
    .await;
    let bus = bus::open("local", folder).await.expect("a bus");
    Parts::new(config, store, bus, clock, CancellationToken::new())
}
