//! Which delivery may be handled next: one key strictly in order, different keys side by side.
//!
//! A plain state machine. A lane is the deliveries of one key; one of them is in work, the
//! others are held. A message that is to be tried again goes back to the bus, and its lane waits
//! for it to come back: what is held behind it must not overtake it.

use std::collections::{HashMap, VecDeque};

use bus::Delivery;
use protocol::{MessageId, Shard};

/// Names a lane. Messages for the service itself have a lane a shard.
type LaneName = (Shard, String);

/// What a lane is doing.
enum State {
    /// A delivery is in work.
    Working,
    /// A message went back to the bus; it comes again before anything else of its key. With the
    /// tag that it had.
    Awaiting(MessageId, u64),
}

struct Lane {
    state: State,
    held: VecDeque<Delivery>,
    /// How many times in a row its message had to wait for the store.
    waits: u32,
}

/// All lanes that have something to do.
#[derive(Default)]
pub(crate) struct Lanes {
    lanes: HashMap<LaneName, Lane>,
    void_below: u64,
}

/// How a delivery's work ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// It is settled for good: the lane moves on.
    Settled,
    /// It went back to the bus for another try.
    Retried,
    /// It went back to the bus because the store is away.
    Waited,
}

impl Lanes {
    /// The lane of a delivery.
    fn name(delivery: &Delivery) -> LaneName {
        (delivery.message.to.shard, delivery.message.key.clone())
    }

    /// A delivery has come. Gives it back when it is to be worked on now.
    pub(crate) fn arrived(&mut self, delivery: Delivery) -> Option<Delivery> {
        let name = Self::name(&delivery);
        let Some(lane) = self.lanes.get_mut(&name) else {
            let lane = Lane {
                state: State::Working,
                held: VecDeque::new(),
                waits: 0,
            };
            self.lanes.insert(name, lane);
            return Some(delivery);
        };
        match &lane.state {
            State::Awaiting(id, _) if *id == delivery.message.id => {
                lane.state = State::Working;
                Some(delivery)
            }
            State::Awaiting(..) | State::Working => {
                lane.held.push_back(delivery);
                None
            }
        }
    }

    /// Deliveries with tags below this are void, and come again here or elsewhere: they are
    /// neither held nor awaited any more. One that is in work is finished.
    pub(crate) fn void_below(&mut self, tag: u64) {
        if tag <= self.void_below {
            return;
        }
        self.void_below = tag;
        self.lanes.retain(|_, lane| {
            lane.held.retain(|delivery| delivery.tag >= tag);
            match lane.state {
                State::Working => true,
                // What comes again begins a lane of its own.
                State::Awaiting(_, awaited) => awaited >= tag,
            }
        });
    }

    /// Is this delivery void?
    pub(crate) fn is_void(&self, delivery: &Delivery) -> bool {
        delivery.tag < self.void_below
    }

    /// The work on this delivery has ended. Gives the next delivery of its lane to work on.
    pub(crate) fn ended(&mut self, delivery: &Delivery, how: Ended) -> Option<Delivery> {
        let name = &Self::name(delivery);
        let lane = self.lanes.get_mut(name)?;
        match how {
            Ended::Settled => {
                lane.waits = 0;
                let next = lane.held.pop_front();
                if next.is_none() {
                    self.lanes.remove(name);
                }
                next
            }
            Ended::Retried => {
                lane.state = State::Awaiting(delivery.message.id.clone(), delivery.tag);
                None
            }
            Ended::Waited => {
                lane.waits += 1;
                lane.state = State::Awaiting(delivery.message.id.clone(), delivery.tag);
                None
            }
        }
    }

    /// How many times in a row this delivery's message has had to wait.
    pub(crate) fn waits(&self, delivery: &Delivery) -> u32 {
        self.lanes
            .get(&Self::name(delivery))
            .map_or(0, |lane| lane.waits)
    }
}

#[cfg(test)]
mod tests {
    use protocol::{Message, Service, Topic};

    use super::*;

