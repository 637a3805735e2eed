//! The single writer of each aggregate: load, decide, commit.

use std::sync::Arc;

use protocol::MessageId;
use store::StoreError;

use crate::aggregate::Aggregate;
use crate::parts::Parts;

/// What came of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Handled {
    /// The message had been handled before: nothing was changed.
    pub repeat: bool,
    /// The aggregate's version after the step that handled the message. An input that was
    /// ignored leaves the version as it was.
    pub version: u64,
    /// What the step said for the record; `None` for a repeat.
    pub log: Option<serde_json::Value>,
}

/// Why an input could not be handled.
#[derive(Debug, thiserror::Error)]
pub enum HandleError {
    /// The store did not answer. The step may have been taken: hand in the same message again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The aggregate's code panicked. Nothing was committed.
    #[error("handling {message} for {aggregate} panicked: {what}")]
    Panicked {
        /// Whose code.
        aggregate: String,
        /// On which message.
        message: MessageId,
        /// The panic's message.
        what: String,
    },
}

/// Handles inputs of all aggregates of one kind, one at a time for each. Cheap to clone; clones
/// share the cache.
pub struct Writer<A: Aggregate>(Arc<Inner<A>>);

struct Inner<A: Aggregate> {
    parts: Parts,
    env: Arc<A::Env>,
}

impl<A: Aggregate> Clone for Writer<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Aggregate> Writer<A> {
    /// A writer for the aggregates of `A`'s service. Make one and clone it.
    pub fn new(parts: Parts, env: Arc<A::Env>) -> Self {
        Self(Arc::new(Inner { parts, env }))
    }

    /// The parts it was made with.
    pub fn parts(&self) -> &Parts {
        &self.0.parts
    }

    /// What surrounds the aggregates.
    pub fn env(&self) -> &A::Env {
        &self.0.env
    }

    /// Has the aggregate `key` handle an input, and commits the step. `id` names the input: one
    /// that was handled before changes nothing. `trace` is handed on to what the step sends.
    pub async fn handle(
        &self,
        key: &str,
        id: MessageId,
        trace: &str,
        input: A::Input,
    ) -> Result<Handled, HandleError> {
        let _ = (key, id, trace, input);
        todo!()
    }

    /// Looks at the aggregate as it is after the last commit; a new one when there is none.
    pub async fn read<R: Send>(
        &self,
        key: &str,
        look: impl FnOnce(&A) -> R + Send,
    ) -> Result<R, StoreError> {
        let _ = (key, look);
        todo!()
    }
}
