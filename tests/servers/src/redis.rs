//! Private Redis servers: one by itself, or a small cluster.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::process::Command;

use crate::{Child, Folder, OUTPUT, ServerError, free_ports};

const PROGRAM: &str = "redis-server";
const SOCKET: &str = "redis.sock";
/// How long a start or a stop may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries whether it answers.
const PAUSE: Duration = Duration::from_millis(5);
/// With ports that others have taken meanwhile, it is tried again so often.
const TRIES: usize = 5;
/// How many hash slots a cluster has.
const SLOTS: u16 = 16_384;

#[derive(Debug, Clone, Copy)]
enum Listen {
    Socket,
    Port(u16),
}

/// How a server is to be. By default it keeps what it acknowledges: an append-only file, written
/// before each answer.
#[derive(Debug, Clone)]
pub struct RedisStarter {
    on_port: bool,
    password: Option<String>,
    options: Vec<(String, String)>,
}

impl Default for RedisStarter {
    fn default() -> Self {
        let durable = [
            ("appendonly", "yes"),
            ("appendfsync", "always"),
            ("save", ""),
        ];
        Self {
            on_port: false,
            password: None,
            options: durable
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
        }
    }
}

impl RedisStarter {
    /// On a TCP port of the loopback address instead of a socket in its folder.
    #[must_use]
    pub fn on_port(mut self) -> Self {
        self.on_port = true;
        self
    }

    /// Only with this password.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.password = Some(password.to_owned());
        self
    }

    /// With this setting of `redis.conf`; it replaces an earlier one of the same name.
    #[must_use]
    pub fn option(mut self, name: &str, value: &str) -> Self {
        self.options.retain(|(known, _)| known != name);
        self.options.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Starts it and waits until it answers.
    pub async fn start(self) -> Result<RedisServer, ServerError> {
        for _ in 1..TRIES {
            match self.clone().start_once().await {
                Err(ServerError::Exited { log, .. })
                    if self.on_port && log.contains("Address already in use") => {}
                other => return other,
            }
        }
        self.start_once().await
    }

    async fn start_once(mut self) -> Result<RedisServer, ServerError> {
        let mut listen = Listen::Socket;
        if self.on_port {
            let ports = free_ports(2).map_err(ServerError::io("free ports"))?;
            listen = Listen::Port(ports[0]);
            if self
                .options
                .iter()
                .any(|(name, _)| name == "cluster-enabled")
            {
                self = self.option("cluster-port", &ports[1].to_string());
            }
        }
        let mut server = RedisServer {
            child: None,
            starter: self,
            listen,
            folder: Folder::new("redis")?,
        };
        server.start_again().await?;
        Ok(server)
    }
}

/// A Redis server of ours. It is killed, and its folder removed, when this is dropped.
#[derive(Debug)]
pub struct RedisServer {
    // Before the folder in which it works.
    child: Option<Child>,
    starter: RedisStarter,
    listen: Listen,
    folder: Folder,
}

impl RedisServer {
    /// Starts one that keeps what it acknowledges, on a socket in its folder.
    pub async fn start() -> Result<Self, ServerError> {
        RedisStarter::default().start().await
    }

    /// Where clients find it, without a password: `redis+unix:///…` or `redis://…`.
    pub fn url(&self) -> String {
        match self.listen {
            Listen::Socket => format!("redis+unix://{}", self.socket().display()),
            Listen::Port(port) => format!("redis://127.0.0.1:{port}"),
        }
    }

    /// Its TCP port, if it was started on one.
    pub fn port(&self) -> Option<u16> {
        match self.listen {
            Listen::Socket => None,
            Listen::Port(port) => Some(port),
        }
    }

    /// Kills it (`kill -9`).
    pub fn kill(&mut self) -> Result<(), ServerError> {
        match self.child.take() {
            Some(mut child) => child.kill(),
            None => Ok(()),
        }
    }

