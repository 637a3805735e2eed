//! How fast the bridge speaks.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use protocol::{ChatGroup, Scene};
use tokio::time::Instant;

use crate::settings::Pace;

/// A duration made up to a fifth longer, by chance: many equal pauses look like a machine, and
/// many clients with equal pauses come back at once.
pub(crate) fn uneven(pause: Duration) -> Duration {
    const STEPS: u64 = 1000;
    let chance = RandomState::new().build_hasher().finish() % STEPS;
    pause + pause / 5 * u32::try_from(chance).unwrap_or(0) / 1000
}

/// Buckets of an account: each send takes a place in the account's and in its group's.
#[derive(Debug)]
pub(crate) struct Pacer {
    pace: Option<Pace>,
    next: Mutex<Next>,
}

/// When the next message would be due if there were no burst.
#[derive(Debug, Default)]
struct Next {
    account: Option<Instant>,
    groups: HashMap<ChatGroup, Instant>,
}

impl Pacer {
    /// Without a pace nothing ever waits.
    pub(crate) fn new(pace: Option<Pace>) -> Self {
        Self {
            pace,
            next: Mutex::default(),
        }
    }

    /// Waits for the turn of something said in this scene.
    pub(crate) async fn turn(&self, scene: Scene) {
        let group = match scene {
            Scene::Group(group) => Some(group),
            Scene::Private(_) => None,
        };
        self.wait(group).await;
    }

    /// Waits for the turn of something else that the account does.
    pub(crate) async fn turn_to_act(&self) {
        self.wait(None).await;
    }

    async fn wait(&self, group: Option<ChatGroup>) {
        if let Some(until) = self.take(group, Instant::now()) {
            tokio::time::sleep_until(until).await;
        }
    }

    fn take(&self, group: Option<ChatGroup>, now: Instant) -> Option<Instant> {
        let pace = self.pace?;
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let account = next.account.map_or(now, |at| at.max(now));
        next.account = Some(account + uneven(pace.account));
        let saved = pace.account * pace.burst.saturating_sub(1);
        let mut until = account.checked_sub(saved).unwrap_or(now);
        if let Some(group) = group {
            next.groups.retain(|_, at| *at > now);
            let at = next.groups.get(&group).copied().unwrap_or(now).max(until);
            next.groups.insert(group, at + uneven(pace.group));
            until = at;
        }
        (until > now).then_some(until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    const PACE: Pace = Pace {
        account: Duration::from_secs(1),
        burst: 5,
        group: Duration::from_millis(1500),
    };

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_at_once_and_the_rest_one_a_second() {
        let pacer = Pacer::new(Some(PACE));
        let now = Instant::now();
        let waits: Vec<Duration> = (0..8)
            .map(|_| {
                let until = pacer.take(None, now);
                until.map_or(Duration::ZERO, |until| until - now)
            })
            .collect();
        assert!(waits[..4].iter().all(Duration::is_zero), "{waits:?}");
        assert!(waits[5] > Duration::from_millis(900), "{waits:?}");
        assert!(
            waits[7] > waits[6] + Duration::from_millis(900),
            "{waits:?}"
        );
        assert!(waits[7] < Duration::from_secs(6), "{waits:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_has_a_pace_of_its_own() {
        let pacer = Pacer::new(Some(PACE));
        let now = Instant::now();
        let group = Some(ChatGroup(7));
        assert_eq!(pacer.take(group, now), None);
        let second = pacer.take(group, now).expect("must wait");
        assert!(second - now >= PACE.group);
        assert_eq!(pacer.take(Some(ChatGroup(8)), now), None);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_pace_nothing_waits() {
        let pacer = Pacer::new(None);
        for _ in 0..100 {
            assert_eq!(pacer.take(Some(ChatGroup(7)), Instant::now()), None);
        }
    }

    #[test]
    fn uneven_pauses_are_a_little_longer() {
        let pause = Duration::from_secs(10);
        for _ in 0..100 {
            let uneven = uneven(pause);
            assert!(uneven >= pause && uneven <= pause * 6 / 5, "{uneven:?}");
        }
    }
}
