//! A last shot: who goes out is asked and may take one seat along.
//!
//! m158 §猎人 最后一枪, §黑狼王 报复, §公示; M4, M14.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct LastShot {
    harm: Harm,
    /// Not when this put one out.
    not_by: Vec<SkillId>,
    /// Only while this other skill is unspent.
    needs: Option<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(LastShot {
        harm: params.harm("harm")?,
        not_by: params.skills("not-by")?,
        needs: params.skill("needs")?,
    }))
}

impl LastShot {
    fn loaded(&self, game: &Game, seat: SeatId) -> bool {
        self.needs.is_none_or(|needed| {
            let held = game.held(seat, needed);
            held.and_then(|h| game.holding(h))
                .is_some_and(|h| h.left != Some(0))
        })
    }
}

impl Skill for LastShot {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, cause } = event else {
            return;
        };
        let barred =
            cause.harm == Harm::SentOff || cause.skill.is_some_and(|s| self.not_by.contains(&s));
        if *seat == held.seat && !barred && self.loaded(game, held.seat) {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: self.harm,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
            game.settle();
            let took = game.at(*target).out.is_some_and(|cause| {
                cause.by == Some(held.seat) && cause.skill == Some(held.skill)
            });
            if took {
                game.tell_public(
                    Notice::public("shot/public")
                        .with("by", Arg::Seat(held.seat))
                        .with("target", Arg::Seat(*target)),
                );
            }
        }
    }
}
