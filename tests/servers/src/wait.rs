//! Waiting for conditions.

use std::time::Duration;

/// How long [`wait_for`] is patient as a rule.
pub const DEADLINE: Duration = Duration::from_secs(30);

/// The pause between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// Waits until `look` finds what it looks for.
///
/// # Panics
/// When it has not within that time: `what` is then in the message.
pub async fn wait_for<T>(
    what: &str,
    within: Duration,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let search = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    let Ok(found) = tokio::time::timeout(within, search).await else {
        panic!("waited {within:?} for {what} in vain")
    };
    found
}
