//! A check: one seat is chosen, its faction or class is answered when the window closes, or
//! whether a state lies on it.
//!
//! m158 §预言家 预言, §恶魔 恶魔之眼; M7. foxcurse §预言家; F11.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{SeatId, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
enum Answer {
    /// The actual faction.
    Faction,
    /// The faction that shows.
    FaceFaction,
    /// The class of the role that shows; this word for a role in no class.
    FaceClass(String),
    /// One word for a seat with this state, the other for everybody else.
    State {
        state: StateId,
        word: String,
        otherwise: String,
    },
}

#[derive(Debug)]
struct Check {
    answer: Answer,
    /// Whoever has this state goes out by being checked.
    fells: Option<StateId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let word = params.text("answer")?.unwrap_or_default();
    let otherwise = params.text("otherwise")?.unwrap_or_default();
    let answer = match word.as_str() {
        "faction" => Answer::Faction,
        "face-faction" => Answer::FaceFaction,
        "face-class" => Answer::FaceClass(otherwise),
        "state" => Answer::State {
            state: params.state("state")?,
            word: params.text("word")?.unwrap_or_default(),
            otherwise,
        },
        _ => {
            return Err(ParamProblem {
                key: Some("answer".to_owned()),
                message: "must be faction, face-faction, face-class or state".to_owned(),
            });
        }
    };
    let fells = params.optional_state("fells")?;
    Ok(Arc::new(Check { answer, fells }))
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
                Answer::State {
                    state,
                    word,
                    otherwise,
                } => {
                    let has = game.has_state(*target, *state);
                    (None, None, if has { word } else { otherwise }.clone())
                }
            };
            game.tell(match (faction, class) {
                (Some(faction), _) => answered.with("answer", Arg::Faction(faction)),
                (None, Some(class)) => answered.with("answer", Arg::Class(Some(class))),
                (None, None) => answered.with("answer", Arg::Text(word)),
            });
            if self.fells.is_some_and(|s| game.has_state(*target, s)) {
                game.hit(Hit {
                    target: *target,
                    harm: Harm::Fatal,
                    by: Some(held.seat),
                    skill: Some(held.skill),
                });
            }
        }
    }
}
