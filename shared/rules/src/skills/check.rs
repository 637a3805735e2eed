//! A check: one seat is chosen, its faction or class is answered when the window closes.
//!
//! m158 §预言家 预言, §恶魔 恶魔之眼; M7.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::SeatId;
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
enum Answer {
    /// The actual faction.
    Faction,
    /// The faction that shows.
    FaceFaction,
    /// The class of the role that shows; this word for a role in no class.
    FaceClass(String),
}

#[derive(Debug)]
struct Check {
    answer: Answer,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let word = params.text("answer")?.unwrap_or_default();
    let otherwise = params.text("otherwise")?.unwrap_or_default();
    let answer = match word.as_str() {
        "faction" => Answer::Faction,
        "face-faction" => Answer::FaceFaction,
        "face-class" => Answer::FaceClass(otherwise),
        _ => {
            return Err(ParamProblem {
                key: Some("answer".to_owned()),
                message: "must be faction, face-faction or face-class".to_owned(),
            });
        }
    };
    Ok(Arc::new(Check { answer }))
}

impl Skill for Check {
    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        for (target, chosen) in finals.iter().zip(&intent.targets) {
            let answered = Notice::to(held.seat, "check/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("target", Arg::Seat(*chosen));
            let (faction, class, word) = match &self.answer {
                Answer::Faction => (Some(game.at(*target).faction), None, String::new()),
                Answer::FaceFaction => (Some(game.face_faction(*target)), None, String::new()),
                Answer::FaceClass(otherwise) => {
                    let role = game.face_role(*target);
                    (None, game.board().role_def(role).class, otherwise.clone())
                }
            };
            game.tell(match (faction, class) {
                (Some(faction), _) => answered.with("answer", Arg::Faction(faction)),
                (None, Some(class)) => answered.with("answer", Arg::Class(Some(class))),
                (None, None) => answered.with("answer", Arg::Text(word)),
            });
        }
    }
}
