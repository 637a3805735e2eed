//! A visitor's table.

use actix_web::cookie::time::Duration as CookieAge;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::web::{Data, Json};
use actix_web::{HttpRequest, HttpResponse};
use protocol::{Scene, UserId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::error::ApiError;
use crate::hall::{Draft, Trouble};
use crate::world::{Cast, Change, Pace, Refusal, Table, World};
use crate::{Playground, fresh_token, tables};

type Answer = Result<HttpResponse, ApiError>;

/// The cookie that names a visitor's session.
const COOKIE: &str = "duskgate_table";
const COOKIE_DAYS: i64 = 30;

/// How a visitor takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum Part {
    /// In a seat.
    #[default]
    Play,
    /// Looking on while bots play, typing for anyone.
    Watch,
    /// Typing for everyone: a rehearsal alone.
    Solo,
}

#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(default)]
    part: Part,
    #[serde(default)]
    name: String,
    #[serde(default)]
    pace: Pace,
    seed: Option<u64>,
}

/// `GET /table`: the visitor's table; `null` when there is none.
pub(super) async fn show(playground: Data<Playground>, request: HttpRequest) -> Answer {
    let table = match token(&request) {
        Some(token) => {
            playground
                .hall()
                .world(|world| {
                    world
                        .table(&token)
                        .map(|table| shown(&playground, world, table))
                })
                .await?
        }
        None => None,
    };
    Ok(HttpResponse::Ok().json(json!({"table": table})))
}

/// `POST /table`: lays a table and begins the game. An earlier table of the visitor is cleared.
pub(super) async fn lay(
    playground: Data<Playground>,
    request: HttpRequest,
    wanted: Json<Wanted>,
) -> Answer {
    let name = wanted.name.trim();
    if name.chars().count() > tables::NAME_LIMIT {
        return Err(ApiError::bad(format!(
            "名字最多 {} 个字",
            tables::NAME_LIMIT
        )));
    }
    let visitor = match wanted.part {
        Part::Play if name.is_empty() => Some(tables::DEFAULT_NAME.to_owned()),
        Part::Play => Some(name.to_owned()),
        Part::Watch | Part::Solo => None,
    };
    if let Some(old) = token(&request) {
        leave(&playground, &old).await?;
    }
    let cast = if wanted.part == Part::Solo {
        Cast::Nobody
    } else {
        Cast::Bots
    };
    let seed = wanted.seed.unwrap_or_else(fresh_seed);
    let token = fresh_token();
    let order = tables::Order {
        visitor,
        pace: wanted.pace,
        cast,
        seed,
    };
    let table = playground.lay(&token, order).await?;
    let shown = playground
        .hall()
        .world(|world| shown(&playground, world, &table))
        .await?;
    let cookie = Cookie::build(COOKIE, token)
        .path("/")
        .http_only(true)
        .same_site(SameSite::Strict)
        .max_age(CookieAge::days(COOKIE_DAYS))
        .finish();
    Ok(HttpResponse::Ok()
        .cookie(cookie)
        .json(json!({"table": shown})))
}

#[derive(Deserialize)]
pub(super) struct NewPace {
    pace: Pace,
}

/// `POST /table/pace`.
pub(super) async fn set_pace(
    playground: Data<Playground>,
    request: HttpRequest,
    wanted: Json<NewPace>,
) -> Answer {
    let token = own_token(&request)?;
    playground
        .hall()
        .change(Change::SetPace {
            token,
            pace: wanted.pace,
        })
        .await?;
    Ok(HttpResponse::Ok().json(json!({"pace": wanted.pace})))
}

/// `POST /table/next`: the director is asked to go on, and types it.
pub(super) async fn next(playground: Data<Playground>, request: HttpRequest) -> Answer {
    let table = own_table(&playground, &own_token(&request)?).await?;
    direct(&playground, &table, "下一步").await?;
    Ok(HttpResponse::Ok().json(json!({"typed": "下一步"})))
}

/// `POST /table/end`: the game is called off and the bots go home.
pub(super) async fn end(playground: Data<Playground>, request: HttpRequest) -> Answer {
    leave(&playground, &own_token(&request)?).await?;
    let mut forget = Cookie::build(COOKIE, "").path("/").finish();
    forget.make_removal();
    Ok(HttpResponse::Ok()
        .cookie(forget)
        .json(json!({"table": null})))
}

/// Ends the game at a table that is still played at; there may be none.
async fn leave(playground: &Playground, token: &str) -> Result<(), ApiError> {
    let Ok(table) = own_table(playground, token).await else {
        return Ok(());
    };
    if table.over {
        return Ok(());
    }
    direct(playground, &table, "结束").await?;
    playground
        .hall()
        .change(Change::Rise {
            token: token.to_owned(),
        })
        .await?;
    Ok(())
}

async fn direct(playground: &Playground, table: &Table, words: &str) -> Result<(), ApiError> {
    let scene = Scene::Private(table.director);
    playground
        .hall()
        .say(table.director, scene, Draft::text(words))
        .await?;
    Ok(())
}

fn token(request: &HttpRequest) -> Option<String> {
    request
        .cookie(COOKIE)
        .map(|cookie| cookie.value().to_owned())
}

fn own_token(request: &HttpRequest) -> Result<String, ApiError> {
    Ok(token(request).ok_or(Trouble::Refused(Refusal::NoSuchTable))?)
}

async fn own_table(playground: &Playground, token: &str) -> Result<Table, ApiError> {
    let table = playground
        .hall()
        .world(|world| world.table(token).cloned())
        .await?;
    Ok(table.ok_or(Trouble::Refused(Refusal::NoSuchTable))?)
}

/// A seed that a browser can show: its numbers are exact up to 53 bits.
fn fresh_seed() -> u64 {
    uuid::Uuid::now_v7().as_u64_pair().1 & 0xffff_ffff
}

fn shown(playground: &Playground, world: &World, table: &Table) -> Value {
    let person = |id: UserId| json!({"id": id, "name": world.shown_name(None, id)});
    json!({
        "square": table.square,
        "bot": world.bot(),
        "bot_name": world.shown_name(None, world.bot()),
        "director": person(table.director),
        "seats": table.seats.iter().map(|seat| person(*seat)).collect::<Vec<_>>(),
        "you": table.visitor,
        "pace": table.pace,
        "cast": table.cast,
        "seed": table.seed,
        "over": table.over,
        "offset_minutes": playground.offset_minutes(table.opened),
    })
}
