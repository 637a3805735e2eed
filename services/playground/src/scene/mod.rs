//! What was said in one chat: a group, or the private chat of one person with the bot. Each chat
//! is an aggregate of its own, so that a step costs the same however much is said elsewhere.

mod log;
mod message;
mod number;

pub use log::{Page, SceneChange, SceneLog, SceneStep};
pub use message::{Message, Node, Piece, TEXT_LIMIT};
pub use number::MessageNumber;

use protocol::{ChatGroup, Scene, UserId};

/// The key of a chat's aggregate.
pub fn key_of(scene: Scene) -> String {
    match scene {
        Scene::Group(group) => format!("scene:g{group}"),
        Scene::Private(user) => format!("scene:p{user}"),
    }
}

/// The chat that an aggregate's key names; `None` for other keys.
pub fn scene_of(key: &str) -> Option<Scene> {
    let name = key.strip_prefix("scene:")?;
    let number = || name.get(1..)?.parse().ok();
    match name.chars().next()? {
        'g' => Some(Scene::Group(ChatGroup(number()?))),
        'p' => Some(Scene::Private(UserId(number()?))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_chats() {
        for scene in [Scene::Group(ChatGroup(7)), Scene::Private(UserId(8))] {
            assert_eq!(scene_of(&key_of(scene)), Some(scene));
        }
        for other in ["world", "scene:", "scene:x7", "scene:g", "scene:g七"] {
            assert_eq!(scene_of(other), None, "{other}");
        }
    }
}
