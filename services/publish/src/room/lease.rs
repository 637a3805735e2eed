//! A chat group of the pool while a room has it.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{ChatGroup, Phrase, PlatformAct, Refused, SendOutcome, UserId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::guests::Guest;
use super::{News, View, Wish};
use crate::words;

/// How often an approved request without effect is approved, or a list asked for.
const TRIES: u8 = 3;

/// The chat group and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// The chat group.
    pub group: ChatGroup,
    guests: BTreeMap<UserId, Guest>,
    requests: BTreeMap<UserId, Request>,
    invited: BTreeSet<UserId>,
    listing: Listing,
    /// Answers to requests for a list since the last list.
    list_tries: u8,
    /// Has a list come since the lease, or its closing, began?
    listed: bool,
    trouble: Option<Refused>,
    /// What the director has been asked to do.
    asked: BTreeSet<String>,
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

/// A request to join that is being answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Request {
    flag: String,
    approve: bool,
    state: RequestState,
    tries: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum RequestState {
    /// The platform has been told.
    Told,
    /// It says it is done; a list will tell.
    Answered,
    /// It does not know the request any more.
    Stale,
}

impl Lease {
    /// A chat group of which nothing is known yet.
    pub fn new(group: ChatGroup) -> Self {
        Self {
            group,
            guests: BTreeMap::new(),
            requests: BTreeMap::new(),
            invited: BTreeSet::new(),
            listing: Listing::Idle,
            list_tries: 0,
            listed: false,
            trouble: None,
            asked: BTreeSet::new(),
        }
    }

    /// Names it and looks who is inside.
    pub fn furnish(&mut self, game: &str, room: &str, wishes: &mut Vec<Wish>) {
        wishes.push(Wish::Act(PlatformAct::Rename {
            group: self.group,
            name: format!("{game}·{room}"),
        }));
        self.list(wishes);
    }

    /// The room is wanted again: whoever was asked to leave is asked to come.
    pub fn invite_again(&mut self) {
        self.invited.clear();
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
        self.guests
            .get(&user)
            .is_some_and(|guest| !guest.may_be_out())
    }

    /// Is everybody known to be inside allowed to read, and the bot able to speak?
    pub fn is_private(&self, view: &View<'_>) -> bool {
        self.listed && self.trouble.is_none() && self.guests.keys().all(|user| view.may_read(*user))
    }

