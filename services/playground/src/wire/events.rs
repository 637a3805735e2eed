//! Events as `NapCat` words them.

use onebot::{Message as Body, Segment, cq};
use protocol::{ChatGroup, Scene, UserId};
use serde_json::{Map, Value, json};

use super::faults::{Faults, MessageStyle, TemporaryStyle};
use super::names;
use crate::scene::{Message, Piece};
use crate::world::{Departure, Happening, PrivateDoor, Rank, World};

/// The group number that stands for none.
const PLACEHOLDER: u64 = 284_840_486;

/// A rank as the protocol calls it.
pub(super) fn role(rank: Rank) -> &'static str {
    match rank {
        Rank::Owner => "owner",
        Rank::Admin => "admin",
        Rank::Member => "member",
    }
}

/// The fields of a message, as an event or an entry of a history. `quoted` is the message that
/// this one quotes, when it is still known.
pub(super) fn message(
    world: &World,
    faults: &Faults,
    scene: Scene,
    message: &Message,
    quoted: Option<&Message>,
    door: Option<PrivateDoor>,
) -> Value {
    let ids = faults.ids;
    let own = message.from == world.bot();
    let body = body(world, faults, scene, message, quoted);
    let raw = cq::render(&body);
    let id = names::value(ids, &names::of_message(ids, message));
    let mut event = json!({
        "self_id": names::number(ids, world.bot().0),
        "user_id": names::number(ids, message.from.0),
        "time": message.at.0.div_euclid(1000),
        "message_id": id,
        "message_seq": id,
        "real_id": id,
        "real_seq": message.real.to_string(),
        "raw_message": raw,
        "font": 14,
        "message": match faults.messages {
            MessageStyle::Array => json!(body),
            MessageStyle::String => Value::from(raw.clone()),
        },
        "message_format": match faults.messages {
            MessageStyle::Array => "array",
            MessageStyle::String => "string",
        },
        "post_type": if own { "message_sent" } else { "message" },
    });
    let mut sender = json!({
        "user_id": names::number(ids, message.from.0),
        "nickname": world.shown_name(None, message.from),
        "card": "",
    });
    match scene {
        Scene::Group(group) => {
            event["message_type"] = "group".into();
            event["sub_type"] = "normal".into();
            event["group_id"] = names::number(ids, group.0);
            if let Some(known) = world.group(group) {
                event["group_name"] = known.name.clone().into();
                if let Some(member) = known.member(message.from) {
                    sender["card"] = member.card.clone().into();
                    sender["role"] = role(member.rank).into();
                }
            }
            if own {
                event["target_id"] = names::number(ids, group.0);
            }
        }
        Scene::Private(user) => {
            event["message_type"] = "private".into();
            event["sub_type"] = "friend".into();
            event["target_id"] = names::number(ids, user.0);
            if let Some(PrivateDoor::Temporary { by_way_of }) = door {
                temporary(&mut event, &mut sender, faults, by_way_of);
            }
        }
    }
    if own {
        event["message_sent_type"] = "self".into();
    }
    event["sender"] = sender;
    event
}

fn temporary(event: &mut Value, sender: &mut Value, faults: &Faults, group: ChatGroup) {
    event["sub_type"] = "group".into();
    event["temp_source"] = 0.into();
    match faults.temporary {
        TemporaryStyle::Plain => event["group_id"] = names::number(faults.ids, group.0),
        TemporaryStyle::Placeholder => event["group_id"] = names::number(faults.ids, PLACEHOLDER),
        TemporaryStyle::Nested => sender["group_id"] = names::number(faults.ids, group.0),
        TemporaryStyle::Without => {}
    }
}

