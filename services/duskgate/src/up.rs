//! Everything in one process: the same services as on the cluster, over a bus within the
//! process and a store in one file.

use std::collections::HashMap;
use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;

use anyhow::Context;
use kit::config::{GroupMode, Secret, Sources};
use kit::{CancellationToken, Config, Parts};
use playground::Playground;
use texts::Texts;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinSet;

use crate::cli::Flags;

/// Runs until SIGINT or SIGTERM, or until a service fails.
pub fn run(flags: Flags) -> anyhow::Result<()> {
    let file = flags.config.clone();
    let config = Config::load(&Sources::of_process(file, flags.settings()))?;
    kit::logging::init(&config.log);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?
        .block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let shutdown = CancellationToken::new();
    let listener = TcpListener::bind(config.http.listen).with_context(|| {
        format!(
            "cannot listen on {}: choose another address with --listen",
            config.http.listen
        )
    })?;
    let address = listener.local_addr()?;
    let parts = Parts::open(config, shutdown.clone()).await?;
    let config = &parts.config;
    let texts = load_texts(config)?;

    let playground = if config.playground_runs() {
        let url = format!("ws://{address}/onebot/v11/ws");
        let mut settings = playground::Settings::new(url, playground::fresh_token());
        settings.speed = config.clock.speed.factor();
        Some((
            Playground::open(parts.clone(), settings.clone()).await?,
            settings.token,
        ))
    } else {
        None
    };

    let mut ingest = ingest::Settings::of(config, texts.clone());
    let mut pools = publish::Pools {
        otherwise: config.groups.pool.clone(),
        ..publish::Pools::default()
    };
    let mut own_pools = HashMap::new();
    if let Some((_, token)) = &playground {
        let account = playground::account();
        let pool: Vec<_> = playground::pool().collect();
        let people = ingest::People {
            directors: playground::directors().collect(),
            pool: pool.clone(),
        };
        ingest.accounts.insert(
            account,
            ingest::OwnAccount {
                token: Secret::new(token.clone()),
                people,
            },
        );
        own_pools.insert(account, pool.len());
        pools.of_account.insert(account, pool);
    }
    let night = night::Settings {
        zone: config.clock.zone.time_zone().clone(),
        speed: config.clock.speed.factor(),
        groups: match config.groups.mode {
            GroupMode::Managed => night::Groups::Managed {
                pool: config.groups.pool.len(),
                accounts: own_pools,
            },
            GroupMode::Relayed => night::Groups::Relayed,
        },
        ..night::Settings::default()
    };
    let env = night::Env::new(boards::builtin().iter().cloned(), night);
    let bridge = ingest::Bridge::new(parts.clone(), ingest);

    let mut services: JoinSet<(&'static str, anyhow::Result<()>)> = JoinSet::new();
    let http = {
        let (parts, bridge) = (parts.clone(), bridge.clone());
        let page = playground.as_ref().map(|(p, _)| p.clone());
        async move {
            let routes = move |server: &mut actix_web::web::ServiceConfig| {
                bridge.routes(server);
                if let Some(page) = &page {
                    page.routes(server);
                }
            };
            kit::http::serve_http(listener, &parts, routes)
                .await
                .map_err(anyhow::Error::from)
        }
    };
    services.spawn(async move { ("http", http.await) });
    spawn(&mut services, "tally", tally::run(parts.clone()));
    spawn(
        &mut services,
        "night",
        night::run(parts.clone(), Arc::new(env)),
    );
    spawn(
        &mut services,
        "publish",
        publish::run(parts.clone(), publish::Settings { texts, pools }),
    );
    spawn(&mut services, "clock", clock::run(parts.clone()));
    spawn(&mut services, "ingest", bridge.run());
    if let Some((playground, _)) = playground {
        spawn(&mut services, "playground", playground.run());
    }

    let mut out = std::io::stdout();
    writeln!(out, "listening http://{address}")?;
    out.flush()?;
    wait(services, &shutdown).await
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

fn spawn(
    services: &mut JoinSet<(&'static str, anyhow::Result<()>)>,
    name: &'static str,
    service: impl Future<Output = anyhow::Result<()>> + Send + 'static,
) {
    services.spawn(async move { (name, service.await) });
}

/// Waits for a signal, or for a service that ends by itself; then all stop.
async fn wait(
    mut services: JoinSet<(&'static str, anyhow::Result<()>)>,
    shutdown: &CancellationToken,
) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut outcome = tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
        Some(ended) = services.join_next() => match ended? {
            (name, Ok(())) => Err(anyhow::anyhow!("{name} stopped by itself")),
            (name, Err(error)) => Err(error.context(format!("{name} failed"))),
        },
    };
    tracing::info!("stopping");
    shutdown.cancel();
    while let Some(ended) = services.join_next().await {
        if let (name, Err(error)) = ended?
            && outcome.is_ok()
        {
            outcome = Err(error.context(format!("{name} failed while stopping")));
        }
    }
    outcome
}
