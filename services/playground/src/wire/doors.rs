//! Actions of those who run a group: who may come in, who must go, who may speak.

use onebot::Fields;
use serde_json::Value;

use super::actions::{Side, either_way, group_id, user_id};
use super::reply::Reply;
use crate::world::{Change, GroupChange, Refusal, Verdict};

/// `set_group_add_request`. Approves unless told otherwise, as every side does.
pub(super) async fn answer(side: &Side, params: &Fields) -> Reply {
    let Some(flag) = params.id("flag") else {
        return Reply::bad("缺少 flag");
    };
    let verdict = if params.flag("approve").unwrap_or(true) {
        Verdict::Granted
    } else {
        Verdict::Refused {
            reason: params.text("reason").to_owned(),
        }
    };
    let by = side.hall.bot();
    done(
        side,
        Change::Settle {
            flag: flag.to_string(),
            by,
            verdict,
        },
    )
    .await
}

/// `set_group_card`.
pub(super) async fn card(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    let card = params.text("card").to_owned();
    in_group(
        side,
        params,
        GroupChange::Card {
            user,
            by: side.hall.bot(),
            card,
        },
    )
    .await
}

/// `set_group_name`.
pub(super) async fn rename(side: &Side, params: &Fields) -> Reply {
    let name = params.text("group_name").to_owned();
    in_group(
        side,
        params,
        GroupChange::Rename {
            by: side.hall.bot(),
            name,
        },
    )
    .await
}

/// `set_group_kick`. The platform does not check whether it worked.
pub(super) async fn kick(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    let bar = params.flag("reject_add_request").unwrap_or(false);
    in_group(
        side,
        params,
        GroupChange::Kick {
            user,
            by: side.hall.bot(),
            bar,
        },
    )
    .await
}

/// `set_group_ban`. Without a duration it lifts the mute, as on `NapCat`.
pub(super) async fn mute(side: &Side, params: &Fields) -> Reply {
    either_way(try_mute(side, params).await)
}

async fn try_mute(side: &Side, params: &Fields) -> Result<Reply, Reply> {
    let (group, user) = (group_id(params)?, user_id(params)?);
    let seconds = params.number("duration").unwrap_or(0);
    let by = side.hall.bot();
    let higher = side
        .hall
        .world(|world| {
            world
                .group(group)
                .is_some_and(|group| group.runs(by) && group.has(user) && !group.outranks(by, user))
        })
        .await?;
    if higher {
        return Err(Reply::failed("cannot ban owner/admin"));
    }
    Ok(in_group(side, params, GroupChange::Mute { user, by, seconds }).await)
}

/// `set_group_whole_ban`.
pub(super) async fn mute_all(side: &Side, params: &Fields) -> Reply {
    let on = params.flag("enable").unwrap_or(true);
    in_group(
        side,
        params,
        GroupChange::MuteAll {
            by: side.hall.bot(),
            on,
        },
    )
    .await
}

/// `set_group_admin`.
pub(super) async fn promote(side: &Side, params: &Fields) -> Reply {
    let user = match user_id(params) {
        Ok(user) => user,
        Err(refused) => return refused,
    };
    let admin = params.flag("enable").unwrap_or(true);
    in_group(
        side,
        params,
        GroupChange::Promote {
            user,
            by: side.hall.bot(),
            admin,
        },
    )
    .await
}

/// `set_group_leave`.
pub(super) async fn leave(side: &Side, params: &Fields) -> Reply {
    in_group(
        side,
        params,
        GroupChange::Leave {
            user: side.hall.bot(),
        },
    )
    .await
}

async fn in_group(side: &Side, params: &Fields, change: GroupChange) -> Reply {
    match group_id(params) {
        Ok(group) => done(side, Change::InGroup { group, change }).await,
        Err(refused) => refused,
    }
}

async fn done(side: &Side, change: Change) -> Reply {
    match side.hall.change(change).await {
        Ok(_) => Reply::Done(Value::Null),
        Err(crate::hall::Trouble::Refused(Refusal::NoSuchGroup(group))) => {
            Reply::failed(format!("群{group}不存在"))
        }
        Err(trouble) => trouble.into(),
    }
}
