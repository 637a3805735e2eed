//! Rehearsals (推演): games on paper, written in YAML and played on the pure rules engine with
//! the parser that the chat uses, a virtual clock and a scripted dice cup.
//!
//! A file is read whole before anything is played ([`read`]): every name in it must exist. Then
//! [`play`] takes its steps one by one until one does not hold. [`cli`] is `duskgate rehearse`.
//!
//! Invariants: no network, no wall clock, no randomness of its own; the same file gives the same
//! report. Nothing here knows a rule of any board: it asks the engine.

mod check;
mod cli;
mod play;
mod read;
mod report;
mod script;
mod stage;
mod unreadable;
mod words;
mod yaml;

pub use cli::{cli, files, rehearse, report};
pub use play::play;
pub use read::{read, read_in};
pub use report::{Failure, Fault, Report, StepAt, Totals, Verdict};
pub use script::Script;
pub use unreadable::{Place, Unreadable};
