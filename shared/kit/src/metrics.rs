//! What every process counts, under documented names that begin with `duskgate_`.
//!
//! | name | labels | meaning |
//! | --- | --- | --- |
//! | `duskgate_messages_handled_total` | `service`, `outcome` | messages taken from queues: `done`, `repeat`, `ignored`, `retry`, `wait`, `dead` |
//! | `duskgate_redelivered_total` | `service` | deliveries that may have been handled before |
//! | `duskgate_queue_seconds` | `service` | from the instant that a message was handed to the bus to its first delivery |
//! | `duskgate_queue_waiting` | `service` | messages in its queues that nobody has in hand |
//! | `duskgate_handle_seconds` | `service` | from delivery to acknowledgement |
//! | `duskgate_commit_seconds` | `service` | one commit in the store |
//! | `duskgate_lag_seconds` | `service` | from the instant that chat gives a message to its handling |
//! | `duskgate_outbox_waiting` | `service` | messages handed to the bus and not yet confirmed |
//! | `duskgate_outboxes_stuck` | `service` | outboxes, of sixteen, that do not move; `/readyz` says why |
//! | `duskgate_deadline_lateness_seconds` | | how late deadlines rang |
//! | `duskgate_sends_total` | `outcome` | sends to chat |
//! | `duskgate_refusals_total` | `service`, `reason` | what people typed and was refused |
//! | `duskgate_dead_letters_total` | `service` | messages given up |
//! | `duskgate_dead_letters_standing` | `service` | messages given up that nobody has put back or dropped |
//! | `duskgate_stuck_games` | `service` | games that may stand still because of those |
//! | `duskgate_connected` | `to` | 1 while there is a connection to `bus` or `store` |
//! | `duskgate_reconnects_total` | `to` | connections made anew after they were lost |
//! | `duskgate_bus_blocked` | | 1 while the broker takes no messages (a memory or disk alarm) |

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use protocol::Service;

/// What may become of a send to chat.
const SENDS: [&str; 3] = ["sent", "refused", "unclear"];

type One = [(&'static str, &'static str); 1];
type Two = [(&'static str, &'static str); 2];
type Timings = Family<One, Histogram, fn() -> Histogram>;

/// What became of a message from a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageOutcome {
    /// Handled and committed (or handed to the service itself).
    Done,
    /// It had been handled before.
    Repeat,
    /// It changed nothing.
    Ignored,
    /// It failed and is tried again.
    Retry,
    /// The store is away; it is tried again.
    Wait,
    /// It became a dead letter.
    Dead,
}

impl MessageOutcome {
    const ALL: [Self; 6] = [
        Self::Done,
        Self::Repeat,
        Self::Ignored,
        Self::Retry,
        Self::Wait,
        Self::Dead,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Repeat => "repeat",
            Self::Ignored => "ignored",
            Self::Retry => "retry",
            Self::Wait => "wait",
            Self::Dead => "dead",
        }
    }
}

/// The counters of a process. Cheap to clone; clones share them.
#[derive(Clone)]
pub struct Metrics(Arc<Inner>);

struct Inner {
    registry: Registry,
    handled: Family<Two, Counter>,
    redelivered: Family<One, Counter>,
    handle_time: Timings,
    commit_time: Timings,
    lag: Timings,
    queue_time: Timings,
    queue_waiting: Family<One, Gauge>,
    letters_standing: Family<One, Gauge>,
    stuck_games: Family<One, Gauge>,
    connected: Family<One, Gauge>,
    reconnects: Family<One, Counter>,
    bus_blocked: Gauge,
    outbox_waiting: Family<One, Gauge>,
    outboxes_stuck: Family<One, Gauge>,
    lateness: Histogram,
    sends: Family<One, Counter>,
    refusals: Family<Two, Counter>,
    dead_letters: Family<One, Counter>,
}

/// From 50 µs to 26 s.
fn timings() -> Timings {
    Family::new_with_constructor(|| Histogram::new(exponential_buckets(0.000_05, 2.0, 20)))
}

