//! What was missed while the account was away.

use onebot::{Action, Outcome};
use protocol::{AccountId, Scene, UserId};

use super::unread::Unread;
use super::{Interrupted, Listener, Lost};
use crate::account::After;
use crate::bridge::Novelty;
use crate::history::HistoryError;
use crate::input::{FriendAsked, FriendDoor, Input, News, chat};
use crate::side::{Called, SideState};

impl Listener {
    /// Reads all that was missed. Only then may live events be taken: a scene is read from its
    /// last line on.
    pub(super) async fn catch_up(&mut self) -> Result<(), Interrupted> {
        let account = self.side.account;
        self.sessions += 1;
        self.watermark.interrupt();
        let at = self.bridge.parts().clock.now();
        self.commit_own("back", Input::Back { at }).await;
        let scenes = match self.bridge.read(account, crate::Account::to_catch_up).await {
            Ok(scenes) => scenes,
            Err(error) => {
                tracing::error!(%account, %error, "cannot tell what was missed");
                Vec::new()
            }
        };
        let mut unread = Unread::all(scenes.iter().map(|(scene, _)| *scene));
        if !self.introduce().await {
            tracing::error!(%account, "chat side does not answer; it is cut off");
            self.side.cut_off();
            return Err(Interrupted(unread));
        }
        for (place, after) in scenes {
            match self.read_missed(place, &after).await {
                Ok(_) => {}
                Err(HistoryError::Lost) => return Err(Interrupted(unread)),
                Err(HistoryError::Unavailable(why)) => {
                    tracing::warn!(%account, %why, "a chat's history cannot be read");
                }
            }
            unread.has_read(place);
        }
        if let Err(Lost) = self.read_strangers(&mut unread).await {
            return Err(Interrupted(unread));
        }
        let interrupted = |Lost| Interrupted(Unread::nothing());
        self.read_requests().await.map_err(interrupted)?;
        self.read_friend_requests().await.map_err(interrupted)?;
        self.read_members().await.map_err(interrupted)?;
        self.commit_own("caught-up", Input::CaughtUp).await;
        self.side.state.send_replace(SideState::Ready);
        tracing::info!(%account, "caught up with chat");
        self.tell_of_absence().await;
        Ok(())
    }

    /// Learns which program and which account the side has; false when it does not answer.
    async fn introduce(&self) -> bool {
        let account = self.side.account;
        let patience = self.bridge.settings().limits.call;
        let version = self.side.call(&Action::GetVersion, patience).await;
        if let Called::Answered(Outcome::Done(data)) = &version {
            let version = onebot::data::version(data);
            tracing::info!(%account, program = version.app_name, version = version.app_version, "chat side");
        }
        let login = self.side.call(&Action::GetLogin, patience).await;
        if let Called::Answered(Outcome::Done(data)) = &login
            && let Some(login) = onebot::data::login(data)
            && login.user != account.0
        {
            tracing::error!(%account, login = login.user, "chat side is logged in with another account");
        }
        (version, login) != (Called::NoAnswer, Called::NoAnswer)
    }

    /// Asks for something that not every side has; `None`: this one does not, or not now.
    pub(super) async fn try_ask(&self, action: &Action) -> Result<Option<serde_json::Value>, Lost> {
        let patience = self.bridge.settings().limits.call;
        match self.side.call(action, patience).await {
            Called::Answered(Outcome::Done(data)) => Ok(Some(data)),
            Called::Answered(_) | Called::NoAnswer => Ok(None),
            Called::Lost | Called::NotSent => Err(Lost),
        }
    }

    /// Reads what was said in a scene after a place; how much of it was new.
    pub(super) async fn read_missed(
        &mut self,
        place: Scene,
        after: &After,
    ) -> Result<usize, HistoryError> {
        let upto = self.missed_since().await;
        let messages = self.history.since(chat(place), after).await?;
        let highest = messages.iter().filter_map(|message| message.seq).max();
        let mut new = 0;
        for message in &messages {
            new += usize::from(self.hear(message, Novelty::Doubtful).await);
        }
        let track = self.tracks.entry(place).or_default();
        track.last = track.last.max(highest).max(after.seq);
        track.read_upto = upto;
        self.side.spoken(place);
        Ok(new)
    }

    pub(super) async fn read_requests(&self) -> Result<(), Lost> {
        let limits = self.bridge.settings().limits;
        let data = match self.side.call(&Action::SystemMessages, limits.call).await {
            Called::Answered(Outcome::Done(data)) => data,
            Called::Lost | Called::NotSent => return Err(Lost),
            Called::Answered(_) | Called::NoAnswer => {
                tracing::warn!(account = %self.side.account, "waiting join requests cannot be read");
                return Ok(());
            }
        };
        for request in onebot::data::join_requests(&data) {
            if let Some(user) = request.user {
                let news = News::Asked {
                    user: UserId(user),
                    flag: request.flag,
                };
                self.news(request.group, news, 0).await;
            }
        }
        Ok(())
    }

    /// Requests to be a friend, as far as the side lists them.
    async fn read_friend_requests(&self) -> Result<(), Lost> {
        let Some(data) = self.try_ask(&Action::DoubtfulFriends).await? else {
            return Ok(());
        };
        for request in onebot::data::doubtful_friends(&data) {
            let asked = FriendAsked {
                user: UserId(request.user),
                flag: request.flag,
                door: FriendDoor::Doubtful,
            };
            self.friend_asked(asked).await;
        }
        Ok(())
    }

    pub(super) async fn read_members(&self) -> Result<(), Lost> {
        let account = self.side.account;
        let groups = self
            .bridge
            .read(account, crate::Account::groups_to_list)
            .await;
        for group in groups.unwrap_or_default() {
            let call = Action::Members { group: group.0 };
            match self
                .side
                .call(&call, self.bridge.settings().limits.call)
                .await
            {
                Called::Answered(Outcome::Done(data)) => {
                    let news = members(&data, account);
                    let now = self.bridge.parts().clock.now();
                    self.news(group.0, news, now.0).await;
                }
                Called::Lost | Called::NotSent => return Err(Lost),
                Called::Answered(_) | Called::NoAnswer => {
                    tracing::warn!(%account, %group, "members cannot be read");
                }
            }
        }
        Ok(())
    }
}

/// Everyone in a group but the account itself.
pub(crate) fn members(data: &serde_json::Value, account: AccountId) -> News {
    let users = onebot::data::members(data);
    News::Members(
        users
            .into_iter()
            .filter(|user| *user != account.0)
            .map(UserId)
            .collect(),
    )
}
