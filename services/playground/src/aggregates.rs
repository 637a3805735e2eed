//! The world and the chats as aggregates of the store.

use kit::{Aggregate, Effects, LoadError};
use protocol::{Service, UserId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::scene::{SceneLog, SceneStep};
use crate::world::{Change, Happening, Moment, Refusal, World};

/// The key of the world's aggregate.
pub(crate) const WORLD: &str = "world";

/// A chat's history is large and its steps are small: rare snapshots keep a step's price apart
/// from the history's length.
const STEPS_OF_A_SCENE: u64 = 2_000;
const STEPS_OF_THE_WORLD: u64 = 500;

/// What surrounds both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    /// The account that the other side speaks with.
    pub(crate) bot: UserId,
}

/// One step of the world.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct WorldStep {
    /// When.
    pub(crate) when: Moment,
    /// What.
    pub(crate) change: Change,
}

/// What came of a step of the world; it travels through the step's log.
pub(crate) type WorldOutcome = Result<Vec<Happening>, Refusal>;

/// What came of a step in a chat.
pub(crate) type SceneOutcome = Result<(), Refusal>;

/// The world, kept.
pub(crate) struct KeptWorld(pub(crate) World);

impl Aggregate for KeptWorld {
    const SERVICE: Service = Service::Playground;
    const SNAPSHOT_EVERY: u64 = STEPS_OF_THE_WORLD;
    type Input = WorldStep;
    type Env = Surroundings;

    fn new(env: &Surroundings, _key: &str) -> Self {
        Self(World::new(env.bot))
    }

    fn handle(&mut self, _env: &Surroundings, step: &WorldStep) -> Effects {
        effects(&self.0.apply(step.when, &step.change))
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(&self.0).expect("a world always serializes")
    }

    fn load(_env: &Surroundings, _key: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        serde_json::from_slice(bytes)
            .map(Self)
            .map_err(|error| LoadError(error.to_string()))
    }
}

/// A chat, kept.
pub(crate) struct KeptScene(pub(crate) SceneLog);

impl Aggregate for KeptScene {
    const SERVICE: Service = Service::Playground;
    const SNAPSHOT_EVERY: u64 = STEPS_OF_A_SCENE;
    type Input = SceneStep;
    type Env = Surroundings;

    fn new(_env: &Surroundings, _key: &str) -> Self {
        Self(SceneLog::default())
    }

    fn handle(&mut self, env: &Surroundings, step: &SceneStep) -> Effects {
        effects(&self.0.apply(env.bot, step))
    }

    fn save(&self) -> Vec<u8> {
        self.0.save()
    }

    fn load(_env: &Surroundings, _key: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        serde_json::from_slice(bytes)
            .map(Self)
            .map_err(|error| LoadError(error.to_string()))
    }
}

/// What is refused is not committed; what happened is in the log, for whoever asked for it.
fn effects<T: Serialize>(outcome: &Result<T, Refusal>) -> Effects {
    Effects {
        log: Some(json!(outcome)),
        ignore: outcome.is_err(),
        ..Effects::default()
    }
}