impl Default for Metrics {
    fn default() -> Self {
        let mut inner = Inner {
            registry: Registry::with_prefix("duskgate"),
            handled: Family::default(),
            redelivered: Family::default(),
            handle_time: timings(),
            commit_time: timings(),
            lag: timings(),
            queue_time: timings(),
            queue_waiting: Family::default(),
            letters_standing: Family::default(),
            stuck_games: Family::default(),
            connected: Family::default(),
            reconnects: Family::default(),
            bus_blocked: Gauge::default(),
            outbox_waiting: Family::default(),
            outboxes_stuck: Family::default(),
            lateness: Histogram::new(exponential_buckets(0.001, 2.0, 16)),
            sends: Family::default(),
            refusals: Family::default(),
            dead_letters: Family::default(),
        };
        let all = &mut inner.registry;
        all.register(
            "messages_handled",
            "Messages taken from queues",
            inner.handled.clone(),
        );
        all.register(
            "redelivered",
            "Deliveries that may have been handled before",
            inner.redelivered.clone(),
        );
        all.register(
            "handle_seconds",
            "From delivery to acknowledgement",
            inner.handle_time.clone(),
        );
        all.register(
            "commit_seconds",
            "One commit in the store",
            inner.commit_time.clone(),
        );
        all.register(
            "lag_seconds",
            "From chat's instant to the handling",
            inner.lag.clone(),
        );
        all.register(
            "queue_seconds",
            "From the bus to the first delivery",
            inner.queue_time.clone(),
        );
        for (name, help, gauge) in [
            (
                "queue_waiting",
                "Messages that nobody has in hand",
                &inner.queue_waiting,
            ),
            (
                "dead_letters_standing",
                "Messages given up and left lying",
                &inner.letters_standing,
            ),
            (
                "stuck_games",
                "Games that may stand still because of dead letters",
                &inner.stuck_games,
            ),
            ("connected", "Is there a connection", &inner.connected),
        ] {
            all.register(name, help, gauge.clone());
        }
        all.register(
            "reconnects",
            "Connections made anew after they were lost",
            inner.reconnects.clone(),
        );
        all.register(
            "bus_blocked",
            "The broker takes no messages",
            inner.bus_blocked.clone(),
        );
        all.register(
            "outbox_waiting",
            "Messages handed to the bus and not yet confirmed",
            inner.outbox_waiting.clone(),
        );
        all.register(
            "outboxes_stuck",
            "Outboxes that do not move",
            inner.outboxes_stuck.clone(),
        );
        all.register(
            "deadline_lateness_seconds",
            "How late deadlines rang",
            inner.lateness.clone(),
        );
        all.register("sends", "Sends to chat", inner.sends.clone());
        all.register(
            "refusals",
            "What people typed and was refused",
            inner.refusals.clone(),
        );
        all.register(
            "dead_letters",
            "Messages given up",
            inner.dead_letters.clone(),
        );
        for outcome in SENDS {
            let _ = inner.sends.get_or_create(&[("outcome", outcome)]);
        }
        Self(Arc::new(inner))
    }
}

impl Metrics {
    /// This process runs a service: what has not happened to it yet is shown as nought, so that
    /// whoever watches need not guess whether it is counted at all.
    pub fn serves(&self, service: Service) {
        let (all, of) = (&self.0, of(service));
        for outcome in MessageOutcome::ALL {
            let labels = [("service", service.name()), ("outcome", outcome.name())];
            let _ = all.handled.get_or_create(&labels);
        }
        for counter in [&all.redelivered, &all.dead_letters] {
            let _ = counter.get_or_create(&of);
        }
        for gauge in [
            &all.outbox_waiting,
            &all.outboxes_stuck,
            &all.queue_waiting,
            &all.letters_standing,
            &all.stuck_games,
        ] {
            let _ = gauge.get_or_create(&of);
        }
        for timing in [&all.handle_time, &all.commit_time, &all.queue_time] {
            let _ = timing.get_or_create(&of);
        }
    }

    /// A message from a queue has been dealt with.
    pub fn handled(&self, service: Service, outcome: MessageOutcome) {
        let labels = [("service", service.name()), ("outcome", outcome.name())];
        self.0.handled.get_or_create(&labels).inc();
    }

