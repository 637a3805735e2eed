//! `duskgate letters`: what became of messages that were given up is for people to decide.

use std::io::Write;
use std::sync::Arc;

use anyhow::{Context, anyhow};
use bus::{Bus, BusError, DeadLetter};
use kit::Config;
use kit::config::Sources;
use protocol::Service;

use crate::cli::{Flags, Letters};

/// Does what was typed.
pub fn run(what: Letters, flags: Flags) -> anyhow::Result<()> {
    let file = flags.config.clone();
    let config = Config::load(&Sources::of_process(file, flags.settings()))?;
    kit::logging::init(&config.log);
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("cannot start a runtime")?
        .block_on(async {
            let bus = kit::open_bus(&config).await?;
            act(&bus, what).await
        })
}

async fn act(bus: &Arc<dyn Bus>, what: Letters) -> anyhow::Result<()> {
    match what {
        Letters::List { service, full } => {
            let services = match service {
                Some(name) => vec![named(&name)?],
                None => Service::ALL.to_vec(),
            };
            let mut out = std::io::stdout().lock();
            for service in services {
                for letter in bus.dead_letters(service).await? {
                    print(&mut out, service, &letter, full)?;
                }
            }
        }
        Letters::PutBack { service, id } => {
            let service = named(&service)?;
            bus.put_back(service, id).await.map_err(unknown)?;
            println!("{service} {id}: put back");
        }
        Letters::Drop { service, id } => {
            let service = named(&service)?;
            bus.drop_letter(service, id).await.map_err(unknown)?;
            println!("{service} {id}: dropped");
        }
    }
    Ok(())
}

/// One line of fields that may be known to operators; the rest only when asked for.
fn print(
    out: &mut impl Write,
    service: Service,
    letter: &DeadLetter,
    full: bool,
) -> std::io::Result<()> {
    let DeadLetter {
        id,
        message,
        reason,
    } = letter;
    let (key, name, trace) = (&message.key, &message.id, &message.trace);
    writeln!(
        out,
        "{service} {id} game={key} message={name} trace={trace}"
    )?;
    if full {
        writeln!(out, "    why:  {reason}")?;
        writeln!(out, "    body: {}", message.body)?;
    }
    Ok(())
}

fn named(name: &str) -> anyhow::Result<Service> {
    let found = Service::ALL.into_iter().find(|s| s.name() == name);
    found.ok_or_else(|| {
        let all = Service::ALL.map(Service::name).join(", ");
        anyhow!("there is no service {name:?}; there are {all}")
    })
}

fn unknown(error: BusError) -> anyhow::Error {
    match error {
        BusError::UnknownLetter(service, id) => anyhow!(
            "{service} has no dead letter {id} (any more): see duskgate letters list {service}"
        ),
        other => other.into(),
    }
}
