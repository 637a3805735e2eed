//! A publisher as services have them, with an outbox, and a listener that drops repeats.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bus::{Bus, BusError, Outgoing, Receipt, Settle, Subscription};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use protocol::Topic;
use servers::DEADLINE;

use crate::ground::{message, next};

/// Publishes messages 0.. in order, some at a time, and after an error begins again at the first
/// one without an answer, as the outbox relay does.
pub struct Sender {
    bus: Arc<dyn Bus>,
    topics: Vec<Topic>,
    /// How many have been answered for.
    pub answered: Arc<AtomicUsize>,
    /// How often it began again.
    pub failures: usize,
}

impl Sender {
    pub fn new(bus: &Arc<dyn Bus>, topics: &[Topic]) -> Self {
        Self {
            bus: Arc::clone(bus),
            topics: topics.to_vec(),
            answered: Arc::default(),
            failures: 0,
        }
    }

    /// Returns when all have been answered for.
    pub async fn send(mut self, count: usize) -> Self {
        let mut unanswered: BTreeSet<_> = (0..count).collect();
        while let Some(&first) = unanswered.first() {
            if self.round(first, count, &mut unanswered).await.is_err() {
                self.failures += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        self
    }

    async fn round(
        &self,
        first: usize,
        count: usize,
        unanswered: &mut BTreeSet<usize>,
    ) -> Result<(), BusError> {
        let mut answers = FuturesUnordered::new();
        let mut cursor = first;
        while cursor < count || !answers.is_empty() {
            if cursor < count && answers.len() < 256 {
                let places: Vec<_> = (cursor..count.min(cursor + 7)).collect();
                cursor += places.len();
                let batch = places.iter().map(|n| {
                    let to = self.topics[n % self.topics.len()];
                    Outgoing::first(message(to, &n.to_string()))
                });
                let receipts = self.bus.publish(batch.collect()).await?;
                for (n, receipt) in places.into_iter().zip(receipts) {
                    answers.push(numbered(n, receipt));
                }
                continue;
            }
            if let Some((n, answer)) = answers.next().await {
                answer?;
                if unanswered.remove(&n) {
                    self.answered.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }
}

async fn numbered(n: usize, receipt: Receipt) -> (usize, Result<(), BusError>) {
    (n, receipt.await)
}

/// Waits until so many have been answered for.
pub async fn reaches(answered: &AtomicUsize, count: usize) {
    let until = Instant::now() + DEADLINE;
    while answered.load(Ordering::Relaxed) < count {
        assert!(Instant::now() < until, "it does not move");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What a listener has seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// Of each topic, without repeats.
    pub numbers: BTreeMap<Topic, Vec<usize>>,
    ids: HashSet<usize>,
    pub repeats: usize,
}

impl Seen {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    fn note(&mut self, to: Topic, n: usize) {
        if self.ids.insert(n) {
            self.numbers.entry(to).or_default().push(n);
        } else {
            self.repeats += 1;
        }
    }

    /// Every message is there, each topic's in order.
    pub fn check(&self, count: usize) {
        assert_eq!(self.len(), count, "of all messages");
        for (topic, numbers) in &self.numbers {
            assert!(numbers.is_sorted(), "{topic}: {numbers:?}");
        }
    }
}

/// Takes and acknowledges until it has seen so many different ones.
pub async fn listen(subscription: &mut Box<dyn Subscription>, seen: &mut Seen, count: usize) {
    while seen.len() < count {
        let delivery = next(subscription).await;
        let n = delivery.message.id.0.parse().expect("a number");
        seen.note(delivery.message.to, n);
        // After a loss it comes again.
        let _ = subscription.settle(delivery.tag, Settle::Ack).await;
    }
}
