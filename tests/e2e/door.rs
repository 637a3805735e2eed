//! The `OneBot` door: who may come in, and what comes in with them. A game on another account goes
//! on all the while.

use tokio_tungstenite::tungstenite::Message;

use crate::game::{DIRECTOR, Table};
use crate::side::{At, Ear, Platform, TOKEN, headers};
use crate::site::Site;
use crate::wire::{closed, dial, knock, send};

const PLAYER: u64 = 30_001;
const SQUARE: u64 = 900_001;
const TOKEN_VARIABLE: &str = "DUSKGATE_ONEBOT_ACCESS_TOKEN";

/// A product with the playground and a second account beside it.
fn two_accounts() -> (Table<'static>, Platform) {
    let site = Site::start_with(
        &["playground.enabled=on", "directors.users=10001"],
        &[(TOKEN_VARIABLE, TOKEN)],
    );
    let table = Table::new(site, Box::new(|_, _| {}));
    (table, Platform::new(&[PLAYER, DIRECTOR], &[SQUARE]))
}

/// Somebody asks in private and is answered, over the account's own connection.
#[track_caller]
fn assert_answered(platform: &Platform, ear: &mut Ear) {
    platform.say(At::Private(PLAYER), PLAYER, "鸣潮1 名单");
    ear.expect(platform, &["【鸣潮1】", "报名"]);
}

#[test]
fn only_who_has_the_token_of_the_account_comes_in() {
    let (table, platform) = two_accounts();
    let site = &table.site;
    let right = format!("Bearer {TOKEN}");
    let account = ("x-self-id", "5000001");
    for (status, query, given) in [
        (401, "", vec![account]),
        (401, "", vec![account, ("authorization", "Bearer ")]),
        (401, "?access_token=", vec![account]),
        (403, "", vec![account, ("authorization", "Bearer nonsense")]),
        (403, "?access_token=nonsense", vec![account]),
        (403, "", vec![("authorization", "Bearer nonsense")]),
        (400, "", vec![("authorization", &right)]),
        (
            400,
            "",
            vec![("x-self-id", "me"), ("authorization", &right)],
        ),
        // The stand-in's account has a token of its own.
        (
            403,
            "",
            vec![("x-self-id", "9000"), ("authorization", &right)],
        ),
    ] {
        let knocked = knock(site, query, &given);
        assert_eq!(knocked.err(), Some(status), "{query} {given:?}");
    }
    assert!(dial(site, &headers()).is_ok());
    platform.connect(site);
    platform.say(At::Group(SQUARE), DIRECTOR, "开局 m158");
    Ear::new(At::Group(SQUARE)).expect(&platform, &["开局", "鸣潮1"]);
    site.assert_well();
    let log = site.log();
    assert!(!log.contains(TOKEN) && !log.contains("nonsense"));
}

#[test]
fn a_second_connection_of_an_account_replaces_the_first() {
    let (mut table, platform) = two_accounts();
    let mut first = dial(&table.site, &headers()).expect("a connection");
    platform.connect(&table.site);
    assert_eq!(closed(&mut first), Some(1008), "the first is told why");
    platform.say(At::Group(SQUARE), DIRECTOR, "开局 m158");
    Ear::new(At::Group(SQUARE)).expect(&platform, &["开局", "鸣潮1"]);
    let mut ear = Ear::new(At::Private(PLAYER));
    assert_answered(&platform, &mut ear);
    // Again and again, and a stranger in between: the newest counts, and nothing is lost.
    for nth in 2..6 {
        platform.connect(&table.site);
        assert_eq!(
            dial(&table.site, &[("x-self-id", "5000001")]).err(),
            Some(401)
        );
        platform.say(At::Private(PLAYER), PLAYER, &format!("鸣潮1 报名 阿{nth}"));
        ear.expect(&platform, &["马甲", &format!("“阿{nth}”")]);
    }
    assert_eq!(platform.count(At::Private(PLAYER), "报名成功"), 1);
    // The other account has noticed nothing.
    table.order("开局 m158");
    table.public(&["开局", "报名"]);
    platform.assert_well_behaved();
    table.site.assert_well();
}

