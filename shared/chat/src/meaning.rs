//! What was said, as the rules take it.

use rules::SeatId;
use rules::input::{Act, Word as Meaning};

use crate::said::Said;
use crate::vocabulary::Word;

impl Said {
    /// What the rules are asked to do for a seat that says this; `None`: it is no act in the game.
    pub fn act(&self, seat: SeatId) -> Option<Act> {
        Some(match self {
            Self::Skill { skill, words, .. } => Act::Use {
                seat,
                skill: *skill,
                words: words.iter().map(Word::for_rules).collect(),
            },
            Self::Decline(skill) => Act::Decline {
                seat,
                skill: *skill,
            },
            Self::LastWords(text) => Act::LastWords {
                seat,
                text: text.clone(),
            },
            Self::Surrender => Act::Surrender { seat },
            Self::Run => Act::Candidacy { seat, runs: true },
            Self::Withdraw => Act::Candidacy { seat, runs: false },
            Self::AgreeSurrender => Act::AgreeSurrender { seat },
            _ => return None,
        })
    }
}

impl Word {
    /// The meaning that the rules are given: the first of seat, role, skill, faction, number
    /// that it has, else the text.
    pub fn for_rules(&self) -> Meaning {
        self.seat
            .map(Meaning::Seat)
            .or(self.role.map(Meaning::Role))
            .or(self.skill.map(Meaning::Skill))
            .or(self.faction.map(Meaning::Faction))
            .or(self.number.map(Meaning::Number))
            .unwrap_or_else(|| Meaning::Text(self.text.clone()))
    }
}
