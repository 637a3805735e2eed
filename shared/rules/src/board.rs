//! A board: a rule set as data. The `boards` crate reads it from TOML; the engine only reads it.
//!
//! Everything that differs between boards is here, so that no code asks which board it is.

mod course;
mod harm;

use std::fmt;
use std::sync::Arc;

use crate::ids::{ClassId, FactionId, GroupId, RoleId, SkillId, StateId};
use crate::phase::{PhaseKind, PhaseSet, WindowId, WindowSet};
use crate::skill::Skill;
use crate::wins::{Cond, WinRule};

pub use course::{
    Calendar, Colour, ElectionRules, End, Flow, LastWordsRule, ListOrder, Penalties, Publication,
    SheriffRules, TieBreak, Timetable, VoteRules, Window, WindowKind, WinsChecked,
};
pub use harm::{Harm, Harms};

/// A whole board. Its tables are indexed by the ids of [`crate::ids`].
#[derive(Debug, Clone)]
pub struct Board {
    /// Its id, as in `开局 m158`.
    pub id: String,
    /// Its name (鸣潮).
    pub name: String,
    /// A hash of the text it was read from; a stored game names it.
    pub hash: String,
    /// The text it was read from, to be kept with games on it.
    pub source: Arc<str>,
    /// Factions, in the order of the text.
    pub factions: Vec<Faction>,
    /// Names of classes (神职, 村民, …).
    pub classes: Vec<String>,
    /// Roles.
    pub roles: Vec<Role>,
    /// How its cards are dealt.
    pub deal: DealRules,
    /// Skills.
    pub skills: Vec<SkillDef>,
    /// States and tags.
    pub states: Vec<StateDef>,
    /// Private groups.
    pub groups: Vec<GroupDef>,
    /// Windows of every phase, in order of time within their phase.
    pub windows: Vec<Window>,
    /// The order of phases.
    pub flow: Flow,
    /// Calendars by name: `slow`, `quick`, …; `manual` needs none.
    pub calendars: Vec<Calendar>,
    /// The vote by day.
    pub vote: VoteRules,
    /// The sheriff's election, where the board has one.
    pub sheriff: Option<SheriffRules>,
    /// In which order hits of one settlement are taken: skills, first to last. Hits of skills
    /// that are not listed come last, in order of arrival.
    pub settlement: Vec<SkillId>,
    /// In which order what prevents a hit is asked.
    pub preventions: Vec<StateId>,
    /// In which order redirecting states are asked (G10).
    pub redirects: Vec<StateId>,
    /// In which order stand-ins are asked.
    pub stand_ins: Vec<StateId>,
    /// Conditions under which nobody wins; looked at before the win rules.
    pub draws: Vec<Cond>,
    /// Win rules in order of priority.
    pub wins: Vec<WinRule>,
    /// When wins are checked.
    pub wins_checked: WinsChecked,
    /// What is published of who went out, and when.
    pub publication: Publication,
    /// Who may leave last words.
    pub last_words: LastWordsRule,
    /// Cards of the director.
    pub penalties: Penalties,
    /// Factions that may surrender.
    pub surrender: Vec<FactionId>,
    /// Defaults of the parameters that a game may override.
    pub options: Options,
}

/// A faction.
#[derive(Debug, Clone)]
pub struct Faction {
    /// Its name (狼人阵营).
    pub name: String,
}

/// A role.
#[derive(Debug, Clone)]
pub struct Role {
    /// Its name (预言家).
    pub name: String,
    /// The faction it is dealt into; `None`: one of those that are dealt apart.
    pub faction: Option<FactionId>,
    /// Its class, for win rules and checks.
    pub class: Option<ClassId>,
    /// The number on its card; 0 where the board has none.
    pub strength: u8,
    /// How many of it the deal has.
    pub count: u8,
    /// The skills it is dealt with.
    pub skills: Vec<SkillId>,
}

/// How a board's cards are dealt.
#[derive(Debug, Clone, Default)]
pub struct DealRules {
    /// How many of the cards lie face down instead of at a seat.
    pub face_down: u8,
    /// Cards that never do.
    pub never_down: Vec<RoleId>,
    /// At most one card of this faction does.
    pub one_down_of: Option<FactionId>,
    /// Factions that are dealt apart from the roles, with their share of the seats.
    pub shares: Vec<Share>,
    /// Other numbers of seats that it takes, each with the cards that are then added.
    pub sizes: Vec<DealSize>,
}

