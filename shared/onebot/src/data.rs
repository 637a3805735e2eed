//! What answers carry.

use serde_json::Value;

use crate::event::{Chat, ChatMessage};
use crate::fields::Fields;

/// The account of a side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Login {
    /// Its number.
    pub user: u64,
    /// Its nickname.
    pub nickname: String,
}

/// The program that a side is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Version {
    /// `NapCat.Onebot`, `LLOneBot`, `Lagrange.OneBot`, … Empty when it is not said.
    pub app_name: String,
    /// Its version.
    pub app_version: String,
}

/// A request to join a group that waits in the list of system messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinRequest {
    /// Which group.
    pub group: u64,
    /// Who; some sides do not say.
    pub user: Option<u64>,
    /// To answer with.
    pub flag: String,
}

/// A chat in which something was said lately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecentChat {
    /// Which.
    pub chat: Chat,
    /// When something was last said there, by either, in whole seconds.
    pub time: i64,
}

/// A request to be a friend that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FriendRequest {
    /// Who asks.
    pub user: u64,
    /// To answer with.
    pub flag: String,
}

/// From the data of `get_login_info`.
pub fn login(data: &Value) -> Option<Login> {
    let fields = Fields::of(data);
    let user = fields.number("user_id")?;
    Some(Login {
        user,
        nickname: fields.text("nickname").to_owned(),
    })
}

/// From the data of `get_version_info`.
pub fn version(data: &Value) -> Version {
    let fields = Fields::of(data);
    Version {
        app_name: fields.text("app_name").to_owned(),
        app_version: fields.text("app_version").to_owned(),
    }
}

/// From the data of `get_status`: is the account online? `None`: it is not said.
pub fn online(data: &Value) -> Option<bool> {
    Fields::of(data).flag("online")
}

/// The id of a message that was just sent.
pub fn sent_message(data: &Value) -> Option<crate::Id> {
    Fields::of(data).id("message_id")
}

/// From the data of `get_group_msg_history` and `get_friend_msg_history`, asked for `chat`. In
/// the order in which they were said, whichever way the side lists them: by sequence where there
/// is one, else by time. `account` tells which ones are own.
pub fn history(data: &Value, chat: Chat, account: u64) -> Vec<ChatMessage> {
    let list = match data {
        Value::Array(list) => list.as_slice(),
        _ => data
            .get("messages")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice),
    };
    let mut messages: Vec<ChatMessage> = list
        .iter()
        .filter_map(|entry| ChatMessage::read(&Fields::of(entry), Some(chat)))
        .map(|mut message| {
            message.own |= message.sender.user == account;
            message
        })
        .collect();
    sort(&mut messages);
    messages
}

/// Puts messages of one chat in the order in which they were said.
pub fn sort(messages: &mut [ChatMessage]) {
    if messages.iter().all(|message| message.seq.is_some()) {
        messages.sort_by_key(|message| message.seq);
        return;
    }
    // A list that runs backwards is turned first, so that equal seconds come out in order too.
    if let (Some(first), Some(last)) = (messages.first(), messages.last())
        && first.time > last.time
    {
        messages.reverse();
    }
    messages.sort_by_key(|message| message.time);
}

/// From the data of `get_group_member_list`: everyone's number.
pub fn members(data: &Value) -> Vec<u64> {
    data.as_array()
        .map(|list| {
            list.iter()
                .filter_map(|entry| Fields::of(entry).number("user_id"))
                .collect()
        })
        .unwrap_or_default()
}

/// From the data of `get_friend_list`: everyone's number.
pub fn friends(data: &Value) -> Vec<u64> {
    members(data)
}

/// From the data of `get_recent_contact`: groups and people, temporary conversations too.
pub fn recent_chats(data: &Value) -> Vec<RecentChat> {
    let list = data.as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(Fields::of)
        .filter_map(|fields| {
            let peer = fields.number("peerUin").filter(|peer| *peer != 0)?;
            let chat = match fields.number("chatType")? {
                // The platform's own numbers: a friend, a group, a member of a group.
                1 | 100 => Chat::Private(peer),
                2 => Chat::Group(peer),
                _ => return None,
            };
            let time = fields.signed("msgTime")?;
            Some(RecentChat { chat, time })
        })
        .collect()
}

/// From the data of `get_doubt_friends_add_request`.
pub fn doubtful_friends(data: &Value) -> Vec<FriendRequest> {
    let list = data.as_array().map_or(&[][..], Vec::as_slice);
    list.iter()
        .map(Fields::of)
        .filter_map(|fields| {
            Some(FriendRequest {
                user: fields.number("uin").or_else(|| fields.number("user_id"))?,
                flag: fields.id("flag")?.to_string(),
            })
        })
        .collect()
}

