//! Wakes those who wait for something new in their chats.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use protocol::UserId;
use tokio::sync::watch;

/// What a person has heard so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Ring {
    /// Lines may be there up to this place.
    pub(crate) lines: u64,
    /// Rises when something else has changed: a group, a card, a request.
    pub(crate) changes: u64,
}

/// A bell for each person somebody listens for.
#[derive(Debug, Default)]
pub(crate) struct Bells(Mutex<Hung>);

#[derive(Debug, Default)]
struct Hung {
    bells: HashMap<UserId, watch::Sender<Ring>>,
    sweep_at: usize,
}

/// Below so many bells nobody looks for those that nobody hears.
const FEW: usize = 256;

impl Bells {
    /// Listens for a person.
    pub(crate) fn listen(&self, user: UserId) -> watch::Receiver<Ring> {
        let mut hung = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if hung.bells.len() >= hung.sweep_at.max(FEW) {
            hung.bells.retain(|_, bell| bell.receiver_count() > 0);
            hung.sweep_at = 2 * hung.bells.len();
        }
        hung.bells.entry(user).or_default().subscribe()
    }

    /// There are lines up to this place.
    pub(crate) fn lines(&self, users: &[UserId], upto: u64) {
        self.ring(users, |ring| ring.lines = ring.lines.max(upto));
    }

    /// Something else has changed.
    pub(crate) fn changed(&self, users: &[UserId]) {
        self.ring(users, |ring| ring.changes += 1);
    }

    fn ring(&self, users: &[UserId], how: impl Fn(&mut Ring)) {
        let hung = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for bell in users.iter().filter_map(|user| hung.bells.get(user)) {
            bell.send_modify(&how);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_those_concerned_wake() {
        let bells = Bells::default();
        let (mut ann, bob) = (bells.listen(UserId(1)), bells.listen(UserId(2)));
        bells.lines(&[UserId(1), UserId(3)], 7);
        bells.changed(&[UserId(1)]);
        ann.changed().await.unwrap();
        assert_eq!(
            *ann.borrow_and_update(),
            Ring {
                lines: 7,
                changes: 1
            }
        );
        assert!(!bob.has_changed().unwrap());
    }
}
