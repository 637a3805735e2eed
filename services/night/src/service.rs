//! The service around the aggregate: it runs the loop and keeps each account's watermark.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use kit::logging::Told;
use kit::{Handled, Hooks, Parts, Writer};
use protocol::{AccountId, GameId, Message, MessageId, Service, Shard, ToNight, Topic};
use rules::Time;

use crate::env::Env;
use crate::night::Night;
use crate::sync::needed_watermark;

/// Further ahead than any deadline at which a wait is asked about.
const FAR: Time = Time(i64::MAX);

/// The most deadlines that are looked through at a time.
const MOST_DEADLINES: usize = 100_000;

/// A shard whose watermarks stayed away for so long may have been another instance's meanwhile.
/// They come every second.
const SILENCE: Duration = Duration::from_millis(2500);

/// Waits are looked for so often at any rate: a queue may go and come back between two watermarks.
const LOOK_AGAIN: Duration = Duration::from_secs(5);

/// Runs night until the parts' shutdown token is cancelled.
///
/// # Errors
/// When the bus ends while nobody asked for it.
pub async fn run(parts: Parts, env: Arc<Env>) -> anyhow::Result<()> {
    let watch = Watch {
        writer: Writer::<Night>::new(parts, env),
        marks: Marks::default(),
        looking: tokio::sync::Mutex::default(),
        told: Told::default(),
    };
    kit::serve(watch.writer.clone(), watch).await
}

/// Watermarks of accounts, and the games that wait for them, by the shard whose queue told of
/// either. Nothing durable: waits are found by their deadlines, and the next watermark is a second
/// away.
///
/// Why no line is overtaken, whoever serves which queue: the bridge tells a watermark when the bus
/// has taken every line sent before it, and tells it to each shard. The one that comes by a shard's
/// queue is therefore behind those lines in that queue, or was at the instance that had the queue
/// before; it ends waits of games of that shard only. What a game is then told goes through the
/// same queue once more, and thus through the game's own lane, behind every line that was in hand.
/// It may come late, twice, or to another instance: the game compares it with what it waits for,
/// and the step is taken on the newest version or not at all.
#[derive(Default)]
struct Marks(Mutex<HashMap<Shard, Marked>>);

/// What is known of a shard.
#[derive(Default)]
struct Marked {
    passed: HashMap<AccountId, Time>,
    waiting: HashMap<String, Time>,
    heard: Option<Instant>,
    looked: Option<Instant>,
}

impl Marks {
    fn with<R>(&self, shard: Shard, act: impl FnOnce(&mut Marked) -> R) -> R {
        let mut shards = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        act(shards.entry(shard).or_default())
    }

    /// A watermark has come by a shard's queue. May its games have begun to wait unheard?
    fn hear(&self, shard: Shard, now: Instant) -> bool {
        self.with(shard, |marked| {
            let since = |then: Option<Instant>| then.map(|then| now.duration_since(then));
            let silent = since(marked.heard).is_none_or(|silence| silence >= SILENCE);
            marked.heard = Some(now);
            if silent {
                marked.looked = None;
            }
            since(marked.looked).is_none_or(|age| age >= LOOK_AGAIN)
        })
    }

    /// The waits of a shard were looked for at that time.
    fn looked(&self, shard: Shard, at: Instant) {
        self.with(shard, |marked| marked.looked = Some(at));
    }

    /// A game waits for a watermark.
    fn wait(&self, key: &str, needs: Time) {
        self.with(Shard::of(key), |marked| {
            marked.waiting.insert(key.to_owned(), needs)
        });
    }

    /// A game waits no more.
    fn stop_waiting(&self, key: &str) {
        self.with(Shard::of(key), |marked| marked.waiting.remove(key));
    }

    /// An account's watermark has come by a shard's queue; the shard's games whose wait it ends,
    /// and how far it has come.
    fn pass(&self, shard: Shard, account: AccountId, upto: Time) -> (Vec<(String, Time)>, Time) {
        self.with(shard, |marked| {
            let passed = marked.passed.entry(account).or_insert(upto);
            *passed = (*passed).max(upto);
            let upto = *passed;
            let ends = |key: &str, needs: Time| needs <= upto && account_of(key) == Some(account);
            let ended = marked
                .waiting
                .iter()
                .filter(|(key, needs)| ends(key, **needs))
                .map(|(key, needs)| (key.clone(), *needs))
                .collect();
            (ended, upto)
        })
    }

