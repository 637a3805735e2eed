//! One group: who is in it, with which rank and card, who may speak, and who saw what.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ChatGroup, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

use super::Moment;
use super::change::{Departure, Happening};
use super::membership::{Door, Founding, LONGEST_MUTE, Member, Rank, Sight, Stay};
use super::refusal::Refusal;

/// The longest card and the longest name of a group, in characters.
const NAME_LIMIT: usize = 60;

/// A group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// How one gets in.
    pub door: Door,
    /// Is everybody without rank muted?
    pub all_muted: bool,
    members: BTreeMap<UserId, Member>,
    stays: BTreeMap<UserId, Vec<Stay>>,
    barred: BTreeSet<UserId>,
}

impl Group {
    pub(super) fn new(when: Moment, founding: &Founding) -> Result<Self, Refusal> {
        check_name(&founding.name)?;
        let mut group = Self {
            name: founding.name.clone(),
            door: founding.door,
            all_muted: false,
            members: BTreeMap::new(),
            stays: BTreeMap::new(),
            barred: BTreeSet::new(),
        };
        group.enter(when, founding.owner, Rank::Owner);
        for (people, rank) in [
            (&founding.admins, Rank::Admin),
            (&founding.members, Rank::Member),
        ] {
            for user in people {
                if group.has(*user) {
                    continue;
                }
                group.enter(when, *user, rank);
            }
        }
        Ok(group)
    }

    /// A member.
    pub fn member(&self, user: UserId) -> Option<&Member> {
        self.members.get(&user)
    }

    /// Is this person in it?
    pub fn has(&self, user: UserId) -> bool {
        self.members.contains_key(&user)
    }

    /// Everybody in it, by number.
    pub fn members(&self) -> impl Iterator<Item = (UserId, &Member)> {
        self.members.iter().map(|(id, member)| (*id, member))
    }

    /// Its owner.
    pub fn owner(&self) -> Option<UserId> {
        self.members()
            .find(|(_, member)| member.rank == Rank::Owner)
            .map(|(id, _)| id)
    }

    /// What this person has been able to see here.
    pub fn sight(&self, user: UserId) -> Sight {
        Sight(self.stays.get(&user).cloned().unwrap_or_default())
    }

    /// May this person speak here now?
    pub fn may_speak(&self, group: ChatGroup, user: UserId, now: Time) -> Result<(), Refusal> {
        let member = self
            .member(user)
            .ok_or(Refusal::NotAMember { user, group })?;
        let hushed = self.all_muted && member.rank == Rank::Member;
        if hushed || member.muted_until.is_some_and(|until| now < until) {
            return Err(Refusal::Muted { user, group });
        }
        Ok(())
    }

    /// Has this person power over that one here?
    pub fn outranks(&self, by: UserId, over: UserId) -> bool {
        match (self.member(by), self.member(over)) {
            (Some(by), Some(over)) => by.rank > over.rank,
            _ => false,
        }
    }

    /// Is this person owner or administrator?
    pub fn runs(&self, user: UserId) -> bool {
        self.member(user)
            .is_some_and(|member| member.rank > Rank::Member)
    }

    pub(super) fn may_ask(&self, group: ChatGroup, user: UserId) -> Result<(), Refusal> {
        if self.has(user) {
            return Err(Refusal::AlreadyIn { user, group });
        }
        if self.barred.contains(&user) {
            return Err(Refusal::Barred { user, group });
        }
        Ok(())
    }

    pub(super) fn enter(&mut self, when: Moment, user: UserId, rank: Rank) {
        let member = Member {
            card: String::new(),
            rank,
            joined: when.at,
            muted_until: None,
        };
        self.members.insert(user, member);
        self.stays.entry(user).or_default().push(Stay {
            from: when.seq,
            until: None,
        });
    }

    pub(super) fn leave(
        &mut self,
        when: Moment,
        group: ChatGroup,
        user: UserId,
    ) -> Result<Happening, Refusal> {
        let member = self
            .member(user)
            .ok_or(Refusal::NotAMember { user, group })?;
        if member.rank == Rank::Owner {
            return Err(Refusal::OwnerStays);
        }
        self.go(when, user);
        Ok(Happening::Departed {
            group,
            user,
            how: Departure::Left,
        })
    }

