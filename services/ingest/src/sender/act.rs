//! Doing something that is no message.

use onebot::{Action, Outcome, Refusal};
use protocol::{ChatGroup, PlatformAct, SendOutcome};
use serde_json::Value;
use tokio::time::sleep;

use super::{MOST_TRIES, RECHECK, Sender, refused};
use crate::input::{FriendAsked, FriendDoor, Input, news_id};
use crate::listener::members;
use crate::pace::Haste;
use crate::side::Called;

impl Sender {
    pub(super) async fn act(&self, act: &PlatformAct, haste: Haste) -> SendOutcome {
        let (outcome, data) = self.insist(&act_action(act), haste).await;
        if let (PlatformAct::ListMembers { group }, Some(data)) = (act, &data) {
            self.members(*group, data).await;
        }
        outcome
    }

    pub(super) async fn befriend(&self, asked: &FriendAsked, haste: Haste) -> SendOutcome {
        let flag = asked.flag.clone();
        let action = match asked.door {
            FriendDoor::Usual => Action::AcceptFriend { flag },
            FriendDoor::Doubtful => Action::AcceptDoubtfulFriend { flag },
        };
        self.insist(&action, haste).await.0
    }

    /// What is done is idempotent on the platform: unclear ones are done again. Also gives what
    /// came with the answer.
    async fn insist(&self, action: &Action, haste: Haste) -> (SendOutcome, Option<Value>) {
        let limits = self.0.bridge.settings().limits;
        let settle = self.0.bridge.settings().settle(self.0.side.account);
        let mut unclear = String::new();
        for _ in 0..MOST_TRIES {
            let called = loop {
                self.connected().await;
                self.0.pacer.turn(None, haste).await;
                match self.0.side.call(action, limits.call).await {
                    Called::NotSent => sleep(RECHECK).await,
                    called => break called,
                }
            };
            match called {
                Called::Answered(Outcome::Done(data)) => {
                    return (SendOutcome::Done { message: None }, Some(data));
                }
                // After an unclear try the request is gone because that try has reached it.
                Called::Answered(Outcome::Refused {
                    why: Refusal::StaleRequest,
                    raw,
                }) if !unclear.is_empty() => {
                    let raw = format!("{unclear}; then {raw}");
                    return (SendOutcome::Unknown { raw }, None);
                }
                Called::Answered(Outcome::Refused { why, raw }) => {
                    let why = refused(why);
                    return (SendOutcome::Refused { why, raw }, None);
                }
                Called::Answered(Outcome::Unknown { raw }) => unclear = raw,
                Called::NoAnswer => unclear = "no answer in time".into(),
                Called::Lost | Called::NotSent => unclear = "connection lost".into(),
            }
            sleep(settle).await;
        }
        (SendOutcome::Unknown { raw: unclear }, None)
    }

    pub(super) async fn members(&self, group: ChatGroup, data: &Value) {
        let account = self.0.side.account;
        let news = members(data, account);
        let now = self.0.bridge.parts().clock.now();
        let id = news_id(account, group, &news, now.0);
        self.0
            .bridge
            .commit(account, id, Input::News { group, news })
            .await;
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
