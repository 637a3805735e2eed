//! Publish: what the referee and the ballot book have to say becomes words in chat, and the
//! private groups of games are looked after.
//!
//! Two kinds of aggregates, both [`Desk`]s: one a game, which knows what was said to whom and
//! what became of it, and the game's private groups; and one pool of chat groups an account,
//! which gives them out and takes them back.
//!
//! Invariants:
//! - A name ([`protocol::Say::key`]) is said once. What the platform refused or left unclear is
//!   said again later, marked where it may be a repeat, or handed to the director: no notice is
//!   lost in silence.
//! - What is for a private group goes into a chat group only while everyone known to be inside
//!   may read it; else each member gets it in private.
//! - A chat group of the pool serves one game at a time.

mod desk;
mod game;
mod people;
mod pool;
mod room;
mod step;
#[cfg(test)]
mod testing;
mod words;
#[cfg(test)]
mod world;

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::{AccountId, ChatGroup};
use texts::Texts;

pub use desk::Desk;

/// Which groups each account may use for the private groups of its games. The account is owner
/// or administrator in all of them; people who are in one for good (its human owner, say) keep
/// it from being used, unless they direct the game.
#[derive(Debug, Clone, Default)]
pub struct Pools {
    /// Those of accounts that are known by number.
    pub of_account: BTreeMap<AccountId, Vec<ChatGroup>>,
    /// Those of any other account. Only one such account may be in use: pools of two accounts
    /// know nothing of each other.
    pub otherwise: Vec<ChatGroup>,
}

impl Pools {
    /// The groups of this account.
    pub fn of(&self, account: AccountId) -> &[ChatGroup] {
        self.of_account.get(&account).unwrap_or(&self.otherwise)
    }
}

/// What publish works with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The templates.
    pub texts: Texts,
    /// The chat groups to give out.
    pub pools: Pools,
}

/// Runs the service until its parts' shutdown token is cancelled.
///
/// # Errors
/// When the loop of the service ends early.
pub async fn run(parts: kit::Parts, settings: Settings) -> anyhow::Result<()> {
    let writer = kit::Writer::<Desk>::new(parts, Arc::new(settings));
    kit::serve(writer, kit::NoHooks).await
}
