//! Events other than lines.

use onebot::{Departure, Event, EventKind, Meta, Notice, Request};
use protocol::{ChatGroup, MessageRef, Refused, Scene, UserId};

use super::{Listener, Next};
use crate::account::GroupUse;
use crate::input::{FriendAsked, FriendDoor, Input, News, friend_id, news_id, recalled_id, scene};
use crate::side::SideState;

impl Listener {
    pub(super) async fn take(&mut self, event: Event) -> Next {
        let time = event.time;
        if !matches!(event.kind, EventKind::Meta(_)) {
            self.presence.heard();
        }
        match event.kind {
            EventKind::Message(message) => self.message(&message).await,
            EventKind::Notice(notice) => self.notice(notice, time).await,
            EventKind::Request(Request::Join {
                group, user, flag, ..
            }) => {
                self.news(
                    group,
                    News::Asked {
                        user: UserId(user),
                        flag,
                    },
                    time,
                )
                .await;
            }
            EventKind::Request(Request::Friend { user, flag }) => {
                let user = UserId(user);
                let door = FriendDoor::Usual;
                self.friend_asked(FriendAsked { user, flag, door }).await;
            }
            EventKind::Meta(Meta::Heartbeat { online }) => return self.says_online(online),
            EventKind::Request(_) | EventKind::Meta(_) | EventKind::Unknown => {}
        }
        Next::GoOn
    }

    pub(super) async fn notice(&mut self, notice: Notice, time: i64) {
        let bot = self.side.account.0;
        match notice {
            Notice::Joined { group, user } if user == bot => {
                self.news(group, News::Standing(None), time).await;
            }
            Notice::Joined { group, user } => {
                self.news(group, News::Joined(UserId(user)), time).await;
            }
            Notice::Left {
                group,
                how: Departure::Lost,
                ..
            } => {
                tracing::warn!(account = bot, group, "the account is no longer in a group");
                self.news(group, News::Standing(Some(Refused::Removed)), time)
                    .await;
            }
            Notice::Left { group, user, .. } => {
                self.news(group, News::Left(UserId(user)), time).await;
            }
            Notice::Mute {
                group,
                user: Some(user),
                muted,
                ..
            } if user == bot => {
                let trouble = muted.then_some(Refused::Muted);
                self.news(group, News::Standing(trouble), time).await;
            }
            Notice::Recalled { chat, message } => self.recalled(scene(chat), &message).await,
            Notice::BotOffline { reason } => {
                tracing::error!(
                    account = bot,
                    reason,
                    "the platform has put the account offline"
                );
                self.is_out(SideState::Offline);
            }
            Notice::Mute { .. }
            | Notice::Admin { .. }
            | Notice::Friend { .. }
            | Notice::Other { .. } => {}
        }
    }

    /// The side says whether the account is online.
    pub(super) fn says_online(&mut self, online: Option<bool>) -> Next {
        let offline = *self.side.state.borrow() == SideState::Offline;
        match online {
            Some(false) if !offline => {
                tracing::error!(account = %self.side.account, "chat side says that it is offline");
                self.is_out(SideState::Offline);
                Next::GoOn
            }
            Some(true) if offline => {
                self.side.state.send_replace(SideState::CatchingUp);
                Next::CatchUp
            }
            _ => Next::GoOn,
        }
    }

    pub(super) async fn recalled(&self, place: Scene, message: &onebot::Id) {
        if !self.is_of_interest(place).await || matches!(place, Scene::Private(_)) {
            return;
        }
        let message = MessageRef(message.to_string());
        let id = recalled_id(self.side.account, place, &message);
        self.commit(
            id,
            Input::Recalled {
                scene: place,
                message,
            },
        )
        .await;
    }

    pub(super) async fn friend_asked(&self, asked: FriendAsked) {
        let account = self.side.account;
        let id = friend_id(account, &asked);
        let input = Input::FriendAsked(asked);
        let handled = self.bridge.commit(account, id, input).await;
        if handled.is_some_and(|handled| handled.ignored) {
            tracing::info!(%account, "a request to be a friend is left unanswered");
        }
    }

    /// Hands on news of a group that is ours in some way.
    pub(super) async fn news(&self, group: u64, news: News, time: i64) {
        let group = ChatGroup(group);
        let in_pool = self
            .bridge
            .settings()
            .people(self.side.account)
            .pool
            .contains(&group);
        if in_pool || self.use_of(group).await != GroupUse::Stranger {
            let id = news_id(self.side.account, group, &news, time);
            self.commit(id, Input::News { group, news }).await;
        }
    }
}
