//! What is to be sent and done, and what was missed.

use protocol::{
    MessageRef, Part, PlatformAct, SayKind, Scene, Send, SendKey, SendOutcome, ToPublish, UserId,
};
use rules::Time;

use super::{Chat, DIRECTOR, PACK, PLAYER, STRANGER, Sent, private, sent, square};
use crate::account::Lane;
use crate::input::Input;

#[test]
fn sends_keep_their_order_and_are_answered_once() {
    let mut chat = Chat::playing();
    let send = |n: u32| {
        let send = Send {
            key: SendKey(format!("10-1/x/{n}")),
            scene: private(PLAYER),
            parts: vec![Part::Text(n.to_string())],
            repeat: false,
            kind: SayKind::Notice,
        };
        Input::Send {
            send,
            answer: "10-1".into(),
        }
    };
    chat.take(&send(1));
    chat.take(&send(2));
    assert!(chat.take(&send(1)).ignore);
    let lane = Lane::Say(private(PLAYER));
    let first = chat.account.next_job(lane).unwrap().number;
    let outcome = SendOutcome::Done {
        message: Some(MessageRef("m".into())),
    };
    let answered = sent(&chat.take(&Input::Outcome {
        job: first,
        outcome: outcome.clone(),
    }));
    let body = ToPublish::Sent {
        key: SendKey("10-1/x/1".into()),
        outcome: outcome.clone(),
    };
    assert_eq!(answered, [Sent::Publish("10-1".into(), body)]);
    assert!(
        chat.take(&Input::Outcome {
            job: first,
            outcome
        })
        .ignore
    );
    assert_eq!(
        sent(&chat.take(&send(1))),
        answered,
        "asked again, answered again"
    );
    assert_eq!(chat.account.said(private(PLAYER)), [MessageRef("m".into())]);
    assert!(chat.account.next_job(lane).unwrap().number > first);
}

#[test]
fn answers_and_what_groups_wait_for_are_urgent() {
    let mut chat = Chat::playing();
    let mut send = |n: u32, scene, kind| {
        let send = Send {
            key: SendKey(format!("10-1/x/{n}")),
            scene,
            parts: vec![Part::Text(n.to_string())],
            repeat: false,
            kind,
        };
        let answer = "10-1".into();
        chat.take(&Input::Send { send, answer });
        chat.account.is_urgent(Lane::Say(scene))
    };
    assert!(send(1, square(), SayKind::Notice));
    assert!(!send(2, private(PLAYER), SayKind::Notice));
    assert!(!send(3, private(PLAYER), SayKind::Prompt));
    assert!(send(4, private(PLAYER), SayKind::Answer));
    assert!(!send(5, private(DIRECTOR), SayKind::Prompt));
}

#[test]
fn acts_are_answered_with_what_was_done() {
    let mut chat = Chat::new();
    let key = SendKey("10-1/k/1".into());
    let act = PlatformAct::Kick {
        group: PACK,
        user: PLAYER,
    };
    let input = Input::Act {
        key: key.clone(),
        act: act.clone(),
        answer: "pool:10".into(),
    };
    chat.take(&input);
    let job = chat.account.next_job(Lane::Act(PACK)).unwrap().number;
    let outcome = SendOutcome::Done { message: None };
    let answered = sent(&chat.take(&Input::Outcome {
        job,
        outcome: outcome.clone(),
    }));
    let body = ToPublish::ActDone { key, act, outcome };
    assert_eq!(answered, [Sent::Publish("pool:10".into(), body)]);
}

#[test]
fn what_was_missed_is_read_from_the_last_line_of_each_scene() {
    let mut chat = Chat::playing();
    chat.says(square(), PLAYER, "一");
    chat.says(private(PLAYER), PLAYER, "我");
    chat.take(&Input::Back {
        at: Time(9_000_000),
    });
    chat.says(square(), PLAYER, "二");
    let from = chat.account.to_catch_up();
    let of = |scene| {
        from.iter()
            .find(|(of, _)| *of == scene)
            .map(|(_, after)| after.clone())
    };
    assert_eq!(of(square()).unwrap().seq, Some(3));
    assert_eq!(of(private(PLAYER)).unwrap().secs, 1120);
    // Nobody has been heard there: from the last line before the absence on.
    let pack = of(Scene::Group(PACK)).unwrap();
    assert_eq!((pack.secs, pack.seq), (1115, None));
    assert_eq!(of(private(UserId(31))).unwrap().secs, 1115);
    assert_eq!(chat.account.missed_of(private(STRANGER)).secs, 1115);
    assert!(of(private(DIRECTOR)).is_some());
    chat.take(&Input::CaughtUp);
    let (_, after) = chat
        .account
        .to_catch_up()
        .into_iter()
        .find(|(s, _)| *s == Scene::Group(PACK))
        .unwrap();
    assert_eq!(after.secs, 1175);
}

#[test]
fn an_account_without_a_line_begins_when_it_first_is_there() {
    let mut chat = Chat::new();
    for (at, since) in [(9_000_000, 8995), (9_060_000, 8995)] {
        chat.take(&Input::Back { at: Time(at) });
        assert_eq!(chat.account.missed_since(), since);
        chat.take(&Input::CaughtUp);
    }
}
