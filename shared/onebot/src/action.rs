//! Calls to the chat side.

use serde_json::{Value, json};

use crate::id::Id;
use crate::message::Message;

/// A call. There is no `send_msg` and no private send with a group id: on some sides either
/// puts a secret into the group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Say something to a person.
    SendPrivate {
        /// Whom.
        user: u64,
        /// What.
        message: Message,
    },
    /// Say something in a group.
    SendGroup {
        /// Where.
        group: u64,
        /// What.
        message: Message,
    },
    /// Which program the side is.
    GetVersion,
    /// Which account it has.
    GetLogin,
    /// How it feels.
    GetStatus,
    /// What was said in a group.
    GroupHistory {
        /// Where.
        group: u64,
        /// From where on; `None`: the newest.
        start: Option<HistoryStart>,
        /// Which way to read from there; sides disagree what that means, so ask both ways.
        reverse: bool,
        /// How many at most.
        count: u32,
    },
    /// What was said in a private chat.
    FriendHistory {
        /// With whom.
        user: u64,
        /// From where on; `None`: the newest.
        start: Option<HistoryStart>,
        /// Which way to read from there; sides disagree what that means, so ask both ways.
        reverse: bool,
        /// How many at most.
        count: u32,
    },
    /// The chats in which something was said last, newest first. Not every side has it.
    RecentChats {
        /// How many at most.
        count: u32,
    },
    /// Everyone the account is friends with.
    Friends,
    /// Requests to join that wait.
    SystemMessages,
    /// Requests to be a friend that the platform holds back as doubtful. Not every side has it;
    /// ordinary requests are listed by none.
    DoubtfulFriends,
    /// The members of a group, freshly read.
    Members {
        /// Which group.
        group: u64,
    },
    /// Name a group.
    Rename {
        /// Which group.
        group: u64,
        /// Its name.
        name: String,
    },
    /// Set a member's card; empty takes it away.
    Card {
        /// In which group.
        group: u64,
        /// Whose.
        user: u64,
        /// The card.
        card: String,
    },
    /// Answer a request to join.
    AnswerJoin {
        /// The request's flag.
        flag: String,
        /// Let in? Always sent: it defaults to yes on every side.
        approve: bool,
        /// What a refused person sees.
        reason: String,
    },
    /// Accept a request to be a friend.
    AcceptFriend {
        /// The request's flag.
        flag: String,
    },
    /// Accept one that was held back as doubtful.
    AcceptDoubtfulFriend {
        /// The request's flag.
        flag: String,
    },
    /// Remove a member; may ask to join again.
    Kick {
        /// From which group.
        group: u64,
        /// Whom.
        user: u64,
    },
    /// Mute a member; 0 lifts it. Always sent: defaults differ between the sides.
    Mute {
        /// In which group.
        group: u64,
        /// Whom.
        user: u64,
        /// For so many seconds; capped below the platform's 30 days.
        seconds: u32,
    },
}

/// Where a page of history ends (or begins, on sides that read forward).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryStart {
    /// At a message, by its id: `NapCat`'s way.
    Message(Id),
    /// At a sequence number: everybody else's way.
    Sequence(u64),
}

const LONGEST_MUTE: u32 = 2_591_999;

