//! The world that the stand-in keeps: people, groups, and the tables of visitors. What is said
//! in a chat lives apart, in [`crate::scene`], so that a step here costs the same however long
//! people have talked.
//!
//! Pure: time and order come in with each step, and a step either changes something and says
//! what, or is refused and changes nothing.

mod change;
mod group;
mod groups;
mod membership;
mod people;
mod refusal;
mod tables;

use protocol::{ChatGroup, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

pub use change::{Change, Departure, Happening};
pub use group::Group;
pub use membership::{Door, Founding, GroupChange, Member, Rank, Request, Sight, Verdict};
pub use people::{Newcomer, Person};
pub use refusal::Refusal;
pub use tables::{Cast, Pace, Table};

use groups::Groups;
use people::People;
use tables::Tables;

/// The first number that the world gives to a person who comes without one.
const FIRST_PERSON: u64 = 20_001;
/// The first number that the world gives to a group that comes without one.
const FIRST_GROUP: u64 = 600_001;

/// Where a step stands in the order of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// Its place in the one order of all chats; grows, with gaps.
    pub seq: u64,
    /// When.
    pub at: Time,
}

/// People, groups and tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct World {
    bot: UserId,
    people: People,
    groups: Groups,
    tables: Tables,
    reserved: u64,
}

impl World {
    /// An empty world with the bot in it.
    pub fn new(bot: UserId) -> Self {
        Self {
            bot,
            people: People::new(FIRST_PERSON),
            groups: Groups::new(FIRST_GROUP),
            tables: Tables::default(),
            reserved: 0,
        }
    }

    /// The account that the other side speaks with.
    pub fn bot(&self) -> UserId {
        self.bot
    }

    /// Places in the order of all chats up to and including this one may have been given away.
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// A person; `None` for a stranger to this world (the bot is none of the people).
    pub fn person(&self, user: UserId) -> Option<&Person> {
        self.people.get(user)
    }

    /// Everybody, by number.
    pub fn people(&self) -> impl Iterator<Item = (UserId, &Person)> {
        self.people.iter()
    }

    /// A group.
    pub fn group(&self, group: ChatGroup) -> Option<&Group> {
        self.groups.get(group)
    }

    /// Every group, by number.
    pub fn groups(&self) -> impl Iterator<Item = (ChatGroup, &Group)> {
        self.groups.iter()
    }

    /// The groups of which a person has ever seen a line: those the person is in, and those left.
    pub fn groups_seen(&self, user: UserId) -> impl Iterator<Item = (ChatGroup, &Group)> {
        self.groups.seen_by(user)
    }

    /// The requests to join that this person may answer, newest first; also those answered.
    pub fn requests(&self, by: UserId) -> impl Iterator<Item = (ChatGroup, &Request)> {
        self.groups.requests(by)
    }

    /// The group that a request to join is about, and the request.
    pub fn request(&self, flag: &str) -> Option<(ChatGroup, &Request)> {
        self.groups.request(flag)
    }

    /// A visitor's table by its secret name.
    pub fn table(&self, token: &str) -> Option<&Table> {
        self.tables.get(token)
    }

    /// Every table that is still played at.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Table)> {
        self.tables.open()
    }

    /// The name that a group shows for someone: the card there, else the nickname.
    pub fn shown_name(&self, group: Option<ChatGroup>, user: UserId) -> &str {
        let card = group
            .and_then(|group| self.group(group))
            .and_then(|group| group.member(user))
            .map(|member| member.card.as_str())
            .filter(|card| !card.is_empty());
        card.or_else(|| self.person(user).map(|person| person.nickname.as_str()))
            .unwrap_or(if user == self.bot { BOT_NAME } else { "" })
    }

    /// May this person write to the bot in private? Friends may, and whoever shares a group.
    pub fn may_write_to_bot(&self, user: UserId) -> Result<PrivateDoor, Refusal> {
        let person = self.person(user).ok_or(Refusal::NoSuchPerson(user))?;
        if person.friend {
            return Ok(PrivateDoor::Friend);
        }
        self.groups
            .iter()
            .find(|(_, group)| group.has(user) && group.has(self.bot))
            .map(|(group, _)| PrivateDoor::Temporary { by_way_of: group })
            .ok_or(Refusal::NoWayToBot(user))
    }

    /// Takes a step, or refuses it and stays as it was.
    pub fn apply(&mut self, when: Moment, change: &Change) -> Result<Vec<Happening>, Refusal> {
        match change {
            Change::Reserve { upto } => {
                self.reserved = self.reserved.max(*upto);
                Ok(Vec::new())
            }
            Change::Register { people } => self.people.register(self.bot, people),
            Change::Befriend { user, friend } => self.people.befriend(*user, *friend),
            Change::Found(foundings) => {
                self.everybody_exists(foundings.iter().flat_map(Founding::people))?;
                self.groups.found(when, foundings)
            }
            Change::InGroup { group, change } => {
                if let Some(user) = change.subject() {
                    self.everybody_exists([user].into_iter())?;
                }
                self.groups.apply(when, *group, change)
            }
            Change::Settle { flag, by, verdict } => self.groups.settle(when, flag, *by, verdict),
            Change::Seat { token, table } => self.tables.seat(token, table),
            Change::SetPace { token, pace } => self.tables.set_pace(token, *pace),
            Change::Rise { token } => self.tables.rise(token),
        }
    }

    fn everybody_exists(&self, mut users: impl Iterator<Item = UserId>) -> Result<(), Refusal> {
        match users.find(|user| *user != self.bot && self.person(*user).is_none()) {
            Some(stranger) => Err(Refusal::NoSuchPerson(stranger)),
            None => Ok(()),
        }
    }
}

/// The bot's nickname.
pub const BOT_NAME: &str = "版杀主持";

/// How someone came to write to the bot in private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateDoor {
    /// As a friend.
    Friend,
    /// In a temporary chat, opened from a group that both are in.
    Temporary {
        /// That group.
        by_way_of: ChatGroup,
    },
}

#[cfg(test)]
mod tests;
