//! A small aggregate, and a store and a bus that fail on demand.
#![allow(dead_code, reason = "each test file uses its part of this")]

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bus::{Bus, BusError, DeadLetter, Outgoing, Receipt, Subscription};
use kit::{Aggregate, Effects, LoadError, Parts, Writer};
use protocol::{Message, MessageId, Service, Shard, Topic};
use rules::Time;
use serde::{Deserialize, Serialize};
use store::{
    AggregateKey, Bells, Commit, Committed, Deadline, DueDeadline, Fence, OutboxEntry, Store,
    StoreError, Stored,
};

/// What a [`Diary`] takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Note {
    /// Write this down.
    Write(String),
    /// Write it down and pass it on to another diary.
    Pass {
        to: Service,
        key: String,
        text: String,
    },
    /// Write it down and wake up then.
    Remind { name: String, at: i64 },
    /// Write it down and take a snapshot.
    Chapter(String),
    /// Write it down, and say which line was the last one.
    Follow(String),
    /// Write it down if the other line is there. Otherwise not worth a commit.
    Answer { to: String, text: String },
    /// Not worth a commit.
    Nothing,
    /// Ends the process.
    Kill,
    /// Has another diary end the process.
    Curse { to: Service, key: String },
    /// Fails, as long as the surroundings are broken.
    Stumble(String),
}

/// What surrounds diaries.
#[derive(Default)]
pub struct Desk {
    pub broken: AtomicBool,
    /// How many inputs were handled, replays included.
    pub handled: AtomicU32,
}

/// Keeps what it was told, in order. `NTH` is the service that owns it.
#[derive(Debug, PartialEq)]
pub struct Diary<const NTH: usize> {
    pub lines: Vec<String>,
}

pub type NightDiary = Diary<2>;
pub type TallyDiary = Diary<1>;

impl<const NTH: usize> Aggregate for Diary<NTH> {
    const SERVICE: Service = Service::ALL[NTH];
    type Input = Note;
    type Env = Desk;

    fn new(_: &Desk, _: &str) -> Self {
        Self { lines: Vec::new() }
    }

    fn handle(&mut self, desk: &Desk, note: &Note) -> Effects {
        desk.handled.fetch_add(1, Ordering::Relaxed);
        let mut effects = Effects::default();
        match note {
            Note::Nothing => return Effects::ignored(),
            Note::Answer { to, .. } if !self.lines.contains(to) => return Effects::ignored(),
            Note::Answer { text, .. } | Note::Write(text) => self.lines.push(text.clone()),
            Note::Follow(text) => {
                effects.log = Some(serde_json::json!({ "after": self.lines.last() }));
                self.lines.push(text.clone());
                return effects;
            }
            Note::Chapter(text) => {
                self.lines.push(text.clone());
                effects.snapshot = true;
            }
            Note::Kill => std::process::abort(),
            Note::Curse { to, key } => effects.send(*to, key, &Note::Kill),
            Note::Pass { to, key, text } => {
                self.lines.push(text.clone());
                effects.send(*to, key, &Note::Write(text.clone()));
            }
            Note::Remind { name, at } => {
                self.lines.push(name.clone());
                effects.deadlines = Some(vec![Deadline {
                    name: name.clone(),
                    at: Time(*at),
                }]);
            }
            Note::Stumble(text) => {
                self.lines.push(text.clone());
                assert!(!desk.broken.load(Ordering::Relaxed), "stumbled over {text}");
            }
        }
        effects.log = Some(serde_json::json!({ "lines": self.lines.len() }));
        effects
    }

    fn save(&self) -> Vec<u8> {
        serde_json::to_vec(&self.lines).unwrap()
    }

    fn load(_: &Desk, _: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        let lines = serde_json::from_slice(bytes).map_err(|e| LoadError(e.to_string()))?;
        Ok(Self { lines })
    }
}

pub fn id(text: &str) -> MessageId {
    MessageId(text.to_owned())
}

pub fn write(text: &str) -> Note {
    Note::Write(text.to_owned())
}

pub async fn lines<const NTH: usize>(writer: &Writer<Diary<NTH>>, key: &str) -> Vec<String> {
    writer.read(key, |diary| diary.lines.clone()).await.unwrap()
}

