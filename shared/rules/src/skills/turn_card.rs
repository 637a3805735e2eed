//! Voted out, its holder may turn its card up and stay, then without a ballot and out of reach
//! of others'. Without an answer the vote takes its course.
//!
//! foxcurse §白痴, 拓展6; F13.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct TurnCard {
    /// What stops the vote until it has been answered.
    ward: StateId,
    /// What a turned card has.
    turned: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(TurnCard {
        ward: params.state("ward")?,
        turned: params.state("turned")?,
    }))
}

impl Skill for TurnCard {
    fn listens(&self) -> Listens {
        Listens::PREVENTED
    }

    fn gained(&self, game: &mut Game, held: Held) {
        let from = Some((held.seat, held.holding));
        game.lay(held.seat, self.ward, from, None, None);
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let mine = matches!(event, Event::Prevented { by, .. }
            if by.state == self.ward && by.from == Some((held.seat, held.holding)));
        if mine {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, _finals: &[SeatId]) {
        let from = Some((held.seat, held.holding));
        let role = game.at(held.seat).role;
        game.lay(held.seat, self.turned, from, None, None);
        game.tell_public(
            Notice::public("card/turned")
                .with("seat", Arg::Seat(held.seat))
                .with("role", Arg::Role(role)),
        );
        game.ask_for_badge(held.seat);
    }

    fn lapsed(&self, game: &mut Game, held: Held) {
        game.hit(Hit {
            target: held.seat,
            harm: Harm::Vote,
            by: None,
            skill: None,
        });
        game.settle();
        game.publish_dusk_outs();
    }
}
