//! The state of a game. [`World`] is the part that a rewind takes back; what survives one
//! (turns, dice, cards, what was said) is kept beside it in `Game`.

use serde::{Deserialize, Serialize};

use crate::board::Harm;
use crate::book::ClosedBook;
use crate::ids::{FactionId, RoleId, SeatId, SeatSet, SkillId, Stamp, StateId, Time};
use crate::input::Word;
use crate::notice::Notice;
use crate::phase::{Phase, PhaseSet, WindowId};

/// Everything that a rewind takes back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct World {
    /// The phase the game stands in.
    pub phase: Phase,
    /// The window that is open; `None` while a closed book is awaited and at the end.
    pub window: Option<WindowId>,
    /// Where in the flow the phase stands.
    pub flow_place: u32,
    /// The seats, in elevator order.
    pub seats: Vec<Seat>,
    /// States that lie on seats, in the order in which they were laid.
    pub states: Vec<StateRecord>,
    /// Messages for skills that have not resolved yet.
    pub intents: Vec<Intent>,
    /// Who has declined what in the window that is open.
    pub declined: Vec<(SeatId, SkillId)>,
    /// Harm that waits for settlement.
    pub hits: Vec<Hit>,
    /// Harm that a state holds back until the next vote is settled.
    #[serde(default)]
    pub held_back: Vec<HeldBack>,
    /// Cards that lie face down, for those who may choose among them.
    #[serde(default)]
    pub face_down: Vec<RoleId>,
    /// Reactions that were asked and not answered.
    pub reactions: Vec<Reaction>,
    /// Goings-out that wait for somebody's answer.
    #[serde(default)]
    pub waiting: Vec<WaitingOut>,
    /// Seats whose going out has been published.
    pub announced: SeatSet,
    /// Who went out, in settlement order, with its phase.
    pub outs: Vec<OutRecord>,
    /// How many of `outs` a list has published.
    pub published: usize,
    /// Notices that wait for the door to open.
    pub at_door: Vec<Notice>,
    /// Last words that wait for the door to open.
    pub last_words: Vec<(SeatId, String)>,
    /// Seats that may leave last words now, and those that may once the next door has opened.
    pub may_speak_last: SeatSet,
    /// Targets that skills struck tonight by name, for those who hear of it (灵通).
    pub struck: SeatSet,
    /// Changes of the vote thread that is open.
    pub thread_version: u32,
    /// Is a speed-up in force today?
    pub sped_up: bool,
    /// Red-carded seats whose going out settles with the vote.
    pub sent_off: Vec<SeatId>,
    /// Factions that have met a losing condition, by rule or by surrender.
    pub lost: Vec<FactionId>,
    /// A surrender that was moved: the faction and who has agreed.
    pub surrenders: Vec<(FactionId, SeatSet)>,
    /// For each faction that is out: the day in which its last seat went out.
    pub gone_on: Vec<(FactionId, u16)>,
    /// Days (a night and the day after it) in which nobody went out, up to the last one settled.
    pub quiet_days: Vec<u16>,
    /// How the sheriff's election stands.
    #[serde(default)]
    pub election: Election,
    /// Those among whom a tied vote is run off, from the count to the end of the second vote.
    #[serde(default)]
    pub tied: SeatSet,
    /// Who has cut the day short, until its dusk is settled.
    #[serde(default)]
    pub cut_short: Option<SeatId>,
    /// Phases to insert before the flow goes on (a second noon), next one first.
    pub inserted: Vec<Phase>,
    /// Closed books whose outcome waits for the dusk, in the order of their threads.
    pub books: Vec<ClosedBook>,
}

/// How the sheriff's election stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Election {
    /// Who runs.
    pub candidates: SeatSet,
    /// Who ran and has withdrawn.
    pub withdrawn: SeatSet,
    /// How often it was put off.
    pub put_off: u8,
    /// Is it held after the next dawn?
    pub due: bool,
}

/// A seat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seat {
    /// The card that was dealt; never changes.
    pub card: RoleId,
    /// The role that is played now.
    pub role: RoleId,
    /// The faction now.
    pub faction: FactionId,
    /// The faction it was dealt into.
    pub dealt: FactionId,
    /// The faction that it was told of since, where that is another one.
    #[serde(default)]
    pub told_faction: Option<FactionId>,
    /// Why it is out; `None`: in play.
    pub out: Option<Cause>,
    /// Does it know that it is out?
    pub knows_out: bool,
    /// Has a red card ended its rights?
    pub barred: bool,
    /// The skills it holds, in the order in which it got them.
    pub holdings: Vec<Holding>,
    /// Disguises, in the order in which they were laid; the last one shows.
    pub faces: Vec<Face>,
    /// Added to the weight of its ballot for good, in hundredths of a vote.
    pub weight: i32,
    /// The seat whose win it shares instead of its own faction's (暗恋者).
    #[serde(default)]
    pub shares: Option<SeatId>,
}

