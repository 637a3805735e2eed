//! The engine under random play: properties, secrecy, snapshots.
//!
//! `SIM_TIMES=20 cargo test -p sim` plays twenty times as many games.

mod found;
mod properties;
mod secrecy;
mod snapshots;
mod words;

/// The boards that are played at random.
const BOARDS: [&str; 4] = ["m158", "treasure", "redblack", "foxcurse"];

/// The board of this number: they take turns.
fn board(number: u64) -> std::sync::Arc<rules::Board> {
    let place = usize::try_from(number).unwrap_or(0) % BOARDS.len();
    boards::find(BOARDS[place]).expect("the board is built in")
}

/// So many games, or the multiple of it that `SIM_TIMES` asks for.
fn games(n: u64) -> u64 {
    let times = std::env::var("SIM_TIMES").ok();
    n * times.and_then(|t| t.parse().ok()).unwrap_or(1)
}
