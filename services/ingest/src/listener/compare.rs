//! Lines that were lost without a later one to show it: now and then the newest line of each
//! game's groups is compared with what was heard.

use std::collections::VecDeque;

use onebot::ChatMessage;
use protocol::{ChatGroup, Scene};
use tokio::time::Instant;

use super::Listener;
use crate::account::After;
use crate::bridge::Novelty;
use crate::history::HistoryError;
use crate::input::chat;
use crate::side::SideState;

/// The groups that are looked at in turn, some with each beat, so that nobody waits for all.
pub(super) struct Round {
    began: Instant,
    left: VecDeque<ChatGroup>,
    at_once: usize,
}

impl Default for Round {
    /// A round that has just ended.
    fn default() -> Self {
        Self {
            began: Instant::now(),
            left: VecDeque::new(),
            at_once: 1,
        }
    }
}

impl Listener {
    /// Compares the groups whose turn it is.
    pub(super) async fn compare_some(&mut self) {
        let account = self.side.account;
        let limits = self.bridge.settings().limits;
        if *self.side.state.borrow() != SideState::Ready {
            return;
        }
        if self.round.left.is_empty() && self.round.began.elapsed() >= limits.compare {
            let groups = self.bridge.read(account, crate::Account::groups_to_list);
            let left = VecDeque::from(groups.await.unwrap_or_default());
            let beats = limits.compare.as_millis() / limits.beat.as_millis().max(1);
            let beats = usize::try_from(beats.max(1)).unwrap_or(usize::MAX);
            self.round = Round {
                began: Instant::now(),
                at_once: left.len().div_ceil(beats),
                left,
            };
        }
        for _ in 0..self.round.at_once {
            let Some(group) = self.round.left.pop_front() else {
                return;
            };
            match self.compare(Scene::Group(group)).await {
                Ok(0) => {}
                Ok(lost) => tracing::warn!(%account, %group, lost, "lines came without an event"),
                Err(error) => {
                    tracing::warn!(%account, %group, ?error, "a group cannot be compared");
                    // The others would not fare better now.
                    self.round.left.clear();
                    return;
                }
            }
        }
    }

    /// Takes what was said in a scene after the last line that was heard; how much that is.
    async fn compare(&mut self, place: Scene) -> Result<usize, HistoryError> {
        let upto = self.missed_since().await;
        let point = self
            .bridge
            .read(self.side.account, |state| state.point(place).cloned());
        let point = point.await.ok().flatten();
        let track = self.tracks.entry(place).or_default();
        let heard = point.filter(|point| point.secs > 0);
        let after = After {
            secs: match &heard {
                Some(point) => point.secs,
                // Nobody has been heard there: since the last look.
                None => track.read_upto.or(upto).unwrap_or(i64::MAX),
            },
            seq: track.last.max(heard.and_then(|point| point.seq)),
            said: Vec::new(),
        };
        let messages = self.history.since(chat(place), &after).await?;
        let mut lost = 0;
        for message in messages.iter().filter(|message| is_new(message, &after)) {
            lost += usize::from(self.hear(message, Novelty::Doubtful).await);
        }
        let highest = messages.iter().filter_map(|message| message.seq).max();
        let track = self.tracks.entry(place).or_default();
        track.last = after.seq.max(highest);
        track.read_upto = upto;
        self.side.spoken(place);
        Ok(lost)
    }

    /// The chat time from which on lines of chats where nobody was heard may be missing.
    pub(super) async fn missed_since(&self) -> Option<i64> {
        let since = self
            .bridge
            .read(self.side.account, crate::Account::missed_since);
        since.await.ok()
    }
}

/// Has it not been seen, as far as its sequence number tells?
fn is_new(message: &ChatMessage, after: &After) -> bool {
    match (message.seq, after.seq) {
        (Some(seq), Some(after)) => seq > after,
        _ => true,
    }
}
