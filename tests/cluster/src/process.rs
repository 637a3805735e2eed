//! One service as a process.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use servers::{Child, Folder, OUTPUT};

/// How long a graceful stop may take.
const STOP: Duration = Duration::from_secs(30);
/// Between two looks whether it is ready.
const PAUSE: Duration = Duration::from_millis(20);

/// The services, by the names of their subcommands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Service {
    /// The stand-in for QQ.
    Playground,
    /// Chat in, chat out.
    Ingest,
    /// Ballots.
    Tally,
    /// The referee.
    Night,
    /// Words and groups.
    Publish,
    /// Deadlines.
    Clock,
}

impl Service {
    /// The product's own: all but the playground.
    pub const OWN: [Self; 5] = [
        Self::Ingest,
        Self::Tally,
        Self::Night,
        Self::Publish,
        Self::Clock,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Playground => "playground",
            Self::Ingest => "ingest",
            Self::Tally => "tally",
            Self::Night => "night",
            Self::Publish => "publish",
            Self::Clock => "clock",
        }
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A service's process. It keeps its address and its log over all its lives.
#[derive(Debug)]
pub struct Process {
    // Before the folder in which it works.
    child: Option<Child>,
    service: Service,
    nth: usize,
    port: u16,
    arguments: Vec<String>,
    lives: u32,
    folder: Folder,
}

impl Process {
    pub(crate) fn new(
        binary: &Path,
        service: Service,
        nth: usize,
        port: u16,
    ) -> anyhow::Result<Self> {
        let folder = Folder::new(service.name())?;
        Ok(Self {
            child: None,
            service,
            nth,
            port,
            arguments: vec![absolute(binary)?.display().to_string()],
            lives: 0,
            folder,
        })
    }

    pub(crate) fn configure(
        &mut self,
        file: &Path,
        settings: &[String],
        variables: &[(String, String)],
    ) {
        // Nothing of our own environment but what programs need.
        let path = std::env::var("PATH").unwrap_or_default();
        let mut arguments = vec!["-i".to_owned(), format!("PATH={path}")];
        if let Ok(log) = std::env::var("RUST_LOG") {
            arguments.push(format!("RUST_LOG={log}"));
        }
        let variables = variables.iter();
        arguments.extend(variables.map(|(name, value)| format!("{name}={value}")));
        arguments.append(&mut self.arguments);
        arguments.extend([
            self.service.name().to_owned(),
            "--config".to_owned(),
            file.display().to_string(),
            "--listen".to_owned(),
            format!("127.0.0.1:{}", self.port),
        ]);
        for setting in settings {
            arguments.extend(["--set".to_owned(), setting.clone()]);
        }
        self.arguments = arguments;
    }

    /// Which service it is.
    pub fn service(&self) -> Service {
        self.service
    }

    /// Where it answers.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The same as an address.
    pub fn address(&self) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], self.port))
    }

    /// The number that the system gave it.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Is it to run? Whether it still does, [`ended`](Self::ended) tells.
    pub fn runs(&self) -> bool {
        self.child.is_some()
    }

    /// How often it was started.
    pub fn lives(&self) -> u32 {
        self.lives
    }

    /// Starts it.
    ///
    /// # Errors
    /// When it cannot be started at all.
    pub fn start(&mut self) -> anyhow::Result<()> {
        self.child = Some(Child::start("env", &self.arguments, &self.folder)?);
        self.lives += 1;
        Ok(())
    }

    /// Has it ended by itself? It can be started again then.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn ended(&mut self) -> anyhow::Result<bool> {
        let Some(child) = &mut self.child else {
            return Ok(false);
        };
        let ended = child.exited()?.is_some();
        if ended {
            self.child = None;
        }
        Ok(ended)
    }

    /// `kill -9`, wherever it stands.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill()?;
        }
        Ok(())
    }

    /// Lets it stand still, with all its connections.
    ///
    /// # Errors
    /// When it cannot be signalled.
    pub fn pause(&self) -> anyhow::Result<()> {
        self.child
            .as_ref()
            .map_or(Ok(()), |child| Ok(child.pause()?))
    }

    /// Lets it go on.
    ///
    /// # Errors
    /// When it cannot be signalled.
    pub fn resume(&self) -> anyhow::Result<()> {
        self.child
            .as_ref()
            .map_or(Ok(()), |child| Ok(child.resume()?))
    }

    /// Asks it to stop and waits for its end, which must be a success.
    ///
    /// # Errors
    /// When it does not end in time, or ends badly.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        if !child.terminate(STOP).await? {
            bail!("{self} does not stop:\n{}", self.folder.tail(OUTPUT));
        }
        match child.exited()? {
            Some(status) if !status.success() => {
                bail!(
                    "{self} stopped badly ({status}):\n{}",
                    self.folder.tail(OUTPUT)
                )
            }
            _ => Ok(()),
        }
    }

    /// Waits until it says that it is ready.
    ///
    /// # Errors
    /// When it does not in time: what it says, and what its log ends with.
    pub async fn ready(&self, within: Duration) -> anyhow::Result<()> {
        let until = Instant::now() + within;
        loop {
            let said = self.get("/readyz").await;
            match said {
                Ok((200, _)) => return Ok(()),
                said if Instant::now() >= until => {
                    let said = said.map_or_else(|e| format!("{e:#}"), |(_, body)| body);
                    let log = self.folder.tail(OUTPUT);
                    bail!("{self} is not ready after {within:?}: {said}\n{log}")
                }
                _ => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Status and body of a page of it.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn get(&self, path: &str) -> anyhow::Result<(u16, String)> {
        let answer = reqwest::get(format!("{}{path}", self.url())).await?;
        Ok((answer.status().as_u16(), answer.text().await?))
    }

    /// Everything that it has printed in all its lives.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join(OUTPUT)).unwrap_or_default()
    }
}

impl fmt::Display for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.service, self.nth + 1)
    }
}

fn absolute(binary: &Path) -> anyhow::Result<PathBuf> {
    std::path::absolute(binary).with_context(|| format!("no program {}", binary.display()))
}
