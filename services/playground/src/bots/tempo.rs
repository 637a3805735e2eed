//! How fast bots think, talk and vote.

use crate::world::Pace;

/// Spans in milliseconds, already divided by the clock's speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tempo {
    /// About how long one thinks before a deed.
    pub(super) think: f64,
    /// How long people are given to read what has just been dealt to them.
    pub(super) read: f64,
    /// How long one can talk on a day.
    pub(super) day: f64,
    /// How long one can talk in the election.
    pub(super) election: f64,
    /// When a director who hurries closes a window of the night; `None`: never by itself.
    pub(super) close_window: Option<f64>,
}

const SECOND: f64 = 1_000.0;
const MINUTE: f64 = 60_000.0;

impl Tempo {
    /// The tempo of a table, on a clock that runs so many times as fast as the one on the wall.
    pub(super) fn new(pace: Pace, speed: f64) -> Self {
        let speed = if speed.is_finite() && speed > 0.0 {
            speed
        } else {
            1.0
        };
        let tempo = match pace {
            Pace::Quick => Self {
                think: 4.0 * SECOND,
                read: 6.0 * SECOND,
                day: 8.0 * MINUTE,
                election: 3.0 * MINUTE,
                close_window: None,
            },
            Pace::Rapid => Self {
                think: 2.0 * SECOND,
                read: 4.0 * SECOND,
                day: 2.5 * MINUTE,
                election: 1.0 * MINUTE,
                close_window: Some(40.0 * SECOND),
            },
            Pace::Rush => Self {
                think: 0.8 * SECOND,
                read: 3.0 * SECOND,
                day: 40.0 * SECOND,
                election: 20.0 * SECOND,
                close_window: Some(12.0 * SECOND),
            },
            Pace::Manual => Self {
                think: 1.5 * SECOND,
                read: 4.0 * SECOND,
                day: 1.5 * MINUTE,
                election: 40.0 * SECOND,
                close_window: None,
            },
        };
        Self {
            think: tempo.think / speed,
            read: tempo.read / speed,
            day: tempo.day / speed,
            election: tempo.election / speed,
            close_window: tempo.close_window.map(|span| span / speed),
        }
    }
}

/// A span as whole milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "spans are minutes at most")]
pub(super) fn ms(span: f64) -> i64 {
    span as i64
}