    /// The watermark that the account of a game has reached.
    fn passed(&self, key: &str) -> Option<Time> {
        let account = account_of(key)?;
        self.with(Shard::of(key), |marked| {
            marked.passed.get(&account).copied()
        })
    }
}

fn account_of(key: &str) -> Option<AccountId> {
    key.parse::<GameId>().ok().map(|game| game.account)
}

/// Hands watermarks to the games that wait for them.
struct Watch {
    writer: Writer<Night>,
    marks: Marks,
    /// When the newest look for waits began that came to an end.
    looking: tokio::sync::Mutex<Option<Instant>>,
    /// That watermarks do not get through.
    told: Told,
}

impl Watch {
    /// Looks for games that wait, by their deadlines: all that had begun to when this was called.
    /// One look serves all who came before it began.
    async fn look_for_waits(&self, shard: Shard) {
        let called = Instant::now();
        let mut newest = self.looking.lock().await;
        if newest.is_none_or(|began| began < called) {
            let began = Instant::now();
            match self.writer.parts().store.due(FAR, MOST_DEADLINES).await {
                Ok(all) => {
                    for due in all {
                        if due.aggregate.service == Service::Night
                            && let Some(needs) = needed_watermark(&due.deadline.name)
                        {
                            self.marks.wait(&due.aggregate.key, needs);
                        }
                    }
                    *newest = Some(began);
                }
                Err(error) => {
                    // The next watermark asks again.
                    tracing::warn!(%error, "cannot look for deadlines that wait");
                    return;
                }
            }
        }
        self.marks.looked(shard, called);
    }

    /// Tells a game that its account's watermark has passed what it needs. The message goes
    /// through the game's own queue, behind every line that was sent before the watermark.
    async fn tell(&self, key: &str, needs: Time, upto: Time) {
        let Some(account) = account_of(key) else {
            return;
        };
        let body = serde_json::to_string(&ToNight::Watermark { account, upto })
            .expect("protocol types always serialize");
        let message = Message {
            id: MessageId(format!("watermark/{key}/{}/{}", needs.0, upto.0)),
            trace: format!("watermark/{account}"),
            to: Topic {
                service: Service::Night,
                shard: Shard::of(key),
            },
            key: key.to_owned(),
            body,
        };
        // When it is lost, the next watermark, a second later, sends it again.
        let bus = &self.writer.parts().bus;
        match bus.publish_transient(vec![message]).await {
            Ok(()) => drop(self.told.is_over()),
            Err(error) if self.told.is_new(&error.to_string()) => {
                tracing::warn!(game = key, %error, "deadlines wait on");
            }
            Err(_) => {}
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
        let shard = message.to.shard;
        if self.marks.hear(shard, Instant::now()) {
            self.look_for_waits(shard).await;
        }
        let (ended, upto) = self.marks.pass(shard, account, upto);
        for (key, needs) in ended {
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

    /// A lost deadline, book or director's command may leave the game standing still; what a
    /// player typed is only missing.
    fn holds_up(&self, message: &Message) -> bool {
        let line = matches!(
            serde_json::from_str(&message.body),
            Ok(ToNight::Line(line)) if !line.speaker.director
        );
        !line && !message.key.is_empty()
    }

    /// The game goes on without that message. It keeps that for the record, and tells whoever
    /// directs it when it may stand still.
    async fn on_dead(&self, message: &Message, _reason: &str) {
        if message.key.is_empty() {
            return;
        }
        let skipped = ToNight::Skipped {
            message: message.id.0.clone(),
            holds_up: self.holds_up(message),
        };
        let id = MessageId(format!("skipped/{}", message.id));
        if let Err(error) = self
            .writer
            .handle(&message.key, id, &message.trace, skipped)
            .await
        {
            tracing::error!(game = message.key, %error, "the director was not told");
        }
    }
}
