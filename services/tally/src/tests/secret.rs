//! A secret vote (redblack §投票规则, R1): nobody sees another's ballot.

use protocol::{Audience, Place, ToTally};
use rules::SeatSet;
use rules::book::Thread;
use serde_json::json;

use super::{Desk, seat, thread};

fn secret() -> Desk {
    let mut desk = Desk::quiet();
    let _ = desk.give(&ToTally::Thread(Thread {
        secret: true,
        must_vote: SeatSet::only(seat("戊")),
        ..thread()
    }));
    desk
}

#[test]
fn one_votes_in_private_and_only_the_voter_hears_of_it() {
    let mut desk = secret();
    let sent = desk.whisper("甲", "投 乙 因为丙这么说");
    assert_eq!(sent.whispered("甲", "vote/taken"), "甲投给乙，已记下。");
    let _ = desk
        .whisper("乙", "投票对象：丙\n投票理由：可疑")
        .whispered("乙", "vote/taken");
    let _ = desk.whisper("丙", "投3号").whispered("丙", "vote/taken");
    let _ = desk
        .whisper("van", "投 弃权")
        .whispered("van", "vote/taken");
    assert_eq!(
        desk.close(),
        [
            ("甲", Some("乙")),
            ("乙", Some("丙")),
            ("丙", Some("丙")),
            ("van", None)
        ]
    );
}

#[test]
fn a_vote_in_the_square_does_not_count_but_is_a_post() {
    let mut desk = secret();
    let words = desk
        .post("甲", "投票对象：乙")
        .answered("m1", "vote/in-private")
        .to_owned();
    assert!(!words.contains('乙'), "{words}");
    desk.post("甲", "投票 乙").answered("m2", "vote/in-private");
    let line = desk.line(Some(seat("甲")), Place::Group("狼群".to_owned()), "投 乙");
    let sent = desk.give(&ToTally::Line(line));
    assert_eq!(sent.told[0].to, Audience::Group("狼群".to_owned()));
    assert_eq!(sent.told[0].key, "vote/in-private");
    assert_eq!(desk.close(), []);
}

#[test]
fn a_change_in_private_is_asked_about_there_and_stays_there() {
    let mut desk = secret();
    let _ = desk.whisper("甲", "投 乙");
    let asked = desk.whisper("甲", "投 丙");
    assert!(asked.whispered("甲", "vote/confirm-secret").contains('丙'));
    assert_eq!(asked.log, Some(json!("asked")));
    let done = desk.whisper("甲", "确认");
    let _ = done.whispered("甲", "vote/confirmed");
    let _ = desk
        .whisper("甲", "投 van")
        .whispered("甲", "vote/changes-used-up");
    assert_eq!(desk.close(), [("甲", Some("丙"))]);
}

#[test]
fn what_cannot_be_read_is_answered_in_private() {
    let mut desk = secret();
    let words = desk.whisper("甲", "投 谁也不是");
    assert_eq!(words.told.len(), 1);
    assert!(matches!(words.told[0].to, Audience::User(_)));
    let _ = desk.whisper("甲", "投票").whispered("甲", "vote/form");
    assert_eq!(desk.close(), []);
}

#[test]
fn who_must_vote_cannot_abstain() {
    let mut desk = secret();
    let words = desk
        .whisper("戊", "投 弃权")
        .whispered("戊", "vote/must-vote")
        .to_owned();
    assert!(words.contains("弃权"), "{words}");
    let _ = desk.whisper("戊", "投 甲").whispered("戊", "vote/taken");
    let _ = desk.whisper("甲", "投 弃权").whispered("甲", "vote/taken");
    assert_eq!(desk.close(), [("甲", None), ("戊", Some("甲"))]);
}

#[test]
fn the_ballots_are_shown_to_nobody_but_the_directors() {
    let mut desk = secret();
    let _ = desk.whisper("甲", "投 乙");
    let public = desk
        .post("丙", "票型")
        .answered("m2", "vote/secret")
        .to_owned();
    assert!(!public.contains('甲') && !public.contains('乙'), "{public}");
    let own = desk
        .whisper("甲", "票型")
        .whispered("甲", "vote/own-ballot")
        .to_owned();
    assert!(own.contains('乙'), "{own}");
    let other = desk
        .whisper("丙", "票型")
        .whispered("丙", "vote/own-ballot")
        .to_owned();
    assert!(!other.contains('甲') && !other.contains('乙'), "{other}");
    let asks = desk.line(None, Place::Square, "票型");
    let square = desk.give(&ToTally::Line(asks));
    assert_eq!(square.told[0].key, "vote/secret");
    let asks = desk.line(None, Place::Private, "票型");
    let all = desk.give(&ToTally::Line(asks));
    assert!(all.told_director("vote/ballots").contains('甲'));
}

#[test]
fn a_red_card_voids_ballots_without_naming_their_voters() {
    let mut desk = secret();
    let _ = desk.whisper("甲", "投 乙");
    let _ = desk.whisper("丙", "投 甲");
    let sent = desk.change(|thread| thread.void_targets = SeatSet::only(seat("乙")));
    assert_eq!(sent.told.len(), 1);
    assert_eq!(sent.told[0].to, Audience::Seat(seat("甲")));
    assert_eq!(sent.told[0].key, "vote/voided-own");
    let _ = desk.whisper("甲", "投 丙").whispered("甲", "vote/taken");
    assert_eq!(desk.close(), [("甲", Some("丙")), ("丙", Some("甲"))]);
}

#[test]
fn the_directors_hand_is_not_shown_in_the_square() {
    let mut desk = secret();
    let line = desk.line(None, Place::Square, "代投");
    let sent = desk.give(&ToTally::ByHand {
        voter: seat("甲"),
        target: Some(seat("乙")),
        line,
    });
    assert_eq!(sent.told.len(), 1);
    assert_eq!(sent.told[0].to, Audience::Directors);
    assert_eq!(desk.close(), [("甲", Some("乙"))]);
}
