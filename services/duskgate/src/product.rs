//! Services on some parts: all of them in one process, or one of a cluster of processes. It is the
//! same code either way; bus and store are what differs.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::{Context, bail};
use kit::config::{GroupMode, PlaygroundMode, Secret};
use kit::{Config, Parts};
use playground::Playground;
use protocol::{AccountId, ChatGroup, Service, UserId};
use rules::Board;
use texts::Texts;
use tokio::task::JoinSet;

type Services = JoinSet<(&'static str, anyhow::Result<()>)>;

/// An account that brings its own chat side, people and groups: the playground's. It speaks as
/// fast as it can.
#[derive(Debug, Clone)]
pub struct OwnAccount {
    /// The account.
    pub account: AccountId,
    /// The token that its side shows; no other token opens the account.
    pub token: Secret,
    /// Its games are dealt from this instead of from chance.
    pub dice: Option<Secret>,
    /// Who may direct games on it.
    pub directors: Vec<UserId>,
    /// The groups that it may use for private groups of games.
    pub pool: Vec<ChatGroup>,
}

/// Which services a process runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crew {
    /// All of them; the playground only when the settings ask for it.
    Everybody,
    /// One. The others are other processes.
    Only(Service),
}

impl Crew {
    fn has(self, service: Service) -> bool {
        match self {
            Self::Everybody => true,
            Self::Only(one) => one == service,
        }
    }
}

/// Services on some parts, before they run.
pub struct Product {
    parts: Parts,
    crew: Crew,
    texts: Texts,
    boards: Vec<Arc<Board>>,
    ingest: ingest::Settings,
    pools: publish::Pools,
    playground: Option<playground::Settings>,
}

impl Product {
    /// The services of a crew as the parts' settings ask for them. `address` is where the product
    /// is to listen: a playground in the same process connects there.
    ///
    /// # Errors
    /// When a setting asks for something that this release does not have or the crew cannot do,
    /// or the folder of chat texts or of boards cannot be read.
    pub fn new(parts: Parts, crew: Crew, address: SocketAddr) -> anyhow::Result<Self> {
        check(&parts.config, crew)?;
        let texts = load_texts(&parts.config)?;
        let boards = load_boards(&parts.config)?;
        let ingest = ingest::Settings::of(&parts.config, texts.clone());
        let pools = publish::Pools {
            otherwise: parts.config.groups.pool.clone(),
            ..publish::Pools::default()
        };
        let product = Self {
            parts,
            crew,
            texts,
            boards,
            ingest,
            pools,
            playground: None,
        };
        Ok(product.let_playground_in(address))
    }

    /// Lets an account in that brings its own chat side.
    #[must_use]
    pub fn with_account(mut self, own: OwnAccount) -> Self {
        let OwnAccount {
            account,
            token,
            dice,
            directors,
            pool,
        } = own;
        let people = ingest::People {
            directors,
            pool: pool.clone(),
        };
        let own = ingest::OwnAccount {
            token,
            people,
            dice,
        };
        self.ingest.accounts.insert(account, own);
        self.pools.of_account.insert(account, pool);
        self
    }

    /// The playground's account, when there is a playground; and the playground itself, when it
    /// belongs to the crew.
    fn let_playground_in(mut self, address: SocketAddr) -> Self {
        let config = &self.parts.config;
        if !playground_runs(config, self.crew) {
            return self;
        }
        let token = config.playground.access_token.clone();
        let token = token.unwrap_or_else(|| Secret::new(playground::fresh_token()));
        if self.crew.has(Service::Playground) {
            let mut urls = config.playground.ingest.clone();
            if urls.is_empty() {
                urls.push(format!("ws://{address}/onebot/v11/ws"));
            }
            let mut settings = playground::Settings::new(urls, token.reveal());
            settings.speed = config.clock.speed.factor();
            self.playground = Some(settings);
        }
        let dice = config.playground.dice.clone();
        self.with_account(OwnAccount {
            account: playground::account(),
            token,
            dice,
            directors: playground::directors().collect(),
            pool: playground::pool().collect(),
        })
    }

