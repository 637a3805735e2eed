//! The one order of all chats. Steps in different chats are committed side by side, yet a reader
//! who has seen everything up to a place must never find something new before it: so a place is
//! shown only when all places before it are settled.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use protocol::UserId;

/// Whom a step concerns.
pub(crate) type Audience = Vec<UserId>;

/// Called with those who have something new to see, and the place up to which they may look.
type Release = Box<dyn Fn(&Audience, u64) + Send + Sync>;

/// Gives places away and knows which are settled.
#[derive(Clone)]
pub(crate) struct Order(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    release: Release,
}

struct State {
    next: u64,
    limit: u64,
    open: BTreeSet<u64>,
    settled: BTreeMap<u64, Audience>,
}

/// A place. Dropped without being settled it stays empty for good.
pub(crate) struct Ticket {
    order: Order,
    seq: u64,
    audience: Audience,
}

impl Order {
    /// An order that begins after this place and has nothing set aside yet.
    pub(crate) fn after(
        seq: u64,
        release: impl Fn(&Audience, u64) + Send + Sync + 'static,
    ) -> Self {
        let state = State {
            next: seq + 1,
            limit: seq,
            open: BTreeSet::new(),
            settled: BTreeMap::new(),
        };
        Self(Arc::new(Shared {
            state: Mutex::new(state),
            release: Box::new(release),
        }))
    }

    /// The next place; `None` when no more are set aside.
    pub(crate) fn take(&self) -> Option<Ticket> {
        let mut state = self.lock();
        if state.next > state.limit {
            return None;
        }
        let seq = state.next;
        state.next += 1;
        state.open.insert(seq);
        drop(state);
        Some(Ticket {
            order: self.clone(),
            seq,
            audience: Audience::new(),
        })
    }

    /// Places up to this one are set aside durably.
    pub(crate) fn extend(&self, limit: u64) {
        let mut state = self.lock();
        state.limit = state.limit.max(limit);
    }

    /// How many places are set aside and not given away.
    pub(crate) fn left(&self) -> u64 {
        let state = self.lock();
        (state.limit + 1).saturating_sub(state.next)
    }

    /// Everything up to and including this place is settled.
    pub(crate) fn horizon(&self) -> u64 {
        self.lock().horizon()
    }

    fn settle(&self, seq: u64, audience: Audience) {
        let mut state = self.lock();
        state.open.remove(&seq);
        state.settled.insert(seq, audience);
        let horizon = state.horizon();
        let hidden = state.settled.split_off(&(horizon + 1));
        let shown = std::mem::replace(&mut state.settled, hidden);
        drop(state);
        for audience in shown.values().filter(|audience| !audience.is_empty()) {
            (self.0.release)(audience, horizon);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn horizon(&self) -> u64 {
        self.open.first().copied().unwrap_or(self.next) - 1
    }
}

impl Ticket {
    /// The place.
    pub(crate) fn seq(&self) -> u64 {
        self.seq
    }

    /// What stands there is committed and concerns these people.
    pub(crate) fn settle(mut self, audience: Audience) {
        self.audience = audience;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.order
            .settle(self.seq, std::mem::take(&mut self.audience));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was released, in order.
    type Released = Arc<Mutex<Vec<(Audience, u64)>>>;

    fn order() -> (Order, Released) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let order = Order::after(10, move |audience, upto| {
            log.lock().unwrap().push((audience.clone(), upto));
        });
        order.extend(14);
        (order, seen)
    }

    #[test]
    fn a_later_place_waits_for_an_earlier_one() {
        let (order, seen) = order();
        let (first, second) = (order.take().unwrap(), order.take().unwrap());
        assert_eq!((first.seq(), second.seq()), (11, 12));
        second.settle(vec![UserId(2)]);
        assert_eq!(order.horizon(), 10);
        assert!(seen.lock().unwrap().is_empty());
        first.settle(vec![UserId(1)]);
        assert_eq!(order.horizon(), 12);
        assert_eq!(
            *seen.lock().unwrap(),
            [(vec![UserId(1)], 12), (vec![UserId(2)], 12)]
        );
    }

    #[test]
    fn a_dropped_place_holds_nobody_up() {
        let (order, seen) = order();
        let (first, second) = (order.take().unwrap(), order.take().unwrap());
        second.settle(vec![UserId(2)]);
        drop(first);
        assert_eq!(order.horizon(), 12);
        assert_eq!(*seen.lock().unwrap(), [(vec![UserId(2)], 12)]);
    }

    #[test]
    fn only_what_is_set_aside_is_given_away() {
        let (order, _) = order();
        let tickets: Vec<Ticket> = std::iter::from_fn(|| order.take()).collect();
        assert_eq!(tickets.len(), 4);
        assert_eq!(order.left(), 0);
        order.extend(15);
        assert_eq!(order.left(), 1);
        assert_eq!(order.take().unwrap().seq(), 15);
    }
}
