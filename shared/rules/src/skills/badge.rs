//! The sheriff's badge: passed on or torn by a sheriff who goes out, gone without an answer.
//!
//! m158 §警长 殉职, 导言 2; M6, M11, M12, M18.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::SeatId;
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Pass;

#[derive(Debug)]
struct Tear;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build_pass(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Pass))
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build_tear(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Tear))
}

/// Does the badge go with a sheriff who goes out by this? It cannot be handed on then (G19, F5).
fn goes_with(harm: Harm) -> bool {
    matches!(harm, Harm::SentOff | Harm::Blast)
}

impl Skill for Pass {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, cause } = event else {
            return;
        };
        if *seat != held.seat {
            return;
        }
        if goes_with(cause.harm) {
            game.destroy_badge(held.seat);
        } else {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let Some(successor) = finals.first().copied() else {
            return;
        };
        game.unpin_badge(held.seat);
        game.tell_public(
            Notice::public("sheriff/passed")
                .with("from", Arg::Seat(held.seat))
                .with("to", Arg::Seat(successor)),
        );
        game.pin_badge(successor);
        game.ask_badge_of_out_sheriff();
    }

    fn lapsed(&self, game: &mut Game, held: Held) {
        game.destroy_badge(held.seat);
    }
}

impl Skill for Tear {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let asks = matches!(event, Event::WentOut { seat, cause }
            if *seat == held.seat && !goes_with(cause.harm));
        if asks {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, _finals: &[SeatId]) {
        game.destroy_badge(held.seat);
    }
}
