//! The toys.

use rules::board::Harm;
use rules::game::Game;
use rules::skill::{Event, Held, Listens, Skill};
use rules::world::{Hit, Intent, Lapse};
use rules::{Arg, Notice, PhaseKind, SeatId, SkillId, StateId};

/// Until the next beginning of one of these phases.
pub(crate) fn until(phases: &[PhaseKind]) -> Lapse {
    Lapse {
        phases: phases.iter().copied().collect(),
        skip: 0,
    }
}

/// Harm to the final targets.
#[derive(Debug)]
pub(crate) struct Strike(pub(crate) Harm);

impl Skill for Strike {
    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, finals: &[SeatId]) {
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: self.0,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }
}

/// Tells its owner where the balls ended, and which these were.
#[derive(Debug)]
pub(crate) struct Peek;

impl Skill for Peek {
    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        game.tell(
            Notice::to(held.seat, "toy/peek")
                .with("finals", Arg::Order(finals.to_vec()))
                .with("chosen", Arg::Order(intent.targets.clone())),
        );
    }
}

/// Lays a state on the final targets; `None`: for good.
#[derive(Debug)]
pub(crate) struct Lay(pub(crate) StateId, pub(crate) Option<Lapse>);

impl Skill for Lay {
    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, finals: &[SeatId]) {
        for target in finals {
            let from = Some((held.seat, held.holding));
            game.lay(*target, self.0, from, self.1, None);
        }
    }
}

/// 交换: the two chosen seats change places for targeted skills until dawn.
#[derive(Debug)]
pub(crate) struct Swap(pub(crate) StateId);

impl Skill for Swap {
    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, finals: &[SeatId]) {
        let [a, b] = finals else { return };
        let from = Some((held.seat, held.holding));
        let end = Some(until(&[PhaseKind::Dawn]));
        game.lay(*a, self.0, from, end, Some(*b));
        game.lay(*b, self.0, from, end, Some(*a));
    }
}

/// 情侣: chooses two seats in the opening; when one goes out so does the other.
#[derive(Debug)]
pub(crate) struct Cupid(pub(crate) StateId);

impl Skill for Cupid {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, finals: &[SeatId]) {
        let [a, b] = finals else { return };
        let from = Some((held.seat, held.holding));
        game.lay(*a, self.0, from, None, Some(*b));
        game.lay(*b, self.0, from, None, Some(*a));
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, .. } = event else {
            return;
        };
        let from = Some((held.seat, held.holding));
        let mourners: Vec<SeatId> = game
            .world()
            .states
            .iter()
            .filter(|r| r.state == self.0 && r.seat == *seat && r.from == from)
            .filter_map(|r| r.partner)
            .collect();
        for target in mourners {
            game.hit(Hit {
                target,
                harm: Harm::Fatal,
                by: None,
                skill: Some(held.skill),
            });
        }
    }
}

/// 影子: chooses a model in the opening; when the model goes out, its skills as dealt are the
/// shadow's.
#[derive(Debug)]
pub(crate) struct Shadow;

impl Skill for Shadow {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::WentOut { seat, .. } = event else {
            return;
        };
        let chosen = game.holding(held).map(|h| h.ever).unwrap_or_default();
        if !chosen.has(*seat) || !game.stands(held.seat) {
            return;
        }
        let skills: Vec<SkillId> = game
            .seat(*seat)
            .map(|s| s.holdings.iter().map(|h| h.skill).collect())
            .unwrap_or_default();
        for skill in skills {
            game.grant(held.seat, skill, false);
        }
    }
}

/// 时光倒流: asked at dawn when its owner has gone out in the night; the night begins again, and
/// the skill is spent.
#[derive(Debug)]
pub(crate) struct Clock;

impl Skill for Clock {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if matches!(event, Event::WentOut { seat, .. } if *seat == held.seat)
            && game.holding(held).is_some_and(|h| h.left != Some(0))
        {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, _: &[SeatId]) {
        game.rewind_to_night();
        if let Some(holding) = game.holding_mut(held) {
            holding.left = Some(0);
        }
    }
}

/// 太阳: the day after it has been used has a second vote.
#[derive(Debug)]
pub(crate) struct Sun;

impl Skill for Sun {
    fn listens(&self) -> Listens {
        Listens::PHASES
    }

    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, _: &[SeatId]) {
        if let Some(holding) = game.holding_mut(held) {
            holding.memory = 1;
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::PhaseBegan(phase) = event else {
            return;
        };
        let due = game.holding(held).is_some_and(|h| h.memory == 1);
        if phase.kind == PhaseKind::Day && due {
            if let Some(holding) = game.holding_mut(held) {
                holding.memory = 0;
            }
            game.insert_phase(*phase);
        }
    }
}

/// A shot when its owner goes out.
#[derive(Debug)]
pub(crate) struct Shot;

impl Skill for Shot {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if matches!(event, Event::WentOut { seat, .. } if *seat == held.seat) {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        Strike(Harm::Strike).resolve(game, held, intent, finals);
    }
}
