//! Changes: how often, until when, by which post.

use super::*;

#[test]
fn a_vote_may_be_changed_once_by_a_reply() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let answer = change(&mut book, A, D, 30);
    assert_eq!(
        answer,
        Answer::Changed {
            ballot: ballot(A, D, 30, 1),
            left: Some(0)
        }
    );
    assert_eq!(
        change(&mut book, A, B, 31),
        Answer::Refused(Refusal::ChangesUsedUp)
    );
    assert_eq!(book.close().ballots, [ballot(A, D, 30, 1)]);
}

#[test]
fn a_board_can_allow_any_number_of_changes() {
    let mut book = open();
    changed(&mut book, |thread| thread.changes = None);
    let _ = vote(&mut book, A, B, 20);
    for secs in 21..60 {
        let answer = change(&mut book, A, C, secs);
        assert!(
            matches!(answer, Answer::Changed { left: None, .. }),
            "{answer:?}"
        );
    }
    assert!(book.is_vote_post_of(A, &id(59)));
    assert!(
        !book.is_vote_post_of(A, &id(20)),
        "a page does not grow without end"
    );
}

#[test]
fn a_change_needs_a_vote() {
    let mut book = open();
    for kind in [REPLY, NO_REPLY] {
        let answer = post(&mut book, A, kind, Choice::Abstain, 20);
        assert_eq!(answer, Answer::Refused(Refusal::NothingToChange));
    }
}

#[test]
fn a_change_without_its_reply_link_counts_from_its_post_once_confirmed() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    assert_eq!(
        post(&mut book, A, NO_REPLY, Choice::Seat(D), 79),
        Answer::NeedsConfirm
    );
    assert_eq!(
        book.ballots().next().map(|b| b.ballot),
        Some(ballot(A, C, 20, 0))
    );

    // In the last hour, but the post was in time.
    let answer = book.confirm(A, at(99));
    assert_eq!(
        answer,
        Answer::Changed {
            ballot: ballot(A, D, 79, 1),
            left: Some(0)
        }
    );
    assert_eq!(book.post_of(A), Some(&id(79)));
    assert_eq!(
        book.confirm(A, at(99)),
        Answer::Refused(Refusal::NothingToConfirm)
    );
}

#[test]
fn a_confirmation_waits_for_the_newest_question() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let _ = post(&mut book, A, NO_REPLY, Choice::Seat(D), 40);
    let older = post(&mut book, A, NO_REPLY, Choice::Seat(B), 30);
    assert_eq!(older, Answer::Refused(Refusal::Overtaken));
    let _ = post(&mut book, A, NO_REPLY, Choice::Seat(E), 50);
    let answer = book.confirm(A, at(60));
    assert_eq!(
        answer,
        Answer::Changed {
            ballot: ballot(A, E, 50, 1),
            left: Some(0)
        }
    );
}

#[test]
fn a_confirmation_is_decided_anew() {
    let asked = || {
        let mut book = open();
        let _ = vote(&mut book, A, C, 20);
        let _ = post(&mut book, A, NO_REPLY, Choice::Seat(D), 30);
        book
    };

    let mut book = asked();
    changed(&mut book, |thread| thread.void_targets = SeatSet::only(D));
    assert_eq!(
        book.confirm(A, at(40)),
        Answer::Refused(Refusal::NotChoosable)
    );

    let mut book = asked();
    let _ = change(&mut book, A, E, 35);
    assert_eq!(book.confirm(A, at(40)), Answer::Refused(Refusal::Overtaken));

    let mut book = asked();
    assert_eq!(book.confirm(A, at(101)), Answer::Refused(Refusal::TooLate));

    // A pause keeps the question open.
    let mut book = asked();
    changed(&mut book, |thread| thread.paused = true);
    assert_eq!(book.confirm(A, at(40)), Answer::Refused(Refusal::Paused));
    changed(&mut book, |thread| thread.paused = false);
    assert!(matches!(book.confirm(A, at(41)), Answer::Changed { .. }));

    // The post came before the speed-up.
    let mut book = asked();
    changed(&mut book, |thread| thread.sped_up = true);
    assert!(matches!(book.confirm(A, at(40)), Answer::Changed { .. }));

    // The ballot that was to be changed is void: the new one uses up no change.
    let mut book = asked();
    changed(&mut book, |thread| thread.void_targets = SeatSet::only(C));
    assert_eq!(book.confirm(A, at(40)), Answer::Taken(ballot(A, D, 30, 0)));
}

#[test]
fn the_last_hour_takes_first_votes_only() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    assert!(matches!(vote(&mut book, B, C, 80), Answer::Taken(_)));
    assert_eq!(
        change(&mut book, A, D, 80),
        Answer::Refused(Refusal::TooLateForChange)
    );
    let by_hand = post(&mut book, C, PostKind::ByHand, Choice::Seat(A), 80);
    assert_eq!(by_hand, Answer::Refused(Refusal::TooLateByHand));
    assert!(
        matches!(change(&mut book, A, D, 79), Answer::Changed { .. }),
        "sent in time"
    );
}

#[test]
fn a_speed_up_stops_changes_not_votes() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    changed(&mut book, |thread| thread.sped_up = true);
    for kind in [REPLY, NO_REPLY, PostKind::ByHand] {
        let answer = post(&mut book, A, kind, Choice::Seat(D), 30);
        assert_eq!(answer, Answer::Refused(Refusal::SpedUp), "{kind:?}");
    }
    assert!(matches!(vote(&mut book, B, C, 30), Answer::Taken(_)));
    assert!(matches!(
        post(&mut book, D, PostKind::ByHand, Choice::Abstain, 30),
        Answer::Taken(_)
    ));
}

#[test]
fn the_directors_hand_votes_and_changes_like_the_seat() {
    let mut book = open();
    let first = post(&mut book, A, PostKind::ByHand, Choice::Seat(C), 20);
    assert_eq!(first, Answer::Taken(ballot(A, C, 20, 0)));
    assert_eq!(book.post_of(A), None);
    let second = post(&mut book, A, PostKind::ByHand, Choice::Seat(D), 30);
    assert_eq!(
        second,
        Answer::Changed {
            ballot: ballot(A, D, 30, 1),
            left: Some(0)
        }
    );
    let third = post(&mut book, A, PostKind::ByHand, Choice::Seat(B), 40);
    assert_eq!(third, Answer::Refused(Refusal::ChangesUsedUp));
    assert_eq!(book.close().posts, [], "no posts of the seat");
}

#[test]
fn an_earlier_post_that_arrives_later_is_overtaken() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 30);
    assert_eq!(
        vote(&mut book, A, D, 20),
        Answer::Refused(Refusal::Overtaken)
    );
    assert_eq!(
        change(&mut book, A, D, 29),
        Answer::Refused(Refusal::Overtaken)
    );
    let later = VotePost {
        voter: A,
        kind: REPLY,
        choice: Choice::Seat(D),
        at: Stamp {
            secs: 30,
            seq: 1,
            arrival: 0,
            scene: 0,
        },
        id: Some(id(30)),
    };
    assert!(
        matches!(book.post(&later), Answer::Changed { .. }),
        "the same second, but after it"
    );
}
