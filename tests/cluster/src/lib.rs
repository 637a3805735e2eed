//! A whole cluster on one machine: a broker and a Redis of its own, and each service as a process,
//! one or more of each. For `make cluster`, for tests that kill what they like, and for
//! benchmarks.

mod process;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use servers::proxy::Proxy;
use servers::rabbit::{self, RabbitServer};
use servers::redis::{RedisServer, RedisStarter};
use servers::{Folder, free_ports};

pub use process::{Process, Service};

/// The token that the playground shows ingest. Nobody else can reach either.
pub const TOKEN: &str = "known only on this machine";
/// How long a cluster may take to be ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a cluster is to be.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The program.
    pub binary: PathBuf,
    /// So many processes a service; the playground is always one.
    pub instances: usize,
    /// Settings beside those that make it a cluster, as flags give them (`clock.speed=4`).
    pub settings: Vec<String>,
    /// Environment variables of the services.
    pub variables: Vec<(String, String)>,
    /// Who the people are.
    pub chat: Chat,
    /// Let the services reach broker and Redis through a network that can be made to misbehave.
    pub proxies: bool,
    /// Where the playground, or the first ingest, listens; 0: anywhere.
    pub port: u16,
}

impl Plan {
    /// One process a service, with the playground.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        Self {
            binary: binary.into(),
            instances: 1,
            settings: Vec::new(),
            variables: Vec::new(),
            chat: Chat::Playground,
            proxies: false,
            port: 0,
        }
    }
}

/// Where people talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chat {
    /// In the playground.
    Playground,
    /// Somebody connects as the playground's account, with [`TOKEN`], in its place.
    Borrowed,
    /// Somebody connects as a real account; the plan's variables and settings say which.
    Real,
}

/// The network between the services and what they share.
#[derive(Debug)]
pub struct Network {
    /// To the broker.
    pub broker: Proxy,
    /// To Redis.
    pub redis: Proxy,
}

/// A running cluster. All of it ends when this is dropped, or when our process ends.
#[derive(Debug)]
pub struct Cluster {
    // Before what they need.
    processes: Vec<Process>,
    network: Option<Network>,
    /// The broker.
    pub broker: RabbitServer,
    /// The store.
    pub redis: RedisServer,
    _folder: Folder,
}

impl Cluster {
    /// Starts broker and Redis, then all services, and waits until all are ready.
    ///
    /// # Errors
    /// What could not be started, and why.
    pub async fn start(plan: Plan) -> anyhow::Result<Self> {
        let mut cluster = Self::start_servers(plan).await?;
        cluster.start_services().await?;
        Ok(cluster)
    }

    /// Starts all services, and waits until all are ready.
    ///
    /// # Errors
    /// What could not be started, and why.
    pub async fn start_services(&mut self) -> anyhow::Result<()> {
        for process in &mut self.processes {
            process.start()?;
        }
        self.ready(PATIENCE).await
    }

    /// Starts broker and Redis; the services are known and do not run yet.
    ///
    /// # Errors
    /// What could not be started, and why.
    pub async fn start_servers(plan: Plan) -> anyhow::Result<Self> {
        let redis = if plan.proxies {
            RedisStarter::default().on_port()
        } else {
            RedisStarter::default()
        };
        let (broker, redis) = tokio::join!(RabbitServer::start(), redis.start());
        let (broker, redis) = (broker?, redis?);
        let network = match redis.port() {
            Some(port) => Some(Network {
                broker: Proxy::start(broker.port()).await?,
                redis: Proxy::start(port).await?,
            }),
            None => None,
        };
        let folder = Folder::new("cluster")?;
        let names = names(&plan);
        let mut ports = free_ports(names.len())?;
        if let (port @ 1.., Some(first)) = (plan.port, ports.first_mut()) {
            *first = port;
        }
        let ingests = |(service, port): (&Service, &u16)| {
            let url = format!("ws://127.0.0.1:{port}/onebot/v11/ws");
            (*service == Service::Ingest).then_some(url)
        };
        let ingests: Vec<_> = names.iter().zip(&ports).filter_map(ingests).collect();
        let broker_port = network.as_ref().map_or(broker.port(), |n| n.broker.port());
        let store = match &network {
            Some(network) => format!("redis://127.0.0.1:{}", network.redis.port()),
            None => redis.url(),
        };
        let settings = format!(
            "[bus]\nurl = {:?}\n[store]\nurl = {store:?}\n\
             [playground]\nenabled = {:?}\ningest = {ingests:?}\n",
            rabbit::url_at(broker_port, rabbit::VHOST),
            if plan.chat == Chat::Real { "off" } else { "on" },
        );
        let file = folder.path().join("duskgate.toml");
        std::fs::write(&file, settings).context("the cluster's settings")?;
        let mut variables = plan.variables.clone();
        if plan.chat != Chat::Real {
            let token = ("DUSKGATE_PLAYGROUND_ACCESS_TOKEN", TOKEN);
            variables.push((token.0.to_owned(), token.1.to_owned()));
        }
        let mut processes = Vec::new();
        for ((service, port), nth) in names.iter().zip(ports).zip(numbers(&names)) {
            let mut process = Process::new(&plan.binary, *service, nth, port)?;
            process.configure(&file, &plan.settings, &variables);
            processes.push(process);
        }
        Ok(Self {
            processes,
            network,
            broker,
            redis,
            _folder: folder,
        })
    }

    /// Waits until every process that runs says that it is ready.
    ///
    /// # Errors
    /// Which is not, what it says, and what its log ends with.
    pub async fn ready(&self, within: Duration) -> anyhow::Result<()> {
        for process in self.processes.iter().filter(|process| process.runs()) {
            process.ready(within).await?;
        }
        Ok(())
    }

    /// Where people go: the playground, or the first ingest.
    pub fn url(&self) -> String {
        self.processes.first().map(Process::url).unwrap_or_default()
    }

    /// All processes, the one that people go to first.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// The same, to be killed and started.
    pub fn processes_mut(&mut self) -> &mut [Process] {
        &mut self.processes
    }

    /// The processes of one service.
    pub fn of(&mut self, service: Service) -> impl Iterator<Item = &mut Process> {
        self.processes
            .iter_mut()
            .filter(move |process| process.service() == service)
    }

    /// The network, when it can be made to misbehave.
    pub fn network(&self) -> Option<&Network> {
        self.network.as_ref()
    }

    /// Asks all services to stop and waits for that, in the order in which they work together;
    /// then broker and Redis.
    ///
    /// # Errors
    /// Which did not, or not well.
    pub async fn stop(&mut self) -> anyhow::Result<()> {
        for process in &mut self.processes {
            process.stop().await?;
        }
        self.broker.stop().await?;
        self.redis.stop().await?;
        Ok(())
    }
}

/// The services of a plan, the one that people go to first.
fn names(plan: &Plan) -> Vec<Service> {
    let mut names = Vec::new();
    if plan.chat == Chat::Playground {
        names.push(Service::Playground);
    }
    for service in Service::OWN {
        names.extend(std::iter::repeat_n(service, plan.instances.max(1)));
    }
    names
}

/// Which of its service each is.
fn numbers(names: &[Service]) -> impl Iterator<Item = usize> {
    (0..names.len()).map(|nth| {
        let same = names[..nth].iter().filter(|name| **name == names[nth]);
        same.count()
    })
}
