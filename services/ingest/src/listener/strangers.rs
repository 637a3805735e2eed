//! Private chats of people who are in no game: a sign-up may be among what was missed, and nobody
//! knows whose.

use std::time::Duration;

use onebot::data::RecentChats;
use onebot::{Action, Outcome};
use protocol::{Scene, UserId};
use tokio::time::sleep;

use super::unread::Unread;
use super::{Listener, Lost};
use crate::history::HistoryError;
use crate::side::Called;

/// So many recent chats are asked for; more when the list does not reach back far enough.
const RECENT: [u32; 3] = [50, 200, 800];
/// Where recent chats are not listed, so many friends are looked at one by one at most…
const MOST_FRIENDS: usize = 300;
/// …with this pause in between.
const FRIEND_PAUSE: Duration = Duration::from_millis(50);

impl Listener {
    /// Reads what was missed in private chats that have not been read yet.
    pub(super) async fn read_strangers(&mut self, unread: &mut Unread) -> Result<(), Lost> {
        if let Some(users) = self.recent_people().await? {
            for user in users {
                self.read_stranger(user, unread).await?;
            }
            return Ok(());
        }
        // What is worth so much trouble is a sign-up only.
        let account = self.side.account;
        let lobby = self.bridge.read(account, crate::Account::has_lobby).await;
        if !lobby.unwrap_or(false) {
            return Ok(());
        }
        for user in self.friends().await? {
            self.read_stranger(user, unread).await?;
            sleep(FRIEND_PAUSE).await;
        }
        Ok(())
    }

    async fn read_stranger(&mut self, user: UserId, unread: &mut Unread) -> Result<(), Lost> {
        let place = Scene::Private(user);
        let account = self.side.account;
        if unread.is_read(place) || user.0 == account.0 {
            return Ok(());
        }
        let after = self.bridge.read(account, |state| state.missed_of(user));
        let Ok(after) = after.await else {
            return Ok(());
        };
        match self.read_missed(place, &after).await {
            Ok(_) => {}
            Err(HistoryError::Lost) => return Err(Lost),
            Err(HistoryError::Unavailable(why)) => {
                tracing::warn!(%account, %why, "a private chat's history cannot be read");
            }
        }
        unread.has_read(place);
        Ok(())
    }

    /// People in whose private chats something was said lately; `None`: the side does not tell.
    async fn recent_people(&self) -> Result<Option<Vec<UserId>>, Lost> {
        let account = self.side.account;
        let since = self.bridge.read(account, crate::Account::missed_since);
        let Ok(since) = since.await else {
            return Ok(Some(Vec::new()));
        };
        let mut recent = RecentChats::default();
        for count in RECENT {
            let Some(data) = self.try_ask(&Action::RecentChats { count }).await? else {
                return Ok(None);
            };
            recent = onebot::data::recent_chats(&data);
            let full = recent.length >= usize::try_from(count).unwrap_or(usize::MAX);
            if !full || recent.oldest.is_some_and(|oldest| oldest < since) {
                break;
            }
        }
        let people = recent.private.iter().filter(|chat| chat.time >= since);
        Ok(Some(people.map(|chat| UserId(chat.user)).collect()))
    }

    async fn friends(&self) -> Result<Vec<UserId>, Lost> {
        let Some(data) = self.try_ask(&Action::Friends).await? else {
            tracing::warn!(account = %self.side.account, "friends cannot be listed; sign-ups may be missing");
            return Ok(Vec::new());
        };
        let friends = onebot::data::friends(&data);
        if friends.len() > MOST_FRIENDS {
            tracing::warn!(account = %self.side.account, "too many friends to ask each; sign-ups may be missing");
        }
        Ok(friends.into_iter().take(MOST_FRIENDS).map(UserId).collect())
    }

    /// Asks for something that not every side has; `None`: this one does not, or not now.
    async fn try_ask(&self, action: &Action) -> Result<Option<serde_json::Value>, Lost> {
        let patience = self.bridge.settings().limits.call;
        match self.side.call(action, patience).await {
            Called::Answered(Outcome::Done(data)) => Ok(Some(data)),
            Called::Answered(_) | Called::NoAnswer => Ok(None),
            Called::Lost | Called::NotSent => Err(Lost),
        }
    }
}
