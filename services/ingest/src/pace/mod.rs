//! How fast the bridge speaks, and who comes first.

mod line;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use protocol::Scene;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use crate::settings::Pace;

pub(crate) use line::Haste;
use line::Line;

/// A duration made up to a fifth longer, by chance: many equal pauses look like a machine, and
/// many clients with equal pauses come back at once.
pub(crate) fn uneven(pause: Duration) -> Duration {
    const STEPS: u64 = 1000;
    let chance = RandomState::new().build_hasher().finish() % STEPS;
    pause + pause / 5 * u32::try_from(chance).unwrap_or(0) / 1000
}

/// Buckets of an account: each send takes a place in the account's and in its group's. Among
/// those that wait, what is urgent goes first.
#[derive(Debug)]
pub(crate) struct Pacer {
    /// `None`: nothing ever waits.
    line: Option<Mutex<Line>>,
    changed: Notify,
}

impl Pacer {
    /// Without a pace nothing ever waits.
    pub(crate) fn new(pace: Option<Pace>) -> Self {
        Self {
            line: pace.map(|pace| Mutex::new(Line::new(pace))),
            changed: Notify::new(),
        }
    }

    /// Waits for the turn of something said in this scene; `None`: of something else that the
    /// account does.
    pub(crate) async fn turn(&self, scene: Option<Scene>, haste: Haste) {
        let Some(line) = &self.line else { return };
        let place = Place {
            number: lock(line).enter(scene, haste, Instant::now()),
            line,
            changed: &self.changed,
        };
        loop {
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            let wait = lock(line).try_go(place.number, Instant::now());
            match wait {
                Ok(()) => return,
                Err(Some(until)) => {
                    tokio::select! {
                        () = sleep_until(until) => {}
                        () = changed => {}
                    }
                }
                Err(None) => changed.await,
            }
        }
    }

    /// Something urgent is behind what waits in this scene.
    pub(crate) fn hurry(&self, scene: Scene) {
        if let Some(line) = &self.line
            && lock(line).hurry(scene)
        {
            self.changed.notify_waiters();
        }
    }
}

/// A place in the line; given up when the waiting is.
struct Place<'a> {
    number: u64,
    line: &'a Mutex<Line>,
    changed: &'a Notify,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(self.line).leave(self.number);
        self.changed.notify_waiters();
    }
}

fn lock(line: &Mutex<Line>) -> MutexGuard<'_, Line> {
    line.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use protocol::{ChatGroup, UserId};
    use tokio::task::JoinSet;

    const PACE: Pace = Pace {
        account: Duration::from_secs(1),
        burst: 5,
        group: Duration::from_millis(1500),
    };

    fn private(user: u64) -> Scene {
        Scene::Private(UserId(user))
    }

    fn group(group: u64) -> Scene {
        Scene::Group(ChatGroup(group))
    }

    /// Has these wait at once; in which order and when they went.
    async fn went(pacer: &Arc<Pacer>, all: Vec<(Scene, Haste)>) -> Vec<(Scene, Duration)> {
        let began = Instant::now();
        let mut turns = JoinSet::new();
        for (scene, haste) in all {
            let pacer = Arc::clone(pacer);
            turns.spawn(async move {
                pacer.turn(Some(scene), haste).await;
                (scene, began.elapsed())
            });
        }
        let mut went = turns.join_all().await;
        went.sort_by_key(|(_, at)| *at);
        went
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_goes_at_once_and_the_rest_one_a_second() {
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let all = (0..8).map(|n| (private(n), Haste::Patient)).collect();
        let waits: Vec<_> = went(&pacer, all)
            .await
            .into_iter()
            .map(|(_, at)| at)
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
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let all = [7, 7, 8].map(|n| (group(n), Haste::Urgent)).to_vec();
        let went = went(&pacer, all).await;
        assert!(went[..2].iter().all(|(_, at)| at.is_zero()), "{went:?}");
        assert_eq!(went[2].0, group(7));
        assert!(went[2].1 >= PACE.group, "{went:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_urgent_does_not_wait_behind_a_burst_of_prompts() {
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let mut all: Vec<_> = (0..14).map(|n| (private(n), Haste::Patient)).collect();
        all.push((group(7), Haste::Urgent));
        all.push((private(99), Haste::Urgent));
        let went = went(&pacer, all).await;
        let at = |scene| went.iter().find(|(s, _)| *s == scene).expect("all went").1;
        assert!(at(group(7)) < Duration::from_secs(2), "{went:?}");
        assert!(at(private(99)) < Duration::from_secs(2), "{went:?}");
        assert!(at(private(13)) > Duration::from_secs(9), "{went:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_waits_for_ever() {
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let burst = (0..5).map(|n| (private(n), Haste::Patient)).collect();
        went(&pacer, burst).await;
        let mut all = vec![(private(1), Haste::Patient)];
        all.extend((0..60).map(|n| (group(n), Haste::Urgent)));
        let went = went(&pacer, all).await;
        let at = went
            .iter()
            .find(|(s, _)| *s == private(1))
            .expect("it went")
            .1;
        let (least, most) = (Duration::from_secs(29), Duration::from_secs(36));
        assert!(at > least && at < most, "{at:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_prompt_with_an_answer_behind_it_is_hurried_on() {
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let all = (0..14).map(|n| (private(n), Haste::Patient)).collect();
        let hurried = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            pacer.hurry(Scene::Private(UserId(13)));
        };
        let (went, ()) = tokio::join!(went(&pacer, all), hurried);
        let of_last = went.iter().find(|(s, _)| *s == private(13));
        assert!(
            of_last.expect("it went").1 < Duration::from_secs(2),
            "{went:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_gives_up_is_not_waited_for() {
        let pacer = Arc::new(Pacer::new(Some(PACE)));
        let burst = (0..5).map(|n| (private(n), Haste::Patient)).collect();
        went(&pacer, burst).await;
        let patience = Duration::from_millis(10);
        let given_up =
            tokio::time::timeout(patience, pacer.turn(Some(group(7)), Haste::Urgent)).await;
        assert!(given_up.is_err());
        let began = Instant::now();
        pacer.turn(Some(private(9)), Haste::Patient).await;
        assert!(began.elapsed() < Duration::from_millis(1300));
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_pace_nothing_waits() {
        let pacer = Pacer::new(None);
        let began = Instant::now();
        for _ in 0..100 {
            pacer.turn(Some(group(7)), Haste::Patient).await;
        }
        assert!(began.elapsed().is_zero());
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
