//! The pool of chat groups of one account: who has which group.

use std::collections::BTreeMap;

use kit::Effects;
use protocol::{
    AccountId, ChatGroup, Directory, DirectoryGroup, GameId, Phrase, PlatformAct, PoolIn, Refused,
    SendKey, Service, ToIngest, ToPublish,
};
use serde::{Deserialize, Serialize};

use crate::Settings;

/// The pool. Groups that have been idle longest are given out first. Games that found it empty
/// are served in the order in which they asked, as groups come back.
///
/// Each of its steps takes a snapshot: what it decided depends on the settings of that day and
/// must not be decided again with others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Pool {
    account: AccountId,
    leases: BTreeMap<ChatGroup, Lease>,
    /// Groups that were given back, the longest ago first.
    returned: Vec<ChatGroup>,
    waiting: Vec<(GameId, String)>,
    /// Groups that the bot was removed from.
    lost: Vec<ChatGroup>,
    /// How many leases there have ever been.
    count: u64,
    /// How many acts and directories have gone out.
    sent: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Lease {
    game: GameId,
    name: String,
    number: u64,
}

impl Pool {
    /// A pool of which nothing is given out.
    pub fn new(account: AccountId) -> Self {
        Self {
            account,
            leases: BTreeMap::new(),
            returned: Vec::new(),
            waiting: Vec::new(),
            lost: Vec::new(),
            count: 0,
            sent: 0,
        }
    }

    /// Takes an input.
    pub fn handle(&mut self, settings: &Settings, input: &ToPublish) -> Effects {
        // Anything else is the outcome of an act of the pool's own: refusing a request. Nothing
        // depends on it.
        let ToPublish::Pool(input) = input else {
            return Effects::ignored();
        };
        let mut effects = Effects {
            snapshot: true,
            ..Effects::default()
        };
        let before = self.clone();
        match input {
            PoolIn::Take { game, name } => self.take(settings, *game, name, &mut effects),
            PoolIn::Give { game, group } => self.give(settings, *game, *group, &mut effects),
            PoolIn::News { group, news } => self.news(settings, *group, news, &mut effects),
        }
        effects.ignore = effects.out.is_empty() && *self == before;
        effects
    }

    fn take(&mut self, settings: &Settings, game: GameId, name: &str, effects: &mut Effects) {
        let had = self
            .leases
            .iter()
            .find(|(_, l)| l.game == game && l.name == name);
        if let Some((group, lease)) = had {
            answer(game, name, Some(*group), lease.number, effects);
        } else if let Some(group) = self.next_idle(settings) {
            self.lease(group, game, name, effects);
            self.publish_directory(effects);
        } else {
            let waiter = (game, name.to_owned());
            if !self.waiting.contains(&waiter) {
                self.waiting.push(waiter);
            }
            answer(game, name, None, 0, effects);
        }
    }

    fn give(&mut self, settings: &Settings, game: GameId, group: ChatGroup, effects: &mut Effects) {
        if self
            .leases
            .get(&group)
            .is_none_or(|lease| lease.game != game)
        {
            return;
        }
        self.leases.remove(&group);
        self.returned.retain(|g| *g != group);
        self.returned.push(group);
        self.serve_waiting(settings, effects);
        self.publish_directory(effects);
    }

    fn news(
        &mut self,
        settings: &Settings,
        group: ChatGroup,
        news: &ToPublish,
        effects: &mut Effects,
    ) {
        if let ToPublish::Standing { trouble, .. } = news {
            self.lost.retain(|g| *g != group);
            if *trouble == Some(Refused::Removed) {
                self.lost.push(group);
            }
        }
        if let Some(lease) = self.leases.get(&group) {
            effects.send(Service::Publish, lease.game.to_string(), news);
        } else if let ToPublish::JoinRequest { group, user, flag } = news {
            self.reject(settings, *group, *user, flag, effects);
        } else if let ToPublish::Standing { trouble: None, .. } = news {
            let before = self.leases.len();
            self.serve_waiting(settings, effects);
            if self.leases.len() > before {
                self.publish_directory(effects);
            }
        }
    }

    /// A group of the settings that nobody has: one never used, else the one idle longest.
    fn next_idle(&self, settings: &Settings) -> Option<ChatGroup> {
        let idle_since = |group: &ChatGroup| {
            self.returned
                .iter()
                .position(|g| g == group)
                .map_or(0, |place| place + 1)
        };
        let groups = settings.pools.of(self.account).iter().copied();
        groups
            .filter(|group| !self.leases.contains_key(group) && !self.lost.contains(group))
            .min_by_key(idle_since)
    }

    fn lease(&mut self, group: ChatGroup, game: GameId, name: &str, effects: &mut Effects) {
        self.count += 1;
        let lease = Lease {
            game,
            name: name.to_owned(),
            number: self.count,
        };
        answer(game, name, Some(group), lease.number, effects);
        self.leases.insert(group, lease);
    }

    fn serve_waiting(&mut self, settings: &Settings, effects: &mut Effects) {
        while !self.waiting.is_empty() {
            let Some(group) = self.next_idle(settings) else {
                return;
            };
            let (game, name) = self.waiting.remove(0);
            self.lease(group, game, &name, effects);
        }
    }

    fn publish_directory(&mut self, effects: &mut Effects) {
        self.sent += 1;
        let groups = self.leases.iter().map(|(group, lease)| DirectoryGroup {
            group: *group,
            game: lease.game,
            name: lease.name.clone(),
        });
        let directory = Directory {
            version: self.sent,
            groups: groups.collect(),
        };
        effects.send(
            Service::Ingest,
            format!("account:{}", self.account),
            &ToIngest::Directory(directory),
        );
    }

    fn reject(
        &mut self,
        settings: &Settings,
        group: ChatGroup,
        user: protocol::UserId,
        flag: &str,
        effects: &mut Effects,
    ) {
        self.sent += 1;
        let reason = settings.texts.render(&Phrase::plain("groups/idle"));
        let act = ToIngest::Act {
            key: SendKey(format!("pool:{}/act/{}", self.account, self.sent)),
            act: PlatformAct::Answer {
                group,
                user,
                flag: flag.to_owned(),
                approve: false,
                reason: reason.unwrap_or_default(),
            },
            answer: format!("pool:{}", self.account),
        };
        effects.send(Service::Ingest, format!("account:{}", self.account), &act);
    }
}

fn answer(game: GameId, name: &str, group: Option<ChatGroup>, lease: u64, effects: &mut Effects) {
    let given = ToPublish::GroupGiven {
        name: name.to_owned(),
        group,
        lease,
    };
    effects.send(Service::Publish, game.to_string(), &given);
}

#[cfg(test)]
mod tests;
