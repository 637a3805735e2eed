//! Events: what has happened in chat.

use crate::fields::Fields;
use crate::id::Id;
use crate::message::Message;

/// An event. Whatever is not understood is still there in `fields`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When it happened, in whole seconds since the Unix epoch; 0 when it is not said.
    pub time: i64,
    /// The account it happened to, when it is said.
    pub self_id: Option<u64>,
    /// What happened.
    pub kind: EventKind,
    /// All fields as they came.
    pub fields: Fields,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// Somebody (also the account itself) said something.
    Message(ChatMessage),
    /// A notice.
    Notice(Notice),
    /// Somebody asks for something.
    Request(Request),
    /// About the connection itself.
    Meta(Meta),
    /// Nothing that we know.
    Unknown,
}

/// Where a message was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chat {
    /// In a group.
    Group(u64),
    /// In the private chat with this person, be it a friend or a temporary conversation.
    Private(u64),
}

/// A message in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatMessage {
    /// Where. Decided by `message_type` alone: a temporary conversation may carry a group id.
    pub chat: Chat,
    /// Said by the account itself.
    pub own: bool,
    /// The platform's name of it.
    pub id: Id,
    /// Its real sequence number within the chat, where the side tells one.
    pub seq: Option<u64>,
    /// When it was said, in whole seconds.
    pub time: i64,
    /// Who said it.
    pub sender: Sender,
    /// What was said.
    pub message: Message,
}

/// Who said something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender {
    /// The person.
    pub user: u64,
    /// The nickname; may be empty.
    pub nickname: String,
    /// The card in the group; may be empty.
    pub card: String,
}

impl Sender {
    /// The name that chat shows: the card, else the nickname.
    pub fn shown(&self) -> &str {
        if self.card.trim().is_empty() {
            &self.nickname
        } else {
            &self.card
        }
    }
}

/// How somebody went out of a group. The sides often mix these up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Departure {
    /// Of their own will.
    Left,
    /// Removed by somebody.
    Kicked,
    /// The account itself was removed, or the group is gone.
    Lost,
}

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Somebody is now a member.
    Joined {
        /// Of this group.
        group: u64,
        /// Who.
        user: u64,
    },
    /// Somebody is no longer a member.
    Left {
        /// Of this group.
        group: u64,
        /// Who; the account itself with [`Departure::Lost`].
        user: u64,
        /// How.
        how: Departure,
    },
    /// Somebody (`None`: the whole group) is muted, or no longer.
    Mute {
        /// In this group.
        group: u64,
        /// Who.
        user: Option<u64>,
        /// Muted now?
        muted: bool,
        /// For so many seconds, when it is said and has an end.
        seconds: Option<u64>,
    },
    /// Somebody became an administrator, or is none any more.
    Admin {
        /// Of this group.
        group: u64,
        /// Who.
        user: u64,
        /// Is one now?
        set: bool,
    },
    /// A message was taken back.
    Recalled {
        /// Where.
        chat: Chat,
        /// Which message.
        message: Id,
    },
    /// Somebody is a friend now.
    Friend {
        /// Who.
        user: u64,
    },
    /// The account was put offline; the connection may stay.
    BotOffline {
        /// Why, in the side's words.
        reason: String,
    },
    /// Anything else.
    Other {
        /// Its `notice_type`.
        kind: String,
    },
}

/// Somebody asks for something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// To be a friend.
    Friend {
        /// Who.
        user: u64,
        /// To answer with.
        flag: String,
    },
    /// To join a group.
    Join {
        /// Which group.
        group: u64,
        /// Who.
        user: u64,
        /// What the person wrote; a hint only.
        comment: String,
        /// To answer with; opaque.
        flag: String,
    },
    /// That the account join a group.
    Invite {
        /// Which group.
        group: u64,
        /// Who invites.
        user: u64,
        /// To answer with; opaque.
        flag: String,
    },
    /// Anything else.
    Other,
}

/// About the connection itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meta {
    /// The first event of a connection, or the side starts or stops.
    Lifecycle {
        /// `connect`, `enable`, `disable`.
        what: String,
    },
    /// A sign of life; proves only that the socket lives.
    Heartbeat {
        /// Is the account online? `None`: it is not said.
        online: Option<bool>,
    },
    /// Anything else.
    Other,
}

impl Event {
    /// From the fields of a frame that has a `post_type`.
    pub(crate) fn read(fields: Fields) -> Self {
        let kind = match fields.text("post_type") {
            "message" | "message_sent" => {
                ChatMessage::read(&fields, None).map_or(EventKind::Unknown, EventKind::Message)
            }
            "notice" => EventKind::Notice(Notice::read(&fields)),
            "request" => EventKind::Request(Request::read(&fields)),
            "meta_event" => EventKind::Meta(Meta::read(&fields)),
            _ => EventKind::Unknown,
        };
        Self {
            time: fields.signed("time").unwrap_or(0),
            self_id: fields.number("self_id"),
            kind,
            fields,
        }
    }
}

