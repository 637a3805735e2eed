//! The single writer of each aggregate: load, decide, commit.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::{Message, MessageId, Service, Shard, ToClock, Topic};
use store::{Commit, Committed, Deadline, StoreError};

use crate::aggregate::Aggregate;
use crate::cache::{Cache, Cached, Cell};
use crate::chain::{Chain, UnderWay};
use crate::journal::{Entry, FORMAT};
use crate::load::{load, name};
use crate::memory::Memory;
use crate::parts::Parts;

/// So many aggregates are kept in memory when they are not in use, as a rule.
const KEPT: usize = 1_024;
/// After losing so many races against another writer the input is given back.
const RACES: usize = 16;

/// What came of an input.
#[derive(Debug, Clone, PartialEq)]
pub struct Handled {
    /// The message had been handled before: nothing was changed.
    pub repeat: bool,
    /// The aggregate's version after the step that handled the message. An input that was
    /// ignored leaves the version as it was.
    pub version: u64,
    /// What the step said for the record; `None` for a repeat.
    pub log: Option<serde_json::Value>,
    /// The input changed nothing and was not committed.
    pub ignored: bool,
}

/// Why an input could not be handled.
#[derive(Debug, thiserror::Error)]
pub enum HandleError {
    /// The store did not answer. The step may have been taken: hand in the same message again.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The aggregate's code panicked. Nothing was committed.
    #[error("handling {message} for {aggregate} panicked: {what}")]
    Panicked {
        /// Whose code.
        aggregate: String,
        /// On which message.
        message: MessageId,
        /// The panic's message.
        what: String,
    },
}

/// Handles inputs of all aggregates of one kind, one at a time for each. Cheap to clone; clones
/// share the cache.
pub struct Writer<A: Aggregate>(Arc<Inner<A>>);

struct Inner<A: Aggregate> {
    parts: Parts,
    memory: Arc<Memory<A>>,
}

impl<A: Aggregate> Clone for Writer<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// A message that is being handled.
struct Task<'a, A: Aggregate> {
    key: &'a str,
    id: &'a MessageId,
    trace: &'a str,
    input: &'a A::Input,
}

/// What an aggregate has decided, ready to be committed.
struct Decided {
    entry: Vec<u8>,
    snapshot: Option<Vec<u8>>,
    deadlines: Option<Vec<Deadline>>,
    outbox: Vec<Message>,
    log: Option<serde_json::Value>,
    ignore: bool,
}

impl Decided {
    /// What clock is told, when deadlines change.
    fn nudge(&self) -> Option<ToClock> {
        let all = self.deadlines.as_ref()?;
        let next = all.iter().map(|deadline| deadline.at).min();
        Some(ToClock::Changed { next })
    }
}

/// What a decision has set going.
enum Begun {
    /// Nothing. It was decided on this version.
    Ignored {
        version: u64,
        chain: Chain,
        log: Option<serde_json::Value>,
    },
    Committing(Committing),
}

/// A step on its way to the store.
struct Committing {
    answer: BoxFuture<'static, Result<Committed, StoreError>>,
    under_way: UnderWay,
    began: Instant,
    log: Option<serde_json::Value>,
    has_messages: bool,
    nudge: Option<ToClock>,
}

impl<A: Aggregate> Writer<A> {
    /// A writer for the aggregates of `A`'s service. Make one and clone it.
    pub fn new(parts: Parts, env: Arc<A::Env>) -> Self {
        Self::keeping(KEPT, parts, env)
    }

    /// A writer that keeps so many aggregates in memory when they are not in use: for small ones
    /// that are many.
    pub fn keeping(kept: usize, parts: Parts, env: Arc<A::Env>) -> Self {
        let memory = Arc::new(Memory::new(Cache::new(kept), env));
        parts.memories.add(Arc::clone(&memory));
        Self(Arc::new(Inner { parts, memory }))
    }

    /// The parts it was made with.
    pub fn parts(&self) -> &Parts {
        &self.0.parts
    }

    /// This is the writer of its service's own aggregates, all of which are of this kind.
    pub(crate) fn serves(&self) {
        self.0.memory.look_after_all();
    }

    /// What surrounds the aggregates.
    pub fn env(&self) -> &A::Env {
        &self.0.memory.env
    }

