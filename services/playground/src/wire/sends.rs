//! Actions that say something, take it back, or react to it.

use onebot::{Fields, Message as Body, Piece as Segment, Target};
use protocol::{ChatGroup, Scene, UserId};
use serde_json::{Value, json};

use super::actions::{Side, either_way, group_id, user_id};
use super::names;
use super::reply::Reply;
use crate::hall::{Draft, Trouble};
use crate::scene::{Message, Node, Piece};
use crate::world::Refusal;

/// The platform's numbers for what it refuses.
const NO_FRIEND: i64 = 16;
const NO_TEMPORARY_CHAT: i64 = 102;
const REMOVED: i64 = 110;
const MUTED: i64 = 120;

/// `send_private_msg`.
pub(super) async fn private(side: &Side, params: &Fields) -> Reply {
    either_way(try_private(side, params).await)
}

async fn try_private(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let user = user_id(params)?;
    let known = side
        .hall
        .world(|world| world.person(user).is_some())
        .await?;
    if let Ok(group) = group_id(params)
        && (side.faults.now().private_leak || !known)
    {
        // The leak itself: who is not found is written to in the group.
        return Ok(say(side, Scene::Group(group), params).await);
    }
    Ok(say(side, Scene::Private(user), params).await)
}

/// `send_group_msg`.
pub(super) async fn group(side: &Side, params: &Fields) -> Reply {
    match group_id(params) {
        Ok(group) => say(side, Scene::Group(group), params).await,
        Err(refused) => refused,
    }
}

/// `send_msg`: without a type the group wins, as on `NapCat`.
pub(super) async fn either(side: &Side, params: &Fields) -> Reply {
    let has_group = group_id(params).is_ok();
    match params.text("message_type") {
        "private" if has_group && side.faults.now().send_msg_leak => group(side, params).await,
        "private" => private(side, params).await,
        "group" => group(side, params).await,
        _ if has_group => group(side, params).await,
        _ => private(side, params).await,
    }
}

/// `send_group_forward_msg`.
pub(super) async fn bundle(side: &Side, params: &Fields) -> Reply {
    let group = match group_id(params) {
        Ok(group) => group,
        Err(refused) => return refused,
    };
    let messages = params.value("messages").cloned().unwrap_or(Value::Null);
    let nodes = match nodes(side, &Body::read(&messages)).await {
        Ok(nodes) if !nodes.is_empty() => nodes,
        Ok(_) => return Reply::bad("messages 里没有 node"),
        Err(refused) => return refused,
    };
    let draft = Draft {
        pieces: vec![Piece::Bundle(nodes)],
        reply_to: None,
    };
    match send(side, Scene::Group(group), draft).await {
        Reply::Done(mut data) => {
            let id = data["message_id"].clone();
            data["res_id"] = json!(format!("forward-{id}"));
            data["forward_id"] = data["res_id"].clone();
            Reply::Done(data)
        }
        other => other,
    }
}

/// `delete_msg`.
pub(super) async fn delete(side: &Side, params: &Fields) -> Reply {
    either_way(try_delete(side, params).await)
}

async fn try_delete(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let (scene, message) = wanted(side, params).await?;
    side.hall
        .recall(side.hall.bot(), scene, message.seq)
        .await?;
    Ok(Reply::Done(Value::Null))
}

/// `set_msg_emoji_like`.
pub(super) async fn react(side: &Side, params: &Fields) -> Reply {
    either_way(try_react(side, params).await)
}

async fn try_react(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let (scene, message) = wanted(side, params).await?;
    if matches!(scene, Scene::Private(_)) {
        return Err(Reply::failed("只有群消息可以贴表情"));
    }
    let face = params
        .id("emoji_id")
        .ok_or_else(|| Reply::bad("缺少 emoji_id"))?;
    let on = params.flag("set").unwrap_or(true);
    side.hall
        .react(side.hall.bot(), scene, message.seq, face.to_string(), on)
        .await?;
    Ok(Reply::Done(json!({"result": 0, "errMsg": ""})))
}

/// The message that `message_id` names.
pub(super) async fn wanted(side: &Side, params: &Fields) -> Result<(Scene, Message), Reply> {
    let id = params
        .id("message_id")
        .ok_or_else(|| Reply::bad("缺少 message_id"))?;
    let ids = side.faults.now().ids;
    names::meant(&side.hall, &side.memory, ids, &id, None)
        .await?
        .ok_or_else(|| Reply::failed(format!("消息{id}不存在")))
}

async fn say(side: &Side, scene: Scene, params: &Fields) -> Reply {
    match draft(side, scene, params).await {
        Ok(draft) => send(side, scene, draft).await,
        Err(refused) => refused,
    }
}

/// Sends, with all that can go wrong with it.
async fn send(side: &Side, scene: Scene, draft: Draft) -> Reply {
    if side.faults.now().bot_offline || side.faults.spend(|faults| &mut faults.lose_sends) {
        return Reply::timeout();
    }
    if let Some(result) = side.faults.spend_refusal() {
        return Reply::result(result, "");
    }
    let message = match side.hall.say(side.hall.bot(), scene, draft).await {
        Ok(message) => message,
        Err(trouble) => return refused_send(side, scene, trouble).await,
    };
    if side.faults.spend(|faults| &mut faults.timeout_sends) {
        return Reply::timeout();
    }
    let ids = side.faults.now().ids;
    let id = names::of_message(ids, &message);
    Reply::Done(json!({"message_id": names::value(ids, &id)}))
}

