//! The bridge as a whole.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::ServiceConfig;
use anyhow::Context as _;
use async_trait::async_trait;
use kit::logging::Told;
use kit::{HandleError, Handled, Hooks, Parts, Writer};
use protocol::{AccountId, MessageId};
use rules::Time;
use tokio::task::JoinSet;

use crate::account::{Account, Env, account_of, key};
use crate::floor::Keeper;
use crate::input::Input;
use crate::listener::Listener;
use crate::sender;
use crate::settings::Settings;
use crate::side::{self, Hub};

/// How long to wait before the store is tried again.
const STORE_PAUSE: Duration = Duration::from_millis(200);

/// Is an input new?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Novelty {
    /// As a rule.
    Likely,
    /// It may well have been handled: lines from history, and events that came while histories
    /// were read.
    Doubtful,
}

/// The bridge. Cheap to clone; clones share everything.
#[derive(Clone)]
pub struct Bridge(Arc<Inner>);

struct Inner {
    writer: Writer<Account>,
    settings: Settings,
    hub: Hub,
    store_is_away: Told,
}

impl Bridge {
    /// A bridge that has not begun yet.
    pub fn new(parts: Parts, settings: Settings) -> Self {
        let env = Env {
            texts: settings.texts.clone(),
        };
        let hub = Hub::new(format!("d{}", uuid::Uuid::now_v7().simple()));
        Self(Arc::new(Inner {
            writer: Writer::new(parts, Arc::new(env)),
            settings,
            hub,
            store_is_away: Told::default(),
        }))
    }

    /// Adds the address at which chat sides connect, `/onebot/v11/ws`, to an HTTP server.
    pub fn routes(&self, config: &mut ServiceConfig) {
        side::routes(self, config);
    }

    /// Runs until the parts' shutdown token is cancelled, then closes all connections and
    /// finishes what is in hand.
    pub async fn run(self) -> anyhow::Result<()> {
        let mut tasks = JoinSet::new();
        self.parts().store_is_there().await;
        tasks.spawn(self.clone().attend());
        for url in &self.settings().forward {
            tasks.spawn(side::keep_connected(self.clone(), url.clone()));
        }
        let served = kit::serve(self.0.writer.clone(), Wake(self.hub().clone())).await;
        self.hub().close();
        while tasks.join_next().await.is_some() {}
        served.context("ingest stopped serving its queues")
    }

    /// Looks after each account that becomes known.
    async fn attend(self) {
        let mut attended = HashSet::new();
        let mut tasks = JoinSet::new();
        let mut arrivals = self.hub().arrivals();
        loop {
            arrivals.mark_unchanged();
            for side in self.hub().all() {
                if attended.insert(side.account) {
                    let holder = self.parts().instance.to_string();
                    tasks.spawn(Keeper::new(self.clone(), Arc::clone(&side), holder).run());
                    tasks.spawn(Listener::new(self.clone(), Arc::clone(&side)).run());
                    tasks.spawn(sender::speak(self.clone(), side));
                }
            }
            tokio::select! {
                _ = arrivals.changed() => {}
                () = self.parts().shutdown.cancelled() => break,
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Commits an input of an account, as often as it takes while the store is away. `None`: we
    /// are stopping, or the input cannot be handled at all.
    pub(crate) async fn commit(
        &self,
        account: AccountId,
        id: MessageId,
        input: Input,
    ) -> Option<Handled> {
        self.commit_as(Novelty::Likely, account, id, input).await
    }

    /// The same for an input that belongs to a chat message or deadline of before.
    pub(crate) async fn commit_about(
        &self,
        trace: &str,
        account: AccountId,
        id: MessageId,
        input: Input,
    ) -> Option<Handled> {
        let novelty = Novelty::Likely;
        self.insist(trace, novelty, account, id, input).await
    }

    /// The same, for an input of which more or less is known.
    pub(crate) async fn commit_as(
        &self,
        novelty: Novelty,
        account: AccountId,
        id: MessageId,
        input: Input,
    ) -> Option<Handled> {
        let trace = id.0.clone();
        self.insist(&trace, novelty, account, id, input).await
    }

    async fn insist(
        &self,
        trace: &str,
        novelty: Novelty,
        account: AccountId,
        id: MessageId,
        input: Input,
    ) -> Option<Handled> {
        loop {
            let (writer, key) = (&self.0.writer, key(account));
            let (name, input) = (id.clone(), input.clone());
            let handled = match novelty {
                Novelty::Likely => writer.handle(&key, name, trace, input).await,
                Novelty::Doubtful => writer.handle_again(&key, name, trace, input).await,
            };
            match handled {
                Ok(handled) => {
                    tracing::debug!(
                        service = "ingest", trace, key, %id,
                        version = handled.version, repeat = handled.repeat, "handled"
                    );
                    if self.0.store_is_away.is_over() {
                        tracing::info!("what comes from chat is kept again");
                    }
                    self.hub().side(account).work.notify_one();
                    return Some(handled);
                }
                Err(HandleError::Store(error)) => {
                    if self.0.store_is_away.is_new(&error.to_string()) {
                        tracing::warn!(
                            %error,
                            "what comes from chat waits for the store; trying again and again"
                        );
                    }
                    tokio::select! {
                        () = tokio::time::sleep(STORE_PAUSE) => {}
                        () = self.parts().shutdown.cancelled() => return None,
                    }
                }
                Err(error @ HandleError::Panicked { .. }) => {
                    tracing::error!(%account, %error, "input left out");
                    return None;
                }
            }
        }
    }

    /// Looks at an account's state.
    pub(crate) async fn read<R: Send>(
        &self,
        account: AccountId,
        look: impl FnMut(&Account) -> R + Send,
    ) -> Result<R, store::StoreError> {
        self.0.writer.read(&key(account), look).await
    }

    /// The same, perhaps before it is on disk: only for what prepares an input of the account.
    pub(crate) async fn peek<R: Send>(
        &self,
        account: AccountId,
        look: impl FnOnce(&Account) -> R + Send,
    ) -> Result<R, store::StoreError> {
        self.0.writer.peek(&key(account), look).await
    }

    /// Makes sure that the next look at an account's state is not at an old one; answers whether
    /// there may be something new.
    pub(crate) async fn refresh(&self, account: AccountId) -> Result<bool, store::StoreError> {
        self.0.writer.refresh(&key(account)).await
    }

    /// The instant that comes back in an answer to a sign of life; never a future one.
    pub(crate) fn asked_at(&self, bytes: &[u8]) -> Option<Time> {
        let asked = Time(std::str::from_utf8(bytes).ok()?.parse().ok()?);
        (asked <= self.parts().clock.now()).then_some(asked)
    }

    pub(crate) fn parts(&self) -> &Parts {
        self.0.writer.parts()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn hub(&self) -> &Hub {
        &self.0.hub
    }
}

/// Wakes an account's sender when its aggregate has changed.
struct Wake(Hub);

#[async_trait]
impl Hooks<Account> for Wake {
    async fn after_commit(&self, key: &str, _input: &Input, _handled: &Handled) {
        if let Some(account) = account_of(key) {
            self.0.side(account).work.notify_one();
        }
    }
}
