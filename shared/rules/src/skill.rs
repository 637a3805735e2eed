//! What a skill is to the engine: code behind one trait, one file a skill in `skills/`.
//!
//! A skill never puts a seat out and never tells anyone anything by another way than the
//! methods of [`Game`]: it queues hits, lays states, asks for reactions, and makes notices.

use std::fmt::Debug;

use crate::board::SeatCount;
use crate::game::{Game, HitEnd};
use crate::ids::{SeatId, SeatSet, SkillId};
use crate::input::Word;
use crate::phase::{Phase, WindowId};
use crate::refusal::Refusal;
use crate::world::{Cause, Hit, HoldingId, Intent, StateRecord};

/// Something that happened in settlement or flow; skills that listen are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A phase has begun.
    PhaseBegan(Phase),
    /// A window has opened.
    WindowOpened(WindowId),
    /// A window has closed, and every message of it has taken effect.
    WindowClosed(WindowId),
    /// A seat has gone out.
    WentOut {
        /// Who.
        seat: SeatId,
        /// Why.
        cause: Cause,
    },
    /// A state has stopped a hit.
    Prevented {
        /// The hit.
        hit: Hit,
        /// The state, as it was before it was used up.
        by: StateRecord,
    },
    /// A hit has been settled.
    HitEnded {
        /// The hit.
        hit: Hit,
        /// What became of it.
        end: HitEnd,
    },
    /// A settlement is over: no hit is left. What follows it may bring hits, and another
    /// settlement.
    Settled {
        /// The hits and what became of them.
        ends: Vec<(Hit, HitEnd)>,
    },
}

/// Who went out in a settlement, in its order.
pub fn outs_of(ends: &[(Hit, HitEnd)]) -> impl Iterator<Item = SeatId> {
    ends.iter().filter_map(|(hit, end)| match end {
        HitEnd::Out => Some(hit.target),
        HitEnd::StoodIn(other) => Some(*other),
        HitEnd::AlreadyOut | HitEnd::Stopped(_) | HitEnd::Waits(_) => None,
    })
}

impl Event {
    /// Its kind.
    pub fn kind(&self) -> Listens {
        match self {
            Self::PhaseBegan(_) => Listens::PHASES,
            Self::WindowOpened(_) => Listens::WINDOWS,
            Self::WindowClosed(_) => Listens::WINDOW_ENDS,
            Self::WentOut { .. } => Listens::OUTS,
            Self::Prevented { .. } => Listens::PREVENTED,
            Self::HitEnded { .. } => Listens::HITS,
            Self::Settled { .. } => Listens::SETTLED,
        }
    }
}

/// A set of kinds of events: those to which a skill listens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Listens(u8);

impl Listens {
    /// None.
    pub const NONE: Self = Self(0);
    /// Beginnings of phases.
    pub const PHASES: Self = Self(1);
    /// Openings of windows.
    pub const WINDOWS: Self = Self(2);
    /// Going out.
    pub const OUTS: Self = Self(4);
    /// Prevented hits.
    pub const PREVENTED: Self = Self(8);
    /// Closings of windows.
    pub const WINDOW_ENDS: Self = Self(16);
    /// Settled hits, whatever became of them.
    pub const HITS: Self = Self(32);
    /// Ends of settlements.
    pub const SETTLED: Self = Self(64);

    /// These kinds and those.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Are all of these kinds in it?
    pub const fn has(self, kinds: Self) -> bool {
        self.0 & kinds.0 == kinds.0
    }
}

/// A holding of a seat: whose skill the code acts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// Who holds it.
    pub seat: SeatId,
    /// Which holding.
    pub holding: HoldingId,
    /// Which skill of the board.
    pub skill: SkillId,
}

/// The code of a skill. Parameters of the board file live in the implementing value. Every
/// method has a default, so that a skill says only what is its own.
pub trait Skill: Debug + Send + Sync {
    /// What it listens to.
    fn listens(&self) -> Listens {
        Listens::NONE
    }

    /// Is it open to its holder now, beyond window, uses and states? Depends only on what the
    /// holder may know.
    fn open(&self, _game: &Game, _held: Held) -> bool {
        true
    }

    /// Does it act although its holder has gone out and cannot know it yet (F16)?
    fn acts_unawares(&self) -> bool {
        false
    }

    /// Narrows who can be chosen. Depends only on what the holder may know.
    fn narrow(&self, _game: &Game, _held: Held, range: SeatSet) -> SeatSet {
        range
    }

    /// How many seats are named now; `written` is what the board file says. Depends only on what
    /// the holder may know.
    fn seat_count(&self, _game: &Game, _held: Held, written: SeatCount) -> SeatCount {
        written
    }

    /// Takes a message apart: the seats that are chosen, and the other words.
    fn read_targets(&self, words: &[Word]) -> (Vec<SeatId>, Vec<Word>) {
        let mut targets = Vec::new();
        let mut rest = Vec::new();
        for word in words {
            match word {
                Word::Seat(target) => targets.push(*target),
                other => rest.push(other.clone()),
            }
        }
        (targets, rest)
    }

    /// Words of its own that it takes as parameters, beside seats and names of the board.
    fn options(&self) -> &[String] {
        &[]
    }

    /// Checks the words that are no chosen seats. The default takes none.
    ///
    /// # Errors
    /// A word too many, or one that means nothing here.
    fn read_words(&self, _game: &Game, held: Held, words: &[Word]) -> Result<(), Refusal> {
        if words.is_empty() {
            Ok(())
        } else {
            Err(Refusal::ExtraWords(held.skill))
        }
    }

    /// A seat has just got it.
    fn gained(&self, _game: &mut Game, _held: Held) {}

    /// A seat has got it from another one that held it: what the other's use has spent with the
    /// card does not come back. `from` is the other's holding.
    fn inherited(&self, _game: &mut Game, _from: Held, _to: Held) {}

    /// Whom its holder has tied itself to (附身, 支持, 遇难, 思亲).
    fn bond(&self, _game: &Game, _held: Held) -> Option<SeatId> {
        None
    }

    /// Is its holder to be asked before this hit puts its target out (博爱)? The going-out waits
    /// for the answer.
    fn steps_in(&self, _game: &Game, _held: Held, _hit: &Hit) -> bool {
        false
    }

    /// While this message waits: the seats to which it limits another skill's choice (诱饵图腾);
    /// `None`: it does not limit that skill.
    fn limits(&self, _intent: &Intent, _other: SkillId) -> Option<SeatSet> {
        None
    }

    /// It has been sent, replaced or taken back (`intent` is `None` then) while its window is
    /// open.
    fn sent(&self, _game: &mut Game, _held: Held, _intent: Option<&Intent>) {}

    /// Its window closes, or (an immediate skill, a reaction) it has just been sent. `finals` are
    /// the final targets, one for each of the intent's: a target whose ball ended at a veiled
    /// seat is in neither.
    fn resolve(&self, _game: &mut Game, _held: Held, _intent: &Intent, _finals: &[SeatId]) {}

    /// The last window in which a forced skill could be sent closes without a message: its rule
    /// acts (G12). Only called when its definition says forced.
    fn unsent(&self, _game: &mut Game, _held: Held) {}

    /// A reaction was not answered in time, or declined.
    fn lapsed(&self, _game: &mut Game, _held: Held) {}

    /// Something happened.
    fn on_event(&self, _game: &mut Game, _held: Held, _event: &Event) {}
}