    /// Waits for the store, then runs until the parts' shutdown token is cancelled; then all
    /// services stop, and what they have in memory is kept. Health is told from the beginning.
    ///
    /// # Errors
    /// When a service fails, or ends while nobody asked for it; the others are stopped then.
    pub async fn run(self, listener: TcpListener) -> anyhow::Result<()> {
        let parts = self.parts.clone();
        for service in Service::ALL {
            let wanted = service != Service::Playground || self.playground.is_some();
            if self.crew.has(service) && wanted {
                parts.health.expect(service.name());
            }
        }
        wait_for_store(&listener, &parts).await?;
        if parts.shutdown.is_cancelled() {
            return Ok(());
        }
        let services = self.start(listener).await?;
        let outcome = watch(services, &parts).await;
        parts.keep_snapshots().await;
        outcome
    }

    async fn start(self, listener: TcpListener) -> anyhow::Result<Services> {
        let night = night::Env::new(self.boards.iter().cloned(), self.night());
        let Self {
            parts,
            crew,
            texts,
            boards: _,
            ingest,
            pools,
            playground,
        } = self;
        let bridge = crew
            .has(Service::Ingest)
            .then(|| ingest::Bridge::new(parts.clone(), ingest));
        let playground = match playground {
            Some(settings) => open_playground(&parts, settings).await?,
            None => None,
        };
        let http = serve_http(listener, parts.clone(), bridge.clone(), playground.clone());

        let mut services = Services::new();
        spawn(&mut services, "http", http);
        if crew.has(Service::Tally) {
            spawn(&mut services, "tally", tally::run(parts.clone()));
        }
        if crew.has(Service::Night) {
            let night = night::run(parts.clone(), Arc::new(night));
            spawn(&mut services, "night", night);
        }
        if crew.has(Service::Publish) {
            let publish = publish::run(parts.clone(), publish::Settings { texts, pools });
            spawn(&mut services, "publish", publish);
        }
        if crew.has(Service::Clock) {
            spawn(&mut services, "clock", clock::run(parts));
        }
        if let Some(bridge) = bridge {
            spawn(&mut services, "ingest", bridge.run());
        }
        if let Some(playground) = playground {
            spawn(&mut services, "playground", playground.run());
        }
        Ok(services)
    }

    fn night(&self) -> night::Settings {
        let config = &self.parts.config;
        let pools = &self.pools.of_account;
        night::Settings {
            zone: config.clock.zone.time_zone().clone(),
            speed: config.clock.speed.factor(),
            groups: match config.groups.mode {
                GroupMode::Managed => night::Groups::Managed {
                    pool: self.pools.otherwise.len(),
                    accounts: pools
                        .iter()
                        .map(|(account, pool)| (*account, pool.len()))
                        .collect::<HashMap<_, _>>(),
                },
                GroupMode::Relayed => night::Groups::Relayed,
            },
            ..night::Settings::default()
        }
    }
}

/// Refuses what the settings know and this release does not have, or this crew cannot do.
///
/// # Errors
/// Which setting, and what to write instead.
pub fn check(config: &Config, crew: Crew) -> anyhow::Result<()> {
    if config.groups.mode == GroupMode::Relayed {
        bail!(
            "groups.mode: \"relayed\" (no groups, the bot passes messages on) is not in this \
             release yet: use \"managed\""
        );
    }
    let Crew::Only(service) = crew else {
        return Ok(());
    };
    if config.bus.url.kind() == "local" {
        bail!(
            "bus.url: \"local\" is for one process: {service} alone needs a broker that all \
             services share, amqp://user:password@host:5672/vhost"
        );
    }
    if config.store.url.kind() == "file" {
        bail!(
            "store.url: a folder is for one process: {service} alone needs a store that all \
             services share, redis://host:6379"
        );
    }
    let playground = &config.playground;
    let shows_token = matches!(service, Service::Ingest | Service::Playground);
    let wanted = service == Service::Playground || playground.enabled == PlaygroundMode::On;
    if shows_token && wanted && playground.access_token.is_none() {
        bail!(
            "playground.access_token_file: ingest and playground need a token in common: name \
             a file with it, or set DUSKGATE_PLAYGROUND_ACCESS_TOKEN"
        );
    }
    if service == Service::Playground && playground.ingest.is_empty() {
        bail!(
            "playground.ingest: say where ingest takes connections, such as \
             ws://127.0.0.1:8081/onebot/v11/ws"
        );
    }
    Ok(())
}

