//! Actions that only look.

use onebot::Fields;
use protocol::{ChatGroup, Scene, UserId};
use serde_json::{Value, json};

use super::actions::{Side, either_way, group_id, user_id};
use super::faults::{Faults, IdStyle};
use super::reply::Reply;
use super::sends::wanted;
use super::{events, names};
use crate::scene::{Message, Page};
use crate::world::{Group, Member, Verdict, World};

/// The most messages in one page of a history.
const PAGE_LIMIT: u64 = 1_000;
const PAGE_DEFAULT: u64 = 20;
const REQUESTS_DEFAULT: u64 = 50;
const RECENT_DEFAULT: u64 = 10;

/// `get_msg`.
pub(super) async fn message(side: &Side, params: &Fields) -> Reply {
    either_way(try_message(side, params).await)
}

async fn try_message(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let (scene, message) = wanted(side, params).await?;
    if message.recalled_by.is_some() {
        return Err(Reply::failed("消息不存在"));
    }
    let mut listed = list(side, scene, &[message]).await?;
    Ok(Reply::Done(listed.pop().unwrap_or(Value::Null)))
}

/// `get_group_msg_history`.
pub(super) async fn group_history(side: &Side, params: &Fields) -> Reply {
    let group = match group_id(params) {
        Ok(group) => group,
        Err(refused) => return refused,
    };
    let bot = side.hall.bot();
    let inside = side
        .hall
        .world(|world| world.group(group).is_some_and(|group| group.has(bot)))
        .await;
    match inside {
        Ok(true) => either_way(history(side, Scene::Group(group), params).await),
        Ok(false) => Reply::failed(format!("群{group}不存在")),
        Err(trouble) => trouble.into(),
    }
}

/// `get_friend_msg_history`.
pub(super) async fn friend_history(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    match side.hall.world(|world| world.person(user).is_some()).await {
        Ok(true) => either_way(history(side, Scene::Private(user), params).await),
        Ok(false) => Reply::failed(format!("记录{user}不存在")),
        Err(trouble) => trouble.into(),
    }
}

/// Without a start the newest; from a start towards the newest, or with `reverse_order` back
/// from it, the start included either way.
async fn history(side: &Side, scene: Scene, params: &Fields) -> Result<Reply, Reply> {
    let count = params
        .number("count")
        .unwrap_or(PAGE_DEFAULT)
        .clamp(1, PAGE_LIMIT);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let reverse = ["reverse_order", "reverseOrder"]
        .iter()
        .any(|name| params.flag(name).unwrap_or(false));
    let start = params.id("message_seq").filter(|id| id.as_str() != "0");
    let page = match start {
        None => Page::Newest,
        Some(id) => {
            let ids = side.faults.now().ids;
            let (_, message) = names::meant(&side.hall, &side.memory, ids, &id, Some(scene))
                .await?
                .ok_or_else(|| Reply::failed(format!("消息{id}不存在")))?;
            if reverse {
                Page::UpTo(message.seq)
            } else {
                Page::From(message.seq)
            }
        }
    };
    let mut messages = side.hall.history(scene, page, count).await?;
    messages.retain(|message| message.recalled_by.is_none());
    side.memory.learn(&messages);
    if reverse {
        messages.reverse();
    }
    Ok(Reply::Done(
        json!({"messages": list(side, scene, &messages).await?}),
    ))
}

async fn list(side: &Side, scene: Scene, messages: &[Message]) -> Result<Vec<Value>, Reply> {
    let faults = side.faults.now();
    let mut listed = Vec::with_capacity(messages.len());
    for message in messages {
        let quoted = match message.reply_to {
            Some(seq) => side.hall.message(scene, seq).await?,
            None => None,
        };
        let door = |world: &World| match scene {
            Scene::Private(user) if message.from == user => world.may_write_to_bot(user).ok(),
            _ => None,
        };
        let event = side
            .hall
            .world(|world| {
                events::message(world, &faults, scene, message, quoted.as_ref(), door(world))
            })
            .await?;
        listed.push(event);
    }
    Ok(listed)
}

