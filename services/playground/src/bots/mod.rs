//! Bots.
use crate::hall::Hall;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
pub(crate) async fn run(_hall: &Arc<Hall>, _speed: f64, stop: &CancellationToken) {
    stop.cancelled().await;
}
