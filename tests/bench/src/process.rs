//! The released binary as a process: how soon it is there, and how much memory it takes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use protocol::{ChatGroup, Scene};
use tempfile::TempDir;

use crate::report::{Report, median, ms};
use crate::side::Side;
use crate::stored;
use crate::table::Table;

/// How often a start is measured.
const STARTS: usize = 5;
/// How many games the large store has.
const GAMES: u64 = 1000;
/// When memory is looked at a second time.
const LATER: Duration = Duration::from_secs(10);
/// What the chat side of the large store shows.
const TOKEN: &str = "the bench's own side";
/// How long a start may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures it.
pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    Report::section("the process (release build)");
    let binary = build()?;
    empty(report, &binary)?;
    full(report, &binary)
}

/// On an empty folder, as a newcomer starts it: with the playground and its page.
fn empty(report: &mut Report, binary: &Path) -> anyhow::Result<()> {
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let folder = TempDir::new()?;
        let running = Running::start(binary, folder.path(), None)?;
        times.push(running.answers("/")?);
        running.stop()?;
    }
    report.at_most(
        "start to first page, an empty folder",
        ms(median(&times)),
        "ms",
        2000.0,
    );
    let folder = TempDir::new()?;
    let running = Running::start(binary, folder.path(), None)?;
    running.answers("/readyz")?;
    memory(report, "an empty folder", &running)?;
    running.stop()
}

/// On a folder with many running games of an account whose chat side is away.
fn full(report: &mut Report, binary: &Path) -> anyhow::Result<()> {
    let folder = TempDir::new()?;
    let prepared = Instant::now();
    tokio::runtime::Runtime::new()?.block_on(stored::prepare(folder.path(), GAMES))?;
    Report::note(&format!(
        "({GAMES} running games were put into a store in {:.1} s)",
        prepared.elapsed().as_secs_f64()
    ));
    let mut times = Vec::new();
    for _ in 0..STARTS {
        let running = Running::start(binary, folder.path(), Some(TOKEN))?;
        times.push(running.answers("/readyz")?);
        running.stop()?;
    }
    let name = format!("start to ready, {GAMES} running games");
    report.at_most(&name, ms(median(&times)), "ms", 2000.0);
    let running = Running::start(binary, folder.path(), Some(TOKEN))?;
    running.answers("/readyz")?;
    memory(report, &format!("{GAMES} running games"), &running)?;
    tokio::runtime::Runtime::new()?.block_on(ask_all(&running))?;
    let name = format!("memory when all {GAMES} have been asked for their seats");
    report.plain(&name, running.resident()?, "MB");
    let began = Instant::now();
    running.stop()?;
    report.at_most(
        "graceful stop then, snapshots kept",
        ms(began.elapsed()),
        "ms",
        2000.0,
    );
    Ok(())
}

/// Somebody asks for the seats in every game, so that all of them are in memory.
async fn ask_all(running: &Running) -> anyhow::Result<()> {
    let address = running.address.parse()?;
    let mut side = Side::connect(address, stored::ACCOUNT, TOKEN).await?;
    let mut waiting: BTreeSet<Scene> = BTreeSet::new();
    for table in (0..GAMES).map(Table::nth) {
        side.say(table.square(), table.director(), "电梯");
        waiting.insert(Scene::Group(ChatGroup(table.square())));
    }
    while !waiting.is_empty() {
        let said = side.until(|said| waiting.contains(&said.scene)).await;
        let said = said.with_context(|| format!("{} squares are silent", waiting.len()))?;
        waiting.remove(&said.scene);
    }
    Ok(())
}

fn memory(report: &mut Report, what: &str, running: &Running) -> anyhow::Result<()> {
    let at_once = running.resident()?;
    std::thread::sleep(LATER);
    let later = running.resident()?;
    let name = format!("idle memory when ready, {what}");
    report.at_most(&name, at_once, "MB", 80.0);
    let name = format!("idle memory 10 s later, {what}");
    report.at_most(&name, later, "MB", 80.0);
    Ok(())
}

/// The binary beside this one, built anew if need be.
pub fn build() -> anyhow::Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args([
        "build",
        "--quiet",
        "--package",
        "duskgate",
        "--bin",
        "duskgate",
    ]);
    if !cfg!(debug_assertions) {
        command.arg("--release");
    }
    ensure!(command.status()?.success(), "duskgate cannot be built");
    let own = std::env::current_exe()?;
    Ok(own.with_file_name("duskgate"))
}

/// A running process.
struct Running {
    child: Child,
    began: Instant,
    address: String,
}

impl Running {
    fn start(binary: &Path, folder: &Path, token: Option<&str>) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DUSKGATE_")) {
            command.env_remove(name);
        }
        if let Some(token) = token {
            command.env("DUSKGATE_ONEBOT_ACCESS_TOKEN", token);
            // Nobody is annoyed here by many messages.
            command.env("DUSKGATE_ONEBOT_MESSAGES_PER_MINUTE", "1000000");
        }
        let began = Instant::now();
        let mut child = command
            .args(["up", "--listen", "127.0.0.1:0", "--store"])
            .arg(format!("file:{}", folder.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{} does not start", binary.display()))?;
        let stdout = child.stdout.take().context("no standard output")?;
        let mut first = String::new();
        BufReader::new(stdout).read_line(&mut first)?;
        let address = first.trim().strip_prefix("listening http://");
        let address = address.context("it does not listen")?.to_owned();
        Ok(Self {
            child,
            began,
            address,
        })
    }

    /// Asks until the answer is 200; how long that is after the start.
    fn answers(&self, path: &str) -> anyhow::Result<Duration> {
        loop {
            if self
                .ask(path)
                .is_ok_and(|answer| answer.starts_with("HTTP/1.1 200"))
            {
                return Ok(self.began.elapsed());
            }
            ensure!(self.began.elapsed() < PATIENCE, "no answer to {path}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn ask(&self, path: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        let host = &self.address;
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// Memory that is really there, in megabytes.
    fn resident(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .context("memory is only known on Linux")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        let kilobytes: f64 = kilobytes.context("no VmRSS")?.parse()?;
        Ok(kilobytes / 1024.0)
    }

    /// Asks it to stop, and waits for that.
    fn stop(mut self) -> anyhow::Result<()> {
        let pid = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status()?;
        ensure!(
            asked.success() && self.child.wait()?.success(),
            "it did not stop well"
        );
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already when all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
