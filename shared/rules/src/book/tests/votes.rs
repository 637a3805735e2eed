//! First votes, who may cast them and when, and what else the book counts.

use super::*;

#[test]
fn a_vote_counts_once() {
    let mut book = open();
    assert_eq!(
        vote(&mut book, A, C, 20),
        Answer::Taken(ballot(A, C, 20, 0))
    );
    assert_eq!(
        vote(&mut book, A, D, 21),
        Answer::Refused(Refusal::AlreadyVoted)
    );
    assert_eq!(book.close().ballots, [ballot(A, C, 20, 0)]);
}

#[test]
fn what_counts_is_when_it_was_sent() {
    let mut book = open();
    assert_eq!(vote(&mut book, A, C, 9), Answer::Refused(Refusal::TooEarly));
    assert_eq!(
        vote(&mut book, A, C, 101),
        Answer::Refused(Refusal::TooLate)
    );
    assert!(
        matches!(vote(&mut book, A, C, 100), Answer::Taken(_)),
        "in the last second"
    );
    assert!(matches!(vote(&mut book, B, C, 10), Answer::Taken(_)));
    let closed = book.close();
    assert_eq!(
        vote(&mut book, D, C, 50),
        Answer::Refused(Refusal::TooLate),
        "the book is closed"
    );
    assert_eq!(book.close(), closed);
}

#[test]
fn only_voters_vote_and_only_for_the_choosable() {
    let mut book = open();
    changed(&mut book, |thread| {
        thread.voters.remove(E);
        thread.choosable.remove(D);
        thread.void_targets = SeatSet::only(C);
    });
    assert_eq!(
        vote(&mut book, E, A, 20),
        Answer::Refused(Refusal::NotAVoter)
    );
    assert_eq!(
        vote(&mut book, A, D, 20),
        Answer::Refused(Refusal::NotChoosable)
    );
    assert_eq!(
        vote(&mut book, A, C, 20),
        Answer::Refused(Refusal::NotChoosable)
    );
    assert!(matches!(
        post(&mut book, A, PostKind::First, Choice::Abstain, 20),
        Answer::Taken(_)
    ));
}

#[test]
fn votes_petitions_and_refused_posts_are_posts() {
    let mut book = open();
    book.talk(A, at(20));
    let _ = vote(&mut book, A, C, 21);
    let _ = vote(&mut book, A, D, 22);
    let _ = book.petition(A, Petition::Slower, at(23));
    book.talk(B, at(101));
    book.talk(C, at(9));
    assert_eq!(book.clone().close().posts, [(A, 4)]);

    let second = Book::follow(
        Thread {
            id: Turn(9),
            ..thread()
        },
        &book,
    );
    assert_eq!(
        second.clone().close().posts,
        [(A, 4)],
        "the same day goes on"
    );
    assert_eq!(second.ballots().count(), 0);
    let next_day = Book::follow(
        Thread {
            id: Turn(9),
            day: 2,
            ..thread()
        },
        &book,
    );
    assert_eq!(next_day.clone().close().posts, []);
}

#[test]
fn a_recalled_vote_stands_and_is_reported_once() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let _ = change(&mut book, A, D, 30);
    assert_eq!(book.recall(&id(20)), None, "it no longer counts");
    assert_eq!(book.recall(&id(30)), Some(ballot(A, D, 30, 1)));
    assert_eq!(
        book.recall(&id(30)),
        None,
        "platforms report a recall twice"
    );
    assert_eq!(book.close().ballots, [ballot(A, D, 30, 1)]);
}

#[test]
fn a_reply_to_any_own_vote_post_is_recognised() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let _ = change(&mut book, A, D, 30);
    let _ = vote(&mut book, A, B, 31);
    assert!(book.is_vote_post_of(A, &id(20)));
    assert!(book.is_vote_post_of(A, &id(30)));
    assert!(!book.is_vote_post_of(A, &id(31)), "it was refused");
    assert!(!book.is_vote_post_of(B, &id(20)), "it is another seat's");
}

#[test]
fn whoever_could_not_vote_anyway_is_told_so_first() {
    let mut book = open();
    changed(&mut book, |thread| thread.voters.remove(E));
    assert_eq!(book.admits(A, at(20)), Ok(()));
    assert_eq!(book.admits(E, at(20)), Err(Refusal::NotAVoter));
    assert_eq!(book.admits(A, at(101)), Err(Refusal::TooLate));
    let _ = vote(&mut book, A, C, 20);
    assert_eq!(
        book.admits(A, at(21)),
        Ok(()),
        "a second vote is another matter"
    );
    assert_eq!(book.ballot(A).map(|b| b.ballot), Some(ballot(A, C, 20, 0)));
    assert_eq!(book.ballot(B), None);
}
