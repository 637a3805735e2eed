//! Sends and does what is to be sent and done, each exactly once as far as the platform lets us.

mod act;
mod say;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kit::logging::Told;
use onebot::Refusal;
use protocol::{AccountId, ChatGroup, MessageId, Refused, SendOutcome};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tracing::Instrument;

use crate::account::{Account, Job, Lane, Task};
use crate::bridge::Bridge;
use crate::history::History;
use crate::input::Input;
use crate::pace::{Haste, Pacer};
use crate::side::{AccountSide, Floor};

/// An unclear send is tried so many times at most, each after history has shown nothing of it.
const MOST_TRIES: u32 = 3;
/// Before a connection is tried again that has just turned out to be gone.
const RECHECK: Duration = Duration::from_millis(50);

/// Pauses in a group that refused because it is muted, or that the account is not in.
struct Pause {
    until: Instant,
    next: Duration,
}

/// Between two tries to read what there is to do while the store is away.
const STORE_PAUSE: Duration = Duration::from_millis(500);

/// Speaks for an account whenever we have its floor, until we stop.
pub(crate) async fn speak(bridge: Bridge, side: Arc<AccountSide>) {
    let shutdown = bridge.parts().shutdown.clone();
    let mut floor = side.floor.subscribe();
    while !shutdown.is_cancelled() {
        let turn = *floor.borrow_and_update();
        let speaking = async {
            if let Floor::Ours(_) = turn {
                let before = unfinished(&bridge, side.account).await;
                Sender::new(bridge.clone(), Arc::clone(&side), before)
                    .run()
                    .await;
            } else {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            // When others may have spoken, what we were about to say is theirs to say.
            changed = floor.changed() => if changed.is_err() { return },
            () = shutdown.cancelled(), if turn == Floor::NotOurs => return,
            () = speaking => {}
        }
    }
}

/// The first job of each lane when our turn begins: whoever spoke before may have tried it, and
/// nobody knows what came of it. Those behind it had to wait.
async fn unfinished(bridge: &Bridge, account: AccountId) -> HashSet<u64> {
    let shutdown = &bridge.parts().shutdown;
    loop {
        let read = async {
            bridge.refresh(account).await?;
            bridge.read(account, Account::first_jobs).await
        };
        match read.await {
            Ok(first) => return first,
            Err(error) => tracing::warn!(%account, %error, "cannot tell what was being sent"),
        }
        tokio::select! {
            () = sleep(STORE_PAUSE) => {}
            () = shutdown.cancelled() => return HashSet::new(),
        }
    }
}

/// The sender of one account. Cheap to clone.
#[derive(Clone)]
struct Sender(Arc<Inner>);

struct Inner {
    bridge: Bridge,
    side: Arc<AccountSide>,
    history: History,
    pacer: Pacer,
    pauses: Mutex<HashMap<ChatGroup, Pause>>,
    /// Jobs that whoever spoke before us may have tried.
    before: HashSet<u64>,
}

impl Sender {
    fn new(bridge: Bridge, side: Arc<AccountSide>, before: HashSet<u64>) -> Self {
        let settings = bridge.settings();
        let history = History::new(Arc::clone(&side), settings.limits);
        let pacer = Pacer::new(settings.pace(side.account));
        let pauses = Mutex::default();
        Self(Arc::new(Inner {
            bridge,
            side,
            history,
            pacer,
            pauses,
            before,
        }))
    }

    /// Works until we stop, or it is dropped: one task for each lane that has something to do.
    async fn run(self) {
        let shutdown = self.0.bridge.parts().shutdown.clone();
        let mut busy: HashSet<Lane> = HashSet::new();
        let mut tasks = JoinSet::new();
        let told = Told::default();
        loop {
            let account = self.0.side.account;
            let lanes = self
                .0
                .bridge
                .read(account, |state| {
                    let lanes = state
                        .jobs()
                        .map(|job| (job.task.lane(), job.task.is_urgent()));
                    lanes.collect::<Vec<_>>()
                })
                .await;
            match lanes {
                Ok(lanes) => {
                    for (lane, urgent) in lanes {
                        if let (true, Lane::Say(scene)) = (urgent, lane) {
                            self.0.pacer.hurry(scene);
                        }
                        if busy.insert(lane) {
                            tasks.spawn(self.clone().work(lane));
                        }
                    }
                }
                Err(error) => {
                    if told.is_new(&error.to_string()) {
                        tracing::warn!(%account, %error, "cannot tell what is to be sent");
                    }
                    self.0.side.work.notify_one();
                    sleep(STORE_PAUSE).await;
                }
            }
            tokio::select! {
                () = self.0.side.work.notified() => {}
                Some(done) = tasks.join_next() => {
                    // A lane whose task has panicked stays busy: going on would repeat it.
                    if let Ok(lane) = done {
                        busy.remove(&lane);
                    }
                }
                () = shutdown.cancelled() => break,
            }
        }
        while tasks.join_next().await.is_some() {}
    }

    /// Does what is in a lane, one after the other.
    async fn work(self, lane: Lane) -> Lane {
        let account = self.0.side.account;
        let shutdown = self.0.bridge.parts().shutdown.clone();
        loop {
            let job = self
                .0
                .bridge
                .read(account, |state| {
                    let haste = if state.is_urgent(lane) {
                        Haste::Urgent
                    } else {
                        Haste::Patient
                    };
                    state.next_job(lane).map(|job| (job.clone(), haste))
                })
                .await;
            let Ok(Some((job, haste))) = job else {
                return lane;
            };
            let id = MessageId(format!("outcome/{account}/{}", job.number));
            let span = tracing::info_span!(
                "send", service = "ingest", trace = job.trace, key = %account, %id
            );
            let outcome = tokio::select! {
                outcome = self.perform(&job, haste).instrument(span.clone()) => outcome,
                () = shutdown.cancelled() => return lane,
            };
            span.in_scope(|| self.report(&outcome));
            let input = Input::Outcome {
                job: job.number,
                outcome,
            };
            let bridge = &self.0.bridge;
            let trace = if job.trace.is_empty() {
                &id.0
            } else {
                &job.trace
            }
            .clone();
            let kept = bridge.commit_about(&trace, account, id, input).await;
            if kept.is_none() {
                return lane;
            }
        }
    }

    fn report(&self, outcome: &SendOutcome) {
        let account = self.0.side.account;
        let metrics = &self.0.bridge.parts().metrics;
        match outcome {
            SendOutcome::Done { .. } => {
                metrics.send("sent");
                tracing::debug!(%account, "sent");
            }
            SendOutcome::Refused { why, raw } => {
                metrics.send("refused");
                tracing::warn!(%account, ?why, raw, "chat side refused");
            }
            SendOutcome::Unknown { raw } => {
                metrics.send("unclear");
                tracing::warn!(%account, raw, "outcome unclear");
            }
        }
    }

    async fn perform(&self, job: &Job, haste: Haste) -> SendOutcome {
        tracing::debug!(job = job.number, "sending");
        match &job.task {
            Task::Send(send) => self.send(job, send, haste).await,
            Task::Act { act, .. } => self.act(act, haste).await,
            Task::Befriend { asked, .. } => self.befriend(asked, haste).await,
        }
    }

    /// Returns when something can be sent.
    async fn connected(&self) {
        let mut state = self.0.side.state.subscribe();
        // It fails only when the account's side is gone, which this task holds.
        let _ = state.wait_for(|state| state.can_speak()).await;
    }
}

fn refused(why: Refusal) -> Refused {
    match why {
        Refusal::NotReachable => Refused::NotReachable,
        Refusal::Muted => Refused::Muted,
        Refusal::Removed => Refused::Removed,
        Refusal::NoRight => Refused::NoRight,
        Refusal::StaleRequest => Refused::StaleRequest,
        Refusal::Unsupported => Refused::Unsupported,
        Refusal::Auth | Refusal::Other => Refused::Other,
    }
}
