//! Who goes out passes all skills on to one of certain cards in play: chosen, or else drawn.
//!
//! treasure §狼后 传位; TP3, G12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{RoleId, SeatId, SeatSet};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill, outs_of};
use crate::world::Intent;

#[derive(Debug)]
struct HandOver {
    /// The cards that can be heirs.
    heirs: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let heirs = params.some_roles("heirs", "the cards that can be heirs")?;
    Ok(Arc::new(HandOver { heirs }))
}

impl HandOver {
    fn candidates(&self, game: &Game, held: Held) -> SeatSet {
        let can = |s: &SeatId| {
            *s != held.seat && game.stands(*s) && self.heirs.contains(&game.at(*s).card)
        };
        game.all().filter(can).collect()
    }

    fn pass(game: &mut Game, held: Held, heir: SeatId) {
        let skills = game.inherit(held.seat, heir, held.skill);
        game.tell(
            Notice::to(heir, "inherit/got")
                .with("skill", Arg::Skill(held.skill))
                .with("from", Arg::Seat(held.seat))
                .with("skills", Arg::Skills(skills)),
        );
    }
}

impl Skill for HandOver {
    fn listens(&self) -> Listens {
        Listens::SETTLED
    }

    /// Who can be the heir is told when it is asked, and not before.
    fn narrow(&self, game: &Game, held: Held, range: SeatSet) -> SeatSet {
        if game.is_asked(held) {
            range.and(self.candidates(game, held))
        } else {
            SeatSet::EMPTY
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::Settled { ends } = event else {
            return;
        };
        let candidates = self.candidates(game, held);
        if !outs_of(ends).any(|out| out == held.seat) || candidates.is_empty() {
            return;
        }
        game.tell(
            Notice::to(held.seat, "hand-over/heirs")
                .with("skill", Arg::Skill(held.skill))
                .with("seats", Arg::Seats(candidates)),
        );
        game.ask(held);
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for heir in finals {
            Self::pass(game, held, *heir);
        }
    }

    fn lapsed(&self, game: &mut Game, held: Held) {
        let candidates: Vec<SeatId> = self.candidates(game, held).iter().collect();
        if let Some(heir) = game.draw(&candidates, ToString::to_string) {
            Self::pass(game, held, heir);
        }
    }
}
