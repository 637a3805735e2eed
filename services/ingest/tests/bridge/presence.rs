//! Is the account there, and does anything get lost while everything looks well?

use std::time::Duration;

use kit::testing::{DEADLINE, wait_for};
use serde_json::json;

use crate::fake::{At, BOT, Side, Status, World, text, until};
use crate::rig::{OTHER, PACK, PLAYER, Rig, SQUARE, settings};

/// What is wrong with the account.
async fn trouble(rig: &Rig) -> Option<String> {
    let report = rig.parts().health.report().await;
    report[&format!("chat {BOT}")].clone().err()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_that_is_put_offline_is_not_well_until_it_is_back() {
    let mut settings = settings();
    settings.limits.absence = Duration::ZERO;
    let rig = Rig::with(settings).await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    rig.caught_up().await;
    assert_eq!(trouble(&rig).await, None);
    side.event(&json!({
        "post_type": "notice", "notice_type": "bot_offline", "self_id": BOT, "user_id": BOT,
        "time": 1, "tag": "下线通知", "message": "已在另一台终端登录"
    }));
    wait_for("trouble", DEADLINE, || trouble(&rig)).await;
    let frozen = rig.watermark();
    // Said while the account is offline: it comes with no event.
    world.say(At::Group(SQUARE), PLAYER, &text("离线时说的"));
    side.event(&json!({
        "post_type": "meta_event", "meta_event_type": "heartbeat", "self_id": BOT, "time": 2,
        "status": {"online": true, "good": true}, "interval": 5000
    }));
    until("what was missed", || rig.tally_lines() == ["离线时说的"]).await;
    until("a new watermark", || rig.watermark() > frozen).await;
    assert_eq!(trouble(&rig).await, None);
    until("the director to be told", || !rig.troubles().is_empty()).await;
    assert_eq!(rig.troubles(), ["ingest/was-away"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_side_where_nothing_happens_is_asked_how_it_is() {
    let mut settings = settings();
    settings.limits.quiet = Duration::from_millis(60);
    settings.limits.absence = Duration::ZERO;
    let rig = Rig::with(settings).await.with_game().await;
    let world = World::default();
    world.book().status = Status::Online;
    let side = Side::connect(&rig.address, &world).await;
    side.say(At::Group(SQUARE), PLAYER, "在场");
    until("the side to be asked", || {
        world.calls("get_status").len() > 1
    })
    .await;
    assert_eq!(trouble(&rig).await, None);
    world.book().status = Status::Offline;
    wait_for("trouble", DEADLINE, || trouble(&rig)).await;
    world.say(At::Group(SQUARE), PLAYER, &text("离线时说的"));
    assert_eq!(rig.troubles(), [] as [&str; 0]);
    world.book().status = Status::Online;
    until("what was missed", || {
        rig.tally_lines() == ["在场", "离线时说的"]
    })
    .await;
    until("the director to be told", || {
        rig.troubles() == ["ingest/was-away"]
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_side_that_does_not_answer_is_cut_off() {
    let mut settings = settings();
    settings.limits.quiet = Duration::from_millis(20);
    settings.limits.call = Duration::from_millis(100);
    let rig = Rig::with(settings).await.with_game().await;
    let world = World::default();
    world.book().status = Status::Silent;
    let side = Side::connect(&rig.address, &world).await;
    assert_eq!(side.ended().await, Some(1011));
    assert!(world.calls("get_status").len() >= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_side_that_cannot_be_asked_is_left_alone() {
    let mut settings = settings();
    settings.limits.quiet = Duration::from_millis(20);
    let rig = Rig::with(settings).await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    until("a question", || !world.calls("get_status").is_empty()).await;
    rig.caught_up().await;
    assert_eq!(world.calls("get_status").len(), 1);
    side.say(At::Group(SQUARE), PLAYER, "在场");
    until("the line", || rig.tally_lines() == ["在场"]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_that_were_lost_at_the_end_are_found_by_comparing() {
    let mut settings = settings();
    settings.limits.compare = Duration::from_millis(100);
    let mut rig = Rig::with(settings).await.with_game().await;
    let world = World::default();
    let side = Side::connect(&rig.address, &world).await;
    side.say(At::Group(SQUARE), PLAYER, "一");
    until("the live line", || rig.tally_lines() == ["一"]).await;
    rig.send(
        "k",
        protocol::Scene::Group(protocol::ChatGroup(SQUARE)),
        "收到",
    )
    .await;
    rig.outcome_of("k").await;
    // No event tells of these, and none of a later one; in the pack nobody was heard before.
    for n in 0..30 {
        world.say(At::Group(SQUARE), OTHER, &text(&format!("丢{n}")));
    }
    world.say(At::Group(PACK), OTHER, &text("杀人 3"));
    until("the lost lines", || rig.tally_lines().len() == 31).await;
    until("the lost choice", || rig.night_lines() == ["杀人 3"]).await;
    // Each is looked at again and again, and nothing comes twice.
    let looks = world.calls("get_group_msg_history").len();
    until("more looks", || {
        world.calls("get_group_msg_history").len() > looks + 4
    })
    .await;
    side.say(At::Group(SQUARE), PLAYER, "然后");
    until("the newest line", || rig.tally_lines().len() == 32).await;
    let lost = (0..30).map(|n| format!("丢{n}"));
    let expected: Vec<_> = ["一".into()].into_iter().chain(lost).collect();
    assert_eq!(rig.tally_lines()[..31], expected);
    assert_eq!(rig.night_lines(), ["杀人 3"]);
}
