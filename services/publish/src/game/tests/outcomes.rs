//! Sends that did not arrive.

use protocol::{Audience, Refused, RosterState, SayKind, Scene, SendOutcome, ToPublish, UserId};
use rules::SeatId;

use crate::testing::{
    Bench, DIRECTOR, SQUARE, Sent, done, messages, private, refused, roster, say, text, unknown,
};

const BOSS: Scene = Scene::Private(DIRECTOR);
const ROOM: Scene = Scene::Group(SQUARE);

fn seat(n: u8) -> Audience {
    Audience::Seat(SeatId(n))
}

/// Says it and answers its only send.
fn say_and(
    bench: &mut Bench,
    key: &str,
    to: Audience,
    text: &str,
    outcome: SendOutcome,
) -> Vec<Sent> {
    let sent = bench.say(key, to, text);
    assert_eq!(sent.len(), 1, "{sent:?}");
    bench.outcome(&sent[0], outcome)
}

#[test]
fn who_cannot_be_reached_is_known_to_night_and_gets_everything_in_order_later() {
    let mut bench = Bench::game();
    let out_of_reach = refused(Refused::NotReachable);
    let sent = say_and(&mut bench, "a", seat(2), "一", out_of_reach.clone());
    assert_eq!(sent, [Sent::Reach(UserId(3), false)]);

    // The next saying lets the first be tried again; nobody is told twice.
    let probe = bench.say("b", seat(2), "二");
    assert_eq!(messages(&probe), [(private(3), "【一】".to_owned())]);
    assert_eq!(bench.outcome(&probe[0], refused(Refused::NotReachable)), []);
    // While one is on its way no other is tried.
    let probe = bench.say("c", seat(2), "三");
    assert_eq!(messages(&probe), [(private(3), "【一】".to_owned())]);
    assert_eq!(bench.say("d", seat(2), "四"), []);

    let sent = bench.outcome(&probe[0], done());
    assert_eq!(sent[0], Sent::Reach(UserId(3), true));
    let texts: Vec<_> = messages(&sent).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["【二】", "【三】", "【四】"]);

    // It works again, so trouble is news again.
    let sent = say_and(&mut bench, "e", seat(2), "五", out_of_reach);
    assert_eq!(sent, [Sent::Reach(UserId(3), false)]);
}

#[test]
fn whose_messages_are_held_up_is_told_to_the_directors_once() {
    let mut bench = Bench::game();
    let told = messages(&say_and(
        &mut bench,
        "a",
        seat(2),
        "一",
        refused(Refused::Muted),
    ));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, BOSS);
    assert!(
        told[0].1.contains("发给3号 丙（3）的私聊被平台拦下了"),
        "{}",
        told[0].1
    );
    assert_eq!(
        say_and(&mut bench, "b", seat(2), "二", refused(Refused::Muted)),
        []
    );
}

#[test]
fn who_signs_up_is_known_to_be_reachable_once() {
    let mut bench = Bench::game();
    let mut lobby = roster(2);
    lobby.state = RosterState::Lobby;
    bench.take(&ToPublish::Roster(lobby));
    let reached = [Sent::Reach(UserId(1), true)];
    assert_eq!(say_and(&mut bench, "a", seat(0), "一", done()), reached);
    assert_eq!(say_and(&mut bench, "b", seat(0), "二", done()), []);
    let lost = say_and(
        &mut bench,
        "c",
        seat(0),
        "三",
        refused(Refused::NotReachable),
    );
    assert_eq!(lost, [Sent::Reach(UserId(1), false)]);
    assert_eq!(
        say_and(&mut bench, "d", seat(0), "四", done())[..1],
        reached
    );
    // Whoever only looks on is nobody night waits for.
    assert_eq!(
        say_and(&mut bench, "e", Audience::User(UserId(77)), "五", done()),
        []
    );
}

#[test]
fn repeated_outcomes_change_nothing() {
    let mut bench = Bench::game();
    let sent = bench.say("a", seat(2), "一");
    assert_eq!(bench.outcome(&sent[0], done()), []);
    assert_eq!(bench.outcome(&sent[0], refused(Refused::NotReachable)), []);
    assert_eq!(bench.outcome(&sent[0], unknown()), []);
}

