//! Who speaks for an account. Several bridges may run, and an account may be connected to several
//! of them: one has the floor, listens and speaks; the others stand by with what is connected to
//! them, and take the floor when that one has left it or has died. What they miss of chat
//! meanwhile they read from history, as after any absence.

use std::sync::Arc;
use std::time::Duration;

use kit::Parts;
use protocol::Service;
use store::{AggregateKey, Fence, StoreError};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::account::key;
use crate::bridge::Bridge;
use crate::side::{AccountSide, Floor, Link};

/// So long nobody speaks after a bridge has died.
const LASTING: Duration = Duration::from_secs(3);
/// How often the floor is asked for, or kept.
const AGAIN: Duration = Duration::from_millis(500);
/// How often we look whether another bridge has given us something to say.
const LOOK: Duration = Duration::from_millis(50);

/// Sees to one account's floor.
pub(crate) struct Keeper {
    bridge: Bridge,
    side: Arc<AccountSide>,
    account: AggregateKey,
    holder: String,
    /// The last right that we were given.
    last: Option<Fence>,
    until: Instant,
    /// Somebody else has the floor, and hears what we hear.
    others: bool,
    /// Counts our turns.
    turns: u64,
}

impl Keeper {
    /// `holder` names this process and no other that lives.
    pub(crate) fn new(bridge: Bridge, side: Arc<AccountSide>, holder: String) -> Self {
        let account = AggregateKey {
            service: Service::Ingest,
            key: key(side.account),
        };
        Self {
            bridge,
            side,
            account,
            holder,
            last: None,
            until: Instant::now(),
            others: false,
            turns: 0,
        }
    }

    /// Works until we stop; then the next may speak at once.
    pub(crate) async fn run(mut self) {
        let shutdown = self.parts().shutdown.clone();
        let shared = self.parts().store.bells().is_some();
        let mut connected = self.side.connected();
        let mut again = interval(AGAIN);
        let mut look = interval(LOOK);
        for ticks in [&mut again, &mut look] {
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        }
        loop {
            let links = connected.borrow_and_update().both();
            // Until we know of somebody else, what comes waits for us.
            let standing_by = links.filter(|_| self.others);
            tokio::select! {
                () = shutdown.cancelled() => break,
                changed = connected.changed() => match changed {
                    Ok(()) => self.see_to_it().await,
                    Err(_) => break,
                },
                _ = again.tick() => self.see_to_it().await,
                _ = look.tick(), if shared && self.has_floor() => self.look().await,
                () = pass_over(standing_by.as_ref().map(|(_, events)| events)) => {}
            }
        }
        self.leave().await;
    }

    fn parts(&self) -> &Parts {
        self.bridge.parts()
    }

    fn has_floor(&self) -> bool {
        self.last.is_some() && Instant::now() < self.until
    }

    /// Takes the floor, keeps it, or leaves it, whatever is to be done.
    async fn see_to_it(&mut self) {
        if self.side.connected().borrow().both().is_none() {
            self.leave().await;
            return;
        }
        let asked = Instant::now();
        match self.ask().await {
            Ok(Some(fence)) => {
                self.until = asked + LASTING;
                self.others = false;
                // The next number after ours: it lapsed, and nobody had it meanwhile.
                let ours = self.last.is_some_and(|last| fence.0 <= last.0 + 1);
                self.last = Some(fence);
                if !ours {
                    self.turns += 1;
                    self.side.floor.send_replace(Floor::Ours(self.turns));
                    tracing::info!(account = %self.side.account, "we speak for the account");
                }
                self.side.use_until(self.until);
            }
            Ok(None) => self.is_lost(),
            Err(error) => {
                tracing::debug!(account = %self.side.account, %error, "the floor cannot be asked for");
                if !self.has_floor() {
                    self.side.use_nothing();
                }
            }
        }
    }

    async fn ask(&self) -> Result<Option<Fence>, StoreError> {
        let store = &self.parts().store;
        store.hold(&self.account, &self.holder, LASTING).await
    }

    /// Somebody else has it.
    fn is_lost(&mut self) {
        self.side.use_nothing();
        self.others = true;
        if self.last.take().is_some() {
            tracing::warn!(account = %self.side.account, "another instance speaks for the account");
        }
        self.side.floor.send_if_modified(|floor| {
            let had = *floor != Floor::NotOurs;
            *floor = Floor::NotOurs;
            had
        });
    }

    /// Lets others have it at once. When nobody takes it we may go on as if nothing had been.
    async fn leave(&mut self) {
        self.side.use_nothing();
        let Some(fence) = self.last.filter(|_| self.has_floor()) else {
            return;
        };
        self.until = Instant::now();
        if let Err(error) = self.parts().store.let_go(&self.account, fence).await {
            tracing::debug!(account = %self.side.account, %error, "the floor lapses by itself");
        }
    }

    /// Has another bridge taken something for us to say?
    async fn look(&self) {
        // When the store is away there is nothing to be had from it.
        if let Ok(true) = self.bridge.refresh(self.side.account).await {
            self.side.work.notify_one();
        }
    }
}

/// Takes what comes by a connection that we do not use: whoever has the floor hears the same.
async fn pass_over(events: Option<&Link>) {
    let Some(link) = events else {
        return std::future::pending().await;
    };
    if link.events().lock().await.recv().await.is_none() {
        // It has ended; that it has is heard elsewhere.
        std::future::pending::<()>().await;
    }
}