/// Another number of seats that a board takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DealSize {
    /// How many seats.
    pub seats: u8,
    /// Which cards are added.
    pub more: Vec<RoleId>,
}

impl DealRules {
    /// May this card lie face down beside these?
    pub fn may_lie_with(&self, board: &Board, card: RoleId, others: &[RoleId]) -> bool {
        let of = |card: RoleId| board.role_def(card).faction == self.one_down_of;
        let crowded = self.one_down_of.is_some() && of(card) && others.iter().any(|c| of(*c));
        !self.never_down.contains(&card) && !crowded
    }
}

/// A faction's share of a deal in which factions are dealt apart from roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The faction.
    pub faction: FactionId,
    /// How many seats are dealt into it.
    pub seats: u8,
    /// At least so many of these roles are among them.
    pub least: Vec<(RoleId, u8)>,
}

/// A skill of the board: what all skills have in common, and its code.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent properties, each asked by itself"
)]
#[derive(Debug, Clone)]
pub struct SkillDef {
    /// Its name (预言).
    pub name: String,
    /// Other words for it (移交 for 殉职).
    pub aliases: Vec<String>,
    /// The windows in which it can be sent. Empty for what is only a reaction or standing.
    pub windows: WindowSet,
    /// How it is used.
    pub usage: Usage,
    /// Uses a game; `None`: any number.
    pub uses: Option<u8>,
    /// May it not be declined (强制)?
    pub forced: bool,
    /// Do silences not touch it (锁定; 忍耐, N6)? What is forced always is.
    pub locked: bool,
    /// At most one use in so many nights; 0: no such limit.
    pub every: u16,
    /// Can it wait for any later window, so that no window waits for it?
    pub unhurried: bool,
    /// How many seats it names.
    pub seats: SeatCount,
    /// Who can be chosen.
    pub choose: Choose,
    /// Do its targets pass the redirects, and do veils stop it (指定)?
    pub targeted: bool,
    /// The private group to which it belongs (团队, G3).
    pub team: Option<Team>,
    /// Is it a kill, so that holding it makes armed (带刀)?
    pub kill: bool,
    /// Skills of the same owner that cannot be used on the same night.
    pub excludes: Vec<SkillId>,
    /// Can it be used in the square, by its name alone (自爆, F5)?
    pub spoken: bool,
    /// Its place in the order in which one window's skills resolve.
    pub order: u16,
    /// What it does in a sentence, for `帮助`.
    pub help: String,
    /// What it does.
    pub code: Arc<dyn Skill>,
}

impl SkillDef {
    /// Does a team of this group have it together?
    pub fn is_of(&self, group: GroupId) -> bool {
        self.team
            .as_ref()
            .is_some_and(|t| t.groups.contains(&group))
    }
}

/// Whose a team's skill is, and how its members choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// The groups whose members share it; a seat shares it with the first one that it belongs to.
    pub groups: Vec<GroupId>,
    /// Whose choice counts.
    pub choice: TeamChoice,
}

/// Whose choice counts when a team has a skill together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TeamChoice {
    /// Any member sends it for all, the latest message counts.
    Latest,
    /// Each member sends its own; it is used only if they all name the same (F3).
    Agreed,
}

/// How a skill is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Sent in its window, replaced at will, resolved when the window closes.
    Sent,
    /// Sent in its window, acts at once, cannot be replaced.
    Immediate,
    /// Sent only when the game asks for it; acts at once.
    Reaction,
    /// Never sent: it stands, or acts by itself.
    Standing,
}

/// How many seats a skill names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatCount {
    /// At least.
    pub min: u8,
    /// At most.
    pub max: u8,
}

impl SeatCount {
    /// Exactly so many.
    pub fn exactly(n: u8) -> Self {
        Self { min: n, max: n }
    }
}

