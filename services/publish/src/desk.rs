//! The aggregates of publish under one roof.

use kit::{Aggregate, Effects, LoadError};
use protocol::{AccountId, GameId, Service, ToPublish};
use serde::{Deserialize, Serialize};

use crate::Settings;
use crate::game::Game;
use crate::pool::Pool;

/// What stands under a key of publish.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Desk {
    /// Under a game's id: what that game has to say, and its private groups.
    Game(Game),
    /// Under `pool:<account>`: the account's pool of groups.
    Pool(Pool),
    /// Under anything else: nothing. Messages to it are put on record and have no effect.
    Nobody,
}

impl Desk {
    fn is_over(&self) -> bool {
        matches!(self, Self::Game(game) if game.is_over())
    }
}

impl Aggregate for Desk {
    const SERVICE: Service = Service::Publish;
    const IS_OVER: Option<fn(&Self) -> bool> = Some(Self::is_over);
    type Input = ToPublish;
    type Env = Settings;

    fn new(_: &Settings, key: &str) -> Self {
        if let Ok(game) = key.parse::<GameId>() {
            return Self::Game(Game::new(game));
        }
        let account = key
            .strip_prefix("pool:")
            .and_then(|account| account.parse().ok());
        account.map_or(Self::Nobody, |account| {
            Self::Pool(Pool::new(AccountId(account)))
        })
    }

    fn handle(&mut self, settings: &Settings, input: &ToPublish) -> Effects {
        match self {
            Self::Game(game) => game.handle(&settings.texts, input),
            Self::Pool(pool) => pool.handle(settings, input),
            Self::Nobody => {
                tracing::error!("a message came for a key that is no game and no pool");
                Effects::default()
            }
        }
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a desk's keys are all strings and numbers")
    }

    fn load(_: &Settings, _: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        serde_json::from_slice(bytes).map_err(|error| LoadError(error.to_string()))
    }
}
