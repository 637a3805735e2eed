//! What is well and what is not, as `/readyz` tells it.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Check =
    Arc<dyn Fn() -> Pin<Box<dyn Future<Output = Result<(), String>> + Send>> + Send + Sync>;

/// How long a check may take before it counts as failed.
const PATIENCE: Duration = Duration::from_secs(2);

/// The checks that services have registered, by name.
#[derive(Clone, Default)]
pub struct Health(Arc<Mutex<BTreeMap<String, Check>>>);

impl Health {
    /// Registers a check; one of the same name is replaced. A check answers within two seconds
    /// or counts as failed.
    pub fn register<C, F>(&self, name: impl Into<String>, check: C)
    where
        C: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        let check: Check = Arc::new(move || Box::pin(check()));
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.into(), check);
    }

    /// Says that somebody will register this check: until then it fails, so that nobody takes a
    /// process for ready that has only begun.
    pub fn expect(&self, name: impl Into<String>) {
        self.register(name, || async { Err("is starting".to_owned()) });
    }

    /// Runs all checks at once: what each says, by name.
    pub async fn report(&self) -> BTreeMap<String, Result<(), String>> {
        self.report_within(PATIENCE).await
    }

    async fn report_within(&self, patience: Duration) -> BTreeMap<String, Result<(), String>> {
        let checks = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let answers = checks.into_iter().map(|(name, check)| async move {
            let answer = tokio::time::timeout(patience, check())
                .await
                .unwrap_or_else(|_| Err(format!("no answer within {patience:?}")));
            (name, answer)
        });
        futures::future::join_all(answers)
            .await
            .into_iter()
            .collect()
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_set().entries(checks.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_check_that_hangs_counts_as_failed() {
        let health = Health::default();
        health.register("well", || async { Ok(()) });
        health.register("ill", || async { Err("a fever".to_owned()) });
        health.register("asleep", std::future::pending);
        health.expect("late");
        health.expect("here");
        health.register("here", || async { Ok(()) });
        let report = health.report_within(Duration::from_millis(10)).await;
        assert_eq!(report["late"], Err("is starting".to_owned()));
        assert_eq!(report["here"], Ok(()));
        assert_eq!(report["well"], Ok(()));
        assert_eq!(report["ill"], Err("a fever".to_owned()));
        assert_eq!(report["asleep"], Err("no answer within 10ms".to_owned()));
    }
}
