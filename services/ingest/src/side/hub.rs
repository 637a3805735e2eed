//! Which connections an account has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onebot::{Action, Frame};
use protocol::{AccountId, Scene};
use rules::Time;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::calls::{Called, Calls};
use super::link::{Closing, Inlet, Link, LinkEvent, Outgoing};
use crate::authors::Authors;

/// The connections of one account: one link for calls and one for events, mostly the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    pub(crate) api: Option<Link>,
    pub(crate) events: Option<Link>,
}

impl Links {
    /// Both, when both are there.
    pub(crate) fn both(&self) -> Option<(Link, Link)> {
        Some((self.api.clone()?, self.events.clone()?))
    }
}

/// Whether we speak for an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Floor {
    /// Nobody here does.
    NotOurs,
    /// We do. The number changes when somebody else may have spoken meanwhile.
    Ours(u64),
}

/// One account's end of its connections.
#[derive(Debug)]
pub(crate) struct AccountSide {
    /// The account.
    pub(crate) account: AccountId,
    /// Rung when there may be something to send.
    pub(crate) work: Notify,
    /// Who said what lately.
    pub(crate) authors: Authors,
    /// How the account is.
    pub(crate) state: watch::Sender<SideState>,
    /// Own messages by scene since somebody else was last heard there.
    own: Mutex<HashMap<Scene, u64>>,
    calls: Calls,
    /// What is connected.
    links: watch::Sender<Links>,
    /// The same while we have the floor; nothing otherwise.
    in_use: watch::Sender<Links>,
    /// Whether we speak for the account.
    pub(crate) floor: watch::Sender<Floor>,
    /// Until then nobody else does.
    floor_until: Mutex<Instant>,
}

/// How an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SideState {
    /// Not connected.
    Away,
    /// Connected; what was missed is being read.
    CatchingUp,
    /// Connected and caught up.
    Ready,
    /// Connected, but the platform has put the account offline.
    Offline,
}

impl SideState {
    /// Can something be sent?
    pub(crate) fn can_speak(self) -> bool {
        matches!(self, Self::CatchingUp | Self::Ready)
    }

    /// What is wrong, for the health report.
    pub(crate) fn trouble(self) -> Option<&'static str> {
        match self {
            Self::Away => Some("no chat side is connected"),
            Self::Offline => Some("the platform has put the account offline"),
            Self::CatchingUp | Self::Ready => None,
        }
    }
}

impl AccountSide {
    /// The connections that we may use; changes are told.
    pub(crate) fn links(&self) -> watch::Receiver<Links> {
        self.in_use.subscribe()
    }

    /// What is connected, whether we have the floor or not.
    pub(crate) fn connected(&self) -> watch::Receiver<Links> {
        self.links.subscribe()
    }

    /// We have the floor until then: what is connected may be used.
    pub(crate) fn use_until(&self, until: Instant) {
        *lock(&self.floor_until) = until;
        let connected = self.links.borrow().clone();
        self.in_use.send_if_modified(|links| {
            let ids = |links: &Links| [&links.api, &links.events].map(|l| l.as_ref().map(Link::id));
            let changed = ids(links) != ids(&connected);
            *links = connected;
            changed
        });
    }

    /// We do not have the floor any more, or not for sure.
    pub(crate) fn use_nothing(&self) {
        self.in_use.send_if_modified(|links| {
            let changed = links.api.is_some() || links.events.is_some();
            *links = Links::default();
            changed
        });
    }

    /// Calls over the connection that there is now.
    pub(crate) async fn call(&self, action: &Action, patience: Duration) -> Called {
        let link = self.in_use.borrow().api.clone();
        // Looked at again right before the word: we may have been standing still.
        let have_floor = Instant::now() < *lock(&self.floor_until);
        match link.filter(|_| have_floor) {
            Some(link) => self.calls.call(&link, action, patience).await,
            None => Called::NotSent,
        }
    }

    /// The account itself has said something in a scene.
    pub(crate) fn spoke(&self, scene: Scene) {
        *lock(&self.own).entry(scene).or_default() += 1;
    }

    /// How often the account has said something in a scene since this was last asked.
    pub(crate) fn spoken(&self, scene: Scene) -> u64 {
        lock(&self.own).remove(&scene).unwrap_or(0)
    }

    /// A new connection. The ones that it replaces are closed.
    pub(crate) fn attach(&self, link: &Link) {
        self.links.send_modify(|links| {
            let role = link.role();
            let slots = [
                (role.carries_calls(), &mut links.api),
                (role.carries_events(), &mut links.events),
            ];
            for (_, slot) in slots.into_iter().filter(|(carries, _)| *carries) {
                if let Some(old) = slot.replace(link.clone()) {
                    old.send(Outgoing::Close(Closing::Replaced));
                }
            }
        });
        tracing::info!(account = %self.account, link = link.id(), "chat side connected");
    }

