//! What goes wrong on demand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod common;

use common::{DEADLINE, Stage, wait_for};
use serde_json::{Value, json};

const ANN: u64 = 102;
const BOB: u64 = 103;
const OTHER: u64 = 104;
const SQUARE: u64 = 5_000;
const POOL: u64 = 700_001;

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.person(ANN, "安", true).await;
    stage.person(BOB, "波", false).await;
    let square = json!({"id": SQUARE, "name": "广场", "members": [ANN, BOB], "door": "open"});
    stage.person(OTHER, "旁人", true).await;
    stage.api("/groups", square).await;
    stage.settle(OTHER).await;
    stage
}

/// Says each of these in the square; gives what arrives, up to the line `完`.
async fn arrives(stage: &Stage, texts: &[&str]) -> Vec<String> {
    for text in texts {
        stage.say(ANN, SQUARE, text).await;
    }
    stage.api("/faults", json!({"silent": false})).await;
    stage.say(ANN, SQUARE, "完").await;
    stage.ingest.heard("完").await;
    let events = stage.ingest.events();
    let messages = events
        .iter()
        .filter(|event| event["post_type"] == "message");
    messages
        .map(|event| event["raw_message"].as_str().unwrap().to_owned())
        .collect()
}

fn group_text(text: &str) -> Value {
    json!({"group_id": SQUARE, "message": text})
}

