//! A lasting mark on chosen seats, of which only its user knows.
//!
//! treasure §吹笛者 吹笛; TP11, TP15.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Pipe {
    state: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Pipe {
        state: params.state("state")?,
    }))
}

impl Pipe {
    fn tell_list(&self, game: &mut Game, held: Held) {
        let seats = game.holders_of(self.state);
        game.tell(
            Notice::to(held.seat, "pipe/list")
                .with("skill", Arg::Skill(held.skill))
                .with("seats", Arg::Seats(seats)),
        );
    }
}

impl Skill for Pipe {
    fn inherited(&self, game: &mut Game, _from: Held, to: Held) {
        self.tell_list(game, to);
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            if !game.has_state(*target, self.state) {
                game.lay(*target, self.state, None, None, None);
            }
        }
        if game.holding(held).is_some_and(|h| !h.lent) {
            self.tell_list(game, held);
        }
    }
}