impl ChatMessage {
    /// From an event's fields, or from an entry of a history, where `within` says which chat was
    /// asked for. `None` when it does not say who said it where, or has no id.
    pub fn read(fields: &Fields, within: Option<Chat>) -> Option<Self> {
        let sender = fields.object("sender");
        let user = fields
            .number("user_id")
            .or_else(|| sender.number("user_id"))?;
        let own = fields.text("post_type") == "message_sent"
            || fields.text("message_sent_type") == "self"
            || fields.number("self_id") == Some(user);
        let chat = match within {
            Some(chat) => chat,
            None => match fields.text("message_type") {
                "group" => Chat::Group(fields.number("group_id")?),
                "private" if own => Chat::Private(fields.number("target_id")?),
                "private" => Chat::Private(user),
                _ => return None,
            },
        };
        let id = fields.id("message_id")?;
        Some(Self {
            chat,
            own,
            seq: real_sequence(fields, &id),
            id,
            time: fields.signed("time").unwrap_or(0),
            sender: Sender {
                user,
                nickname: sender.text("nickname").to_owned(),
                card: sender.text("card").to_owned(),
            },
            message: fields.value("message").map_or_else(
                || Message::read(&fields.text("raw_message").into()),
                Message::read,
            ),
        })
    }
}

/// `NapCat` tells it as `real_seq` and repeats the message id as `message_seq`; the others tell it
/// as `message_seq`.
fn real_sequence(fields: &Fields, id: &Id) -> Option<u64> {
    fields.number("real_seq").or_else(|| {
        let seq = fields.id("message_seq").filter(|seq| seq != id)?;
        seq.number()
    })
}

impl Notice {
    fn read(fields: &Fields) -> Self {
        Self::known(fields).unwrap_or_else(|| Self::Other {
            kind: fields.text("notice_type").to_owned(),
        })
    }

    fn known(fields: &Fields) -> Option<Self> {
        let group = fields.number("group_id");
        let user = fields.number("user_id");
        let sub_type = fields.text("sub_type");
        Some(match fields.text("notice_type") {
            "group_increase" => Self::Joined {
                group: group?,
                user: user?,
            },
            "group_decrease" => {
                let lost = matches!(sub_type, "kick_me" | "disband")
                    || fields.number("self_id") == Some(user?);
                let how = match sub_type {
                    _ if lost => Departure::Lost,
                    "kick" => Departure::Kicked,
                    _ => Departure::Left,
                };
                Self::Left {
                    group: group?,
                    user: user?,
                    how,
                }
            }
            "group_dismiss" => Self::Left {
                group: group?,
                user: fields.number("self_id").or(user)?,
                how: Departure::Lost,
            },
            "group_ban" => Self::Mute {
                group: group?,
                user: user.filter(|user| *user != 0),
                muted: sub_type != "lift_ban",
                seconds: fields.number("duration").filter(|seconds| *seconds > 0),
            },
            "group_admin" => Self::Admin {
                group: group?,
                user: user?,
                set: sub_type == "set",
            },
            "group_recall" => Self::Recalled {
                chat: Chat::Group(group?),
                message: fields.id("message_id")?,
            },
            "friend_recall" => Self::Recalled {
                chat: Chat::Private(user?),
                message: fields.id("message_id")?,
            },
            "friend_add" => Self::Friend { user: user? },
            "bot_offline" => Self::BotOffline {
                reason: format!("{} {}", fields.text("tag"), fields.text("message"))
                    .trim()
                    .to_owned(),
            },
            _ => return None,
        })
    }
}

impl Request {
    fn read(fields: &Fields) -> Self {
        Self::known(fields).unwrap_or(Self::Other)
    }

    fn known(fields: &Fields) -> Option<Self> {
        let user = fields.number("user_id")?;
        let flag = fields.id("flag")?.to_string();
        match (fields.text("request_type"), fields.text("sub_type")) {
            ("friend", _) => Some(Self::Friend { user, flag }),
            ("group", "invite") => Some(Self::Invite {
                group: fields.number("group_id")?,
                user,
                flag,
            }),
            // The sub_type is a hint only: what is no invitation is a request to join.
            ("group", _) => Some(Self::Join {
                group: fields.number("group_id")?,
                user,
                comment: fields.text("comment").to_owned(),
                flag,
            }),
            _ => None,
        }
    }
}

impl Meta {
    fn read(fields: &Fields) -> Self {
        match fields.text("meta_event_type") {
            "lifecycle" => Self::Lifecycle {
                what: fields.text("sub_type").to_owned(),
            },
            "heartbeat" => Self::Heartbeat {
                online: fields.object("status").flag("online"),
            },
            _ => Self::Other,
        }
    }
}
