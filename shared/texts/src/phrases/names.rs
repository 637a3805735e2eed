//! Names of seats, roles and the rest, for a board and its seats.

use rules::board::{Board, Colour};
use rules::{
    ClassId, FactionId, GroupId, PhaseKind, RoleId, SeatId, SeatSet, SkillId, StateId, WindowId,
};

/// A board and the aliases of its seats in elevator order.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    board: &'a Board,
    aliases: &'a [String],
}

impl<'a> Names<'a> {
    /// Names for notices of a game on this board.
    pub fn new(board: &'a Board, aliases: &'a [String]) -> Self {
        Self { board, aliases }
    }

    /// The alias of a seat, or its number where it has none.
    pub fn seat(&self, seat: SeatId) -> String {
        let alias = self.aliases.get(seat.index()).cloned();
        alias.unwrap_or_else(|| format!("{}号", seat.number()))
    }

    /// The aliases of seats, in elevator order.
    pub fn seats(&self, seats: SeatSet) -> Vec<String> {
        seats.iter().map(|s| self.seat(s)).collect()
    }

    /// A role.
    pub fn role(&self, role: RoleId) -> &'a str {
        self.board.roles.get(role.index()).map_or("", |r| &r.name)
    }

    /// A faction.
    pub fn faction(&self, faction: FactionId) -> &'a str {
        self.board
            .factions
            .get(faction.index())
            .map_or("", |f| &f.name)
    }

    /// A class.
    pub fn class(&self, class: ClassId) -> &'a str {
        self.board.classes.get(class.index()).map_or("", |c| c)
    }

    /// A skill.
    pub fn skill(&self, skill: SkillId) -> &'a str {
        self.board.skills.get(skill.index()).map_or("", |s| &s.name)
    }

    /// A state.
    pub fn state(&self, state: StateId) -> &'a str {
        self.board.states.get(state.index()).map_or("", |s| &s.name)
    }

    /// A private group.
    pub fn group(&self, group: GroupId) -> &'a str {
        self.board.groups.get(group.index()).map_or("", |g| &g.name)
    }

    /// A window.
    pub fn window(&self, window: WindowId) -> &'a str {
        self.board
            .windows
            .get(window.index())
            .map_or("", |w| &w.name)
    }

    /// What a window is for: `skills`, `vote`, `runoff`, `reactions` or `rest`.
    pub fn window_kind(&self, window: WindowId) -> &'static str {
        use rules::board::WindowKind;
        match self.board.windows.get(window.index()).map(|w| w.kind) {
            Some(WindowKind::Vote) => "vote",
            Some(WindowKind::Runoff) => "runoff",
            Some(WindowKind::Reactions) => "reactions",
            Some(WindowKind::Rest) => "rest",
            Some(WindowKind::Skills) | None => "skills",
        }
    }
}

/// The word for a card.
pub(super) fn colour(colour: Colour) -> &'static str {
    match colour {
        Colour::Blue => "蓝牌",
        Colour::Yellow => "黄牌",
        Colour::Red => "红牌",
    }
}

/// The word for a phase.
pub(super) fn phase(kind: PhaseKind) -> &'static str {
    match kind {
        PhaseKind::Setup => "开局前",
        PhaseKind::Opening => "开局",
        PhaseKind::Night => "夜晚",
        PhaseKind::Dawn => "晨曦",
        PhaseKind::Election => "警长竞选",
        PhaseKind::Day => "白天",
        PhaseKind::Dusk => "黄昏",
        PhaseKind::End => "结束",
    }
}
