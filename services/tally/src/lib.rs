//! Ballots, posts and petitions: what is typed in a game's square and is no command.
//!
//! One aggregate a game. Night tells it which vote threads there are; ingest hands it the lines;
//! it answers people through publish, and night with closed books and petitions that hold. What
//! counts is decided by [`rules::book::Book`]; how a post is read, by [`chat::vote`].
//!
//! Invariant: tally knows nothing that is hidden. It may say aloud whatever it knows.

mod aggregate;
mod answer;
mod ballots;
mod lines;
mod orders;
mod reason;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use async_trait::async_trait;
use kit::{Handled, Hooks, Metrics, Parts, Writer};
use protocol::{Service, ToTally};

pub use aggregate::Tally;
pub use answer::Outcome;
pub use reason::Reason;

/// Runs the service until its parts' shutdown token is cancelled.
pub async fn run(parts: Parts) -> anyhow::Result<()> {
    let hooks = CountRefusals(parts.metrics.clone());
    kit::serve(Writer::<Tally>::new(parts, Arc::new(())), hooks).await
}

/// Counts what was refused, by reason.
struct CountRefusals(Metrics);

#[async_trait]
impl Hooks<Tally> for CountRefusals {
    async fn after_commit(&self, _key: &str, _input: &ToTally, handled: &Handled) {
        let outcome = handled.log.as_ref().and_then(Outcome::from_log);
        if let Some(Outcome::Refused(reason)) = outcome {
            self.0.refusal(Service::Tally, reason.name());
        }
    }
}
