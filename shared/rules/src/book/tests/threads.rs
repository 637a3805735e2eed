//! What a change of the thread does to the book (G19, G27).

use super::*;

#[test]
fn a_red_card_voids_ballots_and_they_may_be_cast_again() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let _ = change(&mut book, A, D, 30);
    let _ = vote(&mut book, B, D, 30);
    let _ = vote(&mut book, E, C, 30);
    let voided = changed(&mut book, |thread| {
        thread.void_targets = SeatSet::only(D);
        thread.voters.remove(D);
        thread.choosable.remove(D);
    });
    assert_eq!(voided, SeatSet::only(A).with(B));
    assert_eq!(book.not_voted(), SeatSet::only(A).with(B).with(C));

    // In the last hour, sped up, without a change left, in either form.
    changed(&mut book, |thread| thread.sped_up = true);
    assert_eq!(
        change(&mut book, A, C, 90),
        Answer::Taken(ballot(A, C, 90, 1))
    );
    let closed = book.clone().close();
    assert_eq!(closed.ballots, [ballot(A, C, 90, 1), ballot(E, C, 30, 0)]);
    assert_eq!(closed.void, SeatSet::only(B));
    assert_eq!(
        vote(&mut book, B, C, 90),
        Answer::Taken(ballot(B, C, 90, 0))
    );
}

#[test]
fn a_sent_off_seats_own_ballot_is_gone() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    changed(&mut book, |thread| thread.voters.remove(A));
    assert_eq!(book.ballots().count(), 0);
    assert_eq!(book.close().ballots, []);
}

#[test]
fn a_pause_counts_nothing() {
    let mut book = open();
    changed(&mut book, |thread| thread.paused = true);
    book.talk(A, at(20));
    assert_eq!(vote(&mut book, A, C, 20), Answer::Refused(Refusal::Paused));
    let petition = book.petition(A, Petition::Faster, at(20));
    assert_eq!(petition, PetitionAnswer::Refused(Refusal::Paused));
    assert_eq!(book.close(), ClosedBook::default());
}

#[test]
fn only_a_newer_version_of_this_thread_replaces_it() {
    let mut book = open();
    let _ = vote(&mut book, A, C, 20);
    let stale = Thread {
        void_targets: SeatSet::only(C),
        ..thread()
    };
    let other = Thread {
        id: Turn(8),
        version: 9,
        ..stale.clone()
    };
    assert_eq!(book.change(stale.clone()), SeatSet::EMPTY);
    assert_eq!(book.change(other), SeatSet::EMPTY);
    assert_eq!(book.thread(), &thread());
    let closed = book.close();
    assert_eq!(
        book.change(Thread {
            version: 2,
            ..stale
        }),
        SeatSet::EMPTY,
        "closed is closed"
    );
    assert_eq!(book.close(), closed);
}
