//! Every collected body is read, and read right.

use onebot::{
    Answer, Chat, ChatMessage, Departure, Event, EventKind, Frame, Id, Message, Meta, Notice,
    Outcome, Piece, Refusal, Request, Target,
};
use serde_json::Value;

#[derive(serde::Deserialize)]
struct Body {
    #[serde(default)]
    note: String,
    payload: Value,
}

fn bodies(file: &str) -> Vec<Body> {
    serde_json::from_str(file).expect("test data is JSON")
}

const DOCS: &str = include_str!("../testdata/01_docs_examples.json");
const ADAPTER: &str = include_str!("../testdata/03_nonebot_adapter_tests.json");
const ANSWERS: &str = include_str!("../testdata/05_api_responses.json");
const CONSTRUCTED: &str = include_str!("../testdata/06_constructed_from_source.json");

fn noted(file: &str, note: &str) -> Value {
    let mut found = bodies(file)
        .into_iter()
        .filter(|body| body.note.contains(note));
    let body = found
        .next()
        .unwrap_or_else(|| panic!("no body noted {note:?}"));
    body.payload
}

fn event(value: &Value) -> Event {
    match Frame::of(value) {
        Frame::Event(event) => *event,
        other => panic!("no event: {other:?}"),
    }
}

fn message(value: &Value) -> ChatMessage {
    match event(value).kind {
        EventKind::Message(message) => message,
        other => panic!("no message: {other:?}"),
    }
}

fn notice(note: &str) -> Notice {
    match event(&noted(CONSTRUCTED, note)).kind {
        EventKind::Notice(notice) => notice,
        other => panic!("no notice: {other:?}"),
    }
}

