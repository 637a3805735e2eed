//! Boards of an operator's own, beside those that come with the product.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rules::Board;

use crate::problem::Problems;

/// A file of the folder that is not used, and why.
#[derive(Debug)]
pub struct BadFile {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// Why a file is not used.
#[derive(Debug)]
pub enum Why {
    /// It cannot be read.
    Unreadable(io::Error),
    /// It has mistakes.
    Mistakes(Problems),
    /// Another board is called so already, by id or name.
    Taken(String),
}

impl fmt::Display for BadFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.why {
            Why::Unreadable(error) => write!(f, "{path}: {error}"),
            Why::Mistakes(problems) => {
                for (i, problem) in problems.0.iter().enumerate() {
                    let end = if i > 0 { "\n" } else { "" };
                    write!(f, "{end}{path}:{problem}")?;
                }
                Ok(())
            }
            Why::Taken(word) => write!(f, "{path}: another board is called {word:?} already"),
        }
    }
}

/// The built-in boards and those of a folder (every `*.toml` in it, by file name), and what of it
/// cannot be used. A bad file does not stop the others.
///
/// # Errors
/// When the folder itself cannot be read.
pub fn with_folder(folder: &Path) -> io::Result<(Vec<Arc<Board>>, Vec<BadFile>)> {
    let mut boards = crate::builtin().to_vec();
    let mut bad = Vec::new();
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    paths.sort();
    for path in paths {
        match read_file(&path).and_then(|board| add(&mut boards, board)) {
            Ok(()) => {}
            Err(why) => bad.push(BadFile { path, why }),
        }
    }
    Ok((boards, bad))
}

fn read_file(path: &Path) -> Result<Board, Why> {
    let text = std::fs::read_to_string(path).map_err(Why::Unreadable)?;
    crate::read(&text).map_err(Why::Mistakes)
}

fn add(boards: &mut Vec<Arc<Board>>, board: Board) -> Result<(), Why> {
    let called = |word: &str| {
        let same = |other: &str| other.eq_ignore_ascii_case(word);
        boards.iter().any(|b| same(&b.id) || same(&b.name))
    };
    for word in [&board.id, &board.name] {
        if called(word) {
            return Err(Why::Taken(word.clone()));
        }
    }
    boards.push(Arc::new(board));
    Ok(())
}
