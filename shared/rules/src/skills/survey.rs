//! Each night its holder learns the actual faction of everyone who is out.
//!
//! m158 §守墓人 守墓; M7.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Survey;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Survey))
}

impl Skill for Survey {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::PhaseBegan(phase) = event else {
            return;
        };
        if phase.kind != PhaseKind::Night
            || !game.stands(held.seat)
            || game.barred(held.seat, held.skill)
        {
            return;
        }
        let out = game
            .all()
            .filter(|s| !game.stands(*s))
            .map(|s| (s, game.at(s).faction))
            .collect();
        game.tell(
            Notice::to(held.seat, "survey/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("seats", Arg::Factions(out)),
        );
    }
}
