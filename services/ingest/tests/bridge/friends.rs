//! Who becomes a friend.

use serde_json::{Value, json};

use crate::fake::{BOT, Side, World, now, until};
use crate::rig::{DIRECTOR, PLAYER, Rig};

fn asks(user: u64, flag: &str) -> Value {
    json!({
        "post_type": "request", "request_type": "friend", "self_id": BOT, "time": now(),
        "user_id": user, "comment": "", "flag": flag
    })
}

fn yes(flag: &str) -> Value {
    json!({"flag": flag, "approve": true})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn those_who_play_or_direct_become_friends_once() {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    side.event(&asks(99, "stranger"));
    side.event(&asks(PLAYER, "u_a|1"));
    side.event(&asks(PLAYER, "u_a|1"));
    side.event(&asks(DIRECTOR, "u_d|1"));
    let both = || world.calls("set_friend_add_request").len() == 2;
    until("both to be accepted", both).await;
    rig.caught_up().await;
    let calls = world.calls("set_friend_add_request");
    assert_eq!(calls, [yes("u_a|1"), yes("u_d|1")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_people_sign_up_everybody_becomes_a_friend() {
    let rig = Rig::new().await.with_lobby().await;
    let world = World::default();
    world.book().doubtful = vec![json!({"flag": "u_x", "uin": "98", "type": "doubt"})];
    let side = Side::connect(&rig.address, &world).await;
    side.event(&asks(99, "u_s|1"));
    until("the stranger to be accepted", || {
        world.calls("set_friend_add_request") == [yes("u_s|1")]
    })
    .await;
    until("the doubtful one, too", || {
        world.calls("set_doubt_friends_add_request") == [yes("u_x")]
    })
    .await;
}
