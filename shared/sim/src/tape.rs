//! Games as lists of inputs.

use std::sync::Arc;

use rules::{Board, Ending, Game, Input, Setup};

use crate::player::{Habits, Player};
use crate::setting::setup;

/// A game as it was played: what it was made of and all inputs, refused ones included.
#[derive(Debug, Clone)]
pub struct Tape {
    /// What the game is made of.
    pub setup: Setup,
    /// The inputs in order.
    pub inputs: Vec<Input>,
    /// How it ended.
    pub end: End,
}

/// How a recorded game ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By the rules, or by the director's word.
    Ended(Ending),
    /// Not within the limits: something keeps it from ending.
    Stuck {
        /// The day it had reached.
        day: u16,
        /// The inputs it had taken.
        inputs: usize,
    },
}

/// Beyond what a game counts as stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Days.
    pub days: u16,
    /// Inputs.
    pub inputs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            days: 60,
            inputs: 20_000,
        }
    }
}

/// Plays the game of this seed to its end.
pub fn record(
    board: &Arc<Board>,
    calendar: &str,
    seed: u64,
    habits: Habits,
    limits: Limits,
) -> Tape {
    let setup = setup(board, calendar, seed);
    let (mut game, _) = Game::new(setup.clone());
    let mut player = Player::new(seed, habits);
    let mut inputs = Vec::new();
    while let Some(input) = player.next(&game) {
        let day = game.number();
        if day > limits.days || inputs.len() >= limits.inputs {
            let inputs_taken = inputs.len();
            return Tape {
                setup,
                inputs,
                end: End::Stuck {
                    day,
                    inputs: inputs_taken,
                },
            };
        }
        // A refusal is part of the game like anything else that was sent.
        let _ = game.apply(&input);
        inputs.push(input);
    }
    let end = match game.ending() {
        Some(ending) => End::Ended(ending.clone()),
        None => End::Stuck {
            day: game.number(),
            inputs: inputs.len(),
        },
    };
    Tape { setup, inputs, end }
}

impl Tape {
    /// The game before its first input.
    pub fn start(&self) -> Game {
        Game::new(self.setup.clone()).0
    }

    /// The game after its first `n` inputs.
    pub fn after(&self, n: usize) -> Game {
        let mut game = self.start();
        for input in self.inputs.iter().take(n) {
            let _ = game.apply(input);
        }
        game
    }
}
