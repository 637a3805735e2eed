//! A mark for each of certain cards that goes out while its holder is in play.
//!
//! treasure §毒士 炼狱; T3, TP23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{RoleId, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill, outs_of};

#[derive(Debug)]
struct Marks {
    mark: StateId,
    cards: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Marks {
        mark: params.state("mark")?,
        cards: params.roles("cards")?,
    }))
}

impl Skill for Marks {
    fn listens(&self) -> Listens {
        Listens::SETTLED
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::Settled { ends } = event else {
            return;
        };
        let of = |seat| self.cards.contains(&game.at(seat).card);
        let got = outs_of(ends).filter(|out| of(*out)).count();
        if got == 0 || !game.stands(held.seat) {
            return;
        }
        for _ in 0..got {
            game.lay(held.seat, self.mark, None, None, None);
        }
        let Some(holding) = game.holding_mut(held) else {
            return;
        };
        holding.memory += i32::try_from(got).unwrap_or(0);
        let all = i64::from(holding.memory);
        let has = i64::try_from(game.count_state(held.seat, self.mark)).unwrap_or(0);
        game.tell(
            Notice::to(held.seat, "marks/got")
                .with("mark", Arg::State(self.mark))
                .with("has", Arg::Number(has))
                .with("all", Arg::Number(all)),
        );
    }
}
