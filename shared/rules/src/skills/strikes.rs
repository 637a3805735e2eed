//! Strikes by each for itself: the seat that strictly most have struck is the night's one victim,
//! and everyone who holds the skill is told; otherwise nobody is struck.
//!
//! redblack §狼人 杀人; R3, R10.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct Strikes {
    harm: Harm,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Strikes {
        harm: params.harm("harm")?,
    }))
}

/// The hit on the seat that strictly most of these hits are on.
fn one_of(hits: &[Hit]) -> Option<Hit> {
    let on = |seat: SeatId| hits.iter().filter(|hit| hit.target == seat).count();
    let most = hits.iter().map(|hit| on(hit.target)).max()?;
    let struck: SeatSet = hits
        .iter()
        .map(|hit| hit.target)
        .filter(|seat| on(*seat) == most)
        .collect();
    let victim = struck.nth(0).filter(|_| struck.len() == 1)?;
    hits.iter().find(|hit| hit.target == victim).cloned()
}

/// Everyone in play who holds the skill.
fn holders(game: &Game, skill: SkillId) -> Vec<SeatId> {
    game.all()
        .filter(|seat| game.stands(*seat) && game.held(*seat, skill).is_some())
        .collect()
}

impl Skill for Strikes {
    fn listens(&self) -> Listens {
        Listens::WINDOW_ENDS
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: self.harm,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }

    /// The first of the holders, in play or out, counts for all.
    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let board = Arc::clone(game.board());
        let windows = board.skill_def(held.skill).windows;
        let ends = matches!(event, Event::WindowClosed(window) if windows.has(*window));
        let first = game.all().find_map(|seat| game.held(seat, held.skill));
        if !ends || first.map(|first| first.seat) != Some(held.seat) {
            return;
        }
        let hits = game.take_hits(held.skill);
        let Some(hit) = one_of(&hits) else { return };
        game.note_struck(&[hit.target]);
        for seat in holders(game, held.skill) {
            game.tell(
                Notice::to(seat, "strikes/victim")
                    .with("skill", Arg::Skill(held.skill))
                    .with("seat", Arg::Seat(hit.target)),
            );
        }
        game.hit(hit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn victim(targets: &[u8]) -> Option<u8> {
        let hits: Vec<Hit> = targets
            .iter()
            .map(|target| Hit {
                target: SeatId(*target),
                harm: Harm::Strike,
                by: None,
                skill: None,
            })
            .collect();
        one_of(&hits).map(|hit| hit.target.0)
    }

    #[test]
    fn only_strictly_most_strikes_name_a_victim() {
        assert_eq!(victim(&[]), None);
        assert_eq!(victim(&[3]), Some(3));
        assert_eq!(victim(&[3, 4]), None);
        assert_eq!(victim(&[3, 4, 3]), Some(3));
        assert_eq!(victim(&[3, 4, 3, 4, 5]), None);
    }
}
