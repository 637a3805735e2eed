//! Who is let in, and how connections end.

use futures::{SinkExt, StreamExt};
use ingest::{OwnAccount, People};
use kit::config::Secret;
use protocol::{AccountId, UserId};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{accept_async, connect_async, tungstenite};

use crate::fake::{At, Side, World, until};
use crate::rig::{PLAYER, Rig, SQUARE, settings};

/// The status with which a connection is refused; `None` when it is let in.
async fn refused(address: &str, path: &str, headers: &[(&'static str, &str)]) -> Option<u16> {
    let mut request = format!("ws://{address}{path}")
        .into_client_request()
        .expect("an address");
    for (name, value) in headers {
        request
            .headers_mut()
            .insert(*name, value.parse().expect("a header"));
    }
    match connect_async(request).await {
        Ok(_) => None,
        Err(tungstenite::Error::Http(response)) => Some(response.status().as_u16()),
        Err(other) => panic!("neither let in nor refused: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_sides_with_the_token_are_let_in() {
    let rig = Rig::new().await;
    let path = "/onebot/v11/ws";
    let me = ("X-Self-ID", "10");
    let bearer = |token: &'static str| ("Authorization", token);
    for (path, headers, status) in [
        (path, vec![me], Some(401)),
        (path, vec![me, bearer("Bearer ")], Some(401)),
        (path, vec![me, bearer("Bearer wrong")], Some(403)),
        (path, vec![me, bearer("Bearer secre")], Some(403)),
        ("/onebot/v11/ws?access_token=wrong", vec![me], Some(403)),
        (path, vec![bearer("Bearer secret")], Some(400)),
        (
            path,
            vec![("X-Self-ID", "x"), bearer("Bearer secret")],
            Some(400),
        ),
        (path, vec![me, bearer("Bearer secret")], None),
        ("/onebot/v11/ws/", vec![me, bearer("bearer secret")], None),
        ("/onebot/v11/ws?access_token=secret", vec![me], None),
        (
            path,
            vec![me, bearer("Bearer secret"), ("X-Client-Role", "EVENT")],
            None,
        ),
    ] {
        assert_eq!(
            refused(&rig.address, path, &headers).await,
            status,
            "{path} {headers:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accounts_are_opened_by_their_own_token_only() {
    let mut settings = settings();
    let people = People {
        directors: vec![UserId(5)],
        pool: Vec::new(),
    };
    let own = OwnAccount {
        dice: None,
        token: Secret::new("own"),
        people,
    };
    settings.accounts.insert(AccountId(77), own);
    let rig = Rig::with(settings).await;
    let path = "/onebot/v11/ws";
    for (account, token, status) in [
        ("77", "Bearer own", None),
        ("77", "Bearer secret", Some(403)),
        ("10", "Bearer own", Some(403)),
        ("10", "Bearer secret", None),
    ] {
        let headers = [("X-Self-ID", account), ("Authorization", token)];
        assert_eq!(
            refused(&rig.address, path, &headers).await,
            status,
            "{account} {token}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_configured_token_nobody_is_let_in() {
    let mut settings = settings();
    settings.access_token = None;
    let rig = Rig::with(settings).await;
    let headers = [("X-Self-ID", "10"), ("Authorization", "Bearer secret")];
    assert_eq!(
        refused(&rig.address, "/onebot/v11/ws", &headers).await,
        Some(403)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_connection_replaces_the_old_one() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let old = Side::connect(&rig.address, &world).await;
    old.say(At::Group(SQUARE), PLAYER, "一");
    until("the first line", || rig.tally_lines() == ["一"]).await;
    let new = Side::connect(&rig.address, &world).await;
    assert_eq!(old.ended().await, Some(1008));
    new.say(At::Group(SQUARE), PLAYER, "二");
    until("the second line", || rig.tally_lines() == ["一", "二"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn separate_connections_for_calls_and_events_do_too() {
    let mut rig = Rig::new().await.with_game().await;
    let world = World::default();
    let _api = Side::connect_as(&rig.address, &world, "api").await;
    let events = Side::connect_as(&rig.address, &world, "Event").await;
    events.say(At::Group(SQUARE), PLAYER, "一");
    until("the line", || rig.tally_lines() == ["一"]).await;
    rig.send("k", protocol::Scene::Private(UserId(PLAYER)), "收到")
        .await;
    rig.outcome_of("k").await;
    assert_eq!(world.own_texts(At::Private(PLAYER)), ["收到"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn malformed_frames_are_ignored() {
    let rig = Rig::new().await.with_game().await;
    let side = Side::connect(&rig.address, &World::default()).await;
    for frame in [
        "",
        "{",
        "null",
        "[]",
        "7",
        "{\"post_type\":7}",
        "{\"post_type\":\"message\"}",
        "😀",
    ] {
        side.raw(frame);
    }
    side.raw("[".repeat(100_000));
    side.event(&json!({"post_type": "message", "message_type": "group", "message": {"a": 1}}));
    side.event(&json!({"status": "ok", "retcode": "x", "echo": 5}));
    side.say(At::Group(SQUARE), PLAYER, "还在");
    until("the line", || rig.tally_lines() == ["还在"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_giant_frame_ends_its_connection_and_nothing_else() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    side.raw("x".repeat(300 * 1024));
    side.ended().await;
    let side = Side::connect(&rig.address, &world).await;
    side.say(At::Group(SQUARE), PLAYER, &"长".repeat(10_000));
    until("the long line", || {
        rig.tally_lines()
            .iter()
            .any(|l| l.chars().count() == 10_000)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_forward_side_that_refuses_late_is_not_taken_for_connected() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings();
    settings.forward = vec![format!("ws://{}", listener.local_addr().unwrap())];
    let rig = Rig::with(settings).await.with_game().await;

    // It accepts, then says that the token is wrong, and closes.
    let (stream, _) = listener.accept().await.unwrap();
    let mut socket = accept_async(stream).await.unwrap();
    let refusal = json!({
        "status": "failed", "retcode": 1403, "data": null, "message": "token验证失败", "echo": null
    });
    socket
        .send(Message::text(refusal.to_string()))
        .await
        .unwrap();
    while let Some(Ok(_)) = socket.next().await {}
    assert_eq!(rig.watermark(), None);

    // It is tried again; this time all is well, and again after it has been lost.
    let world = World::default();
    for n in 1..=2 {
        let (stream, _) = listener.accept().await.unwrap();
        let side = Side::over(accept_async(stream).await.unwrap(), &world);
        side.say(At::Group(SQUARE), PLAYER, &format!("第{n}句"));
        until("the line", || rig.tally_lines().len() == n).await;
        side.break_off().await;
    }
    assert_eq!(rig.tally_lines(), ["第1句", "第2句"]);
}
