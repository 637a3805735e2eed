//! A guess at whom one of another seat's skills has chosen tonight; a right one lends that skill
//! for the next night.
//!
//! treasure §妖狐 狡黠; T5, TP16.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::{Board, Usage};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, SkillId};
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::refusal::Refusal;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Guess;

#[expect(
    clippy::unnecessary_wraps,
    reason = "every skill is built the same way"
)]
pub(super) fn build(_params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Guess))
}

/// Skills of the night that name seats and act before this one.
fn guessable(board: &Board, own: SkillId) -> Vec<SkillId> {
    let order = board.skill_def(own).order;
    let can_be = |skill: &SkillId| {
        let def = board.skill_def(*skill);
        def.order < order
            && def.seats.max > 0
            && matches!(def.usage, Usage::Sent | Usage::Immediate)
            && board
                .windows_of(PhaseKind::Night)
                .any(|w| def.windows.has(w))
    };
    let skills = (0..board.skills.len()).map(SkillId::at);
    skills.filter(can_be).collect()
}

/// The skill and the set that the words name; `None`: they are no guess.
fn read(words: &[Word]) -> Option<(SkillId, SeatSet)> {
    let [Word::Skill(skill), named @ ..] = words else {
        return None;
    };
    let mut seats = SeatSet::EMPTY;
    for word in named {
        match word {
            Word::Seat(seat) => seats.insert(*seat).then_some(())?,
            _ => return None,
        }
    }
    (!seats.is_empty()).then_some((*skill, seats))
}

impl Skill for Guess {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn read_targets(&self, words: &[Word]) -> (Vec<SeatId>, Vec<Word>) {
        match words {
            [Word::Seat(whose), rest @ ..] => (vec![*whose], rest.to_vec()),
            _ => (Vec::new(), words.to_vec()),
        }
    }

    fn read_words(&self, game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        let skills = guessable(game.board(), held.skill);
        let seats = SeatSet::first(game.world().seats.len());
        match read(words) {
            Some((skill, named)) if skills.contains(&skill) && named.minus(seats).is_empty() => {
                Ok(())
            }
            _ => Err(Refusal::Guess {
                skill: held.skill,
                skills,
            }),
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        let (Some(whose), Some((skill, guessed))) = (finals.first(), read(&intent.words)) else {
            return;
        };
        let tonight = game.number();
        let right = game
            .at(*whose)
            .holdings
            .iter()
            .any(|h| h.skill == skill && h.uses.last() == Some(&(tonight, guessed)));
        if right && let Some(holding) = game.holding_mut(held) {
            holding.memory = i32::from(skill.0) + 1;
        }
        game.tell(
            Notice::to(held.seat, "guess/answer")
                .with("skill", Arg::Skill(held.skill))
                .with("guessed", Arg::Skill(skill))
                .with("right", Arg::Flag(right)),
        );
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if !matches!(event, Event::PhaseBegan(phase) if phase.kind == PhaseKind::Night) {
            return;
        }
        game.take_back(held.seat, held.skill);
        let Some(holding) = game.holding_mut(held) else {
            return;
        };
        let won = std::mem::take(&mut holding.memory);
        let Some(skill) = u16::try_from(won - 1).ok().map(SkillId) else {
            return;
        };
        if game.held(held.seat, skill).is_none() {
            game.lend(held.seat, skill, held.skill);
        }
    }
}
