//! Medians, percentiles, and a line of the report.

use std::fmt;
use std::time::{Duration, Instant};

/// How often a figure is measured; its median counts.
pub(super) const RUNS: usize = 7;

/// What a figure must reach.
#[derive(Debug, Clone, Copy)]
pub enum Bound {
    /// At least this.
    Floor(f64),
    /// At most this.
    Ceiling(f64),
    /// It is only shown.
    None,
}

/// A measured figure.
#[derive(Debug)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// What it must reach.
    pub bound: Bound,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = usize::from(self.value < 1000.0);
        let value = format!("{:.digits$} {}", self.value, self.unit);
        write!(f, "{:<58} {value:>16}", self.name)?;
        match self.bound {
            Bound::Floor(floor) => {
                let missed = if self.value < floor { "  MISSED" } else { "" };
                write!(f, "   floor {floor:>9.0} {}{missed}", self.unit)
            }
            Bound::Ceiling(most) => {
                let missed = if self.value > most { "  MISSED" } else { "" };
                write!(f, "   limit {most:>9.0} {}{missed}", self.unit)
            }
            Bound::None => Ok(()),
        }
    }
}

/// How long something takes.
pub(super) fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// How long something takes, the better of two tries on copies: what is measured is the engine,
/// not what else the machine does in between.
pub(super) fn better_of_two<T: Clone>(of: &T, mut work: impl FnMut(&mut T)) -> Duration {
    let mut once = || {
        let mut copy = of.clone();
        let took = time(|| work(&mut copy));
        std::hint::black_box(&copy);
        took
    };
    once().min(once())
}

/// The median of what several runs give.
pub(super) fn median(mut run: impl FnMut() -> f64) -> f64 {
    let mut values: Vec<f64> = (0..RUNS).map(|_| run()).collect();
    values.sort_by(f64::total_cmp);
    values[RUNS / 2]
}

/// The time below which 99 of 100 samples lie, in microseconds.
pub(super) fn p99(samples: &mut [Duration]) -> f64 {
    samples.sort_unstable();
    let place = samples.len() * 99 / 100;
    samples
        .get(place.min(samples.len().saturating_sub(1)))
        .map_or(0.0, |d| d.as_secs_f64() * 1e6)
}
