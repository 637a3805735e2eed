//! Puts away aggregates whose story is over: the store keeps their record and gives back the rest.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use store::{Store, StoreError};
use tokio_util::sync::CancellationToken;

use crate::aggregate::Aggregate;
use crate::load::{load, name};
use crate::writer::{Writer, panic_text};

/// Nothing must have happened to it for so long after its end: people look back, outcomes of
/// sends come late.
const QUIET: Duration = Duration::from_secs(3 * 24 * 3_600);
/// Between two rounds.
const ROUND: Duration = Duration::from_secs(3_600);

/// Makes rounds until `stop`. Every process of a service may: only one version can be retired.
pub(crate) async fn make_rounds<A: Aggregate>(writer: Writer<A>, stop: CancellationToken) {
    let Some(is_over) = A::IS_OVER else {
        return;
    };
    let mut retirer = Retirer::new(is_over, QUIET);
    let store = &*writer.parts().store;
    loop {
        tokio::select! {
            () = tokio::time::sleep(ROUND) => {}
            () = stop.cancelled() => return,
        }
        match retirer.round(store, writer.env(), Instant::now()).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(service = %A::SERVICE, count, "games were put away"),
            // The next round comes; nothing depends on it.
            Err(error) => tracing::debug!(service = %A::SERVICE, %error, "no games were put away"),
        }
    }
}

struct Retirer<A: Aggregate> {
    is_over: fn(&A) -> bool,
    quiet: Duration,
    /// Those that are over: at which version, and since when we have seen it.
    over: HashMap<String, (u64, Instant)>,
}

impl<A: Aggregate> Retirer<A> {
    fn new(is_over: fn(&A) -> bool, quiet: Duration) -> Self {
        Self {
            is_over,
            quiet,
            over: HashMap::new(),
        }
    }

    /// Looks at every aggregate; answers how many were retired.
    async fn round(
        &mut self,
        store: &dyn Store,
        env: &A::Env,
        now: Instant,
    ) -> Result<usize, StoreError> {
        let mut retired = 0;
        let keys = store.keys(A::SERVICE).await?;
        self.over.retain(|key, _| keys.binary_search(key).is_ok());
        for key in keys {
            match self.look_at(store, env, &key, now).await {
                Ok(true) => retired += 1,
                Err(error @ StoreError::Unavailable(_)) => return Err(error),
                // What is corrupt is left for somebody to look at; it keeps back nobody else.
                Ok(false) | Err(StoreError::Corrupt { .. }) => {}
            }
        }
        Ok(retired)
    }

    async fn look_at(
        &mut self,
        store: &dyn Store,
        env: &A::Env,
        key: &str,
        now: Instant,
    ) -> Result<bool, StoreError> {
        let current = load::<A>(store, env, key).await?;
        if !(self.is_over)(&current.state) {
            self.over.remove(key);
            return Ok(false);
        }
        let seen = self
            .over
            .entry(key.to_owned())
            .or_insert((current.version, now));
        if seen.0 != current.version {
            *seen = (current.version, now);
        }
        if now.duration_since(seen.1) < self.quiet {
            return Ok(false);
        }
        let (name, version) = (name::<A>(key), current.version);
        if current.snapshot_at != version {
            // Later releases cannot replay its journal.
            let state = catch_unwind(AssertUnwindSafe(|| current.state.save()));
            let state = state.map_err(|panic| StoreError::Corrupt {
                place: format!("the state of {}/{key}", A::SERVICE),
                why: panic_text(&*panic),
            })?;
            if !store.keep_snapshot(&name, version, state).await? {
                return Ok(false);
            }
        }
        store.retire(&name, version).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use protocol::{MessageId, Service};
    use store::{AggregateKey, Stored};

    use super::*;
    use crate::aggregate::{Effects, LoadError};
    use crate::testing::TestParts;

    /// Counts down.
    struct Countdown(u64);

    impl Aggregate for Countdown {
        const SERVICE: Service = Service::Night;
        const IS_OVER: Option<fn(&Self) -> bool> = Some(|countdown| countdown.0 == 0);
        type Input = ();
        type Env = ();

        fn new((): &(), _: &str) -> Self {
            Self(2)
        }

        fn handle(&mut self, (): &(), (): &()) -> Effects {
            self.0 = self.0.saturating_sub(1);
            Effects::default()
        }

        fn save(&self) -> Vec<u8> {
            vec![u8::try_from(self.0).unwrap_or(u8::MAX)]
        }

        fn load((): &(), _: &str, bytes: &[u8]) -> Result<Self, LoadError> {
            let count = bytes.first().ok_or_else(|| LoadError("empty".to_owned()))?;
            Ok(Self(u64::from(*count)))
        }
    }

    #[tokio::test]
    async fn what_has_been_over_and_quiet_is_put_away() {
        let parts = TestParts::new().await;
        let store = Arc::clone(&parts.store);
        let writer = Writer::<Countdown>::new(parts.clone(), Arc::new(()));
        let count = async |key: &str, nth: u32| {
            let id = MessageId(format!("m{nth}"));
            writer.handle(key, id, "t", ()).await.unwrap()
        };
        for (key, steps) in [("7-1", 2), ("7-2", 1), ("7-3", 2)] {
            for nth in 0..steps {
                count(key, nth).await;
            }
        }
        let hour = Duration::from_secs(3_600);
        let mut retirer = Retirer::<Countdown>::new(Countdown::IS_OVER.unwrap(), 2 * hour);
        let start = Instant::now();
        let mut round = async |hours| retirer.round(&*store, &(), start + hours * hour).await;
        assert_eq!(round(0).await.unwrap(), 0);
        assert_eq!(round(1).await.unwrap(), 0);
        // Something still happens to one of them.
        count("7-3", 2).await;
        assert_eq!(round(2).await.unwrap(), 1);
        assert_eq!(store.keys(Service::Night).await.unwrap(), ["7-2", "7-3"]);
        assert_eq!(round(3).await.unwrap(), 0);
        assert_eq!(round(4).await.unwrap(), 1);
        assert_eq!(store.keys(Service::Night).await.unwrap(), ["7-2"]);
        assert_eq!(round(9).await.unwrap(), 0);
        // Its last state needs no replay.
        let key = AggregateKey {
            service: Service::Night,
            key: "7-1".to_owned(),
        };
        let expected = Stored {
            version: 2,
            snapshot: Some((2, vec![0])),
            entries: vec![],
        };
        assert_eq!(store.load(&key).await.unwrap(), expected);
        // What comes later is taken as done.
        assert!(count("7-1", 7).await.repeat);
        assert!(!count("7-2", 7).await.repeat);
    }
}
