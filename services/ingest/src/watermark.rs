//! "Everything up to here has been published."

use std::collections::VecDeque;

use kit::Parts;
use protocol::{AccountId, Message, MessageId, Service, Shard, ToNight, Topic};
use rules::Time;
use store::StoreError;

use crate::account::key;

/// So many outbox entries are looked at; with more in the way there is no watermark just now.
const MOST_WAITING: usize = 1000;

/// The watermark of an account. A mark is set when everything that chat had sent until then has
/// been committed; it is told when everything that was then in the outbox has been taken.
#[derive(Debug)]
pub(crate) struct Watermark {
    account: AccountId,
    /// Instants, each with the last outbox place that was in its way.
    waiting: VecDeque<(Time, u64)>,
    told: Option<Time>,
}

impl Watermark {
    pub(crate) fn new(account: AccountId) -> Self {
        Self {
            account,
            waiting: VecDeque::new(),
            told: None,
        }
    }

    /// Forgets marks that were not told: something may be missing from here on.
    pub(crate) fn interrupt(&mut self) {
        self.waiting.clear();
    }

    /// All that chat had sent before `upto` has been committed.
    pub(crate) async fn mark(&mut self, parts: &Parts, upto: Time) {
        match self.advance(parts, upto).await {
            Ok(Some(upto)) => self.tell(parts, upto).await,
            Ok(None) => {}
            Err(error) => tracing::warn!(account = %self.account, %error, "no watermark"),
        }
    }

    /// The newest instant that nothing in the outbox is in the way of.
    async fn advance(&mut self, parts: &Parts, upto: Time) -> Result<Option<Time>, StoreError> {
        let shard = Shard::of(&key(self.account));
        let entries = parts
            .store
            .outbox(Service::Ingest, shard, 0, MOST_WAITING)
            .await?;
        let first = entries.first().map(|entry| entry.place);
        if entries.len() < MOST_WAITING {
            let last = entries.last().map_or(0, |entry| entry.place);
            self.waiting.push_back((upto, last));
        }
        let mut passed = None;
        while let Some((at, last)) = self.waiting.front().copied() {
            if first.is_some_and(|first| first <= last) {
                break;
            }
            passed = Some(at);
            self.waiting.pop_front();
        }
        Ok(passed.filter(|passed| self.told.is_none_or(|told| *passed > told)))
    }

    async fn tell(&mut self, parts: &Parts, upto: Time) {
        let body = ToNight::Watermark {
            account: self.account,
            upto,
        };
        let body = serde_json::to_string(&body).expect("protocol types always serialize");
        let messages = Shard::all().map(|shard| Message {
            id: MessageId(format!("watermark/{}/{}/{shard}", self.account, upto.0)),
            trace: format!("watermark/{}", self.account),
            to: Topic {
                service: Service::Night,
                shard,
            },
            key: String::new(),
            body: body.clone(),
        });
        match parts.bus.publish_transient(messages.collect()).await {
            Ok(()) => self.told = Some(upto),
            Err(error) => tracing::warn!(account = %self.account, %error, "watermark not told"),
        }
    }
}
