//! A self-blast: by day its holder turns its card up and goes out, and the day ends at once. It
//! may take a seat along.
//!
//! foxcurse §狼人 自爆, §警长; F5, F16.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::SeatId;
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct SelfBlast {
    /// What it does to a seat that is named with it.
    takes: Option<Harm>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(SelfBlast {
        takes: params.optional_harm("takes")?,
    }))
}

impl Skill for SelfBlast {
    /// Nothing of the night is public yet while the sheriff is elected.
    fn acts_unawares(&self) -> bool {
        true
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let role = game.at(held.seat).role;
        game.tell(
            Notice::public("blast/public")
                .with("seat", Arg::Seat(held.seat))
                .with("role", Arg::Role(role))
                .with("takes", Arg::Order(finals.to_vec())),
        );
        game.hit(Hit {
            target: held.seat,
            harm: Harm::Blast,
            by: Some(held.seat),
            skill: Some(held.skill),
        });
        game.settle();
        if let Some(harm) = self.takes {
            for target in finals {
                game.hit(Hit {
                    target: *target,
                    harm,
                    by: Some(held.seat),
                    skill: Some(held.skill),
                });
            }
            game.settle();
        }
        game.cut_short(held.seat);
    }
}