/// A quote in a group comes with a mention of whoever is quoted and a blank, as clients send it.
fn body(
    world: &World,
    faults: &Faults,
    scene: Scene,
    message: &Message,
    quoted: Option<&Message>,
) -> Body {
    let mut segments = Vec::new();
    let mut blank = "";
    if let Some(quoted) = quoted {
        if !faults.drop_reply {
            segments.push(Segment::reply(&names::of_message(faults.ids, quoted)));
        }
        if matches!(scene, Scene::Group(_)) && message.from != world.bot() {
            segments.push(Segment::at(quoted.from.0));
            blank = " ";
        }
    }
    for piece in &message.pieces {
        segments.push(match piece {
            Piece::Text(text) => Segment::text(format!("{}{text}", std::mem::take(&mut blank))),
            Piece::At(user) => Segment::at(user.0),
            Piece::AtAll => segment("at", json!({"qq": "all"})),
            Piece::Bundle(_) => segment("forward", json!({"id": message.number().to_string()})),
            Piece::Other { kind, data } => Segment::new(kind.clone(), data.clone()),
        });
    }
    Body(segments)
}

fn segment(kind: &str, data: Value) -> Segment {
    let data = match data {
        Value::Object(data) => data,
        _ => Map::new(),
    };
    Segment::new(kind, data)
}

/// A recall, as a notice.
pub(super) fn recalled(
    world: &World,
    faults: &Faults,
    now_secs: i64,
    scene: Scene,
    message: &Message,
    by: UserId,
) -> Value {
    let ids = faults.ids;
    let id = names::value(ids, &names::of_message(ids, message));
    let mut event = notice(world, faults, now_secs, "friend_recall");
    event["user_id"] = names::number(ids, message.from.0);
    event["message_id"] = id;
    if let Scene::Group(group) = scene {
        event["notice_type"] = "group_recall".into();
        event["group_id"] = names::number(ids, group.0);
        event["operator_id"] = names::number(ids, by.0);
    }
    event
}

/// A reaction, as a notice; only groups have them.
pub(super) fn reacted(
    world: &World,
    faults: &Faults,
    now_secs: i64,
    group: ChatGroup,
    message: &Message,
    reaction: (UserId, &str, bool),
) -> Value {
    let (by, face, on) = reaction;
    let mut event = notice(world, faults, now_secs, "group_msg_emoji_like");
    event["group_id"] = names::number(faults.ids, group.0);
    event["user_id"] = names::number(faults.ids, by.0);
    event["message_id"] = names::value(faults.ids, &names::of_message(faults.ids, message));
    event["likes"] = json!([{"emoji_id": face, "count": 1}]);
    event["is_add"] = on.into();
    event
}

