//! From the engine's notices and refusals to phrases: ids become the board's words and the
//! seats' aliases. No sentence is made here; templates do that.

mod board;
mod names;
mod notices;
mod refusals;

pub use board::{board_list, rules_post};
pub use names::Names;
pub use notices::phrase;
pub use refusals::{refusal, vote_refusal};
