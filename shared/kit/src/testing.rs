//! Helpers for tests of services (feature `testing`).

use std::future::Future;
use std::ops::Deref;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

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
        let _ = (config, clock);
        todo!()
    }

    /// Stops everything that runs on these parts and opens the same folder again, as after a
    /// restart of the process.
    pub async fn restart(self) -> Self {
        todo!()
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
    match tokio::time::timeout(deadline, search).await {
        Ok(found) => found,
        Err(_) => panic!("waited {deadline:?} for {what} in vain"),
    }
}
