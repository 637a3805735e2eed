//! Bots.
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use crate::hall::Hall;
pub(crate) async fn run(_hall: &Arc<Hall>, _speed: f64, stop: &CancellationToken) { stop.cancelled().await; }
