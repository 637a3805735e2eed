//! What every service is made of: configuration, the single writer of each aggregate, the loop
//! from queue to commit to acknowledgement, the outbox relay, time, health and metrics.
//!
//! Invariant: kit knows no game, no rule and no chat platform.

pub mod aggregate;
pub mod bench;
mod cache;
mod chain;
pub mod config;
pub mod health;
pub mod http;
pub mod journal;
mod lanes;
mod load;
pub mod logging;
mod memory;
pub mod metrics;
mod outbox;
mod parts;
mod relay;
mod retire;
mod serve;
mod tenure;
#[cfg(feature = "testing")]
pub mod testing;
mod time;
mod trials;
mod watch;
mod writer;

pub use aggregate::{Aggregate, Effects, LoadError, Out};
pub use config::Config;
pub use health::Health;
pub use memory::Memories;
pub use metrics::Metrics;
pub use outbox::Outboxes;
pub use parts::{Parts, open_bus};
pub use serve::{Hooks, NoHooks, serve};
pub use time::{ManualClock, TimeSource};
pub use tokio_util::sync::CancellationToken;
pub use writer::{HandleError, Handled, Writer};
