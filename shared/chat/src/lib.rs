//! What people type, read into commands. Pure: no clock, no I/O, no state.
//!
//! [`read`] reads one cleaned line with the [`Vocabulary`] of a game; [`square_word`] says,
//! without one, whom a line of the square is for; [`opening`] reads what follows `开局`.

mod args;
mod clean;
mod director;
mod duration;
mod glued;
mod meaning;
mod misread;
mod opening;
mod print;
mod read;
mod ruling;
mod said;
mod square;
mod tokens;
mod vocabulary;
pub mod vote;
mod words;

pub use clean::clean;
pub use misread::{Misread, Thing};
pub use opening::{CalendarKind, Opening, opening};
pub use print::print;
pub use read::{Reader, read};
pub use said::{Answer, DirectorCommand, Said, Target};
pub use square::{
    SquareCommand, SquareWord, is_book_line, opening_words, square_skill, square_word,
};
pub use tokens::fold;
pub use vocabulary::{Names, OptionId, SeatName, Vocabulary, Word};
pub use words::is_command_word;