    /// Has the aggregate `key` handle an input, and commits the step. `id` names the input: one
    /// that was handled before changes nothing. `trace` is handed on to what the step sends.
    ///
    /// On return the step is on disk. When the call is given up halfway, the step is taken
    /// whole or not at all.
    pub async fn handle(
        &self,
        key: &str,
        id: MessageId,
        trace: &str,
        input: A::Input,
    ) -> Result<Handled, HandleError> {
        let task = Task {
            key,
            id: &id,
            trace,
            input: &input,
        };
        let cell = self.0.memory.cache.cell(key);
        for _ in 0..RACES {
            let begun = self.begin(&task, &cell).await?;
            if let Some(handled) = self.finish(&task, begun).await? {
                return Ok(handled);
            }
        }
        let why = format!(
            "{RACES} races lost against another writer of {}/{key}",
            A::SERVICE
        );
        Err(StoreError::Unavailable(why).into())
    }

    /// As [`Self::handle`], for an input that may well have been handled before: the store is asked
    /// first. Without that a repeat is found out by taking the step again, and what is in memory
    /// has to be loaded anew.
    pub async fn handle_again(
        &self,
        key: &str,
        id: MessageId,
        trace: &str,
        input: A::Input,
    ) -> Result<Handled, HandleError> {
        let handled = self.parts().store.handled(&name::<A>(key), &id).await?;
        match handled {
            Some(version) => Ok(Handled {
                repeat: true,
                version,
                log: None,
                ignored: false,
            }),
            None => self.handle(key, id, trace, input).await,
        }
    }

    /// Looks at the aggregate as it is after the last commit; a new one when there is none. It is
    /// looked at again when a step that had not been on disk was not taken.
    pub async fn read<R: Send>(
        &self,
        key: &str,
        mut look: impl FnMut(&A) -> R + Send,
    ) -> Result<R, StoreError> {
        let cell = self.0.memory.cache.cell(key);
        loop {
            let (seen, version, chain) = {
                let mut cached = cell.lock().await;
                let current = self.current(key, &mut cached).await?;
                let current = cached.insert(current);
                (look(&current.state), current.version, current.chain.clone())
            };
            // Nobody may act on a step that might not be taken.
            if chain.kept(version).await {
                return Ok(seen);
            }
        }
    }

    /// As [`Self::read`], without waiting for the disk: it may show steps that are not taken in the
    /// end. For looks that only prepare an input of the same aggregate, never for what is told to
    /// anybody or done outside.
    pub async fn peek<R: Send>(
        &self,
        key: &str,
        look: impl FnOnce(&A) -> R + Send,
    ) -> Result<R, StoreError> {
        let cell = self.0.memory.cache.cell(key);
        let mut cached = cell.lock().await;
        let current = self.current(key, &mut cached).await?;
        Ok(look(&cached.insert(current).state))
    }

    /// Sees to it that the next look is not at an old state when another process has taken steps
    /// since. Answers whether there may be something new.
    pub async fn refresh(&self, key: &str) -> Result<bool, StoreError> {
        let stored = self.parts().store.version(&name::<A>(key)).await?;
        let cell = self.0.memory.cache.cell(key);
        let mut cached = cell.lock().await;
        let known = cached.as_ref().is_some_and(|c| c.version >= stored);
        if !known {
            *cached = None;
        }
        Ok(!known)
    }

    /// Takes the state out of its cell, or loads it. Whatever goes wrong with it then, a
    /// half-changed state is not kept.
    async fn current(
        &self,
        key: &str,
        cached: &mut Option<Cached<A>>,
    ) -> Result<Cached<A>, StoreError> {
        match cached.take().filter(|known| !known.chain.is_broken()) {
            Some(current) => Ok(current),
            None => load(&*self.parts().store, self.env(), key).await,
        }
    }

    /// Decides a step and sets it on its way; the next one may be decided from then on.
    async fn begin(&self, task: &Task<'_, A>, cell: &Cell<A>) -> Result<Begun, HandleError> {
        let mut cached = cell.lock().await;
        let mut current = self.current(task.key, &mut cached).await?;
        let decided = self.decide(task, &mut current)?;
        if decided.ignore {
            let ignored = Begun::Ignored {
                version: current.version,
                chain: current.chain.clone(),
                log: decided.log,
            };
            *cached = Some(current);
            return Ok(ignored);
        }
        let nudge = decided.nudge();
        let has_messages = !decided.outbox.is_empty();
        let version = current.version + 1;
        let commit = Commit {
            aggregate: name::<A>(task.key),
            expected: current.version,
            after: current.last.replace(task.id.clone()),
            message: task.id.clone(),
            entry: decided.entry,
            snapshot: decided.snapshot,
            deadlines: decided.deadlines,
            outbox: decided.outbox,
        };
        if commit.snapshot.is_some() {
            current.snapshot_at = version;
        }
        current.version = version;
        let under_way = current.chain.step();
        let store = Arc::clone(&self.parts().store);
        let began = Instant::now();
        let mut commit = async move { store.commit(commit).await }.boxed();
        // Handed over before the next one can be: the store takes them in this order.
        let answer = match futures::poll!(&mut commit) {
            Poll::Ready(answer) => std::future::ready(answer).boxed(),
            Poll::Pending => commit,
        };
        *cached = Some(current);
        Ok(Begun::Committing(Committing {
            answer,
            under_way,
            began,
            log: decided.log,
            has_messages,
            nudge,
        }))
    }

