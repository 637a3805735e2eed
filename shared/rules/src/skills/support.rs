//! A seat without a faction of its own chooses another and joins its faction; without a message
//! it is drawn. Whoever is chosen learns nothing of it.
//!
//! redblack §混血儿 认亲; R8, G12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Support;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Support))
}

fn support(game: &mut Game, held: Held, chosen: SeatId, drawn: bool) {
    let faction = game.at(chosen).faction;
    game.turn_to(SeatSet::only(held.seat), faction);
    game.world.seats[held.seat.index()].told_faction = Some(faction);
    game.tell(
        Notice::to(held.seat, "support/you")
            .with("skill", Arg::Skill(held.skill))
            .with("seat", Arg::Seat(chosen))
            .with("faction", Arg::Faction(faction))
            .with("drawn", Arg::Flag(drawn)),
    );
}

impl Skill for Support {
    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        if let Some(chosen) = finals.first() {
            support(game, held, *chosen, false);
        }
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        if game.holding(held).is_none_or(|h| h.left == Some(0)) {
            return;
        }
        let range: Vec<SeatId> = game.range(held).iter().collect();
        let drawn = game.draw(&range, ToString::to_string);
        if let Some(holding) = game.holding_mut(held) {
            holding.left = Some(0);
        }
        if let Some(chosen) = drawn {
            support(game, held, chosen, true);
        }
    }
}
