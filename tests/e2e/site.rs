//! The product as a child process, on a folder of its own, that can be killed and started again.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// How long anything may take before a test gives up.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A last look after that, so that whoever waits can say what there was instead.
const GRACE: Duration = Duration::from_millis(500);

/// Looks again and again until it finds something.
///
/// # Panics
/// When it does not within [`PATIENCE`], with what was waited for.
#[track_caller]
pub fn wait_for<T>(what: &str, look: impl FnMut() -> Option<T>) -> T {
    wait_as_long_as(PATIENCE + GRACE, what, look)
}

/// The same for something that takes longer.
#[track_caller]
pub fn wait_as_long_as<T>(
    patience: Duration,
    what: &str,
    mut look: impl FnMut() -> Option<T>,
) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < patience, "waited too long for {what}");
        std::thread::sleep(Duration::from_millis(15));
    }
}

/// A running product.
pub struct Site {
    child: Child,
    url: String,
    folder: TempDir,
    settings: Vec<String>,
    variables: Vec<(String, String)>,
    http: ureq::Agent,
}

impl Site {
    /// Starts one on a fresh folder with these settings (`clock.speed=60`).
    pub fn start(settings: &[&str]) -> Self {
        Self::start_with(settings, &[])
    }

    /// The same with environment variables.
    pub fn start_with(settings: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = TempDir::new().expect("a folder for the site");
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let (child, url) = launch(folder.path(), &settings, &variables);
        let http = ureq::Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            .build()
            .into();
        Self {
            child,
            url,
            folder,
            settings,
            variables,
            http,
        }
    }

    /// `kill -9`, wherever it stands.
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

    /// The sum of a metric over its labels that contain this; 0 when there is none.
    pub fn metric(&self, name: &str, label: &str) -> f64 {
        let shown = self.get("/metrics");
        let lines = shown.as_str().unwrap_or_default().lines();
        lines
            .filter_map(|line| line.strip_prefix(name))
            .filter(|rest| rest.starts_with(['{', ' ']) && rest.contains(label))
            .filter_map(|rest| rest.rsplit(' ').next()?.parse::<f64>().ok())
            .sum()
    }

    /// It is ready, has given up on no message, and has nothing to complain of in itself.
    #[track_caller]
    pub fn assert_well(&self) {
        self.get("/readyz");
        let dead = self.metric("duskgate_dead_letters_total", "");
        assert!(dead == 0.0, "{dead} messages were given up");
        let log = self.log();
        let bad = log
            .lines()
            .find(|line| line.contains("ERROR") || line.contains("panicked"));
        assert!(bad.is_none(), "the log says {bad:?}");
    }

    /// Where it listens.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `GET`: status and JSON. While the site is down: `None`.
    pub fn try_get(&self, path: &str) -> Option<(u16, Value)> {
        let mut answer = self.http.get(format!("{}{path}", self.url)).call().ok()?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().read_to_string().ok()?;
        Some((
            status,
            serde_json::from_str(&body).unwrap_or(Value::String(body)),
        ))
    }

    /// `GET` that must succeed.
    #[track_caller]
    pub fn get(&self, path: &str) -> Value {
        let (status, body) = self
            .try_get(path)
            .unwrap_or_else(|| panic!("no answer to {path}"));
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    /// `POST`: status and JSON. While the site is down: `None`.
    pub fn try_post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let request = self.http.post(format!("{}{path}", self.url));
        let mut answer = request.send_json(body).ok()?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().read_to_string().ok()?;
        Some((
            status,
            serde_json::from_str(&body).unwrap_or(Value::String(body)),
        ))
    }

    /// `POST` that must succeed.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Value {
        let (status, answer) = self
            .try_post(path, body)
            .unwrap_or_else(|| panic!("no answer to {path}"));
        assert_eq!(status, 200, "{path} {body}: {answer}");
        answer
    }
}

impl Drop for Site {
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