    /// A delivery came that may have been handled before.
    pub fn redelivered(&self, service: Service) {
        self.0.redelivered.get_or_create(&of(service)).inc();
    }

    /// How long a message took from delivery to acknowledgement.
    pub fn handle_took(&self, service: Service, time: Duration) {
        self.0
            .handle_time
            .get_or_create(&of(service))
            .observe(time.as_secs_f64());
    }

    /// How long a commit took.
    pub fn commit_took(&self, service: Service, time: Duration) {
        self.0
            .commit_time
            .get_or_create(&of(service))
            .observe(time.as_secs_f64());
    }

    /// How long a message has waited from the bus to its first delivery.
    pub fn queue_took(&self, service: Service, time: Duration) {
        self.0
            .queue_time
            .get_or_create(&of(service))
            .observe(time.as_secs_f64());
    }

    /// So many messages wait in a service's queues now.
    pub fn queue_waiting(&self, service: Service, count: u64) {
        let gauge = self.0.queue_waiting.get_or_create(&of(service));
        gauge.set(whole(count));
    }

    /// So many dead letters of a service stand now.
    pub fn letters_standing(&self, service: Service, count: u64) {
        let gauge = self.0.letters_standing.get_or_create(&of(service));
        gauge.set(whole(count));
    }

    /// So many games may stand still now because of a service's dead letters.
    pub fn stuck_games(&self, service: Service, count: u64) {
        let gauge = self.0.stuck_games.get_or_create(&of(service));
        gauge.set(whole(count));
    }

    /// How the connections are now.
    pub fn connections(&self, bus: bus::Condition, store: store::Condition) {
        for (to, connected, reconnects) in [
            ("bus", bus.connected, bus.reconnects),
            ("store", store.connected, store.reconnects),
        ] {
            let to = [("to", to)];
            self.0.connected.get_or_create(&to).set(connected.into());
            let counter = self.0.reconnects.get_or_create(&to);
            counter.inner().store(reconnects, Ordering::Relaxed);
        }
        self.0.bus_blocked.set(bus.blocked.into());
    }

    /// How far behind chat a service handled a message, in milliseconds.
    pub fn lag_ms(&self, service: Service, ms: i64) {
        self.0.lag.get_or_create(&of(service)).observe(seconds(ms));
    }

    /// So many more (or fewer) messages wait for the bus's confirmation.
    pub fn outbox_waiting(&self, service: Service, change: i64) {
        self.0
            .outbox_waiting
            .get_or_create(&of(service))
            .inc_by(change);
    }

    /// So many more (or fewer) outboxes of a service do not move.
    pub fn outboxes_stuck(&self, service: Service, change: i64) {
        self.0
            .outboxes_stuck
            .get_or_create(&of(service))
            .inc_by(change);
    }

    /// A deadline rang so many milliseconds late.
    pub fn deadline_late_ms(&self, ms: i64) {
        self.0.lateness.observe(seconds(ms));
    }

    /// A send to chat had this outcome (`sent`, `refused`, `unclear`).
    pub fn send(&self, outcome: &'static str) {
        self.0.sends.get_or_create(&[("outcome", outcome)]).inc();
    }

    /// Something that a person typed was refused, for this reason. Reasons are a short list
    /// that says nothing about a game.
    pub fn refusal(&self, service: Service, reason: &'static str) {
        let labels = [("service", service.name()), ("reason", reason)];
        self.0.refusals.get_or_create(&labels).inc();
    }

    /// A message became a dead letter.
    pub fn dead_letter(&self, service: Service) {
        self.0.dead_letters.get_or_create(&of(service)).inc();
    }

    /// All of it in the OpenMetrics text format.
    pub fn render(&self) -> String {
        let mut text = String::new();
        // Writing into a `String` cannot fail.
        let _ = encode(&mut text, &self.0.registry);
        text
    }
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics")
    }
}

fn of(service: Service) -> One {
    [("service", service.name())]
}

