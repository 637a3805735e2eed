//! Figures of recorded random games, played again.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::timing::{Bound, Figure, better_of_two, median, p99, time};
use crate::{Habits, Limits, Tape, record, simulate};
use rules::{Act, Board, Game, PhaseKind};

/// How many games are recorded.
const GAMES: u64 = 1000;

/// A window with fewer samples has no 99th percentile worth the name.
const SAMPLES: usize = 200;

/// Recorded games of players who mostly do what they should.
pub(super) fn tapes(board: &Arc<Board>) -> Vec<Tape> {
    let calendar = board.calendars.first().map_or("manual", |c| &c.name);
    (0..GAMES)
        .map(|seed| record(board, calendar, seed, Habits::PLAYERS, Limits::default()))
        .collect()
}

fn is_player(act: &Act) -> bool {
    matches!(
        act,
        Act::Use { .. }
            | Act::Decline { .. }
            | Act::LastWords { .. }
            | Act::Surrender { .. }
            | Act::AgreeSurrender { .. }
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
fn rate(n: usize, took: Duration) -> f64 {
    n as f64 / took.as_secs_f64()
}

/// Accepted acts of players a second, with their notices; windows that end are not in it.
pub(super) fn player_acts(tapes: &[Tape]) -> Figure {
    let value = median(|| {
        let (mut taken, mut took) = (0, Duration::ZERO);
        for tape in tapes {
            let mut game = tape.start();
            for run in tape
                .inputs
                .chunk_by(|a, b| is_player(&a.act) == is_player(&b.act))
            {
                let start = Instant::now();
                let accepted = run.iter().filter(|i| black_box(game.apply(i)).is_ok());
                let accepted = accepted.count();
                if is_player(&run[0].act) {
                    took += start.elapsed();
                    taken += accepted;
                }
            }
        }
        rate(taken, took)
    });
    Figure {
        name: "players' acts taken a second (aim 1,000,000)".to_owned(),
        value,
        unit: "/s",
        bound: Bound::Floor(200_000.0),
    }
}

/// All inputs a second: acts, deadlines, closed books.
pub(super) fn all_inputs(tapes: &[Tape]) -> Figure {
    let inputs = tapes.iter().map(|t| t.inputs.len()).sum();
    let value = median(|| rate(inputs, time(|| play_all(tapes))));
    Figure {
        name: "inputs a second, the ends of windows included".to_owned(),
        value,
        unit: "/s",
        bound: Bound::None,
    }
}

fn play_all(tapes: &[Tape]) {
    for tape in tapes {
        black_box(tape.after(tape.inputs.len()));
    }
}

/// Recorded games a second, from the deal to the end.
pub(super) fn whole_games(tapes: &[Tape]) -> Figure {
    Figure {
        name: "whole games a second".to_owned(),
        value: median(|| rate(tapes.len(), time(|| play_all(tapes)))),
        unit: "/s",
        bound: Bound::Floor(1000.0),
    }
}

/// Games a second with the random player's own time in it.
pub(super) fn games_with_their_players(board: &Arc<Board>) -> Figure {
    let games = 200_u32;
    let value = median(|| {
        rate(
            games as usize,
            time(|| {
                black_box(simulate(board, games, 0));
            }),
        )
    });
    Figure {
        name: "whole games a second, random players included".to_owned(),
        value,
        unit: "/s",
        bound: Bound::None,
    }
}

/// The end of the window that takes longest at its 99th percentile.
pub(super) fn largest_window(tapes: &[Tape]) -> Figure {
    let mut name = String::new();
    let value = median(|| {
        let mut samples: BTreeMap<String, Vec<Duration>> = BTreeMap::new();
        for tape in tapes {
            let mut game = tape.start();
            for input in &tape.inputs {
                if matches!(input.act, Act::Clock { .. } | Act::BookClosed { .. }) {
                    let took = better_of_two(&game, |game| {
                        let _ = black_box(game.apply(input));
                    });
                    samples.entry(window_name(&game)).or_default().push(took);
                }
                let _ = game.apply(input);
            }
        }
        let slowest = samples
            .into_iter()
            .filter(|(_, s)| s.len() >= SAMPLES)
            .map(|(window, mut samples)| (p99(&mut samples), window))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        let (value, window) = slowest.unwrap_or_default();
        name = window;
        value
    });
    Figure {
        name: format!("the slowest window's end, p99 ({name})"),
        value,
        unit: "µs",
        bound: Bound::Ceiling(20.0),
    }
}

fn window_name(game: &Game) -> String {
    match game.window() {
        Some(window) => game.board().windows[window.index()].name.clone(),
        None => format!("{} book", game.phase().kind.word()),
    }
}

/// Games at dusk 5, where both checkpoints are kept.
fn dusks(tapes: &[Tape]) -> Vec<Game> {
    let mut found = Vec::new();
    for tape in tapes {
        let mut game = tape.start();
        for input in &tape.inputs {
            let _ = game.apply(input);
            let phase = game.phase();
            if phase.number == 5 && phase.kind == PhaseKind::Dusk {
                found.push(game);
                break;
            }
        }
    }
    found
}

/// The largest snapshot of them, in bytes.
#[expect(
    clippy::cast_precision_loss,
    reason = "a snapshot is far below 2^52 bytes"
)]
pub(super) fn snapshot(tapes: &[Tape]) -> Figure {
    let dusks = dusks(tapes);
    let largest = dusks.iter().map(|g| g.to_bytes().len()).max().unwrap_or(0);
    Figure {
        name: format!("largest snapshot at dusk 5, of {} games", dusks.len()),
        value: largest as f64,
        unit: "bytes",
        bound: Bound::Ceiling(20_480.0),
    }
}

/// How long it takes to make one.
pub(super) fn snapshot_time(tapes: &[Tape]) -> Figure {
    let dusks = dusks(tapes);
    let value = median(|| {
        let took = time(|| {
            for game in &dusks {
                black_box(game.to_bytes());
            }
        });
        1e6 / rate(dusks.len(), took)
    });
    Figure {
        name: "a snapshot at dusk 5".to_owned(),
        value,
        unit: "µs",
        bound: Bound::None,
    }
}
