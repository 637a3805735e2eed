//! Hearing what other processes put into outboxes.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use protocol::{Service, Shard};
use redis::RedisResult;
use redis::aio::PubSub;
use tokio::sync::broadcast;
use tokio::task::JoinHandle;

use super::keys::Keys;
use super::link::Link;
use crate::{Bells, names};

/// Between two tries to listen.
const PAUSE: Duration = Duration::from_secs(1);
/// So many bells may wait for whoever listens; more are missed.
const WAITING: usize = 1_024;

/// Listens for as long as it lives.
pub(super) struct Ear {
    bells: broadcast::Sender<(Service, Shard)>,
    task: JoinHandle<()>,
}

impl Ear {
    /// Listens for all but what `own` rings itself.
    pub(super) fn open(link: Arc<Link>, keys: &Keys, own: String) -> Self {
        let (bells, _) = broadcast::channel(WAITING);
        let listener = Listener {
            link,
            channel: keys.bells(),
            own,
            bells: bells.clone(),
        };
        Self {
            bells,
            task: tokio::spawn(listener.run()),
        }
    }

    pub(super) fn bells(&self) -> Bells {
        self.bells.subscribe()
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Listener {
    link: Arc<Link>,
    channel: String,
    own: String,
    bells: broadcast::Sender<(Service, Shard)>,
}

impl Listener {
    async fn run(self) {
        for nth in 0.. {
            if let Err(error) = self.listen(nth).await {
                let address = self.link.address();
                tracing::debug!(address, %error, "bells of other processes are not heard");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Until the connection is lost, or the store's other one was made anew: then this one may
    /// be dead without knowing.
    async fn listen(&self, nth: usize) -> RedisResult<()> {
        let mut renewals = self.link.renewals();
        renewals.mark_unchanged();
        let mut ear: PubSub = self.link.client(nth)?.get_async_pubsub().await?;
        ear.subscribe(&self.channel).await?;
        let mut heard = ear.on_message();
        loop {
            tokio::select! {
                message = heard.next() => match message {
                    Some(message) => self.pass_on(&message.get_payload::<String>()?),
                    None => return Ok(()),
                },
                _ = renewals.changed() => return Ok(()),
            }
        }
    }

    fn pass_on(&self, text: &str) {
        let Some((from, outbox)) = text.split_once(' ') else {
            return;
        };
        if from == self.own {
            return;
        }
        let outbox = outbox.split_once(' ').and_then(|(service, shard)| {
            let shard = names::shard(shard.parse().ok()?).ok()?;
            Some((names::service(service).ok()?, shard))
        });
        if let Some(outbox) = outbox {
            // Nobody may be listening.
            let _ = self.bells.send(outbox);
        }
    }
}
