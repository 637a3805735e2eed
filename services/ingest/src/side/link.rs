//! One connection, seen from inside: frames come in at the inlet, go out at the link.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use onebot::Event;
use rules::Time;
use tokio::sync::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::{CancellationToken, DropGuard};

/// So many events of a connection may wait. A side that sends more before they are taken is cut
/// off; after it has come back they are read from history.
const MOST_WAITING: usize = 20_000;

/// What a connection carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Everything.
    Universal,
    /// Calls and answers.
    Api,
    /// Events.
    Event,
}

impl Role {
    /// From the header; whatever is no other role is a universal one.
    pub(crate) fn read(header: Option<&str>) -> Self {
        match header
            .map(|header| header.trim().to_ascii_lowercase())
            .as_deref()
        {
            Some("api") => Self::Api,
            Some("event") => Self::Event,
            _ => Self::Universal,
        }
    }

    pub(crate) fn carries_calls(self) -> bool {
        self != Self::Event
    }

    pub(crate) fn carries_events(self) -> bool {
        self != Self::Api
    }
}

/// Something to put on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outgoing {
    /// A frame.
    Text(String),
    /// A sign of life is wanted; the instant comes back in the answer.
    Ping(Time),
    /// The end.
    Close(Closing),
}

/// Why a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// A newer connection of the account has taken over (1008).
    Replaced,
    /// A frame was too long (1009).
    TooLong,
    /// Nothing was heard of it, or too much (1011).
    Unwell,
    /// We stop (1001).
    Stopping,
}

impl Closing {
    /// The WebSocket code and words.
    pub(crate) fn code(self) -> (u16, &'static str) {
        match self {
            Self::Replaced => (1008, "replaced by a newer connection of this account"),
            Self::TooLong => (1009, "frame too long"),
            Self::Unwell => (1011, "connection is not well"),
            Self::Stopping => (1001, "stopping"),
        }
    }
}

/// What a connection has brought, in order.
#[derive(Debug)]
pub(crate) enum LinkEvent {
    /// Something happened.
    Event(Box<Event>),
    /// The other end has answered a sign of life that was asked for at this instant: whatever it
    /// had sent until then is before this.
    Alive(Time),
}

/// A connection, as the rest of the bridge uses it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    id: u64,
    role: Role,
    out: UnboundedSender<Outgoing>,
    events: Arc<Mutex<mpsc::Receiver<LinkEvent>>>,
    gone: CancellationToken,
}

/// Where a connection's pump puts what it reads. Dropped when the connection has ended.
#[derive(Debug)]
pub(crate) struct Inlet {
    events: mpsc::Sender<LinkEvent>,
    _end: DropGuard,
}

impl Link {
    /// A new connection: the link, its inlet, and what is to be put on the wire.
    pub(crate) fn new(role: Role) -> (Self, Inlet, UnboundedReceiver<Outgoing>) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (out, wire) = mpsc::unbounded_channel();
        let (events, taken) = mpsc::channel(MOST_WAITING);
        let gone = CancellationToken::new();
        let link = Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            role,
            out,
            events: Arc::new(Mutex::new(taken)),
            gone: gone.clone(),
        };
        (
            link,
            Inlet {
                events,
                _end: gone.drop_guard(),
            },
            wire,
        )
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Puts something on the wire; false when the connection has ended.
    pub(crate) fn send(&self, outgoing: Outgoing) -> bool {
        !self.gone.is_cancelled() && self.out.send(outgoing).is_ok()
    }

    /// Returns when the connection has ended.
    pub(crate) async fn gone(&self) {
        self.gone.cancelled().await;
    }

    /// What the connection brings. One task at a time takes it.
    pub(crate) fn events(&self) -> &Mutex<mpsc::Receiver<LinkEvent>> {
        &self.events
    }
}

impl Inlet {
    /// Takes what the connection has brought; false when too much waits already.
    pub(crate) fn put(&self, event: LinkEvent) -> bool {
        self.events.try_send(event).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_in_any_case() {
        for (header, role) in [
            (Some("Universal"), Role::Universal),
            (Some("api"), Role::Api),
            (Some("API"), Role::Api),
            (Some("Event"), Role::Event),
            (Some("EVENT "), Role::Event),
            (Some("?"), Role::Universal),
            (None, Role::Universal),
        ] {
            assert_eq!(Role::read(header), role, "{header:?}");
        }
    }
}
