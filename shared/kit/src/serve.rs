//! The loop of a service: queue → decide → commit → acknowledge.

use async_trait::async_trait;
use protocol::Message;

use crate::aggregate::Aggregate;
use crate::writer::{Handled, Writer};

/// What a service adds to the loop. Every method has a default that does nothing.
#[async_trait]
pub trait Hooks<A: Aggregate>: Send + Sync + 'static {
    /// A message for the service itself (its key is empty). It is acknowledged when this
    /// returns, and nothing is committed. Messages of one shard come one after another.
    async fn on_service_message(&self, message: Message) {
        let _ = message;
    }

    /// A step was committed (or had been before), its message not yet acknowledged. A crash
    /// may swallow this call: use it to wake somebody who would find the work anyway.
    async fn after_commit(&self, key: &str, input: &A::Input, handled: &Handled) {
        let _ = (key, input, handled);
    }

    /// A message is about to become a dead letter; its aggregate's sequence moves on without it.
    async fn on_dead(&self, message: &Message, reason: &str) {
        let _ = (message, reason);
    }
}

/// No hooks.
#[derive(Debug, Clone, Copy)]
pub struct NoHooks;

impl<A: Aggregate> Hooks<A> for NoHooks {}

/// Runs a service until its parts' shutdown token is cancelled: takes the messages of its
/// sixteen queues, has the writer handle them, acknowledges; and moves its outboxes to the bus.
/// One key is handled strictly in order, different keys side by side. At the end it finishes
/// what is in hand.
pub async fn serve<A: Aggregate>(writer: Writer<A>, hooks: impl Hooks<A>) -> anyhow::Result<()> {
    let _ = (writer, hooks);
    todo!()
}
