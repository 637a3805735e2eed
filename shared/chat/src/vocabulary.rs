//! The names that a game's people can type, and what a typed word can mean.

use std::collections::HashMap;

use rules::{FactionId, GroupId, RoleId, SeatId, SkillId, StateId};
use serde::{Deserialize, Serialize};

use crate::misread::{Misread, Thing, shortened};
use crate::tokens::{fold, nearest};

/// A word that some skill takes as a parameter (验人, 带刀, …): its place in [`Names::options`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OptionId(pub u16);

/// A board's names, each list in the board's own order: a word's reading is its place there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// Skills, [`SkillId`] 0 first. 殉职 and 撕警徽 are among them where the board has a badge.
    pub skills: Vec<String>,
    /// Other words for skills (移交 for 殉职).
    pub other_skill_words: Vec<(String, SkillId)>,
    /// Roles.
    pub roles: Vec<String>,
    /// Factions. They are also read without 阵营.
    pub factions: Vec<String>,
    /// States and tags.
    pub states: Vec<String>,
    /// Private groups.
    pub groups: Vec<String>,
    /// Words that are parameters of some skill and nothing else.
    pub options: Vec<String>,
}

impl Names {
    /// The names of a board.
    pub fn of(board: &rules::Board) -> Self {
        let aliases = board.skills.iter().zip(0..).flat_map(|(skill, id)| {
            skill
                .aliases
                .iter()
                .map(move |alias| (alias.clone(), SkillId(id)))
        });
        Self {
            skills: board
                .skills
                .iter()
                .map(|skill| skill.name.clone())
                .collect(),
            other_skill_words: aliases.collect(),
            roles: board.roles.iter().map(|role| role.name.clone()).collect(),
            factions: board
                .factions
                .iter()
                .map(|faction| faction.name.clone())
                .collect(),
            states: board
                .states
                .iter()
                .map(|state| state.name.clone())
                .collect(),
            groups: board
                .groups
                .iter()
                .map(|group| group.name.clone())
                .collect(),
            options: board
                .skills
                .iter()
                .flat_map(|skill| skill.code.options().iter().cloned())
                .collect(),
        }
    }

    /// Every word with which a skill command can begin.
    pub fn skill_words(&self) -> impl Iterator<Item = &str> {
        let others = self.other_skill_words.iter().map(|(word, _)| word.as_str());
        self.skills.iter().map(String::as_str).chain(others)
    }
}

/// A seat as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatName {
    /// The alias.
    pub alias: String,
    /// The chat id of whoever plays it, for mentions; `None` in a rehearsal.
    pub user: Option<u64>,
}

/// A typed word and everything it can mean. Which of the meanings is meant depends on what a
/// skill takes, so all of them are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// As it was typed, without quotes.
    pub text: String,
    /// A seat: by alias, number (`3`, `3号`) or mention (`@10086`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatId>,
    /// A person: by mention or by chat id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<u64>,
    /// A number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// A role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<RoleId>,
    /// A faction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faction: Option<FactionId>,
    /// A skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillId>,
    /// A state or tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateId>,
    /// A private group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// A parameter of some skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<OptionId>,
}

impl Word {
    /// Means it anything at all but its own letters?
    pub fn is_known(&self) -> bool {
        self.seat.is_some() || self.number.is_some() || self.user.is_some() || self.is_name()
    }

    /// Is it a name of the board (not a seat, number or person)?
    pub fn is_name(&self) -> bool {
        self.role.is_some()
            || self.faction.is_some()
            || self.skill.is_some()
            || self.state.is_some()
            || self.group.is_some()
            || self.option.is_some()
    }

    /// Is it 弃权?
    pub fn is_abstention(&self) -> bool {
        fold(&self.text) == "弃权"
    }
}

/// What the people of one game can name: built from board and roster, kept while neither
/// changes.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    names: Names,
    seats: Vec<SeatName>,
    readings: HashMap<String, Word>,
    users: HashMap<u64, SeatId>,
    /// Blanks in the alias that has the most of them.
    most_blanks: usize,
    /// Characters of the longest name.
    longest: usize,
}

