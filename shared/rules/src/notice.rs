//! What anyone learns: typed notices with an audience. No other path leads out of a game.
//!
//! A notice names a template key and its values by their ids. `texts` makes words of it; the
//! engine knows no sentence. Skills bring their own keys, so that a new one touches one file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::board::Colour;
use crate::ids::{ClassId, FactionId, GroupId, RoleId, SeatId, SeatSet, SkillId, StateId, Time};
use crate::input::Word;
use crate::phase::{Phase, WindowId};

/// A name of a template or of one of its values.
pub type Key = Cow<'static, str>;

/// Who may read a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Audience {
    /// One seat.
    Seat(SeatId),
    /// A private group.
    Group(GroupId),
    /// Everybody.
    Public,
    /// The director.
    Director,
}

/// What a notice is. Only notices proper are "told" in the sense of the rules; the rest helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoticeKind {
    /// A rule makes it known.
    Notice,
    /// What can be done now.
    Prompt,
    /// That something was taken.
    Receipt,
}

/// A value in a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arg {
    /// A seat.
    Seat(SeatId),
    /// Seats, in elevator order.
    Seats(SeatSet),
    /// Seats in an order that matters.
    Order(Vec<SeatId>),
    /// A seat with its faction, for lists.
    Factions(Vec<(SeatId, FactionId)>),
    /// A seat with its role and faction, for the reveal.
    Cards(Vec<(SeatId, RoleId, FactionId)>),
    /// Ballots: who, for whom (`None`: 弃权).
    Ballots(Vec<(SeatId, Option<SeatId>)>),
    /// Seats with weights in hundredths of a vote.
    Tally(Vec<(SeatId, i32)>),
    /// A role.
    Role(RoleId),
    /// Roles.
    Roles(Vec<RoleId>),
    /// A faction.
    Faction(FactionId),
    /// Factions.
    FactionList(Vec<FactionId>),
    /// A class; `None`: in no class.
    Class(Option<ClassId>),
    /// A skill.
    Skill(SkillId),
    /// Skills.
    Skills(Vec<SkillId>),
    /// Words as they were sent.
    Words(Vec<Word>),
    /// Factions with a number of seats.
    Counts(Vec<(FactionId, u16)>),
    /// Uses of skills: in which night, of which skill, on whom.
    Uses(Vec<(u16, SkillId, SeatSet)>),
    /// A state.
    State(StateId),
    /// A private group.
    Group(GroupId),
    /// A phase.
    Phase(Phase),
    /// A window.
    Window(WindowId),
    /// A card's colour.
    Colour(Colour),
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// An instant; `None`: no deadline.
    Time(Option<Time>),
    /// A text of the director's or a player's.
    Text(String),
}

/// Something that is made known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// To whom.
    pub to: Audience,
    /// Of which kind.
    pub kind: NoticeKind,
    /// The template.
    pub key: Key,
    /// Its values.
    pub args: Vec<(Key, Arg)>,
    /// Whose message it passes on: not told to that seat again.
    pub from: Option<SeatId>,
}

impl Notice {
    /// A notice under this key.
    pub fn new(to: Audience, key: &'static str) -> Self {
        Self {
            to,
            kind: NoticeKind::Notice,
            key: Cow::Borrowed(key),
            args: Vec::new(),
            from: None,
        }
    }

    /// A notice to one seat.
    pub fn to(seat: SeatId, key: &'static str) -> Self {
        Self::new(Audience::Seat(seat), key)
    }

    /// A notice to everybody.
    pub fn public(key: &'static str) -> Self {
        Self::new(Audience::Public, key)
    }

    /// A notice to a private group.
    pub fn group(group: GroupId, key: &'static str) -> Self {
        Self::new(Audience::Group(group), key)
    }

    /// A notice to the director.
    pub fn director(key: &'static str) -> Self {
        Self::new(Audience::Director, key)
    }

    /// With a value.
    #[must_use]
    pub fn with(mut self, name: &'static str, arg: Arg) -> Self {
        self.args.push((Cow::Borrowed(name), arg));
        self
    }

    /// As a prompt.
    #[must_use]
    pub fn prompt(mut self) -> Self {
        self.kind = NoticeKind::Prompt;
        self
    }

    /// As a receipt.
    #[must_use]
    pub fn receipt(mut self) -> Self {
        self.kind = NoticeKind::Receipt;
        self
    }

    /// As a message of this seat.
    #[must_use]
    pub fn from(mut self, seat: SeatId) -> Self {
        self.from = Some(seat);
        self
    }
}
