//! Handing one game's deadlines to the bus.

use std::time::Duration;

use bus::{Bus, BusError, Outgoing};
use kit::Parts;
use protocol::{Message, MessageId, Service, ToNight, Topic};
use rules::Time;
use store::AggregateKey;

use crate::rounds::{Ring, Stroke};

/// How long a game rests when the bus has not taken its ring.
const REST: Duration = Duration::from_secs(1);

/// What came of a ring.
pub(crate) struct Rang {
    /// Whose ring it was.
    pub(crate) aggregate: AggregateKey,
    /// Has the bus taken it?
    pub(crate) taken: bool,
}

/// Rings a game's deadlines. Returns when the bus has answered; the in-process bus does so when
/// the game has dealt with them.
pub(crate) async fn ring(parts: Parts, ring: Ring) -> Rang {
    let Ring { aggregate, strokes } = ring;
    if aggregate.service != Service::Night {
        // It keeps its place among those that were rung, so that it is said once a minute.
        tracing::error!(service = %aggregate.service, key = aggregate.key, "only night has deadlines");
        return Rang {
            aggregate,
            taken: true,
        };
    }
    let now = parts.clock.now();
    for stroke in strokes.iter().filter(|stroke| stroke.first) {
        parts
            .metrics
            .deadline_late_ms(now.0.saturating_sub(stroke.deadline.at.0));
    }
    let messages = strokes
        .into_iter()
        .map(|stroke| Outgoing {
            again: !stroke.first,
            message: message(&aggregate, stroke, now),
        })
        .collect();
    let taken = match publish(parts.bus.as_ref(), messages).await {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, key = aggregate.key, "a deadline could not be rung; again soon");
            tokio::time::sleep(REST).await;
            false
        }
    };
    Rang { aggregate, taken }
}

async fn publish(bus: &dyn Bus, messages: Vec<Outgoing>) -> Result<(), BusError> {
    for receipt in bus.publish(messages).await? {
        receipt.await?;
    }
    Ok(())
}

/// The message of one deadline. Its name is the same for every ring within a minute, by
/// whichever instance, after whatever restart; a deadline that was put off has another one.
fn message(aggregate: &AggregateKey, stroke: Stroke, now: Time) -> Message {
    let Stroke {
        deadline, minute, ..
    } = stroke;
    let trace = format!("due/{}/{}/{}", aggregate.key, deadline.name, deadline.at.0);
    let due = ToNight::Due {
        deadline: deadline.name,
        at: deadline.at,
        now,
    };
    Message {
        id: MessageId(format!("{trace}/{minute}")),
        trace,
        to: Topic {
            service: aggregate.service,
            shard: aggregate.shard(),
        },
        key: aggregate.key.clone(),
        body: serde_json::to_string(&due).expect("protocol types always serialize"),
    }
}
