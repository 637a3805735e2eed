//! What a book is opened with, and what it says when it is closed.

use serde::{Deserialize, Serialize};

use crate::ids::{SeatId, SeatSet, Stamp, Time, Turn};

/// The name of a vote thread: the turn of the window that opened it.
pub type ThreadId = Turn;

/// What a thread is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThreadKind {
    /// The day's vote on who goes out.
    Day,
    /// The election of the sheriff.
    Election,
}

/// A vote thread as night announces it to tally. Made from what is public, never from hidden
/// facts. A higher `version` replaces a lower one of the same thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// Which thread.
    pub id: ThreadId,
    /// Rises with every change of the thread (cards, noon outs, speed-ups, extensions).
    pub version: u32,
    /// What the vote is for.
    pub kind: ThreadKind,
    /// The number of the day.
    pub day: u16,
    /// Who may vote.
    pub voters: SeatSet,
    /// Who can be voted for.
    pub choosable: SeatSet,
    /// Who cannot abstain (R2).
    #[serde(default)]
    pub must_vote: SeatSet,
    /// Is it secret? Then one votes in private, and nobody sees another's ballot (R1).
    #[serde(default)]
    pub secret: bool,
    /// How often a seat may change its ballot; `None`: any number of times.
    pub changes: Option<u8>,
    /// No changes (and no votes by the director's hand) from this instant on; `None`: no limit.
    pub changes_until: Option<Time>,
    /// No changes at all now: a speed-up is in force.
    pub sped_up: bool,
    /// Posts sent before this instant are of no concern to this thread, although they may
    /// arrive when it is open (G25): the door-close of the vote before it, say, when that was
    /// not waited for. Chat times are whole seconds and from another clock, so an instant just
    /// gone by would refuse good posts. `None`: whatever arrives while it is open.
    #[serde(default)]
    pub opens_at: Option<Time>,
    /// Posts sent after this instant come too late; `None`: until the director shuts the door.
    pub closes_at: Option<Time>,
    /// Petitions sent after this instant come too late; `None`: no limit. When the board takes
    /// no petitions on this thread, it is in the past.
    pub petitions_until: Option<Time>,
    /// Is the day paused (暂停)? Posts are not counted then.
    pub paused: bool,
    /// Ballots for these seats are void and may be cast again while the door is open (G19).
    pub void_targets: SeatSet,
}

/// What a vote post names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choice {
    /// A seat.
    Seat(SeatId),
    /// 弃权.
    Abstain,
}

/// A ballot as it counts when the book closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ballot {
    /// Who votes.
    pub voter: SeatId,
    /// For whom.
    pub choice: Choice,
    /// When the counting post was sent: of a changed ballot the time of its change.
    pub at: Stamp,
    /// How often it was changed.
    pub changes: u8,
}

/// What a closed book says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
pub struct ClosedBook {
    /// The ballots that count, in the order of the voters' seats.
    pub ballots: Vec<Ballot>,
    /// Voters who did vote, but whose ballot was void when the book closed (G19).
    #[serde(default)]
    pub void: SeatSet,
    /// Posts in the square and the thread of that day, by seat; votes count as posts.
    pub posts: Vec<(SeatId, u16)>,
}
