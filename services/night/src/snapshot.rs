//! A whole game as bytes: a length, the service's own part as JSON, the text of the board it is
//! played on (deflated), the rules' snapshot. A game goes on with the text it began with.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use kit::LoadError;
use rules::{Board, Game};
use serde::{Deserialize, Serialize};

use crate::env::Env;
use crate::frame::Frame;
use crate::lobby::Lobby;
use crate::night::{Night, Stage};
use crate::table::{Seating, Table};

/// The format that this build writes. It reads this one and those before it.
const FORMAT: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    steps: u64,
    stage: Kept,
    /// The hash of the board's text, and how many bytes it takes; empty and 0: none is kept.
    #[serde(default)]
    board_hash: String,
    #[serde(default)]
    board_bytes: u32,
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
    let table = match &night.stage {
        Stage::Table(_, table) => Some(table),
        _ => None,
    };
    let stage = match &night.stage {
        Stage::Unopened => Kept::Unopened,
        Stage::Lobby(frame, lobby) => Kept::Lobby(frame.clone(), lobby.clone()),
        Stage::Table(frame, table) => Kept::Table(frame.clone(), Box::new(table.seating.clone())),
        Stage::CalledOff => Kept::CalledOff,
    };
    let text = table.map_or(&[][..], |table| &table.board_text);
    let head = Head {
        format: FORMAT,
        steps: night.steps,
        stage,
        board_hash: table.map_or_else(String::new, |table| table.game.board().hash.clone()),
        board_bytes: u32::try_from(text.len()).expect("a board's text is small"),
    };
    let head = serde_json::to_vec(&head).expect("a game's own part always serializes");
    let length = u32::try_from(head.len()).expect("a game's own part is small");
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(head);
    bytes.extend(text);
    bytes.extend(table.map_or_else(Vec::new, |table| table.game.to_bytes()));
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
            let length = head.board_bytes as usize;
            let (text, rest) = rest
                .split_at_checked(length)
                .ok_or_else(|| LoadError("it ends too early".to_owned()))?;
            let board = board(env, &frame.board, &head.board_hash, text)?;
            let game =
                Game::from_bytes(board, rest).map_err(|error| LoadError(error.to_string()))?;
            Stage::Table(frame, Box::new(Table::new(*seating, game)))
        }
    };
    Ok(Night {
        game,
        steps: head.steps,
        stage,
    })
}

/// The board of a game: the one that is known here, unless its text has changed since.
fn board(env: &Env, id: &str, hash: &str, text: &[u8]) -> Result<Arc<Board>, LoadError> {
    let known = env.board(id);
    if let Some(board) = known.filter(|board| text.is_empty() || board.hash == hash) {
        return Ok(Arc::clone(board));
    }
    if text.is_empty() {
        return Err(LoadError(format!("there is no board {id:?} here")));
    }
    let text = unpack(text).map_err(|error| LoadError(format!("board {id}: {error}")))?;
    let board = boards::read(&text)
        .map_err(|mistakes| LoadError(format!("board {id} as it was then: {mistakes}")))?;
    Ok(Arc::new(board))
}

/// A board's text as it is kept.
pub(crate) fn pack(text: &str) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder
        .write_all(text.as_bytes())
        .expect("writing to memory does not fail");
    encoder.finish().expect("writing to memory does not fail")
}

fn unpack(bytes: &[u8]) -> std::io::Result<String> {
    let mut text = String::new();
    DeflateDecoder::new(bytes).read_to_string(&mut text)?;
    Ok(text)
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
