//! A whole game as bytes: a length, the service's own part as JSON, the rules' snapshot.

use std::sync::Arc;

use kit::LoadError;
use rules::Game;
use serde::{Deserialize, Serialize};

use crate::env::Env;
use crate::frame::Frame;
use crate::lobby::Lobby;
use crate::night::{Night, Stage};
use crate::table::{Seating, Table};

/// The format that this build writes. It reads this one and those before it.
const FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    steps: u64,
    stage: Kept,
}

#[derive(Serialize, Deserialize)]
enum Kept {
    Unopened,
    Lobby(Frame, Lobby),
    /// The game's own snapshot follows.
    Table(Frame, Box<Seating>),
    CalledOff,
}

/// The bytes of a game.
pub(crate) fn save(night: &Night) -> Vec<u8> {
    let (stage, game) = match &night.stage {
        Stage::Unopened => (Kept::Unopened, Vec::new()),
        Stage::Lobby(frame, lobby) => (Kept::Lobby(frame.clone(), lobby.clone()), Vec::new()),
        Stage::Table(frame, table) => (
            Kept::Table(frame.clone(), Box::new(table.seating.clone())),
            table.game.to_bytes(),
        ),
        Stage::CalledOff => (Kept::CalledOff, Vec::new()),
    };
    let head = Head {
        format: FORMAT,
        steps: night.steps,
        stage,
    };
    let head = serde_json::to_vec(&head).expect("a game's own part always serializes");
    let length = u32::try_from(head.len()).expect("a game's own part is small");
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(head);
    bytes.extend(game);
    bytes
}

/// The game of these bytes.
pub(crate) fn load(env: &Env, key: &str, bytes: &[u8]) -> Result<Night, LoadError> {
    let game = key
        .parse()
        .map_err(|_| LoadError(format!("{key:?} is no key of a game")))?;
    let (head, rest) = parts(bytes)?;
    let stage = match head.stage {
        Kept::Unopened => Stage::Unopened,
        Kept::CalledOff => Stage::CalledOff,
        Kept::Lobby(frame, lobby) => Stage::Lobby(frame, lobby),
        Kept::Table(frame, seating) => {
            let board = env
                .board(&frame.board)
                .ok_or_else(|| LoadError(format!("there is no board {:?} here", frame.board)))?;
            let game = Game::from_bytes(Arc::clone(board), rest)
                .map_err(|error| LoadError(error.to_string()))?;
            Stage::Table(frame, Box::new(Table::new(*seating, game)))
        }
    };
    Ok(Night {
        game,
        steps: head.steps,
        stage,
    })
}

fn parts(bytes: &[u8]) -> Result<(Head, &[u8]), LoadError> {
    let cut = || LoadError("it ends too early".to_owned());
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(cut)?;
    let length = u32::from_be_bytes(*length) as usize;
    let (head, rest) = rest.split_at_checked(length).ok_or_else(cut)?;
    let head: Head = serde_json::from_slice(head).map_err(|error| LoadError(error.to_string()))?;
    if head.format > FORMAT {
        return Err(LoadError(format!(
            "it has format {}, this build reads up to {FORMAT}: use the newer build",
            head.format
        )));
    }
    Ok((head, rest))
}
