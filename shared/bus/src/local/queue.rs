//! One queue: a plain state machine without waiting and without locks.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use protocol::Message;
use tokio::sync::{Notify, oneshot};

/// A message in a queue.
pub(super) struct Item {
    pub(super) message: Message,
    /// The number of its next (or present) delivery, from 1.
    pub(super) attempt: u32,
    pub(super) redelivered: bool,
    /// How often whoever had it in hand was gone. One that was handed over again counts as such:
    /// what became of it in an earlier process is not known.
    pub(super) returned: u32,
    pub(super) published: SystemTime,
    /// It is not delivered before this, and nothing behind it either.
    pub(super) not_before: Option<Instant>,
    pub(super) origin: Origin,
}

/// Where a message is from, and so whom to tell when it is settled.
pub(super) enum Origin {
    /// Somebody holds a receipt.
    Published(oneshot::Sender<()>),
    /// It may be lost.
    Transient,
    /// It was put back from this dead letter.
    Letter(u64),
}

/// Somebody who reads from queues.
#[derive(Clone)]
pub(super) struct Consumer {
    pub(super) id: u64,
    pub(super) wake: Arc<Notify>,
}

/// What a queue has for a consumer now.
pub(super) enum Taken {
    /// A message: its place, and what the delivery says.
    Message {
        place: u64,
        message: Message,
        attempt: u32,
        redelivered: bool,
        returned: u32,
        published: SystemTime,
    },
    /// Nothing before this instant.
    NotBefore(Instant),
    /// Nothing until something happens.
    Nothing,
}

/// A queue. Places only grow; a message keeps its place until it is settled for good.
#[derive(Default)]
pub(super) struct Queue {
    last_place: u64,
    waiting: BTreeMap<u64, Item>,
    in_hand: BTreeMap<u64, Item>,
    /// The first is active, the others wait until it is gone.
    consumers: VecDeque<Consumer>,
}

impl Queue {
    /// Puts a message at the end.
    pub(super) fn push(&mut self, item: Item) {
        self.last_place += 1;
        self.put(self.last_place, item);
    }

    /// Puts a message that was taken out (`settle`) back into its place.
    pub(super) fn put(&mut self, place: u64, item: Item) {
        self.waiting.insert(place, item);
        if let Some(active) = self.consumers.front() {
            active.wake.notify_one();
        }
    }

    pub(super) fn is_listened_to(&self) -> bool {
        !self.consumers.is_empty()
    }

    /// How many messages have not been handed out.
    pub(super) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn join(&mut self, consumer: Consumer) {
        self.consumers.push_back(consumer);
    }

    /// Removes a consumer. What it had in hand goes back into its place.
    pub(super) fn leave(&mut self, consumer: u64) {
        let was_active = self.is_active(consumer);
        self.consumers.retain(|c| c.id != consumer);
        if was_active {
            for (place, mut item) in std::mem::take(&mut self.in_hand) {
                item.redelivered = true;
                item.returned += 1;
                self.waiting.insert(place, item);
            }
            if let Some(next) = self.consumers.front() {
                next.wake.notify_one();
            }
        }
    }

    /// The first message, if this consumer may have one now.
    pub(super) fn take(&mut self, consumer: u64, prefetch: usize, now: Instant) -> Taken {
        if !self.is_active(consumer) || self.in_hand.len() >= prefetch {
            return Taken::Nothing;
        }
        let Some(first) = self.waiting.first_entry() else {
            return Taken::Nothing;
        };
        match first.get().not_before {
            Some(at) if at > now => Taken::NotBefore(at),
            _ => {
                let (place, item) = first.remove_entry();
                let taken = Taken::Message {
                    place,
                    message: item.message.clone(),
                    attempt: item.attempt,
                    redelivered: item.redelivered,
                    returned: item.returned,
                    published: item.published,
                };
                self.in_hand.insert(place, item);
                taken
            }
        }
    }

    /// Takes out a message that this consumer has in hand.
    pub(super) fn settle(&mut self, consumer: u64, place: u64) -> Option<Item> {
        if self.is_active(consumer) {
            self.in_hand.remove(&place)
        } else {
            None
        }
    }

    fn is_active(&self, consumer: u64) -> bool {
        self.consumers.front().is_some_and(|c| c.id == consumer)
    }
}
