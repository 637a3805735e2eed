//! Petitions for a shorter or a longer day (G23).

use serde::{Deserialize, Serialize};

use super::answer::Refusal;
use crate::ids::{SeatId, SeatSet, Stamp};

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Petition {
    /// 申请加速: a speed-up.
    Faster,
    /// 申请延时: an extension.
    Slower,
}

/// What a book answers to a petition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub enum PetitionAnswer {
    /// Noted, or noted before; it does not hold yet.
    Noted {
        /// Has this seat asked for the same before? It counts once.
        again: bool,
        /// How many in play have asked.
        have: u8,
        /// How many it takes.
        need: u8,
    },
    /// With this one it holds, from then on.
    Holds {
        /// The latest of the posts that it rests on.
        since: Stamp,
    },
    /// It holds already.
    Held,
    /// It does not count.
    Refused(Refusal),
}

/// Who has asked for what, and what holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Petitions {
    faster: Asked,
    slower: Asked,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Asked {
    seats: SeatSet,
    latest: Stamp,
    holds: bool,
}

impl Petitions {
    /// Notes that a seat in play asks. Who asked but is no longer in play does not count, and
    /// with fewer in play fewer are needed: a seat that asks again has it counted anew.
    pub(super) fn ask(
        &mut self,
        what: Petition,
        seat: SeatId,
        in_play: SeatSet,
        at: Stamp,
    ) -> PetitionAnswer {
        let asked = match what {
            Petition::Faster => &mut self.faster,
            Petition::Slower => &mut self.slower,
        };
        let again = !asked.seats.insert(seat);
        asked.latest = asked.latest.max(at);
        if asked.holds {
            return PetitionAnswer::Held;
        }
        let have = asked.seats.and(in_play).len();
        let need = in_play.len().div_ceil(2);
        if have >= need {
            asked.holds = true;
            return PetitionAnswer::Holds {
                since: asked.latest,
            };
        }
        PetitionAnswer::Noted {
            again,
            have: small(have),
            need: small(need),
        }
    }
}

/// A number of seats; there are at most [`SeatSet::CAPACITY`].
fn small(seats: usize) -> u8 {
    u8::try_from(seats).unwrap_or(u8::MAX)
}
