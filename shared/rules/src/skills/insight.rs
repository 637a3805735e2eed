//! Its holder learns who was chosen by strikes tonight, when a window opens.
//!
//! m158 §女巫 灵通; M2.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::notice::{Arg, Notice};
use crate::phase::WindowId;
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
struct Insight {
    window: WindowId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Insight {
        window: params.window("window")?,
    }))
}

impl Skill for Insight {
    fn listens(&self) -> Listens {
        Listens::WINDOWS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let hears = *event == Event::WindowOpened(self.window)
            && game.stands(held.seat)
            && !game.barred(held.seat, held.skill);
        if hears {
            game.tell(
                Notice::to(held.seat, "insight/answer")
                    .with("skill", Arg::Skill(held.skill))
                    .with("seats", Arg::Seats(game.struck())),
            );
        }
    }
}
