//! Sends and does what is to be sent and done, each exactly once as far as the platform lets us.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use onebot::{Action, Outcome, Refusal};
use protocol::{
    ChatGroup, MessageId, MessageRef, Phrase, PlatformAct, Refused, Scene, Send, SendOutcome,
    UserId,
};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::account::{Job, Lane, Task};
use crate::bridge::Bridge;
use crate::history::{History, HistoryError};
use crate::input::{Input, chat, news_id};
use crate::listener::members;
use crate::pace::Pacer;
use crate::side::{AccountSide, Called};
use crate::verify;

/// An unclear send is tried so many times at most, each after history has shown nothing of it.
const MOST_TRIES: u32 = 3;
/// The longest pause after refusals in a muted group, in first pauses.
const MOST_MUTED: u32 = 20;
/// Before a connection is tried again that has just turned out to be gone.
const RECHECK: Duration = Duration::from_millis(50);

/// What history says about an unclear send.
enum Verdict {
    Sent(MessageRef),
    NotSent,
    Unavailable(String),
    /// The connection was lost meanwhile.
    Lost,
}

/// Pauses in a group that refused because it is muted, or that the account is not in.
struct Pause {
    until: Instant,
    next: Duration,
}

/// The sender of one account. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Sender(Arc<Inner>);

struct Inner {
    bridge: Bridge,
    side: Arc<AccountSide>,
    history: History,
    pacer: Pacer,
    pauses: Mutex<HashMap<ChatGroup, Pause>>,
    /// Jobs up to this one may have been tried by an earlier process.
    before: u64,
}

