//! Words as the rules take them.

use rules::input::Word as Meaning;

use crate::vocabulary::Word;

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
