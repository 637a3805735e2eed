//! Who said what lately: a quote names its message only.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use protocol::{MessageRef, Scene, UserId};

const MOST: usize = 5000;

/// The authors of the newest messages of an account's chats. A message that is not here is one
/// whose author nobody knows.
#[derive(Debug, Default)]
pub(crate) struct Authors(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    authors: HashMap<(Scene, MessageRef), UserId>,
    order: VecDeque<(Scene, MessageRef)>,
}

impl Authors {
    /// Remembers who said a message.
    pub(crate) fn note(&self, scene: Scene, message: &MessageRef, author: UserId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (scene, message.clone());
        if known.authors.insert(key.clone(), author).is_none() {
            known.order.push_back(key);
        }
        if known.order.len() > MOST
            && let Some(oldest) = known.order.pop_front()
        {
            known.authors.remove(&oldest);
        }
    }

    /// Who said a message of a scene.
    pub(crate) fn of(&self, scene: Scene, message: &MessageRef) -> Option<UserId> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.authors.get(&(scene, message.clone())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::ChatGroup;

    #[test]
    fn authors_are_known_within_their_scene_and_forgotten_in_order() {
        let authors = Authors::default();
        let scene = Scene::Group(ChatGroup(1));
        let name = |n: usize| MessageRef(n.to_string());
        for n in 0..=MOST {
            authors.note(scene, &name(n), UserId(7));
        }
        assert_eq!(authors.of(scene, &name(0)), None);
        assert_eq!(authors.of(scene, &name(1)), Some(UserId(7)));
        assert_eq!(authors.of(Scene::Private(UserId(7)), &name(1)), None);
    }
}