impl Vocabulary {
    /// Of a board's names and the seats in elevator order. Of two equal names of one kind the
    /// first one counts.
    pub fn new(names: Names, seats: Vec<SeatName>) -> Self {
        let mut made = Self {
            names,
            seats,
            ..Self::default()
        };
        let names = made.names.clone();
        made.add(&names.skills, |word, n| {
            word.skill = word.skill.or(id16(n).map(SkillId));
        });
        made.add(&names.roles, |word, n| {
            word.role = word.role.or(id8(n).map(RoleId));
        });
        made.add(&names.states, |word, n| {
            word.state = word.state.or(id8(n).map(StateId));
        });
        made.add(&names.groups, |word, n| {
            word.group = word.group.or(id8(n).map(GroupId));
        });
        made.add(&names.options, |word, n| {
            word.option = word.option.or(id16(n).map(OptionId));
        });
        let faction = |word: &mut Word, n| word.faction = word.faction.or(id8(n).map(FactionId));
        made.add(&names.factions, faction);
        let short: Vec<String> = names
            .factions
            .iter()
            .map(|name| name.strip_suffix("阵营").unwrap_or(name).to_owned())
            .collect();
        made.add(&short, faction);
        for (other, id) in &names.other_skill_words {
            made.add(std::slice::from_ref(other), |word, _| {
                word.skill = word.skill.or(Some(*id));
            });
        }
        let aliases: Vec<String> = made.seats.iter().map(|seat| seat.alias.clone()).collect();
        made.add(&aliases, |word, n| {
            word.seat = word.seat.or(id8(n).map(SeatId));
        });
        made.most_blanks = aliases
            .iter()
            .map(|alias| fold(alias).matches(' ').count())
            .max()
            .unwrap_or(0);
        for (n, seat) in made.seats.iter().enumerate() {
            if let (Some(user), Some(id)) = (seat.user, id8(n)) {
                made.users.entry(user).or_insert(SeatId(id));
            }
        }
        made
    }

    fn add(&mut self, names: &[String], set: impl Fn(&mut Word, usize)) {
        for (n, name) in names.iter().enumerate() {
            let folded = fold(name);
            if folded.is_empty() {
                continue;
            }
            self.longest = self.longest.max(folded.chars().count());
            set(self.readings.entry(folded).or_default(), n);
        }
    }

    /// The names of the board.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The seats in elevator order.
    pub fn seats(&self) -> &[SeatName] {
        &self.seats
    }

    /// The alias of a seat; its number when there is no such seat.
    pub fn alias(&self, seat: SeatId) -> String {
        self.seats
            .get(seat.index())
            .map_or_else(|| seat.to_string(), |seat| seat.alias.clone())
    }

    /// The answer to whoever typed a word where a seat was needed.
    pub fn no_seat(&self, word: &str) -> Misread {
        let aliases = self.seats.iter().map(|seat| seat.alias.as_str());
        Misread::NoSuch {
            thing: Thing::Seat,
            word: shortened(word),
            nearest: nearest(word, aliases).map(str::to_owned),
        }
    }

    /// The name of a skill.
    pub fn skill_name(&self, skill: SkillId) -> &str {
        self.names
            .skills
            .get(skill.index())
            .map_or("", String::as_str)
    }

    pub(crate) fn reading(&self, name: &str) -> Option<&Word> {
        self.readings.get(&fold(name))
    }

    pub(crate) fn most_blanks(&self) -> usize {
        self.most_blanks
    }

    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    /// The skill of this name, other words for it included.
    pub fn skill(&self, name: &str) -> Option<SkillId> {
        self.reading(name).and_then(|word| word.skill)
    }