#[test]
fn what_was_refused_out_of_order_follows_in_order() {
    let mut bench = Bench::game();
    let one = bench.say("a", seat(0), "一");
    let two = bench.say("b", seat(0), "二");
    bench.outcome(&one[0], refused(Refused::Muted));
    let three = bench.say("c", seat(0), "三");
    assert_eq!(three, [], "二 is still on its way");
    bench.outcome(&two[0], refused(Refused::Muted));
    let probe = bench.say("d", seat(0), "四");
    assert_eq!(messages(&probe)[0].1, "【一】");
    let rest = bench.outcome(&probe[0], done());
    let texts: Vec<_> = messages(&rest).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["【二】", "【三】", "【四】"]);
}

#[test]
fn answers_do_not_wait_for_a_scene_to_open() {
    let mut bench = Bench::game();
    say_and(
        &mut bench,
        "a",
        seat(0),
        "身份",
        refused(Refused::NotReachable),
    );
    let mut answer = say("b", seat(0), "收到");
    answer.kind = SayKind::Answer;
    let probe = bench.take(&ToPublish::Say(answer));
    bench.outcome(&probe[0], refused(Refused::NotReachable));
    let probe = bench.say("c", seat(0), "夜");
    let rest = bench.outcome(&probe[0], done());
    let texts: Vec<_> = messages(&rest).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["【夜】"]);
}

#[test]
fn a_substitute_gets_what_did_not_reach_the_seat_and_the_other_person_nothing_more() {
    let mut bench = Bench::game();
    say_and(
        &mut bench,
        "a",
        seat(2),
        "身份",
        refused(Refused::NotReachable),
    );
    let on_its_way = bench.say("b", seat(2), "夜");
    let mut newer = roster(2);
    newer.seats[2].user = UserId(33);
    let sent = bench.take(&ToPublish::Roster(newer));
    assert_eq!(messages(&sent), [(private(33), "【夜】".to_owned())]);
    let sent = bench.outcome(&on_its_way[0], refused(Refused::NotReachable));
    assert_eq!(messages(&sent), [(private(33), "【身份】".to_owned())]);
}

#[test]
fn an_unclear_private_send_is_repeated_once_with_a_mark() {
    let mut bench = Bench::game();
    let first = bench.say("a", seat(1), "身份");
    let again = bench.outcome(&first[0], unknown());
    assert_eq!(
        messages(&again),
        [(private(2), "（重发）【身份】".to_owned())]
    );
    let (Sent::Message(first), Sent::Message(second)) = (&first[0], &again[0]) else {
        panic!("{again:?}")
    };
    assert!(second.repeat && !first.repeat);
    assert_ne!(first.key, second.key);
    // Unclear again: somebody has to look.
    let told = messages(&bench.outcome(&again[0], unknown()));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, BOSS);
    assert!(
        told[0]
            .1
            .starts_with("鸣潮一：下面这条给2号 乙（2）的消息发不出去"),
        "{}",
        told[0].1
    );
    assert!(told[0].1.ends_with("【身份】"), "{}", told[0].1);
}

#[test]
fn an_unclear_public_notice_waits_for_the_director() {
    let mut bench = Bench::game();
    let told = messages(&say_and(
        &mut bench,
        "a",
        Audience::Square,
        "天亮了",
        unknown(),
    ));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, BOSS);
    assert!(
        told[0].1.contains("请看一下群里") && told[0].1.ends_with("【天亮了】"),
        "{}",
        told[0].1
    );
    // The square is not blocked by it.
    assert_eq!(messages(&bench.say("b", Audience::Square, "夜"))[0].0, ROOM);
}

#[test]
fn an_unclear_public_answer_is_let_go() {
    let mut bench = Bench::game();
    let mut answer = say("a", Audience::Square, "没看懂");
    answer.kind = SayKind::Answer;
    let sent = bench.take(&ToPublish::Say(answer));
    assert_eq!(bench.outcome(&sent[0], unknown()), []);
}

#[test]
fn what_the_square_refuses_follows_when_the_mute_is_lifted() {
    for why in [Refused::Muted, Refused::Removed, Refused::NoRight] {
        let mut bench = Bench::game();
        let told = messages(&say_and(
            &mut bench,
            "a",
            Audience::Square,
            "一",
            refused(why),
        ));
        assert_eq!(told.len(), 1, "{why:?}");
        assert_eq!(told[0].0, BOSS);
        assert!(
            told[0].1.starts_with("鸣潮一：机器人在群里"),
            "{}",
            told[0].1
        );
        // Now the platform says so itself: nothing is tried any more.
        let standing = |trouble| ToPublish::Standing {
            group: SQUARE,
            trouble,
        };
        assert_eq!(bench.take(&standing(Some(why))), []);
        assert_eq!(bench.say("b", Audience::Square, "二"), []);
        let sent = messages(&bench.take(&standing(None)));
        assert_eq!(
            sent,
            [(ROOM, "【一】".to_owned()), (ROOM, "【二】".to_owned())]
        );
        assert_eq!(bench.take(&standing(None)), []);
    }
}

