//! The kind that several processes share: Redis, one server or a Redis Cluster.
//!
//! One script is one commit, over keys of one shard, which share a hash tag (`keys`). With
//! `appendonly yes` and `appendfsync always` what was answered is on disk; a server without them
//! is refused, unless the URL says `durability=relaxed`. A reply that was lost means that the
//! outcome is unknown: the caller hands the same commit in again and is answered `Repeat` if it
//! was taken.
//!
//! On a Redis Cluster a fail-over may lose the last writes (replication is asynchronous), whatever
//! is set here. Sentinel is not supported.

mod admission;
mod archive;
mod bells;
mod faults;
mod keys;
mod link;
mod read;
mod scripts;
mod step;
mod url;

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::{join_all, try_join_all};
use protocol::{MessageId, Service, Shard};
use redis::RedisResult;
use rules::Time;

use self::admission::Refusal;
use self::bells::Ear;
use self::keys::Keys;
use self::link::{Connection, Link};
use self::scripts::{KEEP, LEASE, RELEASE, SENT};
use crate::{
    AggregateKey, Bells, Commit, Committed, Condition, DueDeadline, Fence, OpenError, OutboxEntry,
    Store, StoreError, Stored,
};

/// A check of health gives up earlier than a call.
const PULSE: Duration = Duration::from_millis(1_500);
/// So many entries are forgotten in one go.
const FORGET: usize = 1_000;

/// A store on Redis.
pub struct RedisStore {
    link: Arc<Link>,
    keys: Keys,
    /// This process, as its bells name it.
    own: String,
    ear: Ear,
}

impl RedisStore {
    /// Opens the store at a URL: `redis://[user:password@]host[:port][/db]`,
    /// `redis+unix:///path/to.sock`, or `redis-cluster://host:port,host:port…`, with the
    /// parameters `prefix=NAME`, `durability=relaxed` and `cluster=true`.
    ///
    /// A server that is not there, or refuses the password, is waited for: every call says so
    /// until it is there.
    ///
    /// # Errors
    /// When the URL cannot be read, or the server is there and may not be used.
    pub async fn open(url: &str) -> Result<Self, OpenError> {
        let target = url::parse(url)?;
        let keys = Keys::new(&target.prefix);
        let link = Link::new(target).map_err(|error| OpenError::Url {
            why: error.to_string(),
        })?;
        match link.connect().await {
            // Away: it has been told, and may come.
            Ok(()) | Err(Refusal::Away(_)) => {}
            Err(refusal) => return Err(refusal.for_start(link.address())),
        }
        let link = Arc::new(link);
        let random = RandomState::new().hash_one(std::process::id());
        let own = format!("{random:016x}");
        Ok(Self {
            ear: Ear::open(Arc::clone(&link), &keys, own.clone()),
            link,
            keys,
            own,
        })
    }