    /// Waits for what comes of a step; nothing when it was decided on a state that was stale, and
    /// has to be decided again.
    async fn finish(
        &self,
        task: &Task<'_, A>,
        begun: Begun,
    ) -> Result<Option<Handled>, HandleError> {
        let handled = |repeat, version, log| Handled {
            repeat,
            version,
            log,
            ignored: false,
        };
        let step = match begun {
            Begun::Ignored {
                version,
                chain,
                log,
            } => {
                // Was it left out on the word of a state that another process has since moved
                // on? No commit would tell.
                if !chain.kept(version).await || self.refresh(task.key).await? {
                    return Ok(None);
                }
                return Ok(Some(Handled {
                    ignored: true,
                    ..handled(false, version, log)
                }));
            }
            Begun::Committing(step) => step,
        };
        let committed = step.answer.await;
        let metrics = &self.parts().metrics;
        metrics.commit_took(A::SERVICE, step.began.elapsed());
        let untaken = matches!(committed, Ok(Committed::Repeat(_) | Committed::Conflict(_)));
        if step.has_messages && !untaken {
            // Also after an error: the step may have been taken.
            self.parts().outboxes.ring(A::SERVICE, Shard::of(task.key));
        }
        match committed? {
            Committed::Done(version) => {
                step.under_way.kept_at(version);
                if let Some(nudge) = step.nudge {
                    self.nudge_clock(task, &nudge).await;
                }
                Ok(Some(handled(false, version, step.log)))
            }
            // The state in memory has handled the message a second time: it is not the stored one.
            Committed::Repeat(version) => Ok(Some(handled(true, version, None))),
            Committed::Conflict(_) => Ok(None),
        }
    }

    fn decide(&self, task: &Task<'_, A>, current: &mut Cached<A>) -> Result<Decided, HandleError> {
        let version = current.version + 1;
        let snapshot_is_due = version - current.snapshot_at >= A::SNAPSHOT_EVERY;
        let decide = || {
            current.state.about(task.trace);
            let effects = current.state.handle(self.env(), task.input);
            let entry = Entry {
                format: FORMAT,
                id: task.id.clone(),
                trace: task.trace.to_owned(),
                input: task.input,
                log: effects.log.clone(),
            };
            let take_snapshot = !effects.ignore && (effects.snapshot || snapshot_is_due);
            Decided {
                entry: serde_json::to_vec(&entry).expect("protocol types always serialize"),
                snapshot: take_snapshot.then(|| current.state.save()),
                deadlines: effects.deadlines,
                outbox: (0..)
                    .zip(effects.out)
                    .map(|(n, out)| out.message(A::SERVICE, task.key, version, n, task.trace))
                    .collect(),
                log: effects.log,
                ignore: effects.ignore,
            }
        };
        // The state that a panic leaves behind is dropped with `current`.
        catch_unwind(AssertUnwindSafe(decide)).map_err(|panic| HandleError::Panicked {
            aggregate: format!("{}/{}", A::SERVICE, task.key),
            message: task.id.clone(),
            what: panic_text(&*panic),
        })
    }

    /// Tells the clock that deadlines have changed. May be lost: the clock also looks by itself.
    async fn nudge_clock(&self, task: &Task<'_, A>, nudge: &ToClock) {
        let Ok(body) = serde_json::to_string(nudge) else {
            return;
        };
        let message = Message {
            id: MessageId(format!("nudge/{}", task.id)),
            trace: task.trace.to_owned(),
            to: Topic {
                service: Service::Clock,
                shard: Shard::of(task.key),
            },
            key: String::new(),
            body,
        };
        if let Err(error) = self.parts().bus.publish_transient(vec![message]).await {
            tracing::debug!(%error, "the clock was not nudged");
        }
    }
}

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "(no text)".to_owned())
}
