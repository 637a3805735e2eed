//! Many games: who wins how often, and how long they last.

use std::fmt;
use std::sync::Arc;

use rules::{Board, Ending, FactionId, Game};

use crate::player::{Habits, Player};
use crate::setting::setup;
use crate::tape::Limits;

/// What came of many random games on a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The board's name.
    pub board: String,
    /// How many games were played.
    pub games: u32,
    /// Wins of each faction of the board, by name. A shared win counts for each.
    pub wins: Vec<(String, u32)>,
    /// Games that nobody won.
    pub draws: u32,
    /// Games that did not end within the limits.
    pub stuck: u32,
    /// Games by the day on which they ended: `lengths[n]` ended on day or night `n`.
    pub lengths: Vec<u32>,
}

/// Plays games with random legal choices on the board's first calendar, with these seeds
/// following on `seed`. Shares of random play say little about shares of real play; they show
/// whether every faction can win and how long a game can last.
pub fn simulate(board: &Arc<Board>, games: u32, seed: u64) -> Summary {
    let calendar = board.calendars.first().map_or("manual", |c| &c.name);
    let limits = Limits::default();
    let mut summary = Summary {
        board: board.name.clone(),
        games,
        wins: board.factions.iter().map(|f| (f.name.clone(), 0)).collect(),
        draws: 0,
        stuck: 0,
        lengths: Vec::new(),
    };
    for n in 0..games {
        let seed = seed.wrapping_add(u64::from(n));
        let (mut game, _) = Game::new(setup(board, calendar, seed));
        let mut player = Player::new(seed, Habits::PLAYERS);
        for _ in 0..limits.inputs {
            let Some(input) = player.next(&game) else {
                break;
            };
            if game.number() > limits.days {
                break;
            }
            let _ = game.apply(&input);
        }
        summary.count(&game);
    }
    summary
}

impl Summary {
    fn count(&mut self, game: &Game) {
        match game.ending() {
            Some(Ending::Won { factions, .. }) => {
                for FactionId(id) in factions {
                    if let Some((_, wins)) = self.wins.get_mut(usize::from(*id)) {
                        *wins += 1;
                    }
                }
            }
            Some(Ending::Draw | Ending::Stopped) => self.draws += 1,
            None => {
                self.stuck += 1;
                return;
            }
        }
        let day = usize::from(game.number());
        if self.lengths.len() <= day {
            self.lengths.resize(day + 1, 0);
        }
        self.lengths[day] += 1;
    }

    fn share(&self, part: u32) -> f64 {
        100.0 * f64::from(part) / f64::from(self.games.max(1))
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}，随机推演 {} 局", self.board, self.games)?;
        for (faction, wins) in &self.wins {
            writeln!(f, "{faction}：{wins} 胜（{:.1}%）", self.share(*wins))?;
        }
        if self.draws > 0 {
            writeln!(f, "平局：{}（{:.1}%）", self.draws, self.share(self.draws))?;
        }
        if self.stuck > 0 {
            writeln!(f, "没有打完：{}", self.stuck)?;
        }
        write!(f, "结束于")?;
        for (day, games) in self.lengths.iter().enumerate().filter(|(_, n)| **n > 0) {
            write!(f, " 第{day}天{games}局")?;
        }
        writeln!(f)
    }
}
