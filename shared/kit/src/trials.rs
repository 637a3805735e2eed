//! Messages that may have ended a process: each is on trial, alone, until one has outlived it.
//!
//! A message that comes back because its consumer was gone may have been the cause, or may only have
//! been in the same hands. So the store counts how often its handling was begun and not ended, and
//! of all such messages one at a time is handled in a process. One that has ended a few processes in
//! a row is guilty, and is given up before it ends another; what was beside it is not counted. The
//! guilty stay so: one that an operator puts back is handled once more, and given up at once when it
//! comes back from that.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use protocol::{Message, MessageId, Service};
use store::{AggregateKey, Store, StoreError};
use tokio::sync::MutexGuard;

/// So many processes may end while they handle the same message on trial.
pub(crate) const MOST: u32 = 3;

/// Only who has this handles a message on trial, whichever service of the process it is for.
static ALONE: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The trials of one service in this process.
#[derive(Default)]
pub(crate) struct Trials {
    /// Begun and not ended. A message that waits for the store is begun once.
    begun: Mutex<BTreeSet<(String, MessageId)>>,
}

/// What is to be done with a message.
pub(crate) enum Trial {
    /// It had been handled before.
    NotNeeded,
    /// Handle it, and hold this meanwhile.
    Begun(MutexGuard<'static, ()>),
    /// It has ended so many processes.
    Guilty(u32),
}

impl Trials {
    /// Begins a message's trial, as soon as no other is going on.
    pub(crate) async fn begin(
        &self,
        store: &dyn Store,
        service: Service,
        message: &Message,
    ) -> Result<Trial, StoreError> {
        let aggregate = aggregate(service, message);
        if store.handled(&aggregate, &message.id).await?.is_some() {
            return Ok(Trial::NotNeeded);
        }
        let alone = ALONE.lock().await;
        let name = (message.key.clone(), message.id.clone());
        if self.begun().contains(&name) {
            return Ok(Trial::Begun(alone));
        }
        let before = store.begin_trial(&aggregate, &message.id).await? - 1;
        if before >= MOST {
            return Ok(Trial::Guilty(before));
        }
        self.begun().insert(name);
        Ok(Trial::Begun(alone))
    }

    /// The process has outlived it.
    pub(crate) async fn end(
        &self,
        store: &dyn Store,
        service: Service,
        message: &Message,
    ) -> Result<(), StoreError> {
        let aggregate = aggregate(service, message);
        store.end_trial(&aggregate, &message.id).await?;
        self.begun()
            .remove(&(message.key.clone(), message.id.clone()));
        Ok(())
    }

    fn begun(&self) -> std::sync::MutexGuard<'_, BTreeSet<(String, MessageId)>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn aggregate(service: Service, message: &Message) -> AggregateKey {
    AggregateKey {
        service,
        key: message.key.clone(),
    }
}
