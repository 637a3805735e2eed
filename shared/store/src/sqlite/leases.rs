//! Leases on outboxes, in memory: only this process can hold any.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use protocol::{Service, Shard};

use crate::Fence;

type Given = HashMap<(Service, Shard), Lease>;

/// The newest lease of each outbox.
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
    pub(super) fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Option<Fence> {
        let mut given = self.lock();
        let now = Instant::now();
        let until = Some(now + lasting);
        let mut newest = 0;
        if let Some(lease) = given.get_mut(&(service, shard)) {
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
        given.insert((service, shard), lease);
        Some(fence)
    }

    /// See [`Store::release`](crate::Store::release).
    pub(super) fn release(&self, service: Service, shard: Shard, fence: Fence) {
        let mut given = self.lock();
        let lease = given.get_mut(&(service, shard));
        if let Some(lease) = lease.filter(|lease| lease.fence == fence) {
            lease.until = None;
        }
    }

    /// Is this the newest lease of its outbox?
    pub(super) fn is_newest(&self, service: Service, shard: Shard, fence: Fence) -> bool {
        let given = self.lock();
        let lease = given.get(&(service, shard));
        lease.is_some_and(|lease| lease.fence == fence)
    }

    fn lock(&self) -> MutexGuard<'_, Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