/// Another key of the same shard.
pub fn beside(key: &str) -> String {
    (2..1_000)
        .map(|n| format!("7-{n}"))
        .find(|other| other != key && Shard::of(other) == Shard::of(key))
        .unwrap()
}

/// A message for a diary.
pub fn message(to: Service, key: &str, name: &str, note: &Note) -> Message {
    Message {
        id: id(name),
        trace: format!("trace of {name}"),
        to: Topic {
            service: to,
            shard: Shard::of(key),
        },
        key: key.to_owned(),
        body: serde_json::to_string(note).unwrap(),
    }
}

pub async fn publish(parts: &Parts, messages: Vec<Message>) -> Vec<Receipt> {
    parts
        .bus
        .publish(messages.into_iter().map(Outgoing::first).collect())
        .await
        .unwrap()
}

/// How a commit is to fail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Nothing is written, the caller hears of an error.
    Before,
    /// It is written, and the caller hears of an error all the same.
    After,
}

/// A store whose commits fail on demand.
pub struct FaultyStore {
    inner: Arc<dyn Store>,
    faults: Mutex<VecDeque<Fault>>,
    pub away: AtomicBool,
    /// Commits wait, in their order, until this is false again.
    pub held: tokio::sync::watch::Sender<bool>,
    queue: tokio::sync::Mutex<()>,
    /// The place of an outbox entry that cannot be read; 0: all can.
    pub spoiled: AtomicU64,
}

impl FaultyStore {
    pub fn around(inner: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            faults: Mutex::default(),
            away: AtomicBool::new(false),
            held: tokio::sync::watch::Sender::new(false),
            queue: tokio::sync::Mutex::default(),
            spoiled: AtomicU64::new(0),
        })
    }

    /// The next commits fail like this, one after another.
    pub fn fail(&self, faults: &[Fault]) {
        self.faults.lock().unwrap().extend(faults);
    }

    fn check(&self) -> Result<(), StoreError> {
        if self.away.load(Ordering::Relaxed) {
            return Err(StoreError::Unavailable("it is away".to_owned()));
        }
        Ok(())
    }
}

#[async_trait]
impl Store for FaultyStore {
    async fn load(&self, aggregate: &AggregateKey) -> Result<Stored, StoreError> {
        self.check()?;
        self.inner.load(aggregate).await
    }

    async fn handled(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<Option<u64>, StoreError> {
        self.check()?;
        self.inner.handled(aggregate, message).await
    }

    async fn version(&self, aggregate: &AggregateKey) -> Result<u64, StoreError> {
        self.check()?;
        self.inner.version(aggregate).await
    }

    async fn hold(
        &self,
        aggregate: &AggregateKey,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        self.check()?;
        self.inner.hold(aggregate, holder, lasting).await
    }

    async fn let_go(&self, aggregate: &AggregateKey, fence: Fence) -> Result<(), StoreError> {
        self.check()?;
        self.inner.let_go(aggregate, fence).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.check()?;
        let _turn = self.queue.lock().await;
        let mut held = self.held.subscribe();
        held.wait_for(|held| !held).await.unwrap();
        let fault = self.faults.lock().unwrap().pop_front();
        let failed = || StoreError::Unavailable("a fault on demand".to_owned());
        match fault {
            Some(Fault::Before) => Err(failed()),
            Some(Fault::After) => {
                self.inner.commit(commit).await?;
                Err(failed())
            }
            None => self.inner.commit(commit).await,
        }
    }

    async fn keep_snapshot(
        &self,
        aggregate: &AggregateKey,
        version: u64,
        state: Vec<u8>,
    ) -> Result<bool, StoreError> {
        self.check()?;
        self.inner.keep_snapshot(aggregate, version, state).await
    }

    async fn journal(
        &self,
        aggregate: &AggregateKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        self.inner.journal(aggregate, after, limit).await
    }

    async fn keys(&self, service: Service) -> Result<Vec<String>, StoreError> {
        self.inner.keys(service).await
    }

    async fn outbox(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        self.check()?;
        let mut entries = self.inner.outbox(service, shard, after, limit).await?;
        let spoiled = self.spoiled.load(Ordering::Relaxed);
        match entries.iter().position(|entry| entry.place == spoiled) {
            Some(0) => Err(StoreError::Corrupt {
                place: format!("outbox entry {spoiled}"),
                why: "there is no service \"nobody\"".to_owned(),
            }),
            Some(before) => {
                entries.truncate(before);
                Ok(entries)
            }
            None => Ok(entries),
        }
    }

    async fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        self.check()?;
        self.inner.lease(service, shard, holder, lasting).await
    }

