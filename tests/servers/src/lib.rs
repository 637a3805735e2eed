//! Private servers for tests: real ones, each in a temporary folder of its own, on a socket or a
//! port that nobody else has, gone when its value is dropped or its process has died.
//!
//! Every start waits until the server answers or has exited, and says which command it ran and
//! what its log ends with when it does not. A folder is kept, and named, when its test fails.

mod child;
mod folder;
mod ports;
pub mod proxy;
pub mod rabbit;
pub mod redis;
mod wait;

use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

pub use child::{Child, OUTPUT};
pub use folder::Folder;
pub use ports::free_ports;
pub use wait::{DEADLINE, wait_for};

/// Why a server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The machine does not have it.
    #[error("{program} cannot be started: {why}; tests/setup.sh installs it")]
    NotThere {
        /// What was to be started.
        program: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It ended when it should have run.
    #[error(
        "{command} ended ({status}) before it answered; its folder is {}; its log ends with:\n{log}",
        folder.display()
    )]
    Exited {
        /// The command line.
        command: String,
        /// How it ended.
        status: ExitStatus,
        /// Where it worked.
        folder: PathBuf,
        /// The last lines that it wrote.
        log: String,
    },
    /// It runs and does not answer, or does not end.
    #[error(
        "{command} is still not {what} after {within:?}; its folder is {}; its log ends with:\n{log}",
        folder.display()
    )]
    TimedOut {
        /// The command line.
        command: String,
        /// What was waited for.
        what: &'static str,
        /// For how long.
        within: Duration,
        /// Where it works.
        folder: PathBuf,
        /// The last lines that it wrote.
        log: String,
    },
    /// Its folder, its files or its process cannot be used.
    #[error("{what}: {why}")]
    Io {
        /// What was tried.
        what: String,
        /// What the system says.
        why: std::io::Error,
    },
}

impl ServerError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |why| Self::Io { what, why }
    }
}
