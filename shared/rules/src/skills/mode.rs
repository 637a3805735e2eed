//! A choice among skills: the chosen one is got when the window closes; without a message it is
//! drawn.
//!
//! m158 §图腾萨满 模式选择; M13, G12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SkillId};
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::refusal::Refusal;
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Mode {
    choices: Vec<SkillId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let choices = params.skills("choices")?;
    if choices.len() < 2 {
        return Err(ParamProblem {
            key: Some("choices".to_owned()),
            message: "must name at least two skills".to_owned(),
        });
    }
    Ok(Arc::new(Mode { choices }))
}

impl Mode {
    fn get(game: &mut Game, held: Held, skill: SkillId, drawn: bool) {
        game.grant(held.seat, skill, false);
        game.tell(
            Notice::to(held.seat, "mode/got")
                .with("skill", Arg::Skill(skill))
                .with("drawn", Arg::Flag(drawn)),
        );
    }
}

impl Skill for Mode {
    fn read_words(&self, _game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        match words {
            [Word::Skill(skill)] if self.choices.contains(skill) => Ok(()),
            _ => Err(Refusal::Choices {
                skill: held.skill,
                choices: self.choices.clone(),
            }),
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, _finals: &[SeatId]) {
        if let Some(Word::Skill(skill)) = intent.words.first() {
            Self::get(game, held, *skill, false);
        }
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        if game.holding(held).is_none_or(|h| h.left == Some(0)) {
            return;
        }
        let board = Arc::clone(game.board());
        let drawn = game.draw(&self.choices, |s| board.skill_def(*s).name.clone());
        if let Some(holding) = game.holding_mut(held) {
            holding.left = Some(0);
        }
        if let Some(skill) = drawn {
            Self::get(game, held, skill, true);
        }
    }
}
