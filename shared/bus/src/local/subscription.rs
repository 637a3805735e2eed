//! A consumer of the in-process bus.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use protocol::Topic;

use super::queue::{Consumer, Item, Origin, Taken};
use super::{Shared, blocking, place_of};
use crate::{BusError, Delivery, MAX_ATTEMPTS, Settle, Subscription};

/// A message whose dead letter could not be written is tried again after this.
const LETTER_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct LocalSubscription {
    shared: Arc<Shared>,
    consumer: Consumer,
    queues: Vec<usize>,
    prefetch: usize,
    /// The queue that is looked at first, so that each gets its turn.
    turn: usize,
    last_tag: u64,
    /// Queue and place of what is unsettled, by tag.
    unsettled: HashMap<u64, (usize, u64)>,
}

impl LocalSubscription {
    pub(super) fn new(
        shared: Arc<Shared>,
        consumer: Consumer,
        topics: &[Topic],
        prefetch: usize,
    ) -> Self {
        let queues: Vec<_> = topics.iter().map(|topic| place_of(*topic)).collect();
        for queue in &queues {
            shared.queue_at(*queue).join(consumer.clone());
        }
        Self {
            shared,
            consumer,
            queues,
            prefetch: prefetch.max(1),
            turn: 0,
            last_tag: 0,
            unsettled: HashMap::new(),
        }
    }

    /// What there is now; otherwise until when to wait at most.
    fn take(&mut self) -> Result<Delivery, Option<Instant>> {
        let now = Instant::now();
        let mut earliest = None;
        for step in 0..self.queues.len() {
            let turn = (self.turn + step) % self.queues.len();
            let queue = self.queues[turn];
            let taken = self
                .shared
                .queue_at(queue)
                .take(self.consumer.id, self.prefetch, now);
            match taken {
                Taken::Message {
                    place,
                    message,
                    attempt,
                    redelivered,
                    returned,
                    published,
                } => {
                    self.turn = turn + 1;
                    self.last_tag += 1;
                    self.unsettled.insert(self.last_tag, (queue, place));
                    return Ok(Delivery {
                        message,
                        attempt,
                        redelivered,
                        returned,
                        published: Some(published),
                        tag: self.last_tag,
                    });
                }
                Taken::NotBefore(at) => {
                    earliest = Some(earliest.map_or(at, |other: Instant| other.min(at)));
                }
                Taken::Nothing => {}
            }
        }
        Err(earliest)
    }

    fn put_back_after(&self, queue: usize, place: u64, mut item: Item, pause: Duration) {
        item.redelivered = true;
        item.not_before = Some(Instant::now() + pause);
        self.shared.queue_at(queue).put(place, item);
    }

    async fn bury(
        &self,
        queue: usize,
        place: u64,
        item: Item,
        reason: String,
    ) -> Result<(), BusError> {
        let shared = Arc::clone(&self.shared);
        blocking(move || {
            let earlier = match item.origin {
                Origin::Letter(id) => Some(id),
                Origin::Published(_) | Origin::Transient => None,
            };
            let kept = shared.letters.keep(&item.message, &reason, earlier);
            if kept.is_ok() {
                if let Some(id) = earlier {
                    shared.on_their_way().remove(&id);
                }
                answer(item.origin);
            } else {
                let not_before = Some(Instant::now() + LETTER_PAUSE);
                let item = Item {
                    redelivered: true,
                    not_before,
                    ..item
                };
                shared.queue_at(queue).put(place, item);
            }
            kept
        })
        .await
    }
}

/// Tells whoever holds the receipt.
fn answer(origin: Origin) {
    if let Origin::Published(receipt) = origin {
        // Its holder may have gone.
        let _ = receipt.send(());
    }
}

#[async_trait]
impl Subscription for LocalSubscription {
    async fn next(&mut self) -> Option<Delivery> {
        loop {
            if self.shared.closed.is_cancelled() {
                return None;
            }
            let earliest = match self.take() {
                Ok(delivery) => return Some(delivery),
                Err(earliest) => earliest,
            };
            let pause = async {
                match earliest {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.consumer.wake.notified() => {}
                () = pause => {}
                () = self.shared.closed.cancelled() => {}
            }
        }
    }

    async fn settle(&mut self, tag: u64, how: Settle) -> Result<(), BusError> {
        let unknown = BusError::UnknownDelivery(tag);
        let Some((queue, place)) = self.unsettled.remove(&tag) else {
            return Err(unknown);
        };
        let item = self.shared.queue_at(queue).settle(self.consumer.id, place);
        let Some(mut item) = item else {
            return Err(unknown);
        };
        match how {
            Settle::Ack => {
                if let Origin::Letter(id) = item.origin {
                    let shared = Arc::clone(&self.shared);
                    return blocking(move || shared.forget_letter(id)).await;
                }
                answer(item.origin);
                Ok(())
            }
            Settle::Retry(_) if item.attempt >= MAX_ATTEMPTS => {
                let reason = format!("not handled in {MAX_ATTEMPTS} tries");
                self.bury(queue, place, item, reason).await
            }
            Settle::Retry(pause) => {
                item.attempt += 1;
                self.put_back_after(queue, place, item, pause);
                Ok(())
            }
            Settle::Wait(pause) => {
                self.put_back_after(queue, place, item, pause);
                Ok(())
            }
            Settle::Dead(reason) => self.bury(queue, place, item, reason).await,
        }
    }
}

impl Drop for LocalSubscription {
    fn drop(&mut self) {
        for queue in &self.queues {
            self.shared.queue_at(*queue).leave(self.consumer.id);
        }
    }
}
