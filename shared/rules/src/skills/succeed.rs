//! When certain cards go out its holder gets their skills and learns how they were used.
//!
//! treasure §野心家的影子 继承; TP22.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{RoleId, SeatId, SeatSet, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill, outs_of};

#[derive(Debug)]
struct Succeed {
    cards: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let cards = params.some_roles("cards", "the cards that it succeeds")?;
    Ok(Arc::new(Succeed { cards }))
}

/// Every use that a seat has made of what it holds, night by night.
fn record(game: &Game, seat: SeatId) -> Vec<(u16, SkillId, SeatSet)> {
    let holdings = game.at(seat).holdings.iter().filter(|h| !h.lent);
    let mut uses: Vec<(u16, SkillId, SeatSet)> = holdings
        .flat_map(|h| {
            h.uses
                .iter()
                .map(|(night, seats)| (*night, h.skill, *seats))
        })
        .collect();
    uses.sort_by_key(|(night, skill, _)| (*night, *skill));
    uses
}

impl Skill for Succeed {
    fn listens(&self) -> Listens {
        Listens::SETTLED
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::Settled { ends } = event else {
            return;
        };
        if !game.stands(held.seat) {
            return;
        }
        for out in outs_of(ends).filter(|out| *out != held.seat) {
            if !self.cards.contains(&game.at(out).card) {
                continue;
            }
            let uses = record(game, out);
            let skills = game.inherit(out, held.seat, held.skill);
            game.tell(
                Notice::to(held.seat, "inherit/got")
                    .with("skill", Arg::Skill(held.skill))
                    .with("from", Arg::Seat(out))
                    .with("skills", Arg::Skills(skills)),
            );
            game.tell(
                Notice::to(held.seat, "inherit/uses")
                    .with("skill", Arg::Skill(held.skill))
                    .with("uses", Arg::Uses(uses)),
            );
        }
    }
}
