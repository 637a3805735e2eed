//! Who goes out by a certain skill may publish what one seat is.
//!
//! treasure §人质 遗志; TP20.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct LastWill {
    /// By these.
    after: Vec<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(LastWill {
        after: params.skills("after")?,
    }))
}

impl Skill for LastWill {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, cause } = event else {
            return;
        };
        let followed = cause.skill.is_some_and(|s| self.after.contains(&s));
        if *seat == held.seat && followed && !game.barred(held.seat, held.skill) {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            let role = game.at(*target).role;
            game.tell_public(
                Notice::public("will/card")
                    .with("skill", Arg::Skill(held.skill))
                    .with("by", Arg::Seat(held.seat))
                    .with("target", Arg::Seat(*target))
                    .with("role", Arg::Role(role)),
            );
        }
    }
}
