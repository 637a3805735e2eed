//! Everybody's enemy: its going out is published with its card. Struck by night, whoever struck
//! it gets a skill; voted out, some cards learn what one other seat is.
//!
//! treasure §宝藏 公敌; TP7, TP23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::{Game, HitEnd};
use crate::ids::{RoleId, SeatId, SkillId};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill, outs_of};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct Enemy {
    /// What a striker gets.
    gives: SkillId,
    /// The cards that may look at another seat after the vote.
    cards: Vec<RoleId>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let gives = params.skill("gives")?.ok_or_else(|| ParamProblem {
        key: Some("gives".to_owned()),
        message: "is missing: name the skill that a striker gets".to_owned(),
    })?;
    Ok(Arc::new(Enemy {
        gives,
        cards: params.roles("cards")?,
    }))
}

impl Enemy {
    /// A strike that got through by night, also one that came second (TP23).
    fn was_struck(game: &Game, held: Held, hit: &Hit, end: HitEnd) -> bool {
        let through = matches!(end, HitEnd::Out | HitEnd::AlreadyOut);
        let by_night = game.at(held.seat).out.is_some_and(|cause| {
            cause.harm == Harm::Strike
                && cause.phase == game.phase()
                && cause.phase.kind == PhaseKind::Night
        });
        hit.target == held.seat && hit.harm == Harm::Strike && through && by_night
    }

    fn reward(&self, game: &mut Game, held: Held, striker: SeatId) {
        let has = |h: &crate::world::Holding| h.skill == self.gives && !h.lent;
        if game.at(striker).holdings.iter().any(has) {
            return;
        }
        game.grant_via(striker, self.gives, held.skill);
        game.tell(
            Notice::to(striker, "enemy/reward")
                .with("skill", Arg::Skill(self.gives))
                .with("target", Arg::Seat(held.seat)),
        );
    }

    fn ask_cards(&self, game: &mut Game, held: Held) {
        let may = |s: &SeatId| game.stands(*s) && self.cards.contains(&game.at(*s).card);
        let asked: Vec<SeatId> = game.all().filter(may).collect();
        for seat in asked {
            let holding = game.lend(seat, held.skill, held.skill);
            game.ask(Held {
                seat,
                holding,
                skill: held.skill,
            });
        }
    }
}

impl Skill for Enemy {
    fn listens(&self) -> Listens {
        Listens::OUTS.and(Listens::HITS).and(Listens::SETTLED)
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if game.holding(held).is_none_or(|h| !h.dealt) {
            return;
        }
        match event {
            Event::WentOut { seat, .. } if *seat == held.seat => {
                let role = game.at(*seat).card;
                game.tell_public(
                    Notice::public("enemy/out")
                        .with("seat", Arg::Seat(*seat))
                        .with("role", Arg::Role(role)),
                );
            }
            Event::HitEnded { hit, end } if Self::was_struck(game, held, hit, *end) => {
                if let Some(striker) = hit.by {
                    self.reward(game, held, striker);
                }
            }
            Event::Settled { ends } if outs_of(ends).any(|out| out == held.seat) => {
                let cause = game.at(held.seat).out;
                if cause.is_some_and(|cause| cause.harm == Harm::Vote) {
                    self.ask_cards(game, held);
                }
            }
            _ => {}
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            let role = game.at(*target).role;
            game.tell(
                Notice::to(held.seat, "check/answer")
                    .with("skill", Arg::Skill(held.skill))
                    .with("target", Arg::Seat(*target))
                    .with("answer", Arg::Role(role)),
            );
        }
        game.take_back(held.seat, held.skill);
    }

    fn lapsed(&self, game: &mut Game, held: Held) {
        game.take_back(held.seat, held.skill);
    }
}