    fn delivery(key: &str, id: &str) -> Delivery {
        let to = Topic {
            service: Service::Night,
            shard: Shard::of("one shard for all"),
        };
        Delivery {
            message: Message {
                id: MessageId(id.to_owned()),
                trace: String::new(),
                to,
                key: key.to_owned(),
                body: String::new(),
            },
            attempt: 1,
            redelivered: false,
            returned: 0,
            published: None,
            tag: 0,
        }
    }

    fn id(delivery: Option<Delivery>) -> Option<String> {
        delivery.map(|d| d.message.id.0)
    }

    fn end(lanes: &mut Lanes, key: &str, message: &str, how: Ended) -> Option<String> {
        id(lanes.ended(&delivery(key, message), how))
    }

    fn tagged(key: &str, id: &str, tag: u64) -> Delivery {
        Delivery {
            tag,
            ..delivery(key, id)
        }
    }

    #[test]
    fn one_key_is_in_order_and_another_beside_it() {
        let mut lanes = Lanes::default();
        assert_eq!(id(lanes.arrived(delivery("a", "1"))), Some("1".to_owned()));
        assert_eq!(id(lanes.arrived(delivery("a", "2"))), None);
        assert_eq!(id(lanes.arrived(delivery("b", "3"))), Some("3".to_owned()));
        assert_eq!(id(lanes.arrived(delivery("a", "4"))), None);
        assert_eq!(
            end(&mut lanes, "a", "1", Ended::Settled),
            Some("2".to_owned())
        );
        assert_eq!(end(&mut lanes, "b", "3", Ended::Settled), None);
        assert_eq!(
            end(&mut lanes, "a", "2", Ended::Settled),
            Some("4".to_owned())
        );
        assert_eq!(end(&mut lanes, "a", "4", Ended::Settled), None);
        assert!(
            lanes.lanes.is_empty(),
            "nothing is kept of keys that are done"
        );
    }

    #[test]
    fn nothing_overtakes_a_message_that_is_tried_again() {
        let mut lanes = Lanes::default();
        lanes.arrived(delivery("a", "1"));
        lanes.arrived(delivery("a", "2"));
        for waits in 1..=3 {
            assert_eq!(end(&mut lanes, "a", "1", Ended::Waited), None);
            assert_eq!(lanes.waits(&delivery("a", "1")), waits);
            assert_eq!(
                id(lanes.arrived(delivery("a", &format!("later {waits}")))),
                None
            );
            assert_eq!(id(lanes.arrived(delivery("a", "1"))), Some("1".to_owned()));
        }
        assert_eq!(end(&mut lanes, "a", "1", Ended::Retried), None);
        assert_eq!(id(lanes.arrived(delivery("a", "1"))), Some("1".to_owned()));
        assert_eq!(
            end(&mut lanes, "a", "1", Ended::Settled),
            Some("2".to_owned())
        );
        assert_eq!(
            end(&mut lanes, "a", "2", Ended::Settled),
            Some("later 1".to_owned())
        );
        assert_eq!(lanes.waits(&delivery("a", "1")), 0);
    }
    #[test]
    fn what_is_void_is_neither_held_nor_awaited() {
        let mut lanes = Lanes::default();
        for key in ["waits", "works"] {
            assert!(lanes.arrived(tagged(key, "1", 1)).is_some());
            assert!(lanes.arrived(tagged(key, "2", 2)).is_none());
        }
        assert_eq!(end(&mut lanes, "waits", "1", Ended::Waited), None);
        lanes.void_below(3);
        assert!(lanes.is_void(&tagged("works", "1", 1)));
        // They come again.
        let again = lanes.arrived(tagged("waits", "1", 3));
        assert_eq!(id(again), Some("1".to_owned()), "nothing is awaited");
        assert!(lanes.arrived(tagged("works", "1", 4)).is_none());
        lanes.void_below(3);
        let work = lanes.ended(&tagged("works", "1", 1), Ended::Settled);
        assert_eq!(work.map(|delivery| delivery.tag), Some(4), "2 is not held");
        assert_eq!(end(&mut lanes, "works", "1", Ended::Settled), None);
        assert_eq!(end(&mut lanes, "waits", "1", Ended::Settled), None);
        assert!(lanes.lanes.is_empty());
    }
}
