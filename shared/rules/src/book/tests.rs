//! The rules of the book, one by one. Five seats; the door shuts at second 100, changes end at
//! 80, petitions at 60.

mod changes;
mod petitions;
mod threads;
mod votes;

use super::*;
use crate::ids::{Time, Turn};

const A: SeatId = SeatId(0);
const B: SeatId = SeatId(1);
const C: SeatId = SeatId(2);
const D: SeatId = SeatId(3);
const E: SeatId = SeatId(4);

const REPLY: PostKind = PostKind::Change { reply_to_own: true };
const NO_REPLY: PostKind = PostKind::Change {
    reply_to_own: false,
};

fn thread() -> Thread {
    Thread {
        id: Turn(7),
        version: 1,
        kind: ThreadKind::Day,
        day: 1,
        voters: SeatSet::first(5),
        choosable: SeatSet::first(5),
        changes: Some(1),
        changes_until: Some(Time(80_000)),
        sped_up: false,
        opens_at: Some(Time(10_000)),
        closes_at: Some(Time(100_000)),
        petitions_until: Some(Time(60_000)),
        paused: false,
        must_vote: SeatSet::EMPTY,
        secret: false,
        void_targets: SeatSet::EMPTY,
    }
}

fn open() -> Book {
    Book::open(thread())
}

/// The book after a change of its thread.
fn changed(book: &mut Book, how: impl FnOnce(&mut Thread)) -> SeatSet {
    let mut thread = book.thread().clone();
    thread.version += 1;
    how(&mut thread);
    book.change(thread)
}

fn at(secs: i64) -> Stamp {
    Stamp {
        secs,
        ..Stamp::default()
    }
}

fn id(secs: i64) -> PostId {
    PostId(format!("post {secs}"))
}

fn post(book: &mut Book, voter: SeatId, kind: PostKind, choice: Choice, secs: i64) -> Answer {
    let id = (kind != PostKind::ByHand).then(|| id(secs));
    book.post(&VotePost {
        voter,
        kind,
        choice,
        at: at(secs),
        id,
    })
}

fn vote(book: &mut Book, voter: SeatId, target: SeatId, secs: i64) -> Answer {
    post(book, voter, PostKind::First, Choice::Seat(target), secs)
}

fn change(book: &mut Book, voter: SeatId, target: SeatId, secs: i64) -> Answer {
    post(book, voter, REPLY, Choice::Seat(target), secs)
}

fn ballot(voter: SeatId, target: SeatId, secs: i64, changes: u8) -> Ballot {
    Ballot {
        voter,
        choice: Choice::Seat(target),
        at: at(secs),
        changes,
    }
}
