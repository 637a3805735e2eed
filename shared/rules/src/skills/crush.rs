//! A crush: its holder wins with the chosen seat, whatever that is, and learns nothing of it.
//! Tied to somebody else, it betrays the couple unless its crush belongs to that.
//!
//! foxcurse §暗恋者, 拓展2; F19, F24.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, StateId};
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Crush {
    /// What a couple has.
    couple: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Crush {
        couple: params.state("couple")?,
    }))
}

impl Crush {
    /// The partner, and whoever has tied the two.
    fn tied_with(&self, game: &Game, seat: SeatId) -> SeatSet {
        let states = game.world().states.iter();
        states
            .filter(|r| r.seat == seat && r.state == self.couple)
            .flat_map(|r| [r.partner, r.from.map(|(maker, _)| maker)])
            .flatten()
            .collect()
    }
}

impl Skill for Crush {
    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let Some(crush) = finals.first().copied() else {
            return;
        };
        game.share_win_of(held.seat, crush);
        let tied = self.tied_with(game, held.seat);
        if !tied.is_empty() && !tied.has(crush) {
            let own = game.at(held.seat).dealt;
            game.turn_to(SeatSet::only(held.seat), own);
        }
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        game.use_at_random(held);
    }
}
