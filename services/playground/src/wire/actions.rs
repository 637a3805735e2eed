//! What the other side can be asked to do: which action means what.

use std::sync::Arc;

use onebot::{Call, Fields};
use protocol::{ChatGroup, UserId};
use serde_json::{Value, json};

use super::faults::FaultBoard;
use super::names::Memory;
use super::reply::Reply;
use super::{doors, reads, sends};
use crate::hall::Hall;

/// What actions work with.
pub(super) struct Side {
    /// The world.
    pub(super) hall: Arc<Hall>,
    /// What goes wrong.
    pub(super) faults: Arc<FaultBoard>,
    /// Which ids are known.
    pub(super) memory: Memory,
}

impl Side {
    /// Does what is called for, unless a fault has it otherwise.
    pub(super) async fn answer(&self, call: &Call) -> Reply {
        if self.faults.now().hung {
            return Reply::Silence;
        }
        if self.faults.spend_no_effect(&call.action) {
            return Reply::Done(Value::Null);
        }
        let params = &call.params;
        match call.action.as_str() {
            "send_private_msg" => sends::private(self, params).await,
            "send_group_msg" => sends::group(self, params).await,
            "send_msg" => sends::either(self, params).await,
            "send_group_forward_msg" => sends::bundle(self, params).await,
            "delete_msg" => sends::delete(self, params).await,
            "set_msg_emoji_like" => sends::react(self, params).await,
            "get_msg" => reads::message(self, params).await,
            "get_group_msg_history" => reads::group_history(self, params).await,
            "get_friend_msg_history" => reads::friend_history(self, params).await,
            "get_group_member_list" => reads::members(self, params).await,
            "get_group_member_info" => reads::member(self, params).await,
            "get_group_list" => reads::groups(self).await,
            "get_group_info" => reads::group(self, params).await,
            "get_friend_list" => reads::friends(self).await,
            "get_recent_contact" => reads::recent(self, params).await,
            "get_stranger_info" => reads::stranger(self, params).await,
            "get_group_system_msg" => reads::requests(self, params).await,
            "get_login_info" => Reply::Done(json!({
                "user_id": self.hall.bot(), "nickname": crate::world::BOT_NAME,
            })),
            "get_version_info" => Reply::Done(json!({
                "app_name": "Duskgate Playground",
                "app_version": env!("CARGO_PKG_VERSION"),
                "protocol_version": "v11",
            })),
            "get_status" => Reply::Done(json!({
                "online": !self.faults.now().bot_offline, "good": true,
            })),
            "set_group_add_request" => doors::answer(self, params).await,
            "set_group_card" => doors::card(self, params).await,
            "set_group_name" => doors::rename(self, params).await,
            "set_group_kick" => doors::kick(self, params).await,
            "set_group_ban" => doors::mute(self, params).await,
            "set_group_whole_ban" => doors::mute_all(self, params).await,
            "set_group_admin" => doors::promote(self, params).await,
            "set_group_leave" => doors::leave(self, params).await,
            other => Reply::unknown(other),
        }
    }
}

/// A group's number among the parameters.
pub(super) fn group_id(params: &Fields) -> Result<ChatGroup, Reply> {
    params
        .number("group_id")
        .map(ChatGroup)
        .ok_or_else(|| Reply::bad("group_id 必须是群号"))
}

/// A person's number among the parameters.
pub(super) fn user_id(params: &Fields) -> Result<UserId, Reply> {
    params
        .number("user_id")
        .map(UserId)
        .ok_or_else(|| Reply::bad("user_id 必须是 QQ 号"))
}

/// Turns a result inside out: the error is an answer too.
pub(super) fn either_way(reply: Result<Reply, Reply>) -> Reply {
    reply.unwrap_or_else(|refused| refused)
}