    /// Something happened.
    pub fn news(&mut self, news: News<'_>, room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        match news {
            News::Request(user, flag) => self.request(user, flag, view, wishes),
            News::Joined(user) => self.joined(user, view),
            News::Left(user) => {
                if let Some(guest) = self.guests.get_mut(&user) {
                    guest.went();
                    self.list(wishes);
                }
            }
            News::Members(users) => self.members(users, room, view, wishes),
            News::Standing(trouble) => self.standing(trouble, room, view, wishes),
            News::Acted(act, outcome) => self.acted(act, outcome, room, view, wishes),
        }
    }

    /// Asks for what is missing: invitations, cards, removals; the way back to the pool.
    pub fn tidy(&mut self, room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        for seat in view.roster.seats.iter().filter(|s| view.belongs(s.user)) {
            if self.invited.insert(seat.user) && !self.guests.contains_key(&seat.user) {
                wishes.push(Wish::Tell(
                    seat.seat,
                    self.phrase("groups/invite", room, view, &[]),
                ));
            }
            if let Some(guest) = self.guests.get_mut(&seat.user) {
                guest.welcome();
                let card = words::card(seat.seat.number(), &seat.alias);
                if guest.card.as_ref() != Some(&card) {
                    guest.card = Some(card.clone());
                    wishes.push(Wish::Act(PlatformAct::Card {
                        group: self.group,
                        user: seat.user,
                        card,
                    }));
                }
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

    /// Gives the group back when nobody is left in it but those who never played in it and
    /// cannot be removed; a list has to confirm it, unless the platform gives none.
    fn hand_back(&mut self, view: &View<'_>, wishes: &mut Vec<Wish>) {
        let mut guests = self.guests.iter();
        let lost = self.trouble == Some(Refused::Removed);
        let no_list = self.listing == Listing::Refused;
        let empty = guests.all(|(user, guest)| {
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
                wishes.push(Wish::Act(PlatformAct::ListMembers { group: self.group }));
            }
            Listing::Asked | Listing::Outdated => self.listing = Listing::Outdated,
        }
    }

    fn request(&mut self, user: UserId, flag: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        let approve = view.belongs(user);
        let same =
            |r: &Request| r.flag == flag && r.approve == approve && r.state == RequestState::Told;
        if self.requests.get(&user).is_some_and(same) {
            return;
        }
        let request = Request {
            flag: flag.to_owned(),
            approve,
            state: RequestState::Told,
            tries: 1,
        };
        wishes.push(self.answer(user, &request));
        self.requests.insert(user, request);
    }

    fn answer(&self, user: UserId, request: &Request) -> Wish {
        Wish::Answer {
            group: self.group,
            user,
            flag: request.flag.clone(),
            approve: request.approve,
        }
    }

    fn joined(&mut self, user: UserId, view: &View<'_>) {
        if !view.is_bot(user) {
            self.requests.remove(&user);
            self.guests.entry(user).or_default().came();
        }
    }

    fn members(&mut self, users: &[UserId], room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        self.guests.retain(|user, guest| {
            users.contains(user) || !(view.may_read(*user) || guest.may_be_out())
        });
        let mut in_vain = Vec::new();
        for user in users.iter().filter(|user| !view.is_bot(**user)) {
            self.requests.remove(user);
            let guest = self.guests.entry(*user).or_default();
            if view.may_read(*user) {
                guest.came();
            } else if guest.is_still_here() {
                in_vain.push(*user);
            }
        }
        in_vain.retain(|user| !view.roster.directors.contains(user));
        for user in in_vain {
            self.ask("groups/kick-by-hand", room, view, user, wishes);
        }
        self.list_tries = 0;
        if self.listing != Listing::Outdated {
            self.listed = true;
        }
        self.check_approvals(room, view, wishes);
    }

    /// Approvals that the list shows to be without effect.
    fn check_approvals(&mut self, room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        for (user, mut request) in std::mem::take(&mut self.requests) {
            let wanted = request.approve && view.belongs(user);
            match request.state {
                RequestState::Told => {
                    self.requests.insert(user, request);
                }
                RequestState::Answered if wanted && request.tries < TRIES => {
                    request.tries += 1;
                    request.state = RequestState::Told;
                    wishes.push(self.answer(user, &request));
                    self.requests.insert(user, request);
                }
                RequestState::Answered if wanted => {
                    self.ask("groups/approve-by-hand", room, view, user, wishes);
                }
                RequestState::Stale if wanted => {
                    let phrase = self.phrase("groups/apply-again", room, view, &[]);
                    let seat = view.roster.seats.iter().find(|s| s.user == user);
                    wishes.extend(seat.map(|s| Wish::Tell(s.seat, phrase)));
                }
                RequestState::Answered | RequestState::Stale => {}
            }
        }
    }

    fn standing(
        &mut self,
        trouble: Option<Refused>,
        room: &str,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        if trouble == self.trouble {
            return;
        }
        self.trouble = trouble;
        match trouble {
            Some(why) => self.ask_about(why, room, view, wishes),
            None => {
                self.asked
                    .retain(|what| !what.starts_with("groups/standing"));
                self.list(wishes);
            }
        }
    }

    fn acted(
        &mut self,
        act: &PlatformAct,
        outcome: &SendOutcome,
        room: &str,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        let refused = match outcome {
            SendOutcome::Refused { why, .. } => Some(*why),
            SendOutcome::Done { .. } | SendOutcome::Unknown { .. } => None,
        };
        let done = matches!(outcome, SendOutcome::Done { .. });
        match act {
            PlatformAct::Rename { .. } if !done => {
                self.ask_once("groups/rename-by-hand", room, view, wishes)
            }
            PlatformAct::Card { .. } if !done => {
                self.ask_once("groups/cards-by-hand", room, view, wishes)
            }
            PlatformAct::Kick { user, .. } => {
                if let Some(guest) = self.guests.get_mut(user) {
                    guest.removal_answered(refused);
                    self.list(wishes);
                }
            }
            PlatformAct::Answer { user, flag, .. } => {
                self.answered(*user, flag, refused, room, view, wishes);
            }
            PlatformAct::ListMembers { .. } => {
                self.list_answered(done, refused, room, view, wishes)
            }
            PlatformAct::Rename { .. } | PlatformAct::Card { .. } | PlatformAct::Mute { .. } => {}
        }
    }

    fn answered(
        &mut self,
        user: UserId,
        flag: &str,
        refused: Option<Refused>,
        room: &str,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        let Some(request) = self.requests.get_mut(&user).filter(|r| r.flag == flag) else {
            return;
        };
        if !request.approve {
            self.requests.remove(&user);
            return;
        }
        match refused {
            None => request.state = RequestState::Answered,
            Some(Refused::StaleRequest) => request.state = RequestState::Stale,
            Some(_) => {
                self.requests.remove(&user);
                self.ask("groups/approve-by-hand", room, view, user, wishes);
                return;
            }
        }
        self.list(wishes);
    }

    fn list_answered(
        &mut self,
        done: bool,
        refused: Option<Refused>,
        room: &str,
        view: &View<'_>,
        wishes: &mut Vec<Wish>,
    ) {
        let outdated = self.listing == Listing::Outdated;
        self.listing = Listing::Idle;
        self.list_tries += 1;
        if refused.is_some() || self.list_tries > TRIES {
            self.listing = Listing::Refused;
            self.ask_once("groups/no-list", room, view, wishes);
        } else if outdated || !done {
            self.list(wishes);
        }
    }

    /// Asks the directors, once, to do something about a person.
    fn ask(
        &mut self,
        key: &str,
        room: &str,
        view: &View<'_>,
        user: UserId,
        wishes: &mut Vec<Wish>,
    ) {
        if self.asked.insert(format!("{key}/{user}")) {
            let who = crate::people::name_of(view.roster, user);
            let phrase = self.phrase(key, room, view, &[("who", json!(who))]);
            wishes.push(Wish::TellDirectors(phrase));
        }
    }

    fn ask_once(&mut self, key: &str, room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        if self.asked.insert(key.to_owned()) {
            wishes.push(Wish::TellDirectors(self.phrase(key, room, view, &[])));
        }
    }

    fn ask_about(&mut self, why: Refused, room: &str, view: &View<'_>, wishes: &mut Vec<Wish>) {
        if self.asked.insert(format!("groups/standing/{why:?}")) {
            let why = match why {
                Refused::Muted => "muted",
                Refused::Removed => "removed",
                _ => "other",
            };
            let phrase = self.phrase("groups/standing", room, view, &[("why", json!(why))]);
            wishes.push(Wish::TellDirectors(phrase));
        }
    }

    fn phrase(
        &self,
        key: &str,
        room: &str,
        view: &View<'_>,
        more: &[(&str, serde_json::Value)],
    ) -> Phrase {
        let mut args = json!({"room": room, "group": self.group, "game": view.roster.name});
        for (name, value) in more {
            args[*name] = value.clone();
        }
        Phrase::new(key, args)
    }
}
