//! Chats that nobody knows of: a sign-up of somebody who is in no game, or the opening of a game,
//! may be among what was missed.

use std::time::Duration;

use onebot::Action;
use onebot::data::RecentChat;
use protocol::{Scene, UserId};
use tokio::time::sleep;

use super::unread::Unread;
use super::{Listener, Lost};
use crate::account::STALE;
use crate::bridge::Novelty;
use crate::history::HistoryError;
use crate::input::{chat, scene};

/// So many recent chats are asked for; more when the list does not reach back far enough.
const RECENT: [u32; 3] = [50, 200, 800];
/// Where recent chats are not listed, so many friends are looked at one by one at most…
const MOST_FRIENDS: usize = 300;
/// …with this pause in between.
const FRIEND_PAUSE: Duration = Duration::from_millis(50);

impl Listener {
    /// Reads what was missed in chats that have not been read yet.
    pub(super) async fn read_strangers(&mut self, unread: &mut Unread) -> Result<(), Lost> {
        let account = self.side.account;
        if let Some(recent) = self.recent_chats().await? {
            let now = self.bridge.parts().clock.now().0.div_euclid(1000);
            for RecentChat { chat, time } in recent {
                match scene(chat) {
                    place @ Scene::Private(_) => self.read_stranger(place, unread).await?,
                    place @ Scene::Group(_) if now - time <= STALE => {
                        self.read_strange_group(place, unread).await?;
                    }
                    Scene::Group(_) => {}
                }
            }
            return Ok(());
        }
        // What is worth so much trouble is a sign-up only.
        let lobby = self.bridge.read(account, crate::Account::has_lobby).await;
        if !lobby.unwrap_or(false) {
            return Ok(());
        }
        for user in self.friends().await? {
            self.read_stranger(Scene::Private(user), unread).await?;
            sleep(FRIEND_PAUSE).await;
        }
        Ok(())
    }

    async fn read_stranger(&mut self, place: Scene, unread: &mut Unread) -> Result<(), Lost> {
        let account = self.side.account;
        if unread.is_read(place) || place == Scene::Private(UserId(account.0)) {
            return Ok(());
        }
        let after = self.bridge.read(account, |state| state.missed_of(place));
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

    /// A group of no game: all that matters there is the opening of one, and only while whoever
    /// typed it is likely to wait for it. One page will do.
    async fn read_strange_group(&mut self, place: Scene, unread: &mut Unread) -> Result<(), Lost> {
        if unread.is_read(place) {
            return Ok(());
        }
        let account = self.side.account;
        let after = self.bridge.read(account, |state| state.missed_of(place));
        let Ok(after) = after.await else {
            return Ok(());
        };
        match self.history.newest_since(chat(place), &after).await {
            Ok(messages) => {
                for message in &messages {
                    self.hear(message, Novelty::Doubtful).await;
                }
                Ok(())
            }
            Err(HistoryError::Lost) => Err(Lost),
            Err(HistoryError::Unavailable(_)) => Ok(()),
        }
    }

    /// Chats in which something was said since lines may be missing; `None`: the side does not
    /// tell.
    async fn recent_chats(&self) -> Result<Option<Vec<RecentChat>>, Lost> {
        let account = self.side.account;
        let since = self.bridge.read(account, crate::Account::missed_since);
        let Ok(since) = since.await else {
            return Ok(Some(Vec::new()));
        };
        let mut recent = Vec::new();
        for count in RECENT {
            let Some(data) = self.try_ask(&Action::RecentChats { count }).await? else {
                return Ok(None);
            };
            recent = onebot::data::recent_chats(&data);
            let listed = data.as_array().map_or(0, Vec::len);
            let full = listed >= usize::try_from(count).unwrap_or(usize::MAX);
            if !full || recent.iter().any(|chat| chat.time < since) {
                break;
            }
        }
        recent.retain(|chat| chat.time >= since);
        Ok(Some(recent))
    }

    async fn friends(&self) -> Result<Vec<UserId>, Lost> {
        let account = self.side.account;
        let Some(data) = self.try_ask(&Action::Friends).await? else {
            tracing::warn!(%account, "friends cannot be listed; sign-ups may be missing");
            return Ok(Vec::new());
        };
        let friends = onebot::data::friends(&data);
        if friends.len() > MOST_FRIENDS {
            tracing::warn!(%account, "too many friends to ask each; sign-ups may be missing");
        }
        let friends = friends.into_iter().take(MOST_FRIENDS);
        Ok(friends.map(UserId).collect())
    }
}
