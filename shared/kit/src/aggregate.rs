//! The one way in which services keep state: an [`Aggregate`] handles inputs one at a time, and
//! each step is one commit.

use std::fmt;

use protocol::{Message, MessageId, Service, Shard, Topic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::Deadline;

/// State with one writer. `handle` is pure and deterministic: the same aggregate and input give
/// the same next state and effects, on every machine; time is in the inputs. That is how an
/// aggregate is rebuilt from its snapshot and journal.
pub trait Aggregate: Sized + Send + 'static {
    /// The service that owns it.
    const SERVICE: Service;
    /// A snapshot is taken after so many steps at the latest. State that only ever grows by
    /// small steps (a log of a chat) does better with rarer ones.
    const SNAPSHOT_EVERY: u64 = 64;
    /// Is its story over? When nothing has happened to it for three days, it is put away:
    /// it can still be read, and whatever is sent to it counts as handled. `None`: it never ends.
    const IS_OVER: Option<fn(&Self) -> bool> = None;
    /// What it takes: the body of messages to this service.
    type Input: Serialize + DeserializeOwned + Send + Sync + Clone + 'static;
    /// What surrounds it and never changes while the process runs (boards, texts, settings).
    type Env: Send + Sync + 'static;

    /// A new one under this key.
    fn new(env: &Self::Env, key: &str) -> Self;

    /// The next input belongs to this chat message or deadline (see [`Message::trace`]). For an
    /// aggregate whose work outlasts its step and is to be told of under the same name.
    fn about(&mut self, trace: &str) {
        let _ = trace;
    }

    /// Takes an input.
    fn handle(&mut self, env: &Self::Env, input: &Self::Input) -> Effects;

    /// All of it as bytes.
    fn save(&self) -> Vec<u8>;

    /// From the bytes of `save`, also of the previous release.
    fn load(env: &Self::Env, key: &str, bytes: &[u8]) -> Result<Self, LoadError>;
}

/// A snapshot that cannot be read.
#[derive(Debug, Clone)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "snapshot cannot be read: {}", self.0)
    }
}

impl std::error::Error for LoadError {}

/// What a step brings about besides the new state.
#[derive(Debug, Default)]
pub struct Effects {
    /// Messages to other aggregates, in order.
    pub out: Vec<Out>,
    /// All deadlines from now on; `None`: as they were.
    pub deadlines: Option<Vec<Deadline>>,
    /// JSON for the record beside the input: what people were told, and why something was
    /// refused. Empty: only the input is kept.
    pub log: Option<serde_json::Value>,
    /// Take a snapshot now (a phase has begun). One is also taken every 64 steps.
    pub snapshot: bool,
    /// Nothing changed and nothing goes out: do not commit at all. Only for inputs that may be
    /// handled again without harm.
    pub ignore: bool,
}

impl Effects {
    /// Nothing happened that is worth a commit.
    pub fn ignored() -> Self {
        Self {
            ignore: true,
            ..Self::default()
        }
    }

    /// Adds a message to another aggregate.
    pub fn send<T: Serialize>(&mut self, service: Service, key: impl Into<String>, body: &T) {
        self.out.push(Out::new(service, key, body));
    }
}

/// A message to another aggregate, before it has a name.
#[derive(Debug, Clone)]
pub struct Out {
    /// To which service.
    pub service: Service,
    /// To which aggregate of it.
    pub key: String,
    /// JSON of that service's input.
    pub body: String,
}

impl Out {
    /// A message with this body.
    pub fn new<T: Serialize>(service: Service, key: impl Into<String>, body: &T) -> Self {
        let body = serde_json::to_string(body).expect("protocol types always serialize");
        Self {
            service,
            key: key.into(),
            body,
        }
    }

    /// The message under a name made from where it comes from, so that the same step names it
    /// the same.
    pub fn message(
        self,
        from: Service,
        from_key: &str,
        version: u64,
        nth: usize,
        trace: &str,
    ) -> Message {
        Message {
            id: MessageId(format!("{from}/{from_key}/{version}.{nth}")),
            trace: trace.to_owned(),
            to: Topic {
                service: self.service,
                shard: Shard::of(&self.key),
            },
            key: self.key,
            body: self.body,
        }
    }
}
