//! What a consumer holds: messages that have come and are not settled.
//!
//! A plain state machine. Nothing goes back to the broker while its consumer lives: a message
//! that is to be tried again keeps its place here, and what came after it waits. So trying again
//! and waiting count only where they are meant to.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant, SystemTime};

use protocol::Message;

use crate::Delivery;

/// What is known of a message when it comes.
#[derive(Debug)]
pub(super) struct Arrived {
    pub(super) message: Message,
    pub(super) redelivered: bool,
    /// How often it had come back to its queue.
    pub(super) returned: u32,
    pub(super) published: Option<SystemTime>,
}

/// A message that has come, with the means `M` to settle it.
#[derive(Debug)]
pub(super) struct Item<M> {
    pub(super) message: Message,
    /// The number of its next (or present) delivery, from 1.
    pub(super) attempt: u32,
    pub(super) redelivered: bool,
    returned: u32,
    published: Option<SystemTime>,
    pub(super) means: M,
    /// When it came.
    pub(super) since: Instant,
    /// It is not handed out before this, and nothing behind it either.
    not_before: Option<Instant>,
}

impl<M> Item<M> {
    pub(super) fn new(arrived: Arrived, means: M, now: Instant) -> Self {
        Self {
            message: arrived.message,
            attempt: 1,
            redelivered: arrived.redelivered,
            returned: arrived.returned,
            published: arrived.published,
            means,
            since: now,
            not_before: None,
        }
    }
}

/// A place in a queue: places only grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    queue: usize,
    number: u64,
}

#[derive(Debug)]
pub(super) struct Held<M> {
    /// What has not been handed out, by queue and place.
    waiting: Vec<BTreeMap<u64, Item<M>>>,
    in_hand: HashMap<u64, (Place, Item<M>)>,
    last_place: u64,
    last_tag: u64,
    /// Tags below this are void.
    void_below: u64,
    /// The queue that is looked at first, so that each gets its turn.
    turn: usize,
}

impl<M> Held<M> {
    pub(super) fn new(queues: usize) -> Self {
        Self {
            waiting: (0..queues).map(|_| BTreeMap::new()).collect(),
            in_hand: HashMap::new(),
            last_place: 0,
            last_tag: 0,
            void_below: 0,
            turn: 0,
        }
    }

    /// A message has come from this queue.
    pub(super) fn arrived(&mut self, queue: usize, item: Item<M>) {
        self.last_place += 1;
        self.waiting[queue].insert(self.last_place, item);
    }

    /// Hands out what there is now; otherwise tells until when to wait at most.
    pub(super) fn take(&mut self, now: Instant) -> Result<Delivery, Option<Instant>> {
        let mut earliest: Option<Instant> = None;
        for step in 0..self.waiting.len() {
            let queue = (self.turn + step) % self.waiting.len();
            let Some(first) = self.waiting[queue].first_entry() else {
                continue;
            };
            match first.get().not_before {
                Some(at) if at > now => {
                    earliest = Some(earliest.map_or(at, |other| other.min(at)));
                }
                _ => {
                    self.turn = queue + 1;
                    let (number, item) = first.remove_entry();
                    return Ok(self.hand_out(Place { queue, number }, item));
                }
            }
        }
        Err(earliest)
    }

    fn hand_out(&mut self, place: Place, item: Item<M>) -> Delivery {
        self.last_tag += 1;
        let delivery = Delivery {
            message: item.message.clone(),
            attempt: item.attempt,
            redelivered: item.redelivered,
            returned: item.returned,
            published: item.published,
            tag: self.last_tag,
        };
        self.in_hand.insert(self.last_tag, (place, item));
        delivery
    }

    /// Takes out a message that was handed out.
    pub(super) fn settle(&mut self, tag: u64) -> Option<(Place, Item<M>)> {
        self.in_hand.remove(&tag)
    }

    /// Puts a message that was taken out back into its place.
    pub(super) fn put_back(&mut self, place: Place, mut item: Item<M>, not_before: Instant) {
        item.redelivered = true;
        item.not_before = Some(not_before);
        self.waiting[place.queue].insert(place.number, item);
    }

    /// Forgets everything: it is the broker's again.
    pub(super) fn lose(&mut self) {
        self.waiting.iter_mut().for_each(BTreeMap::clear);
        self.in_hand.clear();
        self.void_below = self.last_tag + 1;
    }

    pub(super) fn void_below(&self) -> u64 {
        self.void_below
    }

    /// How long the oldest message has been here.
    pub(super) fn age(&self, now: Instant) -> Duration {
        let waiting = self.waiting.iter().flat_map(BTreeMap::values);
        let in_hand = self.in_hand.values().map(|(_, item)| item);
        let oldest = waiting.chain(in_hand).map(|item| item.since).min();
        oldest.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }
}

#[cfg(test)]
mod tests {
    use protocol::{MessageId, Service, Shard, Topic};

    use super::*;

    fn item(id: &str, now: Instant) -> Item<()> {
        let message = Message {
            id: MessageId(id.to_owned()),
            trace: String::new(),
            to: Topic {
                service: Service::Night,
                shard: Shard::of(id),
            },
            key: "7-1".to_owned(),
            body: String::new(),
        };
        let arrived = Arrived {
            message,
            redelivered: false,
            returned: 0,
            published: None,
        };
        Item::new(arrived, (), now)
    }

    fn ids(held: &mut Held<()>, now: Instant) -> Vec<String> {
        std::iter::from_fn(|| held.take(now).ok())
            .map(|delivery| delivery.message.id.0)
            .collect()
    }

    #[test]
    fn nothing_overtakes_what_is_to_come_again() {
        let now = Instant::now();
        let later = now + Duration::from_secs(1);
        let mut held = Held::new(1);
        for id in ["1", "2", "3"] {
            held.arrived(0, item(id, now));
        }
        let first = held.take(now).unwrap();
        let (place, first) = held.settle(first.tag).unwrap();
        held.put_back(place, first, later);
        assert_eq!(held.take(now).unwrap_err(), Some(later));
        assert_eq!(ids(&mut held, later), ["1", "2", "3"]);
    }

    #[test]
    fn queues_take_turns_and_do_not_wait_for_each_other() {
        let now = Instant::now();
        let mut held = Held::new(3);
        for (queue, id) in [(0, "a1"), (0, "a2"), (0, "a3"), (2, "c1"), (2, "c2")] {
            held.arrived(queue, item(id, now));
        }
        assert_eq!(ids(&mut held, now), ["a1", "c1", "a2", "c2", "a3"]);
        held.arrived(0, item("a4", now));
        let stuck = held.take(now).unwrap();
        let (place, stuck) = held.settle(stuck.tag).unwrap();
        held.put_back(place, stuck, now + Duration::from_secs(1));
        held.arrived(1, item("b1", now));
        assert_eq!(ids(&mut held, now), ["b1"]);
    }

    #[test]
    fn what_is_lost_is_void_and_its_age_is_gone() {
        let now = Instant::now();
        let later = now + Duration::from_secs(5);
        let mut held = Held::new(1);
        held.arrived(0, item("1", now));
        held.arrived(0, item("2", later));
        let first = held.take(later).unwrap();
        assert_eq!(held.age(later), Duration::from_secs(5));
        held.lose();
        assert_eq!(held.age(later), Duration::ZERO);
        assert!(held.settle(first.tag).is_none());
        assert!(first.tag < held.void_below());
        held.arrived(0, item("1", later));
        assert!(held.take(later).unwrap().tag >= held.void_below());
    }
}
