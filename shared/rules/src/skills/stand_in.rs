//! Its holder is asked before certain cards go out by a strike or a vote, and may go out in
//! their place.
//!
//! treasure §天使 博爱; TP8.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{RoleId, SeatId};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct StandIn {
    cards: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let cards = params.some_roles("cards", "the cards for which it stands in")?;
    Ok(Arc::new(StandIn { cards }))
}

impl Skill for StandIn {
    fn steps_in(&self, game: &Game, held: Held, hit: &Hit) -> bool {
        hit.target != held.seat
            && matches!(hit.harm, Harm::Strike | Harm::Vote)
            && self.cards.contains(&game.at(hit.target).card)
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, _finals: &[SeatId]) {
        game.stand_in_for_waiting(held);
    }

    fn lapsed(&self, game: &mut Game, held: Held) {
        game.let_waiting_fall(held);
    }
}
