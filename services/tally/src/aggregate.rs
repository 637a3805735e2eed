//! A game as tally keeps it.

use chat::{Names, SeatName, Vocabulary};
use kit::{Aggregate, Effects, LoadError};
use protocol::{Roster, RosterState, Service, ToTally};
use rules::SeatSet;
use rules::book::{Book, Choice, Thread};
use serde::{Deserialize, Serialize};

/// How many books are kept: the newest, which takes the posts, and a few before it that night
/// may still ask for.
const BOOKS_KEPT: usize = 4;

/// The format of snapshots that this build writes.
const FORMAT: u32 = 1;

/// The votes, posts and petitions of one game.
#[derive(Debug)]
pub struct Tally {
    pub(crate) key: String,
    roster: Option<Roster>,
    /// What the seats are called; made from the roster.
    pub(crate) known: Vocabulary,
    /// Oldest first.
    pub(crate) books: Vec<Book>,
    /// How many things were said so far; names the next one.
    pub(crate) said: u64,
    over: bool,
}

/// What a snapshot holds.
#[derive(Serialize, Deserialize)]
struct Saved {
    format: u32,
    roster: Option<Roster>,
    books: Vec<Book>,
    said: u64,
    over: bool,
}

impl Aggregate for Tally {
    const SERVICE: Service = Service::Tally;
    const IS_OVER: Option<fn(&Self) -> bool> = Some(|tally| tally.over);
    type Input = ToTally;
    type Env = ();

    fn new((): &(), key: &str) -> Self {
        Self {
            key: key.to_owned(),
            roster: None,
            known: Vocabulary::default(),
            books: Vec::new(),
            said: 0,
            over: false,
        }
    }

    fn handle(&mut self, (): &(), input: &ToTally) -> Effects {
        match input {
            // Night still waits for the answer of a book that it asked for at the very end.
            ToTally::Close { thread } => self.close(*thread),
            _ if self.over => Effects::ignored(),
            ToTally::Roster(roster) => self.take_roster(roster),
            ToTally::Thread(thread) => self.take_thread(thread),
            ToTally::Line(line) => self.line(line),
            ToTally::ByHand {
                voter,
                target,
                line,
            } => self.by_hand(*voter, *target, line),
            ToTally::Recalled { message } => self.recalled(message),
            ToTally::Over => self.end(),
        }
    }

    fn save(&self) -> Vec<u8> {
        let saved = Saved {
            format: FORMAT,
            roster: self.roster.clone(),
            books: self.books.clone(),
            said: self.said,
            over: self.over,
        };
        serde_json::to_vec(&saved).expect("plain data always serializes")
    }

    fn load((): &(), key: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        let saved: Saved =
            serde_json::from_slice(bytes).map_err(|error| LoadError(error.to_string()))?;
        if saved.format != FORMAT {
            return Err(LoadError(format!("format {} is not known", saved.format)));
        }
        let known = saved.roster.as_ref().map(vocabulary).unwrap_or_default();
        let Saved {
            roster,
            books,
            said,
            over,
            ..
        } = saved;
        Ok(Self {
            key: key.to_owned(),
            roster,
            known,
            books,
            said,
            over,
        })
    }
}

impl Tally {
    /// The book that takes what is posted now, open or closed.
    pub(crate) fn book(&self) -> Option<&Book> {
        self.books.last()
    }

    /// Is the vote that takes posts now, or took the last ones, secret (R1)?
    pub(crate) fn is_secret(&self) -> bool {
        self.book().is_some_and(|book| book.thread().secret)
    }

    pub(crate) fn book_mut(&mut self) -> Option<&mut Book> {
        self.books.last_mut()
    }

    pub(crate) fn aliases(&self, seats: SeatSet) -> Vec<String> {
        seats.iter().map(|seat| self.known.alias(seat)).collect()
    }

    /// The alias of who is chosen; `None` for 弃权, as the templates have it.
    pub(crate) fn chosen(&self, choice: Choice) -> Option<String> {
        match choice {
            Choice::Seat(seat) => Some(self.known.alias(seat)),
            Choice::Abstain => None,
        }
    }

    /// Puts a book for the thread on top, unless the thread is older than the newest one.
    pub(crate) fn open(&mut self, thread: &Thread) -> Effects {
        let newest = self.book();
        if newest.is_some_and(|book| thread.id < book.thread().id) {
            return Effects::ignored();
        }
        let book = match newest {
            Some(earlier) => Book::follow(thread.clone(), earlier),
            None => Book::open(thread.clone()),
        };
        self.books.push(book);
        if self.books.len() > BOOKS_KEPT {
            self.books.remove(0);
        }
        Effects {
            snapshot: true,
            ..Effects::default()
        }
    }

    /// Do people still sign up?
    pub(crate) fn is_lobby(&self) -> bool {
        let roster = self.roster.as_ref();
        roster.is_some_and(|roster| roster.state == RosterState::Lobby)
    }

    fn take_roster(&mut self, roster: &Roster) -> Effects {
        if self
            .roster
            .as_ref()
            .is_some_and(|known| roster.version <= known.version)
        {
            return Effects::ignored();
        }
        self.known = vocabulary(roster);
        self.roster = Some(roster.clone());
        Effects::default()
    }

    fn end(&mut self) -> Effects {
        self.over = true;
        Effects {
            snapshot: true,
            ..Effects::default()
        }
    }
}

/// Of a roster's seats alone: no word of the board names a seat.
fn vocabulary(roster: &Roster) -> Vocabulary {
    let last = roster.seats.iter().map(|seat| seat.seat.index()).max();
    let nobody = SeatName {
        alias: String::new(),
        user: None,
    };
    let mut names = vec![nobody; last.map_or(0, |last| last + 1)];
    for seat in &roster.seats {
        names[seat.seat.index()] = SeatName {
            alias: seat.alias.clone(),
            user: Some(seat.user.0),
        };
    }
    Vocabulary::new(Names::default(), names)
}
