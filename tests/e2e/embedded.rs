//! The product in one process, on a folder of its own, that can be killed and started again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

use crate::site::wait_for;

/// A running process.
pub struct Embedded {
    child: Child,
    url: String,
    folder: TempDir,
    settings: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Embedded {
    /// Starts one on a fresh folder.
    pub fn start(settings: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder for the site");
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let (child, url) = launch(folder.path(), &settings, &variables);
        Self {
            child,
            url,
            folder,
            settings,
            variables,
        }
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        self.child.kill().expect("the site can be killed");
        self.child.wait().expect("the site has ended");
    }

    /// Starts it again on the same folder.
    pub fn restart(&mut self) {
        let (child, url) = launch(self.folder.path(), &self.settings, &self.variables);
        self.child = child;
        self.url = url;
    }

    /// Asks it to stop, and waits for that.
    pub fn stop(&mut self) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(
            sent.is_ok_and(|s| s.success()),
            "the site can be asked to stop"
        );
        let ended = wait_for("the site to stop", || self.child.try_wait().ok().flatten());
        assert!(ended.success(), "a graceful stop is a success");
    }

    /// What it has logged since its first start.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log.txt")).unwrap_or_default()
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        if self.child.kill().is_ok() {
            let _ = self.child.wait();
        }
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let from = lines.len().saturating_sub(60);
            eprintln!(
                "--- the site's last log lines ---\n{}",
                lines[from..].join("\n")
            );
        }
    }
}

fn launch(folder: &Path, settings: &[String], variables: &[(String, String)]) -> (Child, String) {
    let log = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("log.txt"))
        .expect("a log file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_duskgate"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DUSKGATE_")) {
        command.env_remove(name);
    }
    command.args(["up", "--listen", "127.0.0.1:0"]);
    command
        .arg("--store")
        .arg(format!("file:{}", folder.join("data").display()));
    for setting in settings {
        command.args(["--set", setting]);
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the binary starts");
    let mut first = String::new();
    let stdout = child.stdout.take().expect("standard output is piped");
    BufReader::new(stdout)
        .read_line(&mut first)
        .expect("a first line");
    let url = first.trim().strip_prefix("listening ").map(str::to_owned);
    let url = url.unwrap_or_else(|| {
        let log = std::fs::read_to_string(folder.join("log.txt")).unwrap_or_default();
        panic!("the first line was {first:?}; the log says:\n{log}")
    });
    (child, url)
}
