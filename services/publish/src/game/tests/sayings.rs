//! Who reads what, where.

use protocol::{
    Audience, ChatGroup, MessageRef, Part, Phrase, RosterState, Say, Scene, ToPublish, UserId,
};
use rules::SeatId;
use serde_json::json;

use crate::testing::{
    Bench, DIRECTOR, GAME, SQUARE, Sent, messages, plan, private, roster, say, text,
};

const BOSS: Scene = Scene::Private(DIRECTOR);

#[test]
fn each_audience_is_found() {
    let wolves = || Audience::Group("狼群".to_owned());
    let square = Scene::Group(SQUARE);
    let cases: [(Audience, &[(Scene, &str)]); 8] = [
        (Audience::Seat(SeatId(2)), &[(private(3), "【夜】")]),
        (Audience::User(UserId(77)), &[(private(77), "【夜】")]),
        (Audience::Square, &[(square, "【夜】")]),
        (Audience::Directors, &[(BOSS, "【夜】")]),
        (Audience::Scene(private(3)), &[(private(3), "【夜】")]),
        (Audience::Scene(square), &[(square, "【夜】")]),
        // There is no chat group yet: each member in private.
        (
            wolves(),
            &[
                (private(1), "【狼群】【夜】"),
                (private(4), "【狼群】【夜】"),
            ],
        ),
        // Another group than the game's own is not spoken to.
        (
            Audience::Scene(Scene::Group(ChatGroup(5))),
            &[(
                BOSS,
                "鸣潮一：下面这条给5的消息发不出去，请手动转告：\n【夜】",
            )],
        ),
    ];
    for (to, expected) in cases {
        let mut bench = Bench::game();
        bench.take(&ToPublish::Groups(vec![plan("狼群", &[0, 3])]));
        let sent = messages(&bench.say("k", to.clone(), "夜"));
        let expected: Vec<_> = expected
            .iter()
            .map(|(s, t)| (*s, (*t).to_owned()))
            .collect();
        assert_eq!(sent, expected, "{to:?}");
    }
}

#[test]
fn before_there_is_a_roster_a_group_gets_its_answer() {
    let mut bench = Bench::new(&GAME.to_string(), &[]);
    let group = Scene::Group(ChatGroup(5));
    assert_eq!(
        messages(&bench.say("k", Audience::Scene(group), "没有这个板子")).len(),
        1
    );
    assert_eq!(messages(&bench.say("l", Audience::Square, "x")), []);
}

#[test]
fn a_saying_is_said_once() {
    let mut bench = Bench::game();
    assert_eq!(bench.say("k", Audience::Square, "天亮了").len(), 1);
    assert_eq!(bench.say("k", Audience::Square, "天亮了"), []);
    assert_eq!(bench.say("l", Audience::Square, "天亮了").len(), 1);
}

#[test]
fn an_older_roster_changes_nothing() {
    let mut bench = Bench::game();
    let mut newer = roster(7);
    newer.seats[2].user = UserId(33);
    bench.take(&ToPublish::Roster(newer));
    bench.take(&ToPublish::Roster(roster(6)));
    let sent = messages(&bench.say("k", Audience::Seat(SeatId(2)), "夜"));
    assert_eq!(sent[0].0, private(33));
}

#[test]
fn phrases_of_a_saying_are_lines_of_one_message() {
    let mut bench = Bench::game();
    let mut twice = say("k", Audience::Square, "一");
    twice
        .phrases
        .extend(say("", Audience::Square, "二").phrases);
    let sent = bench.take(&ToPublish::Say(twice));
    assert_eq!(
        messages(&sent),
        [(Scene::Group(SQUARE), "【一】\n【二】".to_owned())]
    );
}

#[test]
fn a_long_saying_is_several_messages_and_only_the_first_quotes() {
    let mut bench = Bench::game();
    let long = "很".repeat(500);
    let mut much = say("k", Audience::Square, &long);
    much.phrases
        .extend(say("", Audience::Square, &long).phrases);
    much.reply_to = Some(MessageRef("m".to_owned()));
    let sent = bench.take(&ToPublish::Say(much));
    assert_eq!(sent.len(), 2);
    let mut keys = Vec::new();
    for (n, sent) in sent.iter().enumerate() {
        let Sent::Message(message) = sent else {
            panic!("{sent:?}")
        };
        assert_eq!(text(message), format!("【{long}】"));
        let quote = Part::Reply(MessageRef("m".to_owned()));
        assert_eq!(message.parts.contains(&quote), n == 0);
        keys.push(&message.key);
    }
    assert_ne!(keys[0], keys[1]);
}

#[test]
fn nothing_is_quoted_in_private() {
    let mut bench = Bench::game();
    let mut answer = say("k", Audience::Seat(SeatId(0)), "收到");
    answer.reply_to = Some(MessageRef("m".to_owned()));
    let sent = bench.take(&ToPublish::Say(answer));
    let [Sent::Message(message)] = &sent[..] else {
        panic!("{sent:?}")
    };
    assert_eq!(message.parts, [Part::Text("【收到】".to_owned())]);
}

#[test]
fn a_saying_without_words_is_told_to_the_directors_without_its_contents() {
    let mut bench = Bench::game();
    let broken = Say {
        phrases: vec![Phrase::new("vote/taken", json!({"secret": "乙是狼"}))],
        ..say("k", Audience::Seat(SeatId(0)), "")
    };
    let sent = messages(&bench.take(&ToPublish::Say(broken)));
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].0, BOSS);
    assert!(
        sent[0].1.contains("vote/taken") && !sent[0].1.contains('狼'),
        "{}",
        sent[0].1
    );
}

#[test]
fn a_game_that_is_over_still_speaks() {
    let mut bench = Bench::game();
    let mut over = roster(2);
    over.state = RosterState::Over;
    bench.take(&ToPublish::Roster(over));
    assert_eq!(messages(&bench.say("k", Audience::Square, "复盘")).len(), 1);
    assert!(!is_over(&bench), "one is under way");
}

fn is_over(bench: &Bench) -> bool {
    let is_over = <crate::Desk as kit::Aggregate>::IS_OVER.unwrap();
    is_over(&bench.desk)
}

#[test]
fn a_game_may_be_put_away_when_all_is_said() {
    let mut bench = Bench::game();
    assert!(!is_over(&bench));
    let mut over = roster(2);
    over.state = RosterState::Over;
    let last = bench.say("k", Audience::Square, "复盘");
    bench.take(&ToPublish::Roster(over));
    assert!(!is_over(&bench));
    bench.outcome(&last[0], crate::testing::done());
    assert!(is_over(&bench));
}
