//! Harm to chosen seats, waiting for settlement: strikes, judgements, poison.
//!
//! m158 §狼人阵营 杀人, §黑狼王 冲锋, §荣光骑士 荣光审判, §女巫 毒药; M3, M14.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::SeatId;
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct DoHarm {
    harm: Harm,
    /// Is it a strike of which others may hear (灵通)?
    heard: bool,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let harm = params.harm("harm")?;
    let heard = params.flag("heard")?;
    Ok(Arc::new(DoHarm { harm, heard }))
}

impl Skill for DoHarm {
    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        if self.heard {
            game.note_struck(&intent.targets);
        }
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: self.harm,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }
}