/// Who can be chosen for a skill, beyond what its code says. Seats that are announced out never
/// can be, unless `whom` says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choose {
    /// When oneself can be chosen.
    pub oneself: Oneself,
    /// Not those chosen by this skill on the night before.
    pub not_twice_running: bool,
    /// Each seat once a game (绝情, N8).
    pub once_each: bool,
    /// Not seats of this faction.
    pub not_faction: Option<FactionId>,
    /// Seats that are out, too, or only those?
    pub whom: Whom,
    /// Not seats that have this state. Its holders' choosers have been told.
    pub not_state: Option<StateId>,
}

/// Which seats a skill can name, by what is announced of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whom {
    /// Those that are not announced out.
    #[default]
    InPlay,
    /// Only those that are.
    Out,
    /// Both.
    Everyone,
}

/// Can one choose oneself?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Oneself {
    /// Yes (G24).
    #[default]
    Yes,
    /// No (其他, 无私).
    No,
    /// Only on the first night.
    FirstNight,
}

/// A state or tag: what it contributes to facts while it lies on a seat.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent effects, each read by a fact of its own"
)]
#[derive(Debug, Clone, Default)]
pub struct StateDef {
    /// Its name (沉默, 警长, 黄牌).
    pub name: String,
    /// Harm it stops.
    pub stops: Harms,
    /// How many hits it stops; `None`: any number.
    pub times: Option<u8>,
    /// The phases in which it works; empty: always.
    pub phases: PhaseSet,
    /// Skills that are not forced cannot be used (沉默).
    pub silences: bool,
    /// Kills cannot be used (缴械).
    pub disarms: bool,
    /// Forced skills are gone (遗忘).
    pub strips: bool,
    /// Targeted skills have no effect on the seat (隐身).
    pub veils: bool,
    /// The seat's ballot weighs nothing (迷魂), whatever else is added.
    pub bewitches: bool,
    /// The seat has no ballot.
    pub voteless: bool,
    /// No ballot can name the seat.
    pub unvotable: bool,
    /// The seat's ballot weighs nothing against the seat that laid this (独尊).
    pub spares_layer: bool,
    /// Added to the weight of the seat's ballot, in hundredths of a vote; stacks.
    pub weight: i32,
    /// What the seat's ballot decides in a tie.
    pub tie: TieBreak,
    /// No skill can name the seat.
    pub untargetable: bool,
    /// The seat cannot abstain; without a ballot one is drawn when the vote is counted.
    pub must_vote: bool,
    /// Nothing puts the seat out but the director's ruling.
    pub stays_in: bool,
    /// The seat goes out by the vote in the place of the one voted out (替死).
    pub voted_instead: bool,
    /// What happens to the ball of a targeted skill that reaches the seat.
    pub redirect: Option<Redirect>,
    /// Does whoever laid it go out in this seat's place (替死)?
    pub stand_in: bool,
    /// Is the seat told when it gets or loses it?
    pub told: Told,
    /// It does not work while one of these lies on the same seat (奶穿).
    pub fails_with: Vec<StateId>,
    /// Does harm that it stops fall after the next vote (F4)?
    pub holds_back: bool,
    /// Does its holder, in play, count as gone for those who must remove a class or everybody
    /// (F13)?
    pub gone: bool,
    /// Is it the director's card, and of which colour?
    pub card: Option<Colour>,
}

/// When a seat is told of a state that lies on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Told {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// When it bars the seat from something that it could still use in this phase (恐惧).
    WhenItBars,
}

/// Where a redirecting state throws the ball.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redirect {
    /// Back to whoever used the skill (时间逆流).
    Back,
    /// To the seat that the state is laid together with (交换).
    Partner,
    /// To a random seat in play without this state (反射).
    Random,
}

/// A private group.
#[derive(Debug, Clone)]
pub struct GroupDef {
    /// Its name (狼群).
    pub name: String,
    /// Who meets in it.
    pub members: Members,
}

/// Who meets in a private group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// Seats dealt into this faction.
    Dealt(FactionId),
    /// Seats with this state, in play or out.
    State(StateId),
}

/// Parameters that a game may override.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of a game, each on its own"
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// Is there a sheriff and an election?
    pub sheriff: bool,
    /// Does the board punish idling by itself (G20)?
    pub idle_cards: bool,
    /// Is a tied vote of the day run off among the tied, where the board has a window for it?
    /// Otherwise nobody goes out (F15).
    #[serde(default)]
    pub runoff: bool,
    /// Are counted weights published? Where ballots are, they always are (R15).
    #[serde(default = "published")]
    pub counts: bool,
}