/// What the platform says when it refuses a send.
async fn refused_send(side: &Side, scene: Scene, trouble: Trouble) -> Reply {
    match (trouble, scene) {
        (Trouble::Refused(Refusal::NotAMember { .. } | Refusal::NoSuchGroup(_)), _) => {
            Reply::result(REMOVED, "发送失败，你已被移出该群，请重新加群。")
        }
        (Trouble::Refused(Refusal::Muted { .. }), _) => Reply::result(MUTED, ""),
        (Trouble::Refused(Refusal::NoWayToBot(_)), Scene::Private(user)) => {
            let shares_a_group = side
                .hall
                .world(|world| world.may_write_to_bot(user).is_ok())
                .await;
            match shares_a_group {
                Ok(true) => Reply::result(NO_TEMPORARY_CHAT, "对方未开启临时会话"),
                _ => Reply::result(NO_FRIEND, "请先添加对方为好友"),
            }
        }
        (Trouble::Refused(Refusal::NoSuchPerson(_)), _) => Reply::failed("无法获取用户信息"),
        (Trouble::Refused(Refusal::Empty), _) => {
            Reply::bad("消息体无法解析, 请检查是否发送了不支持的消息类型")
        }
        (other, _) => other.into(),
    }
}

/// The message among the parameters.
async fn draft(side: &Side, scene: Scene, params: &Fields) -> Result<Draft, Reply> {
    let given = params.value("message").cloned().unwrap_or(Value::Null);
    if let (Value::String(text), Some(true)) = (&given, params.flag("auto_escape")) {
        return Ok(Draft::text(text.clone()));
    }
    let body = Body::read(&given);
    if body.0.iter().any(|segment| segment.kind == "node") {
        return Ok(Draft {
            pieces: vec![Piece::Bundle(nodes(side, &body).await?)],
            reply_to: None,
        });
    }
    let ids = side.faults.now().ids;
    let in_group = matches!(scene, Scene::Group(_));
    let mut draft = Draft {
        pieces: Vec::new(),
        reply_to: None,
    };
    for segment in &body.0 {
        match segment.piece() {
            Segment::Text("") => {}
            Segment::Text(text) => draft.pieces.push(Piece::Text(text.to_owned())),
            // Private chats have no mentions; an id that is not known quotes nothing.
            Segment::At(Target::User(id)) if in_group => {
                let user = id.number().ok_or_else(|| Reply::bad("at 的 qq 不是号码"))?;
                draft.pieces.push(Piece::At(UserId(user)));
            }
            Segment::At(Target::All) if in_group => draft.pieces.push(Piece::AtAll),
            Segment::At(_) | Segment::Reply(None) => {}
            Segment::Reply(Some(id)) => {
                let quoted = names::meant(&side.hall, &side.memory, ids, &id, Some(scene)).await?;
                draft.reply_to = quoted.map(|(_, message)| message.seq);
            }
            Segment::Face | Segment::Other => draft.pieces.push(Piece::Other {
                kind: segment.kind.clone(),
                data: segment.data.0.clone(),
            }),
        }
    }
    Ok(draft)
}

/// The nodes of a bundle: with their own content, or by the id of a message.
async fn nodes(side: &Side, body: &Body) -> Result<Vec<Node>, Reply> {
    let mut nodes = Vec::new();
    for segment in &body.0 {
        if segment.kind != "node" {
            return Err(Reply::bad("转发消息不能和普通消息混在一起发送"));
        }
        let data = &segment.data;
        let content = data.value("content").or_else(|| data.value("message"));
        let node = match (content, data.id("id")) {
            (Some(content), _) => Node {
                name: first_of(data, ["nickname", "name"]),
                text: Body::read(content).plain_text(),
            },
            (None, Some(id)) => {
                let ids = side.faults.now().ids;
                let (_, message) = names::meant(&side.hall, &side.memory, ids, &id, None)
                    .await?
                    .ok_or_else(|| Reply::failed(format!("消息{id}不存在")))?;
                forwarded(side, &message).await?
            }
            (None, None) => return Err(Reply::bad("node 里没有内容")),
        };
        nodes.push(node);
    }
    Ok(nodes)
}

fn first_of(data: &Fields, names: [&str; 2]) -> String {
    let mut texts = names
        .iter()
        .map(|name| data.text(name))
        .filter(|text| !text.is_empty());
    texts.next().unwrap_or_default().to_owned()
}

async fn forwarded(side: &Side, message: &Message) -> Result<Node, Reply> {
    let node = side
        .hall
        .world(|world| Node {
            name: world.shown_name(None::<ChatGroup>, message.from).to_owned(),
            text: message.text(|user| world.shown_name(None, user).to_owned()),
        })
        .await?;
    Ok(node)
}
