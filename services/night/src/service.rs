//! The service around the aggregate: it runs the loop and keeps each account's watermark.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use kit::{Handled, Hooks, Parts, Writer};
use protocol::{AccountId, GameId, Message, MessageId, Phrase, Service, Shard, ToNight, Topic};
use rules::Time;

use crate::env::Env;
use crate::night::Night;
use crate::sync::needed_watermark;

/// Further ahead than any deadline at which a wait is asked about.
const FAR: Time = Time(i64::MAX);

/// The most deadlines that are looked through at start.
const MOST_DEADLINES: usize = 100_000;

/// Runs night until the parts' shutdown token is cancelled.
///
/// # Errors
/// When the store cannot be read at start, or the bus ends while nobody asked for it.
pub async fn run(parts: Parts, env: Arc<Env>) -> anyhow::Result<()> {
    let writer = Writer::<Night>::new(parts.clone(), env);
    let marks = Marks::default();
    for due in parts.store.due(FAR, MOST_DEADLINES).await? {
        if due.aggregate.service == Service::Night
            && let Some(needs) = needed_watermark(&due.deadline.name)
        {
            marks.wait(&due.aggregate.key, needs);
        }
    }
    let watch = Watch {
        writer: writer.clone(),
        marks,
    };
    kit::serve(writer, watch).await
}

/// Watermarks of accounts, and the games that wait for them. Nothing durable: at start the
/// waits are found by their deadlines, and the next watermark is a second away.
#[derive(Default)]
struct Marks(Mutex<State>);

#[derive(Default)]
struct State {
    passed: HashMap<AccountId, Time>,
    waiting: HashMap<String, Time>,
}

impl Marks {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A game waits for a watermark.
    fn wait(&self, key: &str, needs: Time) {
        self.state().waiting.insert(key.to_owned(), needs);
    }

    /// A game waits no more.
    fn stop_waiting(&self, key: &str) {
        self.state().waiting.remove(key);
    }

    /// An account's watermark has come; the games whose wait it ends.
    fn pass(&self, account: AccountId, upto: Time) -> Vec<(String, Time)> {
        let mut state = self.state();
        let passed = state.passed.entry(account).or_insert(upto);
        *passed = (*passed).max(upto);
        let upto = *passed;
        let ends = |key: &str, needs: Time| needs <= upto && account_of(key) == Some(account);
        state
            .waiting
            .iter()
            .filter(|(key, needs)| ends(key, **needs))
            .map(|(key, needs)| (key.clone(), *needs))
            .collect()
    }

    /// The watermark that the account of a game has reached.
    fn passed(&self, key: &str) -> Option<Time> {
        let account = account_of(key)?;
        self.state().passed.get(&account).copied()
    }
}

fn account_of(key: &str) -> Option<AccountId> {
    key.parse::<GameId>().ok().map(|game| game.account)
}

/// Hands watermarks to the games that wait for them.
struct Watch {
    writer: Writer<Night>,
    marks: Marks,
}

impl Watch {
    /// Tells a game that its account's watermark has passed what it needs. The message goes
    /// through the game's own queue, behind every line that was sent before the watermark.
    async fn tell(&self, key: &str, needs: Time, upto: Time) {
        let Some(account) = account_of(key) else {
            return;
        };
        let body = serde_json::to_string(&ToNight::Watermark { account, upto })
            .expect("protocol types always serialize");
        let message = Message {
            id: MessageId(format!("watermark/{key}/{}", needs.0)),
            trace: format!("watermark/{account}"),
            to: Topic {
                service: Service::Night,
                shard: Shard::of(key),
            },
            key: key.to_owned(),
            body,
        };
        // When it is lost, the next watermark, a second later, sends it again.
        if let Err(error) = self
            .writer
            .parts()
            .bus
            .publish_transient(vec![message])
            .await
        {
            tracing::warn!(game = key, %error, "a deadline waits on");
        }
    }
}

#[async_trait]
impl Hooks<Night> for Watch {
    async fn on_service_message(&self, message: Message) {
        let Ok(ToNight::Watermark { account, upto }) = serde_json::from_str(&message.body) else {
            tracing::warn!(id = %message.id, "a message for no game that is no watermark");
            return;
        };
        for (key, needs) in self.marks.pass(account, upto) {
            self.tell(&key, needs, upto).await;
        }
    }

    async fn after_commit(&self, key: &str, input: &ToNight, _handled: &Handled) {
        if !matches!(input, ToNight::Due { .. } | ToNight::Watermark { .. }) {
            return;
        }
        match self.writer.read(key, Night::needs_watermark).await {
            Ok(Some(needs)) => {
                self.marks.wait(key, needs);
                if let Some(upto) = self.marks.passed(key).filter(|upto| *upto >= needs) {
                    self.tell(key, needs, upto).await;
                }
            }
            Ok(None) => self.marks.stop_waiting(key),
            // It stays as it was: a watermark for nothing changes nothing.
            Err(error) => tracing::warn!(game = key, %error, "cannot see whether it waits"),
        }
    }

    /// The game goes on without that message; whoever directs it has to know (a lost deadline,
    /// book or command leaves it standing still).
    async fn on_dead(&self, message: &Message, _reason: &str) {
        let line = matches!(
            serde_json::from_str(&message.body),
            Ok(ToNight::Line(line)) if !line.speaker.director
        );
        if line || message.key.is_empty() {
            return;
        }
        let trouble = ToNight::Trouble {
            phrase: Phrase::plain("director/stuck"),
        };
        let id = MessageId(format!("stuck/{}", message.id));
        if let Err(error) = self
            .writer
            .handle(&message.key, id, &message.trace, trouble)
            .await
        {
            tracing::error!(game = message.key, %error, "the director was not told");
        }
    }
}
