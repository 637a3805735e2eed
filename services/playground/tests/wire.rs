//! The `OneBot` side, as a Duskgate at the other end of the wire sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod common;

use common::{DEADLINE, Stage, wait_for};
use serde_json::{Value, json};

const BOT: u64 = 9_000;
const OWNER: u64 = 101;
const ANN: u64 = 102;
const BOB: u64 = 103;
const SQUARE: u64 = 5_000;
const POOL: u64 = 700_001;

/// A square that Ann is in, and Bob, who is no friend of the bot.
async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.person(OWNER, "导演", true).await;
    stage.person(ANN, "安", true).await;
    stage.person(BOB, "波", false).await;
    let square = json!({
        "id": SQUARE, "name": "广场", "owner": OWNER, "bot": "admin", "members": [ANN, BOB],
    });
    stage.api("/groups", square).await;
    stage.settle(OWNER).await;
    stage
}

fn text(words: &str) -> Value {
    json!([{"type": "text", "data": {"text": words}}])
}

fn result(words: &str) -> Option<&str> {
    let (_, number) = words.split_once("\"result\": ")?;
    number.split(',').next()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connection_introduces_itself() {
    let stage = Stage::new().await;
    let ingest = &stage.ingest;
    assert_eq!(ingest.header("x-self-id").as_deref(), Some("9000"));
    assert_eq!(ingest.header("x-client-role").as_deref(), Some("Universal"));
    let first = ingest.events()[0].clone();
    assert_eq!(
        (&first["meta_event_type"], &first["sub_type"]),
        (&json!("lifecycle"), &json!("connect"))
    );
    wait_for("a heartbeat", DEADLINE, || async {
        ingest
            .heartbeats()
            .into_iter()
            .find(|beat| beat["status"]["online"] == true)
    })
    .await;
    let version = ingest.done("get_version_info", json!({})).await;
    assert_eq!(version["app_name"], "Duskgate Playground");
    assert_eq!(
        ingest.done("get_login_info", json!({})).await["user_id"],
        BOT
    );
    assert_eq!(ingest.done("get_status", json!({})).await["online"], true);
    assert_eq!(
        ingest.call("no_such_thing", json!({})).await["retcode"],
        1404
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn frames_that_make_no_sense_are_passed_over() {
    let stage = stage().await;
    for odd in [
        "",
        "{",
        "7",
        "[]",
        "{\"action\": 5}",
        "{\"status\": \"ok\"}",
        "{\"action\":\"\"}",
    ] {
        stage.ingest.send_raw(odd);
    }
    for (action, params) in [
        ("send_group_msg", json!({})),
        ("send_group_msg", json!({"group_id": "x", "message": "a"})),
        ("send_group_msg", json!({"group_id": SQUARE})),
        ("send_group_msg", json!({"group_id": SQUARE, "message": []})),
        (
            "send_group_msg",
            json!({"group_id": SQUARE, "message": [{"type": "at", "data": {"qq": "x"}}]}),
        ),
        ("send_private_msg", json!({"user_id": -1, "message": "a"})),
        (
            "send_private_msg",
            json!({"user_id": 424_242, "message": "a"}),
        ),
        ("get_msg", json!({})),
        ("get_msg", json!({"message_id": "zz"})),
        ("get_msg", json!({"message_id": 12})),
        ("delete_msg", json!({"message_id": 1_999_999_999})),
        ("get_group_msg_history", json!({"group_id": 1})),
        (
            "get_group_msg_history",
            json!({"group_id": SQUARE, "message_seq": "zz"}),
        ),
        (
            "get_group_member_info",
            json!({"group_id": SQUARE, "user_id": 424_242}),
        ),
        (
            "set_group_add_request",
            json!({"flag": "zz", "approve": true}),
        ),
        (
            "set_group_card",
            json!({"group_id": SQUARE, "user_id": 424_242, "card": "x"}),
        ),
        (
            "set_group_name",
            json!({"group_id": SQUARE, "group_name": ""}),
        ),
        (
            "set_group_ban",
            json!({"group_id": 1, "user_id": ANN, "duration": 5}),
        ),
        (
            "send_group_forward_msg",
            json!({"group_id": SQUARE, "messages": "zz"}),
        ),
        (
            "set_msg_emoji_like",
            json!({"message_id": 12, "emoji_id": "76"}),
        ),
    ] {
        stage.ingest.refused(action, params).await;
    }
    stage.say(ANN, SQUARE, "还在").await;
    stage.ingest.heard("还在").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_arrives_as_napcat_tells_it() {
    let stage = stage().await;
    let sent = stage.say(ANN, SQUARE, "早 [CQ:at,qq=all] &").await;
    let event = stage
        .ingest
        .event("the line", |event| event["user_id"] == ANN)
        .await;
    assert_eq!(event["post_type"], "message");
    assert_eq!(event["message_type"], "group");
    assert_eq!(event["group_id"], SQUARE);
    assert_eq!(event["message_id"], sent["message_id"]);
    assert_eq!(event["real_seq"], "1");
    assert_eq!(event["time"], sent["time"]);
    assert_eq!(event["message"], text("早 [CQ:at,qq=all] &"));
    assert_eq!(event["raw_message"], "早 &#91;CQ:at,qq=all&#93; &amp;");
    assert_eq!(
        event["sender"],
        json!({"user_id": ANN, "nickname": "安", "card": "", "role": "member"})
    );
    stage.whisper(ANN, "你好").await;
    let private = stage.ingest.heard("你好").await;
    assert_eq!(private["sub_type"], "friend");
    assert_eq!(private.get("group_id"), None);
    stage.whisper(BOB, "在吗").await;
    let temporary = stage.ingest.heard("在吗").await;
    assert_eq!(
        (&temporary["sub_type"], &temporary["group_id"]),
        (&json!("group"), &json!(SQUARE))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quote_comes_with_a_mention_and_a_blank() {
    let stage = stage().await;
    let first = stage.say(ANN, SQUARE, "投票对象：波").await;
    let body = json!({
        "scene": "group", "peer": SQUARE, "text": "改票对象：导演", "reply_to": first["seq"],
    });
    stage.api(&format!("/users/{ANN}/send"), body).await;
    let change = stage
        .ingest
        .event("the change", |event| event["real_seq"] == "2")
        .await;
    assert_eq!(
        change["message"],
        json!([
            {"type": "reply", "data": {"id": first["message_id"].to_string()}},
            {"type": "at", "data": {"qq": ANN.to_string()}},
            {"type": "text", "data": {"text": " 改票对象：导演"}},
        ])
    );
    stage.say(BOB, SQUARE, &format!("@{BOT} 帮助 @安")).await;
    let mention = stage
        .ingest
        .event("the mention", |event| event["real_seq"] == "3")
        .await;
    assert_eq!(
        mention["raw_message"],
        format!("[CQ:at,qq={BOT}] 帮助 [CQ:at,qq={ANN}]")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_bot_says_is_seen_by_those_who_may() {
    let stage = stage().await;
    let vote = stage.say(ANN, SQUARE, "投票").await;
    let receipt = json!({"group_id": SQUARE, "message": [
        {"type": "reply", "data": {"id": vote["message_id"].to_string()}},
        {"type": "at", "data": {"qq": ANN.to_string()}},
        {"type": "text", "data": {"text": "收到"}},
    ]});
    let sent = stage.ingest.done("send_group_msg", receipt).await;
    let line = stage.chats(BOB, 0).await.pop().unwrap();
    assert_eq!(line["text"], "@安 收到");
    assert_eq!(line["reply_to"], vote["seq"]);
    assert_eq!(line["message_id"], sent["message_id"]);
    assert_eq!((&line["from"], &line["own"]), (&json!(BOT), &json!(false)));
    assert_eq!(line["mentions"], json!([ANN]));
    let secret = json!({"user_id": ANN, "message": text("你是狼人")});
    stage.ingest.done("send_private_msg", secret).await;
    assert!(stage.texts(ANN).await.contains(&"你是狼人".to_owned()));
    assert!(!stage.texts(BOB).await.contains(&"你是狼人".to_owned()));
    let got = stage
        .ingest
        .done("get_msg", json!({"message_id": sent["message_id"]}))
        .await;
    assert_eq!(got["post_type"], "message_sent");
    assert_eq!(got["message_sent_type"], "self");
    stage
        .ingest
        .done(
            "set_msg_emoji_like",
            json!({"message_id": vote["message_id"], "emoji_id": "76"}),
        )
        .await;
    stage.ingest.kind("group_msg_emoji_like").await;
    assert_eq!(
        stage.chats(ANN, 0).await[0]["reactions"],
        json!([["76", 1]])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bot_reaches_friends_and_those_who_have_written() {
    let stage = stage().await;
    let to_bob = json!({"user_id": BOB, "message": text("嗨")});
    let refused = stage
        .ingest
        .refused("send_private_msg", to_bob.clone())
        .await;
    assert_eq!(result(&refused), Some("102"));
    stage
        .api(&format!("/users/{BOB}/leave"), json!({"group": SQUARE}))
        .await;
    let refused = stage
        .ingest
        .refused("send_private_msg", to_bob.clone())
        .await;
    assert_eq!(result(&refused), Some("16"));
    let private = json!({"scene": "private", "text": "在吗"});
    let reply = stage
        .post(&format!("/playground/api/users/{BOB}/send"), private)
        .await;
    assert_eq!(
        (reply.status, &reply.body["error"]),
        (403, &json!("not_reachable"))
    );
    stage.api(&format!("/users/{BOB}/friend"), json!({})).await;
    stage.ingest.kind("friend_add").await;
    stage.ingest.done("send_private_msg", to_bob).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_chat_lets_the_bot_answer() {
    let stage = stage().await;
    stage.whisper(BOB, "我来了").await;
    stage
        .ingest
        .done(
            "send_private_msg",
            json!({"user_id": BOB, "message": "欢迎"}),
        )
        .await;
    assert_eq!(stage.texts(BOB).await, ["我来了", "欢迎"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_muted_or_removed_bot_cannot_speak() {
    let stage = stage().await;
    let act = format!("/groups/{SQUARE}/do");
    let say = json!({"group_id": SQUARE, "message": text("大家好")});
    stage
        .api(
            &act,
            json!({"by": OWNER, "do": "mute", "user": BOT, "seconds": 600}),
        )
        .await;
    let ban = stage.ingest.kind("group_ban").await;
    assert_eq!(
        (&ban["user_id"], &ban["duration"]),
        (&json!(BOT), &json!(600))
    );
    let refused = stage.ingest.refused("send_group_msg", say.clone()).await;
    assert_eq!(result(&refused), Some("120"));
    stage
        .api(
            &act,
            json!({"by": OWNER, "do": "mute", "user": BOT, "seconds": 0}),
        )
        .await;
    stage.ingest.done("send_group_msg", say.clone()).await;
    stage
        .api(
            &act,
            json!({"by": OWNER, "do": "promote", "user": BOT, "admin": false}),
        )
        .await;
    stage.ingest.kind("group_admin").await;
    stage
        .api(&act, json!({"by": OWNER, "do": "mute_all", "on": true}))
        .await;
    let refused = stage.ingest.refused("send_group_msg", say.clone()).await;
    assert_eq!(result(&refused), Some("120"));
    let refused = stage
        .ingest
        .refused(
            "set_group_name",
            json!({"group_id": SQUARE, "group_name": "x"}),
        )
        .await;
    assert_eq!(refused, "ERR_NOT_GROUP_ADMIN");
    stage
        .api(&act, json!({"by": OWNER, "do": "kick", "user": BOT}))
        .await;
    let gone = stage.ingest.kind("group_decrease").await;
    assert_eq!(gone["sub_type"], "kick_me");
    let refused = stage.ingest.refused("send_group_msg", say).await;
    assert_eq!(result(&refused), Some("110"));
    stage.ingest.forget();
    let mute = json!({"by": OWNER, "do": "mute_all", "on": false});
    stage.api(&act, mute).await;
    stage.say(ANN, SQUARE, "它走了").await;
    stage.whisper(ANN, "标记").await;
    stage.ingest.heard("标记").await;
    assert_eq!(
        stage.ingest.events().len(),
        1,
        "the bot hears nothing of a group it is not in"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pool_group_is_run_by_the_bot() {
    let stage = stage().await;
    let ingest = &stage.ingest;
    let join = |user: u64| format!("/users/{user}/join");
    let asked = stage
        .api(&join(ANN), json!({"group": POOL, "comment": "我是安"}))
        .await;
    assert_eq!(asked["state"], "asked");
    let request = ingest.kind("group").await;
    assert_eq!(
        (&request["user_id"], &request["comment"]),
        (&json!(ANN), &json!("我是安"))
    );
    stage.api(&join(BOB), json!({"group": POOL})).await;
    let listed = ingest
        .done("get_group_system_msg", json!({"count": 10}))
        .await;
    let flag_of = |user: u64| {
        let list = listed["join_requests"].as_array().unwrap();
        list.iter().find(|r| r["requester_uin"] == user).unwrap()["request_id"].clone()
    };
    assert_eq!(flag_of(ANN), request["flag"]);
    ingest
        .done(
            "set_group_add_request",
            json!({"flag": flag_of(ANN), "approve": true}),
        )
        .await;
    let no = json!({"flag": flag_of(BOB), "approve": false, "reason": "不是你"});
    ingest.done("set_group_add_request", no.clone()).await;
    assert_eq!(
        ingest.refused("set_group_add_request", no).await,
        "No such request"
    );
    assert_eq!(ingest.kind("group_increase").await["user_id"], ANN);
    let bob = stage
        .get(&format!("/playground/api/users/{BOB}"))
        .await
        .body;
    assert_eq!(
        bob["requests"][0],
        json!({"group": POOL, "state": "refused", "reason": "不是你"})
    );
    ingest
        .done(
            "set_group_name",
            json!({"group_id": POOL, "group_name": "狼群"}),
        )
        .await;
    ingest
        .done(
            "set_group_card",
            json!({"group_id": POOL, "user_id": ANN, "card": "1号 安"}),
        )
        .await;
    let group = stage
        .get(&format!("/playground/api/groups/{POOL}"))
        .await
        .body;
    assert_eq!(group["name"], "狼群");
    assert_eq!(group["members"][0]["card"], "1号 安");
    let members = ingest
        .done("get_group_member_list", json!({"group_id": POOL}))
        .await;
    let roles: Vec<(u64, &str)> = members
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["user_id"].as_u64().unwrap(), m["role"].as_str().unwrap()))
        .collect();
    assert_eq!(roles, [(ANN, "member"), (BOT, "owner")]);
    ingest
        .done(
            "send_group_msg",
            json!({"group_id": POOL, "message": "暗号"}),
        )
        .await;
    ingest
        .done("set_group_kick", json!({"group_id": POOL, "user_id": ANN}))
        .await;
    assert_eq!(ingest.kind("group_decrease").await["sub_type"], "kick");
    ingest
        .done(
            "send_group_msg",
            json!({"group_id": POOL, "message": "下一局"}),
        )
        .await;
    assert_eq!(
        stage.texts(ANN).await,
        ["暗号"],
        "what came after is not for those who went"
    );
    assert!(stage.texts(BOB).await.is_empty());
    let reply = stage
        .post(
            &format!("/playground/api/users/{ANN}/send"),
            json!({"scene": "group", "peer": POOL, "text": "x"}),
        )
        .await;
    assert_eq!(
        (reply.status, &reply.body["error"]),
        (403, &json!("not_a_member"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn history_can_be_read_either_way() {
    let stage = stage().await;
    let mut numbers = Vec::new();
    for nth in 1..=6 {
        numbers.push(stage.say(ANN, SQUARE, &format!("第{nth}句")).await["message_id"].clone());
    }
    let read = async |params: Value| -> Vec<String> {
        let page = stage.ingest.done("get_group_msg_history", params).await;
        let list = page["messages"].as_array().unwrap().clone();
        list.iter()
            .map(|m| m["real_seq"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        read(json!({"group_id": SQUARE, "count": 2})).await,
        ["5", "6"]
    );
    let from = json!({"group_id": SQUARE, "count": 2, "message_seq": numbers[2]});
    assert_eq!(read(from).await, ["3", "4"]);
    let back = json!({
        "group_id": SQUARE.to_string(), "count": "2", "message_seq": numbers[2].to_string(),
        "reverse_order": true,
    });
    assert_eq!(read(back).await, ["3", "2"]);
    stage
        .api(
            &format!("/users/{ANN}/recall"),
            json!({"message_id": numbers[5]}),
        )
        .await;
    let recall = stage.ingest.kind("group_recall").await;
    assert_eq!(
        (&recall["message_id"], &recall["operator_id"]),
        (&numbers[5], &json!(ANN))
    );
    assert_eq!(read(json!({"group_id": SQUARE, "count": 2})).await, ["5"]);
    stage
        .ingest
        .refused("get_msg", json!({"message_id": numbers[5]}))
        .await;
    stage.whisper(ANN, "私下").await;
    let private = stage
        .ingest
        .done("get_friend_msg_history", json!({"user_id": ANN}))
        .await;
    assert_eq!(private["messages"][0]["raw_message"], "私下");
}

#[tokio::test(flavor = "multi_thread")]
async fn bundles_are_one_message() {
    let stage = stage().await;
    let first = stage.say(ANN, SQUARE, "原话").await;
    let nodes = json!([
        {"type": "node", "data": {"user_id": BOT, "nickname": "主持", "content": text("第一段")}},
        {"type": "node", "data": {"id": first["message_id"]}},
    ]);
    stage
        .ingest
        .done(
            "send_group_forward_msg",
            json!({"group_id": SQUARE, "messages": nodes}),
        )
        .await;
    assert_eq!(stage.texts(BOB).await, ["原话", "第一段\n原话"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_about_one_chat_keep_their_order() {
    let stage = stage().await;
    for nth in 0..40 {
        let params = json!({"group_id": SQUARE, "message": nth.to_string()});
        stage.ingest.call_only("send_group_msg", &params);
    }
    wait_for("all lines", DEADLINE, || async {
        (stage.chats(ANN, 0).await.len() == 40).then_some(())
    })
    .await;
    let expected: Vec<String> = (0..40).map(|nth| nth.to_string()).collect();
    assert_eq!(stage.texts(ANN).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn recent_chats_are_listed_newest_first() {
    let stage = stage().await;
    stage.whisper(ANN, "早").await;
    stage.say(BOB, SQUARE, "中").await;
    stage.whisper(OWNER, "晚").await;
    let listed = stage
        .ingest
        .done("get_recent_contact", json!({"count": 3}))
        .await;
    let read: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|chat| (chat["peerUin"].as_str().unwrap(), &chat["chatType"]))
        .collect();
    let (owner, square, ann) = (OWNER.to_string(), SQUARE.to_string(), ANN.to_string());
    let (private, group) = (json!(1), json!(2));
    let expected = [(&*owner, &private), (&*square, &group), (&*ann, &private)];
    assert_eq!(read, expected);
    assert!(
        listed[0]["msgTime"]
            .as_str()
            .unwrap()
            .parse::<i64>()
            .unwrap()
            > 1_500_000_000
    );
    let one = stage
        .ingest
        .done("get_recent_contact", json!({"count": "1"}))
        .await;
    assert_eq!(one.as_array().unwrap().len(), 1);
}