#[test]
fn what_comes_twice_happens_once() {
    let (table, platform) = two_accounts();
    platform.connect(&table.site);
    let twice = |at: At, user: u64, text: &str| {
        let event = platform.say(at, user, text);
        platform.emit(&event);
        platform.emit(&event);
    };
    let mut ear = Ear::new(At::Private(PLAYER));
    twice(At::Group(SQUARE), DIRECTOR, "开局 m158");
    Ear::new(At::Group(SQUARE)).expect(&platform, &["开局", "鸣潮1"]);
    twice(At::Private(PLAYER), PLAYER, "报名 阿重");
    twice(At::Group(SQUARE), DIRECTOR, "公示 说一遍");
    twice(At::Private(PLAYER), PLAYER, "鸣潮1 退出");
    ear.expect(&platform, &["“阿重”退出了"]);
    assert_answered(&platform, &mut ear);
    Ear::new(At::Group(SQUARE)).expect(&platform, &["说一遍"]);
    platform.say(At::Group(SQUARE), PLAYER, "名单");
    Ear::new(At::Group(SQUARE)).expect(&platform, &["报名 0/14"]);
    for (at, once) in [
        (At::Group(SQUARE), "开局【"),
        (At::Group(SQUARE), "说一遍"),
        (At::Private(PLAYER), "报名成功"),
        (At::Private(PLAYER), "退出了"),
    ] {
        assert_eq!(platform.count(at, once), 1, "{once} once");
    }
    table.site.assert_well();
}

#[test]
fn frames_that_make_no_sense_are_passed_over() {
    let (mut table, platform) = two_accounts();
    platform.connect(&table.site);
    platform.say(At::Group(SQUARE), DIRECTOR, "开局 m158");
    Ear::new(At::Group(SQUARE)).expect(&platform, &["开局", "鸣潮1"]);
    let mut ear = Ear::new(At::Private(PLAYER));
    for frame in nonsense() {
        platform.emit_raw(&frame);
    }
    assert_answered(&platform, &mut ear);

    // A giant one ends its connection, and the account comes back.
    let mut giant = dial(&table.site, &headers()).expect("a connection");
    send(&mut giant, Message::binary(vec![0xff; 1000]));
    let text = "长".repeat(6 * 1024 * 1024);
    let event = format!(
        r#"{{"post_type":"message","message_type":"private","user_id":{PLAYER},"message":"{text}"}}"#
    );
    send(&mut giant, Message::text(event));
    assert_eq!(
        closed(&mut giant),
        Some(1009),
        "it is told that this was too long"
    );
    platform.connect(&table.site);
    assert_answered(&platform, &mut ear);

    table.order("开局 m158");
    table.public(&["开局", "报名"]);
    platform.assert_well_behaved();
    table.site.assert_well();
}

fn nonsense() -> Vec<String> {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deeper = format!(
        r#"{{"post_type":"message","message":{}"#,
        r#"{"a":"#.repeat(50_000)
    );
    let mut frames: Vec<String> = [
        "",
        "nonsense",
        "{",
        "[]",
        "null",
        "7",
        "\"开局 m158\"",
        "{}",
        r#"{"post_type":7}"#,
        r#"{"post_type":"message"}"#,
        r#"{"post_type":"message","message_type":"group"}"#,
        r#"{"post_type":"message","message_type":"group","group_id":"x","user_id":[],"message":7}"#,
        r#"{"post_type":"message","message_type":"private","user_id":-1,"message":{"type":[]}}"#,
        r#"{"post_type":"message","message_type":"private","user_id":1e400,"message":"我"}"#,
        r#"{"post_type":"message","message_type":"private","user_id":18446744073709551616,"message":[{}]}"#,
        r#"{"post_type":"message","message_type":"dream","user_id":30001,"message":"我"}"#,
        r#"{"post_type":"message","message_type":"private","user_id":30001,"time":"noon","message_id":{},"message":[null,7,{"type":null,"data":"x"}]}"#,
        r#"{"post_type":"notice","notice_type":"group_recall","group_id":900001,"message_id":null}"#,
        r#"{"post_type":"notice","notice_type":"group_increase","group_id":900001,"user_id":"你"}"#,
        r#"{"post_type":"request","request_type":"group","sub_type":"add","group_id":900001,"user_id":30001,"flag":null}"#,
        r#"{"post_type":"meta_event","meta_event_type":"heartbeat","status":null,"interval":"soon"}"#,
        r#"{"post_type":"meta_event","meta_event_type":"lifecycle","sub_type":"disable"}"#,
        r#"{"status":"ok","retcode":0,"data":null,"echo":"nobody"}"#,
        r#"{"status":"failed","retcode":"x","data":[],"echo":{"a":1}}"#,
        r#"{"action":"send_group_msg","params":{"group_id":900001,"message":"嗨"},"echo":"x"}"#,
        "\u{feff}{\"post_type\":\"message\"}",
        "\0\0\0",
    ]
    .map(str::to_owned)
    .to_vec();
    frames.extend([deep, deeper]);
    frames
}
