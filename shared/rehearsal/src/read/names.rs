//! Names of the file, looked up among the seats and on the board.

use rules::board::UnknownName;
use rules::{Board, FactionId, GroupId, RoleId, SeatId, SeatSet, SkillId};

use crate::script::{BySeat, Feature, Tag};
use crate::unreadable::Wrong;
use crate::yaml::Node;

/// The director, where a sender is named.
pub(super) const DIRECTOR: &str = "导演";
/// A vote for nobody.
pub(super) const ABSTAIN: &str = "弃权";

/// What the rest of a file can name.
pub(super) struct Known<'a> {
    pub(super) board: &'a Board,
    pub(super) aliases: &'a [String],
}

/// Is this a word that stands where an alias could?
pub(super) fn is_reserved(alias: &str) -> bool {
    let words = super::steps::KEYS.iter().chain(super::checks::KEYS);
    words.chain(&[DIRECTOR, ABSTAIN]).any(|word| *word == alias) || alias.trim().is_empty()
}

/// A truth value.
pub(super) fn flag(node: &Node) -> Result<bool, Wrong> {
    match node.text("a truth value")? {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(node.wrong(format!("{other:?} is neither true nor false"))),
    }
}

impl Known<'_> {
    pub(super) fn find_seat(&self, alias: &str) -> Option<SeatId> {
        let place = self.aliases.iter().position(|a| a == alias)?;
        u8::try_from(place).ok().map(SeatId)
    }

    /// The seat of an alias that stands at `node`.
    pub(super) fn seat_named(&self, alias: &str, node: &Node) -> Result<SeatId, Wrong> {
        self.find_seat(alias)
            .ok_or_else(|| node.wrong(format!("nobody is called {alias:?} here")))
    }

    pub(super) fn seat(&self, node: &Node) -> Result<SeatId, Wrong> {
        self.seat_named(node.text("a seat")?, node)
    }

    /// A list of seats in order, none of them twice.
    pub(super) fn order(&self, node: &Node) -> Result<Vec<SeatId>, Wrong> {
        let mut seats = Vec::new();
        for node in node.list("seats")? {
            let seat = self.seat(node)?;
            if seats.contains(&seat) {
                return Err(node.wrong("this seat stands here twice"));
            }
            seats.push(seat);
        }
        Ok(seats)
    }

    /// A list of seats, in any order.
    pub(super) fn seats(&self, node: &Node) -> Result<SeatSet, Wrong> {
        Ok(self.order(node)?.into_iter().collect())
    }

    /// A map from seats to something.
    pub(super) fn by_seat<T>(
        &self,
        node: &Node,
        read: impl Fn(&Node) -> Result<T, Wrong>,
    ) -> Result<BySeat<T>, Wrong> {
        let entries = node.map("this, by seat,")?.iter();
        entries
            .map(|(alias, node)| Ok((self.seat_named(alias, node)?, read(node)?)))
            .collect()
    }

    pub(super) fn skill(&self, name: &str, node: &Node) -> Result<SkillId, Wrong> {
        found(self.board.skill(name), node)
    }

    pub(super) fn role(&self, node: &Node) -> Result<RoleId, Wrong> {
        found(self.board.role(node.text("a role")?), node)
    }

    pub(super) fn faction(&self, node: &Node) -> Result<FactionId, Wrong> {
        found(self.board.faction(node.text("a faction")?), node)
    }

    pub(super) fn group(&self, name: &str, node: &Node) -> Result<GroupId, Wrong> {
        found(self.board.group(name), node)
    }

    /// Skills, one or a list.
    pub(super) fn skills(&self, node: &Node) -> Result<Vec<SkillId>, Wrong> {
        let skill = |node: &Node| self.skill(node.text("a skill")?, node);
        node.one_or_more().iter().map(skill).collect()
    }

    /// A map from skills to something.
    pub(super) fn by_skill<T>(
        &self,
        node: &Node,
        read: impl Fn(&Node) -> Result<T, Wrong>,
    ) -> Result<Vec<(SkillId, T)>, Wrong> {
        let entries = node.map("this, by skill,")?.iter();
        entries
            .map(|(name, node)| Ok((self.skill(name, node)?, read(node)?)))
            .collect()
    }

    /// States, skills and tags, one or a list.
    pub(super) fn features(&self, node: &Node) -> Result<Vec<Feature>, Wrong> {
        node.one_or_more()
            .iter()
            .map(|node| self.feature(node))
            .collect()
    }

    fn feature(&self, node: &Node) -> Result<Feature, Wrong> {
        let name = node.text("a state, skill or tag")?;
        let feature = Feature {
            name: name.to_owned(),
            state: self.board.state(name).ok(),
            skill: self.board.skill(name).ok(),
            tag: (name == "群内").then_some(Tag::InPack),
        };
        let known = feature.state.is_some() || feature.skill.is_some() || feature.tag.is_some();
        known.then_some(feature).ok_or_else(|| {
            node.wrong(format!(
                "no state, skill or tag is called {name:?} on this board"
            ))
        })
    }
}

fn found<T>(named: Result<T, UnknownName>, node: &Node) -> Result<T, Wrong> {
    named.map_err(|unknown| node.wrong(unknown.to_string()))
}
