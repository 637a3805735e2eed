//! The one binary: the whole product in one process, each service as a process of its own, and the
//! tools that go with it.

mod cli;
mod letters;
mod tools;
mod up;

use std::process::ExitCode;

use clap::Parser;
use duskgate::Crew;
use protocol::Service;

use cli::{Cli, Command, Flags};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Command::Up(flags) => run(Crew::Everybody, flags),
        Command::Ingest(flags) => run(Crew::Only(Service::Ingest), flags),
        Command::Tally(flags) => run(Crew::Only(Service::Tally), flags),
        Command::Night(flags) => run(Crew::Only(Service::Night), flags),
        Command::Publish(flags) => run(Crew::Only(Service::Publish), flags),
        Command::Clock(flags) => run(Crew::Only(Service::Clock), flags),
        Command::Playground(flags) => run(Crew::Only(Service::Playground), flags),
        Command::Letters { what, flags } => done(letters::run(what, flags)),
        Command::Rehearse { paths, json } => tools::rehearse(&paths, json),
        Command::Check { files } => tools::check(&files),
        Command::Board { what } => tools::board(&what),
        Command::Simulate { board, games, seed } => tools::simulate(&board, games, seed),
    }
}

fn run(crew: Crew, flags: Flags) -> ExitCode {
    done(up::run(crew, flags))
}

fn done(outcome: anyhow::Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("duskgate: {error:#}");
            ExitCode::FAILURE
        }
    }
}
