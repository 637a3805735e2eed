//! How a board's game runs: windows, phases, calendars, votes, what is published, penalties.

use jiff::tz::TimeZone;

use super::Harms;
use crate::ids::{SkillId, StateId};
use crate::phase::PhaseKind;

/// A window: a span in which skills can be sent.
#[derive(Debug, Clone)]
pub struct Window {
    /// Its name (入夜).
    pub name: String,
    /// The phase it belongs to.
    pub phase: PhaseKind,
    /// What it is for.
    pub kind: WindowKind,
}

/// What a window is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowKind {
    /// Skills are sent.
    Skills,
    /// A vote thread is open; skills of the day can be sent.
    Vote,
    /// The same, among those whom the vote before has left tied. Without a tie it is left out.
    Runoff,
    /// Those who may react are asked.
    Reactions,
    /// Nothing but last words, until the door opens. Calendars in durations leave it out.
    Rest,
}

impl WindowKind {
    /// Is a vote thread open in it?
    pub fn is_vote(self) -> bool {
        matches!(self, Self::Vote | Self::Runoff)
    }
}

/// The order of phases: `lead` once, then `cycle` again and again.
#[derive(Debug, Clone)]
pub struct Flow {
    /// From the opening on.
    pub lead: Vec<PhaseKind>,
    /// Then.
    pub cycle: Vec<PhaseKind>,
}

/// A calendar: when windows end.
#[derive(Debug, Clone)]
pub struct Calendar {
    /// Its name (`slow`, `quick`).
    pub name: String,
    /// For each window of the board, when it ends.
    pub ends: Vec<End>,
    /// May windows close early once everybody has acted (G2)?
    pub early: bool,
    /// A reaction asked later than so many minutes before its phase ends gets so many (M2).
    pub reaction_minutes: i64,
    /// Votes cannot be changed in the last so many minutes (G7); 0: always.
    pub changes_stop_minutes: i64,
    /// Petitions are taken until so many minutes before door-close.
    pub petitions_stop_minutes: i64,
}

/// When a window ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// At the next such time of day in the game's zone: minutes since midnight.
    At(u16),
    /// So many minutes after it began; 0: it is left out.
    After(u16),
}

/// What calendar a game runs by, with its zone and speed.
#[derive(Debug, Clone)]
pub struct Timetable {
    /// The calendar's name; `manual` has no deadlines.
    pub calendar: String,
    /// The zone in which times of day are meant.
    pub zone: TimeZone,
    /// Durations are divided by it; times of day are not.
    pub speed: f64,
}

/// What the holder of a state decides when a vote is tied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TieBreak {
    /// Nothing.
    #[default]
    Nothing,
    /// The seat voted for goes out, whoever it is (m158 §投票, M5).
    Any,
    /// The seat voted for goes out if it is among the tied (秩序, N11).
    Tied,
    /// The holder itself goes out, whoever is tied, and before any ballot decides (冤死, R5). Not
    /// on a day whose vote puts nobody out.
    Itself,
}

/// The vote by day.
#[derive(Debug, Clone)]
pub struct VoteRules {
    /// How often a vote can be changed; `None`: any number of times.
    pub changes: Option<u8>,
    /// Are the ballots published when the door closes? Never those of a secret vote.
    pub ballots_public: bool,
    /// From this day on votes are secret: sent in private, seen by nobody else (R1).
    pub secret_from: Option<u16>,
    /// The first day's vote puts nobody out: whoever has the most gets this state, and its
    /// faction is published (R1).
    pub first_day_shows: Option<StateId>,
}

/// The sheriff.
#[derive(Debug, Clone)]
pub struct SheriffRules {
    /// The state that a sheriff has.
    pub state: StateId,
    /// Skills that come with it.
    pub skills: Vec<SkillId>,
    /// The skill by which the badge is passed on.
    pub pass: SkillId,
    /// Who can be elected.
    pub election: ElectionRules,
}

/// The sheriff's election.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ElectionRules {
    /// Must one announce oneself to be voted for (F6)? Otherwise everybody can be, and votes.
    pub candidates: bool,
    /// May those who have withdrawn vote?
    pub withdrawn_vote: bool,
    /// Is a candidate without a rival sheriff without a vote?
    pub lone_elected: bool,
    /// How often it is put off when the day is cut short during it; after that there is no
    /// sheriff (F5).
    pub put_off: u8,
}

/// When wins are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WinsChecked {
    /// Whenever who went out is fixed (G13).
    Fixed,
    /// Whenever a list of who went out is published (m158 §胜负判定).
    Published,
}

/// What is published of who went out.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent switches of a board file"
)]
#[derive(Debug, Clone)]
pub struct Publication {
    /// In which order (G4).
    pub order: ListOrder,
    /// Do lists tell those who were voted out from others (R16)?
    pub causes: bool,
    /// Do lists name the faction of who is on them?
    pub factions: bool,
    /// Does a list show the cards of who is on it (明牌)?
    pub cards: bool,
    /// Is a seat told that it is out as soon as that is settled, not when a list says so?
    pub told_at_once: bool,
    /// What went out by vote is published as soon as it is settled, not when the dusk ends.
    pub vote_at_once: bool,
    /// The first night's list waits for the end of the election.
    pub first_night_after_election: bool,
}

/// In which order a list names who went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListOrder {
    /// By seat.
    Seat,
    /// In the order of settlement.
    Settlement,
    /// Those of a night by seat, since the order of its settlement would tell what put them out
    /// (G15); the rest in the order of settlement.
    NightBySeat,
}

/// Who may leave last words.
#[derive(Debug, Clone)]
pub struct LastWordsRule {
    /// Those who went out on the first night.
    pub first_night: bool,
    /// Those who went out on later nights.
    pub later_nights: bool,
    /// Those who went out by day, by one of these kinds of harm.
    pub day: Harms,
}

/// The colours of the director's cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Colour {
    /// 蓝牌.
    Blue,
    /// 黄牌.
    Yellow,
    /// 红牌.
    Red,
}

/// Cards of the director.
#[derive(Debug, Clone)]
pub struct Penalties {
    /// So many of one colour become one of the next at once; `None`: they only add up (G20).
    pub merge: Option<u8>,
    /// Does a red card by day take effect before the vote is settled (G19)?
    pub red_before_vote: bool,
    /// Fewer posts than this on a day without a speed-up are idling; 0: no such rule.
    pub few_posts: u16,
    /// Fewer posts than this on three such days running are idling; 0: no such rule.
    pub few_posts_three_days: u16,
    /// Is not voting idling?
    pub no_vote: bool,
}
