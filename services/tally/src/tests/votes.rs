//! Votes and changes, by post, by confirmation and by the director's hand.

use protocol::{Audience, Place, SayKind, ToTally};
use rules::{SeatSet, Time, Turn};
use serde_json::json;

use super::{Desk, seat, thread};

#[test]
fn a_vote_is_taken_with_a_short_receipt() {
    let mut desk = Desk::open();
    let sent = desk.post("甲", "投票对象：乙\n投票理由：可疑");
    assert_eq!(sent.answered("m1", "vote/taken"), "甲投给乙，已记下。");
    assert_eq!(sent.log, Some(json!("taken")));
    let sent = desk.post("乙", "投票对象:弃权 投票理由:没想好");
    assert_eq!(sent.answered("m2", "vote/taken"), "乙弃权，已记下。");
    assert_eq!(desk.close(), [("甲", Some("乙")), ("乙", None)]);
}

#[test]
fn a_change_replies_to_the_own_vote_post() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let sent = desk.reply("甲", "m1", "改票对象：3号\n改票理由：听了发言");
    assert_eq!(
        sent.answered("m2", "vote/changed"),
        "甲改投丙，已记下。这一轮不能再改了。"
    );
    let sent = desk.reply("甲", "m2", "改票对象：戊");
    let words = sent.answered("m3", "vote/changes-used-up");
    assert_eq!(words, "你的改票机会已经用完，仍然算丙。");
    assert_eq!(
        sent.log,
        Some(json!({"refused": {"Book": "ChangesUsedUp"}}))
    );
    assert_eq!(desk.close(), [("甲", Some("丙"))]);
}

#[test]
fn a_change_that_lost_its_reply_waits_for_confirmation() {
    for quoted in [None, Some("m2"), Some("nothing of ours")] {
        let mut desk = Desk::open();
        let _ = desk.post("甲", "投票对象：乙");
        let _ = desk.post("乙", "投票对象：甲");
        let text = "改票对象：丙";
        let sent = match quoted {
            None => desk.post("甲", text),
            Some(quoted) => desk.reply("甲", quoted, text),
        };
        let [hint, question] = sent.told.as_slice() else {
            panic!("told {:?}", sent.told)
        };
        assert_eq!(
            (hint.key.as_str(), &hint.to),
            ("vote/needs-confirm", &Audience::Square)
        );
        assert_eq!(hint.reply_to.as_deref(), Some("m3"));
        assert_eq!(
            (question.key.as_str(), question.kind),
            ("vote/confirm", SayKind::Prompt)
        );
        assert_eq!(question.to, Audience::Seat(seat("甲")));
        assert!(question.words.contains("改投丙"), "{}", question.words);

        let sent = desk.whisper("甲", "/确认");
        let [here, square] = sent.told.as_slice() else {
            panic!("told {:?}", sent.told)
        };
        assert_eq!(here.key, "vote/confirmed");
        assert_eq!(
            (square.key.as_str(), &square.to),
            ("vote/changed", &Audience::Square)
        );
        assert_eq!(
            square.reply_to.as_deref(),
            Some("m3"),
            "the receipt quotes the change"
        );
        desk.whisper("甲", "确认")
            .whispered("甲", "vote/nothing-to-confirm");
        assert_eq!(desk.close(), [("甲", Some("丙")), ("乙", Some("甲"))]);
    }
}

#[test]
fn what_is_not_confirmed_does_not_count() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.post("甲", "改票对象：丙");
    desk.whisper("乙", "确认")
        .whispered("乙", "vote/nothing-to-confirm");
    assert_eq!(desk.close(), [("甲", Some("乙"))]);
    desk.whisper("甲", "确认").whispered("甲", "vote/too-late");
}

#[test]
fn a_confirmation_before_any_vote_confirms_nothing() {
    Desk::quiet()
        .whisper("甲", "确认")
        .whispered("甲", "vote/nothing-to-confirm");
}

