//! `duskgate up`, `duskgate tally`, …: services, until a signal.

use std::io::Write;
use std::net::TcpListener;
use std::process::exit;

use anyhow::Context;
use duskgate::{Crew, Product};
use kit::config::Sources;
use kit::{CancellationToken, Config, Parts};
use tokio::signal::unix::{SignalKind, signal};

use crate::cli::Flags;

/// What a shell shows for a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Runs until SIGINT or SIGTERM, or until a service fails.
pub fn run(crew: Crew, flags: Flags) -> anyhow::Result<()> {
    let file = flags.config.clone();
    let config = Config::load(&Sources::of_process(file, flags.settings()))?;
    duskgate::check(&config, crew)?;
    kit::logging::init(&config.log);
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start a runtime")?
        .block_on(serve(crew, config))
}

async fn serve(crew: Crew, config: Config) -> anyhow::Result<()> {
    let shutdown = CancellationToken::new();
    stop_on_signals(shutdown.clone())?;
    let listener = TcpListener::bind(config.http.listen).with_context(|| {
        format!(
            "cannot listen on {}: choose another address with --listen",
            config.http.listen
        )
    })?;
    let address = listener.local_addr()?;
    let parts = Parts::open(config, shutdown).await?;
    let product = Product::new(parts, crew, address)?;

    let mut out = std::io::stdout();
    writeln!(out, "listening http://{address}")?;
    out.flush()?;
    product.run(listener).await
}

/// The first signal asks to stop. A second one ends the process where it stands: whoever sends
/// it does not want to wait, and nothing that was acknowledged is lost.
fn stop_on_signals(shutdown: CancellationToken) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            if shutdown.is_cancelled() {
                eprintln!("duskgate: ended at once");
                exit(INTERRUPTED);
            }
            shutdown.cancel();
        }
    });
    Ok(())
}
