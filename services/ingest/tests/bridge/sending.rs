//! What is to be said is said once, in order, in the right place; and it is known what came of
//! it.

use protocol::{ChatGroup, PlatformAct, Refused, Scene, SendOutcome, ToPublish, UserId};
use serde_json::json;

use crate::fake::{At, Manner, Side, World, until};
use crate::rig::{PACK, PLAYER, Rig, SQUARE};

const ME: At = At::Private(PLAYER);
const HERE: At = At::Group(SQUARE);

fn private() -> Scene {
    Scene::Private(UserId(PLAYER))
}

fn square() -> Scene {
    Scene::Group(ChatGroup(SQUARE))
}

fn is_done(outcome: &SendOutcome) -> bool {
    matches!(outcome, SendOutcome::Done { message: Some(_) })
}

async fn rig_and_world() -> (Rig, World, Side) {
    let rig = Rig::new().await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    (rig, world, side)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sends_keep_their_order_in_each_scene() {
    let (mut rig, world, _side) = rig_and_world().await;
    for n in 0..10 {
        rig.send(&format!("p{n}"), private(), &format!("私{n}"))
            .await;
        rig.send(&format!("g{n}"), square(), &format!("公{n}"))
            .await;
    }
    for n in 0..10 {
        assert!(is_done(&rig.outcome_of(&format!("p{n}")).await));
        assert!(is_done(&rig.outcome_of(&format!("g{n}")).await));
    }
    let expected = |word: &str| (0..10).map(|n| format!("{word}{n}")).collect::<Vec<_>>();
    assert_eq!(world.own_texts(ME), expected("私"));
    assert_eq!(world.own_texts(HERE), expected("公"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn secrets_leave_in_private_sends_without_a_group() {
    let (mut rig, world, _side) = rig_and_world().await;
    let secret = "你是[CQ:at,qq=all]狼人";
    rig.send("k", private(), secret).await;
    assert!(is_done(&rig.outcome_of("k").await));
    assert_eq!(world.own_texts(ME), [secret]);
    assert!(world.own_texts(HERE).is_empty());
    let params = world.calls("send_private_msg");
    let message = json!([{"type": "text", "data": {"text": secret}}]);
    assert_eq!(params, [json!({"user_id": PLAYER, "message": message})]);
    assert!(world.calls("send_msg").is_empty() && world.calls("send_group_msg").is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_matched_by_echo_alone() {
    let (mut rig, world, _side) = rig_and_world().await;
    world.book().manners = vec![Manner::WrongEchoFirst];
    rig.send("k", private(), "收到").await;
    assert!(is_done(&rig.outcome_of("k").await));
    assert_eq!(world.own_texts(ME), ["收到"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivered_but_not_confirmed_is_found_in_history() {
    for manner in [Manner::DeliveredButTimeout, Manner::DeliveredInSilence] {
        let (mut rig, world, _side) = rig_and_world().await;
        // The same words were sent before; they are another send's.
        rig.send("k0", private(), "收到").await;
        rig.outcome_of("k0").await;
        world.book().manners = vec![manner.clone()];
        rig.send("k1", private(), "收到").await;
        let outcome = rig.outcome_of("k1").await;
        assert!(is_done(&outcome), "{manner:?}: {outcome:?}");
        assert_ne!(
            Some(outcome),
            rig.outcome("k0"),
            "each has a message of its own"
        );
        assert_eq!(world.own_texts(ME), ["收到", "收到"], "{manner:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_history_does_not_show_is_sent_again() {
    let (mut rig, world, _side) = rig_and_world().await;
    rig.send("k0", private(), "收到").await;
    rig.outcome_of("k0").await;
    world.book().manners = vec![Manner::LostAndTimeout];
    rig.send("k1", private(), "收到").await;
    assert!(is_done(&rig.outcome_of("k1").await));
    assert_eq!(world.own_texts(ME), ["收到", "收到"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_history_nobody_knows_and_nothing_is_repeated() {
    let (mut rig, world, _side) = rig_and_world().await;
    world.book().history_is_gone = true;
    for (name, scene, at) in [("g", square(), HERE), ("p", private(), ME)] {
        world.book().manners = vec![Manner::DeliveredButTimeout];
        rig.send(name, scene, "天黑了").await;
        let outcome = rig.outcome_of(name).await;
        assert!(
            matches!(outcome, SendOutcome::Unknown { .. }),
            "{outcome:?}"
        );
        assert_eq!(world.own_texts(at), ["天黑了"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_are_told_with_their_reason() {
    let (mut rig, world, _side) = rig_and_world().await;
    for (result, expected) in [
        (102, Refused::NotReachable),
        (16, Refused::NotReachable),
        (120_101_005, Refused::NoRight),
    ] {
        world.book().manners = vec![Manner::Refused(result)];
        let name = format!("k{result}");
        rig.send(&name, private(), "收到").await;
        match rig.outcome_of(&name).await {
            SendOutcome::Refused { why, .. } => assert_eq!(why, expected),
            other => panic!("{other:?}"),
        }
    }
    assert!(world.own_texts(ME).is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_muted_group_is_not_hammered() {
    let (mut rig, world, _side) = rig_and_world().await;
    world.book().manners = vec![Manner::Refused(120)];
    rig.send("k1", square(), "一").await;
    let refused = rig.outcome_of("k1").await;
    assert!(
        matches!(
            refused,
            SendOutcome::Refused {
                why: Refused::Muted,
                ..
            }
        ),
        "{refused:?}"
    );
    rig.send("k2", square(), "二").await;
    rig.send("p", private(), "私").await;
    assert!(
        is_done(&rig.outcome_of("p").await),
        "others are not held up"
    );
    assert!(is_done(&rig.outcome_of("k2").await));
    let times = world.call_times("send_group_msg");
    assert_eq!(times.len(), 2);
    assert!(times[1] - times[0] >= rig.muted(), "after a pause");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sends_wait_for_a_connection() {
    let mut rig = Rig::new().await.with_game().await;
    rig.send("k", private(), "收到").await;
    assert_eq!(rig.outcome("k"), None);
    let world = World::default();
    let _side = Side::connect(&rig.address, &world).await;
    assert!(is_done(&rig.outcome_of("k").await));
    assert_eq!(world.own_texts(ME), ["收到"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_send_and_outcome_does_not_send_twice() {
    let (mut rig, world, _side) = rig_and_world().await;
    rig.send("k0", private(), "收到").await;
    rig.outcome_of("k0").await;
    // Delivered, and the process is gone before it hears of it; the next one was not tried.
    world.book().manners = vec![Manner::DeliveredInSilence];
    rig.send("k1", private(), "收到").await;
    rig.send("k2", private(), "收到").await;
    until("the send", || world.own_texts(ME).len() == 2).await;
    let rig = rig.restart().await;
    let _side = Side::connect(&rig.address, &world).await;
    let outcomes = [rig.outcome_of("k1").await, rig.outcome_of("k2").await];
    assert!(outcomes.iter().all(is_done), "{outcomes:?}");
    assert_eq!(world.own_texts(ME), ["收到", "收到", "收到"]);
    assert_eq!(rig.outcomes("k1").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_lost_in_the_middle_of_a_send_does_not_send_twice() {
    let (mut rig, world, side) = rig_and_world().await;
    world.book().manners = vec![Manner::DeliveredInSilence];
    rig.send("k", square(), "天黑了").await;
    until("the send", || world.own_texts(HERE).len() == 1).await;
    side.break_off().await;
    let _side = Side::connect(&rig.address, &world).await;
    assert!(is_done(&rig.outcome_of("k").await));
    assert_eq!(world.own_texts(HERE), ["天黑了"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acts_are_done_and_answered() {
    let (mut rig, world, _side) = rig_and_world().await;
    let (group, user) = (ChatGroup(PACK), UserId(PLAYER));
    rig.act(
        "card",
        PlatformAct::Card {
            group,
            user,
            card: "1号 座0".into(),
        },
    )
    .await;
    assert_eq!(
        rig.outcome_of("card").await,
        SendOutcome::Done { message: None }
    );
    let card = json!({"group_id": PACK, "user_id": PLAYER, "card": "1号 座0"});
    assert_eq!(world.calls("set_group_card"), [card]);
    let answer = PlatformAct::Answer {
        group,
        user,
        flag: "f|1".into(),
        approve: false,
        reason: "不在名单".into(),
    };
    rig.act("answer", answer).await;
    let outcome = rig.outcome_of("answer").await;
    assert!(matches!(
        outcome,
        SendOutcome::Refused {
            why: Refused::StaleRequest,
            ..
        }
    ));
    let params = &world.calls("set_group_add_request")[0];
    assert_eq!(
        (&params["flag"], &params["approve"]),
        (&json!("f|1"), &json!(false))
    );
    rig.act(
        "rename",
        PlatformAct::Rename {
            group,
            name: "狼群".into(),
        },
    )
    .await;
    let outcome = rig.outcome_of("rename").await;
    assert!(matches!(
        outcome,
        SendOutcome::Refused {
            why: Refused::Unsupported,
            ..
        }
    ));
    world
        .book()
        .members
        .insert(PACK, vec![crate::fake::BOT, 50, 51]);
    rig.act("list", PlatformAct::ListMembers { group }).await;
    assert_eq!(
        rig.outcome_of("list").await,
        SendOutcome::Done { message: None }
    );
    let members = ToPublish::Members {
        group,
        users: vec![UserId(50), UserId(51)],
    };
    assert!(rig.pool_news().contains(&members));
}
