//! Log lines on standard error, as text for people or JSON for machines.

use std::ffi::OsStr;
use std::io::{IsTerminal, stderr};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// What is logged when `RUST_LOG` does not say otherwise. What lapin calls an error is a broker that
/// went away, which our own bus tells, with its address.
const DEFAULT_FILTER: &str = "info,actix_server=warn,tokio_cron_scheduler=warn,lapin=off";

/// Our own crates: `duskgate` in `RUST_LOG` means all of them.
const OURS: [&str; 10] = [
    "duskgate",
    "kit",
    "bus",
    "store",
    "ingest",
    "tally",
    "night",
    "publish",
    "clock",
    "playground",
];

/// Something that goes on is told once, not each time that it is noticed; and again when the
/// reason changes, or after it was over.
#[derive(Debug, Default)]
pub struct Told(Mutex<Option<String>>);

impl Told {
    /// It is noticed, for this reason: has that not been told yet?
    pub fn is_new(&self, why: &str) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = told.as_deref() != Some(why);
        if new {
            *told = Some(why.to_owned());
        }
        new
    }

    /// It is not noticed any more: was it before?
    pub fn is_over(&self) -> bool {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.take().is_some()
    }
}

/// Starts logging for this process. A second call changes nothing.
pub fn init(config: &Log) {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).ok();
    let filter = wanted
        .filter(|wanted| !wanted.trim().is_empty())
        .and_then(|wanted| EnvFilter::try_new(ours(&wanted)).ok())
        .unwrap_or_else(|| EnvFilter::new(DEFAULT_FILTER));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(coloured(
            stderr().is_terminal(),
            std::env::var_os("NO_COLOR").as_deref(),
        ))
        .with_writer(stderr);
    // An error means that logging runs already, which is what was asked for.
    let _ = match config.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}

/// `duskgate=debug` for each of our crates; everything else as it was.
fn ours(filter: &str) -> String {
    let each = filter.split(',').map(|directive| {
        let directive = directive.trim();
        match directive.strip_prefix("duskgate=") {
            Some(level) => OURS.map(|ours| format!("{ours}={level}")).join(","),
            None => directive.to_owned(),
        }
    });
    each.collect::<Vec<_>>().join(",")
}

/// Colours are for people who look at a terminal and have not asked to be spared them.
fn coloured(terminal: bool, no_color: Option<&OsStr>) -> bool {
    terminal && no_color.is_none_or(OsStr::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_stands_for_all_our_crates() {
        assert_eq!(ours("info,lapin=off"), "info,lapin=off");
        let all = ours("warn, duskgate=debug");
        assert!(all.starts_with("warn,duskgate=debug,kit=debug,"), "{all}");
        assert!(all.ends_with(",playground=debug"), "{all}");
        assert!(EnvFilter::try_new(all).is_ok());
    }

    #[test]
    fn what_goes_on_is_told_once() {
        let told = Told::default();
        assert!(!told.is_over());
        assert!(told.is_new("full"));
        assert!(!told.is_new("full"));
        assert!(told.is_new("away"));
        assert!(told.is_over());
        assert!(!told.is_over());
        assert!(told.is_new("away"));
    }

    #[test]
    fn colours_are_for_terminals() {
        for (terminal, no_color, expected) in [
            (true, None, true),
            (true, Some(""), true),
            (true, Some("1"), false),
            (false, None, false),
            (false, Some(""), false),
        ] {
            let no_color = no_color.map(OsStr::new);
            assert_eq!(
                coloured(terminal, no_color),
                expected,
                "{terminal} {no_color:?}"
            );
        }
    }
}
