//! A small board with every trap: skills that begin alike, an alias with a blank, a state and a
//! skill of one name, an alias that is the beginning of another.

use chat::{Names, SeatName, Vocabulary};
use rules::SkillId;

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

pub const SKILLS: [&str; 15] = [
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
];

pub const ALIASES: [&str; 6] = ["甲", "乙", "丙", "Van 桑", "甲乙", "比利王"];

pub fn vocabulary() -> Vocabulary {
    let names = Names {
        skills: strings(&SKILLS),
        other_skill_words: vec![("移交".to_owned(), SkillId(9))],
        roles: strings(&["预言家", "女巫", "村民", "狼人"]),
        factions: strings(&["村民阵营", "狼人阵营", "魔女会阵营"]),
        states: strings(&["沉默", "黄牌", "警长"]),
        groups: strings(&["狼群", "魔女会"]),
        options: strings(&["带刀", "不带刀"]),
    };
    let seats = ALIASES
        .iter()
        .zip(10001..)
        .map(|(&alias, user)| SeatName {
            alias: alias.to_owned(),
            user: Some(user),
        })
        .collect();
    Vocabulary::new(names, seats)
}
