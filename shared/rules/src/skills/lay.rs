//! Lays a state on chosen seats: wards and the like.
//!
//! m158 §荣光骑士 荣光庇护, §女巫 救药, §图腾萨满 保护图腾; M3, M4. foxcurse §守卫, §女巫; F24.
//! redblack §守卫 守护之盾, §女巫 救药.
//! treasure §猎狼 狩猎, §雪狼 雪隐, §野心家 独尊; TP1, TP22.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Intent, Lapse};

#[expect(
    clippy::struct_excessive_bools,
    reason = "independent parameters of the board file"
)]
#[derive(Debug)]
struct Lay {
    state: StateId,
    until: Option<Lapse>,
    /// Skills that its user loses by using it.
    loses: Vec<SkillId>,
    /// Is the skill lost once what it laid has stopped something?
    lost_when_spent: bool,
    /// Is it published when what it laid has stopped a vote?
    shown_at_vote: bool,
    /// Can it only choose whom a strike has chosen tonight?
    only_struck: bool,
    /// Does it lie on its user, who names nobody?
    on_oneself: bool,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Lay {
        state: params.state("state")?,
        until: params.lapse("until")?,
        loses: params.skills("loses")?,
        lost_when_spent: params.flag("lost-when-spent")?,
        shown_at_vote: params.flag("shown-at-vote")?,
        only_struck: params.flag("only-struck")?,
        on_oneself: params.flag("on-oneself")?,
    }))
}

impl Skill for Lay {
    fn listens(&self) -> Listens {
        if self.lost_when_spent || self.shown_at_vote {
            Listens::PREVENTED
        } else {
            Listens::NONE
        }
    }

    fn narrow(&self, game: &Game, held: Held, range: SeatSet) -> SeatSet {
        if !self.only_struck {
            return range;
        }
        // Before its window opens, when out, and while silenced, its holder has not been told.
        let windows = game.board().skill_def(held.skill).windows;
        let told = game.window().is_some_and(|w| windows.has(w))
            && game.stands(held.seat)
            && !game.silenced(held.seat, held.skill);
        if told {
            range.and(game.struck())
        } else {
            SeatSet::EMPTY
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let oneself = self.on_oneself.then_some(&held.seat);
        for target in finals.iter().chain(oneself) {
            let from = Some((held.seat, held.holding));
            game.lay(*target, self.state, from, self.until, None);
        }
        for skill in &self.loses {
            if let Some(lost) = game.held(held.seat, *skill) {
                game.revoke(lost);
                game.tell(Notice::to(held.seat, "skill/lost").with("skill", Arg::Skill(*skill)));
            }
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::Prevented { hit, by } = event else {
            return;
        };
        if by.from != Some((held.seat, held.holding)) || by.state != self.state {
            return;
        }
        if self.shown_at_vote && hit.harm == Harm::Vote {
            game.tell_public(
                Notice::public("vote/guarded")
                    .with("seat", Arg::Seat(hit.target))
                    .with("state", Arg::State(self.state)),
            );
        }
        if self.lost_when_spent {
            game.revoke(held);
            game.tell(Notice::to(held.seat, "skill/lost").with("skill", Arg::Skill(held.skill)));
        }
    }
}
