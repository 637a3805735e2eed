//! A third of those in play cannot be voted out on the next day: chosen, and what is missing
//! drawn. The list is published when the door opens.
//!
//! treasure §铁柱 票台; T7, TP9, G12.

use std::sync::Arc;

use super::{ParamProblem, Params};
use crate::board::SeatCount;
use crate::game::Game;
use crate::ids::{SeatId, SeatSet, StateId};
use crate::notice::{Arg, Notice};
use crate::skill::{Event, Held, Listens, Skill};
use crate::world::{Intent, Lapse};

#[derive(Debug)]
struct Platform {
    state: StateId,
    until: Option<Lapse>,
}

pub(super) fn build(params: &mut Params) -> Result<Arc<dyn Skill>, ParamProblem> {
    Ok(Arc::new(Platform {
        state: params.state("state")?,
        until: params.lapse("until")?,
    }))
}

/// A third of those in play, rounded down, as everybody can count them.
fn room(game: &Game) -> usize {
    game.publicly_in_play().len() / 3
}

impl Platform {
    /// The chosen seats, and others drawn until the platform is full; never one of the night
    /// before.
    fn fill(&self, game: &mut Game, held: Held, chosen: SeatSet) {
        let tonight = game.number();
        let last_night = game.holding(held).map_or(SeatSet::EMPTY, |h| {
            let before = h.uses.iter().filter(|(night, _)| night + 1 == tonight);
            before.fold(SeatSet::EMPTY, |all, (_, seats)| all.or(*seats))
        });
        let mut seats = chosen;
        while seats.len() < room(game) {
            let free = game.publicly_in_play().minus(last_night).minus(seats);
            let free: Vec<SeatId> = free.iter().collect();
            let Some(drawn) = game.draw(&free, ToString::to_string) else {
                break;
            };
            seats.insert(drawn);
        }
        if seats.is_empty() {
            return;
        }
        if let Some(holding) = game.holding_mut(held) {
            holding.uses.retain(|(night, _)| *night != tonight);
            holding.note_use(tonight, seats);
        }
        for seat in seats.iter() {
            let from = Some((held.seat, held.holding));
            game.lay(seat, self.state, from, self.until, None);
        }
        game.tell_public(
            Notice::public("platform/list")
                .with("state", Arg::State(self.state))
                .with("seats", Arg::Seats(seats)),
        );
    }
}

impl Skill for Platform {
    fn listens(&self) -> Listens {
        Listens::PREVENTED
    }

    fn open(&self, game: &Game, _held: Held) -> bool {
        room(game) > 0
    }

    fn seat_count(&self, game: &Game, _held: Held, written: SeatCount) -> SeatCount {
        let max = u8::try_from(room(game)).unwrap_or(u8::MAX);
        SeatCount {
            min: written.min.min(max),
            max,
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, _intent: &Intent, finals: &[SeatId]) {
        self.fill(game, held, finals.iter().copied().collect());
    }

    fn unsent(&self, game: &mut Game, held: Held) {
        if game.holding(held).is_some_and(|h| !h.lent) {
            self.fill(game, held, SeatSet::EMPTY);
        }
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        let Event::Prevented { hit, by } = event else {
            return;
        };
        if by.state == self.state && by.from == Some((held.seat, held.holding)) {
            game.tell_public(
                Notice::public("platform/held")
                    .with("seat", Arg::Seat(hit.target))
                    .with("state", Arg::State(self.state)),
            );
        }
    }
}
