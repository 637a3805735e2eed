//! Its holder learns who else has the same card: all of them, or those of the same faction.
//!
//! redblack §狼人, §村民 互知, 总体流程 2.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{RoleId, SeatId, SeatSet};
use crate::notice::{Arg, Notice};
use crate::phase::{Phase, PhaseKind};
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Kin {
    /// At the first beginning of a phase of this kind.
    at: PhaseKind,
    /// Holders of these cards learn only those of their own faction.
    same_faction: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Kin {
        at: params.phase("at")?,
        same_faction: params.roles("same-faction")?,
    }))
}

impl Skill for Kin {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let first = Phase {
            kind: self.at,
            number: 1,
        };
        if *event != Event::PhaseBegan(first) || !game.stands(held.seat) {
            return;
        }
        let (role, faction) = (game.at(held.seat).card, game.at(held.seat).faction);
        let alike = self.same_faction.contains(&role);
        let is_kin = |seat: &SeatId| {
            let other = game.at(*seat);
            *seat != held.seat && other.card == role && (!alike || other.faction == faction)
        };
        let kin: SeatSet = game.all().filter(is_kin).collect();
        game.tell(
            Notice::to(held.seat, "kin/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("role", Arg::Role(role))
                .with("alike", Arg::Flag(alike))
                .with("seats", Arg::Seats(kin)),
        );
    }
}
