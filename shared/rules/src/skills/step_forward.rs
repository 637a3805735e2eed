//! When the first day begins its holder's card and faction are published, and from then on a state
//! stands on it.
//!
//! redblack §混血儿 主持大局; R2, R6, R8.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::StateId;
use crate::notice::{Arg, Notice};
use crate::phase::{Phase, PhaseKind};
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct StepForward {
    state: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(StepForward {
        state: params.state("state")?,
    }))
}

const FIRST_DAY: Phase = Phase {
    kind: PhaseKind::Day,
    number: 1,
};

impl Skill for StepForward {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if *event != Event::PhaseBegan(FIRST_DAY) || !game.stands(held.seat) {
            return;
        }
        let (role, faction) = (game.at(held.seat).card, game.at(held.seat).faction);
        let from = Some((held.seat, held.holding));
        game.lay(held.seat, self.state, from, None, None);
        game.tell_public(
            Notice::public("step-forward/public")
                .with("seat", Arg::Seat(held.seat))
                .with("role", Arg::Role(role))
                .with("faction", Arg::Faction(faction)),
        );
    }
}
