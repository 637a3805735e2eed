//! The thread that writes.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use protocol::MessageId;
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::outboxes::Outboxes;
use super::{step, store_error};
use crate::{AggregateKey, Commit, Committed, StoreError};

/// How many jobs share a transaction at most: bounds how long one waits for the others.
const BATCH: usize = 256;
/// What was sent is deleted along with the next commit, or after so long without one.
const LINGER: Duration = Duration::from_millis(50);
/// After so long without a job the log is folded into the database.
const IDLE: Duration = Duration::from_millis(500);
/// The log is folded in without waiting for quiet when it has grown by so many transactions.
const UNFOLDED: u32 = 2_000;

pub(super) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread is asked to do.
pub(super) enum Job {
    /// Take a step.
    Commit(Box<Commit>, Answer<Committed>),
    /// Keep a snapshot, if the aggregate is at this version.
    Keep {
        aggregate: AggregateKey,
        version: u64,
        state: Vec<u8>,
        answer: Answer<bool>,
    },
    /// Retire it, if it is at this version.
    Retire {
        aggregate: AggregateKey,
        version: u64,
        answer: Answer<bool>,
    },
    /// Count that a message's handling begins.
    BeginTrial {
        aggregate: AggregateKey,
        message: MessageId,
        answer: Answer<u32>,
    },
    /// Forget that count.
    EndTrial {
        aggregate: AggregateKey,
        message: MessageId,
        answer: Answer<()>,
    },
    /// Delete these outbox entries some time soon. Need not be on disk at once: what is there
    /// again after a crash is sent again and recognised as a repeat.
    Forget(Vec<u64>),
    /// Show that writing works.
    Pulse(Answer<()>),
}

/// Handle of the thread. Dropping it finishes what was asked for and closes the database.
pub(super) struct WriteThread {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl WriteThread {
    pub(super) fn start(connection: Connection, outboxes: Arc<Outboxes>) -> io::Result<Self> {
        let (jobs, inbox) = channel();
        let writer = Writer {
            connection,
            outboxes,
            sent: Vec::new(),
            unfolded: 0,
            flushes: true,
        };
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || writer.run(&inbox))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Hands the thread a job that has no answer.
    pub(super) fn tell(&self, job: Job) -> Result<(), StoreError> {
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(job).map_err(|_| gone())
    }

    /// Hands the thread a job and waits for its answer.
    pub(super) async fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.tell(job(answer))?;
        answered.await.map_err(|_| gone())?
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the store's writer gave no answer".to_owned())
}

impl Drop for WriteThread {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's writer panicked");
        }
    }
}

struct Writer {
    connection: Connection,
    outboxes: Arc<Outboxes>,
    /// Outbox entries that are to be deleted.
    sent: Vec<u64>,
    /// How many transactions are in the log only.
    unfolded: u32,
    /// Does a transaction return when it is on disk (`synchronous=FULL`)?
    flushes: bool,
}

