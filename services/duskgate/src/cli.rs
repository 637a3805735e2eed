//! What can be typed on the command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const ABOUT: &str =
    "The director's work in long werewolf games (版杀), done by a bot that speaks OneBot v11";

const UP: &str = "\
Run the bot: everything in one process.

Runs until Ctrl-C or SIGTERM. Standard output says listening http://ADDRESS:PORT once pages are
served; log lines go to standard error (RUST_LOG sets how much). Without a OneBot access token or
address it opens the playground, a stand-in for QQ in the browser.

Settings come from the built-in ones, --config, variables DUSKGATE_<SECTION>_<KEY> and flags; the
later ones win. Secrets are taken from files and variables only.";

const ONE: &str = "\
Run one service as a process of its own, beside the others.

All processes need the same settings, a broker in bus.url and a Redis in store.url; each has an
address of its own (--listen) for /healthz, /readyz and /metrics. Chat sides connect to ingest. Of
each service there may be several; of the playground there is one. A broker or Redis that is not
there yet is waited for.

Stops like up. deploy/ has units and a compose file; `make cluster` runs it all on this machine.";

const LETTERS: &str = "\
Look at the messages that were given up, and decide what becomes of them.

Takes the same settings as the services. With bus.url = \"local\" the letters are in the folder of
store.url; a process that runs there takes up what is put back within seconds, otherwise the next
one does. A message that is put back is handled behind everything that waits; if it is given up
again, it is a letter again.

Bodies are shown with --full only: they hold roles, targets and what people typed in private.";

/// What was typed.
#[derive(Debug, Parser)]
#[command(
    name = "duskgate",
    version,
    about = ABOUT,
    after_help = "\
Try it:     duskgate up            then open the address that it prints
With QQ:    duskgate up --config duskgate.toml     (deploy/duskgate.toml explains every setting)
A cluster:  duskgate tally --config duskgate.toml --listen 127.0.0.1:8082   (and so on)
Manuals:    docs/manual/ (Chinese), README.md"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the bot: everything in one process
    #[command(long_about = UP)]
    Up(Flags),
    /// Run one service of a cluster: chat in, chat out
    #[command(long_about = ONE)]
    Ingest(Flags),
    /// Run one service of a cluster: ballot books, posts, petitions
    #[command(long_about = ONE)]
    Tally(Flags),
    /// Run one service of a cluster: the referee
    #[command(long_about = ONE)]
    Night(Flags),
    /// Run one service of a cluster: words, private groups
    #[command(long_about = ONE)]
    Publish(Flags),
    /// Run one service of a cluster: deadlines
    #[command(long_about = ONE)]
    Clock(Flags),
    /// Run one service of a cluster: the stand-in for QQ
    #[command(long_about = ONE)]
    Playground(Flags),
    /// Look at the messages that were given up, and decide what becomes of them.
    ///
    /// Exit code 0: done. 1: it could not be done, with the reason.
    #[command(long_about = LETTERS)]
    Letters {
        #[command(subcommand)]
        what: Letters,
        #[command(flatten)]
        flags: Flags,
    },
    /// Play games on paper: rehearsal files, or folders of them.
    ///
    /// Exit code 0: all passed. 1: some failed. 2: a path cannot be read.
    Rehearse {
        /// Rehearsal files, or folders that are searched for them.
        #[arg(required = true, value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// One JSON object a line instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Look for mistakes in board files and in folders of chat texts.
    ///
    /// Exit code 0: no mistake. 1: each mistake is printed with its place. 2: a path cannot be
    /// read.
    Check {
        /// Board files (.toml), or folders with templates (.txt).
        #[arg(required = true, value_name = "PATH")]
        files: Vec<PathBuf>,
    },
    /// Boards: list them, or print one as the rules post that a director publishes.
    Board {
        #[command(subcommand)]
        what: BoardCommand,
    },
    /// Play whole games at random and count who wins.
    Simulate {
        /// Which board.
        #[arg(default_value = "m158")]
        board: String,
        /// How many games.
        #[arg(long, default_value_t = 1000)]
        games: u32,
        /// Where the dice begin: the same seed plays the same games.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

/// What to do with letters.
#[derive(Debug, Subcommand)]
pub enum Letters {
    /// Print them, oldest first: id, service, game, message, trace
    List {
        /// Of one service only, such as night.
        service: Option<String>,
        /// With reasons and bodies, which hold secrets of running games.
        #[arg(long)]
        full: bool,
    },
    /// Have a message handled after all
    PutBack {
        /// Whose letter, such as night.
        service: String,
        /// Its id.
        id: u64,
    },
    /// Forget a message for good
    Drop {
        /// Whose letter, such as night.
        service: String,
        /// Its id.
        id: u64,
    },
}

/// What to do with boards.
#[derive(Debug, Subcommand)]
pub enum BoardCommand {
    /// List the boards.
    List {
        /// A folder with boards of your own, as in boards.folder.
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Print a board as a rules post.
    Show {
        /// A board's id or name, or a board file.
        #[arg(value_name = "ID|FILE")]
        board: String,
    },
}

/// Settings that are given on the command line. Secrets are not: they come from files or the
/// environment.
#[derive(Debug, Args)]
pub struct Flags {
    /// A file of settings; deploy/duskgate.toml is an example with all of them.
    #[arg(long, env = "DUSKGATE_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where to listen, such as 127.0.0.1:8080 (the default); port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Where games are kept, such as `file:./duskgate-data` (the default).
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// Any other setting, such as clock.speed=4; may be given again and again.
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