impl Action {
    /// The action's name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SendPrivate { .. } => "send_private_msg",
            Self::SendGroup { .. } => "send_group_msg",
            Self::GetVersion => "get_version_info",
            Self::GetLogin => "get_login_info",
            Self::GetStatus => "get_status",
            Self::GroupHistory { .. } => "get_group_msg_history",
            Self::FriendHistory { .. } => "get_friend_msg_history",
            Self::RecentChats { .. } => "get_recent_contact",
            Self::Friends => "get_friend_list",
            Self::SystemMessages => "get_group_system_msg",
            Self::DoubtfulFriends => "get_doubt_friends_add_request",
            Self::AcceptFriend { .. } => "set_friend_add_request",
            Self::AcceptDoubtfulFriend { .. } => "set_doubt_friends_add_request",
            Self::Members { .. } => "get_group_member_list",
            Self::Rename { .. } => "set_group_name",
            Self::Card { .. } => "set_group_card",
            Self::AnswerJoin { .. } => "set_group_add_request",
            Self::Kick { .. } => "set_group_kick",
            Self::Mute { .. } => "set_group_ban",
        }
    }

    /// Its parameters.
    pub fn params(&self) -> Value {
        match self {
            Self::SendPrivate { user, message } => json!({"user_id": user, "message": message}),
            Self::SendGroup { group, message } => json!({"group_id": group, "message": message}),
            Self::GetVersion | Self::GetLogin | Self::GetStatus | Self::Friends => json!({}),
            Self::RecentChats { count } => json!({"count": count}),
            Self::GroupHistory {
                group,
                start,
                reverse,
                count,
            } => history(
                json!({"group_id": group, "count": count}),
                start.as_ref(),
                *reverse,
            ),
            Self::FriendHistory {
                user,
                start,
                reverse,
                count,
            } => history(
                json!({"user_id": user, "count": count}),
                start.as_ref(),
                *reverse,
            ),
            Self::SystemMessages => json!({"count": 100}),
            Self::DoubtfulFriends => json!({"count": 50}),
            Self::Members { group } => json!({"group_id": group, "no_cache": true}),
            Self::Rename { group, name } => json!({"group_id": group, "group_name": name}),
            Self::Card { group, user, card } => {
                json!({"group_id": group, "user_id": user, "card": card})
            }
            Self::AnswerJoin {
                flag,
                approve,
                reason,
            } => json!({
                "flag": flag, "sub_type": "add", "type": "add", "approve": approve, "reason": reason
            }),
            Self::AcceptFriend { flag } | Self::AcceptDoubtfulFriend { flag } => {
                json!({"flag": flag, "approve": true})
            }
            Self::Kick { group, user } => {
                json!({"group_id": group, "user_id": user, "reject_add_request": false})
            }
            Self::Mute {
                group,
                user,
                seconds,
            } => json!({
                "group_id": group, "user_id": user, "duration": (*seconds).min(LONGEST_MUTE)
            }),
        }
    }

    /// The frame to send. The echo is a string: some sides drop anything else.
    pub fn frame(&self, echo: &str) -> String {
        json!({"action": self.name(), "params": self.params(), "echo": echo}).to_string()
    }
}

fn history(mut params: Value, start: Option<&HistoryStart>, reverse: bool) -> Value {
    if let Some(start) = start {
        params["message_seq"] = match start {
            HistoryStart::Message(id) => id.to_json(),
            HistoryStart::Sequence(seq) => Value::from(*seq),
        };
        // Both names of the switch are in use; some sides ignore them.
        params["reverse_order"] = Value::from(reverse);
        params["reverseOrder"] = Value::from(reverse);
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::message::Segment;

    #[test]
    fn a_private_send_has_no_group_and_an_array() {
        let message = Message(vec![Segment::text("你是[CQ:at,qq=all]")]);
        let action = Action::SendPrivate { user: 5, message };
        assert_eq!(action.name(), "send_private_msg");
        assert_eq!(
            action.params(),
            json!({"user_id": 5, "message": [{"type": "text", "data": {"text": "你是[CQ:at,qq=all]"}}]})
        );
    }

    #[test]
    fn defaults_that_differ_are_always_sent() {
        let no = Action::AnswerJoin {
            flag: "f".into(),
            approve: false,
            reason: "x".into(),
        };
        assert_eq!(no.params()["approve"], json!(false));
        let mute = Action::Mute {
            group: 1,
            user: 2,
            seconds: u32::MAX,
        };
        assert_eq!(mute.params()["duration"], json!(2_591_999));
    }

    #[test]
    fn frames_read_back_as_calls() {
        let Ok(Frame::Call(call)) = Frame::read(&Action::Members { group: 7 }.frame("d-1")) else {
            panic!("no call");
        };
        assert_eq!(call.action, "get_group_member_list");
        assert_eq!(call.params.number("group_id"), Some(7));
        assert_eq!(call.echo, json!("d-1"));
    }
}
