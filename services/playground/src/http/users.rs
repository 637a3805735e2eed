//! People: who there is, and what they do.

use actix_web::HttpResponse;
use actix_web::web::{Data, Json, Path};
use protocol::{ChatGroup, Scene, UserId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::input::{Number, OneOrMany};
use crate::Playground;
use crate::hall::{Draft, Hall, Trouble};
use crate::mention;
use crate::scene::MessageNumber;
use crate::world::{
    Change, GroupChange, Happening, Newcomer, Person, Refusal, Request, Verdict, World,
};

type Answer = Result<HttpResponse, ApiError>;

/// `GET /clock`.
pub(super) async fn clock(playground: Data<Playground>) -> HttpResponse {
    HttpResponse::Ok().json(time(&playground))
}

#[derive(Deserialize)]
pub(super) struct Advance {
    advance_ms: u32,
}

/// `POST /clock`: moves a clock that the playground holds in its hand.
pub(super) async fn advance(playground: Data<Playground>, wanted: Json<Advance>) -> Answer {
    if !playground.advance(wanted.advance_ms) {
        return Err(ApiError::bad("这里走的是系统时间，拨不动"));
    }
    Ok(HttpResponse::Ok().json(time(&playground)))
}

fn time(playground: &Playground) -> Value {
    let now = playground.hall().now();
    json!({
        "now_ms": now.0,
        "time": now.0.div_euclid(1000),
        "offset_minutes": playground.offset_minutes(now),
    })
}

#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Newcomers {
    Listed { users: Vec<Wanted> },
    Bare(OneOrMany<Wanted>),
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    id: Option<Number>,
    nickname: Option<String>,
    #[serde(default = "yes")]
    friend: bool,
}

fn yes() -> bool {
    true
}

/// `POST /users`: one person or several come into the world, as friends of the bot unless told
/// otherwise.
pub(super) async fn create(playground: Data<Playground>, wanted: Json<Newcomers>) -> Answer {
    let list = match wanted.into_inner() {
        Newcomers::Listed { users } => users,
        Newcomers::Bare(bare) => bare.list(),
    };
    let people = list
        .into_iter()
        .map(|wanted| {
            let id = wanted.id.map(|id| UserId(id.0));
            let nickname = wanted
                .nickname
                .or_else(|| id.map(|id| format!("用户{id}")))
                .unwrap_or_else(|| "新人".to_owned());
            Newcomer {
                id,
                person: Person {
                    nickname,
                    friend: wanted.friend,
                },
            }
        })
        .collect();
    let happenings = playground
        .hall()
        .change(Change::Register { people })
        .await?;
    let made: Vec<UserId> = happenings
        .into_iter()
        .flat_map(|happening| match happening {
            Happening::Made { people, .. } => people,
            _ => Vec::new(),
        })
        .collect();
    let users = playground
        .hall()
        .world(|world| made.iter().map(|id| person(world, *id)).collect::<Vec<_>>())
        .await?;
    Ok(HttpResponse::Ok().json(json!({"users": users})))
}

/// `GET /users`.
pub(super) async fn list(playground: Data<Playground>) -> Answer {
    let users = playground
        .hall()
        .world(|world| {
            let ids: Vec<UserId> = world.people().map(|(id, _)| id).collect();
            ids.into_iter()
                .map(|id| person(world, id))
                .collect::<Vec<_>>()
        })
        .await?;
    Ok(HttpResponse::Ok().json(json!({"users": users})))
}

fn person(world: &World, id: UserId) -> Value {
    let known = world.person(id);
    json!({
        "id": id,
        "nickname": world.shown_name(None, id),
        "friend": known.is_some_and(|person| person.friend),
    })
}

/// `GET /users/{id}`: a person, their groups, and their requests to join.
pub(super) async fn show(playground: Data<Playground>, id: Path<u64>) -> Answer {
    let id = UserId(id.into_inner());
    let shown = playground
        .hall()
        .world(|world| {
            world.person(id)?;
            let groups: Vec<Value> = world
                .groups_seen(id)
                .map(|(group, known)| {
                    json!({"id": group, "name": known.name, "member": known.has(id)})
                })
                .collect();
            let requests: Vec<Value> = world
                .requests(world.bot())
                .filter(|(_, r)| r.user == id)
                .map(asked)
                .collect();
            let mut shown = person(world, id);
            shown["groups"] = json!(groups);
            shown["requests"] = json!(requests);
            shown["bot"] = json!(world.bot());
            Some(shown)
        })
        .await?
        .ok_or(Trouble::Refused(Refusal::NoSuchPerson(id)))?;
    Ok(HttpResponse::Ok().json(shown))
}

/// A request to join, as the person who asked sees it.
fn asked((group, request): (ChatGroup, &Request)) -> Value {
    let (state, reason) = match &request.answer {
        None => ("asked", ""),
        Some((_, Verdict::Granted)) => ("granted", ""),
        Some((_, Verdict::Refused { reason })) => ("refused", reason.as_str()),
    };
    json!({"group": group, "state": state, "reason": reason})
}

#[derive(Deserialize)]
pub(super) struct Befriend {
    #[serde(default = "yes")]
    friend: bool,
}

