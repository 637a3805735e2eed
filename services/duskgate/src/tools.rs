//! Tools that need no running service.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use rules::Board;
use texts::Texts;
use texts::phrases::{board_list, rules_post};

use crate::cli::BoardCommand;

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

/// `duskgate board`.
pub fn board(what: &BoardCommand) -> ExitCode {
    let texts = Texts::builtin();
    let said = match what {
        BoardCommand::List { folder } => known_boards(folder.as_deref()).and_then(|known| {
            let boards = known.iter().map(AsRef::as_ref);
            board_list(boards, &texts).map_err(|e| e.to_string())
        }),
        BoardCommand::Show { board } => find_board(board)
            .and_then(|found| rules_post(&found, &texts).map_err(|e| e.to_string())),
    };
    match said {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("duskgate: {error}");
            ExitCode::from(2)
        }
    }
}

/// The built-in boards and those of a folder; its bad files are named on standard error.
fn known_boards(folder: Option<&Path>) -> Result<Vec<Arc<Board>>, String> {
    let Some(folder) = folder else {
        return Ok(boards::builtin().to_vec());
    };
    let (boards, bad) = boards::with_folder(folder)
        .map_err(|e| format!("cannot read {}: {e}", folder.display()))?;
    for bad in bad {
        eprintln!("duskgate: {bad}");
    }
    Ok(boards)
}

/// A built-in board by id or name, else the board of a file.
fn find_board(word: &str) -> Result<Arc<Board>, String> {
    if let Some(board) = boards::find(word) {
        return Ok(board);
    }
    let path = Path::new(word);
    if !path.exists() {
        let known: Vec<&str> = boards::builtin().iter().map(|b| b.id.as_str()).collect();
        let known = known.join(" ");
        return Err(format!(
            "there is no board and no file {word:?}; there are: {known}"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {word}: {e}"))?;
    let board = boards::read(&text).map_err(|problems| {
        let lines = problems.0.iter().map(|p| format!("{word}:{p}"));
        lines.collect::<Vec<_>>().join("\n")
    })?;
    Ok(Arc::new(board))
}