/// `get_group_member_list`.
pub(super) async fn members(side: &Side, params: &Fields) -> Reply {
    either_way(
        with_group(side, params, |world, ids, id, group| {
            let list: Vec<Value> = group
                .members()
                .map(|(user, member)| shown_member(world, ids, id, user, member))
                .collect();
            Ok(json!(list))
        })
        .await,
    )
}

/// `get_group_member_info`.
pub(super) async fn member(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    either_way(
        with_group(side, params, |world, ids, id, group| {
            match group.member(user) {
                Some(member) => Ok(shown_member(world, ids, id, user, member)),
                None => Err(Reply::failed(format!("群({id})成员{user}不存在"))),
            }
        })
        .await,
    )
}

/// `get_group_info`.
pub(super) async fn group(side: &Side, params: &Fields) -> Reply {
    either_way(
        with_group(side, params, |_, ids, id, group| {
            Ok(shown_group(ids, id, group))
        })
        .await,
    )
}

/// `get_group_list`.
pub(super) async fn groups(side: &Side) -> Reply {
    let ids = side.faults.now().ids;
    let bot = side.hall.bot();
    let list = side
        .hall
        .world(|world| {
            let own = world.groups().filter(|(_, group)| group.has(bot));
            own.map(|(id, group)| shown_group(ids, id, group))
                .collect::<Vec<_>>()
        })
        .await;
    list.map_or_else(Reply::from, |list| Reply::Done(json!(list)))
}

/// `get_friend_list`.
pub(super) async fn friends(side: &Side) -> Reply {
    let ids = side.faults.now().ids;
    let list = side
        .hall
        .world(|world| {
            let friends = world.people().filter(|(_, person)| person.friend);
            friends
                .map(|(id, person)| {
                    json!({
                        "user_id": names::number(ids, id.0), "nickname": person.nickname,
                        "remark": "", "sex": "unknown", "level": 0,
                    })
                })
                .collect::<Vec<_>>()
        })
        .await;
    list.map_or_else(Reply::from, |list| Reply::Done(json!(list)))
}

/// `get_recent_contact`: the chats with the newest last messages, newest first.
pub(super) async fn recent(side: &Side, params: &Fields) -> Reply {
    either_way(try_recent(side, params).await)
}

async fn try_recent(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let count = params.number("count").unwrap_or(RECENT_DEFAULT);
    let bot = side.hall.bot();
    let scenes: Vec<Scene> = side
        .hall
        .world(|world| {
            let people = world.people().map(|(id, _)| Scene::Private(id));
            let groups = world.groups().filter(|(_, group)| group.has(bot));
            people
                .chain(groups.map(|(id, _)| Scene::Group(id)))
                .collect()
        })
        .await?;
    let mut chats = Vec::new();
    for scene in scenes {
        let newest = side.hall.history(scene, Page::Newest, 1).await?;
        chats.extend(newest.into_iter().map(|message| (scene, message)));
    }
    chats.sort_by_key(|(_, message)| std::cmp::Reverse(message.seq));
    chats.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    let ids = side.faults.now().ids;
    let listed = side
        .hall
        .world(|world| {
            chats
                .iter()
                .map(|(scene, message)| shown_recent(world, ids, *scene, message))
                .collect::<Vec<_>>()
        })
        .await?;
    Ok(Reply::Done(json!(listed)))
}

fn shown_recent(world: &World, ids: IdStyle, scene: Scene, message: &Message) -> Value {
    let (kind, peer, name) = match scene {
        Scene::Private(user) => (1, user.0, world.shown_name(None, user).to_owned()),
        Scene::Group(group) => (
            2,
            group.0,
            world
                .group(group)
                .map(|group| group.name.clone())
                .unwrap_or_default(),
        ),
    };
    json!({
        "peerUin": peer.to_string(), "chatType": kind, "peerName": name, "remark": "",
        "msgTime": message.at.0.div_euclid(1000).to_string(),
        "msgId": names::value(ids, &names::of_message(ids, message)),
        "sendNickName": world.shown_name(None, message.from), "sendMemberName": "",
    })
}

