//! Marks are spent: on how many seats each faction has in play, or on a skill for good.
//!
//! treasure §毒士 鸩毒; T3, TP6.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{FactionId, SeatId, SkillId, StateId};
use crate::input::Word;
use crate::notice::{Arg, Notice};
use crate::refusal::Refusal;
use crate::skill::{Held, Skill};
use crate::world::Intent;

#[derive(Debug)]
struct Barter {
    mark: StateId,
    /// The word for the counts: one mark.
    counts: Vec<String>,
    /// Skills that can be bought: the first for two marks, the second for three, …
    gains: Vec<SkillId>,
}

/// What marks can buy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ware {
    Counts,
    Skill(SkillId),
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let counts = params.text("counts")?.ok_or_else(|| ParamProblem {
        key: Some("counts".to_owned()),
        message: "is missing: the word by which the counts are bought".to_owned(),
    })?;
    Ok(Arc::new(Barter {
        mark: params.state("mark")?,
        counts: vec![counts],
        gains: params.skills("gains")?,
    }))
}

impl Barter {
    /// What the words ask for, and how many marks it costs.
    fn ware(&self, words: &[Word]) -> Option<(Ware, usize)> {
        match words {
            [Word::Text(text)] if self.counts.contains(text) => Some((Ware::Counts, 1)),
            [Word::Skill(skill)] => {
                let place = self.gains.iter().position(|gain| gain == skill)?;
                Some((Ware::Skill(*skill), place + 2))
            }
            _ => None,
        }
    }

    fn tell_counts(game: &mut Game, held: Held) {
        let in_play = |f: FactionId| {
            let of = game
                .all()
                .filter(|s| game.stands(*s) && game.at(*s).faction == f);
            u16::try_from(of.count()).unwrap_or(u16::MAX)
        };
        let factions = (0..game.board().factions.len()).map(FactionId::at);
        let counts = factions
            .map(|f| (f, in_play(f)))
            .filter(|(f, n)| *n > 0 || game.started_with(*f))
            .collect();
        game.tell(
            Notice::to(held.seat, "barter/counts")
                .with("skill", Arg::Skill(held.skill))
                .with("counts", Arg::Counts(counts)),
        );
    }
}

fn holds(game: &Game, seat: SeatId, skill: SkillId) -> bool {
    let mut holdings = game.at(seat).holdings.iter();
    holdings.any(|h| h.skill == skill && !h.lent)
}

impl Skill for Barter {
    fn open(&self, game: &Game, held: Held) -> bool {
        game.has_state(held.seat, self.mark)
    }

    fn options(&self) -> &[String] {
        &self.counts
    }

    fn read_words(&self, game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        let Some((ware, price)) = self.ware(words) else {
            let gains = self.gains.iter();
            let gains = gains.map(|s| game.board().skill_def(*s).name.clone());
            return Err(Refusal::Options {
                skill: held.skill,
                options: self.counts.iter().cloned().chain(gains).collect(),
            });
        };
        if let Ware::Skill(skill) = ware
            && holds(game, held.seat, skill)
        {
            return Err(Refusal::HasAlready(skill));
        }
        let has = game.count_state(held.seat, self.mark);
        if has < price {
            let small = |n| u8::try_from(n).unwrap_or(u8::MAX);
            return Err(Refusal::TooFewMarks {
                skill: held.skill,
                mark: self.mark,
                needs: small(price),
                has: small(has),
            });
        }
        Ok(())
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, _finals: &[SeatId]) {
        let Some((ware, price)) = self.ware(&intent.words) else {
            return;
        };
        game.lift_some(held.seat, self.mark, price);
        match ware {
            Ware::Counts => Self::tell_counts(game, held),
            Ware::Skill(skill) => {
                game.grant_via(held.seat, skill, held.skill);
                game.tell(Notice::to(held.seat, "skill/got").with("skill", Arg::Skill(skill)));
            }
        }
    }
}
