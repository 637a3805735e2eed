//! The tally and its voters.

use rules::book::{
    Answer, Book, Choice, ClosedBook, Petition, PetitionAnswer, PostKind, Thread, VotePost,
};
use rules::{Act, SeatId, Stamp};

use crate::player::Habits;
use crate::rng::Rng;

/// The book of the thread that is open, and who has still to post.
#[derive(Debug, Clone, Default)]
pub(crate) struct Voting {
    book: Option<Book>,
    waiting: Vec<SeatId>,
    favourite: Option<SeatId>,
}

impl Voting {
    /// Opens the thread's book, or takes its change.
    pub(crate) fn keep_up(&mut self, thread: Thread, rng: &mut Rng) {
        match &mut self.book {
            Some(book) if book.thread().id == thread.id => {
                let void = book.change(thread);
                self.waiting.extend(void.iter());
            }
            earlier => {
                self.waiting = thread.voters.iter().collect();
                rng.shuffle(&mut self.waiting);
                self.favourite = rng.seat(thread.choosable);
                self.book = Some(match earlier.take() {
                    Some(earlier) => Book::follow(thread, &earlier),
                    None => Book::open(thread),
                });
            }
        }
    }

    /// Has somebody still to post?
    pub(crate) fn goes_on(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// One voter talks, votes, perhaps changes the vote or asks for another length of the day.
    pub(crate) fn one(&mut self, habits: &Habits, rng: &mut Rng, at: Stamp) -> Option<Act> {
        let voter = self.waiting.pop()?;
        let book = self.book.as_mut()?;
        for _ in 0..5 + rng.below(8) {
            book.talk(voter, at);
        }
        if rng.chance(habits.vote) {
            let choice = Self::choice(self.favourite, book, habits, rng);
            let first = Self::post(book, voter, PostKind::First, choice, at);
            if matches!(first, Answer::Taken(_)) && rng.chance(200) {
                let reply_to_own = !rng.chance(100);
                let choice = Self::choice(None, book, habits, rng);
                let kind = PostKind::Change { reply_to_own };
                if Self::post(book, voter, kind, choice, at) == Answer::NeedsConfirm {
                    let _ = book.confirm(voter, at);
                }
            }
        }
        if rng.chance(habits.petition) {
            let faster = rng.chance(500);
            let what = if faster {
                Petition::Faster
            } else {
                Petition::Slower
            };
            if let PetitionAnswer::Holds { .. } = book.petition(voter, what, at) {
                let thread = book.thread().id;
                return Some(Act::Petition { thread, faster });
            }
        }
        None
    }

    fn post(book: &mut Book, voter: SeatId, kind: PostKind, choice: Choice, at: Stamp) -> Answer {
        book.post(&VotePost {
            voter,
            kind,
            choice,
            at,
            id: None,
        })
    }

    fn choice(favourite: Option<SeatId>, book: &Book, habits: &Habits, rng: &mut Rng) -> Choice {
        if rng.chance(50) {
            return Choice::Abstain;
        }
        let follows = rng.chance(habits.follow);
        favourite
            .filter(|_| follows)
            .or_else(|| rng.seat(book.thread().choosable))
            .map_or(Choice::Abstain, Choice::Seat)
    }

    /// What the book says at the end.
    pub(crate) fn close(&mut self) -> ClosedBook {
        self.book.as_mut().map(Book::close).unwrap_or_default()
    }
}