    /// Has it end by itself.
    pub async fn stop(&mut self) -> Result<(), ServerError> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        if child.terminate(PATIENCE).await? {
            return Ok(());
        }
        Err(self.timed_out(&child, "gone"))
    }

    /// Starts it with what is in its folder, after it was killed or stopped.
    pub async fn start_again(&mut self) -> Result<(), ServerError> {
        let mut child = Child::start(PROGRAM, &self.args(), &self.folder)?;
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.exited()? {
                self.folder.keep();
                return Err(ServerError::Exited {
                    command: child.command().to_owned(),
                    status,
                    folder: self.folder.path().to_owned(),
                    log: self.folder.tail(OUTPUT),
                });
            }
            if self.answers().await {
                break;
            }
            if Instant::now() >= until {
                self.folder.keep();
                return Err(self.timed_out(&child, "ready"));
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.child = Some(child);
        Ok(())
    }

    /// With other settings from the next start on.
    pub fn set_option(&mut self, name: &str, value: &str) {
        self.starter = self.starter.clone().option(name, value);
    }

    /// Lets it stand still: it takes connections and answers nothing.
    pub fn pause(&self) -> Result<(), ServerError> {
        self.child.as_ref().map_or(Ok(()), Child::pause)
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub fn resume(&self) -> Result<(), ServerError> {
        self.child.as_ref().map_or(Ok(()), Child::resume)
    }

    /// What `redis-cli` prints for this command, errors included.
    pub async fn cli(&self, command: &[&str]) -> Result<String, ServerError> {
        let mut cli = Command::new("redis-cli");
        match self.listen {
            Listen::Socket => cli.arg("-s").arg(self.socket()),
            Listen::Port(port) => cli.args(["-p", &port.to_string()]),
        };
        if let Some(password) = &self.starter.password {
            cli.env("REDISCLI_AUTH", password);
        }
        let output = cli
            .args(command)
            .output()
            .await
            .map_err(ServerError::io("redis-cli"))?;
        Ok(String::from_utf8_lossy(&output.stdout)
            .trim_end()
            .to_owned())
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    fn args(&self) -> Vec<String> {
        let mut args = vec!["--daemonize".to_owned(), "no".to_owned()];
        let mut option = |name: &str, value: &str| {
            args.extend([format!("--{name}"), value.to_owned()]);
        };
        match self.listen {
            Listen::Socket => {
                option("port", "0");
                option("unixsocket", SOCKET);
                option("unixsocketperm", "700");
            }
            Listen::Port(port) => {
                option("port", &port.to_string());
                option("bind", "127.0.0.1");
            }
        }
        if let Some(password) = &self.starter.password {
            option("requirepass", password);
        }
        for (name, value) in &self.starter.options {
            option(name, value);
        }
        args
    }

    /// Does it take commands, or at least ask for the password?
    async fn answers(&self) -> bool {
        let greeting = async {
            match self.listen {
                Listen::Socket => ping(UnixStream::connect(self.socket()).await?).await,
                Listen::Port(port) => ping(TcpStream::connect(("127.0.0.1", port)).await?).await,
            }
        };
        let greeting = tokio::time::timeout(Duration::from_secs(1), greeting).await;
        matches!(greeting, Ok(Ok(text)) if text.starts_with("+PONG") || text.starts_with("-NOAUTH"))
    }

    fn timed_out(&self, child: &Child, what: &'static str) -> ServerError {
        ServerError::TimedOut {
            command: child.command().to_owned(),
            what,
            within: PATIENCE,
            folder: self.folder.path().to_owned(),
            log: self.folder.tail(OUTPUT),
        }
    }
}

async fn ping(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<String> {
    stream.write_all(b"PING\r\n").await?;
    let mut answer = [0; 64];
    let length = stream.read(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
}

/// A Redis Cluster of three nodes without replicas.
#[derive(Debug)]
pub struct RedisCluster {
    nodes: Vec<RedisServer>,
}

impl RedisCluster {
    /// Starts the nodes, shares the slots out among them, and waits until all agree.
    pub async fn start() -> Result<Self, ServerError> {
        let node = RedisStarter::default()
            .on_port()
            .option("cluster-enabled", "yes")
            .option("cluster-node-timeout", "2000")
            .option("cluster-require-full-coverage", "no");
        let mut nodes = Vec::new();
        for _ in 0..3 {
            nodes.push(node.clone().start().await?);
        }
        let cluster = Self { nodes };
        let share = SLOTS.div_ceil(3);
        for (nth, node) in (0..).zip(&cluster.nodes) {
            let (first, last) = (nth * share, ((nth + 1) * share).min(SLOTS) - 1);
            let range = [first.to_string(), last.to_string()];
            node.cli(&["cluster", "addslotsrange", &range[0], &range[1]])
                .await?;
            let epoch = (nth + 1).to_string();
            node.cli(&["cluster", "set-config-epoch", &epoch]).await?;
        }
        for node in &cluster.nodes[1..] {
            cluster.nodes[0].meet(node).await?;
        }
        cluster.agree().await?;
        Ok(cluster)
    }

    /// Where clients find it: `redis-cluster://host:port,host:port,…`.
    pub fn url(&self) -> String {
        let nodes: Vec<_> = self
            .nodes
            .iter()
            .filter_map(RedisServer::port)
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        format!("redis-cluster://{}", nodes.join(","))
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[RedisServer] {
        &self.nodes
    }

    /// Its nodes, to do something to them.
    pub fn nodes_mut(&mut self) -> &mut [RedisServer] {
        &mut self.nodes
    }

    /// Waits until every node sees the whole cluster well.
    pub async fn agree(&self) -> Result<(), ServerError> {
        let until = Instant::now() + PATIENCE;
        for node in &self.nodes {
            loop {
                let info = node.cli(&["cluster", "info"]).await?;
                let has = |line: &str| info.lines().any(|l| l.trim_end() == line);
                if has("cluster_state:ok")
                    && has("cluster_slots_ok:16384")
                    && has("cluster_known_nodes:3")
                {
                    break;
                }
                match &node.child {
                    Some(child) if Instant::now() >= until => {
                        return Err(node.timed_out(child, "at one with its cluster"));
                    }
                    _ => tokio::time::sleep(PAUSE * 4).await,
                }
            }
        }
        Ok(())
    }
}

impl RedisServer {
    async fn meet(&self, other: &Self) -> Result<(), ServerError> {
        let setting = |name: &str| {
            let mut options = other.starter.options.iter();
            options.find_map(|(n, value)| (n == name).then(|| value.clone()))
        };
        let port = other.port().unwrap_or_default().to_string();
        let bus = setting("cluster-port").unwrap_or_default();
        self.cli(&["cluster", "meet", "127.0.0.1", &port, &bus])
            .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_server_keeps_what_it_acknowledged_when_it_is_killed() {
        let mut server = RedisServer::start().await.unwrap();
        assert_eq!(server.cli(&["set", "a", "1"]).await.unwrap(), "OK");
        server.kill().unwrap();
        assert!(!server.answers().await);
        server.start_again().await.unwrap();
        assert_eq!(server.cli(&["get", "a"]).await.unwrap(), "1");
        server.stop().await.unwrap();
        server.start_again().await.unwrap();
        assert_eq!(server.cli(&["get", "a"]).await.unwrap(), "1");
    }

    #[tokio::test]
    async fn a_server_that_ends_at_once_says_why() {
        let starter = RedisStarter::default().option("no-such-setting", "1");
        let error = starter.start().await.unwrap_err();
        let ServerError::Exited { folder, .. } = &error else {
            panic!("{error}")
        };
        assert!(error.to_string().contains("no-such-setting"), "{error}");
        assert!(folder.is_dir(), "it is kept");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[tokio::test]
    async fn a_cluster_answers_for_all_slots() {
        let cluster = RedisCluster::start().await.unwrap();
        for node in cluster.nodes() {
            let answer = node.cli(&["-c", "set", "key", "1"]).await.unwrap();
            assert_eq!(answer, "OK");
        }
    }
}
