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
use std::time::Duration;

use async_trait::async_trait;
use bus::{BusError, Outgoing};
use kit::{Handled, Hooks, Parts, Writer};
use protocol::{Message, MessageId, Service, ToNight, ToTally, Topic};

pub use aggregate::Tally;
pub use answer::Outcome;
pub use reason::Reason;

/// Runs the service until its parts' shutdown token is cancelled.
pub async fn run(parts: Parts) -> anyhow::Result<()> {
    let hooks = Desk(parts.clone());
    kit::serve(Writer::<Tally>::new(parts, Arc::new(())), hooks).await
}

/// Counts what was refused, by reason, and tells of orders that were lost.
struct Desk(Parts);

/// Night has so long to take the news.
const PATIENCE: Duration = Duration::from_secs(5);

#[async_trait]
impl Hooks<Tally> for Desk {
    async fn after_commit(&self, _key: &str, _input: &ToTally, handled: &Handled) {
        let outcome = handled.log.as_ref().and_then(Outcome::from_log);
        if let Some(Outcome::Refused(reason)) = outcome {
            self.0.metrics.refusal(Service::Tally, reason.name());
        }
    }

    /// Without an order of night's a thread is not opened or closed; a lost post is only missing.
    fn holds_up(&self, message: &Message) -> bool {
        let post = matches!(
            serde_json::from_str(&message.body),
            Ok(ToTally::Line(_) | ToTally::Recalled { .. })
        );
        !post && !message.key.is_empty()
    }

    async fn on_dead(&self, message: &Message, _reason: &str) {
        if message.key.is_empty() {
            return;
        }
        let skipped = ToNight::Skipped {
            message: message.id.0.clone(),
            holds_up: self.holds_up(message),
        };
        let news = Message {
            id: MessageId(format!("skipped/tally/{}", message.id)),
            trace: message.trace.clone(),
            to: Topic {
                service: Service::Night,
                shard: message.to.shard,
            },
            key: message.key.clone(),
            body: serde_json::to_string(&skipped).expect("protocol types always serialize"),
        };
        let told = async {
            for receipt in self.0.bus.publish(vec![Outgoing::first(news)]).await? {
                receipt.await?;
            }
            Ok::<_, BusError>(())
        };
        if !matches!(tokio::time::timeout(PATIENCE, told).await, Ok(Ok(()))) {
            tracing::error!(game = message.key, "the director was not told");
        }
    }
}
