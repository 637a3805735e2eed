//! Small numbers that stand for things of one game or one board.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! index {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// The one at this place of its table.
            pub fn at(place: usize) -> Self {
                Self(<$inner>::try_from(place).unwrap_or(<$inner>::MAX))
            }

            /// Its place in the table it indexes.
            pub fn index(self) -> usize {
                usize::from(self.0)
            }
        }
    };
}

index! {
    /// A seat: a place in the elevator (电梯), counted from 0. People see `number()`.
    SeatId(u8)
}
index! {
    /// A faction of the board.
    FactionId(u8)
}
index! {
    /// A class of the board (验人系, 强神, 民, …).
    ClassId(u8)
}
index! {
    /// A role of the board.
    RoleId(u8)
}
index! {
    /// A skill of the board's own skill list.
    SkillId(u16)
}
index! {
    /// A kind of state or tag that the board knows (沉默, 警长, 黄牌, …).
    StateId(u8)
}
index! {
    /// A private group of the board (狼群, 魔女会, …).
    GroupId(u8)
}

impl SeatId {
    /// The number that people see and type: 1 for the first seat.
    pub fn number(self) -> u16 {
        u16::from(self.0) + 1
    }
}

impl fmt::Display for SeatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// A beginning of a phase or window. It only ever grows, also across a rewind, so what belongs
/// to an earlier turn is recognised as void.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Turn(pub u32);

/// An instant: milliseconds since the Unix epoch, UTC. It comes in with inputs; nothing in this
/// crate reads a clock.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Time(pub i64);

impl Time {
    /// This instant plus a span in milliseconds.
    #[must_use]
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// This instant plus a span in minutes.
    #[must_use]
    pub fn plus_minutes(self, minutes: i64) -> Self {
        self.plus_ms(minutes.saturating_mul(60_000))
    }

    /// The beginning of its second: chat has whole seconds.
    #[must_use]
    pub fn whole_second(self) -> Self {
        Self(self.0.div_euclid(1000).saturating_mul(1000))
    }

    /// How many milliseconds after `earlier` this is; negative when it is before.
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// When chat says that something was sent, in the order that counts for "later": the chat's
/// whole second, then the sequence within the scene, then the order of arrival.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
pub struct Stamp {
    /// Chat time in whole seconds since the Unix epoch.
    pub secs: i64,
    /// The platform's sequence number within the scene; 0 when it gave none.
    pub seq: u64,
    /// Order of arrival at the bridge.
    pub arrival: u64,
    /// Which scene `seq` counts in; sequences of two scenes cannot be compared.
    #[serde(default)]
    pub scene: u64,
}

impl Stamp {
    /// Was this sent before the other? Within one second, messages of one scene go by their
    /// sequence, others by arrival.
    pub fn before(&self, other: &Self) -> bool {
        let same_scene = self.scene == other.scene && self.seq != other.seq;
        let (seq, other_seq) = if same_scene {
            (self.seq, other.seq)
        } else {
            (0, 0)
        };
        (self.secs, seq, self.arrival) < (other.secs, other_seq, other.arrival)
    }

    /// The instant at the beginning of this second.
    pub fn time(self) -> Time {
        Time(self.secs.saturating_mul(1000))
    }
}

/// A set of seats, at most 64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeatSet(u64);

impl SeatSet {
    /// The most seats a set can hold.
    pub const CAPACITY: usize = 64;

    /// The set of no seat.
    pub const EMPTY: Self = Self(0);

    /// The seats 0 to `n - 1`.
    pub fn first(n: usize) -> Self {
        if n >= Self::CAPACITY {
            Self(u64::MAX)
        } else {
            Self((1 << n) - 1)
        }
    }

    /// The set of one seat.
    pub fn only(seat: SeatId) -> Self {
        Self(Self::bit(seat))
    }

    /// The bit of a seat; none for a seat that no set can hold.
    fn bit(seat: SeatId) -> u64 {
        1_u64.checked_shl(u32::from(seat.0)).unwrap_or(0)
    }

    /// Is the seat in it?
    pub fn has(self, seat: SeatId) -> bool {
        self.0 & Self::bit(seat) != 0
    }

    /// Adds a seat; true when it was not in it. A seat that no set can hold stays outside.
    pub fn insert(&mut self, seat: SeatId) -> bool {
        let new = !self.has(seat);
        self.0 |= Self::bit(seat);
        new
    }

    /// Takes a seat out.
    pub fn remove(&mut self, seat: SeatId) {
        self.0 &= !Self::bit(seat);
    }

    /// This set with the seat.
    #[must_use]
    pub fn with(mut self, seat: SeatId) -> Self {
        self.insert(seat);
        self
    }

    /// This set without the seat.
    #[must_use]
    pub fn without(mut self, seat: SeatId) -> Self {
        self.remove(seat);
        self
    }

    /// Seats in either set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Seats in both sets.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Seats in this set that are not in the other.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// How many.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Nobody.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats in elevator order.
    pub fn iter(self) -> impl Iterator<Item = SeatId> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let seat = bits.trailing_zeros();
            bits &= bits - 1;
            u8::try_from(seat).ok().map(SeatId)
        })
    }

    /// The nth seat of the set in elevator order.
    pub fn nth(self, n: usize) -> Option<SeatId> {
        self.iter().nth(n)
    }
}

impl FromIterator<SeatId> for SeatSet {
    fn from_iter<I: IntoIterator<Item = SeatId>>(seats: I) -> Self {
        let mut set = Self::EMPTY;
        for seat in seats {
            set.insert(seat);
        }
        set
    }
}
