//! A list of seats for whoever has the knife: advice, no order, and it does not say from whom.
//!
//! treasure §狼王 献策; TP4.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::{Holding, Intent};

#[derive(Debug)]
struct Counsel {
    /// Who holds this hears it,
    to: SkillId,
    /// when it was dealt or got by one of these.
    via: Vec<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let to = params.skill("to")?.ok_or_else(|| ParamProblem {
        key: Some("to".to_owned()),
        message: "is missing: name the skill whose holder hears it".to_owned(),
    })?;
    Ok(Arc::new(Counsel {
        to,
        via: params.skills("via")?,
    }))
}

impl Skill for Counsel {
    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, _finals: &[SeatId]) {
        let knife = |h: &Holding| {
            let own = h.dealt || h.via.is_some_and(|via| self.via.contains(&via));
            h.skill == self.to && own
        };
        let hears = |s: &SeatId| game.stands(*s) && game.at(*s).holdings.iter().any(knife);
        let hearers: Vec<SeatId> = game.all().filter(hears).collect();
        for seat in hearers {
            game.tell(
                Notice::to(seat, "counsel/list")
                    .with("skill", Arg::Skill(held.skill))
                    .with("seats", Arg::Order(intent.targets.clone())),
            );
        }
    }
}