    async fn call<T>(
        &self,
        what: impl AsyncFnOnce(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, StoreError> {
        self.link.call(what).await
    }

    async fn ask<T: redis::FromRedisValue>(
        &self,
        mut command: redis::Cmd,
    ) -> Result<T, StoreError> {
        self.call(async |c| read::ask(c, &mut command).await).await
    }

    /// Version, and whether it is retired.
    async fn head(&self, of: &AggregateKey) -> Result<(u64, bool), StoreError> {
        let mut ask = redis::cmd("HMGET");
        ask.arg(self.keys.state(of)).arg("v").arg("r");
        let (version, retired): (Option<u64>, Option<String>) = self.ask(ask).await?;
        Ok((version.unwrap_or_default(), retired.is_some()))
    }

    /// Takes a lease, or keeps it.
    async fn take(
        &self,
        lease: String,
        fence: String,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        let lasting = u64::try_from(lasting.as_millis())
            .unwrap_or(u64::MAX)
            .max(1);
        let mut script = LEASE.prepare_invoke();
        script.key(lease).key(fence).arg(holder).arg(lasting);
        let given: Option<u64> = self.call(async |c| script.invoke_async(c).await).await?;
        Ok(given.map(Fence))
    }

    /// Gives a lease back.
    async fn give_back(
        &self,
        lease: String,
        newest: String,
        fence: Fence,
    ) -> Result<(), StoreError> {
        let mut script = RELEASE.prepare_invoke();
        script.key(lease).key(newest).arg(fence.0);
        self.call(async |c| script.invoke_async::<()>(c).await)
            .await
    }

    async fn beat(&self) -> Result<(), StoreError> {
        let beats = Shard::all().map(|shard| {
            let mut beat = redis::cmd("INCR");
            beat.arg(self.keys.pulse(shard));
            self.ask::<u64>(beat)
        });
        let answers = join_all(beats).await;
        answers
            .into_iter()
            .try_for_each(|answer| answer.map(|_| ()))
    }
}

#[async_trait]
impl Store for RedisStore {
    async fn load(&self, aggregate: &AggregateKey) -> Result<Stored, StoreError> {
        let loaded = self
            .call(async |c| read::load(c, &self.keys, aggregate).await)
            .await?;
        if loaded.1.is_some() {
            return archive::load(&self.link, &self.keys, aggregate, loaded.0).await;
        }
        read::stored(aggregate, loaded)
    }

    async fn handled(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<Option<u64>, StoreError> {
        let mut ask = redis::cmd("HGET");
        ask.arg(self.keys.handled(aggregate)).arg(&message.0);
        if let Some(version) = self.ask::<Option<u64>>(ask).await? {
            return Ok(Some(version));
        }
        let (version, retired) = self.head(aggregate).await?;
        Ok(retired.then_some(version))
    }

    async fn version(&self, aggregate: &AggregateKey) -> Result<u64, StoreError> {
        Ok(self.head(aggregate).await?.0)
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let answer = self
            .call(async |c| step::commit(c, &self.keys, &commit, &self.own).await)
            .await?;
        step::committed(answer)
    }

    async fn keep_snapshot(
        &self,
        aggregate: &AggregateKey,
        version: u64,
        state: Vec<u8>,
    ) -> Result<bool, StoreError> {
        let mut keep = KEEP.prepare_invoke();
        keep.key(self.keys.state(aggregate)).arg(version).arg(state);
        let kept: u8 = self.call(async |c| keep.invoke_async(c).await).await?;
        Ok(kept == 1)
    }

    async fn journal(
        &self,
        aggregate: &AggregateKey,
        after: u64,
        limit: usize,
    ) -> Result<Vec<(u64, Vec<u8>)>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let key = self.keys.journal(aggregate);
        let entries = self
            .call(async |c| read::stream(c, key, after, limit).await)
            .await?;
        if entries.is_empty() {
            let (version, retired) = self.head(aggregate).await?;
            if retired && version > after {
                return archive::journal(&self.link, &self.keys, aggregate, after, limit).await;
            }
        }
        read::entries_of(aggregate, entries)
    }

    async fn keys(&self, service: Service) -> Result<Vec<String>, StoreError> {
        let shards = Shard::all().map(|shard| {
            let mut members = redis::cmd("SMEMBERS");
            members.arg(self.keys.index(service, shard));
            self.ask::<Vec<String>>(members)
        });
        let mut keys = try_join_all(shards).await?.concat();
        keys.sort_unstable();
        Ok(keys)
    }

    async fn outbox(
        &self,
        service: Service,
        shard: Shard,
        after: u64,
        limit: usize,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let key = self.keys.outbox(service, shard);
        let entries = self
            .call(async |c| read::stream(c, key, after, limit).await)
            .await?;
        read::outbox_of(entries)
    }

    async fn lease(
        &self,
        service: Service,
        shard: Shard,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        let keys = &self.keys;
        let (lease, fence) = (keys.lease(service, shard), keys.fence(service, shard));
        self.take(lease, fence, holder, lasting).await
    }

    async fn release(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
    ) -> Result<(), StoreError> {
        let keys = &self.keys;
        let newest = keys.fence(service, shard);
        self.give_back(keys.lease(service, shard), newest, fence)
            .await
    }

    async fn hold(
        &self,
        aggregate: &AggregateKey,
        holder: &str,
        lasting: Duration,
    ) -> Result<Option<Fence>, StoreError> {
        let keys = &self.keys;
        let (lease, fence) = (keys.holding(aggregate), keys.holdings(aggregate));
        self.take(lease, fence, holder, lasting).await
    }

    async fn let_go(&self, aggregate: &AggregateKey, fence: Fence) -> Result<(), StoreError> {
        let keys = &self.keys;
        let newest = keys.holdings(aggregate);
        self.give_back(keys.holding(aggregate), newest, fence).await
    }

    async fn sent(
        &self,
        service: Service,
        shard: Shard,
        fence: Fence,
        places: &[u64],
    ) -> Result<bool, StoreError> {
        // Once also for none: the answer tells of the lease.
        let mut rest = places;
        loop {
            let (now, later) = rest.split_at(rest.len().min(FORGET));
            let mut sent = SENT.prepare_invoke();
            sent.key(self.keys.outbox(service, shard))
                .key(self.keys.fence(service, shard))
                .arg(fence.0);
            for place in now {
                sent.arg(format!("{place}-0"));
            }
            let newest: u8 = self.call(async |c| sent.invoke_async(c).await).await?;
            if newest == 0 || later.is_empty() {
                return Ok(newest == 1);
            }
            rest = later;
        }
    }

    fn bells(&self) -> Option<Bells> {
        Some(self.ear.bells())
    }

    async fn retire(&self, aggregate: &AggregateKey, version: u64) -> Result<bool, StoreError> {
        archive::retire(&self.link, &self.keys, aggregate, version).await
    }

    async fn due(&self, until: Time, limit: usize) -> Result<Vec<DueDeadline>, StoreError> {
        if limit == 0 {
            return Ok(Vec::new());
        }
        let shards = Shard::all().map(|shard| {
            let mut range = redis::cmd("ZRANGEBYLEX");
            range
                .arg(self.keys.due(shard))
                .arg("-")
                .arg(keys::due_until(until))
                .arg("LIMIT")
                .arg(0)
                .arg(read::at_most(limit));
            self.ask::<Vec<String>>(range)
        });
        let mut members = try_join_all(shards).await?.concat();
        members.sort_unstable();
        members.truncate(limit);
        members.iter().map(|member| due_of(member)).collect()
    }

    async fn next_due(&self) -> Result<Option<Time>, StoreError> {
        let shards = Shard::all().map(|shard| {
            let mut first = redis::cmd("ZRANGE");
            first.arg(self.keys.due(shard)).arg(0).arg(0);
            self.ask::<Vec<String>>(first)
        });
        let first = try_join_all(shards).await?.concat().into_iter().min();
        first
            .map(|member| due_of(&member).map(|due| due.deadline.at))
            .transpose()
    }

    async fn begin_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<u32, StoreError> {
        let mut begin = redis::cmd("HINCRBY");
        begin
            .arg(self.keys.trials(aggregate.service, aggregate.shard()))
            .arg(keys::trial(aggregate, message))
            .arg(1);
        self.ask(begin).await
    }

    async fn end_trial(
        &self,
        aggregate: &AggregateKey,
        message: &MessageId,
    ) -> Result<(), StoreError> {
        let mut end = redis::cmd("HDEL");
        end.arg(self.keys.trials(aggregate.service, aggregate.shard()))
            .arg(keys::trial(aggregate, message));
        self.ask::<u64>(end).await.map(|_| ())
    }

    fn condition(&self) -> Condition {
        self.link.condition()
    }

    async fn health(&self) -> Result<(), StoreError> {
        match tokio::time::timeout(PULSE, self.beat()).await {
            Ok(answer) => answer,
            Err(_) => Err(Refusal::silent().for_callers(self.link.address())),
        }
    }
}

fn due_of(member: &str) -> Result<DueDeadline, StoreError> {
    keys::parse_due_member(member).map_err(|why| StoreError::Corrupt {
        place: "deadlines".to_owned(),
        why,
    })
}
