//! Small measurements for `make bench`.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use protocol::{Message, MessageId, Service, Shard, Topic};
use rules::Time;
use store::{AggregateKey, Commit, Committed, Deadline, Store, StoreError};

/// How long something took, over many times.
#[derive(Debug, Clone)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    /// From single measurements.
    ///
    /// # Panics
    /// When there is none.
    pub fn new(mut samples: Vec<Duration>) -> Self {
        assert!(!samples.is_empty(), "nothing was measured");
        samples.sort_unstable();
        Self(samples)
    }

    /// Both together.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        Self::new(self.0)
    }

    /// What so many of a hundred did not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let last = self.0.len() - 1;
        self.0[(self.0.len() * percent / 100).min(last)]
    }

    /// The median.
    pub fn p50(&self) -> Duration {
        self.percentile(50)
    }

    /// What 99 of 100 did not exceed.
    pub fn p99(&self) -> Duration {
        self.percentile(99)
    }
}

/// How long one commit takes when nothing else is going on: a kilobyte of journal, a deadline
/// that moves, a message to send. Writes into the store: give it one of its own.
pub async fn commit_latency(store: &dyn Store, commits: u64) -> Result<Latencies, StoreError> {
    let aggregate = AggregateKey {
        service: Service::Night,
        key: "bench".to_owned(),
    };
    let mut samples = Vec::new();
    for version in 0..commits {
        let commit = typical_commit(&aggregate, version);
        let began = Instant::now();
        let committed = store.commit(commit).await?;
        samples.push(began.elapsed());
        if committed != Committed::Done(version + 1) {
            return Err(StoreError::Unavailable(format!(
                "not a store of its own: {committed:?}"
            )));
        }
    }
    Ok(Latencies::new(samples))
}

/// How long it takes to have four kilobytes on disk, the floor under every commit.
pub fn flush_latency(folder: &Path, times: u64) -> io::Result<Latencies> {
    let path = folder.join("flush.bench");
    let mut file = File::create(&path)?;
    let page = [7_u8; 4096];
    let mut samples = Vec::new();
    for _ in 0..times {
        let began = Instant::now();
        file.write_all(&page)?;
        file.sync_data()?;
        samples.push(began.elapsed());
    }
    std::fs::remove_file(path)?;
    Ok(Latencies::new(samples))
}

fn typical_commit(aggregate: &AggregateKey, version: u64) -> Commit {
    let at = Time(i64::try_from(version).unwrap_or(i64::MAX));
    Commit {
        aggregate: aggregate.clone(),
        expected: version,
        after: None,
        message: MessageId(format!("bench/{version}")),
        entry: vec![b'x'; 1024],
        snapshot: None,
        deadlines: Some(vec![Deadline {
            name: "dawn".to_owned(),
            at,
        }]),
        outbox: vec![Message {
            id: MessageId(format!("night/bench/{version}.0")),
            trace: "bench".to_owned(),
            to: Topic {
                service: Service::Publish,
                shard: Shard::of(&aggregate.key),
            },
            key: aggregate.key.clone(),
            body: "x".repeat(300),
        }],
    }
}
