//! What someone wants to do, and when. A wish has a name, so that a bot which is started anew
//! wishes the same; it is gone as soon as the bot sees in its chats that it came true.

use std::collections::BTreeSet;

use protocol::{ChatGroup, Scene};

use super::tempo::{self, Tempo};
use crate::hall::Line;

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// Type something.
    Say {
        /// Where.
        scene: Scene,
        /// What.
        text: String,
        /// The line to quote.
        reply_to: Option<u64>,
    },
    /// Ask to join a group.
    Join {
        /// Which.
        group: ChatGroup,
    },
}

/// A wish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wish {
    /// Its name.
    pub(super) key: String,
    /// When it is due, in milliseconds since the Unix epoch.
    pub(super) due_ms: i64,
    /// What.
    pub(super) deed: Deed,
}

/// The groups that one is in.
pub(super) type Rooms = BTreeSet<ChatGroup>;

/// Someone who hears and wishes.
pub(super) trait Brain: Send {
    /// Hears a line of one's own chats. Lines come once each, in order.
    fn hear(&mut self, line: &Line);

    /// Looks at the groups that one is in.
    fn look(&mut self, rooms: &Rooms);

    /// What one wants, given all that was heard.
    fn wishes(&self) -> Vec<Wish>;

    /// A deed was done or came to nothing: it is not tried again under this name.
    fn tried(&mut self, key: &str);

    /// From now on this fast.
    fn set_tempo(&mut self, tempo: Tempo);

    /// There is nothing more to do for good.
    fn is_done(&self) -> bool;
}

/// A line that something hangs on: what is done about it is counted from its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Anchor {
    /// The line's place.
    pub(super) seq: u64,
    /// Its time.
    pub(super) at_ms: i64,
}

impl Anchor {
    /// This line.
    pub(super) fn of(line: &Line) -> Self {
        Self {
            seq: line.seq,
            at_ms: line.time_ms,
        }
    }

    /// So much later.
    pub(super) fn plus(self, span: f64) -> i64 {
        self.at_ms.saturating_add(tempo::ms(span))
    }
}
