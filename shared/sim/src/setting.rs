//! How simulated games are set up.

use std::sync::Arc;

use jiff::tz::TimeZone;
use rules::board::Timetable;
use rules::{Board, Setup, Time};

use crate::rng::Rng;

/// When every simulated game begins: Monday, 1 January 2024, 21:00 in Shanghai.
pub const START: Time = Time(1_704_114_000_000);

/// The setup of the game of this seed: the board's own deal and parameters, at full length in
/// the zone of Shanghai (UTC where that is not known).
pub fn setup(board: &Arc<Board>, calendar: &str, seed: u64) -> Setup {
    let mut rng = Rng::new(seed);
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_exact_mut(8) {
        chunk.copy_from_slice(&rng.number().to_le_bytes());
    }
    Setup {
        board: Arc::clone(board),
        seats: rules::deal(board, board.seat_count(), bytes),
        options: board.options,
        timetable: Timetable {
            calendar: calendar.to_owned(),
            zone: TimeZone::get("Asia/Shanghai").unwrap_or(TimeZone::UTC),
            speed: 1.0,
        },
        seed: bytes,
        dice: Vec::new(),
    }
}
