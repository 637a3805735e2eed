//! A decoy: tonight the group's kill can only choose this seat. With nobody of the group in
//! play it is itself a strike, and its user does not hear of that.
//!
//! m158 §图腾萨满 诱饵图腾; M10, M14.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::Harm;
use crate::game::Game;
use crate::ids::{GroupId, SeatId, SeatSet, SkillId};
use crate::notice::{Arg, Notice};
use crate::skill::{Held, Skill};
use crate::world::{Hit, Intent};

#[derive(Debug)]
struct Decoy {
    /// The kill that it binds.
    binds: SkillId,
    /// Whose kill that is.
    group: GroupId,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    let binds = params.skill("binds")?.ok_or_else(|| ParamProblem {
        key: Some("binds".to_owned()),
        message: "is missing: name the kill that it binds".to_owned(),
    })?;
    Ok(Arc::new(Decoy {
        binds,
        group: params.group("group")?,
    }))
}

impl Decoy {
    fn pack_stands(&self, game: &Game) -> bool {
        game.group_members(self.group)
            .iter()
            .any(|s| game.stands(s))
    }
}

impl Skill for Decoy {
    fn limits(&self, intent: &Intent, other: SkillId) -> Option<SeatSet> {
        (other == self.binds).then(|| intent.targets.iter().copied().collect())
    }

    fn sent(&self, game: &mut Game, _held: Held, intent: Option<&Intent>) {
        if !self.pack_stands(game) {
            return;
        }
        let Some(intent) = intent else {
            game.tell(
                Notice::group(self.group, "decoy/free").with("skill", Arg::Skill(self.binds)),
            );
            return;
        };
        let bait: SeatSet = intent.targets.iter().copied().collect();
        let dropped = game.drop_intents(self.binds, |i| {
            i.targets.iter().any(|target| !bait.has(*target))
        });
        game.tell(
            Notice::group(self.group, "decoy/bound")
                .with("skill", Arg::Skill(self.binds))
                .with("seats", Arg::Seats(bait))
                .with("again", Arg::Flag(dropped)),
        );
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        if self.pack_stands(game) {
            return;
        }
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: Harm::Strike,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }
}