/// `get_stranger_info`.
pub(super) async fn stranger(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    let ids = side.faults.now().ids;
    let nickname = side
        .hall
        .world(|world| world.person(user).map(|person| person.nickname.clone()))
        .await;
    match nickname {
        Ok(Some(nickname)) => Reply::Done(json!({
            "user_id": names::number(ids, user.0), "nickname": nickname, "sex": "unknown", "age": 0,
        })),
        Ok(None) => Reply::failed("无法获取用户信息"),
        Err(trouble) => trouble.into(),
    }
}

/// `get_group_system_msg`.
pub(super) async fn requests(side: &Side, params: &Fields) -> Reply {
    let ids = side.faults.now().ids;
    let count = params.number("count").unwrap_or(REQUESTS_DEFAULT);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let list = side
        .hall
        .world(|world| {
            world
                .requests(world.bot())
                .take(count)
                .map(|(group, request)| {
                    let name = world.group(group).map(|group| group.name.clone());
                    json!({
                        "request_id": request.flag,
                        "requester_uin": names::number(ids, request.user.0),
                        "invitor_uin": names::number(ids, request.user.0),
                        "requester_nick": world.shown_name(None, request.user),
                        "message": request.comment,
                        "group_id": names::number(ids, group.0),
                        "group_name": name,
                        "checked": request.answer.is_some(),
                        "actor": request.answer.as_ref().map_or(0, |(by, _)| by.0),
                        "refused": matches!(request.answer, Some((_, Verdict::Refused { .. }))),
                    })
                })
                .collect::<Vec<_>>()
        })
        .await;
    list.map_or_else(Reply::from, |list| {
        Reply::Done(json!({"invited_requests": [], "InvitedRequest": [], "join_requests": list}))
    })
}

async fn with_group(
    side: &Side,
    params: &Fields,
    mut look: impl FnMut(&World, IdStyle, ChatGroup, &Group) -> Result<Value, Reply> + Send,
) -> Result<Reply, Reply> {
    let id = group_id(params)?;
    let Faults { ids, .. } = side.faults.now();
    let bot = side.hall.bot();
    let seen = side
        .hall
        .world(
            |world| match world.group(id).filter(|group| group.has(bot)) {
                Some(group) => look(world, ids, id, group),
                None => Err(Reply::failed(format!("群{id}不存在"))),
            },
        )
        .await?;
    seen.map(Reply::Done)
}

fn shown_member(
    world: &World,
    ids: IdStyle,
    group: ChatGroup,
    user: UserId,
    member: &Member,
) -> Value {
    json!({
        "group_id": names::number(ids, group.0),
        "user_id": names::number(ids, user.0),
        "nickname": world.shown_name(None, user),
        "card": member.card,
        "sex": "unknown", "age": 0, "area": "", "level": "0", "qq_level": 0,
        "join_time": member.joined.0.div_euclid(1000),
        "last_sent_time": 0,
        "title": "", "title_expire_time": 0, "unfriendly": false, "card_changeable": true,
        "is_robot": false,
        "shut_up_timestamp": member.muted_until.map_or(0, |until| until.0.div_euclid(1000)),
        "role": events::role(member.rank),
    })
}

fn shown_group(ids: IdStyle, id: ChatGroup, group: &Group) -> Value {
    json!({
        "group_id": names::number(ids, id.0),
        "group_name": group.name,
        "group_remark": "",
        "member_count": group.members().count(),
        "max_member_count": 200,
        "group_all_shut": if group.all_muted { -1 } else { 0 },
    })
}