fn whole(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn seconds(ms: i64) -> f64 {
    // A clock that is off may bring a negative span; it counts as none.
    Duration::from_millis(u64::try_from(ms).unwrap_or(0)).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// With something of everything.
    fn filled() -> Metrics {
        let metrics = Metrics::default();
        metrics.handled(Service::Night, MessageOutcome::Done);
        metrics.handled(Service::Night, MessageOutcome::Done);
        metrics.redelivered(Service::Tally);
        metrics.handle_took(Service::Tally, Duration::from_millis(2));
        metrics.commit_took(Service::Tally, Duration::from_millis(1));
        metrics.lag_ms(Service::Ingest, 1_500);
        metrics.outbox_waiting(Service::Night, 3);
        metrics.outbox_waiting(Service::Night, -1);
        metrics.deadline_late_ms(-5);
        metrics.send("sent");
        metrics.refusal(Service::Tally, "late");
        metrics.dead_letter(Service::Night);
        metrics.outboxes_stuck(Service::Night, 1);
        metrics.queue_took(Service::Night, Duration::from_millis(3));
        metrics.queue_waiting(Service::Night, 7);
        metrics.letters_standing(Service::Night, 2);
        metrics.stuck_games(Service::Night, 1);
        let bus = bus::Condition {
            connected: false,
            blocked: true,
            reconnects: 4,
        };
        let store = store::Condition {
            connected: true,
            reconnects: 0,
        };
        metrics.connections(bus, store);
        metrics
    }

    #[test]
    fn names_are_the_documented_ones() {
        let text = filled().render();
        for line in [
            r#"duskgate_messages_handled_total{service="night",outcome="done"} 2"#,
            r#"duskgate_redelivered_total{service="tally"} 1"#,
            r#"duskgate_handle_seconds_count{service="tally"} 1"#,
            r#"duskgate_commit_seconds_sum{service="tally"} 0.001"#,
            r#"duskgate_lag_seconds_sum{service="ingest"} 1.5"#,
            r#"duskgate_outbox_waiting{service="night"} 2"#,
            r"duskgate_deadline_lateness_seconds_sum 0.0",
            r#"duskgate_sends_total{outcome="sent"} 1"#,
            r#"duskgate_refusals_total{service="tally",reason="late"} 1"#,
            r#"duskgate_dead_letters_total{service="night"} 1"#,
            r#"duskgate_outboxes_stuck{service="night"} 1"#,
            r#"duskgate_queue_seconds_sum{service="night"} 0.003"#,
            r#"duskgate_queue_waiting{service="night"} 7"#,
            r#"duskgate_dead_letters_standing{service="night"} 2"#,
            r#"duskgate_stuck_games{service="night"} 1"#,
            r#"duskgate_connected{to="bus"} 0"#,
            r#"duskgate_connected{to="store"} 1"#,
            r#"duskgate_reconnects_total{to="bus"} 4"#,
            r"duskgate_bus_blocked 1",
        ] {
            assert!(
                text.lines().any(|l| l == line),
                "{line} is missing in\n{text}"
            );
        }
    }

    #[test]
    fn what_has_not_happened_counts_nought() {
        let metrics = Metrics::default();
        metrics.serves(Service::Night);
        let text = metrics.render();
        for line in [
            r#"duskgate_dead_letters_total{service="night"} 0"#,
            r#"duskgate_outboxes_stuck{service="night"} 0"#,
            r#"duskgate_messages_handled_total{service="night",outcome="dead"} 0"#,
            r#"duskgate_sends_total{outcome="unclear"} 0"#,
        ] {
            assert!(
                text.lines().any(|l| l == line),
                "{line} is missing in\n{text}"
            );
        }
    }

    /// The operator's manual lists every metric, and none that does not exist.
    #[test]
    fn the_manual_lists_them() {
        let text = filled().render();
        let counted: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# TYPE "))
            .filter_map(|rest| rest.split_once(' '))
            .map(|(name, _)| name)
            .collect();
        let manual = include_str!("../../../docs/manual/operator.md");
        let listed: BTreeSet<&str> = manual
            .split(['`', '{'])
            .filter(|word| word.starts_with("duskgate_") && !word.contains(' '))
            .map(|name| name.trim_end_matches("_total"))
            .collect();
        assert_eq!(listed, counted);
    }
}
