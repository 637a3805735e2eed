//! Its holder goes out when a vote is tied; gone out so, or by one of its other skills, it may bar
//! seats from voting on the next day.
//!
//! redblack §替罪羊 冤死, 替死; R5, R12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::{PhaseKind, PhaseSet};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Intent, Lapse};

#[derive(Debug)]
struct BarVoters {
    /// By this state its holder bears ties.
    bears: StateId,
    /// This state bars from voting.
    bars: StateId,
    /// Going out by these skills allows it too.
    after: Vec<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(BarVoters {
        bears: params.state("bears")?,
        bars: params.state("bars")?,
        after: params.skills("after")?,
    }))
}

impl Skill for BarVoters {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn gained(&self, game: &mut Game, held: Held) {
        let from = Some((held.seat, held.holding));
        game.lay(held.seat, self.bears, from, None, None);
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, cause } = event else {
            return;
        };
        let by = |skill: SkillId| skill == held.skill || self.after.contains(&skill);
        if *seat == held.seat && cause.skill.is_some_and(by) {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let barred: SeatSet = finals.iter().copied().collect();
        let after_next_vote = Lapse {
            phases: PhaseSet::NONE.with(PhaseKind::Night),
            skip: 1,
        };
        for seat in barred.iter() {
            let from = Some((held.seat, held.holding));
            game.lay(seat, self.bars, from, Some(after_next_vote), None);
        }
        game.tell_public(Notice::public("voters/barred").with("seats", Arg::Seats(barred)));
    }
}