    pub(super) fn kick(
        &mut self,
        when: Moment,
        group: ChatGroup,
        user: UserId,
        by: UserId,
        bar: bool,
    ) -> Result<Happening, Refusal> {
        self.needs_power(group, by, user)?;
        self.go(when, user);
        if bar {
            self.barred.insert(user);
        }
        Ok(Happening::Departed {
            group,
            user,
            how: Departure::Kicked { by },
        })
    }

    pub(super) fn set_card(
        &mut self,
        group: ChatGroup,
        user: UserId,
        by: UserId,
        card: &str,
    ) -> Result<Option<Happening>, Refusal> {
        if card.chars().count() > NAME_LIMIT {
            return Err(Refusal::TooLong(NAME_LIMIT));
        }
        if by != user {
            self.needs_power(group, by, user)?;
        }
        let member = self
            .members
            .get_mut(&user)
            .ok_or(Refusal::NotAMember { user, group })?;
        if member.card == card {
            return Ok(None);
        }
        let old = std::mem::replace(&mut member.card, card.to_owned());
        Ok(Some(Happening::Carded {
            group,
            user,
            old,
            new: card.to_owned(),
        }))
    }

    pub(super) fn rename(
        &mut self,
        group: ChatGroup,
        by: UserId,
        name: &str,
    ) -> Result<Option<Happening>, Refusal> {
        check_name(name)?;
        self.needs_rank(group, by)?;
        if self.name == name {
            return Ok(None);
        }
        name.clone_into(&mut self.name);
        Ok(Some(Happening::Renamed {
            group,
            by,
            name: name.to_owned(),
        }))
    }

    pub(super) fn mute(
        &mut self,
        now: Time,
        group: ChatGroup,
        user: UserId,
        by: UserId,
        seconds: u64,
    ) -> Result<Happening, Refusal> {
        self.needs_power(group, by, user)?;
        let seconds = seconds.min(LONGEST_MUTE);
        let member = self
            .members
            .get_mut(&user)
            .ok_or(Refusal::NotAMember { user, group })?;
        let span = i64::try_from(seconds)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000);
        member.muted_until = (seconds > 0).then(|| now.plus_ms(span));
        Ok(Happening::Muted {
            group,
            user,
            by,
            seconds,
        })
    }

    pub(super) fn mute_all(
        &mut self,
        group: ChatGroup,
        by: UserId,
        on: bool,
    ) -> Result<Option<Happening>, Refusal> {
        self.needs_rank(group, by)?;
        let changed = self.all_muted != on;
        self.all_muted = on;
        Ok(changed.then_some(Happening::AllMuted { group, by, on }))
    }

    pub(super) fn promote(
        &mut self,
        group: ChatGroup,
        user: UserId,
        by: UserId,
        admin: bool,
    ) -> Result<Option<Happening>, Refusal> {
        if self.owner() != Some(by) || by == user {
            return Err(Refusal::NoRight { by, group });
        }
        let member = self
            .members
            .get_mut(&user)
            .ok_or(Refusal::NotAMember { user, group })?;
        let rank = if admin { Rank::Admin } else { Rank::Member };
        let changed = member.rank != rank;
        member.rank = rank;
        Ok(changed.then_some(Happening::Ranked { group, user, admin }))
    }

    pub(super) fn needs_rank(&self, group: ChatGroup, by: UserId) -> Result<(), Refusal> {
        if self.runs(by) {
            Ok(())
        } else {
            Err(Refusal::NoRight { by, group })
        }
    }

    fn needs_power(&self, group: ChatGroup, by: UserId, over: UserId) -> Result<(), Refusal> {
        if !self.has(over) {
            return Err(Refusal::NotAMember { user: over, group });
        }
        if self.outranks(by, over) {
            Ok(())
        } else {
            Err(Refusal::NoRight { by, group })
        }
    }

    fn go(&mut self, when: Moment, user: UserId) {
        self.members.remove(&user);
        if let Some(stay) = self.stays.get_mut(&user).and_then(|stays| stays.last_mut()) {
            stay.until = Some(when.seq);
        }
    }
}

fn check_name(name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() {
        return Err(Refusal::Empty);
    }
    if name.chars().count() > NAME_LIMIT {
        Err(Refusal::TooLong(NAME_LIMIT))
    } else {
        Ok(())
    }
}
