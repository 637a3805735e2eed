//! The rules engine: pure, deterministic, serializable. No I/O, no clock, no global randomness.
//!
//! A [`Board`] is data; a [`Game`] is one run of it and changes only by [`Game::apply`]. Skills
//! are code, one file each in [`skills`]. Everything anyone learns leaves as a [`Notice`].
//!
//! Invariants: nothing here knows chat, services, templates or files. No code asks which board
//! it is. The same board, seed and inputs give the same game, bit for bit.

pub mod board;
pub mod book;
pub mod count;
mod deal;
pub mod dice;
mod facts;
mod flow;
pub mod game;
pub mod ids;
pub mod input;
mod made_known;
pub mod nearest;
pub mod notice;
mod orders;
pub mod phase;
pub mod refusal;
mod settle;
pub mod skill;
pub mod skills;
pub mod snapshot;
mod uses;
mod votes;
pub mod wins;
pub mod world;

pub use board::{Board, Options, Timetable};
pub use deal::deal;
pub use facts::{Obligation, Offer};
pub use game::{Ending, Game, SeatSetup, Setup};
pub use ids::{
    ClassId, FactionId, GroupId, RoleId, SeatId, SeatSet, SkillId, Stamp, StateId, Time, Turn,
};
pub use input::{Act, Input, Order, Ruling, Word};
pub use notice::{Arg, Audience, Notice, NoticeKind};
pub use phase::{Phase, PhaseKind, WindowId};
pub use refusal::Refusal;
pub use uses::Plan;
