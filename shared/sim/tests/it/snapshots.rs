//! Snapshots of every format that was released must load and go on. The file of a format is
//! written once, with the board it was played on, and then never changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rules::{Board, Game, PhaseKind};
use sim::{Habits, Player, setup};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots")
}

fn board(format: u16) -> Arc<Board> {
    let path = folder().join(format!("board-v{format}.toml"));
    let text = std::fs::read_to_string(path).expect("the board of the format is there");
    Arc::new(boards::read(&text).unwrap_or_else(|e| panic!("board of format {format}:\n{e}")))
}

/// A game at dusk 2 in which somebody is asked for a reaction: both checkpoints, states, outs,
/// last words, cards.
fn full_game(board: &Arc<Board>) -> Game {
    for seed in 0.. {
        let (mut game, _) = Game::new(setup(board, "slow", seed));
        let mut player = Player::new(seed, Habits::LIVELY);
        while let Some(input) = player.next(&game) {
            let _ = game.apply(&input);
            let world = game.world();
            let full = game.phase().to_string() == "dusk 2"
                && !world.reactions.is_empty()
                && !world.last_words.is_empty()
                && world.states.len() > 2
                && game.deadline().is_some();
            if full {
                return game;
            }
        }
    }
    unreachable!("some seed has such a game")
}

#[test]
#[ignore = "writes the file of a new format; run it once when the format changes"]
fn write_the_snapshot_of_this_format() {
    let format = rules::snapshot::FORMAT;
    let path = folder().join(format!("game-v{format}.bin"));
    assert!(!path.exists(), "{} is never changed", path.display());
    let bytes = full_game(&board(format)).to_bytes();
    std::fs::write(path, bytes).expect("the folder can be written");
}

#[test]
fn snapshots_of_every_format_load_and_go_on() {
    for format in 1..=rules::snapshot::FORMAT {
        let path = folder().join(format!("game-v{format}.bin"));
        let bytes = std::fs::read(path).expect("the snapshot of the format is there");
        let board = board(format);
        let named = rules::snapshot::board_of(&bytes).expect("it names its board");
        assert_eq!(named, (board.id.clone(), board.hash.clone()));

        let mut game = Game::from_bytes(board, &bytes).expect("it loads");
        assert_eq!(game.phase().kind, PhaseKind::Dusk);
        assert!(!game.world().reactions.is_empty());
        let mut player = Player::new(1, Habits::PLAYERS);
        while let Some(input) = player.next(&game) {
            let _ = game.apply(&input);
        }
        assert!(game.ending().is_some());
    }
}

#[test]
fn a_snapshot_that_is_damaged_or_of_another_board_is_refused() {
    let bytes = std::fs::read(folder().join("game-v1.bin")).expect("the snapshot is there");
    let board = board(1);
    for cut in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        Game::from_bytes(Arc::clone(&board), &bytes[..cut]).expect_err("it is cut");
    }
    let mut other = (*board).clone();
    other.hash = "another".to_owned();
    Game::from_bytes(Arc::new(other), &bytes).expect_err("it needs another board");
}
