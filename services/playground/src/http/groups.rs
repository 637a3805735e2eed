//! Groups: which there are, and what those who run them do.

use actix_web::HttpResponse;
use actix_web::web::{Data, Json, Path};
use protocol::{ChatGroup, UserId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::input::Number;
use crate::Playground;
use crate::hall::Trouble;
use crate::world::{
    Change, Door, Founding, Group, GroupChange, Happening, Rank, Refusal, Verdict, World,
};

type Answer = Result<HttpResponse, ApiError>;

#[derive(Deserialize)]
pub(super) struct Wanted {
    id: Option<Number>,
    name: String,
    #[serde(default)]
    owner: Option<Number>,
    #[serde(default)]
    admins: Vec<Number>,
    #[serde(default)]
    members: Vec<Number>,
    #[serde(default)]
    bot: Option<Rank>,
    #[serde(default)]
    door: Door,
}

/// `POST /groups`: makes a group. Without an owner the bot owns it; `bot` gives the bot a place
/// in the group of another.
pub(super) async fn create(playground: Data<Playground>, wanted: Json<Wanted>) -> Answer {
    let hall = playground.hall();
    let bot = hall.bot();
    let users = |numbers: &[Number]| numbers.iter().map(|id| UserId(id.0)).collect::<Vec<_>>();
    let mut founding = Founding {
        id: wanted.id.map(|id| ChatGroup(id.0)),
        name: wanted.name.clone(),
        owner: wanted.owner.map_or(bot, |owner| UserId(owner.0)),
        admins: users(&wanted.admins),
        members: users(&wanted.members),
        door: wanted.door,
    };
    match wanted.bot {
        Some(Rank::Owner) if founding.owner != bot => {
            return Err(ApiError::bad(
                "群主只能有一个：要么写 owner，要么让机器人当群主",
            ));
        }
        Some(Rank::Owner) | None => {}
        Some(Rank::Admin) => founding.admins.push(bot),
        Some(Rank::Member) => founding.members.push(bot),
    }
    let happenings = hall.change(Change::Found(vec![founding])).await?;
    let group = happenings
        .into_iter()
        .find_map(|happening| match happening {
            Happening::Made { groups, .. } => groups.first().copied(),
            _ => None,
        })
        .ok_or_else(|| ApiError::missing("群没有建成"))?;
    answer_with(&playground, group).await
}

/// `GET /groups`.
pub(super) async fn list(playground: Data<Playground>) -> Answer {
    let groups = playground
        .hall()
        .world(|world| {
            let all = world.groups();
            all.map(|(id, group)| {
                json!({"id": id, "name": group.name, "members": group.members().count()})
            })
            .collect::<Vec<_>>()
        })
        .await?;
    Ok(HttpResponse::Ok().json(json!({"groups": groups})))
}

/// `GET /groups/{id}`.
pub(super) async fn show(playground: Data<Playground>, id: Path<u64>) -> Answer {
    answer_with(&playground, ChatGroup(id.into_inner())).await
}

#[derive(Deserialize)]
pub(super) struct Act {
    by: Number,
    #[serde(flatten)]
    what: What,
}

/// What someone who runs a group does.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum What {
    Kick {
        user: Number,
        #[serde(default)]
        bar: bool,
    },
    Card {
        user: Number,
        card: String,
    },
    Rename {
        name: String,
    },
    Mute {
        user: Number,
        seconds: u64,
    },
    MuteAll {
        on: bool,
    },
    Promote {
        user: Number,
        admin: bool,
    },
    Answer {
        flag: String,
        approve: bool,
        #[serde(default)]
        reason: String,
    },
}

/// `POST /groups/{id}/do`.
pub(super) async fn act(playground: Data<Playground>, id: Path<u64>, act: Json<Act>) -> Answer {
    let group = ChatGroup(id.into_inner());
    let Act { by, what } = act.into_inner();
    let by = UserId(by.0);
    let user = |number: Number| UserId(number.0);
    let change = match what {
        What::Kick { user: whom, bar } => GroupChange::Kick {
            user: user(whom),
            by,
            bar,
        },
        What::Card { user: whose, card } => GroupChange::Card {
            user: user(whose),
            by,
            card,
        },
        What::Rename { name } => GroupChange::Rename { by, name },
        What::Mute {
            user: whom,
            seconds,
        } => GroupChange::Mute {
            user: user(whom),
            by,
            seconds,
        },
        What::MuteAll { on } => GroupChange::MuteAll { by, on },
        What::Promote { user: whom, admin } => GroupChange::Promote {
            user: user(whom),
            by,
            admin,
        },
        What::Answer {
            flag,
            approve,
            reason,
        } => {
            let verdict = if approve {
                Verdict::Granted
            } else {
                Verdict::Refused { reason }
            };
            playground
                .hall()
                .change(Change::Settle { flag, by, verdict })
                .await?;
            return answer_with(&playground, group).await;
        }
    };
    playground
        .hall()
        .change(Change::InGroup { group, change })
        .await?;
    answer_with(&playground, group).await
}

async fn answer_with(playground: &Playground, id: ChatGroup) -> Answer {
    let shown = playground
        .hall()
        .world(|world| world.group(id).map(|group| shown(world, id, group)))
        .await?
        .ok_or(Trouble::Refused(Refusal::NoSuchGroup(id)))?;
    Ok(HttpResponse::Ok().json(shown))
}

fn shown(world: &World, id: ChatGroup, group: &Group) -> Value {
    let requests: Vec<Value> = world
        .requests(group.owner().unwrap_or_else(|| world.bot()))
        .filter(|(about, request)| *about == id && request.answer.is_none())
        .map(|(_, request)| {
            json!({"flag": request.flag, "user": request.user, "comment": request.comment})
        })
        .collect();
    json!({
        "id": id,
        "name": group.name,
        "door": group.door,
        "all_muted": group.all_muted,
        "owner": group.owner(),
        "members": members(world, group),
        "requests": requests,
    })
}

fn members(world: &World, group: &Group) -> Vec<Value> {
    group
        .members()
        .map(|(user, member)| {
            json!({
                "id": user,
                "nickname": world.shown_name(None, user),
                "card": member.card,
                "rank": member.rank,
                "muted_until_ms": member.muted_until,
                "bot": user == world.bot(),
            })
        })
        .collect()
}
