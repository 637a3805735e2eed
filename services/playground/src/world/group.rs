//! One group: who is in it, with which rank and card, who may speak, and who saw what.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ChatGroup, UserId};
use rules::Time;
use serde::{Deserialize, Serialize};

use super::Moment;
use super::change::{Departure, Happening};
use super::refusal::Refusal;

/// The longest card and the longest name of a group, in characters.
const NAME_LIMIT: usize = 60;

/// The longest mute, in seconds; the platform takes less than 30 days.
pub const LONGEST_MUTE: u64 = 2_591_999;

/// What someone is in a group. The greater has power over the lesser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rank {
    /// Anybody.
    Member,
    /// An administrator.
    Admin,
    /// The owner.
    Owner,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name that this group shows; empty: the nickname.
    pub card: String,
    /// The rank.
    pub rank: Rank,
    /// When they came.
    pub joined: Time,
    /// May not speak before this instant.
    pub muted_until: Option<Time>,
}

/// How one gets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    /// By a request that owner or administrator grants.
    #[default]
    Ask,
    /// Anybody walks in.
    Open,
}

/// What became of a request to join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Let in.
    Granted,
    /// Turned down.
    Refused {
        /// What the person is told.
        reason: String,
    },
}

/// A request to join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// Its name.
    pub flag: String,
    /// Who asks.
    pub user: UserId,
    /// What they wrote.
    pub comment: String,
    /// When.
    pub at: Time,
    /// The answer and who gave it; `None`: not yet.
    pub answer: Option<(UserId, Verdict)>,
}

/// A group that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Founding {
    /// Its number; `None`: the world picks one.
    pub id: Option<ChatGroup>,
    /// Its name.
    pub name: String,
    /// Who owns it.
    pub owner: UserId,
    /// Its administrators.
    pub admins: Vec<UserId>,
    /// Its other members.
    pub members: Vec<UserId>,
    /// How others get in.
    pub door: Door,
}

impl Founding {
    /// Everybody who is to be in it.
    pub fn people(&self) -> impl Iterator<Item = UserId> {
        [self.owner]
            .into_iter()
            .chain(self.admins.iter().copied())
            .chain(self.members.iter().copied())
    }
}

/// Something that is done in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum GroupChange {
    /// Someone asks to join, or walks in where the door is open.
    Join {
        /// Who.
        user: UserId,
        /// What they write.
        comment: String,
    },
    /// Someone goes.
    Leave {
        /// Who.
        user: UserId,
    },
    /// Someone is removed.
    Kick {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// And may not ask again.
        bar: bool,
    },
    /// A card is set; empty takes it away.
    Card {
        /// Whose.
        user: UserId,
        /// By whom.
        by: UserId,
        /// The card.
        card: String,
    },
    /// The group gets a name.
    Rename {
        /// By whom.
        by: UserId,
        /// The name.
        name: String,
    },
    /// Someone is muted.
    Mute {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// For so many seconds; 0: may speak again.
        seconds: u64,
    },
    /// Everybody without rank is muted.
    MuteAll {
        /// By whom.
        by: UserId,
        /// On or off.
        on: bool,
    },
    /// Someone becomes administrator or is one no more.
    Promote {
        /// Who.
        user: UserId,
        /// By whom.
        by: UserId,
        /// Administrator from now on.
        admin: bool,
    },
}

impl GroupChange {
    /// Whom it is about.
    pub fn subject(&self) -> Option<UserId> {
        match self {
            Self::Join { user, .. }
            | Self::Leave { user }
            | Self::Kick { user, .. }
            | Self::Card { user, .. }
            | Self::Mute { user, .. }
            | Self::Promote { user, .. } => Some(*user),
            Self::Rename { .. } | Self::MuteAll { .. } => None,
        }
    }
}

/// A time that someone spent in a group, by the order of all chats; they see what was said in
/// it, also afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stay {
    from: u64,
    until: Option<u64>,
}

/// What one person can see of a group: what was said while they were in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight(Vec<Stay>);

impl Sight {
    /// All that was ever said.
    pub fn everything() -> Self {
        Self(vec![Stay {
            from: 0,
            until: None,
        }])
    }

    /// Could they see what was said at this place in the order of all chats?
    pub fn covers(&self, seq: u64) -> bool {
        let within = |stay: &Stay| stay.from < seq && stay.until.is_none_or(|until| seq < until);
        self.0.iter().any(within)
    }
}

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
