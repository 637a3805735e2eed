//! The one place where time is read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rules::Time;
use tokio::sync::watch;

/// How long a sleep trusts the machine's clock before it looks again: the wall clock may be
/// set while we sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Where the time comes from. Everything that needs an instant asks here, never the machine.
#[derive(Debug, Clone)]
pub struct TimeSource(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(watch::Receiver<Time>),
}

impl TimeSource {
    /// The machine's clock.
    pub fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still until its owner moves it: for tests, and for a playground
    /// whose visitors do not want to wait for the night.
    pub fn manual(start: Time) -> (Self, ManualClock) {
        let (hand, face) = watch::channel(start);
        (Self(Source::Manual(face)), ManualClock(hand))
    }

    /// Now.
    pub fn now(&self) -> Time {
        match &self.0 {
            Source::System => system_now(),
            Source::Manual(face) => *face.borrow(),
        }
    }

    /// Returns when `now() >= at`. Follows the clock when it is set or moved meanwhile.
    pub async fn sleep_until(&self, at: Time) {
        match &self.0 {
            Source::System => loop {
                let left = at.0.saturating_sub(system_now().0);
                let Ok(left @ 1..) = u64::try_from(left) else {
                    return;
                };
                tokio::time::sleep(Duration::from_millis(left).min(LOOK_AGAIN)).await;
            },
            Source::Manual(face) => {
                let mut face = face.clone();
                if face.wait_for(|now| *now >= at).await.is_err() {
                    // Nobody can move the clock any more: the instant never comes.
                    std::future::pending::<()>().await;
                }
            }
        }
    }
}

fn system_now() -> Time {
    // Before 1970 only when the machine's clock is badly wrong; then time stands at zero.
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Time(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The hand that moves a [`TimeSource::manual`] clock. Time stops for good when it is dropped.
#[derive(Debug)]
pub struct ManualClock(watch::Sender<Time>);

impl ManualClock {
    /// What the clock shows.
    pub fn now(&self) -> Time {
        *self.0.borrow()
    }

    /// Moves the clock to this instant. A clock never goes backwards: an earlier instant
    /// changes nothing.
    pub fn set(&self, to: Time) {
        self.0.send_if_modified(|now| {
            let later = to > *now;
            if later {
                *now = to;
            }
            later
        });
    }

    /// Moves the clock on by a span in milliseconds.
    pub fn advance_ms(&self, ms: i64) {
        self.set(self.now().plus_ms(ms));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_manual_clock_wakes_those_who_wait() {
        let (time, hand) = TimeSource::manual(Time(1_000));
        let waiter = tokio::spawn({
            let time = time.clone();
            async move {
                time.sleep_until(Time(5_000)).await;
                time.now()
            }
        });
        hand.advance_ms(3_999);
        hand.set(Time(10));
        assert_eq!(time.now(), Time(4_999), "a clock does not go backwards");
        assert!(!waiter.is_finished());
        hand.advance_ms(1);
        assert_eq!(waiter.await.unwrap(), Time(5_000));
    }

    #[tokio::test]
    async fn the_past_is_not_waited_for() {
        TimeSource::system().sleep_until(Time(0)).await;
        let (time, _hand) = TimeSource::manual(Time(7));
        time.sleep_until(Time(7)).await;
    }
}
