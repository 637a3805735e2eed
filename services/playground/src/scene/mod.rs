//! What was said in one chat: a group, or the private chat of one person with the bot. Each chat
//! is an aggregate of its own, so that a step costs the same however much is said elsewhere.

mod log;
mod message;
mod number;

pub use log::{Page, SceneChange, SceneLog, SceneStep};
pub use message::{Message, Node, Piece, TEXT_LIMIT};
pub use number::MessageNumber;

use protocol::Scene;

/// The key of a chat's aggregate.
pub fn key_of(scene: Scene) -> String {
    match scene {
        Scene::Group(group) => format!("scene:g{group}"),
        Scene::Private(user) => format!("scene:p{user}"),
    }
}
