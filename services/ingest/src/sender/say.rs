//! Saying something: one send, however unclear its tries are.

use std::collections::HashMap;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use onebot::{Action, Outcome, Refusal};
use protocol::{ChatGroup, MessageRef, Scene, Send, SendOutcome, UserId};
use tokio::time::{Instant, sleep, sleep_until};

use super::{MOST_TRIES, Pause, RECHECK, Sender, refused};
use crate::account::Job;
use crate::history::HistoryError;
use crate::input::chat;
use crate::pace::Haste;
use crate::side::Called;
use crate::verify;

/// The longest pause after refusals in a muted group, in first pauses.
const MOST_MUTED: u32 = 20;

/// What history says about an unclear send.
enum Verdict {
    Sent(MessageRef),
    NotSent,
    Unavailable(String),
    /// The connection was lost meanwhile.
    Lost,
}

impl Sender {
    pub(super) async fn send(&self, job: &Job, send: &Send, haste: Haste) -> SendOutcome {
        let limits = self.0.bridge.settings().limits;
        let mut unclear = self
            .0
            .before
            .contains(&job.number)
            .then(|| "process stopped".to_owned());
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
            self.0.pacer.turn(Some(send.scene), haste).await;
            let action = action(send);
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

    /// Looks into history for a send whose outcome is unclear; twice more when it is not there,
    /// for it may still be on its way.
    async fn look(&self, job: &Job, send: &Send) -> Verdict {
        let account = self.0.side.account;
        let settle = self.0.bridge.settings().settle(account);
        for pause in [Duration::ZERO, settle, settle] {
            sleep(pause).await;
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
}

fn action(send: &Send) -> Action {
    let message = verify::message(send);
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
