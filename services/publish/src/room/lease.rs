//! A chat group of the pool while a room has it.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ChatGroup, PlatformAct, Refused, SendOutcome, UserId};
use serde::{Deserialize, Serialize};

use super::appeals::{Appeals, phrase};
use super::guests::Guest;
use super::requests::{Missing, Next, Requests};
use super::{News, View, Wish};
use crate::words;

/// How often a list is asked for in vain.
const LIST_TRIES: u8 = 3;

/// The chat group and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// The chat group.
    pub group: ChatGroup,
    guests: BTreeMap<UserId, Guest>,
    requests: Requests,
    invited: BTreeSet<UserId>,
    listing: Listing,
    /// Answers to requests for a list since the last list.
    list_tries: u8,
    /// Has a list come since the lease, or its closing, began?
    listed: bool,
    trouble: Option<Refused>,
    appeals: Appeals,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Listing {
    /// No list is on its way.
    Idle,
    /// The platform has been asked.
    Asked,
    /// And something has happened since.
    Outdated,
    /// The platform does not give one.
    Refused,
}

impl Lease {
    /// A chat group of which nothing is known yet.
    pub fn new(group: ChatGroup) -> Self {
        Self {
            group,
            guests: BTreeMap::new(),
            requests: Requests::default(),
            invited: BTreeSet::new(),
            listing: Listing::Idle,
            list_tries: 0,
            listed: false,
            trouble: None,
            appeals: Appeals::default(),
        }
    }

    /// Names it and looks who is inside.
    pub fn furnish(&mut self, view: &View<'_>, wishes: &mut Vec<Wish>) {
        wishes.push(Wish::Act(PlatformAct::Rename {
            group: self.group,
            name: format!("{}·{}", view.roster.name, view.name),
        }));
        self.list(wishes);
    }

    /// Everybody has to go.
    pub fn start_closing(&mut self) {
        self.listed = false;
        self.list_tries = 0;
        if self.listing == Listing::Asked {
            self.listing = Listing::Outdated;
        }
    }

    /// Is the person inside, as far as is known?
    pub fn has(&self, user: UserId) -> bool {
        let guest = self.guests.get(&user);
        guest.is_some_and(|guest| !guest.may_be_out())
    }

    /// Is everybody known to be inside allowed to read, and the bot able to speak?
    pub fn is_private(&self, view: &View<'_>) -> bool {
        self.listed && self.trouble.is_none() && self.guests.keys().all(|user| view.may_read(*user))
    }

    /// Something happened.
    pub fn news(&mut self, news: News<'_>, view: &View<'_>, wishes: &mut Vec<Wish>) {
        match news {
            News::Request(user, flag) => {
                let approve = view.belongs(user);
                if self.requests.take(user, flag, approve) {
                    wishes.push(self.answer(user, flag, approve));
                }
            }
            News::Joined(user) if view.is_bot(user) => {}
            News::Joined(user) => {
                self.requests.done(user);
                self.guests.entry(user).or_default().came();
            }
            News::Left(user) => {
                if let Some(guest) = self.guests.get_mut(&user) {
                    guest.went();
                    self.list(wishes);
                }
            }
            News::Members(users) => self.members(users, view, wishes),
            News::Standing(trouble) => self.standing(trouble, view, wishes),
            News::Acted(act, outcome) => self.acted(act, outcome, view, wishes),
        }
    }

    /// Asks for what is missing: invitations, cards, removals; the way back to the pool.
    pub fn tidy(&mut self, view: &View<'_>, wishes: &mut Vec<Wish>) {
        self.invited.retain(|user| view.belongs(*user));
        for seat in view.roster.seats.iter().filter(|s| view.belongs(s.user)) {
            let guest = self.guests.get_mut(&seat.user);
            let outside = guest.as_ref().is_none_or(|guest| guest.is_leaving());
            if self.invited.insert(seat.user) && outside {
                let invitation = phrase("groups/invite", self.group, view);
                wishes.push(Wish::Tell(seat.seat, invitation));
            }
            let card = words::card(seat.seat.number(), &seat.alias);
            if guest.is_some_and(|guest| guest.welcome(&card)) {
                wishes.push(Wish::Act(PlatformAct::Card {
                    group: self.group,
                    user: seat.user,
                    card,
                }));
            }
        }
        for (user, guest) in &mut self.guests {
            if !view.may_read(*user) && guest.remove() {
                wishes.push(Wish::Act(PlatformAct::Kick {
                    group: self.group,
                    user: *user,
                }));
            }
        }
        if view.closing {
            self.hand_back(view, wishes);
        }
    }

