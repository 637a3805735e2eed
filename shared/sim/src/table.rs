//! A table to play by hand: games of a few lines for tests.

use std::sync::Arc;

use rules::book::{Ballot, Choice, ClosedBook};
use rules::{
    Act, Board, Game, Input, Notice, Order, PhaseKind, Refusal, SeatId, SeatSetup, Setup, SkillId,
    Stamp, StateId, Time, Word,
};

use crate::setting::{START, setup};

/// What an input brought.
pub type Answer = Result<Vec<Notice>, Refusal>;

/// A game with somebody who keeps its time. Seats are counted from 1, as people see them.
/// Methods panic when a name is not on the board.
#[derive(Debug, Clone)]
pub struct Table {
    /// The game.
    pub game: Game,
    /// Now.
    pub now: Time,
    arrival: u64,
}

impl Table {
    /// Deals these roles in seat order and begins the opening on this calendar.
    pub fn open(board: &Arc<Board>, calendar: &str, roles: &[&str]) -> Self {
        let of = |name: &&str| SeatSetup {
            role: board.role(name).unwrap_or_else(|e| panic!("{e}")),
            faction: None,
        };
        Self::start(Setup {
            seats: roles.iter().map(of).collect(),
            ..setup(board, calendar, 1)
        })
    }

    /// Begins the opening of the game of this setup.
    pub fn start(setup: Setup) -> Self {
        let (game, _) = Game::new(setup);
        let mut table = Self {
            game,
            now: START,
            arrival: 0,
        };
        table.must(Act::Director(Order::Start));
        table
    }

    /// Something happens now.
    pub fn act(&mut self, act: Act) -> Answer {
        self.arrival += 1;
        self.game.apply(&Input {
            now: self.now,
            stamp: Stamp {
                secs: self.now.0 / 1000,
                seq: 0,
                arrival: self.arrival,
                scene: 0,
            },
            act,
        })
    }

    /// Something happens now and must be taken.
    pub fn must(&mut self, act: Act) -> Vec<Notice> {
        let shown = format!("{act:?}");
        self.act(act)
            .unwrap_or_else(|why| panic!("{shown} in {}: {why:?}", self.game.phase()))
    }

    /// A seat sends a skill.
    pub fn send(&mut self, seat: u8, skill: &str, targets: &[u8]) -> Answer {
        let act = Act::Use {
            seat: at(seat),
            skill: self.skill(skill),
            words: targets.iter().map(|t| Word::Seat(at(*t))).collect(),
        };
        self.act(act)
    }

    /// A seat sends a skill, and it must be taken.
    pub fn sends(&mut self, seat: u8, skill: &str, targets: &[u8]) -> Vec<Notice> {
        self.send(seat, skill, targets)
            .unwrap_or_else(|why| panic!("{seat} {skill} {targets:?}: {why:?}"))
    }

    /// The director orders something, and it must be taken.
    pub fn order(&mut self, order: Order) -> Vec<Notice> {
        self.must(Act::Director(order))
    }

    /// The open window ends at its time; a vote ends with these ballots.
    pub fn close_with(&mut self, ballots: &[(u8, u8)]) -> Vec<Notice> {
        let mut told = match self.game.deadline() {
            Some((turn, at)) => {
                self.now = self.now.max(at);
                self.must(Act::Clock { turn })
            }
            None if self.game.awaits_book().is_none() => self.order(Order::Next),
            None => Vec::new(),
        };
        if let Some(thread) = self.game.awaits_book() {
            let mut book = book(ballots);
            let posts = self.game.all().map(|s| (s, 20));
            book.posts = posts.collect();
            told.extend(self.must(Act::BookClosed { thread, book }));
        }
        told
    }

    /// The open window ends at its time; nobody votes.
    pub fn close(&mut self) -> Vec<Notice> {
        self.close_with(&[])
    }

    /// Windows end until a phase of this kind has begun anew (or the game is over).
    pub fn until(&mut self, kind: PhaseKind) -> Vec<Notice> {
        let mut told = Vec::new();
        for _ in 0..100 {
            let before = self.game.phase();
            told.extend(self.close());
            let now = self.game.phase();
            if self.game.ending().is_some() || (now.kind == kind && now != before) {
                return told;
            }
        }
        panic!("{} does not come", kind.word());
    }

    /// Windows end until the window of this name is open.
    pub fn until_window(&mut self, name: &str) -> Vec<Notice> {
        let window = self.game.board().window(name);
        let window = window.unwrap_or_else(|e| panic!("{e}"));
        let mut told = Vec::new();
        for _ in 0..100 {
            if self.game.window() == Some(window) {
                return told;
            }
            told.extend(self.close());
        }
        panic!("{name} does not open");
    }

    /// A skill of the board.
    pub fn skill(&self, name: &str) -> SkillId {
        self.game
            .board()
            .skill(name)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// A state of the board.
    pub fn state(&self, name: &str) -> StateId {
        self.game
            .board()
            .state(name)
            .unwrap_or_else(|e| panic!("{e}"))
    }

    /// Who is out so far, in the order in which they went.
    pub fn out(&self) -> Vec<u16> {
        self.game.outs().iter().map(|o| o.seat.number()).collect()
    }

    /// Saves the game and loads it again.
    pub fn reload(&mut self) {
        let board = Arc::clone(self.game.board());
        let bytes = self.game.to_bytes();
        self.game = Game::from_bytes(board, &bytes).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The seat that people call by this number.
pub fn at(number: u8) -> SeatId {
    SeatId(number - 1)
}

/// A closed book of these ballots: voter, choice.
pub fn book(ballots: &[(u8, u8)]) -> ClosedBook {
    let ballot = |(voter, choice): &(u8, u8)| Ballot {
        voter: at(*voter),
        choice: Choice::Seat(at(*choice)),
        at: Stamp::default(),
        changes: 0,
    };
    ClosedBook {
        ballots: ballots.iter().map(ballot).collect(),
        ..ClosedBook::default()
    }
}
