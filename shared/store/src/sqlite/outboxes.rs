//! All outboxes, in memory: a relay is woken after each commit and must not wait for the disk
//! to read what was just written.
//!
//! The file belongs to this process alone, so what is here is what is there: read once at the
//! start, added to after each transaction, taken from when something is sent.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::{Mutex, MutexGuard, PoisonError};

use protocol::{Message, MessageId, Service, Shard, Topic};
use rusqlite::Connection;

use crate::{OutboxEntry, StoreError, names};

/// The entries of one outbox by place; those that cannot be read say why.
type Outbox = BTreeMap<u64, Result<Message, String>>;

/// All outboxes.
#[derive(Default)]
pub(super) struct Outboxes(Mutex<HashMap<(Service, Shard), Outbox>>);

impl Outboxes {
    /// What is in the file.
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let outboxes = Self::default();
        let mut rows = connection.prepare(
            "SELECT place, service, shard, message, trace, to_service, to_shard, key, body
             FROM outbox ORDER BY place",
        )?;
        let mut rows = rows.query(())?;
        while let Some(row) = rows.next()? {
            let place = row.get::<_, i64>(0)?.cast_unsigned();
            let topic = |service: &str, shard| -> Result<Topic, String> {
                Ok(Topic {
                    service: names::service(service)?,
                    shard: names::shard(shard)?,
                })
            };
            let owner = match topic(&row.get::<_, String>(1)?, row.get(2)?) {
                Ok(owner) => owner,
                Err(why) => {
                    // Nobody's outbox: it stays in the file for whoever can read it.
                    tracing::error!(place, why, "an outbox entry has no readable owner");
                    continue;
                }
            };
            let to = topic(&row.get::<_, String>(5)?, row.get(6)?);
            let (id, trace, key, body) = (row.get(3)?, row.get(4)?, row.get(7)?, row.get(8)?);
            let message = to.map(|to| Message {
                id: MessageId(id),
                trace,
                to,
                key,
                body,
            });
            outboxes
                .lock()
                .entry((owner.service, owner.shard))
                .or_default()
                .insert(place, message);
        }
        Ok(outboxes)
    }

    /// These have been written.
    pub(super) fn add(&self, service: Service, shard: Shard, entries: Vec<(u64, Message)>) {
        if !entries.is_empty() {
            let entries = entries
                .into_iter()
                .map(|(place, message)| (place, Ok(message)));
            self.lock()
                .entry((service, shard))
                .or_default()
                .extend(entries);
        }
    }

    /// Takes entries out. Gives the places of those that were there.
    pub(super) fn take(&self, service: Service, shard: Shard, places: &[u64]) -> Vec<u64> {
        match self.lock().get_mut(&(service, shard)) {
            Some(outbox) => places
                .iter()
                .copied()
                .filter(|place| outbox.remove(place).is_some())
                .collect(),
            None => Vec::new(),
        }
    }

    /// See [`Store::outbox`](crate::Store::outbox).
    pub(super) fn list(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        let outboxes = self.lock();
        let Some(outbox) = outboxes.get(&(service, shard)) else {
            return Ok(Vec::new());
        };
        let mut entries = Vec::new();
        for (&place, message) in outbox.range((Excluded(after), Unbounded)).take(limit) {
            match message {
                Ok(message) => entries.push(OutboxEntry {
                    place,
                    message: message.clone(),
                }),
                // What is before it can go; it is told about when it is its turn.
                Err(_) if !entries.is_empty() => break,
                Err(why) => {
                    return Err(StoreError::Corrupt {
                        place: format!("outbox entry {place}"),
                        why: why.clone(),
                    });
                }
            }
        }
        Ok(entries)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Service, Shard), Outbox>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
