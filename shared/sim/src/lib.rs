//! Random legal play on any board: it proves the engine, measures it, and shows a board's balance.
//!
//! A [`Player`] is everybody at once: the seats, the director, the clock and the tally. Given a
//! game it says what happens next. A [`Tape`] keeps what happened, so that a game can be played
//! again and again without the player's own cost. [`invariants`] are what must hold after every
//! input, whoever sent it; [`garbage`] sends what nobody should. [`simulate`] plays many games and
//! counts who won. A [`Table`] is for games by hand, in tests. [`bench`] measures the engine.
//!
//! Invariants: nothing here knows a rule of any board. No wall clock (but for measuring) and no
//! global randomness is read: a seed gives the same game everywhere.

pub mod bench;
pub mod garbage;
pub mod invariants;
mod orders;
mod player;
mod rng;
mod setting;
mod summary;
pub mod table;
mod tape;
mod voting;

pub use player::{Habits, Player};
pub use rng::Rng;
pub use setting::{START, setup};
pub use summary::{Summary, simulate};
pub use table::Table;
pub use tape::{End, Limits, Tape, record};