#[tokio::test(flavor = "multi_thread")]
async fn events_are_lost_doubled_and_swapped() {
    let stage = stage().await;
    stage
        .faults(json!({"lose_events": 1, "swap_events": 1, "duplicate_events": 1}))
        .await;
    let seen = arrives(&stage, &["失", "甲", "乙", "双"]).await;
    assert_eq!(seen, ["乙", "甲", "双", "双", "完"]);
    let history = stage
        .ingest
        .done("get_group_msg_history", json!({"group_id": SQUARE}))
        .await;
    assert_eq!(
        history["messages"].as_array().unwrap().len(),
        5,
        "history has what was lost"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_to_be_swapped_comes_late_but_comes() {
    let stage = stage().await;
    stage.faults(json!({"swap_events": 1})).await;
    stage.say(ANN, SQUARE, "独").await;
    stage.ingest.heard("独").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_side_only_beats() {
    let stage = stage().await;
    stage.faults(json!({"silent": true})).await;
    assert_eq!(arrives(&stage, &["听不见"]).await, ["完"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_quote_gets_lost() {
    let stage = stage().await;
    stage.faults(json!({"drop_reply": true})).await;
    let first = stage.say(ANN, SQUARE, "票").await;
    let body = json!({"scene": "group", "peer": SQUARE, "text": "改", "reply_to": first["seq"]});
    stage.api(&format!("/users/{ANN}/send"), body).await;
    stage.ingest.heard(&format!("[CQ:at,qq={ANN}] 改")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sends_have_three_outcomes() {
    let stage = stage().await;
    stage.faults(json!({"timeout_sends": 1})).await;
    let words = stage
        .ingest
        .refused("send_group_msg", group_text("到了"))
        .await;
    assert!(words.starts_with("Timeout"), "{words}");
    stage.faults(json!({"lose_sends": 1})).await;
    let words = stage
        .ingest
        .refused("send_group_msg", group_text("没到"))
        .await;
    assert!(words.starts_with("Timeout"), "{words}");
    stage
        .faults(json!({"refuse_sends": {"result": 120, "count": 1}}))
        .await;
    let words = stage
        .ingest
        .refused("send_group_msg", group_text("被拒"))
        .await;
    assert!(words.contains("\"result\": 120"), "{words}");
    stage
        .ingest
        .done("send_group_msg", group_text("正常"))
        .await;
    assert_eq!(stage.texts(ANN).await, ["到了", "正常"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_send_with_a_group_can_leak() {
    let stage = stage().await;
    let secret = json!({"user_id": ANN, "group_id": SQUARE, "message": "秘密"});
    stage.ingest.done("send_private_msg", secret.clone()).await;
    assert!(stage.texts(BOB).await.is_empty());
    let nobody = json!({"user_id": 424_242, "group_id": SQUARE, "message": "查无此人"});
    stage.ingest.done("send_private_msg", nobody).await;
    assert_eq!(
        stage.texts(BOB).await,
        ["查无此人"],
        "without a person it goes to the group"
    );
    stage.faults(json!({"private_leak": true})).await;
    stage.ingest.done("send_private_msg", secret.clone()).await;
    assert_eq!(stage.texts(BOB).await, ["查无此人", "秘密"]);
    stage
        .faults(json!({"private_leak": false, "send_msg_leak": true}))
        .await;
    let mut either = secret;
    either["message_type"] = "private".into();
    stage.ingest.done("send_msg", either).await;
    assert_eq!(stage.texts(BOB).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_may_mean_nothing() {
    let stage = stage().await;
    stage
        .faults(json!({"no_effect": {"set_group_add_request": 1, "set_group_kick": 1}}))
        .await;
    stage
        .api(&format!("/users/{ANN}/join"), json!({"group": POOL}))
        .await;
    let flag = stage.ingest.kind("group").await["flag"].clone();
    let approve = json!({"flag": flag, "approve": true});
    stage
        .ingest
        .done("set_group_add_request", approve.clone())
        .await;
    stage
        .ingest
        .done(
            "set_group_kick",
            json!({"group_id": SQUARE, "user_id": BOB}),
        )
        .await;
    assert!(
        stage
            .ingest
            .events()
            .iter()
            .all(|event| event["notice_type"] != "group_decrease")
    );
    stage.ingest.done("set_group_add_request", approve).await;
    stage.ingest.kind("group_increase").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_come_twice_never_or_without_data() {
    let stage = stage().await;
    stage.faults(json!({"answer_twice": 1})).await;
    let twice = stage.ingest.call_only("get_status", &json!({}));
    wait_for("two answers", DEADLINE, || async {
        (stage.ingest.answers(&twice).len() == 2).then_some(())
    })
    .await;
    stage.faults(json!({"answer_never": 1})).await;
    let never = stage
        .ingest
        .call_only("send_group_msg", &group_text("做了"));
    wait_for("the line", DEADLINE, || async {
        stage
            .texts(ANN)
            .await
            .contains(&"做了".to_owned())
            .then_some(())
    })
    .await;
    stage.faults(json!({"no_data": true})).await;
    assert_eq!(
        stage.ingest.call("get_status", json!({})).await.get("data"),
        None
    );
    stage.faults(json!({"no_data": false, "hung": true})).await;
    let hung = stage
        .ingest
        .call_only("send_group_msg", &group_text("没做"));
    stage.whisper(ANN, "标记").await;
    stage.ingest.heard("标记").await;
    stage.faults(json!({"hung": false})).await;
    stage
        .ingest
        .done("send_group_msg", group_text("又好了"))
        .await;
    assert!(stage.ingest.answers(&never).is_empty() && stage.ingest.answers(&hung).is_empty());
    assert_eq!(stage.texts(BOB).await, ["做了", "又好了"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_can_be_offline_on_an_open_socket() {
    let stage = stage().await;
    stage.faults(json!({"bot_offline": true})).await;
    stage.ingest.kind("bot_offline").await;
    assert_eq!(
        stage.ingest.done("get_status", json!({})).await["online"],
        false
    );
    let words = stage
        .ingest
        .refused("send_group_msg", group_text("喂"))
        .await;
    assert!(words.starts_with("Timeout"), "{words}");
    wait_for("an honest heartbeat", DEADLINE, || async {
        stage
            .ingest
            .heartbeats()
            .into_iter()
            .find(|beat| beat["status"]["online"] == false)
    })
    .await;
    stage.faults(json!({"bot_offline": false})).await;
    assert_eq!(arrives(&stage, &[]).await, ["完"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_connection_is_cut_and_comes_back_without_replay() {
    let stage = stage().await;
    stage.faults(json!({"disconnect_ms": 300})).await;
    wait_for("the cut", DEADLINE, || async {
        let reply = stage.ingest.connections();
        stage.say(ANN, SQUARE, "断线时").await;
        (reply > 1 || stage.ingest.events().len() < stage.texts(ANN).await.len()).then_some(())
    })
    .await;
    wait_for("a new connection", DEADLINE, || async {
        (stage.ingest.connections() == 2).then_some(())
    })
    .await;
    stage
        .ingest
        .event("a second beginning", |event| {
            event["meta_event_type"] == "lifecycle"
        })
        .await;
    let missed = stage.texts(ANN).await.len();
    let heard = stage
        .ingest
        .events()
        .iter()
        .filter(|e| e["post_type"] == "message")
        .count();
    assert!(heard < missed, "nothing is replayed");
    let history = stage
        .ingest
        .done(
            "get_group_msg_history",
            json!({"group_id": SQUARE, "count": 100}),
        )
        .await;
    assert_eq!(history["messages"].as_array().unwrap().len(), missed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_process_does_not_know_old_ids() {
    let stage = stage().await;
    let old = stage.say(ANN, SQUARE, "从前").await["message_id"].clone();
    stage
        .ingest
        .done("get_msg", json!({"message_id": old}))
        .await;
    stage.faults(json!({"restart": true})).await;
    wait_for("a new connection", DEADLINE, || async {
        (stage.ingest.connections() == 2).then_some(())
    })
    .await;
    stage
        .ingest
        .refused("get_msg", json!({"message_id": old}))
        .await;
    let quote = json!({"group_id": SQUARE, "message": [
        {"type": "reply", "data": {"id": old.to_string()}},
        {"type": "text", "data": {"text": "引用丢了"}},
    ]});
    stage.ingest.done("send_group_msg", quote).await;
    assert_eq!(stage.chats(ANN, 0).await[1]["reply_to"], Value::Null);
    stage
        .ingest
        .done("get_group_msg_history", json!({"group_id": SQUARE}))
        .await;
    stage
        .ingest
        .done("get_msg", json!({"message_id": old}))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_and_messages_take_odd_forms() {
    let stage = stage().await;
    stage
        .faults(json!({"ids": "text", "messages": "string"}))
        .await;
    stage.say(ANN, SQUARE, "[一]").await;
    let event = stage.ingest.heard("&#91;一&#93;").await;
    assert_eq!(event["user_id"], ANN.to_string());
    assert_eq!(event["message"], "&#91;一&#93;");
    assert_eq!(event["message_format"], "string");
    let id = event["message_id"].clone();
    assert!(id.is_string());
    stage
        .ingest
        .done("get_msg", json!({"message_id": id}))
        .await;
    stage
        .faults(json!({"ids": "negative", "messages": "array"}))
        .await;
    stage.say(ANN, SQUARE, "二").await;
    let id = stage.ingest.heard("二").await["message_id"].clone();
    assert!(id.as_i64().unwrap() < 0);
    let quote = json!({"group_id": SQUARE, "message": format!("[CQ:reply,id={id}]收到")});
    let own = stage.ingest.done("send_group_msg", quote).await;
    assert!(own["message_id"].as_i64().unwrap() < 0);
    let chats = stage.chats(BOB, 0).await;
    assert_eq!(chats[2]["reply_to"], chats[1]["seq"]);
    stage.faults(json!({"ids": "colliding"})).await;
    stage.say(ANN, SQUARE, "四").await;
    stage.whisper(ANN, "私一").await;
    assert_eq!(stage.ingest.heard("四").await["message_id"], 4);
    assert_eq!(stage.ingest.heard("私一").await["message_id"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_temporary_chat_names_its_group_in_four_ways() {
    let stage = stage().await;
    let mut seen = Vec::new();
    for (nth, style) in ["plain", "without", "placeholder", "nested"]
        .iter()
        .enumerate()
    {
        stage.faults(json!({"temporary": style})).await;
        stage.whisper(BOB, &nth.to_string()).await;
        let event = stage.ingest.heard(&nth.to_string()).await;
        assert_eq!(event["message_type"], "private");
        seen.push((
            event["group_id"].as_u64(),
            event["sender"]["group_id"].as_u64(),
        ));
    }
    assert_eq!(
        seen,
        [
            (Some(SQUARE), None),
            (None, None),
            (Some(284_840_486), None),
            (None, Some(SQUARE))
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn members_requests_recalls_and_own_messages_are_told_oddly() {
    let stage = stage().await;
    stage
        .faults(json!({
            "odd_members": true, "hidden_requests": true, "recall_twice": true, "own_messages": true,
        }))
        .await;
    let line = stage.say(ANN, SQUARE, "算了").await;
    stage
        .api(&format!("/users/{ANN}/recall"), json!({"seq": line["seq"]}))
        .await;
    stage
        .api(&format!("/users/{BOB}/leave"), json!({"group": SQUARE}))
        .await;
    stage
        .api(&format!("/users/{BOB}/join"), json!({"group": SQUARE}))
        .await;
    stage
        .api(&format!("/users/{ANN}/join"), json!({"group": POOL}))
        .await;
    stage
        .ingest
        .done("send_group_msg", group_text("我说的"))
        .await;
    let own = stage.ingest.heard("我说的").await;
    assert_eq!(
        (&own["post_type"], &own["message_sent_type"]),
        (&json!("message_sent"), &json!("self"))
    );
    let events = stage.ingest.events();
    let of = |kind: &str| {
        events
            .iter()
            .filter(|e| e["notice_type"] == kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(of("group_recall").len(), 2);
    assert_eq!(of("group_decrease")[0]["sub_type"], "kick");
    assert_eq!(of("group_increase")[0]["operator_id"], 0);
    assert!(events.iter().all(|event| event["post_type"] != "request"));
    let listed = stage.ingest.done("get_group_system_msg", json!({})).await;
    assert_eq!(listed["join_requests"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_faults_are_refused_with_words() {
    let stage = stage().await;
    for bad in [
        json!({"drop_replies": true}),
        json!([]),
        json!({"ids": "roman"}),
        json!({"lose_events": -1}),
    ] {
        let reply = stage.post("/playground/api/faults", bad.clone()).await;
        assert_eq!(
            (reply.status, &reply.body["error"]),
            (400, &json!("bad_request")),
            "{bad}"
        );
    }
    stage.faults(json!({"silent": true})).await;
    let url = stage.url("/playground/api/faults");
    let cleared: Value = stage
        .client()
        .delete(url)
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(cleared["silent"], false);
}
