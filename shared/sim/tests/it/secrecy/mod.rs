//! What a seat may know, K(s), and what must depend on nothing else (engine.md, layer 5).
//!
//! Pairs of games are made that differ in hidden things only: cards of other seats change
//! places, other seats choose otherwise or not at all, the dice fall otherwise. Both are played
//! side by side. As long as a seat has seen the same in both, both answer it the same; and a
//! notice whose declared facts are the same says the same.

mod answers;
mod facts;
mod notices;
mod pair;
mod probe;
mod side;
