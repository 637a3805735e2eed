//! The product within this process, on a folder of its own.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use anyhow::Context;
use duskgate::{Crew, OwnAccount, Product};
use kit::config::Sources;
use kit::{CancellationToken, Config, Parts, TimeSource};
use tempfile::TempDir;
use tokio::task::JoinHandle;

use crate::counting::Counting;

/// A running product.
pub struct Site {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it commits.
    pub store: Arc<Counting>,
    shutdown: CancellationToken,
    running: JoinHandle<anyhow::Result<()>>,
    // Dropped last.
    _folder: TempDir,
}

impl Site {
    /// Starts one with these settings, as flags would give them, and an account whose chat side
    /// is ours.
    pub async fn start(settings: &[(&str, &str)], own: Option<OwnAccount>) -> anyhow::Result<Self> {
        let folder = TempDir::new()?;
        let flags = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let config = Config::load(&Sources {
            flags,
            ..Sources::default()
        })?;
        let store = store::open(&format!("file:{}", folder.path().display())).await?;
        let store = Counting::around(store);
        let bus = bus::open("local", folder.path()).await?;
        let shutdown = CancellationToken::new();
        let parts = Parts::new(
            config,
            Arc::clone(&store) as Arc<dyn store::Store>,
            bus,
            TimeSource::system(),
            shutdown.clone(),
        );
        let listener = TcpListener::bind("127.0.0.1:0").context("no free port")?;
        let address = listener.local_addr()?;
        let mut product = Product::new(parts, Crew::Everybody, address)?;
        if let Some(own) = own {
            product = product.with_account(own);
        }
        Ok(Self {
            address,
            store,
            shutdown,
            running: tokio::spawn(product.run(listener)),
            _folder: folder,
        })
    }

    /// Stops it and waits for its end.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.shutdown.cancel();
        self.running.await?
    }
}