/// A disguise: what checks show instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Face {
    /// The faction that shows.
    pub faction: Option<FactionId>,
    /// The role that shows.
    pub role: Option<RoleId>,
    /// Whether it shows as armed.
    pub armed: Option<bool>,
}

/// Which holding of a seat: its own skill, a gift, a copy. Unique in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HoldingId(pub u16);

/// A skill that a seat holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// Its name within the game.
    pub id: HoldingId,
    /// Which skill.
    pub skill: SkillId,
    /// Uses left; `None`: any number.
    pub left: Option<u8>,
    /// The night of the last use, and whom it chose.
    pub last: Option<(u16, SeatSet)>,
    /// The same of the use before.
    #[serde(default)]
    pub before: Option<(u16, SeatSet)>,
    /// Everyone it ever chose.
    pub ever: SeatSet,
    /// A number that the skill's code keeps (a counter, a mark).
    pub memory: i32,
    /// Was it dealt, or got later?
    pub dealt: bool,
    /// The skill by which it was got from somebody or something else.
    #[serde(default)]
    pub via: Option<SkillId>,
    /// Is it only lent, for a night?
    #[serde(default)]
    pub lent: bool,
    /// Every use: its night, and whom it chose.
    #[serde(default)]
    pub uses: Vec<(u16, SeatSet)>,
}

impl Holding {
    /// It has been used on this night, on these seats.
    pub fn note_use(&mut self, night: u16, chosen: SeatSet) {
        self.before = self.last;
        self.last = Some((night, chosen));
        self.ever = self.ever.or(chosen);
        self.uses.push((night, chosen));
    }
}

/// A state that lies on a seat: a record with a source and an end, never a wrapper.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateRecord {
    /// What it is.
    pub state: StateId,
    /// On whom.
    pub seat: SeatId,
    /// Who laid it, with which holding; `None`: a rule or the director.
    pub from: Option<(SeatId, HoldingId)>,
    /// The other seat of a pair.
    pub partner: Option<SeatId>,
    /// How many hits it still stops; `None`: any number.
    pub times: Option<u8>,
    /// At which next beginning of a phase it lapses; `None`: never.
    pub until: Option<Lapse>,
    /// Was the seat told of it?
    #[serde(default)]
    pub told: bool,
}

/// When something lapses: at a beginning of one of these phases (G11).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lapse {
    /// Which kinds of phases.
    pub phases: PhaseSet,
    /// How many such beginnings pass before.
    pub skip: u8,
}

/// A message for a skill that has not resolved yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Intent {
    /// Who sent it (of a team's skill: the member who sent last).
    pub seat: SeatId,
    /// Which holding of that seat it uses.
    pub holding: HoldingId,
    /// Which skill.
    pub skill: SkillId,
    /// The chosen targets.
    pub targets: Vec<SeatId>,
    /// Other parameters.
    pub words: Vec<Word>,
    /// The window it was sent in.
    pub window: WindowId,
    /// When it was sent.
    pub stamp: Stamp,
    /// Was its sender out already, without knowing it? Then it is taken like any other and never
    /// acts (G5).
    #[serde(default)]
    pub vain: bool,
}

/// Harm that waits for settlement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// On whom.
    pub target: SeatId,
    /// What kind.
    pub harm: Harm,
    /// By whom; `None`: the vote, a rule, the director.
    pub by: Option<SeatId>,
    /// With which skill.
    pub skill: Option<SkillId>,
}

/// Harm that is held back until the next vote is settled (F4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldBack {
    /// The hit.
    pub hit: Hit,
    /// States that silenced its target when it came: they do so again when it falls.
    pub silenced: Vec<StateId>,
}

/// A going-out that waits: somebody was asked whether to go in the target's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingOut {
    /// The hit that got through.
    pub hit: Hit,
    /// In which phase.
    pub phase: Phase,
    /// Who is asked.
    pub seat: SeatId,
    /// With which holding.
    pub holding: HoldingId,
    /// Which skill.
    pub skill: SkillId,
    /// Has it been asked? That is when the settlement is over.
    pub asked: bool,
}

/// Why a seat went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// The harm.
    pub harm: Harm,
    /// Whose.
    pub by: Option<SeatId>,
    /// The skill that brought it.
    pub skill: Option<SkillId>,
    /// In which phase.
    pub phase: Phase,
}

/// An entry of the list of who went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutRecord {
    /// Who.
    pub seat: SeatId,
    /// Why and when.
    pub cause: Cause,
}

/// A reaction that was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reaction {
    /// Who may react.
    pub seat: SeatId,
    /// With which holding.
    pub holding: HoldingId,
    /// Which skill.
    pub skill: SkillId,
    /// When it was asked.
    pub asked: Time,
    /// Until when it was told that it has time; `None`: until the director goes on. Others who
    /// are asked later do not move it.
    #[serde(default)]
    pub until: Option<Time>,
}