/// `POST /users/{id}/friend`.
pub(super) async fn befriend(
    playground: Data<Playground>,
    id: Path<u64>,
    wanted: Json<Befriend>,
) -> Answer {
    let user = who(playground.hall(), id.into_inner())?;
    playground
        .hall()
        .change(Change::Befriend {
            user,
            friend: wanted.friend,
        })
        .await?;
    Ok(HttpResponse::Ok().json(json!({"friend": wanted.friend})))
}

#[derive(Deserialize)]
pub(super) struct Send {
    scene: SceneKind,
    peer: Option<Number>,
    text: String,
    reply_to: Option<Number>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum SceneKind {
    Group,
    Private,
}

/// `POST /users/{id}/send`.
pub(super) async fn send(
    playground: Data<Playground>,
    id: Path<u64>,
    wanted: Json<Send>,
) -> Answer {
    let hall = playground.hall();
    let user = who(playground.hall(), id.into_inner())?;
    let scene = scene(hall, user, wanted.scene, wanted.peer)?;
    let text = wanted.text.clone();
    let pieces = hall
        .world(|world| mention::read(world, scene, &text))
        .await?;
    let reply_to = wanted
        .reply_to
        .map(|given| MessageNumber::place_or_number(given.0));
    let message = hall.say(user, scene, Draft { pieces, reply_to }).await?;
    Ok(HttpResponse::Ok().json(json!({
        "seq": message.seq,
        "message_id": message.number(),
        "real_seq": message.real,
        "time": message.at.0.div_euclid(1000),
        "time_ms": message.at.0,
    })))
}

/// The person in the path: anybody but the bot, who speaks through the other side only.
pub(super) fn who(hall: &Hall, id: u64) -> Result<UserId, ApiError> {
    let user = UserId(id);
    if user == hall.bot() {
        Err(Trouble::Refused(Refusal::BotItself(user)).into())
    } else {
        Ok(user)
    }
}

fn scene(
    hall: &Hall,
    user: UserId,
    kind: SceneKind,
    peer: Option<Number>,
) -> Result<Scene, ApiError> {
    match (kind, peer) {
        (SceneKind::Group, Some(group)) => Ok(Scene::Group(ChatGroup(group.0))),
        (SceneKind::Group, None) => Err(ApiError::bad("群聊要写明 peer（群号）")),
        (SceneKind::Private, None) => Ok(Scene::Private(user)),
        (SceneKind::Private, Some(peer)) if UserId(peer.0) == hall.bot() => {
            Ok(Scene::Private(user))
        }
        (SceneKind::Private, Some(_)) => Err(ApiError::bad(format!(
            "私聊的 peer 只能是机器人 {}",
            hall.bot()
        ))),
    }
}

#[derive(Deserialize)]
pub(super) struct Recall {
    message_id: Option<Number>,
    seq: Option<Number>,
}

/// `POST /users/{id}/recall`.
pub(super) async fn recall(
    playground: Data<Playground>,
    id: Path<u64>,
    wanted: Json<Recall>,
) -> Answer {
    let hall = playground.hall();
    let user = who(playground.hall(), id.into_inner())?;
    let given = wanted
        .message_id
        .or(wanted.seq)
        .ok_or_else(|| ApiError::bad("要写明 message_id 或 seq"))?;
    let seq = MessageNumber::place_or_number(given.0);
    let scenes: Vec<Scene> = hall
        .world(|world| {
            let groups = world
                .groups_seen(user)
                .map(|(group, _)| Scene::Group(group));
            groups.chain([Scene::Private(user)]).collect()
        })
        .await?;
    for scene in scenes {
        if hall.message(scene, seq).await?.is_some() {
            hall.recall(user, scene, seq).await?;
            return Ok(HttpResponse::Ok().json(json!({"recalled": seq})));
        }
    }
    Err(Trouble::Refused(Refusal::NoSuchMessage).into())
}

#[derive(Deserialize)]
pub(super) struct Join {
    group: Number,
    #[serde(default)]
    comment: String,
}

/// `POST /users/{id}/join`: walks in, or asks to.
pub(super) async fn join(
    playground: Data<Playground>,
    id: Path<u64>,
    wanted: Json<Join>,
) -> Answer {
    let user = who(playground.hall(), id.into_inner())?;
    let group = ChatGroup(wanted.group.0);
    let change = GroupChange::Join {
        user,
        comment: wanted.comment.clone(),
    };
    let happenings = playground
        .hall()
        .change(Change::InGroup { group, change })
        .await?;
    let state = match happenings.first() {
        Some(Happening::Joined { .. }) => "joined",
        _ => "asked",
    };
    Ok(HttpResponse::Ok().json(json!({"state": state})))
}

#[derive(Deserialize)]
pub(super) struct Leave {
    group: Number,
}

/// `POST /users/{id}/leave`.
pub(super) async fn leave(
    playground: Data<Playground>,
    id: Path<u64>,
    wanted: Json<Leave>,
) -> Answer {
    let change = GroupChange::Leave {
        user: who(playground.hall(), id.into_inner())?,
    };
    let group = ChatGroup(wanted.group.0);
    playground
        .hall()
        .change(Change::InGroup { group, change })
        .await?;
    Ok(HttpResponse::Ok().json(json!({"state": "left"})))
}
