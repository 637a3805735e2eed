//! When the game begins its holder learns who else was dealt into the faction, not as what.
//!
//! treasure §狼王 统领.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Mates;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Mates))
}

impl Skill for Mates {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if !matches!(event, Event::PhaseBegan(phase) if phase.kind == PhaseKind::Opening) {
            return;
        }
        let faction = game.at(held.seat).dealt;
        let mates = game
            .all()
            .filter(|s| *s != held.seat && game.at(*s).dealt == faction)
            .collect();
        game.tell(
            Notice::to(held.seat, "mates/list")
                .with("skill", Arg::Skill(held.skill))
                .with("faction", Arg::Faction(faction))
                .with("seats", Arg::Seats(mates)),
        );
    }
}
