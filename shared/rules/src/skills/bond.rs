//! A drifter ties itself to a seat and joins its faction when the opening is over; what else
//! the tie does shows when that seat goes out.
//!
//! treasure §幽灵 附身, §混血儿 支持, §人质 遇难, §野孩子 思亲; T10, TP12, TP15, G12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{FactionId, SeatId, SeatSet};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill, outs_of};
use crate::world::Hit;

#[derive(Debug)]
struct Bond {
    then: Then,
}

/// What happens to its holder when the seat goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Nothing,
    /// It joins this faction.
    Turn(FactionId),
    /// It goes out at once.
    Follow,
    /// It gets the seat's skills, and that is published.
    Possess,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let turns_to = params.optional_faction("turns-to")?;
    let follows = params.flag("follows")?;
    let possesses = params.flag("possesses")?;
    let then = match (turns_to, follows, possesses) {
        (None, false, false) => Then::Nothing,
        (Some(faction), false, false) => Then::Turn(faction),
        (None, true, false) => Then::Follow,
        (None, false, true) => Then::Possess,
        _ => {
            return Err(ParamProblem {
                key: None,
                message: "at most one of turns-to, follows, possesses".to_owned(),
            });
        }
    };
    Ok(Arc::new(Bond { then }))
}

/// Whom a seat tied itself to by the card it was dealt.
fn bond_of(game: &Game, seat: SeatId) -> Option<SeatId> {
    let holdings = game.at(seat).holdings.iter().filter(|h| h.dealt);
    let mut bonds = holdings.filter_map(|h| {
        let held = Held {
            seat,
            holding: h.id,
            skill: h.skill,
        };
        game.board().skill_def(h.skill).code.bond(game, held)
    });
    bonds.next()
}

/// The faction at the end of the chain of ties; `None`: the chain is a ring (TP12).
fn ground(game: &Game, seat: SeatId) -> Option<FactionId> {
    let mut seen = SeatSet::only(seat);
    let mut at = seat;
    while let Some(next) = bond_of(game, at) {
        if !seen.insert(next) {
            return None;
        }
        at = next;
    }
    Some(game.at(at).dealt)
}

fn join(game: &mut Game, held: Held) {
    let Some(holding) = game.holding_mut(held) else {
        return;
    };
    let joined = holding.memory != 0 || holding.uses.is_empty();
    holding.memory = 1;
    if joined {
        return;
    }
    if let Some(faction) = ground(game, held.seat) {
        game.join_faction(held.seat, faction);
    } else {
        let faction = game.at(held.seat).faction;
        game.tell(Notice::to(held.seat, "bond/ring").with("faction", Arg::Faction(faction)));
    }
}

fn possess(game: &mut Game, held: Held, host: SeatId) {
    let role = game.at(held.seat).card;
    let skills = game.inherit(host, held.seat, held.skill);
    game.tell(
        Notice::to(held.seat, "inherit/got")
            .with("skill", Arg::Skill(held.skill))
            .with("from", Arg::Seat(host))
            .with("skills", Arg::Skills(skills)),
    );
    game.tell_public(
        Notice::public("bond/possessed")
            .with("skill", Arg::Skill(held.skill))
            .with("seat", Arg::Seat(held.seat))
            .with("role", Arg::Role(role)),
    );
}

impl Skill for Bond {
    fn listens(&self) -> Listens {
        Listens::PHASES.and(Listens::OUTS).and(Listens::SETTLED)
    }

    fn bond(&self, game: &Game, held: Held) -> Option<SeatId> {
        game.holding(held)?.ever.nth(0)
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        let range: Vec<SeatId> = game.range(held).iter().collect();
        let night = game.number();
        if let Some(drawn) = game.draw(&range, ToString::to_string) {
            if let Some(holding) = game.holding_mut(held) {
                holding.note_use(night, SeatSet::only(drawn));
            }
            game.tell(
                Notice::to(held.seat, "bond/drawn")
                    .with("skill", Arg::Skill(held.skill))
                    .with("seat", Arg::Seat(drawn)),
            );
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Some(bond) = self.bond(game, held) else {
            return;
        };
        match (event, self.then) {
            (Event::PhaseBegan(phase), _) if phase.kind != PhaseKind::Opening => join(game, held),
            (Event::WentOut { seat, .. }, Then::Follow)
                if *seat == bond && game.stands(held.seat) =>
            {
                game.hit(Hit {
                    target: held.seat,
                    harm: Harm::Fatal,
                    by: None,
                    skill: Some(held.skill),
                });
            }
            (Event::Settled { ends }, then)
                if outs_of(ends).any(|out| out == bond) && game.stands(held.seat) =>
            {
                match then {
                    Then::Turn(faction) if game.at(held.seat).faction != faction => {
                        game.join_faction(held.seat, faction);
                    }
                    Then::Possess => possess(game, held, bond),
                    Then::Turn(_) | Then::Nothing | Then::Follow => {}
                }
            }
            _ => {}
        }
    }
}
