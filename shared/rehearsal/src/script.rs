//! A rehearsal that has been read: all names are ids, all steps are known to be in the format.

use std::sync::Arc;

use rules::game::SeatSetup;
use rules::{
    Board, FactionId, GroupId, Options, PhaseKind, RoleId, SeatId, SeatSet, SkillId, StateId,
    WindowId,
};

/// A rehearsal file.
#[derive(Debug, Clone)]
pub struct Script {
    /// What it is called.
    pub title: String,
    /// Which rule it checks.
    pub about: Option<String>,
    pub(crate) board: Arc<Board>,
    /// Aliases, in elevator order.
    pub(crate) aliases: Vec<String>,
    /// What each of them was dealt.
    pub(crate) setups: Vec<SeatSetup>,
    pub(crate) dice: Vec<Forced>,
    pub(crate) options: Options,
    pub(crate) steps: Vec<Step>,
}

/// A forced draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Forced {
    /// As the file has it.
    pub(crate) written: String,
    /// As the engine names it: a seat by its number.
    pub(crate) named: String,
}

/// A step of the play.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) line: u64,
    /// The line of the file on which it begins.
    pub(crate) source: String,
    pub(crate) action: Action,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// Private messages of one sender.
    Send {
        from: Sender,
        messages: Vec<String>,
    },
    /// A message that must be refused; the refusal must contain `because`.
    Refuse {
        from: Sender,
        message: String,
        because: Option<String>,
    },
    /// Canonical votes and changes.
    Vote(Vec<(SeatId, String)>),
    /// Posts in the square.
    Post(Vec<(SeatId, String)>),
    /// Replies to one's own vote post.
    Repost(Vec<(SeatId, String)>),
    Until(Goal),
    Next,
    /// Minutes since midnight.
    At(u16),
    /// Forget what was made known.
    Mark,
    Check(Check),
}

/// Who sends a private message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sender {
    Seat(SeatId),
    Director,
}

/// Where the clock is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    Phase(PhaseKind, Option<u16>),
    Window(WindowId),
}

/// For each seat named, something.
pub(crate) type BySeat<T> = Vec<(SeatId, T)>;

/// What a step checks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Check {
    Out(SeatSet),
    OutOrder(Vec<SeatId>),
    Standing(SeatSet),
    Told(BySeat<Vec<String>>),
    Untold(BySeat<Vec<String>>),
    Public(Vec<String>),
    NotPublic(Vec<String>),
    Has(BySeat<Vec<Feature>>),
    Lacks(BySeat<Vec<Feature>>),
    Is(BySeat<Vec<Trait>>),
    Can(BySeat<Vec<SkillId>>),
    Cannot(BySeat<Vec<SkillId>>),
    Range(BySeat<Vec<(SkillId, SeatSet)>>),
    Left(BySeat<Vec<(SkillId, u32)>>),
    /// In hundredths of a vote, in seat order, none without weight.
    Tally(Vec<(SeatId, i32)>),
    Group(Vec<(GroupId, SeatSet)>),
    Win(Win),
    Winners(SeatSet),
}

/// A state, skill or tag, by name: a name can be a skill and the state that it lays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Feature {
    pub(crate) name: String,
    pub(crate) state: Option<StateId>,
    pub(crate) skill: Option<SkillId>,
    pub(crate) tag: Option<Tag>,
}

/// A tag that is no state of the board: a fact that follows from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tag {
    /// 群内: shares the pack's group and its kill.
    InPack,
}

/// Something that a seat is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trait {
    Faction(FactionId),
    Role(RoleId),
    FaceFaction(FactionId),
    FaceRole(RoleId),
    Armed(bool),
}

/// How the game stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Win {
    GoesOn,
    Draw,
    Factions(Vec<FactionId>),
}
