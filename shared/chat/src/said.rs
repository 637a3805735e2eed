//! What a line says, once read.

use rules::input::Order;
use rules::{SeatId, SkillId};
use serde::{Deserialize, Serialize};

use crate::vocabulary::Word;

/// What a person's line says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Said {
    /// A skill with its targets and parameters.
    Skill {
        /// Which.
        skill: SkillId,
        /// The words after it.
        words: Vec<Word>,
        /// Everything after it as typed, for skills that take a text.
        rest: String,
    },
    /// 放弃: nothing in this window, or not this skill.
    Decline(Option<SkillId>),
    /// 我, 状态.
    Status,
    /// 帮助, with the word that is asked about.
    Help(Option<String>),
    /// 遗言.
    LastWords(String),
    /// 确认.
    Confirm,
    /// 报名, with the alias that was asked for.
    SignUp(Option<String>),
    /// 退出.
    Quit,
    /// 电梯, 名单.
    Elevator,
    /// 票型.
    Ballots,
    /// 公告.
    Notices,
    /// 投降.
    Surrender,
    /// 同意投降.
    AgreeSurrender,
    /// 树洞.
    Diary(String),
    /// 说, in masked games.
    Say(String),
    /// 投, where one votes in private.
    Vote {
        /// For whom.
        target: Target,
        /// Why; may be empty.
        reason: String,
    },
    /// A post in the form of the square (投票…, 改票…); its place is the square.
    VotePost,
    /// 申请加速, 申请延时; its place is the square.
    Petition,
    /// 竞选, 上警.
    Run,
    /// 退选, 退水.
    Withdraw,
    /// 开局, where a game is already going on.
    Open,
    /// A director's command.
    Director(DirectorCommand),
}

/// For whom a vote is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// A seat.
    Seat(SeatId),
    /// 弃权.
    Abstain,
}

impl Target {
    /// The seat, if it is one.
    pub fn seat(self) -> Option<SeatId> {
        match self {
            Self::Seat(seat) => Some(seat),
            Self::Abstain => None,
        }
    }
}

/// What a director can type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum DirectorCommand {
    /// 发牌.
    Deal,
    /// What goes to the rules as it is: 开始 暂停 继续 关门 开门 下一步 加速 延时, cards, 公示, 回档,
    /// 结束, 裁定.
    Order(Order),
    /// 代投.
    VoteFor {
        /// Whose vote.
        voter: SeatId,
        /// For whom.
        target: Target,
    },
    /// 代发: what the seat would type in private.
    ActFor {
        /// In whose name.
        seat: SeatId,
        /// What it says.
        said: Box<Said>,
    },
    /// 替补.
    Substitute {
        /// Which seat.
        seat: SeatId,
        /// The chat id of whoever takes it over.
        user: u64,
    },
    /// 场助.
    Coach {
        /// Whose coach.
        seat: SeatId,
        /// The coach's chat id.
        user: u64,
    },
    /// 回答.
    Answer {
        /// Which item of the queue.
        item: u32,
        /// What.
        answer: Answer,
    },
    /// 放行: an item of the queue, or the publication that is held.
    Release(Option<u32>),
    /// 驳回.
    Reject {
        /// Which item of the queue.
        item: u32,
        /// Why; may be empty.
        reason: String,
    },
    /// 催票.
    Remind,
    /// 扣住.
    Hold,
    /// 结算: the reckoning of the last settlement.
    Reckoning,
    /// 状态: the whole game.
    State,
}

/// An answer to a question in the director's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// 是.
    Yes,
    /// 否.
    No,
    /// 无法回答.
    CannotSay,
}

impl Answer {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "是",
            Self::No => "否",
            Self::CannotSay => "无法回答",
        }
    }
}