/// What happened in the world, as a notice or a request; `None` for what the account would not
/// hear of: it knows only its own groups and friends.
pub(super) fn happened(
    world: &World,
    faults: &Faults,
    now_secs: i64,
    happening: &Happening,
) -> Option<Value> {
    let ids = faults.ids;
    let id = |number: u64| names::number(ids, number);
    let runs = |group: &ChatGroup| {
        world
            .group(*group)
            .is_some_and(|group| group.runs(world.bot()))
    };
    if let Some(group) = group_of(happening) {
        let about_bot =
            matches!(happening, Happening::Departed { user, .. } if *user == world.bot());
        let inside = world
            .group(group)
            .is_some_and(|group| group.has(world.bot()));
        if !inside && !about_bot {
            return None;
        }
    }
    let say = |kind: &str| notice(world, faults, now_secs, kind);
    Some(match happening {
        Happening::Befriended { user } => with(say("friend_add"), json!({"user_id": id(user.0)})),
        Happening::Asked {
            group,
            user,
            comment,
            flag,
        } => {
            if faults.hidden_requests || !runs(group) {
                return None;
            }
            json!({
                "time": now_secs, "self_id": id(world.bot().0), "post_type": "request",
                "request_type": "group", "sub_type": "add", "group_id": id(group.0),
                "user_id": id(user.0), "comment": comment, "flag": flag,
            })
        }
        Happening::Joined { group, user, by } => {
            let (kind, operator) = if faults.odd_members {
                ("invite", 0)
            } else {
                ("approve", by.0)
            };
            with(
                say("group_increase"),
                json!({
                    "sub_type": kind, "group_id": id(group.0), "user_id": id(user.0),
                    "operator_id": id(operator),
                }),
            )
        }
        Happening::Departed { group, user, how } => {
            let (kind, operator) = match how {
                Departure::Kicked { by } if *user == world.bot() => ("kick_me", by.0),
                Departure::Kicked { .. } if faults.odd_members => ("leave", 0),
                Departure::Kicked { by } => ("kick", by.0),
                Departure::Left if faults.odd_members => ("kick", 0),
                Departure::Left => ("leave", user.0),
            };
            with(
                say("group_decrease"),
                json!({
                    "sub_type": kind, "group_id": id(group.0), "user_id": id(user.0),
                    "operator_id": id(operator),
                }),
            )
        }
        Happening::Carded {
            group,
            user,
            old,
            new,
        } => with(
            say("group_card"),
            json!({
                "group_id": id(group.0), "user_id": id(user.0), "card_old": old, "card_new": new,
            }),
        ),
        Happening::Renamed { group, by, name } => with(
            say("notify"),
            json!({
                "sub_type": "group_name", "group_id": id(group.0), "user_id": id(by.0),
                "name_new": name,
            }),
        ),
        Happening::Muted {
            group,
            user,
            by,
            seconds,
        } => with(
            say("group_ban"),
            json!({
                "sub_type": if *seconds > 0 { "ban" } else { "lift_ban" }, "group_id": id(group.0),
                "user_id": id(user.0), "operator_id": id(by.0), "duration": seconds,
            }),
        ),
        Happening::AllMuted { group, by, on } => with(
            say("group_ban"),
            json!({
                "sub_type": if *on { "ban" } else { "lift_ban" }, "group_id": id(group.0),
                "user_id": id(0), "operator_id": id(by.0), "duration": if *on { -1 } else { 0 },
            }),
        ),
        Happening::Ranked { group, user, admin } => with(
            say("group_admin"),
            json!({
                "sub_type": if *admin { "set" } else { "unset" }, "group_id": id(group.0),
                "user_id": id(user.0),
            }),
        ),
        Happening::Made { .. } | Happening::TurnedDown { .. } | Happening::TableChanged => {
            return None;
        }
    })
}

/// The notice of an account that was put offline.
pub(super) fn bot_offline(world: &World, faults: &Faults, now_secs: i64) -> Value {
    with(
        notice(world, faults, now_secs, "bot_offline"),
        json!({
            "user_id": names::number(faults.ids, world.bot().0),
            "tag": "下线通知",
            "message": "您的账号已在另一台终端登录",
        }),
    )
}

/// The first event of a connection.
pub(super) fn lifecycle(bot: UserId, now_secs: i64) -> Value {
    json!({
        "time": now_secs, "self_id": bot.0, "post_type": "meta_event",
        "meta_event_type": "lifecycle", "sub_type": "connect",
    })
}

/// A sign of life.
pub(super) fn heartbeat(bot: UserId, now_secs: i64, interval_ms: u64, online: bool) -> Value {
    json!({
        "time": now_secs, "self_id": bot.0, "post_type": "meta_event",
        "meta_event_type": "heartbeat", "interval": interval_ms,
        "status": {"online": online, "good": true},
    })
}

fn group_of(happening: &Happening) -> Option<ChatGroup> {
    match happening {
        Happening::Asked { group, .. }
        | Happening::TurnedDown { group, .. }
        | Happening::Joined { group, .. }
        | Happening::Departed { group, .. }
        | Happening::Carded { group, .. }
        | Happening::Renamed { group, .. }
        | Happening::Muted { group, .. }
        | Happening::AllMuted { group, .. }
        | Happening::Ranked { group, .. } => Some(*group),
        Happening::Befriended { .. } | Happening::Made { .. } | Happening::TableChanged => None,
    }
}

fn notice(world: &World, faults: &Faults, now_secs: i64, kind: &str) -> Value {
    json!({
        "time": now_secs,
        "self_id": names::number(faults.ids, world.bot().0),
        "post_type": "notice",
        "notice_type": kind,
    })
}

fn with(mut event: Value, more: Value) -> Value {
    if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
        event.extend(more);
    }
    event
}
