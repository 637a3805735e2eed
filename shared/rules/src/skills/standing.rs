//! A state that stands on its holder as long as it has the skill.
//!
//! m158 §恶魔 主宰黑夜; M3, M4. treasure §妖狐 警惕; TP23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::StateId;
use crate::skill::{Held, Skill};

#[derive(Debug)]
struct Standing {
    state: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Standing {
        state: params.state("state")?,
    }))
}

impl Skill for Standing {
    fn gained(&self, game: &mut Game, held: Held) {
        game.lay(
            held.seat,
            self.state,
            Some((held.seat, held.holding)),
            None,
            None,
        );
    }

    /// What the card has used up does not come back with another holder.
    fn inherited(&self, game: &mut Game, from: Held, to: Held) {
        let stands = |held: Held| {
            let source = Some((held.seat, held.holding));
            let mut records = game.world().states.iter();
            records.any(|r| r.state == self.state && r.from == source)
        };
        if !stands(from) {
            game.lift(to.seat, self.state);
        }
    }
}
