//! Night's orders, petitions, posts, recalls, the end.

use protocol::{Audience, MessageRef, RosterSeat, ToNight, ToTally, UserId};
use rules::book::{ClosedBook, Thread};
use rules::{SeatId, Time, Turn};

use super::{ALIASES, Desk, roster, seat, thread};

fn closed(desk: &mut Desk, thread: Turn) -> ClosedBook {
    let sent = desk.give(&ToTally::Close { thread });
    match sent.night.as_slice() {
        [
            ToNight::Book {
                thread: answered,
                book,
            },
        ] if *answered == thread => book.clone(),
        other => panic!("night was sent {other:?}"),
    }
}

#[test]
fn every_post_of_a_seat_is_counted() {
    let mut desk = Desk::open();
    desk.post("甲", "大家好").silent();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.post("甲", "投票：乱写");
    let _ = desk.post("甲", "申请加速");
    let _ = desk.post("乙", "");
    let _ = desk.whisper("丙", "确认");
    let _ = desk.stranger("路过");
    let book = closed(&mut desk, Turn(1));
    assert_eq!(book.posts, [(seat("甲"), 4), (seat("乙"), 1)]);
    assert_eq!(
        closed(&mut desk, Turn(1)),
        book,
        "asked again, answered the same"
    );
}

#[test]
fn a_second_vote_of_the_day_goes_on_counting_posts() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "大家好");
    let _ = desk.give(&ToTally::Thread(Thread {
        id: Turn(4),
        ..thread()
    }));
    let _ = desk.post("甲", "还在吗");
    assert_eq!(closed(&mut desk, Turn(4)).posts, [(seat("甲"), 2)]);
    assert_eq!(closed(&mut desk, Turn(1)).posts, [(seat("甲"), 1)]);
}

#[test]
fn a_thread_that_is_not_known_closes_empty() {
    assert_eq!(closed(&mut Desk::quiet(), Turn(9)), ClosedBook::default());
}

#[test]
fn threads_only_move_on() {
    let mut desk = Desk::open();
    let _ = desk.give(&ToTally::Thread(Thread {
        id: Turn(4),
        ..thread()
    }));
    let _ = desk.post("甲", "投票对象：乙");
    let stale = desk.give(&ToTally::Thread(Thread {
        id: Turn(3),
        ..thread()
    }));
    assert!(stale.ignored);
    desk.give(&ToTally::Thread(Thread {
        id: Turn(1),
        version: 2,
        paused: true,
        ..thread()
    }))
    .silent();
    desk.post("乙", "投票对象：甲").answered("m2", "vote/taken");
    assert_eq!(closed(&mut desk, Turn(4)).ballots.len(), 2);
    assert_eq!(
        closed(&mut desk, Turn(1)).ballots,
        [],
        "the first thread got none of it"
    );
}

#[test]
fn half_of_the_voters_carry_a_petition_to_night_once() {
    let mut desk = Desk::open();
    let sent = desk.post("甲", "申请加速！");
    let words = sent.answered("m1", "vote/petition-noted");
    assert_eq!(words, "记下了，申请加速：1/3。");
    let sent = desk.post("甲", "申请加速");
    assert!(
        sent.answered("m2", "vote/petition-noted")
            .starts_with("你已经申请过了")
    );
    let _ = desk.post("乙", "申请加速");
    let sent = desk.post("丙", "申请加速");
    sent.answered("m4", "vote/petition-holds");
    let holds = ToNight::Petition {
        thread: Turn(1),
        faster: true,
        at: Time(14_000),
    };
    assert_eq!(sent.night, [holds]);
    let sent = desk.post("戊", "申请加速");
    sent.answered("m5", "vote/petition-held");
    assert_eq!(sent.night, []);
    let words = desk.post("戊", "申请延时，没聊完");
    assert_eq!(
        words.answered("m6", "vote/petition-noted"),
        "记下了，申请延时：1/3。"
    );
}

#[test]
fn petitions_that_come_too_late_or_from_outside_are_refused() {
    let mut desk = Desk::open();
    let _ = desk.change(|thread| thread.voters = thread.voters.without(seat("戊")));
    desk.post("戊", "申请加速")
        .answered("m1", "vote/petition-not-you");
    desk.second = 60;
    desk.post("甲", "申请加速")
        .answered("m2", "vote/petition-late");
}

#[test]
fn a_recalled_vote_stands_and_the_directors_hear_of_it_once() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let _ = desk.post("甲", "闲聊");
    let recall = |n: u32| ToTally::Recalled {
        message: MessageRef(format!("m{n}")),
    };
    assert!(desk.give(&recall(2)).ignored);
    assert!(desk.give(&recall(99)).ignored);
    let sent = desk.give(&recall(1));
    let [told] = sent.told.as_slice() else {
        panic!("told {:?}", sent.told)
    };
    assert_eq!(told.to, Audience::Directors);
    assert_eq!(told.words, "甲撤回了投票帖，票照算：乙。");
    assert!(desk.give(&recall(1)).ignored);
    assert_eq!(desk.close(), [("甲", Some("乙"))]);
}

#[test]
fn a_newer_roster_renames_and_an_older_one_does_not() {
    let mut desk = Desk::open();
    let mut next = roster();
    next.version = 3;
    next.seats[1] = RosterSeat {
        seat: SeatId(1),
        alias: "阿乙".to_owned(),
        user: UserId(77),
    };
    let _ = desk.give(&ToTally::Roster(next));
    assert!(desk.give(&ToTally::Roster(roster())).ignored);
    let sent = desk.post("甲", "投票对象：@77");
    assert_eq!(sent.answered("m1", "vote/taken"), "甲投给阿乙，已记下。");
}

#[test]
fn after_the_end_only_books_are_answered() {
    let mut desk = Desk::open();
    let _ = desk.post("甲", "投票对象：乙");
    let is_over = <crate::Tally as kit::Aggregate>::IS_OVER.unwrap();
    assert!(!is_over(&desk.tally));
    let _ = desk.give(&ToTally::Over);
    assert!(is_over(&desk.tally));
    for text in ["投票对象：丙", "票型", "申请加速", "大家好"] {
        assert!(desk.post("丙", text).ignored, "{text}");
    }
    assert!(
        desk.give(&ToTally::Thread(Thread {
            id: Turn(8),
            ..thread()
        }))
        .ignored
    );
    assert_eq!(closed(&mut desk, Turn(1)).ballots.len(), 1);
}

#[test]
fn few_books_are_kept() {
    let mut desk = Desk::open();
    for turn in 2..40 {
        let _ = desk.give(&ToTally::Thread(Thread {
            id: Turn(turn),
            ..thread()
        }));
        for who in ALIASES {
            let _ = desk.post(who, "投票对象：甲");
        }
        desk.second = 10;
    }
    assert!(desk.tally.books.len() <= 4);
    assert_eq!(closed(&mut desk, Turn(39)).ballots.len(), ALIASES.len());
}
