//! A dream: the chosen seat sleepwalks and is immune for the night; dreamt of two nights
//! running it goes out, and so does tonight's sleepwalker when the dreamer goes out by night.
//! On a guarded seat the two make a ward that holds harm back, and neither can choose that seat
//! again.
//!
//! foxcurse §摄梦人, 拓展16; F4.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent, Lapse};

#[derive(Debug)]
struct Dream {
    harm: Harm,
    /// What the sleepwalker has.
    state: StateId,
    until: Option<Lapse>,
    /// The guard's state and skill, with which a dream makes more.
    guarded: StateId,
    guard: SkillId,
    /// What the two make, and for how long.
    together: StateId,
    together_until: Option<Lapse>,
    /// What keeps both from choosing the seat again.
    spent: StateId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let guard = params.skill("guard")?.ok_or_else(|| ParamProblem {
        key: Some("guard".to_owned()),
        message: "is missing: name the guard's skill".to_owned(),
    })?;
    Ok(Arc::new(Dream {
        harm: params.harm("harm")?,
        state: params.state("state")?,
        until: params.lapse("until")?,
        guarded: params.state("guarded")?,
        guard,
        together: params.state("together")?,
        together_until: params.lapse("together-until")?,
        spent: params.state("spent")?,
    }))
}

impl Dream {
    fn strike(&self, game: &mut Game, held: Held, target: SeatId) {
        game.hit(Hit {
            target,
            harm: self.harm,
            by: Some(held.seat),
            skill: Some(held.skill),
        });
    }

    /// Who sleepwalks by this holding.
    fn sleepwalkers(&self, game: &Game, held: Held) -> Vec<SeatId> {
        let states = game.world().states.iter();
        states
            .filter(|r| r.state == self.state && r.from == Some((held.seat, held.holding)))
            .map(|r| r.seat)
            .collect()
    }

    /// The night after: dreamer and guard are told whom they can choose no more, unless that
    /// seat went out in the night itself.
    fn tell_both(&self, game: &mut Game, held: Held) {
        let Some(holding) = game.holding_mut(held) else {
            return;
        };
        let met = std::mem::take(&mut holding.memory);
        let Some(seat) = u8::try_from(met - 1).ok().map(SeatId) else {
            return;
        };
        let out = game.seat(seat).and_then(|s| s.out);
        if out.is_some_and(|c| matches!(c.phase.kind, PhaseKind::Night | PhaseKind::Dawn)) {
            return;
        }
        game.lay(seat, self.spent, None, None, None);
        let holds = |s: &SeatId| {
            (*s == held.seat || game.held(*s, self.guard).is_some()) && game.stands(*s)
        };
        let both: Vec<SeatId> = game.all().filter(holds).collect();
        for one in both {
            game.tell(
                Notice::to(one, "dream/guarded")
                    .with("state", Arg::State(self.together))
                    .with("seat", Arg::Seat(seat)),
            );
        }
    }
}

impl Skill for Dream {
    fn listens(&self) -> Listens {
        Listens::OUTS.and(Listens::PHASES)
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let from = Some((held.seat, held.holding));
        for target in finals {
            game.lay(*target, self.state, from, self.until, None);
            if game.chosen_twice_running(held, *target) {
                self.strike(game, held, *target);
            }
            if game.has_state(*target, self.guarded) {
                game.lay(*target, self.together, from, self.together_until, None);
                if let Some(holding) = game.holding_mut(held) {
                    holding.memory = i32::from(target.0) + 1;
                }
            }
        }
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        game.use_at_random(held);
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        match event {
            Event::WentOut { seat, cause }
                if *seat == held.seat && cause.phase.kind == PhaseKind::Night =>
            {
                for sleepwalker in self.sleepwalkers(game, held) {
                    self.strike(game, held, sleepwalker);
                }
            }
            Event::PhaseBegan(phase) if phase.kind == PhaseKind::Night => {
                self.tell_both(game, held);
            }
            _ => {}
        }
    }
}