impl Sender {
    pub(crate) fn new(bridge: Bridge, side: Arc<AccountSide>, before: u64) -> Self {
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

    /// Works until we stop: one task for each lane that has something to do.
    pub(crate) async fn run(self) {
        let shutdown = self.0.bridge.parts().shutdown.clone();
        let mut busy: HashSet<Lane> = HashSet::new();
        let mut tasks = JoinSet::new();
        loop {
            let account = self.0.side.account;
            let lanes = self
                .0
                .bridge
                .read(account, |state| {
                    state.jobs().map(|job| job.task.lane()).collect::<Vec<_>>()
                })
                .await;
            match lanes {
                Ok(lanes) => {
                    for lane in lanes {
                        if busy.insert(lane) {
                            tasks.spawn(self.clone().work(lane));
                        }
                    }
                }
                Err(error) => {
                    tracing::warn!(%account, %error, "cannot tell what is to be sent");
                    self.0.side.work.notify_one();
                    sleep(Duration::from_millis(500)).await;
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
                .read(account, |state| state.next_job(lane).cloned())
                .await;
            let Ok(Some(job)) = job else { return lane };
            let outcome = tokio::select! {
                outcome = self.perform(&job) => outcome,
                () = shutdown.cancelled() => return lane,
            };
            self.report(&outcome);
            let id = MessageId(format!("outcome/{account}/{}", job.number));
            let input = Input::Outcome {
                job: job.number,
                outcome,
            };
            if self.0.bridge.commit(account, id, input).await.is_none() {
                return lane;
            }
        }
    }

    fn report(&self, outcome: &SendOutcome) {
        let account = self.0.side.account;
        let metrics = &self.0.bridge.parts().metrics;
        match outcome {
            SendOutcome::Done { .. } => metrics.send("sent"),
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

    async fn perform(&self, job: &Job) -> SendOutcome {
        match &job.task {
            Task::Send(send) => self.send(job, send).await,
            Task::Act { act, .. } => self.act(act).await,
        }
    }

    async fn send(&self, job: &Job, send: &Send) -> SendOutcome {
        let limits = self.0.bridge.settings().limits;
        let mut unclear = (job.number <= self.0.before).then(|| "process stopped".to_owned());
        let mut mark = None;
        let mut tries = 0;
        loop {
            self.connected().await;
            if let Some(raw) = &unclear {
                match self.look(job, send).await {
                    Verdict::Sent(message) => {
                        return SendOutcome::Done {
                            message: Some(message),
                        };
                    }
                    Verdict::Lost => continue,
                    Verdict::NotSent if tries < MOST_TRIES => unclear = None,
                    Verdict::Unavailable(_) if may_repeat(send, mark.as_ref()) => {
                        mark = Some(self.mark());
                        unclear = None;
                    }
                    Verdict::NotSent => return SendOutcome::Unknown { raw: raw.clone() },
                    Verdict::Unavailable(why) => {
                        return SendOutcome::Unknown {
                            raw: format!("{raw}; history: {why}"),
                        };
                    }
                }
                continue;
            }
            self.wait_for_group(send.scene).await;
            self.0.pacer.turn(send.scene).await;
            let action = action(send, mark.as_deref());
            match self.0.side.call(&action, limits.call).await {
                Called::NotSent => sleep(RECHECK).await,
                Called::Answered(Outcome::Done(data)) => {
                    self.said(send.scene, onebot::data::sent_message(&data).as_ref());
                    let message = onebot::data::sent_message(&data);
                    return SendOutcome::Done {
                        message: message.map(|id| MessageRef(id.to_string())),
                    };
                }
                Called::Answered(Outcome::Refused { why, raw }) => {
                    self.note_refusal(send.scene, why);
                    return SendOutcome::Refused {
                        why: refused(why),
                        raw,
                    };
                }
                Called::Answered(Outcome::Unknown { raw }) => unclear = Some(raw),
                Called::NoAnswer => unclear = Some("no answer in time".into()),
                Called::Lost => unclear = Some("connection lost".into()),
            }
            tries += u32::from(unclear.is_some());
        }
    }

    /// Looks into history for a send whose outcome is unclear; twice when it is not there, for
    /// it may still be on its way.
    async fn look(&self, job: &Job, send: &Send) -> Verdict {
        let account = self.0.side.account;
        for _ in 0..2 {
            sleep(self.0.bridge.settings().limits.settle).await;
            let history = match self.0.history.since(chat(send.scene), &job.after).await {
                Ok(history) => history,
                Err(HistoryError::Lost) => return Verdict::Lost,
                Err(HistoryError::Unavailable(why)) => return Verdict::Unavailable(why),
            };
            let others = self
                .0
                .bridge
                .read(account, |state| state.said(send.scene))
                .await;
            let Ok(others) = others else {
                return Verdict::Lost;
            };
            if let Some(message) = verify::find(send, &job.after, &others, &history) {
                return Verdict::Sent(message);
            }
        }
        Verdict::NotSent
    }

    /// What is done is idempotent on the platform: unclear ones are done again.
    async fn act(&self, act: &PlatformAct) -> SendOutcome {
        let limits = self.0.bridge.settings().limits;
        let mut unclear = String::new();
        for _ in 0..MOST_TRIES {
            let called = loop {
                self.connected().await;
                match self.0.side.call(&act_action(act), limits.call).await {
                    Called::NotSent => sleep(RECHECK).await,
                    called => break called,
                }
            };
            match called {
                Called::Answered(Outcome::Done(data)) => {
                    if let PlatformAct::ListMembers { group } = act {
                        self.members(*group, &data).await;
                    }
                    return SendOutcome::Done { message: None };
                }
                // After an unclear try the request is gone because that try has reached it.
                Called::Answered(Outcome::Refused {
                    why: Refusal::StaleRequest,
                    raw,
                }) if !unclear.is_empty() => {
                    return SendOutcome::Unknown {
                        raw: format!("{unclear}; then {raw}"),
                    };
                }
                Called::Answered(Outcome::Refused { why, raw }) => {
                    return SendOutcome::Refused {
                        why: refused(why),
                        raw,
                    };
                }
                Called::Answered(Outcome::Unknown { raw }) => unclear = raw,
                Called::NoAnswer => unclear = "no answer in time".into(),
                Called::Lost | Called::NotSent => unclear = "connection lost".into(),
            }
            sleep(limits.settle).await;
        }
        SendOutcome::Unknown { raw: unclear }
    }

    async fn members(&self, group: ChatGroup, data: &serde_json::Value) {
        let account = self.0.side.account;
        let news = members(data, account);
        let now = self.0.bridge.parts().clock.now();
        let id = news_id(account, group, &news, now.0);
        self.0
            .bridge
            .commit(account, id, Input::News { group, news })
            .await;
    }

    fn said(&self, scene: Scene, message: Option<&onebot::Id>) {
        self.0.side.spoke(scene);
        if let Some(id) = message {
            let bot = UserId(self.0.side.account.0);
            self.0
                .side
                .authors
                .note(scene, &MessageRef(id.to_string()), bot);
        }
        if let Scene::Group(group) = scene {
            self.pauses().remove(&group);
        }
    }

    /// Returns when something can be sent.
    async fn connected(&self) {
        let mut state = self.0.side.state.subscribe();
        // It fails only when the account's side is gone, which this task holds.
        let _ = state.wait_for(|state| state.can_speak()).await;
    }

    async fn wait_for_group(&self, scene: Scene) {
        let Scene::Group(group) = scene else { return };
        let until = self.pauses().get(&group).map(|pause| pause.until);
        if let Some(until) = until {
            sleep_until(until).await;
        }
    }

    /// Sending on into a muted group endangers the account.
    fn note_refusal(&self, scene: Scene, why: Refusal) {
        let (Scene::Group(group), Refusal::Muted | Refusal::Removed) = (scene, why) else {
            return;
        };
        let first = self.0.bridge.settings().limits.muted;
        let mut pauses = self.pauses();
        let pause = pauses.entry(group).or_insert(Pause {
            until: Instant::now(),
            next: first,
        });
        pause.until = Instant::now() + pause.next;
        pause.next = (pause.next * 2).min(first * MOST_MUTED);
    }

    fn pauses(&self) -> MutexGuard<'_, HashMap<ChatGroup, Pause>> {
        self.0.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What marks a text as one that is sent again.
    fn mark(&self) -> String {
        let word = self
            .0
            .bridge
            .settings()
            .texts
            .render(&Phrase::plain("publish/repeat"));
        verify::mark(&word.unwrap_or_else(|_| "重发".into()))
    }
}

/// May a send whose outcome nobody can tell be sent once more, marked? A private one may: its
/// reader knows what to make of it. A public one waits for the director.
fn may_repeat(send: &Send, mark: Option<&String>) -> bool {
    matches!(send.scene, Scene::Private(_)) && mark.is_none()
}

fn action(send: &Send, mark: Option<&str>) -> Action {
    let message = verify::message(send, mark);
    match send.scene {
        Scene::Private(user) => Action::SendPrivate {
            user: user.0,
            message,
        },
        Scene::Group(group) => Action::SendGroup {
            group: group.0,
            message,
        },
    }
}

fn act_action(act: &PlatformAct) -> Action {
    match act.clone() {
        PlatformAct::Rename { group, name } => Action::Rename {
            group: group.0,
            name,
        },
        PlatformAct::Card { group, user, card } => Action::Card {
            group: group.0,
            user: user.0,
            card,
        },
        PlatformAct::Answer {
            flag,
            approve,
            reason,
            ..
        } => Action::AnswerJoin {
            flag,
            approve,
            reason,
        },
        PlatformAct::Kick { group, user } => Action::Kick {
            group: group.0,
            user: user.0,
        },
        PlatformAct::Mute {
            group,
            user,
            seconds,
        } => Action::Mute {
            group: group.0,
            user: user.0,
            seconds,
        },
        PlatformAct::ListMembers { group } => Action::Members { group: group.0 },
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
