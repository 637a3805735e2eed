//! A game's desk: what is said to whom, what became of it, and the game's private groups.

mod deliver;
mod item;
mod outcome;
mod outlet;
mod rooms;
mod said;
mod say;

use std::collections::{BTreeMap, BTreeSet};

use kit::Effects;
use protocol::{GameId, Roster, RosterState, Scene, SendKey, ToPublish, UserId};
use serde::{Deserialize, Serialize};
use texts::Texts;

use crate::room::{News, Room};
use crate::step::Step;
use item::Item;
use outlet::Outlets;
use said::Said;

/// The desk of one game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Game {
    id: GameId,
    roster: Option<Roster>,
    said: Said,
    /// What has been sent and not been answered for.
    pending: BTreeMap<SendKey, Pending>,
    blocked: Outlets,
    /// People who have signed up and got something in private.
    #[serde(default)]
    reached: BTreeSet<UserId>,
    rooms: BTreeMap<String, Room>,
    /// The rooms of which the directors know that the pool has no group for them.
    known_lacking: BTreeSet<String>,
    /// The newest lease that the pool has told of.
    newest_lease: u64,
    /// How many messages there have been: their order.
    places: u64,
    /// How many acts and sayings of the desk's own there have been: their names.
    own: u64,
}

/// A message that was sent there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Pending {
    scene: Scene,
    item: Item,
}

impl Game {
    /// The desk of a game of which nothing is known yet.
    pub fn new(id: GameId) -> Self {
        Self {
            id,
            roster: None,
            said: Said::default(),
            pending: BTreeMap::new(),
            blocked: Outlets::default(),
            reached: BTreeSet::new(),
            rooms: BTreeMap::new(),
            known_lacking: BTreeSet::new(),
            newest_lease: 0,
            places: 0,
            own: 0,
        }
    }

    /// Is it over, everything said, and all its groups given back?
    pub fn is_over(&self) -> bool {
        let over = |roster: &Roster| roster.state == RosterState::Over;
        self.roster.as_ref().is_some_and(over) && self.pending.is_empty() && self.rooms.is_empty()
    }

    /// Takes an input. What is known already (an older roster, a repeated saying, the outcome of
    /// something nobody waits for) is not worth a commit.
    pub fn handle(&mut self, texts: &Texts, input: &ToPublish) -> Effects {
        let mut step = Step::new(texts, self.id);
        let news = match input {
            ToPublish::Roster(roster) => self.take_roster(&mut step, roster),
            ToPublish::Say(say) => self.say(&mut step, say),
            ToPublish::Groups(plans) => self.plan_rooms(&mut step, plans),
            ToPublish::Sent { key, outcome } => self.sent(&mut step, key, outcome),
            ToPublish::ActDone { act, outcome, .. } => self.acted(&mut step, act, outcome),
            ToPublish::GroupGiven { name, group, lease } => {
                let group = group.map(|group| (group, *lease));
                self.group_given(&mut step, name, group)
            }
            ToPublish::JoinRequest { group, user, flag } => {
                self.room_news(&mut step, *group, News::Request(*user, flag))
            }
            ToPublish::Joined { group, user } => {
                self.room_news(&mut step, *group, News::Joined(*user))
            }
            ToPublish::Left { group, user } => self.room_news(&mut step, *group, News::Left(*user)),
            ToPublish::Members { group, users } => {
                self.room_news(&mut step, *group, News::Members(users))
            }
            ToPublish::Standing { group, trouble } => self.standing(&mut step, *group, *trouble),
            // Only a pool can be sent these.
            ToPublish::Pool(_) => false,
        };
        if news {
            step.finish()
        } else {
            Effects::ignored()
        }
    }

    fn next_place(&mut self) -> u64 {
        self.places += 1;
        self.places
    }

    /// A name for something of the desk's own.
    fn own_key(&mut self, what: &str) -> SendKey {
        self.own += 1;
        SendKey(format!("{}/{what}/{}", self.id, self.own))
    }
}

#[cfg(test)]
mod tests;
