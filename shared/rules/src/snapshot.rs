//! The one versioned form in which a game is kept. The rest of the engine knows no format.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::board::{Board, Options, Timetable};
use crate::game::{Game, Kept};
use crate::ids::Time;
use crate::world::World;

/// The format that this build writes. It reads this one and those before it.
pub const FORMAT: u16 = 1;

/// A game as it is kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Snapshot {
    format: u16,
    board: String,
    board_hash: String,
    options: Options,
    calendar: String,
    zone: String,
    speed: f64,
    world: World,
    kept: Kept,
}

/// Why a snapshot cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// It is damaged, or no snapshot.
    #[error("snapshot is unreadable: {0}")]
    Unreadable(String),
    /// A newer build wrote it.
    #[error("snapshot has format {0}, this build reads up to {FORMAT}: use the newer build")]
    Newer(u16),
    /// It needs another board than the one given.
    #[error("snapshot was made on board {board} with hash {hash}, not on the one given")]
    OtherBoard {
        /// The board it names.
        board: String,
        /// The hash it names.
        hash: String,
    },
    /// Its time zone is not known here.
    #[error("snapshot names the unknown time zone {0}")]
    Zone(String),
}

/// Which board a snapshot needs: its id and the hash of its text.
///
/// # Errors
/// When the bytes are no snapshot of a format that this build reads.
pub fn board_of(bytes: &[u8]) -> Result<(String, String), SnapshotError> {
    let snapshot = read(bytes)?;
    Ok((snapshot.board, snapshot.board_hash))
}

fn read(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
    #[derive(Deserialize)]
    struct Head {
        format: u16,
    }
    let unreadable = |e: &dyn std::fmt::Display| SnapshotError::Unreadable(e.to_string());
    let mut json = Vec::new();
    DeflateDecoder::new(bytes)
        .read_to_end(&mut json)
        .map_err(|e| unreadable(&e))?;
    let head: Head = serde_json::from_slice(&json).map_err(|e| unreadable(&e))?;
    if head.format > FORMAT {
        return Err(SnapshotError::Newer(head.format));
    }
    serde_json::from_slice(&json).map_err(|e| unreadable(&e))
}

impl Game {
    /// The whole game as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let snapshot = Snapshot {
            format: FORMAT,
            board: self.board.id.clone(),
            board_hash: self.board.hash.clone(),
            options: self.options,
            calendar: self.timetable.calendar.clone(),
            zone: self.timetable.zone.iana_name().unwrap_or("UTC").to_owned(),
            speed: self.timetable.speed,
            world: self.world.clone(),
            kept: self.kept.clone(),
        };
        let json = serde_json::to_vec(&snapshot).expect("a game always serializes");
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder
            .write_all(&json)
            .expect("writing to memory does not fail");
        encoder.finish().expect("writing to memory does not fail")
    }

    /// The game of a snapshot, on the board it was made on.
    ///
    /// # Errors
    /// When the bytes are unreadable or need another board.
    pub fn from_bytes(board: Arc<Board>, bytes: &[u8]) -> Result<Self, SnapshotError> {
        let snapshot = read(bytes)?;
        if snapshot.board_hash != board.hash {
            return Err(SnapshotError::OtherBoard {
                board: snapshot.board,
                hash: snapshot.board_hash,
            });
        }
        let zone = TimeZone::get(&snapshot.zone)
            .map_err(|_| SnapshotError::Zone(snapshot.zone.clone()))?;
        Ok(Self {
            board,
            options: snapshot.options,
            timetable: Timetable {
                calendar: snapshot.calendar,
                zone,
                speed: snapshot.speed,
            },
            world: snapshot.world,
            kept: snapshot.kept,
            now: Time(0),
            out: Vec::new(),
        })
    }
}
