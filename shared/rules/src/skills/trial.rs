//! Several seats are named, and the answer is whether a certain card is among them; once it is,
//! the skill is lost.
//!
//! treasure §狼判官 审判; TP23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{RoleId, SeatId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Trial {
    card: RoleId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let card = params.roles("card")?.first().copied();
    let card = card.ok_or_else(|| ParamProblem {
        key: Some("card".to_owned()),
        message: "is missing: name the card that is looked for".to_owned(),
    })?;
    Ok(Arc::new(Trial { card }))
}

impl Skill for Trial {
    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        let found = finals.iter().any(|s| game.at(*s).card == self.card);
        game.tell(
            Notice::to(held.seat, "trial/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("seats", Arg::Order(intent.targets.clone()))
                .with("role", Arg::Role(self.card))
                .with("found", Arg::Flag(found)),
        );
        if found {
            game.revoke(held);
            game.tell(Notice::to(held.seat, "skill/lost").with("skill", Arg::Skill(held.skill)));
        }
    }
}
