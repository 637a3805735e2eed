//! On the first night its holder learns who was dealt into a faction, though not as what.
//!
//! foxcurse §隐狼, 拓展10.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::FactionId;
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Acquaint {
    faction: FactionId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Acquaint {
        faction: params.faction("faction")?,
    }))
}

impl Skill for Acquaint {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::PhaseBegan(phase) = event else {
            return;
        };
        if phase.kind != PhaseKind::Night || phase.number != 1 {
            return;
        }
        let dealt = |s: &crate::SeatId| game.at(*s).dealt == self.faction;
        let seats = game.all().filter(dealt).collect::<crate::SeatSet>();
        game.tell(
            Notice::to(held.seat, "acquaint/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("faction", Arg::Faction(self.faction))
                .with("seats", Arg::Seats(seats.without(held.seat))),
        );
    }
}
