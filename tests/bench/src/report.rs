//! The table that people read.

use std::time::Duration;

use sim::bench::{Bound, Figure};

/// Prints figures as they come, and counts those that miss their floor.
pub struct Report {
    missed: Vec<String>,
    failed: Vec<&'static str>,
}

impl Report {
    /// The head of the table.
    pub fn begin() -> Self {
        if cfg!(debug_assertions) {
            println!("This is a debug build: its figures mean nothing. Use --release.");
        }
        Self {
            missed: Vec::new(),
            failed: Vec::new(),
        }
    }

    /// Figures that belong together follow.
    pub fn section(title: &str) {
        println!("\n{title}");
        println!("  {:<62}{:>16}{:>18}{:>9}", "", "figure", "floor", "ratio");
    }

    /// A line of the table. The ratio says how many times better than the floor the figure is;
    /// below 1 the floor is missed.
    pub fn show(&mut self, figure: &Figure) {
        let value = number(figure.value);
        let (floor, ratio) = match figure.bound {
            Bound::Floor(least) => (
                format!("≥ {} {}", number(least), figure.unit),
                Some(figure.value / least),
            ),
            Bound::Ceiling(most) => (
                format!("≤ {} {}", number(most), figure.unit),
                Some(most / figure.value),
            ),
            Bound::None => (String::new(), None),
        };
        let missed = ratio.is_some_and(|ratio| ratio < 1.0);
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        let mark = if missed { "  MISSED" } else { "" };
        let value = format!("{value} {}", figure.unit);
        let line = format!(
            "  {:<62}{value:>16}{floor:>18}{ratio:>9}{mark}",
            figure.name
        );
        println!("{}", line.trim_end());
        if missed {
            self.missed.push(figure.name.clone());
        }
    }

    /// A figure that is only shown.
    pub fn plain(&mut self, name: &str, value: f64, unit: &'static str) {
        self.show(&Figure {
            name: name.to_owned(),
            value,
            unit,
            bound: Bound::None,
        });
    }

    /// A figure that must not be higher.
    pub fn at_most(&mut self, name: &str, value: f64, unit: &'static str, most: f64) {
        self.show(&Figure {
            name: name.to_owned(),
            value,
            unit,
            bound: Bound::Ceiling(most),
        });
    }

    /// A figure that must not be lower.
    pub fn at_least(&mut self, name: &str, value: f64, unit: &'static str, least: f64) {
        self.show(&Figure {
            name: name.to_owned(),
            value,
            unit,
            bound: Bound::Floor(least),
        });
    }

    /// Something about the figures around it.
    pub fn note(text: &str) {
        println!("  {text}");
    }

    /// A section could not be measured.
    pub fn failed(&mut self, section: &'static str, error: &anyhow::Error) {
        println!("  NOT MEASURED: {error:#}");
        self.failed.push(section);
    }

    /// The end: what was missed.
    pub fn end(self) {
        println!();
        if self.missed.is_empty() && self.failed.is_empty() {
            println!("Every floor that was measured is met.");
        }
        for name in self.missed {
            println!("MISSED: {name}");
        }
        for section in self.failed {
            println!("NOT MEASURED: {section}");
        }
    }
}

/// Milliseconds of a duration.
pub fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The middle one; nought when there is none.
pub fn median<T: Copy + Ord + Default>(values: &[T]) -> T {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// With a thousands separator, or with the decimals that a small number needs.
fn number(value: f64) -> String {
    if value < 10.0 && value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    if value < 1000.0 {
        let digits = usize::from(value.fract() != 0.0);
        return format!("{value:.digits$}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
