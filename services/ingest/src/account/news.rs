//! News of groups, handed to the game or the pool that they concern.

use kit::Effects;
use protocol::{
    ChatGroup, MessageRef, Phrase, PoolIn, Scene, SendKey, Service, ToNight, ToPublish, ToTally,
};
use rules::Time;
use serde_json::json;

use super::directory::GroupUse;
use super::{Account, After, Task, pool_key};
use crate::input::{FriendAsked, News};

impl Account {
    /// A vote that is taken back stands; tally tells the director.
    pub(super) fn recalled(&self, scene: Scene, message: &MessageRef, effects: &mut Effects) {
        let square = match scene {
            Scene::Group(group) => self.games.of_square(group),
            Scene::Private(_) => None,
        };
        match square {
            Some(roster) => effects.send(
                Service::Tally,
                roster.game.to_string(),
                &ToTally::Recalled {
                    message: message.clone(),
                },
            ),
            None => effects.ignore = true,
        }
    }

    /// Who plays, directs or may want to sign up must be reachable in private. All others are
    /// left to whoever looks after the account.
    pub(super) fn friend_asked(&mut self, asked: &FriendAsked, effects: &mut Effects) {
        if !self.games.knows(asked.user) && !self.has_lobby() {
            effects.ignore = true;
            return;
        }
        let task = Task::Befriend {
            key: SendKey(format!("ingest/{}/friend/{}", self.id, asked.flag)),
            asked: asked.clone(),
        };
        self.jobs.add(task, None, After::default());
    }

    /// Directors learn of an absence when it is over: before that nobody could tell them.
    pub(super) fn was_away(&self, from: Time, to: Time, effects: &mut Effects) {
        let args = json!({"from": from.0, "to": to.0});
        let phrase = Phrase::new("ingest/was-away", args);
        for roster in self.games.live() {
            let phrase = phrase.clone();
            let trouble = ToNight::Trouble { phrase };
            effects.send(Service::Night, roster.game.to_string(), &trouble);
        }
        effects.ignore = effects.out.is_empty();
    }

    /// News of a square are its game's, unless they are about its door, which people keep
    /// themselves. All other groups may be the pool's, which knows what to do with each.
    pub(super) fn news(&self, group: ChatGroup, news: &News, effects: &mut Effects) {
        let body = message(group, news);
        match (self.use_of(group), news) {
            (GroupUse::Square(_), News::Asked { .. }) => effects.ignore = true,
            (GroupUse::Square(game), _) => {
                effects.send(Service::Publish, game.to_string(), &body);
            }
            (GroupUse::Private(..) | GroupUse::Stranger, _) => effects.send(
                Service::Publish,
                pool_key(self.id),
                &ToPublish::Pool(PoolIn::News {
                    group,
                    news: Box::new(body),
                }),
            ),
        }
    }
}

fn message(group: ChatGroup, news: &News) -> ToPublish {
    match news {
        News::Asked { user, flag } => ToPublish::JoinRequest {
            group,
            user: *user,
            flag: flag.clone(),
        },
        News::Joined(user) => ToPublish::Joined { group, user: *user },
        News::Left(user) => ToPublish::Left { group, user: *user },
        News::Members(users) => ToPublish::Members {
            group,
            users: users.clone(),
        },
        News::Standing(trouble) => ToPublish::Standing {
            group,
            trouble: *trouble,
        },
    }
}
