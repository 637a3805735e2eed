//! What can be typed on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The director's work in long werewolf games, done by a bot.
#[derive(Debug, Parser)]
#[command(name = "duskgate", version)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run everything in one process.
    Up(Flags),
    /// Play games on paper: rehearsal files, or folders of them.
    Rehearse {
        /// Files or folders.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// One JSON object a line instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes in board files and in folders of chat texts.
    Check {
        /// Board files (.toml), or folders with templates (.txt).
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Play whole games at random and count who wins.
    Simulate {
        /// Which board.
        #[arg(default_value = "m158")]
        board: String,
        /// How many games.
        #[arg(long, default_value_t = 1000)]
        games: u32,
        /// Where the dice begin.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// Settings that are given on the command line. Secrets are not: they come from files or the
/// environment.
#[derive(Debug, Args)]
pub struct Flags {
    /// A file of settings.
    #[arg(long, env = "DUSKGATE_CONFIG")]
    pub config: Option<PathBuf>,
    /// Where pages are served; port 0 picks a free one.
    #[arg(long)]
    pub listen: Option<String>,
    /// Where games are kept, such as file:./duskgate-data.
    #[arg(long)]
    pub store: Option<String>,
    /// Any other setting, such as clock.speed=4.
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub set: Vec<(String, String)>,
}

impl Flags {
    /// As dotted keys with values.
    pub fn settings(self) -> Vec<(String, String)> {
        let listen = self.listen.map(|v| ("http.listen".to_owned(), v));
        let store = self.store.map(|v| ("store.url".to_owned(), v));
        listen.into_iter().chain(store).chain(self.set).collect()
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if key.contains('.') => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write section.key=value, such as clock.speed=4".to_owned()),
    }
}
