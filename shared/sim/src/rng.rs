//! The simulation's own randomness: small, fast, the same on every machine.

use rules::{SeatId, SeatSet};

/// A stream of random numbers (splitmix64).
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        let wide = u128::from(self.number()) * n as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// Any number of 32 bits.
    pub fn word(&mut self) -> u32 {
        u32::try_from(self.number() >> 32).unwrap_or(u32::MAX)
    }

    /// A number below `n`, which is a byte.
    pub fn small(&mut self, n: usize) -> u8 {
        u8::try_from(self.below(n)).unwrap_or(u8::MAX)
    }

    /// A part of a span: 0 or more and less than it.
    pub fn part_of(&mut self, span: i64) -> i64 {
        let below = self.below(usize::try_from(span).unwrap_or(0));
        i64::try_from(below).unwrap_or(0)
    }

    /// Does something happen that happens so many times in a thousand?
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < permille as usize
    }

    /// One of them; `None` when there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    /// A seat of the set; `None` when it is empty.
    pub fn seat(&mut self, seats: SeatSet) -> Option<SeatId> {
        seats.nth(self.below(seats.len()))
    }

    /// Puts the items in random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}
