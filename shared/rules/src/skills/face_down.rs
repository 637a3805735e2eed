//! Cards lie face down, and its holder takes one of them for its own: one of the faction that
//! must be taken, where there is one.
//!
//! foxcurse §盗贼, 拓展8; F14.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{FactionId, RoleId, SeatId};
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::refusal::Refusal;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct FaceDown {
    /// Cards of this faction go first.
    must: FactionId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(FaceDown {
        must: params.faction("must")?,
    }))
}

impl FaceDown {
    fn choices(&self, game: &Game) -> Vec<RoleId> {
        let cards = &game.world().face_down;
        let must = |r: &RoleId| game.board().role_def(*r).faction == Some(self.must);
        if cards.iter().any(must) {
            cards.iter().copied().filter(must).collect()
        } else {
            cards.clone()
        }
    }
}

impl Skill for FaceDown {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let opens = matches!(event, Event::PhaseBegan(phase) if phase.kind == PhaseKind::Opening);
        if opens {
            game.lay_face_down();
            let cards = game.world().face_down.clone();
            game.tell(Notice::to(held.seat, "face-down/cards").with("roles", Arg::Roles(cards)));
        }
    }

    fn read_words(&self, game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        let choices = self.choices(game);
        match words {
            [Word::Role(role)] if choices.contains(role) => Ok(()),
            _ => Err(Refusal::RoleChoices {
                skill: held.skill,
                choices,
            }),
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, _finals: &[SeatId]) {
        if let Some(Word::Role(role)) = intent.words.first() {
            game.change_card(held.seat, *role);
        }
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        let board = Arc::clone(game.board());
        let choices = self.choices(game);
        if let Some(role) = game.draw(&choices, |r| board.role_def(*r).name.clone()) {
            game.change_card(held.seat, role);
        }
    }
}
