//! A private group of a game, and the chat group of the pool in which it meets.
//!
//! A room says what it wants done ([`Wish`]); the game's desk does it. Every wish may be done
//! without effect, and every piece of news may come twice, late or be wrong. So a room believes
//! that somebody is inside as soon as anything says so; and that somebody who does not belong
//! there is out only when, after a sign of it, a list of the members lacks him.

mod appeals;
mod guests;
mod lease;
mod requests;

use std::collections::BTreeSet;

use protocol::{ChatGroup, Phrase, PlatformAct, Refused, Roster, SendOutcome, UserId};
use rules::SeatId;
use serde::{Deserialize, Serialize};

use crate::people::user_of;
use lease::Lease;

/// A private group as the game wants it, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// Its name on the board.
    pub name: String,
    members: BTreeSet<SeatId>,
    closing: bool,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Place {
    /// The pool has been asked.
    Asked,
    /// The pool was empty; it will come back to us.
    Waiting,
    /// A chat group.
    Held(Lease),
}

/// Something that a room wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Wish {
    /// An act on the platform.
    Act(PlatformAct),
    /// An answer to a request to join; the desk finds the words.
    Answer {
        /// Where.
        group: ChatGroup,
        /// Who asked.
        user: UserId,
        /// The request's flag.
        flag: String,
        /// Let in or not.
        approve: bool,
    },
    /// Tell whoever plays a seat, in private.
    Tell(SeatId, Phrase),
    /// Tell those who direct the game.
    TellDirectors(Phrase),
    /// Give the chat group back to the pool; the room is no more.
    GiveBack(ChatGroup),
}

/// News about a room's chat group.
#[derive(Debug, Clone, Copy)]
pub enum News<'a> {
    /// Somebody asks to join.
    Request(UserId, &'a str),
    /// Somebody came.
    Joined(UserId),
    /// Somebody went.
    Left(UserId),
    /// Who is inside, as the platform lists them.
    Members(&'a [UserId]),
    /// What keeps the bot from speaking there now.
    Standing(Option<Refused>),
    /// What became of an act.
    Acted(&'a PlatformAct, &'a SendOutcome),
}

/// A room and its game, as the chat group sees them.
pub struct View<'a> {
    name: &'a str,
    roster: &'a Roster,
    members: BTreeSet<UserId>,
    closing: bool,
}

impl View<'_> {
    /// May this person read what is said in the room? Those who direct the game may.
    fn may_read(&self, user: UserId) -> bool {
        self.belongs(user) || (!self.closing && self.roster.directors.contains(&user))
    }

    fn belongs(&self, user: UserId) -> bool {
        !self.closing && self.members.contains(&user)
    }

    fn plays(&self, user: UserId) -> bool {
        self.seat_of(user).is_some()
    }

    fn seat_of(&self, user: UserId) -> Option<SeatId> {
        self.roster
            .seats
            .iter()
            .find(|seat| seat.user == user)
            .map(|seat| seat.seat)
    }

    /// The account is in all its groups.
    fn is_bot(&self, user: UserId) -> bool {
        user.0 == self.roster.game.account.0
    }
}

impl Room {
    /// A room for which the pool has just been asked.
    pub fn new(name: &str, members: &[SeatId]) -> Self {
        Self {
            name: name.to_owned(),
            members: members.iter().copied().collect(),
            closing: false,
            place: Place::Asked,
        }
    }

    /// Who belongs in it, in elevator order.
    pub fn members(&self) -> impl Iterator<Item = SeatId> {
        self.members.iter().copied()
    }

    /// The game wants the room with these members.
    pub fn keep(&mut self, members: &[SeatId]) {
        self.members = members.iter().copied().collect();
        self.closing = false;
    }

    /// The game does not want the room any more. True when nothing is left to be done for it.
    pub fn close(&mut self) -> bool {
        let first = !std::mem::replace(&mut self.closing, true);
        match &mut self.place {
            Place::Held(lease) if first => lease.start_closing(),
            Place::Held(_) | Place::Asked => {}
            Place::Waiting => return true,
        }
        false
    }

    /// Is it waiting for a chat group that the pool did not have?
    pub fn lacks_group(&self) -> bool {
        self.place == Place::Waiting && !self.closing
    }

    /// Has the pool not answered yet?
    pub fn is_asked(&self) -> bool {
        self.place == Place::Asked && !self.closing
    }

    /// The chat group it holds.
    pub fn group(&self) -> Option<ChatGroup> {
        match &self.place {
            Place::Held(lease) => Some(lease.group),
            Place::Asked | Place::Waiting => None,
        }
    }

    /// The pool has answered. What it gave and cannot be used goes back.
    pub fn given(&mut self, group: Option<ChatGroup>, roster: &Roster, wishes: &mut Vec<Wish>) {
        match (group, &self.place) {
            (Some(group), Place::Held(lease)) => {
                if lease.group != group {
                    wishes.push(Wish::GiveBack(group));
                }
            }
            (Some(group), Place::Asked | Place::Waiting) if self.closing => {
                wishes.push(Wish::GiveBack(group));
            }
            (Some(group), Place::Asked | Place::Waiting) => {
                let mut lease = Lease::new(group);
                lease.furnish(&self.view(roster), wishes);
                self.place = Place::Held(lease);
                self.tidy(roster, wishes);
            }
            (None, Place::Asked) => self.place = Place::Waiting,
            (None, Place::Waiting | Place::Held(_)) => {}
        }
    }

    /// Something happened in the chat group.
    pub fn news(&mut self, news: News<'_>, roster: &Roster, wishes: &mut Vec<Wish>) {
        self.with_lease(roster, |lease, view| {
            lease.news(news, view, wishes);
            lease.tidy(view, wishes);
        });
    }

    /// Brings the chat group in line with who belongs there.
    pub fn tidy(&mut self, roster: &Roster, wishes: &mut Vec<Wish>) {
        self.with_lease(roster, |lease, view| lease.tidy(view, wishes));
    }

    /// The chat group, when all that is known of it says that what is said there reaches members
    /// and nobody else; and which of the members it reaches.
    pub fn usable(&self, roster: &Roster) -> Option<(ChatGroup, Vec<SeatId>)> {
        let Place::Held(lease) = &self.place else {
            return None;
        };
        let view = self.view(roster);
        if self.closing || !lease.is_private(&view) {
            return None;
        }
        let reached = self
            .members()
            .filter(|seat| user_of(roster, *seat).is_some_and(|user| lease.has(user)));
        let reached: Vec<SeatId> = reached.collect();
        (!reached.is_empty()).then_some((lease.group, reached))
    }

    fn view<'a>(&'a self, roster: &'a Roster) -> View<'a> {
        view(&self.name, &self.members, self.closing, roster)
    }

    fn with_lease(&mut self, roster: &Roster, act: impl FnOnce(&mut Lease, &View<'_>)) {
        let view = view(&self.name, &self.members, self.closing, roster);
        if let Place::Held(lease) = &mut self.place {
            act(lease, &view);
        }
    }
}

fn view<'a>(
    name: &'a str,
    members: &BTreeSet<SeatId>,
    closing: bool,
    roster: &'a Roster,
) -> View<'a> {
    let members = members.iter().filter_map(|seat| user_of(roster, *seat));
    View {
        name,
        roster,
        members: members.collect(),
        closing,
    }
}
