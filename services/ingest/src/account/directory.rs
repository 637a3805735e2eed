//! Who is who on an account: its games, their people, their groups.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{AccountId, ChatGroup, GameId, Roster, RosterState, Speaker, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

use super::Account;

/// How long a group counts as taken while its new game has not been heard of, in milliseconds.
const OPENING: i64 = 10_000;
/// So many games that are over are known by number.
const MOST_OVER: usize = 1000;

/// What a group is to the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GroupUse {
    /// The square of this game.
    Square(GameId),
    /// A private group of this game.
    Private(GameId, String),
    /// Nothing.
    Stranger,
}

/// The games of an account.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Games {
    /// The highest number given so far.
    last: u32,
    live: BTreeMap<u32, Roster>,
    over: BTreeSet<u32>,
    /// Groups in which a game was just opened, and when that was taken.
    opening: BTreeMap<u64, i64>,
}

impl Games {
    /// Takes a roster; false when a newer one is known.
    pub(super) fn put(&mut self, roster: &Roster) -> bool {
        let number = roster.game.number;
        let old = self.live.get(&number).map_or(0, |old| old.version);
        if self.over.contains(&number) || roster.version <= old {
            return false;
        }
        self.last = self.last.max(number);
        self.opening.remove(&roster.square.0);
        if roster.state == RosterState::Over {
            self.live.remove(&number);
            self.over.insert(number);
            if self.over.len() > MOST_OVER {
                self.over.pop_first();
            }
        } else {
            self.live.insert(number, roster.clone());
        }
        true
    }

    /// Games that people sign up for or play.
    pub(super) fn live(&self) -> impl Iterator<Item = &Roster> {
        self.live.values()
    }

    /// The live game with this square.
    pub(super) fn of_square(&self, group: ChatGroup) -> Option<&Roster> {
        self.live().find(|roster| roster.square == group)
    }

    /// Has somebody a seat in a live game, or directs one?
    pub(super) fn knows(&self, user: UserId) -> bool {
        self.live().any(|roster| concerns(roster, user))
    }

    /// The live games in which somebody has a seat, or which they direct.
    pub(super) fn of_person(&self, user: UserId) -> Vec<&Roster> {
        self.live()
            .filter(|roster| concerns(roster, user))
            .collect()
    }

    /// Everyone with a seat or directing.
    pub(super) fn people(&self) -> BTreeSet<UserId> {
        self.live()
            .flat_map(|roster| {
                roster
                    .seats
                    .iter()
                    .map(|seat| seat.user)
                    .chain(roster.directors.iter().copied())
            })
            .collect()
    }

    /// The live game that a line names in front, and the line without the name.
    pub(super) fn named<'a>(&self, line: &'a str) -> Option<(&Roster, &'a str)> {
        self.live()
            .filter_map(|roster| {
                let rest = line.strip_prefix(roster.name.as_str())?;
                let words = rest.trim_start_matches([' ', '\n', ':', '：', ',', '，', '、']);
                (words.len() < rest.len() && !words.is_empty()).then_some((roster, words))
            })
            .max_by_key(|(roster, _)| roster.name.len())
    }

    /// Gives a number to a game that is opened in a group; `None` when one was just opened there.
    pub(super) fn open(
        &mut self,
        account: AccountId,
        square: ChatGroup,
        now: Time,
    ) -> Option<GameId> {
        self.opening.retain(|_, at| now.0 - *at < OPENING);
        if self.opening.contains_key(&square.0) {
            return None;
        }
        self.opening.insert(square.0, now.0);
        self.last += 1;
        Some(GameId {
            account,
            number: self.last,
        })
    }
}

fn concerns(roster: &Roster, user: UserId) -> bool {
    roster.directors.contains(&user) || roster.seats.iter().any(|seat| seat.user == user)
}

/// Who somebody is in a game. A seat takes away a director's powers.
pub(super) fn speaker(roster: &Roster, user: UserId, nickname: &str) -> Speaker {
    let seat = roster
        .seats
        .iter()
        .find(|seat| seat.user == user)
        .map(|seat| seat.seat);
    Speaker {
        user,
        nickname: nickname.to_owned(),
        seat,
        director: seat.is_none() && roster.directors.contains(&user),
    }
}

impl Account {
    /// What a group is used for.
    pub(crate) fn use_of(&self, group: ChatGroup) -> GroupUse {
        if let Some(roster) = self.games.of_square(group) {
            return GroupUse::Square(roster.game);
        }
        match self
            .directory
            .groups
            .iter()
            .find(|entry| entry.group == group)
        {
            Some(entry) => GroupUse::Private(entry.game, entry.name.clone()),
            None => GroupUse::Stranger,
        }
    }
}
