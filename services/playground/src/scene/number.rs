//! Numbers of messages.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A message's number on the platform: positive and below 2³¹, as `NapCat` gives them, in no
/// visible order. It is made from the message's place in the order of all chats, and tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageNumber(u32);

/// Numbers have this bit; places do not reach it, so that neither is taken for the other.
const MARK: u64 = 1 << 30;
const MASK: u64 = MARK - 1;
/// Odd, so that multiplying by it can be undone.
const SCATTER: u64 = 0x2545_F491;
const GATHER: u64 = inverse(SCATTER);

impl MessageNumber {
    /// The number of the message at this place.
    #[expect(clippy::cast_possible_truncation, reason = "masked to 31 bits")]
    pub fn at(seq: u64) -> Self {
        Self((MARK | (seq.wrapping_mul(SCATTER) & MASK)) as u32)
    }

    /// The number itself.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The place of the message that has this number; `None` for what is no such number.
    pub fn place(number: u64) -> Option<u64> {
        (number >> 30 == 1).then(|| (number & MASK).wrapping_mul(GATHER) & MASK)
    }

    /// The place that a script means: it may name a message by its number or by its place.
    pub fn place_or_number(given: u64) -> u64 {
        Self::place(given).unwrap_or(given)
    }
}

impl fmt::Display for MessageNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The inverse of an odd number modulo 2⁶⁴, by Newton's steps.
const fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    let mut step = 0;
    while step < 6 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_tell_their_places_and_never_meet() {
        let mut seen = BTreeSet::new();
        for seq in (1..5_000).chain([MASK - 1, MASK]) {
            let number = MessageNumber::at(seq);
            assert!(number.get() < 1 << 31);
            assert_eq!(MessageNumber::place(u64::from(number.get())), Some(seq));
            assert_eq!(MessageNumber::place_or_number(seq), seq);
            assert!(seen.insert(number), "{seq}");
        }
        assert_eq!(MessageNumber::place(12), None);
        assert_eq!(MessageNumber::place(u64::MAX), None);
    }
}
