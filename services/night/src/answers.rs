//! Short answers to what people type, as phrases.

use chat::Misread;
use protocol::{Line, Phrase, Place};

use crate::step::Step;

/// What was not understood.
pub(crate) fn misread(misread: &Misread) -> Phrase {
    let args = serde_json::to_value(misread).unwrap_or_else(|_| serde_json::json!({}));
    Phrase::new(misread.key(), args)
}

/// Is somebody waiting for an answer, whatever was typed? In private always; in a group only
/// who speaks to the bot.
pub(crate) fn expected(line: &Line) -> bool {
    line.addressed || line.place == Place::Private
}

/// Answers what was not understood where an answer is expected, else keeps silent.
pub(crate) fn not_understood(step: &mut Step, line: &Line, why: &Misread) {
    if expected(line) {
        step.answer(line, misread(why));
    }
}

/// Answers with a template that is filled with nothing.
pub(crate) fn plain(step: &mut Step, line: &Line, key: &str) {
    step.answer(line, Phrase::plain(key));
}

/// The same, only where an answer is expected.
pub(crate) fn plain_if_expected(step: &mut Step, line: &Line, key: &str) {
    if expected(line) {
        plain(step, line, key);
    }
}
