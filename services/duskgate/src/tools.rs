//! Tools that need no running service.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use texts::Texts;

/// `duskgate rehearse`.
pub fn rehearse(paths: &[PathBuf], json: bool) -> ExitCode {
    rehearsal::cli(paths, json)
}

/// `duskgate check`: every mistake with its place; fails when there is one.
pub fn check(files: &[PathBuf]) -> ExitCode {
    let mut mistakes = 0;
    for file in files {
        let found = if file.is_dir() {
            check_texts(file)
        } else {
            check_board(file)
        };
        match found {
            Ok(found) => {
                for mistake in &found {
                    println!("{mistake}");
                }
                mistakes += found.len();
                if found.is_empty() {
                    println!("{}: good", file.display());
                }
            }
            Err(error) => {
                eprintln!("duskgate: cannot read {}: {error}", file.display());
                return ExitCode::from(2);
            }
        }
    }
    if mistakes == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn check_board(file: &Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    Ok(match boards::read(&text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems
            .0
            .iter()
            .map(|p| format!("{}:{p}", file.display()))
            .collect(),
    })
}

fn check_texts(folder: &Path) -> Result<Vec<String>, String> {
    let (_, faults) = Texts::with_folder(folder).map_err(|e| e.to_string())?;
    Ok(faults.iter().map(ToString::to_string).collect())
}

/// `duskgate simulate`.
pub fn simulate(board: &str, games: u32, seed: u64) -> ExitCode {
    let Some(found) = boards::find(board) else {
        let known: Vec<&str> = boards::builtin().iter().map(|b| b.id.as_str()).collect();
        eprintln!(
            "duskgate: there is no board {board:?}; there are: {}",
            known.join(" ")
        );
        return ExitCode::from(2);
    };
    print!("{}", sim::simulate(&found, games, seed));
    ExitCode::SUCCESS
}