/// Counts were published before there was a parameter for it.
fn published() -> bool {
    true
}

/// A name that is not on the board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What kind of thing was looked for.
    pub kind: &'static str,
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no {} is called {:?} on this board",
            self.kind, self.name
        )
    }
}

impl std::error::Error for UnknownName {}

fn find<T>(
    kind: &'static str,
    table: &[T],
    name: &str,
    matches: impl Fn(&T) -> bool,
) -> Result<usize, UnknownName> {
    table.iter().position(matches).ok_or_else(|| UnknownName {
        kind,
        name: name.to_owned(),
    })
}

impl Board {
    /// The role of this name.
    pub fn role(&self, name: &str) -> Result<RoleId, UnknownName> {
        find("role", &self.roles, name, |r| r.name == name).map(RoleId::at)
    }

    /// The skill of this name or alias.
    pub fn skill(&self, name: &str) -> Result<SkillId, UnknownName> {
        let matches = |s: &SkillDef| s.name == name || s.aliases.iter().any(|a| a == name);
        find("skill", &self.skills, name, matches).map(SkillId::at)
    }

    /// The faction of this name.
    pub fn faction(&self, name: &str) -> Result<FactionId, UnknownName> {
        find("faction", &self.factions, name, |f| f.name == name).map(FactionId::at)
    }

    /// The class of this name.
    pub fn class(&self, name: &str) -> Result<ClassId, UnknownName> {
        find("class", &self.classes, name, |c| c == name).map(ClassId::at)
    }

    /// The state of this name.
    pub fn state(&self, name: &str) -> Result<StateId, UnknownName> {
        find("state", &self.states, name, |s| s.name == name).map(StateId::at)
    }

    /// The private group of this name.
    pub fn group(&self, name: &str) -> Result<GroupId, UnknownName> {
        find("group", &self.groups, name, |g| g.name == name).map(GroupId::at)
    }

    /// The window of this name.
    pub fn window(&self, name: &str) -> Result<WindowId, UnknownName> {
        find("window", &self.windows, name, |w| w.name == name).map(WindowId::at)
    }

    /// The calendar of this name.
    pub fn calendar(&self, name: &str) -> Option<&Calendar> {
        self.calendars.iter().find(|c| c.name == name)
    }

    /// How many seats its deal has.
    pub fn seat_count(&self) -> usize {
        let cards: usize = self.roles.iter().map(|r| usize::from(r.count)).sum();
        cards.saturating_sub(usize::from(self.deal.face_down))
    }

    /// Every number of seats that it takes, its own first.
    pub fn sizes(&self) -> Vec<usize> {
        let others = self.deal.sizes.iter().map(|s| usize::from(s.seats));
        std::iter::once(self.seat_count()).chain(others).collect()
    }

    /// The cards for so many seats, those that lie face down among them; for a number of seats
    /// that it does not take, its own.
    pub fn cards(&self, seats: usize) -> Vec<RoleId> {
        let mut cards = Vec::new();
        for (place, role) in self.roles.iter().enumerate() {
            cards.extend(std::iter::repeat_n(
                RoleId::at(place),
                usize::from(role.count),
            ));
        }
        let mut sizes = self.deal.sizes.iter();
        if let Some(size) = sizes.find(|s| usize::from(s.seats) == seats) {
            cards.extend(&size.more);
        }
        cards
    }

    /// The definition of a skill.
    pub fn skill_def(&self, id: SkillId) -> &SkillDef {
        &self.skills[id.index()]
    }

    /// The definition of a state.
    pub fn state_def(&self, id: StateId) -> &StateDef {
        &self.states[id.index()]
    }

    /// The definition of a role.
    pub fn role_def(&self, id: RoleId) -> &Role {
        &self.roles[id.index()]
    }

    /// The windows of a phase, in order.
    pub fn windows_of(&self, phase: PhaseKind) -> impl DoubleEndedIterator<Item = WindowId> {
        self.windows
            .iter()
            .enumerate()
            .filter(move |(_, w)| w.phase == phase)
            .map(|(i, _)| WindowId::at(i))
    }
}
