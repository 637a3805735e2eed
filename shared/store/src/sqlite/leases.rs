//! Leases, in memory: only this process can hold any.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::{Service, Shard};

use crate::{AggregateKey, Fence};

/// What is leased.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Thing {
    /// An outbox.
    Outbox(Service, Shard),
    /// What an aggregate stands for.
    Aggregate(AggregateKey),
}

type Given = HashMap<Thing, Lease>;

/// The newest lease of each thing.
#[derive(Default)]
pub(super) struct Leases(Mutex<Given>);

struct Lease {
    fence: Fence,
    holder: String,
    /// `None`: it was given back.
    until: Option<Instant>,
}

impl Leases {
    /// See [`Store::lease`](crate::Store::lease).
    pub(super) fn lease(&self, thing: Thing, holder: &str, lasting: Duration) -> Option<Fence> {
        let mut given = self.lock();
        let now = Instant::now();
        let until = Some(now + lasting);
        let mut newest = 0;
        if let Some(lease) = given.get_mut(&thing) {
            if lease.until.is_some_and(|until| until > now) {
                return (lease.holder == holder).then(|| {
                    lease.until = until;
                    lease.fence
                });
            }
            newest = lease.fence.0;
        }
        let fence = Fence(newest + 1);
        let lease = Lease {
            fence,
            holder: holder.to_owned(),
            until,
        };
        given.insert(thing, lease);
        Some(fence)
    }

    /// See [`Store::release`](crate::Store::release).
    pub(super) fn release(&self, thing: &Thing, fence: Fence) {
        let mut given = self.lock();
        let lease = given.get_mut(thing);
        if let Some(lease) = lease.filter(|lease| lease.fence == fence) {
            lease.until = None;
        }
    }

    /// Is this the newest lease of its thing?
    pub(super) fn is_newest(&self, thing: &Thing, fence: Fence) -> bool {
        let given = self.lock();
        let lease = given.get(thing);
        lease.is_some_and(|lease| lease.fence == fence)
    }

    fn lock(&self) -> MutexGuard<'_, Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
