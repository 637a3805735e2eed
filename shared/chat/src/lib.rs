//! What people type, read into commands. Pure: no clock, no I/O, no state.
//!
//! [`read`] reads one cleaned line with the [`Vocabulary`] of a game; [`square_word`] says,
//! without one, whom a line of the square is for; [`opening`] reads what follows `开局`.

mod clean;
mod misread;
mod opening;
mod square;
mod tokens;
mod vocabulary;
pub mod vote;
mod words;

pub use clean::clean;
pub use misread::{Misread, Thing};
pub use opening::{CalendarKind, Opening, opening};
pub use square::{SquareCommand, SquareWord, opening_words, square_skill, square_word};
pub use vocabulary::{Names, OptionId, SeatName, Vocabulary, Word};
