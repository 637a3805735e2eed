//! Log lines on standard error, as text for people or JSON for machines.

use std::ffi::OsStr;
use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// What is logged when `RUST_LOG` does not say otherwise. What lapin calls an error is a broker that
/// went away, which our own bus tells, with its address.
const DEFAULT_FILTER: &str = "info,actix_server=warn,tokio_cron_scheduler=warn,lapin=off";

/// Starts logging for this process. A second call changes nothing.
pub fn init(config: &Log) {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
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

/// Colours are for people who look at a terminal and have not asked to be spared them.
fn coloured(terminal: bool, no_color: Option<&OsStr>) -> bool {
    terminal && no_color.is_none_or(OsStr::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

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
