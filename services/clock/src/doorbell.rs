//! The doorbell: a cron job that goes every second, whatever else happens.

use std::sync::Arc;

use tokio::sync::Notify;
use tokio_cron_scheduler::{Job, JobScheduler, JobSchedulerError};

/// Every second, UTC.
const EVERY_SECOND: &str = "* * * * * *";

/// A doorbell that rings until it is taken down.
pub(crate) struct Doorbell(JobScheduler);

impl Doorbell {
    /// Rings this bell from now on.
    pub(crate) async fn hang(bell: Arc<Notify>) -> Result<Self, JobSchedulerError> {
        let scheduler = JobScheduler::new().await?;
        scheduler
            .add(Job::new(EVERY_SECOND, move |_, _| bell.notify_one())?)
            .await?;
        scheduler.start().await?;
        Ok(Self(scheduler))
    }

    /// No ringing any more.
    pub(crate) async fn take_down(mut self) {
        if let Err(error) = self.0.shutdown().await {
            tracing::warn!(%error, "the doorbell does not stop");
        }
    }
}