/// From the data of `get_group_system_msg`: the requests to join that nobody has answered yet.
pub fn join_requests(data: &Value) -> Vec<JoinRequest> {
    let list = data.get("join_requests").and_then(Value::as_array);
    list.map_or(&[][..], Vec::as_slice)
        .iter()
        .map(Fields::of)
        .filter(|fields| fields.flag("checked") != Some(true))
        .filter_map(|fields| {
            let flag = fields.id("flag").or_else(|| fields.id("request_id"))?;
            // NapCat puts the asking person into `invitor_uin`.
            let user = ["requester_uin", "user_id", "invitor_uin"]
                .iter()
                .find_map(|name| fields.number(name))
                .filter(|user| *user != 0);
            Some(JoinRequest {
                group: fields.number("group_id")?,
                user,
                flag: flag.to_string(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(id: i64, time: i64, seq: Option<u64>, user: u64) -> Value {
        let mut entry = json!({"message_id": id, "time": time, "user_id": user, "message": "x"});
        if let Some(seq) = seq {
            entry["real_seq"] = json!(seq.to_string());
        }
        entry
    }

    fn ids(messages: &[ChatMessage]) -> Vec<&str> {
        messages.iter().map(|message| message.id.as_str()).collect()
    }

    #[test]
    fn history_is_sorted_by_sequence_in_either_direction() {
        let newest_first = json!({"messages": [
            entry(3, 100, Some(13), 1), entry(2, 100, Some(12), 9), entry(1, 101, Some(11), 1)
        ]});
        let read = history(&newest_first, Chat::Private(1), 9);
        assert_eq!(ids(&read), ["1", "2", "3"]);
        assert_eq!(
            read.iter().map(|m| m.own).collect::<Vec<_>>(),
            [false, true, false]
        );
        assert!(read.iter().all(|m| m.chat == Chat::Private(1)));
    }

    #[test]
    fn without_sequences_time_and_direction_decide() {
        let backwards = json!({"messages": [
            entry(4, 102, None, 1), entry(3, 101, None, 1), entry(2, 101, None, 1), entry(1, 100, None, 1)
        ]});
        assert_eq!(
            ids(&history(&backwards, Chat::Group(5), 9)),
            ["1", "2", "3", "4"]
        );
    }

    #[test]
    fn answered_requests_are_left_out() {
        let data = json!({"invited_requests": [], "join_requests": [
            {"request_id": 11, "requester_uin": 7, "group_id": 70, "checked": false},
            {"request_id": "12", "invitor_uin": "8", "group_id": "70", "checked": true},
            {"request_id": "13", "invitor_uin": 9, "group_id": 70},
            {"flag": "14", "group_id": 70, "requester_uin": 0}
        ]});
        assert_eq!(
            join_requests(&data),
            [
                JoinRequest {
                    group: 70,
                    user: Some(7),
                    flag: "11".into()
                },
                JoinRequest {
                    group: 70,
                    user: Some(9),
                    flag: "13".into()
                },
                JoinRequest {
                    group: 70,
                    user: None,
                    flag: "14".into()
                }
            ]
        );
        assert_eq!(join_requests(&json!(null)), []);
    }

    #[test]
    fn recent_chats_are_told_apart_by_kind() {
        let data = json!([
            {"peerUin": "31", "chatType": 1, "msgTime": "1700000003", "msgId": "7", "remark": ""},
            {"peerUin": "700", "chatType": 2, "msgTime": "1700000001"},
            {"peerUin": 32, "chatType": 100, "msgTime": 1_700_000_002, "lastestMsg": {}},
            {"peerUin": "0", "chatType": 1, "msgTime": "1700000002"},
            {"peerUin": "33", "chatType": 1, "msgTime": null},
            {"peerUin": "34", "chatType": 8, "msgTime": "1700000001"}
        ]);
        let recent = |chat, time| RecentChat { chat, time };
        assert_eq!(
            recent_chats(&data),
            [
                recent(Chat::Private(31), 1_700_000_003),
                recent(Chat::Group(700), 1_700_000_001),
                recent(Chat::Private(32), 1_700_000_002)
            ]
        );
        assert_eq!(recent_chats(&json!(null)), []);
    }

    #[test]
    fn doubtful_requests_have_a_flag_and_a_person() {
        let data = json!([
            {"flag": "u_a", "uin": "31", "nick": "n", "type": "doubt"},
            {"flag": "", "uin": "32"},
            {"flag": "u_c"}
        ]);
        let asked = FriendRequest {
            user: 31,
            flag: "u_a".into(),
        };
        assert_eq!(doubtful_friends(&data), [asked]);
        assert_eq!(doubtful_friends(&json!({})), []);
    }

    #[test]
    fn odd_data_reads_as_nothing() {
        assert_eq!(members(&json!({"a": 1})), Vec::<u64>::new());
        assert_eq!(members(&json!([{"user_id": "5"}, {"x": 1}, 3])), [5]);
        assert!(history(&json!("x"), Chat::Group(1), 2).is_empty());
        assert_eq!(login(&json!(null)), None);
        assert_eq!(
            sent_message(&json!({"message_id": -4})).unwrap().as_str(),
            "-4"
        );
        assert_eq!(online(&json!({"online": null})), None);
    }
}
