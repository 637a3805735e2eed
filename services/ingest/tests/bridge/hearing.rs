//! What is said arrives once, in order, at the right place.

use std::time::Duration;

use protocol::{ChatGroup, Refused, ToPublish, ToTally, UserId};
use serde_json::{Value, json};

use crate::fake::{At, BOT, Side, World, now, text, until};
use crate::rig::{DIRECTOR, OTHER, PACK, PLAYER, Rig, SQUARE};

const HERE: At = At::Group(SQUARE);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_that_comes_again_is_one_line() {
    let rig = Rig::new().await.with_game().await;
    let side = Side::connect(&rig.address, &World::default()).await;
    let event = side.say(HERE, PLAYER, "投票对象：乙");
    side.event(&event);
    // Some sides write ids as strings.
    let mut strings = event.clone();
    for name in [
        "message_id",
        "user_id",
        "group_id",
        "self_id",
        "message_seq",
    ] {
        strings[name] = event[name].to_string().into();
    }
    side.event(&strings);
    side.say(HERE, OTHER, "然后");
    until("both lines", || rig.tally_lines().len() >= 2).await;
    assert_eq!(rig.tally_lines(), ["投票对象：乙", "然后"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swapped_and_lost_events_are_put_right_by_sequence() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "一");
    until("the first line", || rig.tally_lines().len() == 1).await;
    let second = world.say(HERE, PLAYER, &text("二"));
    let third = world.say(HERE, OTHER, &text("三"));
    side.event(&third);
    side.event(&second);
    // Two are lost; the next one shows the hole.
    world.say(HERE, PLAYER, &text("四"));
    world.say(HERE, OTHER, &text("五"));
    side.say(HERE, PLAYER, "六");
    until("all lines", || rig.tally_lines().len() >= 6).await;
    assert_eq!(rig.tally_lines(), ["一", "二", "三", "四", "五", "六"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_missed_is_caught_up_on_without_doubles() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "在场");
    side.say(At::Private(PLAYER), PLAYER, "预言 1");
    until("live lines", || {
        rig.tally_lines().len() + rig.night_lines().len() == 2
    })
    .await;
    side.break_off().await;

    // More than a page of it, in the square, in private, and by somebody who never wrote before.
    let missed: Vec<String> = (0..50).map(|n| format!("缺席{n}")).collect();
    for line in &missed {
        world.say(HERE, OTHER, &text(line));
    }
    world.say(At::Private(PLAYER), PLAYER, &text("预言 2"));
    world.say(At::Private(OTHER), OTHER, &text("救药 甲"));
    world.say(At::Group(PACK), OTHER, &text("杀人 3"));
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "回来");
    until("the newest line", || {
        rig.tally_lines().last().is_some_and(|l| l == "回来")
    })
    .await;
    rig.caught_up().await;

    let mut expected = vec!["在场".to_owned()];
    expected.extend(missed);
    expected.push("回来".into());
    assert_eq!(rig.tally_lines(), expected);
    let mut night = rig.night_lines();
    night.sort();
    assert_eq!(night, ["救药 甲", "杀人 3", "预言 1", "预言 2"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_reads_on_where_it_stopped() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "一");
    until("the first line", || rig.tally_lines().len() == 1).await;
    let rig = rig.restart().await;
    world.say(HERE, PLAYER, &text("二"));
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "三");
    until("all lines", || rig.tally_lines().len() >= 3).await;
    assert_eq!(rig.tally_lines(), ["一", "二", "三"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_lost_while_catching_up_loses_nothing() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "一");
    until("the first line", || rig.tally_lines().len() == 1).await;
    side.break_off().await;
    world.say(HERE, PLAYER, &text("二"));
    world.book().histories_are_slow = Some(Duration::from_millis(200));
    let side = Side::connect(&rig.address, &world).await;
    // It comes before what was missed has been read, and then the connection is gone.
    side.say(HERE, PLAYER, "三");
    until("a look into history", || {
        !world.calls("get_group_msg_history").is_empty()
    })
    .await;
    side.break_off().await;
    world.book().histories_are_slow = None;
    let _side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    until("all lines", || rig.tally_lines().len() >= 3).await;
    assert_eq!(rig.tally_lines(), ["一", "二", "三"]);
}

/// Somebody whom nobody knows writes while the account is away.
async fn a_stranger_signs_up_while_it_is_away(recent_is_unknown: bool) {
    let rig = Rig::new().await.with_lobby().await;
    let world = World::default();
    world.book().recent_is_unknown = recent_is_unknown;
    world.book().friends = vec![PLAYER, 90, 99];
    world.say(At::Private(90), 90, &text("鸣潮一 报名 以前"));
    // Long ago, by somebody who did not write since.
    world.book().backdate(At::Private(90), 3600);
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "在场");
    until("the live line", || rig.tally_lines() == ["在场"]).await;
    let rig = rig.restart().await;

    world.say(At::Private(99), 99, &text("鸣潮一 报名 己"));
    world.say(HERE, PLAYER, &text("缺席"));
    world.book().histories_are_slow = Some(Duration::from_millis(100));
    let side = Side::connect(&rig.address, &world).await;
    // It comes while the square is read; then the connection is gone.
    side.say(At::Private(99), 99, "帮助");
    until("a look into history", || {
        world.calls("get_group_msg_history").len() > 1
    })
    .await;
    side.break_off().await;
    world.book().histories_are_slow = None;
    let side = Side::connect(&rig.address, &world).await;
    side.say(At::Private(99), 99, "鸣潮一 状态");
    until("the newest line", || {
        rig.night_lines().iter().any(|l| l == "状态")
    })
    .await;
    assert_eq!(rig.night_lines(), ["报名 己", "状态"]);
    until("the square", || rig.tally_lines() == ["在场", "缺席"]).await;

    // Nothing of it comes again.
    let rig = rig.restart().await;
    let _side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    assert_eq!(rig.night_lines(), ["报名 己", "状态"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_strangers_missed_sign_up_is_found_among_recent_chats() {
    a_stranger_signs_up_while_it_is_away(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_strangers_missed_sign_up_is_found_among_friends() {
    a_stranger_signs_up_while_it_is_away(true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_opened_while_it_is_away_is_opened_when_it_is_back() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let elsewhere = |group, line: &str| world.say(At::Group(group), DIRECTOR, &text(line));
    elsewhere(900, "开局 m158");
    world.book().backdate(At::Group(900), 3600);
    let side = Side::connect(&rig.address, &world).await;
    side.say(HERE, PLAYER, "在场");
    until("the live line", || rig.tally_lines() == ["在场"]).await;
    let rig = rig.restart().await;
    elsewhere(900, "大家好");
    elsewhere(901, "开局 m158 日历=quick");
    elsewhere(901, "有人吗");
    let side = Side::connect(&rig.address, &world).await;
    until("the new game", || {
        rig.opened() == [(ChatGroup(901), "m158 日历=quick".to_owned())]
    })
    .await;
    side.break_off().await;
    let _side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    assert_eq!(rig.opened().len(), 1);
}

/// A private message in the form of a temporary session.
fn temporary(event: &Value, extra: &Value) -> Value {
    let mut event = event.clone();
    event["sub_type"] = "group".into();
    for (name, value) in extra.as_object().expect("fields") {
        event[name] = value.clone();
    }
    event
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn temporary_sessions_are_private_and_answered_in_private() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    let forms = [
        json!({"group_id": SQUARE, "temp_source": 0}),
        json!({"group_id": 284_840_486}),
        json!({"sender": {"user_id": PLAYER, "nickname": "n", "group_id": SQUARE}}),
        json!({}),
    ];
    for (n, extra) in forms.iter().enumerate() {
        let event = world.say(At::Private(PLAYER), PLAYER, &text(&format!("预言 {n}")));
        side.event(&temporary(&event, extra));
    }
    until("four private lines", || rig.night_lines().len() == 4).await;
    assert_eq!(rig.tally_lines(), [] as [&str; 0]);
    // A stranger's temporary message is answered in private, whatever group it names.
    let event = world.say(At::Private(99), 99, &text("你好"));
    side.event(&temporary(&event, &json!({"group_id": SQUARE})));
    until("the hint", || !world.own_texts(At::Private(99)).is_empty()).await;
    assert!(world.own_texts(HERE).is_empty());
    let sends = world.calls("send_private_msg");
    assert!(
        sends.iter().all(|params| params.get("group_id").is_none()),
        "{sends:?}"
    );
    assert!(world.calls("send_msg").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_messages_are_never_commands() {
    let rig = Rig::new().await.with_game().await;
    let side = Side::connect(&rig.address, &World::default()).await;
    rig.caught_up().await;
    side.say(HERE, BOT, "投票对象：乙");
    side.say(HERE, PLAYER, "然后");
    until("the line", || !rig.tally_lines().is_empty()).await;
    assert_eq!(rig.tally_lines(), ["然后"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recalled_message_is_told_once() {
    let rig = Rig::new().await.with_game().await;
    let side = Side::connect(&rig.address, &World::default()).await;
    let said = side.say(HERE, PLAYER, "投票对象：乙");
    for operator in [PLAYER, BOT] {
        side.event(&json!({
            "post_type": "notice", "notice_type": "group_recall", "self_id": BOT, "time": now(),
            "group_id": SQUARE, "user_id": PLAYER, "operator_id": operator,
            "message_id": said["message_id"]
        }));
    }
    side.say(HERE, PLAYER, "然后");
    until("all", || rig.tally().len() >= 3).await;
    let recalls = rig
        .tally()
        .into_iter()
        .filter(|b| matches!(b, ToTally::Recalled { .. }));
    assert_eq!(recalls.count(), 1);
    assert_eq!(rig.tally_lines(), ["投票对象：乙", "然后"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn join_requests_are_told_once_by_event_or_list() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    world.book().requests = vec![
        json!({"request_id": "f1", "requester_uin": 50, "group_id": PACK, "checked": false}),
        json!({"request_id": "f2", "requester_uin": 51, "group_id": PACK, "checked": true}),
        json!({"request_id": "f3", "requester_uin": 52, "group_id": 999, "checked": false}),
    ];
    world.book().members.insert(PACK, vec![BOT, PLAYER]);
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    for (user, flag) in [(50, "f1"), (53, "20000001|1786000023000000|7|0")] {
        let request = json!({
            "post_type": "request", "request_type": "group", "sub_type": "add", "self_id": BOT,
            "time": now(), "group_id": PACK, "user_id": user, "flag": flag, "comment": null
        });
        side.event(&request);
        side.event(&request);
    }
    let joined = json!({
        "post_type": "notice", "notice_type": "group_increase", "sub_type": "invite",
        "self_id": BOT, "time": now(), "group_id": PACK, "user_id": 53, "operator_id": 0
    });
    side.event(&joined);
    side.event(&joined);
    side.event(&json!({
        "post_type": "notice", "notice_type": "group_decrease", "sub_type": "kick_me",
        "self_id": BOT, "time": now(), "group_id": PACK, "user_id": BOT, "operator_id": 9
    }));
    until("the last news", || {
        rig.pool_news()
            .iter()
            .any(|news| matches!(news, ToPublish::Standing { .. }))
    })
    .await;
    let asked = |user: u64, flag: &str| ToPublish::JoinRequest {
        group: ChatGroup(PACK),
        user: UserId(user),
        flag: flag.into(),
    };
    assert_eq!(
        rig.pool_news(),
        [
            asked(50, "f1"),
            ToPublish::Members {
                group: ChatGroup(PACK),
                users: vec![UserId(PLAYER)]
            },
            asked(53, "20000001|1786000023000000|7|0"),
            ToPublish::Joined {
                group: ChatGroup(PACK),
                user: UserId(53)
            },
            ToPublish::Standing {
                group: ChatGroup(PACK),
                trouble: Some(Refused::Removed)
            },
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watermarks_advance_while_caught_up_and_only_then() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    world.book().histories_are_slow = Some(Duration::from_millis(100));
    let side = Side::connect(&rig.address, &world).await;
    until("a look into history", || {
        !world.calls("get_group_msg_history").is_empty()
    })
    .await;
    assert_eq!(rig.watermark(), None, "not caught up yet");
    world.book().histories_are_slow = None;
    until("all shards", || rig.shards_told() == 16).await;
    let first = rig.watermark();
    until("a later one", || rig.watermark() > first).await;

    // A line that was there before a watermark has arrived before it.
    side.say(HERE, PLAYER, "一");
    let said = rig.parts().clock.now();
    until("a watermark past it", || {
        rig.watermark().is_some_and(|upto| upto > said)
    })
    .await;
    assert_eq!(rig.tally_lines(), ["一"]);

    side.break_off().await;
    let gone = rig.parts().clock.now();
    tokio::time::timeout(Duration::from_millis(150), async {
        until("a watermark without a connection", || {
            rig.watermark().is_some_and(|upto| upto > gone.plus_ms(50))
        })
        .await;
    })
    .await
    .expect_err("no connection, no watermark");
}
