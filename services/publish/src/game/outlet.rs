//! A scene into which nothing gets through, and what waits for it.

use protocol::{Refused, Scene};
use serde::{Deserialize, Serialize};

use super::item::Item;

/// A blocked scene. Whatever is said there queues up; each new saying lets the first of the
/// queue be tried, and when one gets through the others follow in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outlet {
    /// What stands in the way.
    pub why: Refused,
    /// The platform has said so itself and will say when it is over: nothing is tried before,
    /// as sending into a muted group endangers the account.
    pub standing: bool,
    queue: Vec<Item>,
}

impl Outlet {
    /// A scene that has just turned out to be blocked.
    pub fn new(why: Refused, standing: bool) -> Self {
        Self {
            why,
            standing,
            queue: Vec::new(),
        }
    }

    /// Puts a message where it belongs in the order.
    pub fn queue(&mut self, item: Item) {
        let at = self.queue.partition_point(|other| other.place < item.place);
        self.queue.insert(at, item);
    }

    /// Forgets answers and prompts: they are stale when the scene opens again.
    pub fn keep_notices(&mut self) {
        self.queue.retain(Item::is_notice);
    }

    /// Takes the first message of the queue.
    pub fn first(&mut self) -> Option<Item> {
        (!self.queue.is_empty()).then(|| self.queue.remove(0))
    }

    /// Takes those that `which` says.
    pub fn take(&mut self, which: impl Fn(&Item) -> bool) -> Vec<Item> {
        let (taken, kept) = std::mem::take(&mut self.queue).into_iter().partition(which);
        self.queue = kept;
        taken
    }

    /// Takes all.
    pub fn into_queue(self) -> Vec<Item> {
        self.queue
    }
}

/// The blocked scenes of a game; as a rule none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Outlets(Vec<(Scene, Outlet)>);

impl Outlets {
    /// The scene's outlet, when it is blocked.
    pub fn get(&mut self, scene: Scene) -> Option<&mut Outlet> {
        self.0
            .iter_mut()
            .find(|(s, _)| *s == scene)
            .map(|(_, outlet)| outlet)
    }

    /// Is it blocked?
    pub fn is_blocked(&self, scene: Scene) -> bool {
        self.0.iter().any(|(s, _)| *s == scene)
    }

    /// It is blocked now.
    pub fn insert(&mut self, scene: Scene, outlet: Outlet) {
        self.0.push((scene, outlet));
    }

    /// It is open again.
    pub fn remove(&mut self, scene: Scene) -> Option<Outlet> {
        let at = self.0.iter().position(|(s, _)| *s == scene)?;
        Some(self.0.remove(at).1)
    }

    /// All of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Scene, &mut Outlet)> {
        self.0.iter_mut().map(|(scene, outlet)| (*scene, outlet))
    }
}