    async fn release(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
    ) -> Result<(), StoreError> {
        self.check()?;
        self.inner.release(service, shard, fence).await
    }

    async fn sent(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
        places: &[u64],
    ) -> Result<bool, StoreError> {
        self.check()?;
        self.inner.sent(service, shard, fence, places).await
    }

    fn bells(&self) -> Option<Bells> {
        self.inner.bells()
    }

    async fn retire(&self, aggregate: &AggregateKey, version: u64) -> Result<bool, StoreError> {
        self.check()?;
        self.inner.retire(aggregate, version).await
    }

    async fn due(&self, until: Time, limit: usize) -> Result<Vec<DueDeadline>, StoreError> {
        self.inner.due(until, limit).await
    }

    async fn next_due(&self) -> Result<Option<Time>, StoreError> {
        self.inner.next_due().await
    }

    async fn begin_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<u32, StoreError> {
        self.check()?;
        self.inner.begin_trial(aggregate, message).await
    }

    async fn end_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        self.check()?;
        self.inner.end_trial(aggregate, message).await
    }

    fn condition(&self) -> store::Condition {
        self.inner.condition()
    }

    async fn health(&self) -> Result<(), StoreError> {
        self.check()
    }
}

/// A bus that takes messages and, every so often, does not answer well.
pub struct FaultyBus {
    inner: Arc<dyn Bus>,
    published: AtomicU32,
    /// What was published, and whether it was marked as sent again.
    pub seen: Mutex<Vec<(String, bool)>>,
}

impl FaultyBus {
    pub fn around(inner: Arc<dyn Bus>) -> Arc<Self> {
        Arc::new(Self {
            inner,
            published: AtomicU32::default(),
            seen: Mutex::default(),
        })
    }
}

#[async_trait]
impl Bus for FaultyBus {
    async fn publish(&self, messages: Vec<Outgoing>) -> Result<Vec<Receipt>, BusError> {
        let nth = self.published.fetch_add(1, Ordering::Relaxed);
        let failed = || BusError::Unavailable("a fault on demand".to_owned());
        self.seen.lock().unwrap().extend(
            messages
                .iter()
                .map(|out| (out.message.id.0.clone(), out.again)),
        );
        match nth % 4 {
            // Refused as a whole.
            0 => Err(failed()),
            // Taken, and lost on the way.
            1 => Ok(messages
                .iter()
                .map(|_| {
                    let error = failed();
                    Receipt::new(async move { Err(error) })
                })
                .collect()),
            // Taken and delivered, but the answer is lost.
            2 => {
                let receipts = self.inner.publish(messages).await?;
                Ok(receipts
                    .into_iter()
                    .map(|receipt| {
                        let error = failed();
                        Receipt::new(async move { receipt.await.and(Err(error)) })
                    })
                    .collect())
            }
            _ => self.inner.publish(messages).await,
        }
    }

    async fn publish_transient(&self, messages: Vec<Message>) -> Result<(), BusError> {
        self.inner.publish_transient(messages).await
    }

    async fn subscribe(
        &self,
        topics: Vec<Topic>,
        prefetch: usize,
    ) -> Result<Box<dyn Subscription>, BusError> {
        self.inner.subscribe(topics, prefetch).await
    }

    async fn dead_letters(&self, service: Service) -> Result<Vec<DeadLetter>, BusError> {
        self.inner.dead_letters(service).await
    }

    async fn put_back(&self, service: Service, id: u64) -> Result<(), BusError> {
        self.inner.put_back(service, id).await
    }

    async fn drop_letter(&self, service: Service, id: u64) -> Result<(), BusError> {
        self.inner.drop_letter(service, id).await
    }

    async fn count_letters(&self, service: Service) -> Result<u64, BusError> {
        self.inner.count_letters(service).await
    }

    async fn waiting(&self, topic: Topic) -> Result<u64, BusError> {
        self.inner.waiting(topic).await
    }

    fn condition(&self) -> bus::Condition {
        self.inner.condition()
    }

    async fn health(&self) -> Result<(), BusError> {
        self.inner.health().await
    }
}