#[test]
fn attempts_that_fail_are_answered_with_the_reason() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    desk.post("甲", "投票对象：丙")
        .answered("m2", "vote/already-voted");
    desk.post("乙", "改票对象：丙")
        .answered("m3", "vote/nothing-to-change");
    desk.post("乙", "投票给：丙").answered("m4", "vote/form");
    desk.post("乙", "投票对象：")
        .answered("m5", "vote/no-target");
    desk.post("乙", "投票对象：甲、丙")
        .answered("m6", "vote/several");
    let sent = desk.post("乙", "投票对象：vam");
    let words = sent.answered("m7", "vote/unknown");
    assert_eq!(
        words,
        "没有叫“vam”的人，这条没有算。是想投van吗？请重新发一次。"
    );

    let _ = desk.change(|thread| {
        thread.choosable = thread.choosable.without(seat("戊"));
        thread.voters = thread.voters.without(seat("戊"));
    });
    let sent = desk.post("乙", "投票对象：戊");
    assert_eq!(
        sent.answered("m8", "vote/not-choosable"),
        "戊现在不能投，请换一个人。"
    );
    desk.post("戊", "投票对象：乙")
        .answered("m9", "vote/not-a-voter");
    desk.post("戊", "投票：乙")
        .answered("m10", "vote/not-a-voter");
    assert_eq!(desk.close(), [("甲", Some("乙"))]);
}

#[test]
fn the_last_hour_and_a_speed_up_stop_changes() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.change(|thread| thread.sped_up = true);
    desk.reply("甲", "m1", "改票对象：丙")
        .answered("m2", "vote/sped-up");
    let _ = desk.change(|thread| thread.sped_up = false);
    desk.second = 80;
    let sent = desk.reply("甲", "m1", "改票对象：丙");
    assert!(
        sent.answered("m3", "vote/too-late-for-change")
            .ends_with("仍然算乙。")
    );
    desk.post("乙", "投票对象：丙").answered("m4", "vote/taken");
}

#[test]
fn late_posts_are_refused_and_told() {
    let mut desk = Desk::open();
    desk.second = 100;
    desk.post("甲", "投票对象：乙")
        .answered("m1", "vote/too-late");
    desk.second = 50;
    let _ = desk.close();
    desk.post("甲", "投票对象：乙")
        .answered("m2", "vote/too-late");
    desk.post("甲", "投票给乙").answered("m3", "vote/too-late");
    assert!(desk.post("甲", "晚安").ignored);
}

#[test]
fn posts_that_arrive_out_of_order_are_told_so() {
    let mut desk = Desk::open();
    desk.second = 50;
    let _ = desk.post("甲", "投票对象：乙");
    desk.second = 40;
    let sent = desk.reply("甲", "m1", "改票对象：丙");
    let words = sent.answered("m2", "vote/overtaken");
    assert_eq!(words, "你后来又发过一条，以那条为准：乙。");
}

#[test]
fn a_pause_takes_no_votes() {
    let mut desk = Desk::open();
    let _ = desk.change(|thread| thread.paused = true);
    desk.post("甲", "投票对象：乙")
        .answered("m1", "vote/paused");
    desk.post("甲", "申请加速")
        .answered("m2", "vote/petition-paused");
}

#[test]
fn without_a_vote_there_is_nothing_to_vote_in() {
    let mut desk = Desk::quiet();
    desk.post("甲", "投票对象：乙")
        .answered("m1", "vote/no-vote");
    desk.post("甲", "投票").answered("m2", "vote/no-vote");
    desk.post("甲", "申请加速")
        .answered("m3", "vote/petition-late");
    desk.post("甲", "票型").answered("m4", "vote/no-vote");
    assert!(desk.post("甲", "大家好").ignored);
    desk.by_hand("甲", Some("乙")).told_director("vote/no-vote");
}

#[test]
fn people_without_a_seat_are_ignored() {
    let mut desk = Desk::open();
    for text in ["投票对象：乙", "投票", "申请加速", "大家好", "确认"] {
        let sent = desk.stranger(text);
        sent.silent();
        assert!(sent.ignored, "{text}");
    }
    assert_eq!(desk.close(), []);
}

#[test]
fn people_without_a_seat_are_answered_in_private() {
    let mut desk = Desk::open();
    for (text, key) in [
        ("确认", "vote/nothing-to-confirm"),
        ("投 乙", "vote/not-a-voter"),
    ] {
        let line = desk.line(None, Place::Private, text);
        desk.give(&ToTally::Line(line)).told_director(key);
    }
}

