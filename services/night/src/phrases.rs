//! The rules' notices and refusals in the names of this game.

use protocol::Phrase;
use rules::{Notice, Refusal};
use texts::phrases::{self, Names};

use crate::table::Table;

/// The phrase of a notice.
pub(crate) fn notice(table: &Table, notice: &Notice) -> Phrase {
    phrases::phrase(notice, &Names::new(table.game.board(), &table.aliases))
}

/// The phrase of a refusal.
pub(crate) fn refusal(table: &Table, refusal: &Refusal) -> Phrase {
    phrases::refusal(refusal, &Names::new(table.game.board(), &table.aliases))
}
