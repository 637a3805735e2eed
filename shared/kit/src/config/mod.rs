//! The settings of a process: built-in defaults < a file < environment variables < flags.
//!
//! Every key is documented in `default.toml`. An unknown key or a bad value names the key, the
//! value and the place it came from. Secrets come from the environment or from files only.

mod layers;
mod values;

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use protocol::{ChatGroup, UserId};
use serde::Deserialize;

pub use layers::{ConfigError, Sources};
pub use values::{ClockSource, Endpoint, Secret, Speed, Zone};

/// All settings.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Pages, health and metrics.
    pub http: Http,
    /// How services talk to each other.
    pub bus: BusAt,
    /// Where games are kept.
    pub store: StoreAt,
    /// The chat side.
    pub onebot: Onebot,
    /// Who directs.
    pub directors: Directors,
    /// Private groups.
    pub groups: Groups,
    /// Time.
    pub clock: Clock,
    /// Log lines.
    pub log: Log,
    /// The stand-in for QQ.
    pub playground: Playground,
    /// Chat texts.
    pub texts: Texts,
    /// Boards.
    pub boards: Boards,
}

/// `[http]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Http {
    /// The address to listen on; port 0 picks a free one.
    pub listen: SocketAddr,
}

/// `[bus]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BusAt {
    /// `local`, or an AMQP broker's URL.
    pub url: Endpoint,
}

/// `[store]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreAt {
    /// `file:FOLDER`, or a Redis URL.
    pub url: Endpoint,
}

/// `[onebot]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onebot {
    /// A file that holds the access token.
    #[serde(deserialize_with = "values::optional_path")]
    pub access_token_file: Option<PathBuf>,
    /// The access token: from that file, or from `DUSKGATE_ONEBOT_ACCESS_TOKEN`.
    #[serde(skip)]
    pub access_token: Option<Secret>,
    /// Chat sides that we connect to.
    pub forward: Vec<String>,
    /// The most an account says in a minute in the long run; to one group two thirds of that.
    pub messages_per_minute: NonZeroU32,
}

/// `[directors]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directors {
    /// Chat ids of those who may direct games.
    pub users: Vec<UserId>,
}

/// `[groups]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Groups {
    /// Who looks after private groups.
    pub mode: GroupMode,
    /// Groups in which the bot is owner or administrator.
    pub pool: Vec<ChatGroup>,
}

/// How private groups are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupMode {
    /// Real groups from the pool, looked after by the bot.
    Managed,
    /// No groups: the bot passes private messages on.
    Relayed,
}

/// `[clock]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// The zone of calendars.
    pub zone: Zone,
    /// How much faster than real calendars in durations run.
    pub speed: Speed,
    /// Where the time comes from.
    pub source: ClockSource,
}

/// `[log]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Log {
    /// How lines look.
    pub format: LogFormat,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For machines.
    Json,
}

/// `[playground]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Playground {
    /// Whether the stand-in for QQ runs.
    pub enabled: PlaygroundMode,
    /// Where it connects to, when it is a process of its own: to each of these at once.
    pub ingest: Vec<String>,
    /// A file that holds the token that it shows ingest.
    #[serde(deserialize_with = "values::optional_path")]
    pub access_token_file: Option<PathBuf>,
    /// That token: from that file, or from `DUSKGATE_PLAYGROUND_ACCESS_TOKEN`.
    #[serde(skip)]
    pub access_token: Option<Secret>,
    /// Its games are dealt from this instead of from chance.
    #[serde(deserialize_with = "values::optional_secret")]
    pub dice: Option<Secret>,
}

/// Whether the stand-in for QQ runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaygroundMode {
    /// When no other chat side is configured.
    Auto,
    /// Yes.
    On,
    /// No.
    Off,
}

/// `[texts]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// A folder with the operator's own chat texts.
    #[serde(deserialize_with = "values::optional_path")]
    pub folder: Option<PathBuf>,
}

/// `[boards]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boards {
    /// A folder with the operator's own boards.
    #[serde(deserialize_with = "values::optional_path")]
    pub folder: Option<PathBuf>,
}

impl Config {
    /// The settings from all sources, the later ones replacing the earlier.
    pub fn load(sources: &Sources) -> Result<Self, ConfigError> {
        layers::load(sources)
    }

    /// Should the stand-in for QQ run?
    pub fn playground_runs(&self) -> bool {
        match self.playground.enabled {
            PlaygroundMode::On => true,
            PlaygroundMode::Off => false,
            PlaygroundMode::Auto => {
                self.onebot.access_token.is_none() && self.onebot.forward.is_empty()
            }
        }
    }
}

impl Default for Config {
    /// The built-in settings, without a look at the environment.
    fn default() -> Self {
        layers::load(&Sources::default()).expect("the built-in settings are good")
    }
}

#[cfg(test)]
mod tests;
