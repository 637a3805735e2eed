//! The game's dice: seeded, serializable, and scriptable for rehearsals.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// A stream of random draws. The position only ever grows, also across a rewind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dice {
    /// 32 bytes of seed.
    seed: [u8; 32],
    /// Which stream of the seed: the game's draws and the timing of windows are apart.
    stream: u64,
    /// How many draws have been made.
    drawn: u64,
    /// Forced results of the next draws by name, the next one last.
    forced: Vec<String>,
}

/// A forced value that a draw cannot give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BadForce {
    /// The value.
    pub forced: String,
    /// What could have been drawn.
    pub candidates: Vec<String>,
}

impl Dice {
    /// Dice of this seed and stream.
    pub fn new(seed: [u8; 32], stream: u64) -> Self {
        Self {
            seed,
            stream,
            drawn: 0,
            forced: Vec::new(),
        }
    }

    /// Scripts the next draws, first one first.
    pub fn force(&mut self, results: Vec<String>) {
        self.forced = results;
        self.forced.reverse();
    }

    /// Forced results that no draw has used yet.
    pub fn left_over(&self) -> &[String] {
        &self.forced
    }

    /// A number from 0 to `n - 1`. `name` tells the name of each, for forced draws. A draw with
    /// one candidate uses no die (G26).
    ///
    /// # Errors
    /// A forced value that is none of the candidates.
    pub fn draw(&mut self, n: usize, name: impl Fn(usize) -> String) -> Result<usize, BadForce> {
        if n <= 1 {
            return Ok(0);
        }
        if let Some(forced) = self.forced.pop() {
            self.drawn += 1;
            return (0..n).find(|i| name(*i) == forced).ok_or_else(|| BadForce {
                forced,
                candidates: (0..n).map(name).collect(),
            });
        }
        Ok(self.place(n))
    }

    /// A random place among `n`; 0 where there are none. Never forced.
    pub fn place(&mut self, n: usize) -> usize {
        self.generator().random_range(0..n.max(1))
    }

    /// A random part of a span: 0 or more and less than it. Never forced.
    pub fn part_of(&mut self, span: i64) -> i64 {
        self.generator().random_range(0..span.max(1))
    }

    /// Puts the items in random order. Never forced.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.place(i + 1);
            items.swap(i, j);
        }
    }

    /// A generator of its own for each draw: the state that must be stored is one number.
    fn generator(&mut self) -> impl Rng {
        let mut rng = ChaCha8Rng::from_seed(self.seed);
        rng.set_stream(self.stream);
        rng.set_word_pos(u128::from(self.drawn) * 16);
        self.drawn += 1;
        rng
    }
}