#[test]
fn voting_in_private_is_refused_without_repeating_it() {
    let mut desk = Desk::open();
    for text in ["投 乙 可疑", "投 谁也不是", "投"] {
        let sent = desk.whisper("甲", text);
        let words = sent.whispered("甲", "vote/in-public");
        assert!(!words.contains('乙'), "{words}");
    }
    assert_eq!(desk.close(), []);
}

#[test]
fn the_directors_hand() {
    let mut desk = Desk::open();
    let sent = desk.by_hand("甲", Some("乙"));
    assert_eq!(sent.told_director("vote/by-hand"), "已为甲代投：乙。");
    let sent = desk.by_hand("甲", None);
    assert_eq!(sent.told_director("vote/by-hand"), "已为甲改票：弃权。");
    let sent = desk.by_hand("甲", Some("丙"));
    let words = sent.told_director("vote/changes-used-up");
    assert_eq!(words, "甲的改票机会已经用完，仍然算弃权。");
    desk.second = 80;
    desk.by_hand("丙", Some("乙"))
        .told_director("vote/too-late-by-hand");
    assert_eq!(desk.close(), [("甲", None)]);
}

#[test]
fn a_change_of_what_the_director_cast_needs_confirmation() {
    let mut desk = Desk::open();
    let _ = desk.by_hand("甲", Some("乙"));
    assert_eq!(desk.post("甲", "改票对象：丙").log, Some(json!("asked")));
    let _ = desk.whisper("甲", "确认");
    assert_eq!(desk.close(), [("甲", Some("丙"))]);
}

#[test]
fn a_red_card_voids_ballots_in_the_open() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：van");
    let _ = desk.post("乙", "投票对象：van");
    let sent = desk.change(|thread| {
        thread.void_targets = SeatSet::only(seat("van"));
        thread.voters = thread.voters.without(seat("van"));
        thread.choosable = thread.choosable.without(seat("van"));
    });
    let [told] = sent.told.as_slice() else {
        panic!("told {:?}", sent.told)
    };
    assert_eq!(
        (told.key.as_str(), &told.to),
        ("vote/voided", &Audience::Square)
    );
    assert!(told.words.contains("甲、乙"), "{}", told.words);
    desk.post("甲", "投票对象：丙").answered("m3", "vote/taken");
    desk.post("乙", "投票对象：van")
        .answered("m4", "vote/not-choosable");
    assert_eq!(desk.close(), [("甲", Some("丙"))]);
}

#[test]
fn mentions_name_seats() {
    let mut desk = Desk::open();
    desk.post("甲", "投票对象：@10003 投票理由：他")
        .answered("m1", "vote/taken");
    assert_eq!(desk.close(), [("甲", Some("丙"))]);
}

#[test]
fn the_ballots_so_far_are_shown_where_they_were_asked_for() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.post("丙", "投票对象：乙");
    let _ = desk.post("乙", "投票对象：弃权");
    let _ = desk.post("van", "投票对象：丙");
    let sent = desk.post("戊", "票型");
    let words = sent.answered("m5", "vote/ballots");
    assert_eq!(
        words,
        "目前的票型：\n乙（2）：甲、丙\n丙（1）：van\n弃权（1）：乙\n未投：戊"
    );
    desk.whisper("戊", "票型").whispered("戊", "vote/ballots");
    let _ = desk.stranger("票型").answered("m7", "vote/ballots");
    let _ = desk.close();
    let sent = desk.post("戊", "票型");
    assert!(
        sent.answered("m8", "vote/ballots")
            .starts_with("投票已截止")
    );
}

#[test]
fn a_new_day_begins_with_an_empty_book() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.close();
    let closes_at = Some(Time(900_000));
    let _ = desk.give(&ToTally::Thread(rules::book::Thread {
        id: Turn(5),
        day: 2,
        closes_at,
        changes_until: None,
        ..thread()
    }));
    desk.second = 300;
    desk.reply("甲", "m1", "改票对象：丙")
        .answered("m2", "vote/nothing-to-change");
    desk.post("甲", "投票对象：丙").answered("m3", "vote/taken");
}
