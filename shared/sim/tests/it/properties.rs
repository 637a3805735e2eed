//! What holds for every game, whatever is sent in whatever order. A failure names its seed.

use std::sync::Arc;

use rules::{Board, Game, Input, Notice, Refusal};
use sim::invariants::{self, Step};
use sim::{End, Habits, Limits, Player, Rng, Tape, garbage, record, setup};

/// The boards take turns, in threes so that each is played by every calendar.
fn board(seed: u64) -> Arc<Board> {
    crate::board(seed / 3)
}

const CALENDARS: [&str; 3] = ["slow", "quick", "manual"];

fn calendar(seed: u64) -> &'static str {
    CALENDARS[(seed % 3) as usize]
}

/// Plays on, checking every step.
fn step(game: &mut Game, input: &Input, seed: u64) -> Result<Vec<Notice>, Refusal> {
    let before = game.clone();
    let answer = game.apply(input);
    if answer.is_err() {
        assert_eq!(
            before.to_bytes(),
            game.to_bytes(),
            "seed {seed}: {input:?} was refused"
        );
    }
    let step = Step {
        before: &before,
        input,
        answer: &answer,
        after: game,
    };
    if let Err(broken) = invariants::check(&step) {
        panic!("seed {seed}, {}, {input:?}:\n{broken}", before.phase());
    }
    answer
}

#[test]
fn invariants_hold_in_lively_games() {
    for seed in 0..crate::games(120) {
        let (mut game, _) = Game::new(setup(&board(seed), calendar(seed), seed));
        let mut player = Player::new(seed, Habits::LIVELY);
        while let Some(input) = player.next(&game) {
            let _ = step(&mut game, &input, seed);
        }
    }
}

#[test]
fn garbage_breaks_nothing() {
    for seed in 0..crate::games(240) {
        let (mut game, _) = Game::new(setup(&board(seed), calendar(seed), seed));
        let mut rng = Rng::new(seed);
        let mut player = Player::new(seed, Habits::LIVELY);
        for _ in 0..250 {
            let input = if rng.chance(600) {
                garbage::input(&game, &mut rng)
            } else if let Some(input) = player.next(&game) {
                input
            } else {
                break;
            };
            let _ = step(&mut game, &input, seed);
        }
    }
}

/// Whatever garbage came before, the players can bring the game to an end.
#[test]
fn garbage_leaves_no_game_stuck() {
    for seed in 1000..1000 + crate::games(200) {
        let (mut game, _) = Game::new(setup(&board(seed), calendar(seed), seed));
        let mut rng = Rng::new(seed);
        for _ in 0..rng.below(120) {
            let mut input = garbage::input(&game, &mut rng);
            input.now = input
                .now
                .clamp(sim::START, sim::START.plus_minutes(60 * 24 * 30));
            let _ = game.apply(&input);
        }
        let mut player = Player::new(seed, Habits::PLAYERS);
        let mut inputs = 0;
        while let Some(input) = player.next(&game) {
            let _ = game.apply(&input);
            inputs += 1;
            assert!(inputs < 20_000, "seed {seed} is stuck in {}", game.phase());
        }
    }
}

fn tape(seed: u64, habits: Habits) -> Tape {
    record(
        &board(seed),
        calendar(seed),
        seed,
        habits,
        Limits::default(),
    )
}

#[test]
fn every_game_ends() {
    for seed in 0..crate::games(3000) {
        let habits = if seed % 2 == 0 {
            Habits::PLAYERS
        } else {
            Habits::LIVELY
        };
        let tape = tape(seed, habits);
        assert!(
            matches!(tape.end, End::Ended(_)),
            "seed {seed}: {:?}",
            tape.end
        );
    }
}

#[test]
fn the_same_inputs_give_the_same_notices_and_bytes() {
    for seed in 0..crate::games(200) {
        let tape = tape(seed, Habits::LIVELY);
        let (mut a, mut b) = (tape.start(), tape.start());
        for input in &tape.inputs {
            assert_eq!(a.apply(input), b.apply(input), "seed {seed}");
        }
        assert_eq!(a.to_bytes(), b.to_bytes(), "seed {seed}");
        assert_eq!(
            tape.inputs,
            self::tape(seed, Habits::LIVELY).inputs,
            "seed {seed}"
        );
    }
}

#[test]
fn a_game_saved_and_loaded_at_every_step_goes_on_like_one_that_was_not() {
    for seed in 0..crate::games(60) {
        let board = board(seed);
        let tape = tape(seed, Habits::LIVELY);
        let (mut saved, mut kept) = (tape.start(), tape.start());
        for (i, input) in tape.inputs.iter().enumerate() {
            let bytes = saved.to_bytes();
            saved = Game::from_bytes(Arc::clone(&board), &bytes)
                .unwrap_or_else(|e| panic!("seed {seed}, input {i}: {e}"));
            assert_eq!(bytes, saved.to_bytes(), "seed {seed}, input {i}");
            assert_eq!(
                saved.apply(input),
                kept.apply(input),
                "seed {seed}, input {i}"
            );
        }
        assert_eq!(saved.to_bytes(), kept.to_bytes(), "seed {seed}");
    }
}
