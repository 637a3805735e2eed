//! Log lines on standard error, as text for people or JSON for machines.

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// What is logged when `RUST_LOG` does not say otherwise.
const DEFAULT_FILTER: &str = "info,actix_server=warn";

/// Starts logging for this process. A second call changes nothing.
pub fn init(config: &Log) {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_FILTER));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // An error means that logging runs already, which is what was asked for.
    let _ = match config.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
}
