//! What became of messages, and what is done about those that did not arrive.

use protocol::{
    ChatGroup, Phrase, Refused, RosterState, Scene, SendKey, SendOutcome, ToNight, UserId,
};
use serde_json::json;

use super::item::{Item, Origin, Reader};
use super::outlet::Outlet;
use super::{Game, Pending};
use crate::people;
use crate::room::News;
use crate::step::Step;

impl Game {
    /// Takes the outcome of a send. False when nobody waits for it.
    pub(super) fn sent(
        &mut self,
        step: &mut Step<'_>,
        key: &SendKey,
        outcome: &SendOutcome,
    ) -> bool {
        let Some(Pending { scene, item }) = self.pending.remove(key) else {
            return false;
        };
        match outcome {
            SendOutcome::Done { .. } => {
                self.arrived(step, scene);
                // It may have left just before the platform said that nothing else will.
                if self
                    .blocked
                    .get(scene)
                    .is_some_and(|outlet| !outlet.standing)
                {
                    self.opened(step, scene);
                }
            }
            SendOutcome::Refused { why, .. } => self.refused(step, scene, item, *why),
            SendOutcome::Unknown { .. } => self.unclear(step, scene, item),
        }
        true
    }

    /// Something arrived in private: night deals only to people who are known to be reachable.
    fn arrived(&mut self, step: &mut Step<'_>, scene: Scene) {
        let Scene::Private(user) = scene else { return };
        let signed_up = self.roster.as_ref().is_some_and(|roster| {
            roster.state == RosterState::Lobby && roster.seats.iter().any(|s| s.user == user)
        });
        if signed_up && self.reached.insert(user) {
            step.night(&ToNight::Reach {
                user,
                reachable: true,
            });
        }
    }

    /// The bot's standing in a group has changed.
    pub(super) fn standing(
        &mut self,
        step: &mut Step<'_>,
        group: ChatGroup,
        trouble: Option<Refused>,
    ) -> bool {
        if !self.is_square(group) {
            return self.room_news(step, group, News::Standing(trouble));
        }
        let scene = Scene::Group(group);
        match trouble {
            Some(why) => self.block(step, scene, why, true),
            None => self.opened(step, scene),
        }
        true
    }

    /// Something got through: what waited for it follows.
    fn opened(&mut self, step: &mut Step<'_>, scene: Scene) {
        let Some(outlet) = self.blocked.remove(scene) else {
            return;
        };
        if let (Scene::Private(user), Refused::NotReachable) = (scene, outlet.why)
            && self.reached.insert(user)
        {
            step.night(&ToNight::Reach {
                user,
                reachable: true,
            });
        }
        for item in outlet.into_queue() {
            self.dispatch(step, item);
        }
    }

    fn refused(&mut self, step: &mut Step<'_>, scene: Scene, item: Item, why: Refused) {
        let concerns_scene = match scene {
            Scene::Private(_) => matches!(why, Refused::NotReachable | Refused::Muted),
            Scene::Group(_) => matches!(why, Refused::Muted | Refused::Removed | Refused::NoRight),
        };
        if let Reader::Room { name, seats } = &item.reader {
            if concerns_scene && let Scene::Group(group) = scene {
                self.room_news(step, group, News::Standing(Some(why)));
            }
            self.write_to_members_instead(step, name, *seats, &item);
        } else if concerns_scene {
            self.block(step, scene, why, false);
            self.wait(step, scene, item);
        } else if item.is_notice() {
            self.hand_over(step, &item);
        } else {
            step.note_dropped(&item.base, "refused");
        }
    }

    /// Puts a message back into the queue of its blocked scene.
    fn wait(&mut self, step: &mut Step<'_>, scene: Scene, item: Item) {
        if self.scene_of(&item.reader) != Some(scene) {
            // The seat has passed to somebody else meanwhile.
            self.dispatch(step, item);
            return;
        }
        let Some(outlet) = self.blocked.get(scene) else {
            return;
        };
        outlet.keep_notices();
        if item.is_notice() {
            outlet.queue(item);
        } else {
            step.note_dropped(&item.base, "refused");
        }
    }

