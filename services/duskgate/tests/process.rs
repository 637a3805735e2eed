//! The binary as a process: how it starts, what it refuses, how it stops.

#![expect(clippy::unwrap_used, reason = "these are tests: an error fails them")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use protocol::Service;
use store::AggregateKey;
use tempfile::TempDir;

const TOKEN: &str = "a token for this test";

fn duskgate(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duskgate"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("DUSKGATE_")) {
        command.env_remove(name);
    }
    command
        .env_remove("RUST_LOG")
        .args(["up", "--store", &format!("file:{}", folder.display())])
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs one that is to refuse.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let Output { status, stderr, .. } = duskgate(folder, arguments).output().unwrap();
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{arguments:?}: {stderr}");
    stderr
}

/// One that runs.
struct Running {
    child: Child,
    address: String,
}

impl Running {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = duskgate(folder, arguments)
            .args(["--listen", "127.0.0.1:0"])
            .env("DUSKGATE_ONEBOT_ACCESS_TOKEN", TOKEN)
            .spawn()
            .unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut first)
            .unwrap();
        let address = first.trim().strip_prefix("listening http://");
        let address = address.unwrap_or_else(|| panic!("{first:?}")).to_owned();
        Self { child, address }
    }

    /// Sends a request and leaves the connection open; the first line of the answer.
    fn ask(&self, request: &str) -> (TcpStream, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut first = [0; 64];
        let length = stream.read(&mut first).unwrap();
        let first = String::from_utf8_lossy(&first[..length]).into_owned();
        (stream, first.lines().next().unwrap_or_default().to_owned())
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Waits until all is well, the playground's side included; what `/readyz` says then.
    fn ready(&self) -> String {
        let began = Instant::now();
        loop {
            let ready = self.get("/readyz");
            let well = ready.starts_with("HTTP/1.1 200") && ready.contains("\"chat 9000\"");
            if well || began.elapsed() > Duration::from_secs(20) {
                return ready;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Asks it to stop; how long that takes, and all that it logged.
    fn stop(mut self) -> (Duration, String) {
        let began = Instant::now();
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
        assert!(sent.success());
        let mut log = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {log}");
        (began.elapsed(), log)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended; then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_folder_or_a_port_in_use_is_told_and_the_first_goes_on() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let first = Running::start(folder.path(), &[]);
    let error = refused(folder.path(), &["--listen", "127.0.0.1:0"]);
    assert!(
        error.contains("is in use by another duskgate process")
            && error.contains(&folder.path().display().to_string()),
        "{error}"
    );
    let error = refused(other.path(), &["--listen", &first.address]);
    assert!(
        error.contains(&format!("cannot listen on {}", first.address))
            && error.contains("--listen"),
        "{error}"
    );
    assert!(first.get("/healthz").starts_with("HTTP/1.1 200"));
    first.stop();
}

#[test]
fn what_this_release_does_not_have_is_refused() {
    let folder = TempDir::new().unwrap();
    let inside = folder.path().join("data");
    for (setting, expected) in [
        ("groups.mode=relayed", "groups.mode: \"relayed\""),
        ("clock.source=http://127.0.0.1:1", "clock.source"),
        ("bus.url=nonsense", "bus.url"),
        ("store.url=nonsense", "store.url"),
        ("http.listen=nowhere", "http.listen"),
    ] {
        let listen = ["--listen", "127.0.0.1:0", "--set", setting];
        let error = refused(&inside, &listen);
        assert!(
            error.starts_with("duskgate: ") && error.contains(expected),
            "{error}"
        );
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

/// Streams, long polls, sockets and half a request do not keep it from stopping.
#[test]
fn it_stops_at_once_whoever_is_connected() {
    let folder = TempDir::new().unwrap();
    let running = Running::start(folder.path(), &["--set", "playground.enabled=on"]);
    let head = "host: 127.0.0.1\r\n\r\n";
    let director = "/playground/api/users/10001";
    let open = [
        (format!("GET {director}/stream HTTP/1.1\r\n{head}"), "200"),
        (format!("GET /healthz HTTP/1.1\r\n{head}"), "200"),
        (
            format!(
                "GET /onebot/v11/ws HTTP/1.1\r\nauthorization: Bearer {TOKEN}\r\n\
                 x-self-id: 77\r\nupgrade: websocket\r\nconnection: upgrade\r\n\
                 sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n{head}"
            ),
            "101",
        ),
    ];
    let mut streams = Vec::new();
    for (request, expected) in &open {
        let (stream, first) = running.ask(request);
        assert!(first.contains(expected), "{request}: {first}");
        streams.push(stream);
    }
    for request in [
        format!("GET {director}/chats?after=1000000&wait_ms=60000 HTTP/1.1\r\n{head}"),
        "GET /healthz HTTP/1.1\r\nhost:".to_owned(),
        "POST /playground/api/users HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{"
            .to_owned(),
    ] {
        let mut stream = TcpStream::connect(&running.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        streams.push(stream);
    }
    // Both have been read when a later request on another connection has been answered.
    assert!(running.get("/metrics").contains("duskgate_commit_seconds"));
    let (took, log) = running.stop();
    assert!(took < Duration::from_secs(2), "{took:?}\n{log}");
}

#[test]
fn a_graceful_stop_leaves_nothing_to_replay() {
    let folder = TempDir::new().unwrap();
    let running = Running::start(folder.path(), &["--set", "playground.enabled=on"]);
    assert!(running.get("/").starts_with("HTTP/1.1 200"));
    let ready = running.ready();
    assert!(ready.contains("\"chat 9000\":\"ok\""), "{ready}");
    let (_, log) = running.stop();
    assert!(
        !log.is_empty() && !log.contains('\u{1b}'),
        "no colours: {log}"
    );

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let replayed = runtime.block_on(async {
        let url = format!("file:{}", folder.path().display());
        let store = store::open(&url).await.unwrap();
        let (mut found, mut replayed) = (0, Vec::new());
        for service in Service::ALL {
            for key in store.keys(service).await.unwrap() {
                let aggregate = AggregateKey { service, key };
                let stored = store.load(&aggregate).await.unwrap();
                found += 1;
                if !stored.entries.is_empty() {
                    replayed.push(aggregate);
                }
            }
        }
        assert!(
            found >= 2,
            "the playground's world and the account, at least"
        );
        replayed
    });
    assert_eq!(replayed, []);
}

/// The manual says what is there from the start.
#[test]
fn health_and_metrics_are_as_the_manual_says() {
    let folder = TempDir::new().unwrap();
    let running = Running::start(folder.path(), &["--set", "playground.enabled=on"]);
    let ready = running.ready();
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    for check in [
        "store",
        "bus",
        "clock",
        "ingest",
        "tally",
        "night",
        "publish",
        "night outbox",
    ] {
        assert!(ready.contains(&format!("\"{check}\":\"ok\"")), "{ready}");
    }
    let manual = include_str!("../../../docs/manual/operator.md");
    let metrics = running.get("/metrics");
    let late = ["duskgate_lag_seconds", "duskgate_refusals_total"];
    for name in manual
        .split(['`', '{'])
        .filter(|word| word.starts_with("duskgate_") && !late.contains(word))
    {
        let there = metrics.lines().any(|line| line.starts_with(name));
        assert!(there, "{name} is missing in\n{metrics}");
    }
    running.stop();
}