    /// Everything that a word, typed bare, can mean.
    pub fn word(&self, text: &str) -> Word {
        let mut word = self.name(text);
        let folded = fold(text);
        let digits = folded
            .strip_suffix('号')
            .or_else(|| folded.strip_suffix("号位"));
        let number = digits.unwrap_or(&folded);
        if let Some(user) = folded.strip_prefix('@').and_then(digits_only::<u64>) {
            word.user = Some(user);
            word.seat = word.seat.or_else(|| self.users.get(&user).copied());
        } else if let Some(number) = digits_only::<u64>(number) {
            word.seat = word.seat.or_else(|| self.seat_of_number(number));
            if digits.is_none() {
                word.number = u32::try_from(number).ok();
                word.user = Some(number);
            }
        }
        word
    }

    /// What a word in quotes can mean: a name, never a number.
    pub fn name(&self, text: &str) -> Word {
        let mut word = self.reading(text).cloned().unwrap_or_default();
        text.clone_into(&mut word.text);
        word
    }

    fn seat_of_number(&self, number: u64) -> Option<SeatId> {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        (place < self.seats.len())
            .then(|| id8(place).map(SeatId))
            .flatten()
    }
}

fn digits_only<N: std::str::FromStr>(text: &str) -> Option<N> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

fn id8(n: usize) -> Option<u8> {
    u8::try_from(n).ok()
}

fn id16(n: usize) -> Option<u16> {
    u16::try_from(n).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    /// A small board with every trap: skills that begin alike, an alias with a blank, a state
    /// and a skill of one name.
    pub(crate) fn vocabulary() -> Vocabulary {
        let names = Names {
            skills: strings(&[
                "预言",
                "救药",
                "毒药",
                "杀人",
                "荣光庇护",
                "荣光审判",
                "模式选择",
                "诱饵图腾",
                "保护图腾",
                "殉职",
                "撕警徽",
                "诡辩",
                "交换",
                "沉默",
                "通天",
            ]),
            other_skill_words: vec![("移交".to_owned(), SkillId(9))],
            roles: strings(&["预言家", "女巫", "村民", "狼人"]),
            factions: strings(&["村民阵营", "狼人阵营", "魔女会阵营"]),
            states: strings(&["沉默", "黄牌", "警长"]),
            groups: strings(&["狼群", "魔女会"]),
            options: strings(&["带刀", "不带刀"]),
        };
        let aliases = ["甲", "乙", "丙", "Van 桑", "甲乙", "比利王"];
        let seats = aliases
            .iter()
            .zip(10001..)
            .map(|(&alias, user)| SeatName {
                alias: alias.to_owned(),
                user: Some(user),
            })
            .collect();
        Vocabulary::new(names, seats)
    }

    #[test]
    fn seats_by_alias_number_and_mention() {
        let known = vocabulary();
        for text in ["丙", "3", "３", "3号", "3号位", "@10003"] {
            assert_eq!(known.word(text).seat, Some(SeatId(2)), "{text}");
        }
        assert_eq!(known.word("van 桑").seat, Some(SeatId(3)));
        assert_eq!(known.word("ＶＡＮ　桑").seat, Some(SeatId(3)));
        for text in [
            "0",
            "7",
            "99999999999999999999",
            "@1",
            "丁",
            "-1",
            "1.5",
            "",
        ] {
            assert_eq!(known.word(text).seat, None, "{text}");
        }
    }

    #[test]
    fn a_word_keeps_all_its_meanings() {
        let known = vocabulary();
        let three = known.word("3");
        assert_eq!(
            (three.seat, three.number, three.user),
            (Some(SeatId(2)), Some(3), Some(3))
        );
        let silence = known.word("沉默");
        assert_eq!(
            (silence.skill, silence.state),
            (Some(SkillId(13)), Some(StateId(0)))
        );
        let villager = known.word("村民");
        assert_eq!(
            (villager.role, villager.faction),
            (Some(RoleId(2)), Some(FactionId(0)))
        );
        assert_eq!(known.word("魔女会").group, Some(GroupId(1)));
        assert_eq!(known.word("移交").skill, known.skill("殉职"));
        assert!(!known.word("你好").is_known());
    }

    #[test]
    fn quoted_digits_are_a_name() {
        assert_eq!(vocabulary().name("3").seat, None);
    }
}
