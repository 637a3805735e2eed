//! Up to where each chat has been read.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use protocol::{MessageRef, Scene, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

use super::jobs::After;

/// So many private chats are remembered beyond those of people in games.
const MOST_PRIVATE: usize = 300;
/// So many own messages of a scene are known by name.
const MOST_SAID: usize = 16;
/// Chats are not in step with each other: a line may arrive so many seconds behind a later one of
/// another chat.
const ACROSS: i64 = 5;
/// A person whom nobody knows is given a hint once in so many seconds.
const HINT_PAUSE: i64 = 20;

/// Up to where a scene has been read, and what was last said there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Chat time of the newest line, in whole seconds.
    pub secs: i64,
    /// The highest sequence number, where the side tells one.
    pub seq: Option<u64>,
    /// The newest own messages, by name.
    said: VecDeque<MessageRef>,
    /// When the last hint was given, in chat time.
    hinted: i64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Scenes {
    #[serde(with = "pairs")]
    points: BTreeMap<Scene, Point>,
    /// The newest chat time of all.
    latest: i64,
    /// When the account was away: the chat time from which on a scene without a point of its
    /// own may have lines that nobody has taken.
    gap: Option<i64>,
    /// When the account first was there, in whole seconds. What was said before concerns nobody.
    #[serde(default)]
    began: Option<i64>,
}

impl Scenes {
    /// A line has been taken.
    pub(super) fn heard(&mut self, scene: Scene, secs: i64, seq: Option<u64>) {
        let point = self.points.entry(scene).or_default();
        point.secs = point.secs.max(secs);
        point.seq = point.seq.max(seq);
        self.latest = self.latest.max(secs);
    }

    /// The account itself has said something.
    pub(super) fn said(&mut self, scene: Scene, message: MessageRef) {
        let point = self.points.entry(scene).or_default();
        point.said.push_back(message);
        if point.said.len() > MOST_SAID {
            point.said.pop_front();
        }
    }

    /// May a hint be given in this scene now? Remembers that it was.
    pub(super) fn may_hint(&mut self, scene: Scene, secs: i64) -> bool {
        let point = self.points.entry(scene).or_default();
        let may = secs - point.hinted >= HINT_PAUSE;
        if may {
            point.hinted = secs;
        }
        may
    }

    pub(super) fn point(&self, scene: Scene) -> Option<&Point> {
        self.points.get(&scene)
    }

    /// The private chats that are remembered.
    pub(super) fn private(&self) -> impl Iterator<Item = Scene> {
        self.points
            .keys()
            .copied()
            .filter(|scene| matches!(scene, Scene::Private(_)))
    }

    /// Where a message that is sent now will be behind. The clock is the account's newest chat
    /// time: a scene of its own may have been silent for long.
    pub(super) fn after(&self, scene: Scene) -> After {
        let point = self.points.get(&scene);
        After {
            secs: self.latest,
            seq: point.and_then(|point| point.seq),
            said: point
                .map(|point| point.said.iter().cloned().collect())
                .unwrap_or_default(),
        }
    }

    /// From where on lines of a scene may be missing.
    pub(super) fn read_from(&self, scene: Scene) -> After {
        let heard = self.points.get(&scene).filter(|point| point.secs > 0);
        match heard {
            Some(point) => After {
                secs: point.secs,
                seq: point.seq,
                said: Vec::new(),
            },
            None => After {
                secs: self.missed_since(),
                ..After::default()
            },
        }
    }

    /// The chat time from which on lines of chats without a point may be missing.
    pub(super) fn missed_since(&self) -> i64 {
        self.gap.unwrap_or(self.latest) - ACROSS
    }

    pub(super) fn open_gap(&mut self, now: Time) {
        let began = *self.began.get_or_insert(now.0.div_euclid(1000));
        let last = if self.latest > 0 { self.latest } else { began };
        // An older gap that is not closed yet stays: its lines are still missing.
        self.gap.get_or_insert(last);
    }

    pub(super) fn close_gap(&mut self) {
        self.gap = None;
    }

    /// Forgets the oldest private chats of people who are in no game.
    pub(super) fn prune(&mut self, in_game: impl FnOnce() -> BTreeSet<UserId>) {
        let private = |scene: &&Scene| matches!(scene, Scene::Private(_));
        if self.points.keys().filter(private).count() <= MOST_PRIVATE {
            return;
        }
        let in_game = in_game();
        let mut strangers: Vec<(i64, Scene)> = self
            .points
            .iter()
            .filter_map(|(scene, point)| match scene {
                Scene::Private(user) if !in_game.contains(user) => Some((point.secs, *scene)),
                _ => None,
            })
            .collect();
        let Some(surplus) = strangers.len().checked_sub(MOST_PRIVATE) else {
            return;
        };
        strangers.sort_unstable();
        for (_, scene) in strangers.into_iter().take(surplus) {
            self.points.remove(&scene);
        }
    }
}

/// JSON has no maps with such keys; a list of pairs it is.
mod pairs {
    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Point, Scene};

    pub(super) fn serialize<S: Serializer>(
        map: &BTreeMap<Scene, Point>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(map)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<Scene, Point>, D::Error> {
        Ok(Vec::deserialize(deserializer)?.into_iter().collect())
    }
}