    /// Gives the group back when nobody is left in it but those who do not play and cannot be
    /// removed; a list has to confirm it, unless the platform gives none.
    fn hand_back(&mut self, view: &View<'_>, wishes: &mut Vec<Wish>) {
        let lost = self.trouble == Some(Refused::Removed);
        let no_list = self.listing == Listing::Refused;
        let empty = self.guests.iter().all(|(user, guest)| {
            (guest.stays() && !view.plays(*user)) || (no_list && guest.is_probably_out())
        });
        if lost || (empty && (self.listed || no_list)) {
            wishes.push(Wish::GiveBack(self.group));
        } else if empty && self.listing == Listing::Idle {
            self.list(wishes);
        }
    }

    fn list(&mut self, wishes: &mut Vec<Wish>) {
        match self.listing {
            Listing::Idle | Listing::Refused => {
                self.listing = Listing::Asked;
                let group = self.group;
                wishes.push(Wish::Act(PlatformAct::ListMembers { group }));
            }
            Listing::Asked | Listing::Outdated => self.listing = Listing::Outdated,
        }
    }

    fn answer(&self, user: UserId, flag: &str, approve: bool) -> Wish {
        Wish::Answer {
            group: self.group,
            user,
            flag: flag.to_owned(),
            approve,
        }
    }

    fn members(&mut self, users: &[UserId], view: &View<'_>, wishes: &mut Vec<Wish>) {
        self.guests.retain(|user, guest| {
            users.contains(user) || !(view.may_read(*user) || guest.may_be_out())
        });
        for user in users.iter().filter(|user| !view.is_bot(**user)) {
            self.requests.done(*user);
            let guest = self.guests.entry(*user).or_default();
            if view.may_read(*user) {
                guest.came();
            } else if guest.is_still_here() && !view.roster.directors.contains(user) {
                let asked = self
                    .appeals
                    .about("groups/kick-by-hand", *user, self.group, view);
                wishes.extend(asked);
            }
        }
        self.list_tries = 0;
        if self.listing != Listing::Outdated {
            self.listed = true;
        }
        for (user, missing) in self.requests.missing(|user| view.belongs(user)) {
            match missing {
                Missing::Approve(flag) => wishes.push(self.answer(user, &flag, true)),
                Missing::ByHand => self.approve_by_hand(user, view, wishes),
                Missing::ApplyAgain => {
                    let phrase = phrase("groups/apply-again", self.group, view);
                    wishes.extend(view.seat_of(user).map(|seat| Wish::Tell(seat, phrase)));
                }
            }
        }
    }

    fn approve_by_hand(&mut self, user: UserId, view: &View<'_>, wishes: &mut Vec<Wish>) {
        wishes.extend(
            self.appeals
                .about("groups/approve-by-hand", user, self.group, view),
        );
    }

    fn standing(&mut self, trouble: Option<Refused>, view: &View<'_>, wishes: &mut Vec<Wish>) {
        if trouble == self.trouble {
            return;
        }
        self.trouble = trouble;
        if let Some(why) = trouble {
            wishes.extend(self.appeals.about_standing(why, self.group, view));
        } else {
            self.appeals.standing_is_good();
            self.list(wishes);
        }
    }

    fn acted(
        &mut self,
        act: &PlatformAct,
        outcome: &SendOutcome,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        let done = matches!(outcome, SendOutcome::Done { .. });
        let refused = match outcome {
            SendOutcome::Refused { why, .. } => Some(*why),
            SendOutcome::Done { .. } | SendOutcome::Unknown { .. } => None,
        };
        match act {
            PlatformAct::Rename { .. } if !done => {
                wishes.extend(self.appeals.once("groups/rename-by-hand", self.group, view));
            }
            PlatformAct::Card { .. } if !done => {
                wishes.extend(self.appeals.once("groups/cards-by-hand", self.group, view));
            }
            PlatformAct::Kick { user, .. } => {
                if let Some(guest) = self.guests.get_mut(user) {
                    guest.removal_answered(refused);
                    self.list(wishes);
                }
            }
            PlatformAct::Answer { user, flag, .. } => {
                match self.requests.answered(*user, flag, refused) {
                    Next::Nothing => {}
                    Next::Look => self.list(wishes),
                    Next::ByHand => self.approve_by_hand(*user, view, wishes),
                }
            }
            PlatformAct::ListMembers { .. } => self.list_answered(done, refused, view, wishes),
            PlatformAct::Rename { .. } | PlatformAct::Card { .. } | PlatformAct::Mute { .. } => {}
        }
    }

    fn list_answered(
        &mut self,
        done: bool,
        refused: Option<Refused>,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        let outdated = self.listing == Listing::Outdated;
        self.listing = Listing::Idle;
        self.list_tries += 1;
        if refused.is_some() || self.list_tries > LIST_TRIES {
            self.listing = Listing::Refused;
            wishes.extend(self.appeals.once("groups/no-list", self.group, view));
        } else if outdated || !done {
            self.list(wishes);
        }
    }
}
