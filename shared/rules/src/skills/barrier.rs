//! A barrier that stands while everybody who was dealt it is in play; that it stands, and once
//! that it is broken, is published.
//!
//! treasure §野心家 结界; T6.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Barrier;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Barrier))
}

/// Those who were dealt it, in seat order.
fn keepers(game: &Game, skill: SkillId) -> Vec<SeatId> {
    let dealt = |s: &SeatId| {
        let mut holdings = game.at(*s).holdings.iter();
        holdings.any(|h| h.skill == skill && h.dealt)
    };
    game.all().filter(dealt).collect()
}

impl Skill for Barrier {
    fn listens(&self) -> Listens {
        Listens::PHASES.and(Listens::OUTS)
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let keepers = keepers(game, held.skill);
        let others_stand = keepers
            .iter()
            .filter(|s| **s != held.seat)
            .all(|s| game.stands(*s));
        if keepers.len() < 2 || !keepers.contains(&held.seat) || !others_stand {
            return;
        }
        let key = match event {
            Event::PhaseBegan(phase)
                if phase.kind == PhaseKind::Day
                    && game.stands(held.seat)
                    && keepers.first() == Some(&held.seat) =>
            {
                "barrier/stands"
            }
            Event::WentOut { seat, .. } if *seat == held.seat => "barrier/broken",
            _ => return,
        };
        game.tell_public(Notice::public(key).with("skill", Arg::Skill(held.skill)));
    }
}