    /// Nothing gets through to a scene. Whoever can do something about it hears of it once.
    fn block(&mut self, step: &mut Step<'_>, scene: Scene, why: Refused, standing: bool) {
        if let Some(outlet) = self.blocked.get(scene) {
            outlet.standing |= standing;
            if !standing || outlet.why == why {
                return;
            }
            outlet.why = why;
        } else {
            self.blocked.insert(scene, Outlet::new(why, standing));
        }
        match scene {
            Scene::Private(user) => self.person_blocked(step, user, why),
            Scene::Group(_) => {
                let why = match why {
                    Refused::Removed => "removed",
                    Refused::Muted => "muted",
                    _ => "other",
                };
                self.tell_directors(step, "publish/square-blocked", json!({"why": why}), None);
            }
        }
    }

    /// Nothing gets through to a person. Night hears who is out of reach, and tells it of seats;
    /// the rest is publish's to tell.
    fn person_blocked(&mut self, step: &mut Step<'_>, user: UserId, why: Refused) {
        let unreachable = why == Refused::NotReachable;
        if unreachable {
            self.reached.remove(&user);
            step.night(&ToNight::Reach {
                user,
                reachable: false,
            });
        }
        let Some(roster) = &self.roster else { return };
        if roster.directors.contains(&user) {
            self.director_blocked(step, user);
        } else if people::takes_part(roster, user) && !unreachable {
            let args = json!({"who": people::name_of(roster, user)});
            self.tell_directors(step, "publish/person-blocked", args, None);
        }
    }

    fn director_blocked(&mut self, step: &mut Step<'_>, user: UserId) {
        let blocked = |director: &UserId| self.blocked.is_blocked(Scene::Private(*director));
        if self.directors().iter().all(blocked) {
            // The square is the only place left where they may read it.
            let phrase = Phrase::plain("publish/director-unreachable");
            self.tell(step, &Reader::Square, &phrase, Origin::Trouble);
        } else {
            let args = json!({"who": user});
            self.tell_directors(step, "publish/director-blocked", args, Some(user));
        }
    }

    /// Nobody knows what became of it.
    fn unclear(&mut self, step: &mut Step<'_>, scene: Scene, mut item: Item) {
        let public = matches!(item.reader, Reader::Square | Reader::Group(_));
        if !public && !item.repeat {
            mark_repeat(step, &mut item);
            if self.blocked.is_blocked(scene) {
                self.wait(step, scene, item);
            } else {
                self.dispatch(step, item);
            }
        } else if !item.is_notice() {
            step.note_dropped(&item.base, "unclear");
        } else if public {
            // Said twice would be as bad as not at all: somebody has to look.
            let args = json!({"text": item.text});
            if item.origin == Origin::Said {
                self.tell_directors(step, "publish/square-unclear", args, None);
            }
            step.note_dropped(&item.base, "unclear");
        } else {
            self.hand_over(step, &item);
        }
    }

    /// Asks the directors to pass a message on by hand.
    pub(super) fn hand_over(&mut self, step: &mut Step<'_>, item: &Item) {
        step.note_dropped(&item.base, "handed to the directors");
        if item.origin == Origin::Trouble || !item.is_notice() {
            return;
        }
        let about = match item.reader {
            Reader::User(user) | Reader::Director(user) => Some(user),
            _ => None,
        };
        let args = json!({"who": self.reader_name(&item.reader), "text": item.text});
        self.tell_directors(step, "publish/hand-over", args, about);
    }

    fn reader_name(&self, reader: &Reader) -> String {
        let by_roster = |user: UserId| {
            self.roster
                .as_ref()
                .map_or_else(|| user.to_string(), |r| people::name_of(r, user))
        };
        match reader {
            Reader::Seat(seat) => {
                let user = self.roster.as_ref().and_then(|r| people::user_of(r, *seat));
                user.map_or_else(|| format!("{seat}号"), by_roster)
            }
            Reader::User(user) | Reader::Director(user) => by_roster(*user),
            Reader::Square => "群里".to_owned(),
            Reader::Room { name, .. } => name.clone(),
            Reader::Group(group) => group.to_string(),
        }
    }
}

fn mark_repeat(step: &Step<'_>, item: &mut Item) {
    item.repeat = true;
    match step.texts.render(&Phrase::plain("publish/repeat")) {
        Ok(mark) => item.text = format!("{mark}{}", item.text),
        Err(error) => tracing::error!(%error, "a repeat cannot be marked"),
    }
}
