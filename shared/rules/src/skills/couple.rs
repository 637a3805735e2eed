//! A couple: two seats that know each other and go out together. What the two are moves the
//! three of them into one faction, and may give them a knife of their own.
//!
//! foxcurse §丘比特, §咒狐, 拓展11 to 14; F9, F18, F20, F23.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{FactionId, SeatId, SeatSet, SkillId, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct Couple {
    /// What the two have.
    state: StateId,
    /// The faction of wolves.
    wolves: FactionId,
    /// The faction that one wolf and one other make.
    third: FactionId,
    /// The faction whose member makes the three its own, and that joins the third otherwise.
    lone: FactionId,
    /// What makes a member of the pack; who tied two wolves gets it when both are out.
    pack: StateId,
    /// What makes a member of the third faction's group, once no wolf is left outside it.
    armed: StateId,
    /// The kill that comes with either.
    kill: SkillId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Couple {
        state: params.state("state")?,
        wolves: params.faction("wolves")?,
        third: params.faction("third")?,
        lone: params.faction("lone")?,
        pack: params.state("pack")?,
        armed: params.state("armed")?,
        kill: params.skill("kill")?.ok_or_else(|| ParamProblem {
            key: Some("kill".to_owned()),
            message: "is missing: name the kill".to_owned(),
        })?,
    }))
}

impl Couple {
    /// The two that this holding has tied.
    fn lovers(&self, game: &Game, held: Held) -> SeatSet {
        let states = game.world().states.iter();
        states
            .filter(|r| r.state == self.state && r.from == Some((held.seat, held.holding)))
            .map(|r| r.seat)
            .collect()
    }

    fn take_sides(&self, game: &mut Game, maker: SeatId, lovers: SeatSet) {
        let of = |faction| move |game: &Game, s: &SeatId| game.at(*s).faction == faction;
        let count = |game: &Game, faction| lovers.iter().filter(|s| of(faction)(game, s)).count();
        let three = lovers.with(maker);
        if count(game, self.lone) > 0 {
            game.turn_to(three, self.lone);
            return;
        }
        match count(game, self.wolves) {
            0 => {}
            1 => {
                let lone = game.all().filter(|s| of(self.lone)(game, s)).collect();
                game.turn_to(three.or(lone), self.third);
            }
            _ => game.turn_to(SeatSet::only(maker), self.wolves),
        }
    }

    /// A night begins: who tied two wolves takes their place, or the third faction gets the
    /// knife that no wolf outside it holds any more.
    fn arm(&self, game: &mut Game, held: Held) {
        let lovers = self.lovers(game, held);
        let maker = game.at(held.seat).faction;
        let standing = game.in_play();
        if maker == self.wolves && !lovers.is_empty() && lovers.and(standing).is_empty() {
            self.join(game, SeatSet::only(held.seat).and(standing), self.pack);
        }
        let mut wolves = standing.iter().map(|s| game.at(s).faction);
        if maker == self.third && !wolves.any(|f| f == self.wolves) {
            let three = lovers.with(held.seat).and(standing);
            let third = |s: &SeatId| game.at(*s).faction == self.third;
            let three = three.iter().filter(third).collect();
            self.join(game, three, self.armed);
        }
    }

    fn join(&self, game: &mut Game, seats: SeatSet, state: StateId) {
        for seat in seats.iter() {
            if game.has_state(seat, state) {
                continue;
            }
            game.lay(seat, state, None, None, None);
            if game.held(seat, self.kill).is_none() {
                game.grant(seat, self.kill, false);
                game.tell(Notice::to(seat, "skill/got").with("skill", Arg::Skill(self.kill)));
            }
        }
    }
}

impl Skill for Couple {
    fn listens(&self) -> Listens {
        Listens::OUTS.and(Listens::PHASES)
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        let &[one, other] = finals else {
            return;
        };
        let from = Some((held.seat, held.holding));
        for (seat, partner) in [(one, other), (other, one)] {
            game.tell(
                Notice::to(seat, "couple/partner")
                    .with("state", Arg::State(self.state))
                    .with("partner", Arg::Seat(partner)),
            );
            game.lay(seat, self.state, from, None, Some(partner));
        }
        let lovers = SeatSet::only(one).with(other);
        self.take_sides(game, held.seat, lovers);
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        game.use_at_random(held);
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        match event {
            Event::WentOut { seat, .. } => {
                let lovers = self.lovers(game, held);
                if !lovers.has(*seat) {
                    return;
                }
                for partner in lovers.without(*seat).iter() {
                    game.hit(Hit {
                        target: partner,
                        harm: Harm::Fatal,
                        by: None,
                        skill: Some(held.skill),
                    });
                }
            }
            Event::PhaseBegan(phase) if phase.kind == PhaseKind::Night => self.arm(game, held),
            _ => {}
        }
    }
}
