//! The engine under random play: properties, secrecy, snapshots.
//!
//! `SIM_TIMES=20 cargo test -p sim` plays twenty times as many games.

mod found;
mod properties;
mod secrecy;
mod snapshots;
mod words;

/// The boards that are played at random.
const BOARDS: [&str; 14] = [
    "m158",
    "treasure",
    "redblack",
    "foxcurse",
    "classic6",
    "classic6-open",
    "classic8",
    "classic9",
    "classic12-guard",
    "classic12-idiot",
    "wolf-king",
    "white-wolf",
    "wolf-king+自救=可以+双药=可以+同守同救=平安+守毒=守得住+毒猎=能开枪+胜负=屠城",
    "white-wolf+自救=首夜+平票=无人+亮牌=出局亮牌+遗言=都有+票型=保密",
];

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
