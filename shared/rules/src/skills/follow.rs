//! Its holder goes out at once when a certain card does.
//!
//! treasure §灵能 早夭; TP23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::RoleId;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::Hit;

#[derive(Debug)]
struct Follow {
    cards: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let cards = params.some_roles("cards", "the cards that it follows")?;
    Ok(Arc::new(Follow { cards }))
}

impl Skill for Follow {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, .. } = event else {
            return;
        };
        let dealt = game.holding(held).is_some_and(|h| h.dealt);
        if dealt && game.stands(held.seat) && self.cards.contains(&game.at(*seat).card) {
            game.hit(Hit {
                target: held.seat,
                harm: Harm::Fatal,
                by: None,
                skill: Some(held.skill),
            });
        }
    }
}
