//! Everything in one process: the same services as on the cluster, over a bus within the process
//! and a store in one file.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::{Context, bail};
use kit::config::{GroupMode, Secret};
use kit::{Config, Parts};
use playground::Playground;
use protocol::{AccountId, ChatGroup, UserId};
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
    /// Who may direct games on it.
    pub directors: Vec<UserId>,
    /// The groups that it may use for private groups of games.
    pub pool: Vec<ChatGroup>,
}

/// All services on some parts, before they run.
pub struct Product {
    parts: Parts,
    texts: Texts,
    ingest: ingest::Settings,
    pools: publish::Pools,
    playground: Option<Playground>,
}

impl Product {
    /// The services that the parts' settings ask for, without the playground.
    ///
    /// # Errors
    /// When a setting asks for something that this release does not have, or the folder of chat
    /// texts cannot be read.
    pub fn new(parts: Parts) -> anyhow::Result<Self> {
        check(&parts.config)?;
        let texts = load_texts(&parts.config)?;
        let ingest = ingest::Settings::of(&parts.config, texts.clone());
        let pools = publish::Pools {
            otherwise: parts.config.groups.pool.clone(),
            ..publish::Pools::default()
        };
        Ok(Self {
            parts,
            texts,
            ingest,
            pools,
            playground: None,
        })
    }

    /// Lets an account in that brings its own chat side.
    #[must_use]
    pub fn with_account(mut self, own: OwnAccount) -> Self {
        let people = ingest::People {
            directors: own.directors,
            pool: own.pool.clone(),
        };
        let token = own.token;
        self.ingest
            .accounts
            .insert(own.account, ingest::OwnAccount { token, people });
        self.pools.of_account.insert(own.account, own.pool);
        self
    }

    /// Adds the playground, when the settings ask for it. It connects to `address`, where the
    /// product is to listen.
    ///
    /// # Errors
    /// When its world cannot be read from the store.
    pub async fn with_playground(mut self, address: SocketAddr) -> anyhow::Result<Self> {
        if !self.parts.config.playground_runs() {
            return Ok(self);
        }
        let token = playground::fresh_token();
        let url = format!("ws://{address}/onebot/v11/ws");
        let mut settings = playground::Settings::new(url, token.clone());
        settings.speed = self.parts.config.clock.speed.factor();
        self.playground = Some(Playground::open(self.parts.clone(), settings).await?);
        Ok(self.with_account(OwnAccount {
            account: playground::account(),
            token: Secret::new(token),
            directors: playground::directors().collect(),
            pool: playground::pool().collect(),
        }))
    }

    /// Runs until the parts' shutdown token is cancelled; then all services stop, and what they
    /// have in memory is kept.
    ///
    /// # Errors
    /// When a service fails, or ends while nobody asked for it; the others are stopped then.
    pub async fn run(self, listener: TcpListener) -> anyhow::Result<()> {
        let parts = self.parts.clone();
        let services = self.start(listener);
        let outcome = watch(services, &parts).await;
        parts.keep_snapshots().await;
        outcome
    }

    fn start(self, listener: TcpListener) -> Services {
        let night = night::Env::new(boards::builtin().iter().cloned(), self.night());
        let Self {
            parts,
            texts,
            ingest,
            pools,
            playground,
        } = self;
        let bridge = ingest::Bridge::new(parts.clone(), ingest);
        let publish = publish::Settings { texts, pools };
        let http = serve_http(listener, parts.clone(), bridge.clone(), playground.clone());

        for name in ["tally", "night", "publish", "clock", "ingest"] {
            parts.health.expect(name);
        }
        let mut services = Services::new();
        spawn(&mut services, "http", http);
        spawn(&mut services, "tally", tally::run(parts.clone()));
        let night = night::run(parts.clone(), Arc::new(night));
        spawn(&mut services, "night", night);
        let publish = publish::run(parts.clone(), publish);
        spawn(&mut services, "publish", publish);
        spawn(&mut services, "clock", clock::run(parts));
        spawn(&mut services, "ingest", bridge.run());
        if let Some(playground) = playground {
            spawn(&mut services, "playground", playground.run());
        }
        services
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

/// Refuses what the settings know and this release does not have.
///
/// # Errors
/// Which setting, and what to write instead.
pub fn check(config: &Config) -> anyhow::Result<()> {
    match config.groups.mode {
        GroupMode::Managed => Ok(()),
        GroupMode::Relayed => bail!(
            "groups.mode: \"relayed\" (no groups, the bot passes messages on) is not in this \
             release yet: use \"managed\""
        ),
    }
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

async fn serve_http(
    listener: TcpListener,
    parts: Parts,
    bridge: ingest::Bridge,
    page: Option<Playground>,
) -> anyhow::Result<()> {
    let routes = move |server: &mut actix_web::web::ServiceConfig| {
        bridge.routes(server);
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
