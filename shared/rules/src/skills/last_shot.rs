//! A last shot: who goes out is asked and may take one seat along, unless a state silences it.
//!
//! m158 §猎人 最后一枪, §黑狼王 报复, §公示; M4, M14. foxcurse §猎人, §狼王, 拓展3; F2, F21, F24.
//! redblack §猎人 最后一枪; R14, R16.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::phase::WindowId;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct LastShot {
    harm: Harm,
    /// Not when this put one out.
    not_by: Vec<SkillId>,
    /// Only while this other skill is unspent.
    needs: Option<SkillId>,
    /// When this window opens, its holder is told whether it could shoot tonight.
    told_in: Option<WindowId>,
    /// Is its holder told when a state has stopped the shot?
    void_told: bool,
    /// Nothing but the list of who went out says whom it took (R16).
    unsaid: bool,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(LastShot {
        harm: params.harm("harm")?,
        not_by: params.skills("not-by")?,
        needs: params.skill("needs")?,
        told_in: params.optional_window("told-in")?,
        void_told: params.flag("void-told")?,
        unsaid: params.flag("unsaid")?,
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

impl LastShot {
    /// Could it shoot, should it go out tonight? Not when it is silenced, nor when harm that
    /// leaves no shot is on its way and nothing voids it.
    fn could_shoot(&self, game: &Game, held: Held) -> bool {
        let hindering = |hit: &Hit| {
            hit.target == held.seat
                && hit.skill.is_some_and(|s| self.not_by.contains(&s))
                && !game.would_void(hit)
        };
        self.loaded(game, held.seat)
            && !game.silenced(held.seat, held.skill)
            && !game.world().hits.iter().any(hindering)
    }
}

impl Skill for LastShot {
    fn listens(&self) -> Listens {
        match self.told_in {
            Some(_) => Listens::OUTS.and(Listens::WINDOWS),
            None => Listens::OUTS,
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        match event {
            Event::WentOut { seat, cause } if *seat == held.seat => {
                let hindered = cause.harm == Harm::SentOff
                    || cause.skill.is_some_and(|s| self.not_by.contains(&s))
                    || game.silenced(held.seat, held.skill);
                if !hindered && self.loaded(game, held.seat) {
                    game.ask(held);
                }
            }
            Event::WindowOpened(window)
                if self.told_in == Some(*window) && game.stands(held.seat) =>
            {
                let can = self.could_shoot(game, held);
                game.tell(
                    Notice::to(held.seat, "shot/tonight")
                        .with("skill", Arg::Skill(held.skill))
                        .with("can", Arg::Flag(can)),
                );
            }
            _ => {}
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
            if !took && self.void_told && game.stands(*target) {
                game.tell(
                    Notice::to(held.seat, "shot/void")
                        .with("skill", Arg::Skill(held.skill))
                        .with("target", Arg::Seat(*target)),
                );
            }
            if took && !self.unsaid {
                game.tell_public(
                    Notice::public("shot/public")
                        .with("by", Arg::Seat(held.seat))
                        .with("target", Arg::Seat(*target)),
                );
            }
        }
    }
}
