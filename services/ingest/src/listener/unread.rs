//! Which chats have a hole in them because the connection was lost while they were read.

use std::collections::HashSet;

use protocol::Scene;

/// The chats that have not been caught up on.
pub(super) struct Unread {
    /// Known ones.
    scenes: HashSet<Scene>,
    /// Those that have been read.
    read: HashSet<Scene>,
    /// Private chats of people in no game, of which nobody knows yet which there are.
    strangers: bool,
}

impl Unread {
    /// Everything has been read.
    pub(super) fn nothing() -> Self {
        Self {
            scenes: HashSet::new(),
            read: HashSet::new(),
            strangers: false,
        }
    }

    /// These, and whoever else has written.
    pub(super) fn all(scenes: impl Iterator<Item = Scene>) -> Self {
        Self {
            scenes: scenes.collect(),
            read: HashSet::new(),
            strangers: true,
        }
    }

    /// This one has been read, or cannot be.
    pub(super) fn has_read(&mut self, scene: Scene) {
        self.scenes.remove(&scene);
        self.read.insert(scene);
    }

    /// Has it been read?
    pub(super) fn is_read(&self, scene: Scene) -> bool {
        self.read.contains(&scene)
    }

    /// May lines be missing in this chat?
    pub(super) fn has(&self, scene: Scene) -> bool {
        let stranger = self.strangers && matches!(scene, Scene::Private(_)) && !self.is_read(scene);
        stranger || self.scenes.contains(&scene)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{ChatGroup, UserId};

    #[test]
    fn private_chats_nobody_knows_of_may_have_holes_until_they_are_read() {
        let square = Scene::Group(ChatGroup(7));
        let elsewhere = Scene::Group(ChatGroup(8));
        let (known, stranger) = (Scene::Private(UserId(1)), Scene::Private(UserId(2)));
        let mut unread = Unread::all([square, known].into_iter());
        assert!(unread.has(square) && unread.has(known) && unread.has(stranger));
        assert!(!unread.has(elsewhere));
        unread.has_read(square);
        unread.has_read(known);
        assert!(!unread.has(square) && !unread.has(known) && unread.has(stranger));
        assert!(!Unread::nothing().has(stranger));
    }
}
