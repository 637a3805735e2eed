//! A stand-in for QQ: people, friends, groups, chats, and the `OneBot` v11 side that `NapCat` would
//! have in production; a small HTTP interface for scripts; a page for visitors; and bots that
//! play the seats that nobody has taken.
//!
//! Invariants: what is shown or answered is committed; nothing here reaches into Duskgate except
//! through its `OneBot` door; a bot reads only its own chats.

mod account;
mod aggregates;
mod bots;
mod hall;
mod http;
mod mention;
mod scene;
mod tables;
mod wire;
pub mod world;

use std::sync::Arc;
use std::time::Duration;

use actix_web::web::ServiceConfig;
use kit::ManualClock;
use tokio_util::sync::CancellationToken;

pub use account::{GAMES, account, directors, pool};
pub use wire::{Faults, IdStyle, MessageStyle, RefuseSends, TemporaryStyle};

use hall::Hall;
use wire::{FaultBoard, Target};

/// How the stand-in is to be.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where Duskgate takes `OneBot` connections: `ws://<listen>/onebot/v11/ws`. The stand-in
    /// connects to each of them at once and tells all of them everything, as `NapCat` does.
    pub urls: Vec<String>,
    /// The token that it asks for; [`fresh_token`] makes one.
    pub token: String,
    /// How often the `OneBot` side says that it lives.
    pub heartbeat: Duration,
    /// How much faster than the clock on the wall games run (`clock.speed`): bots keep up.
    pub speed: f64,
    /// The hand of the clock, when the playground may move it.
    pub hand: Option<Arc<ManualClock>>,
}

impl Settings {
    /// The usual settings for a Duskgate at these addresses.
    pub fn new(urls: Vec<String>, token: impl Into<String>) -> Self {
        Self {
            urls,
            token: token.into(),
            heartbeat: Duration::from_secs(5),
            speed: 1.0,
            hand: None,
        }
    }
}

/// A token that nobody can guess.
pub fn fresh_token() -> String {
    let half = || uuid::Uuid::now_v7().as_u128();
    format!("{:032x}{:032x}", half(), half())
}

/// The stand-in. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Playground(Arc<Inner>);

struct Inner {
    hall: Arc<Hall>,
    faults: Arc<FaultBoard>,
    settings: Settings,
    stop: CancellationToken,
    zone: jiff::tz::TimeZone,
    laying: tokio::sync::Mutex<()>,
}

impl Playground {
    /// Opens the world that the store keeps, or makes one with its directors and its pool of
    /// groups. To be called on the runtime that is to carry it.
    pub async fn open(parts: kit::Parts, settings: Settings) -> anyhow::Result<Self> {
        let stop = parts.shutdown.clone();
        let zone = parts.config.clock.zone.time_zone().clone();
        let hall = Hall::open(parts, account::bot()).await?;
        tables::furnish(&hall).await?;
        let faults = Arc::new(FaultBoard::default());
        Ok(Self(Arc::new(Inner {
            hall,
            faults,
            settings,
            stop,
            zone,
            laying: tokio::sync::Mutex::default(),
        })))
    }

    /// Adds the page and the interface for scripts to a server.
    pub fn routes(&self, config: &mut ServiceConfig) {
        http::configure(self, config);
    }

    /// Connects to Duskgate and lets the bots play, until the parts' shutdown token is
    /// cancelled.
    pub async fn run(self) -> anyhow::Result<()> {
        let settings = &self.0.settings;
        let targets = settings.urls.iter().map(|url| Target {
            url: url.clone(),
            token: settings.token.clone(),
            heartbeat: settings.heartbeat,
        });
        let hall = Arc::clone(&self.0.hall);
        let faults = Arc::clone(&self.0.faults);
        tokio::join!(
            wire::run(hall, faults, targets.collect(), self.0.stop.clone()),
            bots::run(&self.0.hall, self.0.settings.speed, &self.0.stop),
        );
        Ok(())
    }

    fn hall(&self) -> &Arc<Hall> {
        &self.0.hall
    }

    fn faults(&self) -> &FaultBoard {
        &self.0.faults
    }

    fn stopping(&self) -> &CancellationToken {
        &self.0.stop
    }

    /// How many minutes the host's zone is ahead of UTC at this instant.
    fn offset_minutes(&self, at: rules::Time) -> i32 {
        jiff::Timestamp::from_millisecond(at.0)
            .map_or(0, |at| self.0.zone.to_offset(at).seconds() / 60)
    }

    /// Lays a table for a visitor's session.
    async fn lay(&self, token: &str, order: tables::Order) -> Result<world::Table, hall::Trouble> {
        let _turn = self.0.laying.lock().await;
        tables::lay(&self.0.hall, token, order).await
    }

    /// Moves the clock on; false when the playground does not hold it.
    fn advance(&self, ms: u32) -> bool {
        let Some(hand) = &self.0.settings.hand else {
            return false;
        };
        hand.advance_ms(i64::from(ms));
        true
    }
}
