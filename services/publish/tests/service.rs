//! The service on a real bus and store: from sayings to sends, through the pool and back, and
//! nothing twice across a restart.

use std::collections::BTreeMap;

use bus::{Outgoing, Settle, Subscription};
use kit::testing::{DEADLINE, TestParts};
use protocol::{
    AccountId, Audience, ChatGroup, GameId, GroupPlan, Message, MessageId, Part, Phrase,
    PlatformAct, Roster, RosterSeat, RosterState, Say, SayKind, Scene, SendKey, SendOutcome,
    Service, Shard, ToIngest, ToPublish, Topic, UserId,
};
use publish::{Pools, Settings};
use rules::SeatId;
use serde_json::json;
use texts::Texts;
use tokio::task::JoinHandle;

const GAME: GameId = GameId {
    account: AccountId(9000),
    number: 1,
};
const BRIDGE: &str = "account:9000";

fn start(parts: &TestParts) -> JoinHandle<anyhow::Result<()>> {
    let settings = Settings {
        texts: Texts::builtin(),
        pools: Pools {
            of_account: BTreeMap::from([(GAME.account, vec![ChatGroup(700_001)])]),
            otherwise: Vec::new(),
        },
    };
    tokio::spawn(publish::run(kit::Parts::clone(parts), settings))
}

async fn hand_in(parts: &TestParts, id: &str, input: &ToPublish) {
    let key = GAME.to_string();
    let message = Message {
        id: MessageId(id.to_owned()),
        trace: id.to_owned(),
        to: Topic {
            service: Service::Publish,
            shard: Shard::of(&key),
        },
        key,
        body: serde_json::to_string(input).expect("inputs serialize"),
    };
    let receipts = parts.bus.publish(vec![Outgoing::first(message)]).await;
    receipts.expect("the bus takes messages");
}

/// The bridge's end of the bus.
async fn bridge(parts: &TestParts) -> Box<dyn Subscription> {
    let topic = Topic {
        service: Service::Ingest,
        shard: Shard::of(BRIDGE),
    };
    parts.bus.subscribe(vec![topic], 8).await.expect("a queue")
}

async fn next(bridge: &mut dyn Subscription) -> ToIngest {
    let delivery = tokio::time::timeout(DEADLINE, bridge.next()).await;
    let delivery = delivery
        .expect("something goes out")
        .expect("the bus is open");
    assert_eq!(delivery.message.key, BRIDGE);
    bridge
        .settle(delivery.tag, Settle::Ack)
        .await
        .expect("it settles");
    serde_json::from_str(&delivery.message.body).expect("it is for the bridge")
}

fn say(key: &str, to: Audience, text: &str) -> ToPublish {
    ToPublish::Say(Say {
        key: SendKey(key.to_owned()),
        to,
        phrases: vec![Phrase::new("groups/in-front", json!({"room": text}))],
        reply_to: None,
        kind: SayKind::Notice,
    })
}

fn roster() -> ToPublish {
    ToPublish::Roster(Roster {
        game: GAME,
        version: 1,
        name: "鸣潮一".to_owned(),
        square: ChatGroup(800_001),
        state: RosterState::Running,
        directors: vec![UserId(10_001)],
        seats: vec![RosterSeat {
            seat: SeatId(0),
            alias: "甲".to_owned(),
            user: UserId(1),
        }],
        skill_words: Vec::new(),
    })
}

fn text_of(sent: &ToIngest) -> (Scene, String, bool) {
    let ToIngest::Send { send, answer } = sent else {
        panic!("no message: {sent:?}")
    };
    assert_eq!(*answer, GAME.to_string());
    let [Part::Text(text)] = &send.parts[..] else {
        panic!("{:?}", send.parts)
    };
    (send.scene, text.clone(), send.repeat)
}

#[tokio::test(flavor = "multi_thread")]
async fn sayings_are_sent_once_and_remembered_across_a_restart() {
    let parts = TestParts::new().await;
    let service = start(&parts);
    let mut out = bridge(&parts).await;
    hand_in(&parts, "1", &roster()).await;
    hand_in(&parts, "2", &say("a", Audience::Seat(SeatId(0)), "身份")).await;
    let first = next(&mut *out).await;
    let me = Scene::Private(UserId(1));
    assert_eq!(text_of(&first), (me, "【身份】".to_owned(), false));

    drop(out);
    let parts = parts.restart().await;
    service.await.expect("it ends").expect("it ends well");
    let service = start(&parts);
    let mut out = bridge(&parts).await;
    // The same message, and the same saying in another one: nothing. Then its outcome.
    hand_in(&parts, "2", &say("a", Audience::Seat(SeatId(0)), "身份")).await;
    hand_in(&parts, "3", &say("a", Audience::Seat(SeatId(0)), "身份")).await;
    let ToIngest::Send { send, .. } = first else {
        panic!("{first:?}")
    };
    let unclear = ToPublish::Sent {
        key: send.key,
        outcome: SendOutcome::Unknown {
            raw: "Timeout".to_owned(),
        },
    };
    hand_in(&parts, "4", &unclear).await;
    let again = next(&mut *out).await;
    assert_eq!(text_of(&again), (me, "（重发）【身份】".to_owned(), true));
    hand_in(&parts, "5", &say("b", Audience::Square, "天亮了")).await;
    let (scene, text, _) = text_of(&next(&mut *out).await);
    assert_eq!(
        (scene, text),
        (Scene::Group(ChatGroup(800_001)), "【天亮了】".to_owned())
    );

    parts.shutdown.cancel();
    service.await.expect("it ends").expect("it ends well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_group_comes_from_the_pool() {
    let parts = TestParts::new().await;
    let service = start(&parts);
    let mut out = bridge(&parts).await;
    hand_in(&parts, "1", &roster()).await;
    let plans = vec![GroupPlan {
        name: "狼群".to_owned(),
        members: vec![SeatId(0)],
    }];
    hand_in(&parts, "2", &ToPublish::Groups(plans)).await;
    let (mut named, mut invited, mut listed) = (false, false, false);
    while !(named && invited && listed) {
        match next(&mut *out).await {
            ToIngest::Act {
                act: PlatformAct::Rename { group, name },
                ..
            } => {
                assert_eq!((group, name.as_str()), (ChatGroup(700_001), "鸣潮一·狼群"));
                named = true;
            }
            ToIngest::Act {
                act: PlatformAct::ListMembers { .. },
                ..
            } => {}
            ToIngest::Directory(directory) => {
                assert_eq!(directory.groups.len(), 1);
                listed = true;
            }
            sent @ ToIngest::Send { .. } => {
                let (scene, text, _) = text_of(&sent);
                assert!(
                    scene == Scene::Private(UserId(1)) && text.contains("700001"),
                    "{text}"
                );
                invited = true;
            }
            other => panic!("unexpected: {other:?}"),
        }
    }
    parts.shutdown.cancel();
    service.await.expect("it ends").expect("it ends well");
}
