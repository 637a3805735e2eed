//! Dice that are thrown by name: the same seed, seat and name give the same result, in whatever
//! order and however often they are thrown. So a bot that is started anew decides as before.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// One bot's dice.
#[derive(Debug, Clone)]
pub(super) struct Dice {
    seed: u64,
    owner: String,
}

impl Dice {
    /// The dice of someone at a table with this seed.
    pub(super) fn new(seed: u64, owner: impl Into<String>) -> Self {
        Self {
            seed,
            owner: owner.into(),
        }
    }

    /// The dice that all at the table share: what is in the air there.
    pub(super) fn shared(&self) -> Self {
        Self::new(self.seed, "")
    }

    /// A number from 0 to just below 1.
    pub(super) fn unit(&self, name: &str) -> f64 {
        self.generator(name).random()
    }

    /// True with this probability.
    pub(super) fn chance(&self, name: &str, probability: f64) -> bool {
        self.unit(name) < probability
    }

    /// A number between two others.
    pub(super) fn between(&self, name: &str, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit(name)
    }

    /// One of several.
    pub(super) fn pick<'a, T>(&self, name: &str, among: &'a [T]) -> Option<&'a T> {
        if among.is_empty() {
            return None;
        }
        among.get(self.generator(name).random_range(0..among.len()))
    }

    fn generator(&self, name: &str) -> ChaCha8Rng {
        // FNV-1a: the same on every machine and in every release.
        let hash = self
            .owner
            .bytes()
            .chain([0])
            .chain(name.bytes())
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        ChaCha8Rng::seed_from_u64(hash ^ self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_gives_the_same_throw() {
        let (ann, bob) = (Dice::new(7, "安"), Dice::new(7, "波"));
        let list = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        let throws = |dice: &Dice| {
            (0..20)
                .map(|n| *dice.pick(&n.to_string(), &list).unwrap())
                .collect::<Vec<i32>>()
        };
        assert_eq!(throws(&ann), throws(&ann));
        assert_ne!(throws(&ann), throws(&bob));
        assert_eq!(throws(&ann.shared()), throws(&bob.shared()));
        assert_ne!(throws(&ann), throws(&Dice::new(8, "安")));
        assert_eq!(ann.pick::<u8>("x", &[]), None);
        let agree = (0..300)
            .filter(|seed| {
                let throw = |owner: &str| *Dice::new(*seed, owner).pick("夜1/杀人", &list).unwrap();
                throw("木鱼") == throw("丁香")
            })
            .count();
        assert!(
            (15..60).contains(&agree),
            "one in nine by chance, not {agree} in 300"
        );
        assert!((2.0..3.0).contains(&ann.between("x", 2.0, 3.0)));
    }
}