/// Is there a playground? Processes of their own know it by the token that they have in common.
fn playground_runs(config: &Config, crew: Crew) -> bool {
    let playground = &config.playground;
    match (crew, playground.enabled) {
        (Crew::Only(Service::Playground), _) => true,
        (Crew::Only(_), PlaygroundMode::Auto) => {
            config.playground_runs() && playground.access_token.is_some()
        }
        _ => config.playground_runs(),
    }
}

/// The playground, as soon as the store lets its world be read; `None`: we are to stop.
async fn open_playground(
    parts: &Parts,
    settings: playground::Settings,
) -> anyhow::Result<Option<Playground>> {
    loop {
        let error = match Playground::open(parts.clone(), settings.clone()).await {
            Ok(playground) => {
                let open = || async { Ok(()) };
                parts.health.register(Service::Playground.name(), open);
                return Ok(Some(playground));
            }
            Err(error) => error,
        };
        if parts.store.health().await.is_ok() {
            return Err(error);
        }
        parts.store_is_there().await;
        if parts.shutdown.is_cancelled() {
            return Ok(None);
        }
    }
}

/// Waits until the store takes steps, and tells health meanwhile.
async fn wait_for_store(listener: &TcpListener, parts: &Parts) -> anyhow::Result<()> {
    if parts.store.health().await.is_ok() {
        return Ok(());
    }
    let until_then = Parts {
        shutdown: parts.shutdown.child_token(),
        ..parts.clone()
    };
    // Its clone: the listener itself stays open, and nobody is turned away in between.
    let http = kit::http::serve_http(listener.try_clone()?, &until_then, |_| {});
    let there = async {
        parts.store_is_there().await;
        until_then.shutdown.cancel();
    };
    let (served, ()) = tokio::join!(http, there);
    Ok(served?)
}

fn load_texts(config: &Config) -> anyhow::Result<Texts> {
    let texts = match &config.texts.folder {
        None => Texts::builtin(),
        Some(folder) => {
            let (texts, faults) = Texts::with_folder(folder).context("texts.folder")?;
            for fault in faults {
                tracing::warn!(%fault, "an own text is not used");
            }
            texts
        }
    };
    Ok(texts.in_zone(config.clock.zone.time_zone().iana_name().unwrap_or("UTC"))?)
}

/// The built-in boards and the operator's own; a bad file is named in the log and does not stop
/// the others.
fn load_boards(config: &Config) -> anyhow::Result<Vec<Arc<Board>>> {
    let Some(folder) = &config.boards.folder else {
        return Ok(boards::builtin().to_vec());
    };
    let (boards, bad) = boards::with_folder(folder).context("boards.folder")?;
    for bad in bad {
        tracing::warn!(%bad, "an own board is not used");
    }
    Ok(boards)
}

async fn serve_http(
    listener: TcpListener,
    parts: Parts,
    bridge: Option<ingest::Bridge>,
    page: Option<Playground>,
) -> anyhow::Result<()> {
    let routes = move |server: &mut actix_web::web::ServiceConfig| {
        if let Some(bridge) = &bridge {
            bridge.routes(server);
        }
        if let Some(page) = &page {
            page.routes(server);
        }
    };
    Ok(kit::http::serve_http(listener, &parts, routes).await?)
}

fn spawn(
    services: &mut Services,
    name: &'static str,
    service: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) {
    services.spawn(async move { (name, service.await) });
}

/// Waits until the services are to stop, or one of them ends by itself; then all stop.
async fn watch(mut services: Services, parts: &Parts) -> anyhow::Result<()> {
    let mut outcome = tokio::select! {
        // First: services that end because they were asked to are no failure.
        biased;
        () = parts.shutdown.cancelled() => Ok(()),
        Some(ended) = services.join_next() => match ended? {
            (name, Ok(())) => Err(anyhow::anyhow!("{name} stopped by itself")),
            (name, Err(error)) => Err(error.context(format!("{name} failed"))),
        },
    };
    tracing::info!("stopping");
    parts.shutdown.cancel();
    while let Some(ended) = services.join_next().await {
        if let (name, Err(error)) = ended?
            && outcome.is_ok()
        {
            outcome = Err(error.context(format!("{name} failed while stopping")));
        }
    }
    outcome
}
