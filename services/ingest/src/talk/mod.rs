//! Reading what people said: from segments to the text they typed.

mod typed;
mod words;

pub(crate) use typed::{Typed, typed};
pub(crate) use words::{is_for_tally, is_help, is_sign_up};
