//! Its holder joins the pack later: when a window opens, or at the beginning of a night on
//! which few others of its side are left in play.
//!
//! foxcurse §噩梦之影, §隐狼, 拓展5, 拓展10; F11.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{FactionId, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::{PhaseKind, WindowId};
use crate::skill::{Event, Held, Listens, Skill};

#[derive(Debug)]
enum When {
    /// This window opens.
    Opens(WindowId),
    /// A night begins with at most so many others of this side in play.
    Few { side: FactionId, at_most: usize },
}

#[derive(Debug)]
struct Join {
    when: When,
    /// What makes a member.
    state: StateId,
    /// What it has until then.
    before: Option<StateId>,
    /// Skills that come with it.
    gives: Vec<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let few = params.number("others-at-most")?;
    let when = match few {
        Some(at_most) => When::Few {
            side: params.faction("side")?,
            at_most: usize::try_from(at_most).unwrap_or(0),
        },
        None => When::Opens(params.window("window")?),
    };
    Ok(Arc::new(Join {
        when,
        state: params.state("state")?,
        before: params.optional_state("before")?,
        gives: params.skills("gives")?,
    }))
}

impl Join {
    fn is_time(&self, game: &Game, held: Held, event: &Event) -> bool {
        match (&self.when, event) {
            (When::Opens(window), Event::WindowOpened(opened)) => window == opened,
            (When::Few { side, at_most }, Event::PhaseBegan(phase)) => {
                let others = game.in_play().without(held.seat);
                let of_the_side = others
                    .iter()
                    .filter(|s| game.at(*s).dealt == *side || game.has_state(*s, self.state));
                phase.kind == PhaseKind::Night && of_the_side.count() <= *at_most
            }
            _ => false,
        }
    }
}

impl Skill for Join {
    fn listens(&self) -> Listens {
        match self.when {
            When::Opens(_) => Listens::WINDOWS,
            When::Few { .. } => Listens::PHASES,
        }
    }

    fn gained(&self, game: &mut Game, held: Held) {
        if let Some(before) = self.before {
            let from = Some((held.seat, held.holding));
            game.lay(held.seat, before, from, None, None);
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if !game.stands(held.seat)
            || game.has_state(held.seat, self.state)
            || !self.is_time(game, held, event)
        {
            return;
        }
        if let Some(before) = self.before {
            game.lift(held.seat, before);
        }
        let from = Some((held.seat, held.holding));
        game.lay(held.seat, self.state, from, None, None);
        for skill in &self.gives {
            game.grant(held.seat, *skill, false);
            game.tell(Notice::to(held.seat, "skill/got").with("skill", Arg::Skill(*skill)));
        }
    }
}
