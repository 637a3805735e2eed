//! Why a step is refused. The words are for whoever sits at the page or reads a script's output.

use protocol::{ChatGroup, UserId};
use serde::{Deserialize, Serialize};

/// A step that the world does not take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Refusal {
    /// Nobody has this number.
    #[error("没有 {0} 这个人，先用 POST /playground/api/users 建一个")]
    NoSuchPerson(UserId),
    /// No group has this number.
    #[error("没有 {0} 这个群")]
    NoSuchGroup(ChatGroup),
    /// A group of this number is there already.
    #[error("群 {0} 已经有了")]
    GroupTaken(ChatGroup),
    /// The bot is no person whom a script could play.
    #[error("{0} 是机器人自己的号，不能这样用")]
    BotItself(UserId),
    /// Not in the group.
    #[error("{user} 不在群 {group} 里")]
    NotAMember {
        /// Who.
        user: UserId,
        /// Which group.
        group: ChatGroup,
    },
    /// Already in the group.
    #[error("{user} 已经在群 {group} 里了")]
    AlreadyIn {
        /// Who.
        user: UserId,
        /// Which group.
        group: ChatGroup,
    },
    /// Removed for good.
    #[error("{user} 被群 {group} 拒之门外")]
    Barred {
        /// Who.
        user: UserId,
        /// Which group.
        group: ChatGroup,
    },
    /// Muted, alone or with the whole group.
    #[error("{user} 在群 {group} 里被禁言")]
    Muted {
        /// Who.
        user: UserId,
        /// Which group.
        group: ChatGroup,
    },
    /// The rank in the group does not suffice.
    #[error("{by} 在群 {group} 里没有这个权限")]
    NoRight {
        /// Who tried.
        by: UserId,
        /// Which group.
        group: ChatGroup,
    },
    /// The owner stays.
    #[error("群主不能退群")]
    OwnerStays,
    /// No request has this flag, or it is answered.
    #[error("没有这条待处理的申请")]
    NoSuchRequest,
    /// Neither friend nor in a common group.
    #[error("{0} 不是机器人的好友，也没有共同的群，发不了私聊")]
    NoWayToBot(UserId),
    /// No message has this number in this chat.
    #[error("这里没有这条消息")]
    NoSuchMessage,
    /// Not one's own message, and no right over it.
    #[error("只能撤回自己的消息")]
    NotYours,
    /// Too old to be taken back.
    #[error("超过两分钟的消息不能撤回")]
    TooLate,
    /// Nothing in it.
    #[error("消息是空的")]
    Empty,
    /// Longer than chat takes.
    #[error("太长了，最多 {0} 个字")]
    TooLong(usize),
    /// No table has this name.
    #[error("没有这一桌，或者已经散了")]
    NoSuchTable,
    /// Every seat for directors or every group of the pool is taken.
    #[error("桌子都坐满了，等一局结束再来")]
    HouseFull,
}

impl Refusal {
    /// A short name for scripts.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoSuchPerson(_) => "no_such_user",
            Self::NoSuchGroup(_) => "no_such_group",
            Self::GroupTaken(_) => "group_taken",
            Self::BotItself(_) => "bot_itself",
            Self::NotAMember { .. } => "not_a_member",
            Self::AlreadyIn { .. } => "already_in",
            Self::Barred { .. } => "barred",
            Self::Muted { .. } => "muted",
            Self::NoRight { .. } => "no_right",
            Self::OwnerStays => "owner_stays",
            Self::NoSuchRequest => "no_such_request",
            Self::NoWayToBot(_) => "not_reachable",
            Self::NoSuchMessage => "no_such_message",
            Self::NotYours => "not_yours",
            Self::TooLate => "too_late",
            Self::Empty => "empty",
            Self::TooLong(_) => "too_long",
            Self::NoSuchTable => "no_such_table",
            Self::HouseFull => "house_full",
        }
    }
}
