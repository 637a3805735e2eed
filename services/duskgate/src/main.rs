//! The one binary: the whole product in one process, and the tools that go with it.

mod cli;
mod tools;
mod up;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.command {
        Command::Up(flags) => match up::run(flags) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("duskgate: {error:#}");
                ExitCode::FAILURE
            }
        },
        Command::Rehearse { paths, json } => tools::rehearse(&paths, json),
        Command::Check { files } => tools::check(&files),
        Command::Simulate { board, games, seed } => tools::simulate(&board, games, seed),
    }
}