    /// A connection has ended.
    pub(crate) fn detach(&self, link: &Link) {
        self.links.send_if_modified(|links| {
            let mut changed = false;
            for slot in [&mut links.api, &mut links.events] {
                if slot.as_ref().is_some_and(|held| held.id() == link.id()) {
                    *slot = None;
                    changed = true;
                }
            }
            changed
        });
        tracing::info!(account = %self.account, link = link.id(), "chat side disconnected");
    }

    /// Ends the connections because the other end is not well: it may come back.
    pub(crate) fn cut_off(&self) {
        self.close(Closing::Unwell);
    }

    /// Closes what is connected.
    fn close(&self, why: Closing) {
        let links = self.links.borrow().clone();
        for link in [links.api, links.events].into_iter().flatten() {
            link.send(Outgoing::Close(why));
        }
    }

    /// Takes a frame that a connection has brought. An error says why the connection must end.
    pub(crate) fn frame(&self, link: &Link, inlet: &Inlet, text: &str) -> Result<(), Closing> {
        match Frame::read(text) {
            Ok(Frame::Event(event)) => self.event(link, inlet, LinkEvent::Event(event)),
            Ok(Frame::Answer(answer)) => {
                if !self.calls.answered(answer) {
                    tracing::debug!(account = %self.account, "answer that nobody waits for");
                }
                Ok(())
            }
            Ok(Frame::Call(_) | Frame::Other(_)) => {
                tracing::warn!(account = %self.account, bytes = text.len(), "frame of no known kind");
                Ok(())
            }
            Err(error) => {
                tracing::warn!(account = %self.account, %error, "malformed frame ignored");
                Ok(())
            }
        }
    }

    /// The other end has answered a sign of life.
    pub(crate) fn alive(&self, link: &Link, inlet: &Inlet, asked: Time) -> Result<(), Closing> {
        self.event(link, inlet, LinkEvent::Alive(asked))
    }

    fn event(&self, link: &Link, inlet: &Inlet, event: LinkEvent) -> Result<(), Closing> {
        if !link.role().carries_events() || inlet.put(event) {
            return Ok(());
        }
        tracing::error!(account = %self.account, "too many events wait; the side is cut off");
        Err(Closing::Unwell)
    }
}

/// All accounts. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Hub(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    prefix: String,
    sides: Mutex<HashMap<AccountId, Arc<AccountSide>>>,
    arrivals: watch::Sender<usize>,
}

impl Hub {
    /// No accounts yet. `prefix` is unique for each process.
    pub(crate) fn new(prefix: String) -> Self {
        let (arrivals, _) = watch::channel(0);
        Self(Arc::new(Inner {
            prefix,
            sides: Mutex::default(),
            arrivals,
        }))
    }

    /// An account's side; a new one when it was not known.
    pub(crate) fn side(&self, account: AccountId) -> Arc<AccountSide> {
        let mut sides = self.sides();
        let side = sides.entry(account).or_insert_with(|| {
            Arc::new(AccountSide {
                account,
                work: Notify::new(),
                authors: Authors::default(),
                state: watch::Sender::new(SideState::Away),
                own: Mutex::default(),
                calls: Calls::new(self.0.prefix.clone()),
                links: watch::Sender::new(Links::default()),
                in_use: watch::Sender::new(Links::default()),
                floor: watch::Sender::new(Floor::NotOurs),
                floor_until: Mutex::new(Instant::now()),
            })
        });
        let side = Arc::clone(side);
        let known = sides.len();
        drop(sides);
        self.0
            .arrivals
            .send_if_modified(|old| std::mem::replace(old, known) != known);
        side
    }

    /// All accounts that are known.
    pub(crate) fn all(&self) -> Vec<Arc<AccountSide>> {
        self.sides().values().cloned().collect()
    }

    /// Tells when another account becomes known.
    pub(crate) fn arrivals(&self) -> watch::Receiver<usize> {
        self.0.arrivals.subscribe()
    }

    /// Closes all connections.
    pub(crate) fn close(&self) {
        for side in self.all() {
            side.close(Closing::Stopping);
        }
    }

    fn sides(&self) -> MutexGuard<'_, HashMap<AccountId, Arc<AccountSide>>> {
        lock(&self.0.sides)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When a connection was last heard of, and when it is asked for a sign of life again.
pub(crate) struct Pulse {
    heard: Instant,
    silence: Duration,
}

impl Pulse {
    pub(crate) fn new(silence: Duration) -> Self {
        Self {
            heard: Instant::now(),
            silence,
        }
    }

    /// Something came.
    pub(crate) fn beat(&mut self) {
        self.heard = Instant::now();
    }

    /// Has nothing come for too long?
    pub(crate) fn is_dead(&self) -> bool {
        self.heard.elapsed() > self.silence
    }
}
