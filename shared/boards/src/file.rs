//! The shape of a board file, as serde reads it. Names keep their place for messages.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

/// A name in a board file, with its place.
pub(crate) type Name = Spanned<String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardFile {
    pub id: Name,
    pub name: String,
    pub factions: Vec<Name>,
    #[serde(default)]
    pub classes: Vec<Name>,
    #[serde(default)]
    pub surrender: Vec<Name>,
    pub options: OptionsFile,
    #[serde(default)]
    pub deal: DealFile,
    pub flow: FlowFile,
    pub window: Vec<WindowFile>,
    pub calendar: BTreeMap<String, CalendarFile>,
    pub vote: VoteFile,
    pub sheriff: Option<SheriffFile>,
    pub publication: PublicationFile,
    pub last_words: LastWordsFile,
    #[serde(default)]
    pub penalties: PenaltiesFile,
    pub settlement: SettlementFile,
    #[serde(default)]
    pub state: Vec<StateFile>,
    #[serde(default)]
    pub group: Vec<GroupFile>,
    pub role: Vec<RoleFile>,
    pub skill: Vec<SkillFile>,
    #[serde(default)]
    pub draw: Vec<DrawFile>,
    pub win: Vec<WinFile>,
    /// Read apart, from the text.
    #[serde(default, rename = "switch")]
    pub _switch: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionsFile {
    pub sheriff: bool,
    pub idle_cards: bool,
    #[serde(default)]
    pub runoff: bool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct DealFile {
    pub face_down: u8,
    pub never_down: Vec<Name>,
    pub one_down_of: Option<Name>,
    pub size: Vec<DealSizeFile>,
    pub share: Vec<ShareFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DealSizeFile {
    pub seats: Spanned<u8>,
    pub more: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FlowFile {
    pub lead: Vec<Name>,
    pub cycle: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WindowFile {
    pub name: Name,
    pub phase: Name,
    pub kind: Name,
    pub slow: Spanned<EndFile>,
    pub quick: Spanned<EndFile>,
}

/// `"21:30"`, a time of day, or a number of minutes.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum EndFile {
    Minutes(u16),
    At(String),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CalendarFile {
    pub early: bool,
    pub reaction_minutes: i64,
    pub changes_stop_minutes: i64,
    pub petitions_stop_minutes: i64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VoteFile {
    pub changes: Option<u8>,
    pub ballots_public: bool,
    pub counts_public: bool,
    pub secret_from: Option<u16>,
    pub first_day_shows: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SheriffFile {
    pub state: Name,
    pub skills: Vec<Name>,
    pub pass: Name,
    #[serde(default)]
    pub election: ElectionFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ElectionFile {
    pub candidates: bool,
    pub withdrawn_vote: bool,
    pub lone_elected: bool,
    pub put_off: u8,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of a file, each on its own"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PublicationFile {
    pub order: Name,
    #[serde(default = "yes")]
    pub causes: bool,
    #[serde(default)]
    pub factions: bool,
    #[serde(default)]
    pub told_at_once: bool,
    pub vote_at_once: bool,
    pub first_night_after_election: bool,
    #[serde(default)]
    pub cards: bool,
    pub wins_checked: Name,
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LastWordsFile {
    pub first_night: bool,
    pub later_nights: bool,
    pub day: Spanned<DayWordsFile>,
}

/// Everyone who goes out by day or nobody, or those whom these kinds of harm put out.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum DayWordsFile {
    Everyone(bool),
    By(Vec<String>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PenaltiesFile {
    pub merge: Option<u8>,
    pub red_before_vote: bool,
    pub few_posts: u16,
    pub few_posts_three_days: u16,
    pub no_vote: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SettlementFile {
    #[serde(default)]
    pub hits: Vec<Name>,
    #[serde(default)]
    pub preventions: Vec<Name>,
    #[serde(default)]
    pub redirects: Vec<Name>,
    #[serde(default)]
    pub stand_ins: Vec<Name>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of a file, each on its own"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateFile {
    pub name: Name,
    #[serde(default)]
    pub stops: Vec<Name>,
    pub times: Option<u8>,
    #[serde(default)]
    pub phases: Vec<Name>,
    #[serde(default)]
    pub silences: bool,
    #[serde(default)]
    pub disarms: bool,
    #[serde(default)]
    pub strips: bool,
    #[serde(default)]
    pub veils: bool,
    #[serde(default)]
    pub bewitches: bool,
    #[serde(default)]
    pub voteless: bool,
    #[serde(default)]
    pub unvotable: bool,
    #[serde(default)]
    pub spares_layer: bool,
    #[serde(default)]
    pub weight: f64,
    pub tie: Option<Name>,
    #[serde(default)]
    pub untargetable: bool,
    #[serde(default)]
    pub must_vote: bool,
    #[serde(default)]
    pub stays_in: bool,
    #[serde(default)]
    pub voted_instead: bool,
    pub redirect: Option<Name>,
    #[serde(default)]
    pub stand_in: bool,
    pub told: Option<Spanned<ToldFile>>,
    #[serde(default)]
    pub fails_with: Vec<Name>,
    #[serde(default)]
    pub holds_back: bool,
    #[serde(default)]
    pub gone: bool,
    pub card: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupFile {
    pub name: Name,
    pub faction: Option<Name>,
    pub state: Option<Name>,
}

/// `true`, `false`, or `"when-it-bars"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum ToldFile {
    Always(bool),
    When(String),
}

/// One name, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum NamesFile {
    One(String),
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RoleFile {
    pub name: Name,
    pub faction: Option<Name>,
    pub class: Option<Name>,
    /// In no class, on purpose.
    #[serde(default)]
    pub classless: bool,
    #[serde(default)]
    pub strength: u8,
    pub count: u8,
    pub skills: Vec<Name>,
}

#[expect(
    clippy::struct_excessive_bools,
    reason = "switches of a file, each on its own"
)]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillFile {
    pub name: Name,
    #[serde(default)]
    pub aliases: Vec<String>,
    pub code: Name,
    pub usage: Name,
    #[serde(default)]
    pub windows: Vec<Name>,
    pub uses: Option<u8>,
    #[serde(default)]
    pub forced: bool,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    pub every: u16,
    #[serde(default)]
    pub unhurried: bool,
    pub seats: Option<SeatsFile>,
    #[serde(default)]
    pub targeted: bool,
    pub oneself: Option<Name>,
    #[serde(default)]
    pub not_twice_running: bool,
    #[serde(default)]
    pub once_each: bool,
    pub not_faction: Option<Name>,
    #[serde(default)]
    pub only_out: bool,
    #[serde(default)]
    pub also_out: bool,
    pub not_state: Option<Name>,
    pub team: Option<Spanned<NamesFile>>,
    pub team_choice: Option<Name>,
    #[serde(default)]
    pub kill: bool,
    #[serde(default)]
    pub spoken: bool,
    #[serde(default)]
    pub excludes: Vec<Name>,
    #[serde(default)]
    pub with: BTreeMap<Name, Spanned<toml::Value>>,
    pub help: String,
}

/// A faction that is dealt apart from the roles.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShareFile {
    pub faction: Name,
    pub seats: u8,
    #[serde(default)]
    pub least: BTreeMap<Name, u8>,
}

/// How many seats: exactly `2`, or `[1, 3]`.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(untagged)]
pub(crate) enum SeatsFile {
    Exactly(u8),
    Between([u8; 2]),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WinFile {
    pub faction: Name,
    pub when: CondFile,
    #[serde(default)]
    pub also: Vec<WhoFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DrawFile {
    pub when: Spanned<CondFile>,
}

/// One condition: exactly one of the fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct CondFile {
    pub all: Option<Vec<CondFile>>,
    pub any: Option<Vec<CondFile>>,
    pub out: Option<WhoFile>,
    pub in_play: Option<WhoFile>,
    pub lost: Option<Name>,
    pub at_least: Option<[WhoFile; 2]>,
    pub quiet_days: Option<QuietDaysFile>,
    pub not: Option<Box<CondFile>>,
    pub last_left: Option<Name>,
    pub all_have: Option<AllHaveFile>,
    pub vote_of: Option<u16>,
    pub quiet_vote: Option<bool>,
    pub voted_out: Option<VotedOutFile>,
    pub marks: Option<MarksFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllHaveFile {
    pub state: Name,
    pub but: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VotedOutFile {
    pub faction: Name,
    pub card: Name,
    pub day: u16,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MarksFile {
    pub faction: Name,
    pub skill: Name,
    pub at_least: u8,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhoFile {
    pub faction: Name,
    pub class: Option<Name>,
    pub role: Option<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuietDaysFile {
    pub days: u16,
    pub since: Name,
}
