//! Those who wait to speak.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use protocol::{ChatGroup, Scene};
use tokio::time::Instant;

use super::uneven;
use crate::settings::Pace;

/// Whoever has waited so long is as urgent as anybody.
const MOST_PATIENCE: Duration = Duration::from_secs(30);

/// Who goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Haste {
    /// An answer, or something that everybody in a group waits for.
    Urgent,
    /// What comes to many people at once: cards, prompts.
    Patient,
}

#[derive(Debug)]
struct Waiting {
    scene: Option<Scene>,
    haste: Haste,
    since: Instant,
}

/// The line: who waits, and when the next message would be due if there were no burst.
#[derive(Debug)]
pub(super) struct Line {
    pace: Pace,
    account: Option<Instant>,
    groups: HashMap<ChatGroup, Instant>,
    waiting: BTreeMap<u64, Waiting>,
    last: u64,
}

impl Line {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            pace,
            account: None,
            groups: HashMap::new(),
            waiting: BTreeMap::new(),
            last: 0,
        }
    }

    /// Somebody comes to wait; the number of the place.
    pub(super) fn enter(&mut self, scene: Option<Scene>, haste: Haste, now: Instant) -> u64 {
        self.last += 1;
        let waiting = Waiting {
            scene,
            haste,
            since: now,
        };
        self.waiting.insert(self.last, waiting);
        self.last
    }

    /// Somebody has gone, or gives up.
    pub(super) fn leave(&mut self, number: u64) {
        self.waiting.remove(&number);
    }

    /// Makes those who wait in a scene urgent; true when that changes something.
    pub(super) fn hurry(&mut self, scene: Scene) -> bool {
        let mut changed = false;
        for waiting in self.waiting.values_mut() {
            if waiting.scene == Some(scene) {
                changed |= std::mem::replace(&mut waiting.haste, Haste::Urgent) != Haste::Urgent;
            }
        }
        changed
    }

    /// Goes, if it is this one's turn. Else: when to try again; `None`: when somebody has gone.
    pub(super) fn try_go(&mut self, number: u64, now: Instant) -> Result<(), Option<Instant>> {
        let Some(me) = self.waiting.get(&number) else {
            return Ok(());
        };
        let due = self.due(me, now);
        if due > now {
            return Err(Some(due));
        }
        let mine = (me.rank(now), number);
        let is_behind = |(other, waiting): (&u64, &Waiting)| {
            (waiting.rank(now), *other) < mine && self.due(waiting, now) <= now
        };
        if self.waiting.iter().any(is_behind) {
            return Err(None);
        }
        let group = me.group();
        let account = self.account.map_or(now, |at| at.max(now));
        self.account = Some(account + uneven(self.pace.account));
        if let Some(group) = group {
            self.groups.retain(|_, at| *at > now);
            self.groups.insert(group, now + uneven(self.pace.group));
        }
        Ok(())
    }

    /// When both buckets have room.
    fn due(&self, waiting: &Waiting, now: Instant) -> Instant {
        let saved = self.pace.account * self.pace.burst.saturating_sub(1);
        let account = self.account.and_then(|at| at.checked_sub(saved));
        let group = waiting.group().and_then(|group| self.groups.get(&group));
        account.unwrap_or(now).max(group.copied().unwrap_or(now))
    }
}

impl Waiting {
    fn group(&self) -> Option<ChatGroup> {
        match self.scene? {
            Scene::Group(group) => Some(group),
            Scene::Private(_) => None,
        }
    }

    fn rank(&self, now: Instant) -> Haste {
        if now - self.since >= MOST_PATIENCE {
            Haste::Urgent
        } else {
            self.haste
        }
    }
}