#[test]
fn what_left_before_the_mute_does_not_lift_it() {
    let mut bench = Bench::game();
    let sent = bench.say("a", Audience::Square, "一");
    let standing = |trouble| ToPublish::Standing {
        group: SQUARE,
        trouble,
    };
    assert_eq!(
        messages(&bench.take(&standing(Some(Refused::Muted)))).len(),
        1
    );
    assert_eq!(bench.outcome(&sent[0], done()), []);
    assert_eq!(bench.say("b", Audience::Square, "二"), []);
}

#[test]
fn a_message_that_is_refused_for_itself_is_handed_to_the_directors() {
    let mut bench = Bench::game();
    let told = messages(&say_and(
        &mut bench,
        "a",
        seat(1),
        "身份",
        refused(Refused::Other),
    ));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].1.ends_with("请手动转告：\n【身份】"),
        "{}",
        told[0].1
    );
    // The person is not taken to be out of reach.
    assert_eq!(messages(&bench.say("b", seat(1), "夜"))[0].1, "【夜】");
}

#[test]
fn trouble_with_the_only_director_is_said_in_the_square_and_ends_there() {
    let mut bench = Bench::game();
    let sent = say_and(
        &mut bench,
        "a",
        Audience::Directors,
        "状态",
        refused(Refused::NotReachable),
    );
    assert_eq!(sent[0], Sent::Reach(DIRECTOR, false));
    let told = messages(&sent);
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, ROOM);
    assert!(told[0].1.contains("导演收不到"), "{}", told[0].1);
    // The square does not work either: what is for the director waits, and that is all.
    let Some(in_square) = sent.iter().find(|sent| matches!(sent, Sent::Message(_))) else {
        panic!("{sent:?}")
    };
    let probe = bench.outcome(in_square, refused(Refused::Muted));
    assert_eq!(messages(&probe), [(BOSS, "【状态】".to_owned())]);
    assert_eq!(bench.outcome(&probe[0], refused(Refused::NotReachable)), []);
}

#[test]
fn trouble_with_one_director_is_told_to_the_other() {
    let mut bench = Bench::game();
    let mut two = roster(2);
    two.directors.push(UserId(10_002));
    bench.take(&ToPublish::Roster(two));
    let sent = bench.say("a", Audience::Directors, "状态");
    assert_eq!(sent.len(), 2);
    let told = messages(&bench.outcome(&sent[0], refused(Refused::NotReachable)));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, private(10_002));
    let told = messages(&bench.outcome(&sent[1], unknown()));
    assert_eq!(told, [(private(10_002), "（重发）【状态】".to_owned())]);
}

#[test]
fn messages_of_trouble_bring_no_further_trouble() {
    let mut bench = Bench::game();
    let mut told = say_and(&mut bench, "a", seat(1), "身份", refused(Refused::Other));
    told = bench.outcome(&told[0], unknown());
    assert_eq!(messages(&told).len(), 1, "repeated once");
    assert_eq!(bench.outcome(&told[0], unknown()), []);
    let told = say_and(&mut bench, "b", seat(1), "夜", refused(Refused::Other));
    assert_eq!(bench.outcome(&told[0], refused(Refused::Other)), []);
}

#[test]
fn somebody_who_takes_no_part_is_known_to_be_out_of_reach_and_nobody_is_bothered() {
    let mut bench = Bench::game();
    let sent = say_and(
        &mut bench,
        "a",
        Audience::User(UserId(77)),
        "帮助",
        refused(Refused::NotReachable),
    );
    assert_eq!(sent, [Sent::Reach(UserId(77), false)]);
}

#[test]
fn marks_keep_messages_within_the_limit() {
    let mut bench = Bench::game();
    let sent = bench.say("a", seat(1), &"很".repeat(2000));
    for first in &sent {
        for again in bench.outcome(first, unknown()) {
            let Sent::Message(message) = again else {
                panic!()
            };
            assert!(text(&message).chars().count() <= 900);
        }
    }
}
