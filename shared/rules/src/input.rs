//! What can happen to a game: something that a person, the director or the clock did.

use serde::{Deserialize, Serialize};

use crate::board::Colour;
use crate::book::{ClosedBook, ThreadId};
use crate::ids::{FactionId, RoleId, SeatId, SkillId, Stamp, StateId, Time, Turn};

/// An input with its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Now, for deadlines that it sets.
    pub now: Time,
    /// When chat says it was sent; decides which of two messages is the later one.
    pub stamp: Stamp,
    /// What was done.
    pub act: Act,
}

/// A word of a command, as far as the board and the roster know it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    /// A seat.
    Seat(SeatId),
    /// A role.
    Role(RoleId),
    /// A skill.
    Skill(SkillId),
    /// A faction.
    Faction(FactionId),
    /// A number that is no seat's.
    Number(u32),
    /// Anything else, as typed.
    Text(String),
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// A seat (or the director in its name, 代发) uses a skill.
    Use {
        /// Whose skill.
        seat: SeatId,
        /// Which.
        skill: SkillId,
        /// Targets and parameters, in the order in which they were typed.
        words: Vec<Word>,
    },
    /// A seat uses nothing in this window, or not this skill (放弃).
    Decline {
        /// Who.
        seat: SeatId,
        /// Which skill; `None`: whatever is open.
        skill: Option<SkillId>,
    },
    /// Last words (遗言).
    LastWords {
        /// Whose.
        seat: SeatId,
        /// What.
        text: String,
    },
    /// A member moves its faction's surrender, and agrees to it (投降, M9).
    Surrender {
        /// Who.
        seat: SeatId,
    },
    /// A member agrees to a surrender that was moved (同意投降, M11).
    AgreeSurrender {
        /// Who.
        seat: SeatId,
    },
    /// A seat runs for sheriff (竞选), or withdraws (退选, F6).
    Candidacy {
        /// Who.
        seat: SeatId,
        /// True: runs; false: withdraws.
        runs: bool,
    },
    /// The deadline of this turn has come. Of any other turn it changes nothing.
    Clock {
        /// Which turn.
        turn: Turn,
    },
    /// Tally has closed the book that the game waits for.
    BookClosed {
        /// Which thread.
        thread: ThreadId,
        /// What it says.
        book: ClosedBook,
    },
    /// Enough seats have asked for a speed-up or an extension (G23).
    Petition {
        /// On which thread.
        thread: ThreadId,
        /// True: speed-up; false: extension.
        faster: bool,
    },
    /// The director's word.
    Director(Order),
}

/// What a director can order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// 开始: the opening begins.
    Start,
    /// 下一步: close the window that is open.
    Next,
    /// 关门: shut the door, by day or in the election.
    CloseDoor,
    /// 开门: go on until the door is open.
    OpenDoor,
    /// 加速.
    SpeedUp,
    /// 延时, in milliseconds.
    Extend(i64),
    /// 暂停.
    Pause,
    /// 继续.
    Resume,
    /// A card.
    Card {
        /// For whom.
        seat: SeatId,
        /// Which.
        colour: Colour,
        /// Why; published.
        reason: String,
    },
    /// 公示.
    Announce(String),
    /// 回档: back to the last checkpoint.
    Rewind,
    /// 结束: end the game; with a faction, that faction has won.
    End(Option<FactionId>),
    /// 裁定.
    Rule {
        /// What.
        ruling: Ruling,
        /// Why; on the record.
        reason: String,
    },
}

/// A ruling: the director changes the game by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ruling {
    /// 出局.
    PutOut(SeatId),
    /// 复活.
    BringBack(SeatId),
    /// 状态.
    Lay(SeatId, StateId),
    /// 解除.
    Lift(SeatId, StateId),
    /// 给.
    Give(SeatId, SkillId),
    /// 收.
    Take(SeatId, SkillId),
    /// 阵营.
    Faction(SeatId, FactionId),
    /// 表面.
    Face(SeatId, FactionId, RoleId),
    /// 票权, in hundredths of a vote.
    Weight(SeatId, i32),
    /// 通知.
    Tell(SeatId, String),
    /// 延窗, in minutes.
    ExtendWindow(u32),
}
