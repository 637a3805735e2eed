//! `duskgate rehearse PATH…`: files and folders of files, one after another.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use texts::Texts;

use crate::report::{Report, Totals, Verdict};
use crate::unreadable::Unreadable;
use crate::{play, read_in};

/// Rehearses files and folders of them and prints what becomes of each; with `json` one object
/// a line. The code is 0 when all passed, 1 when one failed, 2 when one could not be read.
pub fn cli(paths: &[PathBuf], json: bool) -> ExitCode {
    let mut out = io::stdout().lock();
    match rehearse(paths, json, &mut out) {
        Ok(totals) => ExitCode::from(totals.exit_code()),
        // Whoever read the report has gone: there is nobody to tell.
        Err(_) => ExitCode::from(2),
    }
}

/// As [`cli`], into any writer.
///
/// # Errors
/// When nothing can be written any more.
pub fn rehearse(paths: &[PathBuf], json: bool, out: &mut impl Write) -> io::Result<Totals> {
    let texts = Texts::builtin();
    let mut totals = Totals::default();
    for path in paths {
        for found in files(path) {
            let report = match found {
                Ok(file) => report(&file, &texts),
                Err((file, why)) => Report {
                    file,
                    title: String::new(),
                    verdict: Verdict::Unreadable(why.into()),
                },
            };
            totals.count(&report.verdict);
            if json {
                writeln!(out, "{}", report.to_json().map_err(io::Error::other)?)?;
            } else {
                writeln!(out, "{report}")?;
            }
        }
    }
    if json {
        writeln!(
            out,
            "{}",
            serde_json::to_string(&totals).map_err(io::Error::other)?
        )?;
    } else {
        writeln!(out, "{totals}")?;
    }
    out.flush()?;
    Ok(totals)
}

/// Reads and plays one file.
pub fn report(file: &Path, texts: &Texts) -> Report {
    let (title, verdict) = match fs::read_to_string(file).map_err(Unreadable::Io) {
        Err(why) => (String::new(), Verdict::Unreadable(why)),
        Ok(text) => match read_in(&text, file.parent().unwrap_or(Path::new(""))) {
            Err(why) => (String::new(), Verdict::Unreadable(why)),
            Ok(script) => match play(&script, texts) {
                Ok(()) => (script.title, Verdict::Passed),
                Err(failure) => (script.title, Verdict::Failed(failure)),
            },
        },
    };
    Report {
        file: file.to_owned(),
        title,
        verdict,
    }
}

/// A file as it is; of a folder every `*.yaml` in it and in the folders below, sorted by name.
/// What cannot be opened is among them with the reason.
pub fn files(path: &Path) -> Vec<Result<PathBuf, (PathBuf, io::Error)>> {
    let mut found = Vec::new();
    match fs::metadata(path) {
        Ok(about) if about.is_dir() => walk(path, &mut found),
        Ok(_) => found.push(Ok(path.to_owned())),
        Err(error) => found.push(Err((path.to_owned(), error))),
    }
    found
}

fn walk(folder: &Path, found: &mut Vec<Result<PathBuf, (PathBuf, io::Error)>>) {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found.push(Err((folder.to_owned(), error))),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to folders are not followed: they could go round in a circle.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "yaml") && !path.is_dir() {
            found.push(Ok(path));
        }
    }
}
