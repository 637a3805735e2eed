//! People: a number, a nickname, and whether they are the bot's friends.

use std::collections::BTreeMap;

use protocol::UserId;
use serde::{Deserialize, Serialize};

use super::change::Happening;
use super::refusal::Refusal;

/// The longest nickname, in characters.
const NICKNAME_LIMIT: usize = 60;

/// Someone in the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// The name they gave themselves.
    pub nickname: String,
    /// Is the bot's friend, so that it can write first.
    pub friend: bool,
}

/// Someone who is to come into the world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Newcomer {
    /// The number; `None`: the world picks one.
    pub id: Option<UserId>,
    /// Who.
    #[serde(flatten)]
    pub person: Person,
}

/// Everybody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct People {
    all: BTreeMap<UserId, Person>,
    next: u64,
}

impl People {
    pub(super) fn new(first: u64) -> Self {
        Self {
            all: BTreeMap::new(),
            next: first,
        }
    }

    pub(super) fn get(&self, user: UserId) -> Option<&Person> {
        self.all.get(&user)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (UserId, &Person)> {
        self.all.iter().map(|(id, person)| (*id, person))
    }

    pub(super) fn register(
        &mut self,
        bot: UserId,
        people: &[Newcomer],
    ) -> Result<Vec<Happening>, Refusal> {
        for newcomer in people {
            if newcomer.id == Some(bot) {
                return Err(Refusal::BotItself(bot));
            }
            if newcomer.person.nickname.trim().is_empty() {
                return Err(Refusal::Empty);
            }
            if newcomer.person.nickname.chars().count() > NICKNAME_LIMIT {
                return Err(Refusal::TooLong(NICKNAME_LIMIT));
            }
        }
        let mut happenings = Vec::new();
        let mut made = Vec::with_capacity(people.len());
        for newcomer in people {
            let id = newcomer.id.unwrap_or_else(|| self.free_number(bot));
            let was_friend = self.all.get(&id).is_some_and(|person| person.friend);
            if newcomer.person.friend && !was_friend {
                happenings.push(Happening::Befriended { user: id });
            }
            self.all.insert(id, newcomer.person.clone());
            made.push(id);
        }
        happenings.push(Happening::Made {
            people: made,
            groups: Vec::new(),
        });
        Ok(happenings)
    }

    pub(super) fn befriend(
        &mut self,
        user: UserId,
        friend: bool,
    ) -> Result<Vec<Happening>, Refusal> {
        let person = self.all.get_mut(&user).ok_or(Refusal::NoSuchPerson(user))?;
        let new = friend && !person.friend;
        person.friend = friend;
        Ok(if new {
            vec![Happening::Befriended { user }]
        } else {
            Vec::new()
        })
    }

    fn free_number(&mut self, bot: UserId) -> UserId {
        loop {
            let id = UserId(self.next);
            self.next += 1;
            if id != bot && !self.all.contains_key(&id) {
                return id;
            }
        }
    }
}
