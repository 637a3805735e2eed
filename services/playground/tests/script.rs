//! The interface for scripts: order, waiting, durability, and what makes no sense.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod common;

use std::collections::BTreeSet;
use std::time::Duration;

use common::{DEADLINE, Stage};
use serde_json::{Value, json};

const OWNER: u64 = 101;
const ANN: u64 = 102;
const BOB: u64 = 103;
const SQUARE: u64 = 5_000;

async fn stage() -> Stage {
    let stage = Stage::new().await;
    for (id, name) in [(OWNER, "导演"), (ANN, "安"), (BOB, "波")] {
        stage.person(id, name, true).await;
    }
    let square =
        json!({"id": SQUARE, "name": "广场", "owner": OWNER, "bot": "admin", "members": [ANN]});
    stage.api("/groups", square).await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_loses_nothing_and_repeats_nothing() {
    let stage = stage().await;
    let mut last = 0;
    let mut sent = Vec::new();
    for nth in 0..30 {
        let line = stage.say(ANN, SQUARE, &format!("第{nth}句")).await;
        assert!(line["seq"].as_u64().unwrap() > last);
        last = line["seq"].as_u64().unwrap();
        sent.push(line);
    }
    let before = stage.chats(OWNER, 0).await;
    let stage = stage.restart().await;
    assert_eq!(stage.chats(OWNER, 0).await, before);
    let body = json!({
        "scene": "group", "peer": SQUARE, "text": "接着说", "reply_to": sent[3]["message_id"],
    });
    let next = stage.api(&format!("/users/{ANN}/send"), body).await;
    assert!(
        next["seq"].as_u64().unwrap() > last,
        "places are never given twice"
    );
    assert_eq!(next["real_seq"], 31);
    let event = stage
        .ingest
        .event("the line", |event| event["real_seq"] == "31")
        .await;
    assert_eq!(
        event["message"][0]["data"]["id"],
        sent[3]["message_id"].to_string()
    );
    let got = stage
        .ingest
        .done("get_msg", json!({"message_id": sent[0]["message_id"]}))
        .await;
    assert_eq!(got["raw_message"], "第0句");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_who_goes_on_from_next_misses_nothing() {
    const GROUPS: u64 = 4;
    const EACH: u64 = 25;
    let stage = stage().await;
    for nth in 0..GROUPS {
        let group = json!({"id": 6_000 + nth, "name": "群", "owner": ANN, "members": [BOB]});
        stage.api("/groups", group).await;
    }
    let reading = async {
        let (mut after, mut seen) = (0, Vec::new());
        while seen.len() < usize::try_from(GROUPS * EACH).unwrap() {
            let path =
                format!("/playground/api/users/{BOB}/chats?after={after}&wait_ms=20000&limit=7");
            let page = stage.get(&path).await.body;
            let chats = page["chats"].as_array().unwrap().clone();
            assert!(!chats.is_empty(), "nothing came for too long");
            seen.extend(chats.iter().map(|line| line["seq"].as_u64().unwrap()));
            after = page["next"].as_u64().unwrap();
        }
        seen
    };
    let writing = futures::future::join_all((0..GROUPS).map(|nth| {
        let stage = &stage;
        async move {
            for line in 0..EACH {
                stage.say(ANN, 6_000 + nth, &line.to_string()).await;
            }
        }
    }));
    let (seen, _) = tokio::join!(reading, writing);
    assert!(seen.is_sorted(), "{seen:?}");
    assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), seen.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn newcomers_see_only_what_comes_after_them() {
    let stage = stage().await;
    stage.say(ANN, SQUARE, "从前").await;
    let asked = stage
        .api(&format!("/users/{BOB}/join"), json!({"group": SQUARE}))
        .await;
    assert_eq!(asked["state"], "asked");
    let group = stage
        .get(&format!("/playground/api/groups/{SQUARE}"))
        .await
        .body;
    let answer =
        json!({"by": OWNER, "do": "answer", "flag": group["requests"][0]["flag"], "approve": true});
    stage.api(&format!("/groups/{SQUARE}/do"), answer).await;
    stage.say(ANN, SQUARE, "如今").await;
    stage.whisper(ANN, "悄悄话").await;
    assert_eq!(stage.texts(BOB).await, ["如今"]);
    stage
        .api(&format!("/users/{BOB}/leave"), json!({"group": SQUARE}))
        .await;
    stage.say(ANN, SQUARE, "以后").await;
    assert_eq!(stage.texts(BOB).await, ["如今"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_ends_with_a_line_or_with_patience() {
    let stage = stage().await;
    let empty = stage
        .get(&format!("/playground/api/users/{ANN}/chats?wait_ms=30"))
        .await
        .body;
    assert_eq!(empty["chats"], json!([]));
    let path = format!(
        "/playground/api/users/{ANN}/chats?after={}&wait_ms=20000",
        empty["next"]
    );
    let (page, _) = tokio::join!(stage.get(&path), stage.say(OWNER, SQUARE, "来了"));
    assert_eq!(page.body["chats"][0]["text"], "来了");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_tells_lines_and_changes() {
    let stage = stage().await;
    let first = stage.say(ANN, SQUARE, "一").await;
    let url = stage.url(&format!("/playground/api/users/{ANN}/stream"));
    let mut response = stage.client().get(&url).send().await.unwrap();
    assert_eq!(
        response.headers()["content-type"],
        "text/event-stream; charset=utf-8"
    );
    let mut heard = String::new();
    let mut until = async |what: &str| {
        tokio::time::timeout(DEADLINE, async {
            while !heard.contains(what) {
                let chunk = response.chunk().await.unwrap().expect("the stream goes on");
                heard.push_str(std::str::from_utf8(&chunk).unwrap());
            }
        })
        .await
        .unwrap_or_else(|_| panic!("no {what} in {heard}"));
    };
    until("\"text\":\"一\"").await;
    stage.say(OWNER, SQUARE, "二").await;
    until("\"text\":\"二\"").await;
    stage
        .api(
            &format!("/users/{ANN}/recall"),
            json!({"seq": first["seq"]}),
        )
        .await;
    until("\"recalled\":true").await;
    let rename = json!({"by": OWNER, "do": "rename", "name": "新广场"});
    stage.api(&format!("/groups/{SQUARE}/do"), rename).await;
    until("event: changed").await;
    let line = &stage.chats(ANN, 0).await[0];
    assert_eq!(
        (&line["recalled"], &line["text"]),
        (&json!(true), &json!(""))
    );
    let again = stage
        .client()
        .get(&url)
        .header("last-event-id", first["seq"].to_string());
    let mut response = again.send().await.unwrap();
    let mut resumed = String::new();
    tokio::time::timeout(DEADLINE, async {
        while !resumed.contains("二") {
            resumed.push_str(&String::from_utf8_lossy(
                &response.chunk().await.unwrap().unwrap(),
            ));
        }
    })
    .await
    .unwrap();
    assert!(
        !resumed.contains("一"),
        "a browser that comes back goes on where it was"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_refused_in_words() {
    let stage = stage().await;
    let send = |user: &str| format!("/playground/api/users/{user}/send");
    let hello = json!({"scene": "group", "peer": SQUARE, "text": "hi"});
    let with = |name: &str, value: Value| {
        let mut body = hello.clone();
        body[name] = value;
        body
    };
    let table: Vec<(String, Value, u16, &str)> = vec![
        (send("424242"), hello.clone(), 404, "no_such_user"),
        (send("9000"), hello.clone(), 403, "bot_itself"),
        (send("x"), hello.clone(), 400, "bad_request"),
        (send("-1"), hello.clone(), 400, "bad_request"),
        (send("102"), with("peer", json!(1)), 404, "no_such_group"),
        (send("103"), hello.clone(), 403, "not_a_member"),
        (send("102"), with("peer", json!(null)), 400, "bad_request"),
        (send("102"), with("peer", json!(-5)), 400, "bad_request"),
        (
            send("102"),
            with("scene", json!("square")),
            400,
            "bad_request",
        ),
        (send("102"), with("text", json!("")), 400, "empty"),
        (send("102"), with("text", json!(7)), 400, "bad_request"),
        (
            send("102"),
            with("text", json!("长".repeat(20_001))),
            400,
            "too_long",
        ),
        (
            send("102"),
            with("reply_to", json!(99)),
            404,
            "no_such_message",
        ),
        (
            send("102"),
            json!({"scene": "private", "peer": 103, "text": "hi"}),
            400,
            "bad_request",
        ),
        (send("102"), json!([]), 400, "bad_request"),
        (
            "/playground/api/users".into(),
            json!({"id": 9000, "nickname": "x"}),
            403,
            "bot_itself",
        ),
        (
            "/playground/api/users".into(),
            json!({"nickname": ""}),
            400,
            "empty",
        ),
        (
            "/playground/api/groups".into(),
            json!({"id": SQUARE, "name": "x"}),
            409,
            "group_taken",
        ),
        (
            "/playground/api/groups".into(),
            json!({"name": "x", "members": [424_242]}),
            404,
            "no_such_user",
        ),
        (
            "/playground/api/users/102/join".into(),
            json!({"group": SQUARE}),
            409,
            "already_in",
        ),
        (
            "/playground/api/users/102/join".into(),
            json!({"group": 1}),
            404,
            "no_such_group",
        ),
        (
            "/playground/api/users/103/leave".into(),
            json!({"group": SQUARE}),
            403,
            "not_a_member",
        ),
        (
            "/playground/api/users/101/leave".into(),
            json!({"group": SQUARE}),
            403,
            "owner_stays",
        ),
        (
            "/playground/api/users/102/recall".into(),
            json!({"seq": 1}),
            404,
            "no_such_message",
        ),
        (
            "/playground/api/users/102/recall".into(),
            json!({}),
            400,
            "bad_request",
        ),
        (
            format!("/playground/api/groups/{SQUARE}/do"),
            json!({"by": ANN, "do": "rename", "name": "x"}),
            403,
            "no_right",
        ),
        (
            format!("/playground/api/groups/{SQUARE}/do"),
            json!({"by": ANN, "do": "dance"}),
            400,
            "bad_request",
        ),
        (
            "/playground/api/table/next".into(),
            json!({}),
            404,
            "no_such_table",
        ),
        (
            "/playground/api/clock".into(),
            json!({"advance_ms": 5}),
            400,
            "bad_request",
        ),
        (
            "/playground/api/nowhere".into(),
            json!({}),
            404,
            "not_found",
        ),
    ];
    for (path, body, status, code) in table {
        let reply = stage.post(&path, body.clone()).await;
        assert_eq!(
            (reply.status, &reply.body["error"]),
            (status, &json!(code)),
            "{path} {body}: {}",
            reply.body
        );
        assert!(!reply.body["message"].as_str().unwrap().is_empty());
    }
    for (kind, body) in [
        ("application/json", b"{".to_vec()),
        ("application/json", vec![0xff, 0xfe]),
        ("text/plain", b"{}".to_vec()),
        ("application/json", vec![b' '; 600 * 1024]),
    ] {
        let reply = stage.post_raw("/playground/api/users", kind, body).await;
        assert_eq!(reply.status, 400, "{kind}: {}", reply.body);
    }
    for path in ["chats?after=x", "chats?after=-1", "chats?limit=x"] {
        let reply = stage
            .get(&format!("/playground/api/users/{ANN}/{path}"))
            .await;
        assert_eq!(reply.status, 400, "{path}: {}", reply.body);
    }
    assert_eq!(
        stage.get("/playground/api/users/5/stream").await.status,
        404
    );
    assert_eq!(stage.texts(ANN).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn long_and_odd_texts_pass_unchanged() {
    let stage = stage().await;
    for text in [
        "[CQ:at,qq=all]",
        "😀\u{200b}\u{202e}\0",
        "<script>alert(1)</script>",
        &"长".repeat(10_000),
    ] {
        stage.say(ANN, SQUARE, text).await;
        assert_eq!(
            stage.texts(OWNER).await.last().map(String::as_str),
            Some(text)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_sites_and_other_names_are_kept_out() {
    let stage = stage().await;
    let ask = async |path: &str, name: &'static str, value: &str| {
        let request = stage.client().get(stage.url(path)).header(name, value);
        request.send().await.unwrap().status().as_u16()
    };
    for path in ["/", "/playground/api/clock", "/playground/api/users"] {
        assert_eq!(ask(path, "host", "evil.example").await, 403, "{path}");
        assert_eq!(
            ask(path, "origin", "http://evil.example").await,
            403,
            "{path}"
        );
        assert_eq!(
            ask(path, "origin", &format!("http://{}", stage.http)).await,
            200,
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_people_come_at_once() {
    let stage = stage().await;
    let made = stage
        .api(
            "/users",
            json!({"users": [{"nickname": "甲"}, {"id": "555", "friend": false}, {}]}),
        )
        .await;
    let users = made["users"].as_array().unwrap();
    assert_eq!(users.len(), 3);
    assert_eq!(
        users[1],
        json!({"id": 555, "nickname": "用户555", "friend": false})
    );
    assert_ne!(users[0]["id"], users[2]["id"]);
    let clock = stage.get("/playground/api/clock").await.body;
    assert!(clock["now_ms"].as_i64().unwrap() / 1000 == clock["time"].as_i64().unwrap());
    tokio::time::timeout(Duration::from_secs(5), stage.say(ANN, SQUARE, "好"))
        .await
        .unwrap();
}