fn answer(note: &str) -> Answer {
    match Frame::of(&noted(ANSWERS, note)) {
        Frame::Answer(answer) => answer,
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn every_event_is_understood_and_keeps_its_fields() {
    let files = [(DOCS, 9), (ADAPTER, 2), (CONSTRUCTED, 32)];
    for (file, at_least) in files {
        let mut events = 0;
        for body in bodies(file) {
            let fields = body.payload.as_object().cloned().unwrap_or_default();
            if !fields.contains_key("post_type") {
                continue;
            }
            events += 1;
            let event = event(&body.payload);
            assert_eq!(event.fields.0, fields);
            // The one body that is a bare frame of an event in the documents names no message.
            let bare = !fields.contains_key("message_type") && fields["post_type"] == "message";
            assert_eq!(event.kind == EventKind::Unknown, bare, "{}", body.payload);
        }
        assert!(events >= at_least, "{events} events");
    }
}

#[test]
fn every_other_body_of_the_documents_is_read() {
    let mut kinds = (0, 0, 0, 0);
    for body in bodies(DOCS) {
        match Frame::of(&body.payload) {
            Frame::Event(_) => {}
            Frame::Answer(_) => kinds.0 += 1,
            Frame::Call(_) => kinds.1 += 1,
            Frame::Other(value) => {
                let segments = Message::read(&value);
                let typed = segments.0.iter().all(|segment| !segment.kind.is_empty());
                if typed && !segments.0.is_empty() {
                    kinds.2 += 1;
                } else {
                    // Quick operations, senders and the like: kept as they are.
                    assert_eq!(value, body.payload);
                    kinds.3 += 1;
                }
            }
        }
    }
    assert_eq!(kinds.0, 3, "answers");
    assert_eq!(kinds.1, 2, "calls");
    assert!(kinds.2 >= 15, "messages and segments: {kinds:?}");
}

#[test]
fn scenes_come_from_the_message_type_alone() {
    for note in [
        "group_id present",
        "placeholder group_id",
        "sits in sender.group_id",
        "without any group id",
    ] {
        let message = message(&noted(CONSTRUCTED, note));
        assert_eq!(message.chat, Chat::Private(30_000_001), "{note}");
        assert!(!message.own);
    }
}

#[test]
fn real_sequences_are_found_where_each_side_puts_them() {
    let seq = |note: &str| message(&noted(CONSTRUCTED, note)).seq;
    assert_eq!(seq("group text"), Some(30388));
    assert_eq!(
        seq("group text: message_seq is the real sequence"),
        Some(30390)
    );
    assert_eq!(seq("message_seq number"), Some(8821));
    assert_eq!(seq("negative id"), None);
}

#[test]
fn both_message_forms_say_the_same() {
    let string = message(&noted(CONSTRUCTED, "string format")).message;
    let kinds: Vec<_> = string
        .0
        .iter()
        .map(|segment| segment.kind.as_str())
        .collect();
    assert_eq!(kinds, ["reply", "at", "text"]);
    assert_eq!(
        string.0[0].piece(),
        Piece::Reply(Some(Id::new("1133557799")))
    );
    assert_eq!(
        string.0[1].piece(),
        Piece::At(Target::User(Id::new("10000001")))
    );
    assert_eq!(string.0[2].piece(), Piece::Text(" 改票 5"));
}

#[test]
fn ids_as_strings_are_the_same_ids() {
    let strings = message(&noted(CONSTRUCTED, "ids as strings everywhere"));
    let numbers = message(&noted(CONSTRUCTED, "group text"));
    assert_eq!((strings.chat, &strings.id), (numbers.chat, &numbers.id));
    assert_eq!(strings.sender.user, numbers.sender.user);
}

#[test]
fn own_messages_are_known() {
    let own = message(&noted(CONSTRUCTED, "echo of the bot's own message"));
    assert!(own.own);
    assert_eq!(own.chat, Chat::Group(20_000_001));
}

#[test]
fn notices() {
    const GROUP: u64 = 20_000_001;
    const BOT: u64 = 10_000_001;
    const USER: u64 = 30_000_001;
    let mute = |muted| Notice::Mute {
        group: GROUP,
        user: None,
        muted,
        seconds: None,
    };
    let lost = Notice::Left {
        group: GROUP,
        user: BOT,
        how: Departure::Lost,
    };
    let joined = Notice::Joined {
        group: GROUP,
        user: USER,
    };
    assert_eq!(notice("whole-group ban on"), mute(true));
    assert_eq!(notice("whole-group ban off"), mute(false));
    assert_eq!(notice("group dissolved"), lost);
    assert_eq!(notice("group dissolved is its own notice_type"), lost);
    assert_eq!(notice("bot kicked"), lost);
    assert_eq!(notice("member joined"), joined);
    assert_eq!(notice("sub_type invite for an approved joiner"), joined);
    assert!(
        matches!(notice("bot forced offline"), Notice::BotOffline { reason } if !reason.is_empty())
    );
    for other in [
        "card changed",
        "essence",
        "emoji reaction",
        "poke",
        "unknown grey tip",
    ] {
        assert!(
            matches!(notice(other), Notice::Other { kind } if !kind.is_empty()),
            "{other}"
        );
    }
}

#[test]
fn requests_keep_their_opaque_flag() {
    let request = event(&noted(CONSTRUCTED, "flag is group|seq|type|doubt")).kind;
    let EventKind::Request(Request::Join {
        group,
        user,
        comment,
        flag,
    }) = request
    else {
        panic!("{request:?}");
    };
    assert_eq!((group, user), (20_000_001, 30_000_001));
    assert_eq!(flag, "20000001|1786000023000000|7|0");
    assert!(comment.contains("阿一"));
}

#[test]
fn a_heartbeat_may_say_offline() {
    let beat = event(&noted(
        CONSTRUCTED,
        "account offline while the socket lives",
    ))
    .kind;
    assert_eq!(
        beat,
        EventKind::Meta(Meta::Heartbeat {
            online: Some(false)
        })
    );
}

#[test]
fn answers_have_three_outcomes() {
    let refused = |note: &str| match answer(note).outcome() {
        Outcome::Refused { why, raw } => {
            assert!(!raw.is_empty());
            why
        }
        other => panic!("{note}: {other:?}"),
    };
    assert!(matches!(
        answer("outcome UNKNOWN").outcome(),
        Outcome::Unknown { .. }
    ));
    assert!(matches!(
        answer("another retcode family").outcome(),
        Outcome::Unknown { .. }
    ));
    assert!(matches!(
        answer("msg + wording").outcome(),
        Outcome::Unknown { .. }
    ));
    assert_eq!(refused("not in the group any more"), Refusal::Removed);
    assert_eq!(refused("result 120"), Refusal::Muted);
    assert_eq!(refused("flag unknown"), Refusal::StaleRequest);
    assert_eq!(refused("bad token"), Refusal::Auth);
    assert_eq!(refused("unknown action"), Refusal::Unsupported);
    assert_eq!(refused("retcode 404 (not 1404)"), Refusal::Unsupported);
    assert_eq!(
        answer("success without a data key").outcome(),
        Outcome::Done(Value::Null)
    );
    let Outcome::Done(data) = answer("send ok").outcome() else {
        panic!("not done")
    };
    assert_eq!(
        onebot::data::sent_message(&data),
        Some(Id::new("416295434"))
    );
}

#[test]
fn echoes_of_any_type_are_read() {
    assert_eq!(answer("outcome UNKNOWN").echo_text(), Some("19"));
    assert_eq!(answer("flag unknown").echo_text(), None);
    assert!(answer("flag unknown").echo.is_some());
    assert_eq!(answer("not in the group any more").echo, None);
}
