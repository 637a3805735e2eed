//! Which delivery may be handled next: one key strictly in order, different keys side by side.
//!
//! A plain state machine. A lane is the deliveries of one key; one of them is in work, the
//! others are held. A message that is to be tried again goes back to the bus, and its lane waits
//! for it to come back: what is held behind it must not overtake it.

use std::collections::{HashMap, VecDeque};

use bus::Delivery;
use protocol::{MessageId, Shard};

/// Names a lane. Messages for the service itself have a lane a shard.
pub(crate) type LaneName = (Shard, String);

/// What a lane is doing.
enum State {
    /// A delivery is in work.
    Working,
    /// A message went back to the bus; it comes again before anything else of its key.
    Awaiting(MessageId),
}

struct Lane {
    state: State,
    held: VecDeque<Delivery>,
    /// How many times in a row its message had to wait for the store.
    waits: u32,
}

/// All lanes that have something to do.
#[derive(Default)]
pub(crate) struct Lanes(HashMap<LaneName, Lane>);

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
    pub(crate) fn name(delivery: &Delivery) -> LaneName {
        (delivery.message.to.shard, delivery.message.key.clone())
    }

    /// A delivery has come. Gives it back when it is to be worked on now.
    pub(crate) fn arrived(&mut self, delivery: Delivery) -> Option<Delivery> {
        let name = Self::name(&delivery);
        let Some(lane) = self.0.get_mut(&name) else {
            let lane = Lane {
                state: State::Working,
                held: VecDeque::new(),
                waits: 0,
            };
            self.0.insert(name, lane);
            return Some(delivery);
        };
        match &lane.state {
            State::Awaiting(id) if *id == delivery.message.id => {
                lane.state = State::Working;
                Some(delivery)
            }
            State::Awaiting(_) | State::Working => {
                lane.held.push_back(delivery);
                None
            }
        }
    }

    /// The work on this message has ended. Gives the next delivery of its lane to work on.
    pub(crate) fn ended(
        &mut self,
        name: &LaneName,
        message: &MessageId,
        how: Ended,
    ) -> Option<Delivery> {
        let lane = self.0.get_mut(name)?;
        match how {
            Ended::Settled => {
                lane.waits = 0;
                let next = lane.held.pop_front();
                if next.is_none() {
                    self.0.remove(name);
                }
                next
            }
            Ended::Retried => {
                lane.state = State::Awaiting(message.clone());
                None
            }
            Ended::Waited => {
                lane.waits += 1;
                lane.state = State::Awaiting(message.clone());
                None
            }
        }
    }

    /// How many times in a row this lane's message has had to wait.
    pub(crate) fn waits(&self, name: &LaneName) -> u32 {
        self.0.get(name).map_or(0, |lane| lane.waits)
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
            tag: 0,
        }
    }

    fn id(delivery: Option<Delivery>) -> Option<String> {
        delivery.map(|d| d.message.id.0)
    }

    fn end(lanes: &mut Lanes, key: &str, message: &str, how: Ended) -> Option<String> {
        let delivery = delivery(key, message);
        id(lanes.ended(&Lanes::name(&delivery), &delivery.message.id, how))
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
        assert!(lanes.0.is_empty(), "nothing is kept of keys that are done");
    }

    #[test]
    fn nothing_overtakes_a_message_that_is_tried_again() {
        let mut lanes = Lanes::default();
        lanes.arrived(delivery("a", "1"));
        lanes.arrived(delivery("a", "2"));
        for waits in 1..=3 {
            assert_eq!(end(&mut lanes, "a", "1", Ended::Waited), None);
            assert_eq!(lanes.waits(&Lanes::name(&delivery("a", "1"))), waits);
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
        assert_eq!(lanes.waits(&Lanes::name(&delivery("a", "1"))), 0);
    }
}
