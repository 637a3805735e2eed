//! Fear: tonight the chosen seat has no active skills. Fear on a packmate takes the pack's kill.
//! The same seat two nights running costs its user the game, and the feared seat too when
//! nobody else is left in the pack.
//!
//! foxcurse §噩梦之影, 拓展5; F12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, StateId};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent, Lapse};

#[derive(Debug)]
struct Fear {
    /// What it lays.
    state: StateId,
    until: Option<Lapse>,
    /// Whoever has this state is not reached at all.
    immune: StateId,
    /// Whoever has this state is in the pack.
    pack: StateId,
    /// What the pack gets when one of it is feared.
    disarmed: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Fear {
        state: params.state("state")?,
        until: params.lapse("until")?,
        immune: params.state("immune")?,
        pack: params.state("pack")?,
        disarmed: params.state("disarmed")?,
    }))
}

impl Fear {
    fn reach(&self, game: &mut Game, held: Held, target: SeatId) {
        let from = Some((held.seat, held.holding));
        game.lay(target, self.state, from, self.until, None);
        if game.has_state(target, self.pack) {
            let pack = game.holders_of(self.pack).with(held.seat);
            for mate in pack.and(game.in_play()).iter() {
                game.lay(mate, self.disarmed, from, self.until, None);
            }
        }
        if !game.chosen_twice_running(held, target) {
            return;
        }
        let pack = game.holders_of(self.pack).and(game.in_play());
        let alone = pack.without(held.seat).is_empty();
        let lost = [Some(held.seat), Some(target).filter(|_| alone)];
        for seat in lost.into_iter().flatten() {
            game.hit(Hit {
                target: seat,
                harm: Harm::Fatal,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }
}

impl Skill for Fear {
    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            if game.has_state(*target, self.immune) {
                // A fear without effect counts for nothing.
                if let Some(holding) = game.holding_mut(held) {
                    holding.last = None;
                }
            } else {
                self.reach(game, held, *target);
            }
        }
    }
}
