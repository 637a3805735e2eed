//! Steps of one aggregate that are on their way to the store, one behind the other.
//!
//! The next step is decided on the state after the last one, before that is on disk: the store
//! takes both in their order, or the later one not at all (it names the step that it follows).
//! What anybody is told of a state waits until it is on disk.

use std::sync::Arc;

use tokio::sync::watch;

/// How far a chain of steps is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    /// Everything up to this version is on disk.
    kept: u64,
    /// A step was not taken, or nobody knows: the state in memory may never have been.
    broken: bool,
}

/// Steps from a state that was loaded. Clones share everything.
#[derive(Debug, Clone)]
pub(crate) struct Chain(Arc<watch::Sender<Progress>>);

/// A step on its way. Dropping it unfinished breaks its chain.
#[derive(Debug)]
pub(crate) struct UnderWay(Option<Chain>);

impl Chain {
    /// From a state that was loaded at this version.
    pub(crate) fn from(version: u64) -> Self {
        Self(Arc::new(watch::Sender::new(Progress {
            kept: version,
            broken: false,
        })))
    }

    /// A step sets out.
    pub(crate) fn step(&self) -> UnderWay {
        UnderWay(Some(self.clone()))
    }

    /// Was a step lost? Then the state in memory is not to be used.
    pub(crate) fn is_broken(&self) -> bool {
        self.0.borrow().broken
    }

    /// Waits until everything up to this version is on disk; `false`: the chain has broken, and
    /// perhaps it never will be.
    pub(crate) async fn kept(&self, version: u64) -> bool {
        let mut progress = self.0.subscribe();
        let known = progress
            .wait_for(|progress| progress.kept >= version || progress.broken)
            .await;
        known.is_ok_and(|progress| progress.kept >= version)
    }

    fn set(&self, change: impl FnOnce(&mut Progress)) {
        self.0.send_modify(change);
    }
}

impl UnderWay {
    /// The store has taken the step to this version, and so all before it.
    pub(crate) fn kept_at(mut self, version: u64) {
        if let Some(chain) = self.0.take() {
            chain.set(|progress| progress.kept = progress.kept.max(version));
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(chain) = self.0.take() {
            chain.set(|progress| progress.broken = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_version_is_kept_when_it_or_a_later_one_is() {
        let chain = Chain::from(3);
        assert!(chain.kept(3).await);
        let (fourth, fifth) = (chain.step(), chain.step());
        assert_eq!(chain.kept(4).now_or_never(), None);
        fifth.kept_at(5);
        assert!(chain.kept(4).await);
        fourth.kept_at(4);
        assert!(chain.kept(5).await && !chain.is_broken());
    }

    #[tokio::test]
    async fn a_step_that_is_given_up_breaks_its_chain() {
        let chain = Chain::from(0);
        drop(chain.step());
        assert!(chain.is_broken());
        assert!(chain.kept(0).await, "what was kept stays so");
        assert!(!chain.kept(1).await);
    }
}
