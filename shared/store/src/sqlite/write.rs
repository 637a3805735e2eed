//! The thread that writes.

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use protocol::{Service, Shard};
use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;

use super::{step, store_error};
use crate::{Commit, Committed, StoreError};

/// How many jobs share a transaction at most: bounds how long one waits for the others.
const BATCH: usize = 256;
/// After so long without a job the log is folded into the database.
const IDLE: Duration = Duration::from_millis(500);
/// The log is folded in without waiting for quiet when it has grown by so many batches.
const BATCHES_BEFORE_FOLDING: u32 = 2_000;

pub(super) type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the thread is asked to do.
pub(super) enum Job {
    /// Take a step.
    Commit(Box<Commit>, Answer<Committed>),
    /// Forget outbox entries.
    Sent {
        service: Service,
        shard: Shard,
        places: Vec<u64>,
        answer: Answer<()>,
    },
    /// Show that writing works.
    Pulse(Answer<()>),
}

/// Handle of the thread. Dropping it finishes what was asked for and closes the database.
pub(super) struct WriteThread {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

impl WriteThread {
    pub(super) fn start(connection: Connection) -> io::Result<Self> {
        let (jobs, inbox) = channel();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || run(connection, &inbox))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    /// Hands the thread a job and waits for its answer.
    pub(super) async fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<T, StoreError> {
        let gone = || StoreError::Unavailable("the store's writer gave no answer".to_owned());
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(job(answer)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
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

fn run(mut connection: Connection, inbox: &Receiver<Job>) {
    let mut unfolded = 0;
    loop {
        let first = if unfolded == 0 {
            inbox.recv().map_err(|_| RecvTimeoutError::Disconnected)
        } else {
            inbox.recv_timeout(IDLE)
        };
        match first {
            Ok(first) => {
                let mut batch = vec![first];
                batch.extend(inbox.try_iter().take(BATCH - 1));
                write(&mut connection, batch);
                unfolded += 1;
                if unfolded >= BATCHES_BEFORE_FOLDING {
                    fold(&connection);
                    unfolded = 0;
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                fold(&connection);
                unfolded = 0;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    if let Err((_, error)) = connection.close() {
        tracing::error!(%error, "the store's database did not close well");
    }
}

/// Folds the log into the database as far as readers allow.
fn fold(connection: &Connection) {
    let folded = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", (), |_| Ok(()));
    if let Err(error) = folded {
        tracing::warn!(%error, "the store's log could not be folded in; trying again later");
    }
}

/// Someone who waits, and what to tell them once the transaction is on disk.
type Reply = Box<dyn FnOnce(Option<&StoreError>)>;

fn reply<T: 'static>(answer: Answer<T>, result: Result<T, StoreError>) -> Reply {
    Box::new(move |failed| {
        let result = match failed {
            Some(error) => Err(same(error)),
            None => result,
        };
        // Whoever asked may have gone; the step stands all the same.
        let _ = answer.send(result);
    })
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

/// Does all jobs in one transaction, each under a savepoint of its own so that one that fails
/// undoes nothing of the others, and answers when all of it is on disk.
fn write(connection: &mut Connection, batch: Vec<Job>) {
    let mut replies = Vec::with_capacity(batch.len());
    let written = write_batch(connection, batch, &mut replies);
    let failed = written.err().map(|error| {
        tracing::error!(%error, "a transaction failed");
        store_error(&error)
    });
    for reply in replies {
        reply(failed.as_ref());
    }
}

fn write_batch(
    connection: &mut Connection,
    batch: Vec<Job>,
    replies: &mut Vec<Reply>,
) -> rusqlite::Result<()> {
    // Forgetting what was sent need not be on disk at once: forgotten again after a crash, it
    // is sent again and recognised as a repeat. It shares the flush of a commit, or has none.
    let flush = batch.iter().any(|job| matches!(job, Job::Commit(..)));
    connection.pragma_update(None, "synchronous", if flush { "FULL" } else { "NORMAL" })?;
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for job in batch {
        let mut savepoint = transaction.savepoint()?;
        let (reply, keep) = match job {
            Job::Commit(commit, answer) => {
                let done = step::commit(&savepoint, &commit).map_err(|e| store_error(&e));
                let keep = matches!(done, Ok(Committed::Done(_)));
                (reply(answer, done), keep)
            }
            Job::Sent {
                service,
                shard,
                places,
                answer,
            } => {
                let done = step::sent(&savepoint, service, shard, &places);
                let keep = done.is_ok();
                (reply(answer, done.map_err(|e| store_error(&e))), keep)
            }
            Job::Pulse(answer) => {
                let done = step::pulse(&savepoint);
                let keep = done.is_ok();
                (reply(answer, done.map_err(|e| store_error(&e))), keep)
            }
        };
        replies.push(reply);
        if keep {
            savepoint.commit()?;
        } else {
            savepoint.rollback()?;
            savepoint.commit()?;
        }
    }
    transaction.commit()
}
