//! A duel: by day its holder challenges a seat. A challenged wolf goes out and the day ends at
//! once; otherwise the holder goes out, and the day goes on.
//!
//! Classic 骑士 决斗.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{FactionId, SeatId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct Duel {
    /// Whom a duel puts out; by the faction that shows.
    loses: FactionId,
    harm: Harm,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Duel {
        loses: params.faction("loses")?,
        harm: params.harm("harm")?,
    }))
}

impl Skill for Duel {
    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let Some(challenged) = finals.first().copied() else {
            return;
        };
        let won = game.face_faction(challenged) == self.loses;
        game.tell(
            Notice::public("duel/public")
                .with("by", Arg::Seat(held.seat))
                .with("seat", Arg::Seat(challenged))
                .with("won", Arg::Flag(won)),
        );
        game.hit(Hit {
            target: if won { challenged } else { held.seat },
            harm: self.harm,
            by: Some(held.seat),
            skill: Some(held.skill),
        });
        game.settle();
        if won {
            game.cut_short(challenged);
        } else {
            game.publish_dusk_outs();
            game.thread_changed();
        }
    }
}
