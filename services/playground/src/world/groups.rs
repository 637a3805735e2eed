//! All groups, and the requests to join them.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ChatGroup, UserId};
use serde::{Deserialize, Serialize};

use super::Moment;
use super::change::Happening;
use super::group::Group;
use super::membership::{Door, Founding, GroupChange, Rank, Request, Verdict};
use super::refusal::Refusal;

/// The longest comment on a request to join, in characters.
const COMMENT_LIMIT: usize = 200;

/// How many answered requests are remembered.
const REMEMBERED: usize = 500;

/// Every group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Groups {
    all: BTreeMap<ChatGroup, Group>,
    /// For each person the groups they have ever been in.
    seen: BTreeMap<UserId, BTreeSet<ChatGroup>>,
    /// By number; the flag is made from it.
    requests: BTreeMap<u64, (ChatGroup, Request)>,
    next: u64,
    next_request: u64,
}

impl Groups {
    pub(super) fn new(first: u64) -> Self {
        Self {
            all: BTreeMap::new(),
            seen: BTreeMap::new(),
            requests: BTreeMap::new(),
            next: first,
            next_request: 1,
        }
    }

    pub(super) fn get(&self, group: ChatGroup) -> Option<&Group> {
        self.all.get(&group)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (ChatGroup, &Group)> {
        self.all.iter().map(|(id, group)| (*id, group))
    }

    pub(super) fn seen_by(&self, user: UserId) -> impl Iterator<Item = (ChatGroup, &Group)> {
        self.seen
            .get(&user)
            .into_iter()
            .flatten()
            .filter_map(|id| self.all.get(id).map(|group| (*id, group)))
    }

    pub(super) fn requests(&self, by: UserId) -> impl Iterator<Item = (ChatGroup, &Request)> {
        self.requests
            .values()
            .rev()
            .filter(move |(group, _)| self.all.get(group).is_some_and(|group| group.runs(by)))
            .map(|(group, request)| (*group, request))
    }

    pub(super) fn request(&self, flag: &str) -> Option<(ChatGroup, &Request)> {
        let (group, request) = self.requests.get(&flag.parse().ok()?)?;
        (request.flag == flag).then_some((*group, request))
    }

    pub(super) fn found(
        &mut self,
        when: Moment,
        foundings: &[Founding],
    ) -> Result<Vec<Happening>, Refusal> {
        let mut wanted = BTreeSet::new();
        let mut made = Vec::with_capacity(foundings.len());
        for founding in foundings {
            if let Some(id) = founding.id
                && (self.all.contains_key(&id) || !wanted.insert(id))
            {
                return Err(Refusal::GroupTaken(id));
            }
            made.push((founding.id, Group::new(when, founding)?));
        }
        let mut groups = Vec::with_capacity(made.len());
        for (id, group) in made {
            let id = id.unwrap_or_else(|| self.free_number());
            for (user, _) in group.members() {
                self.seen.entry(user).or_default().insert(id);
            }
            self.all.insert(id, group);
            groups.push(id);
        }
        Ok(vec![Happening::Made {
            people: Vec::new(),
            groups,
        }])
    }

    pub(super) fn apply(
        &mut self,
        when: Moment,
        id: ChatGroup,
        change: &GroupChange,
    ) -> Result<Vec<Happening>, Refusal> {
        let group = self.all.get_mut(&id).ok_or(Refusal::NoSuchGroup(id))?;
        let happening = match change {
            GroupChange::Join { user, comment } => {
                group.may_ask(id, *user)?;
                if group.door == Door::Open {
                    Some(self.admit(when, id, *user, *user))
                } else {
                    Some(self.ask(when, id, *user, comment)?)
                }
            }
            GroupChange::Leave { user } => Some(group.leave(when, id, *user)?),
            GroupChange::Kick { user, by, bar } => Some(group.kick(when, id, *user, *by, *bar)?),
            GroupChange::Card { user, by, card } => group.set_card(id, *user, *by, card)?,
            GroupChange::Rename { by, name } => group.rename(id, *by, name)?,
            GroupChange::Mute { user, by, seconds } => {
                Some(group.mute(when.at, id, *user, *by, *seconds)?)
            }
            GroupChange::MuteAll { by, on } => group.mute_all(id, *by, *on)?,
            GroupChange::Promote { user, by, admin } => group.promote(id, *user, *by, *admin)?,
        };
        Ok(happening.into_iter().collect())
    }

    pub(super) fn settle(
        &mut self,
        when: Moment,
        flag: &str,
        by: UserId,
        verdict: &Verdict,
    ) -> Result<Vec<Happening>, Refusal> {
        let number: u64 = flag.parse().map_err(|_| Refusal::NoSuchRequest)?;
        let (group, request) = self
            .requests
            .get_mut(&number)
            .filter(|(_, request)| request.flag == flag && request.answer.is_none())
            .ok_or(Refusal::NoSuchRequest)?;
        let (id, user) = (*group, request.user);
        let group = self.all.get(&id).ok_or(Refusal::NoSuchGroup(id))?;
        group.needs_rank(id, by)?;
        request.answer = Some((by, verdict.clone()));
        let happening = match verdict {
            Verdict::Granted if group.has(user) => return Ok(Vec::new()),
            Verdict::Granted => self.admit(when, id, user, by),
            Verdict::Refused { reason } => Happening::TurnedDown {
                group: id,
                user,
                reason: reason.clone(),
            },
        };
        Ok(vec![happening])
    }

    fn admit(&mut self, when: Moment, id: ChatGroup, user: UserId, by: UserId) -> Happening {
        if let Some(group) = self.all.get_mut(&id) {
            group.enter(when, user, Rank::Member);
            self.seen.entry(user).or_default().insert(id);
        }
        Happening::Joined {
            group: id,
            user,
            by,
        }
    }

    /// A person who asks again while the answer is still out renews the request.
    fn ask(
        &mut self,
        when: Moment,
        id: ChatGroup,
        user: UserId,
        comment: &str,
    ) -> Result<Happening, Refusal> {
        if comment.chars().count() > COMMENT_LIMIT {
            return Err(Refusal::TooLong(COMMENT_LIMIT));
        }
        self.requests.retain(|_, (group, request)| {
            *group != id || request.user != user || request.answer.is_some()
        });
        let number = self.next_request;
        self.next_request += 1;
        let flag = format!("{number:016}");
        let request = Request {
            flag: flag.clone(),
            user,
            comment: comment.to_owned(),
            at: when.at,
            answer: None,
        };
        self.requests.insert(number, (id, request));
        self.forget_the_oldest_answers();
        Ok(Happening::Asked {
            group: id,
            user,
            comment: comment.to_owned(),
            flag,
        })
    }

    fn forget_the_oldest_answers(&mut self) {
        let answered: Vec<u64> = self
            .requests
            .iter()
            .filter(|(_, (_, request))| request.answer.is_some())
            .map(|(number, _)| *number)
            .collect();
        let surplus = answered.len().saturating_sub(REMEMBERED);
        for number in answered.into_iter().take(surplus) {
            self.requests.remove(&number);
        }
    }

    fn free_number(&mut self) -> ChatGroup {
        loop {
            let id = ChatGroup(self.next);
            self.next += 1;
            if !self.all.contains_key(&id) {
                return id;
            }
        }
    }
}
