//! night, the referee: lobby and roster of each game, then the game by its rules. It alone says
//! what anyone learns, and when.
//!
//! Invariants: whoever directs a game has no seat in it; nothing here reads a clock or draws
//! a number: time and entropy come in with the inputs; secrets are answered in private alone.

mod act;
mod alias;
mod answers;
mod director;
mod due;
mod env;
mod frame;
mod help;
mod lobby;
mod night;
mod open;
mod phrases;
mod play;
mod service;
mod snapshot;
mod state;
mod status;
mod step;
mod sync;
mod table;

pub use env::{Env, Groups, Settings};
pub use night::Night;
pub use service::run;
