//! `make cluster`: everything on this machine, until Ctrl-C. A service that ends is started again.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use cluster::{Cluster, Plan};
use tokio::signal::unix::{SignalKind, signal};

/// Between two looks whether everything still runs.
const LOOK: Duration = Duration::from_millis(200);

/// A whole cluster on this machine, with a broker and a Redis of its own.
#[derive(Debug, Parser)]
struct Arguments {
    /// The program; the one beside this one by default.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// How many processes of each service.
    #[arg(long, default_value_t = 1)]
    instances: usize,
    /// Where the playground listens; 0 picks a free port.
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Any setting, such as clock.speed=4; may be given again and again.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let binary = match arguments.binary {
        Some(binary) => binary,
        None => std::env::current_exe()?.with_file_name("duskgate"),
    };
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    println!("starting RabbitMQ, Redis and the services …");
    let plan = Plan {
        instances: arguments.instances,
        settings: arguments.settings,
        port: arguments.port,
        ..Plan::new(binary)
    };
    let mut cluster = tokio::select! {
        started = Cluster::start(plan) => started?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    println!("listening {}", cluster.url());
    for process in cluster.processes() {
        let id = process.id().unwrap_or_default();
        println!(
            "{:14} process {id:<8} {}/readyz",
            process.to_string(),
            process.url()
        );
    }
    println!("Kill any of them: it is started again. Ctrl-C ends all; the games end with it.");
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            _ = looks.tick() => start_again(&mut cluster)?,
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
        }
    }
    println!("stopping …");
    cluster.stop().await
}

fn start_again(cluster: &mut Cluster) -> anyhow::Result<()> {
    for process in cluster.processes_mut() {
        if process.ended()? {
            process.start()?;
            println!("{process} ended and was started again");
        }
    }
    Ok(())
}
