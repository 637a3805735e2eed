//! Its holder says by day that it will go out in the place of whoever is voted out that day; or
//! within the time for reactions afterwards, as long as nothing has followed from the vote.
//!
//! redblack §替罪羊 替死, 行动时限; R5, R11.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, StateId};
use crate::notice::Notice;
use crate::phase::{PhaseKind, PhaseSet};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent, Lapse};

#[derive(Debug)]
struct TakePlace {
    /// What lies on its holder when it has said so.
    state: StateId,
    /// From this day on.
    from_day: i64,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(TakePlace {
        state: params.state("state")?,
        from_day: params.number("from-day")?.unwrap_or(1),
    }))
}

/// Whoever was voted out by the vote of this dusk, and nothing has followed from it.
fn voted_out_alone(game: &Game) -> Option<SeatId> {
    let dusk = game.phase();
    let mut outs = game.outs().iter().filter(|out| out.cause.phase == dusk);
    let out = outs.next().filter(|_| dusk.kind == PhaseKind::Dusk)?;
    let voted = out.cause.harm == Harm::Vote && out.cause.skill.is_none();
    (voted && outs.next().is_none()).then_some(out.seat)
}

impl Skill for TakePlace {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn open(&self, game: &Game, held: Held) -> bool {
        i64::from(game.number()) >= self.from_day && !game.has_state(held.seat, self.state)
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, _finals: &[SeatId]) {
        let Some(saved) = voted_out_alone(game) else {
            // Until the vote of this day is settled, and the time after it is over.
            let night = Lapse {
                phases: PhaseSet::NONE.with(PhaseKind::Night),
                skip: 0,
            };
            let from = Some((held.seat, held.holding));
            game.lay(held.seat, self.state, from, Some(night), None);
            return;
        };
        game.undo_out(saved);
        game.tell(Notice::to(saved, "saved/you"));
        game.tell_stand_in(held.seat, saved);
        game.hit(Hit {
            target: held.seat,
            harm: Harm::Vote,
            by: None,
            skill: Some(held.skill),
        });
        game.settle();
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if !matches!(event, Event::WentOut { .. }) {
            return;
        }
        game.unask(held);
        let may = game.stands(held.seat) && self.open(game, held);
        if may && voted_out_alone(game).is_some() {
            game.ask(held);
        }
    }
}
