//! Messages on their way: into their scene, or into the queue of a blocked one.

use protocol::{ChatGroup, Part, Scene, Send, SendKey, ToIngest};
use rules::SeatSet;

use super::item::{Item, Reader};
use super::outlet::Outlet;
use super::say::Draft;
use super::{Game, Pending};
use crate::people;
use crate::step::Step;

impl Game {
    /// Sends a message to where its reader is now.
    pub(super) fn dispatch(&mut self, step: &mut Step<'_>, item: Item) {
        let Some(scene) = self.scene_of(&item.reader) else {
            self.without_scene(step, &item);
            return;
        };
        match self.blocked.get(scene) {
            Some(outlet) if outlet.standing && !item.is_notice() => {
                step.note_dropped(&item.base, "blocked");
            }
            Some(outlet) => {
                outlet.queue(item);
                self.try_first(step, scene);
            }
            None => self.post(step, scene, item),
        }
    }

    /// Sends the first message that waits for a blocked scene, to see whether it gets through,
    /// unless one is on its way or the platform would have said so.
    pub(super) fn try_first(&mut self, step: &mut Step<'_>, scene: Scene) {
        if self.pending.values().any(|pending| pending.scene == scene) {
            return;
        }
        let outlet = self.blocked.get(scene).filter(|outlet| !outlet.standing);
        if let Some(item) = outlet.and_then(Outlet::first) {
            self.post(step, scene, item);
        }
    }

    pub(super) fn post(&mut self, step: &mut Step<'_>, scene: Scene, mut item: Item) {
        let key = item.key();
        item.sends += 1;
        let reply = item
            .reply
            .iter()
            .filter(|_| matches!(scene, Scene::Group(_)));
        let text = Part::Text(item.text.clone());
        let parts = reply.cloned().map(Part::Reply).chain([text]).collect();
        step.ingest(&ToIngest::Send {
            send: Send {
                key: key.clone(),
                scene,
                parts,
                repeat: item.repeat,
                kind: item.kind,
            },
            answer: self.id.to_string(),
        });
        self.pending.insert(key, Pending { scene, item });
    }

    /// Where the reader is now.
    pub(super) fn scene_of(&self, reader: &Reader) -> Option<Scene> {
        if let Reader::User(user) = reader {
            return Some(Scene::Private(*user));
        }
        let Some(roster) = &self.roster else {
            // Nothing is secret before there is a roster: a refused 开局 is answered in its group.
            return match reader {
                Reader::Group(group) => Some(Scene::Group(*group)),
                _ => None,
            };
        };
        match reader {
            Reader::Seat(seat) => people::user_of(roster, *seat).map(Scene::Private),
            Reader::User(user) => Some(Scene::Private(*user)),
            Reader::Director(user) => roster
                .directors
                .contains(user)
                .then_some(Scene::Private(*user)),
            Reader::Square => Some(Scene::Group(roster.square)),
            Reader::Room { name, .. } => {
                let (group, _) = self.rooms.get(name)?.usable(roster)?;
                Some(Scene::Group(group))
            }
            Reader::Group(group) => {
                (*group == roster.square).then_some(Scene::Group(roster.square))
            }
        }
    }

    pub(super) fn is_square(&self, group: ChatGroup) -> bool {
        self.roster
            .as_ref()
            .is_some_and(|roster| roster.square == group)
    }

    /// There is no place where the reader could read this.
    fn without_scene(&mut self, step: &mut Step<'_>, item: &Item) {
        match &item.reader {
            Reader::Room { name, seats } => {
                self.write_to_members_instead(step, name, *seats, item);
            }
            // Whoever does not direct the game any more need not know.
            Reader::Director(_) => step.note_dropped(&item.base, "directs no more"),
            Reader::Seat(_) | Reader::Square | Reader::User(_) | Reader::Group(_) => {
                self.hand_over(step, item);
            }
        }
    }

    /// What a chat group cannot take goes to those whom it would have reached there.
    pub(super) fn write_to_members_instead(
        &mut self,
        step: &mut Step<'_>,
        room: &str,
        seats: SeatSet,
        item: &Item,
    ) {
        let key: SendKey = item.key();
        let draft = Draft {
            key: &key,
            text: &item.text,
            reply: None,
            kind: item.kind,
            origin: item.origin,
        };
        self.write_to_members(step, room, seats, &draft);
    }

    /// A roster has changed: what waits for a scene where its reader is no more follows.
    pub(super) fn follow_readers(&mut self, step: &mut Step<'_>) {
        let mut astray = Vec::new();
        let mut blocked = std::mem::take(&mut self.blocked);
        for (scene, outlet) in blocked.iter_mut() {
            astray.extend(outlet.take(|item| self.scene_of(&item.reader) != Some(scene)));
        }
        self.blocked = blocked;
        for item in astray {
            self.dispatch(step, item);
        }
    }
}
