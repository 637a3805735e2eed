//! A subscription: what services read from.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use lapin::Acker;
use tokio::sync::mpsc;

use super::consumer::{News, Order};
use super::held::{Arrived, Held, Item, Place};
use super::{Shared, envelope};
use crate::{BusError, Delivery, MAX_ATTEMPTS, Settle, Subscription};

/// A message whose dead letter could not be kept is tried again after this.
const LETTER_PAUSE: Duration = Duration::from_secs(1);

pub(super) struct AmqpSubscription {
    pub(super) shared: Arc<Shared>,
    pub(super) held: Held<Acker>,
    pub(super) news: mpsc::UnboundedReceiver<News>,
    pub(super) orders: mpsc::UnboundedSender<Order>,
    pub(super) hold: Duration,
    /// Everything is on its way back to the broker.
    pub(super) renewing: bool,
}

impl AmqpSubscription {
    fn take_in(&mut self, news: News) {
        match news {
            News::Lost => {
                self.held.lose();
                self.renewing = false;
            }
            News::Arrived(queue, delivery) => {
                match envelope::open(&delivery.properties, &delivery.data) {
                    Ok(opened) => {
                        let item = Item::new(
                            Arrived {
                                redelivered: opened.again
                                    || delivery.redelivered
                                    || opened.returned > 0,
                                message: opened.message,
                                returned: opened.returned,
                                published: opened.published,
                            },
                            delivery.acker,
                            Instant::now(),
                        );
                        self.held.arrived(queue, item);
                    }
                    Err(why) => {
                        tracing::error!(why, "a message is not ours; see the dead letters");
                        self.order(Order::Reject(delivery.acker));
                    }
                }
            }
        }
    }

    /// When the task has gone, so has its channel, and everything comes again.
    fn order(&self, order: Order) {
        let _ = self.orders.send(order);
    }

    async fn bury(
        &mut self,
        place: Place,
        item: Item<Acker>,
        reason: &str,
    ) -> Result<(), BusError> {
        let kept = self.shared.publisher.bury(&item.message, reason).await;
        if kept.is_ok() {
            self.order(Order::Ack(item.means));
        } else {
            let again = Instant::now() + LETTER_PAUSE;
            self.held.put_back(place, item, again);
        }
        kept
    }
}

#[async_trait]
impl Subscription for AmqpSubscription {
    async fn next(&mut self) -> Option<Delivery> {
        loop {
            while let Ok(news) = self.news.try_recv() {
                self.take_in(news);
            }
            let earliest = match self.held.take(Instant::now()) {
                Ok(delivery) => return Some(delivery),
                Err(earliest) => earliest,
            };
            let left = self.hold.saturating_sub(self.held.age(Instant::now()));
            if left.is_zero() && !self.renewing {
                tracing::warn!("messages have waited too long; giving them back to the broker");
                self.renewing = true;
                self.order(Order::Renew);
            }
            let pause = async {
                match earliest {
                    Some(at) => tokio::time::sleep_until(at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                news = self.news.recv() => self.take_in(news?),
                () = pause => {}
                () = tokio::time::sleep(left), if !self.renewing => {}
            }
        }
    }

    async fn settle(&mut self, tag: u64, how: Settle) -> Result<(), BusError> {
        let (place, mut item) = self
            .held
            .settle(tag)
            .ok_or(BusError::UnknownDelivery(tag))?;
        match how {
            Settle::Ack => self.order(Order::Ack(item.means)),
            Settle::Retry(_) if item.attempt >= MAX_ATTEMPTS => {
                let reason = format!("not handled in {} tries", item.attempt);
                return self.bury(place, item, &reason).await;
            }
            Settle::Retry(pause) => {
                item.attempt += 1;
                self.held.put_back(place, item, Instant::now() + pause);
            }
            Settle::Wait(pause) => self.held.put_back(place, item, Instant::now() + pause),
            Settle::Dead(reason) => return self.bury(place, item, &reason).await,
        }
        Ok(())
    }

    fn void_below(&self) -> u64 {
        self.held.void_below()
    }
}
