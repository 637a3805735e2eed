//! Folders in which servers work.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::ServerError;

/// How much of a log is shown.
const TAIL: usize = 20;

/// A temporary folder. It goes when this is dropped, unless a test is failing: then it stays, and
/// its name is told.
#[derive(Debug)]
pub struct Folder {
    folder: Option<TempDir>,
    path: PathBuf,
}

impl Folder {
    /// A fresh folder whose name says what it is for.
    pub fn new(purpose: &str) -> Result<Self, ServerError> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("duskgate-{purpose}-"))
            .tempdir()
            .map_err(ServerError::io("a temporary folder"))?;
        Ok(Self {
            path: folder.path().to_owned(),
            folder: Some(folder),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves it there for good, for somebody to look at.
    pub fn keep(&mut self) {
        if let Some(folder) = self.folder.take() {
            let _ = folder.keep();
        }
    }

    /// For the folder of a server that lives as long as our process, and is never dropped:
    /// removes it when our process has ended, in whatever way.
    pub fn remove_at_exit(&mut self) -> Result<(), ServerError> {
        use std::os::unix::process::CommandExt;
        // Waits for the end of its input, which we hold open as long as we are.
        let script = "cat >/dev/null; sleep 1; rm -rf -- \"$0\"";
        let janitor = Command::new("sh")
            .args(["-c", script])
            .arg(&self.path)
            .stdin(Stdio::piped())
            // Whoever interrupts us does not interrupt it.
            .process_group(0)
            .spawn()
            .map_err(ServerError::io("a shell"))?;
        std::mem::forget(janitor);
        self.keep();
        Ok(())
    }

    /// The last lines of a file in it.
    pub fn tail(&self, file: &str) -> String {
        let Ok(text) = std::fs::read(self.path.join(file)) else {
            return format!("(there is no {file})");
        };
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(TAIL)..].join("\n")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if std::thread::panicking() && self.folder.is_some() {
            eprintln!("kept for you to look at: {}", self.path.display());
            self.keep();
        }
    }
}