impl Writer {
    fn run(mut self, inbox: &Receiver<Job>) {
        loop {
            let first = match self.patience() {
                Some(patience) => inbox.recv_timeout(patience),
                None => inbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match first {
                Ok(first) => {
                    let jobs = std::iter::once(first).chain(inbox.try_iter().take(BATCH - 1));
                    let batch = self.set_aside_what_can_wait(jobs);
                    if !batch.is_empty() {
                        self.write(batch);
                    }
                    if self.unfolded >= UNFOLDED {
                        self.fold();
                    }
                }
                Err(RecvTimeoutError::Timeout) if !self.sent.is_empty() => self.write(Vec::new()),
                Err(RecvTimeoutError::Timeout) => self.fold(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if !self.sent.is_empty() {
            self.write(Vec::new());
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::error!(%error, "the store's database did not close well");
        }
    }

    /// How long to wait for a job before doing what has been put off; `None`: nothing was.
    fn patience(&self) -> Option<Duration> {
        if self.sent.is_empty() {
            (self.unfolded > 0).then_some(IDLE)
        } else {
            Some(LINGER)
        }
    }

    fn set_aside_what_can_wait(&mut self, jobs: impl Iterator<Item = Job>) -> Vec<Job> {
        let mut batch = Vec::new();
        for job in jobs {
            match job {
                Job::Forget(places) => self.sent.extend(places),
                job => batch.push(job),
            }
        }
        batch
    }

    /// Folds the log into the database as far as readers allow.
    fn fold(&mut self) {
        self.unfolded = 0;
        let folded = self
            .connection
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()));
        if let Err(error) = folded {
            tracing::warn!(%error, "the store's log could not be folded in");
        }
    }

    /// Does all jobs in one transaction and answers when all of it is on disk.
    fn write(&mut self, batch: Vec<Job>) {
        let mut replies = Vec::with_capacity(batch.len());
        let written = self.write_batch(batch, &mut replies);
        self.unfolded += 1;
        let failed = written.err().map(|error| {
            tracing::error!(%error, "a transaction failed");
            store_error(&error)
        });
        for reply in replies {
            reply.send(failed.as_ref(), &self.outboxes);
        }
    }

    fn write_batch(&mut self, batch: Vec<Job>, replies: &mut Vec<Reply>) -> rusqlite::Result<()> {
        let flush = batch.iter().any(|job| {
            matches!(
                job,
                Job::Commit(..) | Job::Keep { .. } | Job::Retire { .. } | Job::BeginTrial { .. }
            )
        });
        if flush != self.flushes {
            let mode = if flush { "FULL" } else { "NORMAL" };
            self.connection.pragma_update(None, "synchronous", mode)?;
            self.flushes = flush;
        }
        let mut transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for job in batch {
            // Each under a savepoint of its own, so that one that fails undoes nothing of the
            // others.
            let mut savepoint = transaction.savepoint()?;
            let (reply, keep) = do_job(&savepoint, job);
            replies.extend(reply);
            if !keep {
                savepoint.rollback()?;
            }
            savepoint.commit()?;
        }
        step::forget(&transaction, &self.sent)?;
        transaction.commit()?;
        self.sent.clear();
        Ok(())
    }
}

/// Does one job; gives what to say about it, and whether its changes stay.
fn do_job(connection: &Connection, job: Job) -> (Option<Reply>, bool) {
    match job {
        Job::Commit(commit, answer) => {
            let done = step::commit(connection, &commit).map_err(|e| store_error(&e));
            let keep = matches!(done, Ok((Committed::Done(_), _)));
            (
                Some(Reply::Commit {
                    commit,
                    done,
                    answer,
                }),
                keep,
            )
        }
        Job::Keep {
            aggregate,
            version,
            state,
            answer,
        } => {
            let done = step::keep_snapshot(connection, &aggregate, version, &state)
                .map_err(|e| store_error(&e));
            let keep = matches!(done, Ok(true));
            (Some(Reply::Asked { done, answer }), keep)
        }
        Job::Retire {
            aggregate,
            version,
            answer,
        } => {
            let done = step::retire(connection, &aggregate, version).map_err(|e| store_error(&e));
            let keep = matches!(done, Ok(true));
            (Some(Reply::Asked { done, answer }), keep)
        }
        Job::BeginTrial {
            aggregate,
            message,
            answer,
        } => {
            let done =
                step::begin_trial(connection, &aggregate, &message).map_err(|e| store_error(&e));
            let keep = done.is_ok();
            (Some(Reply::Counted { done, answer }), keep)
        }
        Job::EndTrial {
            aggregate,
            message,
            answer,
        } => {
            let done =
                step::end_trial(connection, &aggregate, &message).map_err(|e| store_error(&e));
            let keep = done.is_ok();
            (Some(Reply::Told { done, answer }), keep)
        }
        Job::Pulse(answer) => {
            let done = step::pulse(connection).map_err(|e| store_error(&e));
            let keep = done.is_ok();
            (Some(Reply::Told { done, answer }), keep)
        }
        // Set aside before.
        Job::Forget(_) => (None, false),
    }
}

/// Someone who waits, and what to tell them once the transaction is on disk.
enum Reply {
    Commit {
        commit: Box<Commit>,
        /// With the places of its messages.
        done: Result<(Committed, Vec<u64>), StoreError>,
        answer: Answer<Committed>,
    },
    Asked {
        done: Result<bool, StoreError>,
        answer: Answer<bool>,
    },
    Counted {
        done: Result<u32, StoreError>,
        answer: Answer<u32>,
    },
    Told {
        done: Result<(), StoreError>,
        answer: Answer<()>,
    },
}

impl Reply {
    /// Tells them; `failed` is what became of the whole transaction. Whoever asked may have
    /// gone; the step stands all the same.
    fn send(self, failed: Option<&StoreError>, outboxes: &Outboxes) {
        match self {
            Self::Commit {
                commit,
                done,
                answer,
            } => {
                let done = match (failed, done) {
                    (Some(error), _) => Err(same(error)),
                    (None, Err(error)) => Err(error),
                    (None, Ok((committed, places))) => {
                        let Commit {
                            aggregate, outbox, ..
                        } = *commit;
                        let entries = places.into_iter().zip(outbox).collect();
                        outboxes.add(aggregate.service, aggregate.shard(), entries);
                        Ok(committed)
                    }
                };
                let _ = answer.send(done);
            }
            Self::Asked { done, answer } => {
                let _ = answer.send(failed.map_or(done, |error| Err(same(error))));
            }
            Self::Counted { done, answer } => {
                let _ = answer.send(failed.map_or(done, |error| Err(same(error))));
            }
            Self::Told { done, answer } => {
                let _ = answer.send(failed.map_or(done, |error| Err(same(error))));
            }
        }
    }
}

fn same(error: &StoreError) -> StoreError {
    match error {
        StoreError::Unavailable(why) => StoreError::Unavailable(why.clone()),
        StoreError::Corrupt { place, why } => StoreError::Corrupt {
            place: place.clone(),
            why: why.clone(),
        },
    }
}
