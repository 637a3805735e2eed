//! Its holder sees who would go out tonight and may spare one of them, once.
//!
//! treasure §狼判官 放逐; T9, TP1, TP18.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, StateId};
use crate::notice::{Arg, Notice};
use crate::phase::{PhaseKind, WindowId};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Intent, Lapse};

#[derive(Debug)]
struct Spare {
    window: WindowId,
    /// Lies on those who stand on the list, for this holder.
    listed: StateId,
    /// What protects the one who is spared, until when.
    spared: StateId,
    until: Option<Lapse>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Spare {
        window: params.window("window")?,
        listed: params.state("listed")?,
        spared: params.state("spared")?,
        until: params.lapse("until")?,
    }))
}

impl Spare {
    /// Who stands on the list that its holder was shown.
    fn list(&self, game: &Game, held: Held) -> SeatSet {
        let from = Some((held.seat, held.holding));
        let records = game.world().states.iter();
        let mine = records.filter(|r| r.state == self.listed && r.from == from);
        mine.map(|r| r.seat).collect()
    }
}

impl Skill for Spare {
    fn listens(&self) -> Listens {
        Listens::WINDOWS
    }

    fn open(&self, game: &Game, held: Held) -> bool {
        !self.list(game, held).is_empty()
    }

    fn narrow(&self, game: &Game, held: Held, range: SeatSet) -> SeatSet {
        range.and(self.list(game, held))
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let shows = *event == Event::WindowOpened(self.window)
            && game.stands(held.seat)
            && !game.barred(held.seat, held.skill);
        if !shows {
            return;
        }
        let list = game.would_go_out();
        let tonight = Lapse {
            phases: [PhaseKind::Dawn].into_iter().collect(),
            skip: 0,
        };
        for seat in list.iter() {
            let from = Some((held.seat, held.holding));
            game.lay(seat, self.listed, from, Some(tonight), None);
        }
        game.tell(
            Notice::to(held.seat, "spare/list")
                .with("skill", Arg::Skill(held.skill))
                .with("seats", Arg::Seats(list)),
        );
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        for target in finals {
            let from = Some((held.seat, held.holding));
            game.lay(*target, self.spared, from, self.until, None);
        }
        game.revoke(held);
        game.tell(Notice::to(held.seat, "skill/lost").with("skill", Arg::Skill(held.skill)));
    }
}
