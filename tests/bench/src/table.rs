//! The people of a game, and what they type until they may vote.

use std::time::Duration;

use anyhow::{Context, bail};
use protocol::{ChatGroup, Scene, UserId};

use crate::side::Side;

/// What fourteen people are called.
pub const ALIASES: [&str; 14] = [
    "甲", "乙", "丙", "丁", "戊", "己", "庚", "辛", "壬", "癸", "子", "丑", "寅", "卯",
];
/// So many 下一步 are enough from 开始 to the election.
pub const MOST_STEPS: usize = 10;
/// What the square reads when people may vote.
pub const ELECTION: &str = "警长竞选";

/// The game's people and its square, by their numbers on the platform.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    nth: u64,
}

impl Table {
    /// The nth table; no two have anybody in common.
    pub const fn nth(nth: u64) -> Self {
        Self { nth }
    }

    /// The public group.
    pub fn square(self) -> u64 {
        800_001 + self.nth
    }

    /// Who directs.
    pub fn director(self) -> u64 {
        10_001 + self.nth
    }

    /// Who plays, in the order of [`ALIASES`].
    pub fn players(self) -> impl Iterator<Item = (u64, &'static str)> {
        (1_000_001 + self.nth * 14..).zip(ALIASES)
    }

    /// Opens the game and plays it to the election, which takes votes.
    pub async fn play_to_the_election(self, side: &mut Side) -> anyhow::Result<()> {
        const PAUSE: Duration = Duration::from_millis(150);
        let (square, director) = (self.square(), self.director());
        let scene = Scene::Group(ChatGroup(square));
        side.say(square, director, "开局 m158 日历=manual");
        side.next_in(scene).await.context("开局")?;
        for (player, alias) in self.players() {
            side.say(square, player, &format!("报名 {alias}"));
        }
        side.silence(PAUSE).await;
        // Once for the hint that there are no groups, once for the deal.
        for _ in 0..2 {
            side.whisper(director, "发牌");
            side.next_in(Scene::Private(UserId(director)))
                .await
                .context("发牌")?;
        }
        side.silence(PAUSE).await;
        side.whisper(director, "开始");
        side.silence(PAUSE).await;
        for _ in 0..MOST_STEPS {
            side.whisper(director, "下一步");
            let said = side.silence(PAUSE).await;
            if said
                .iter()
                .any(|said| said.scene == scene && said.text.contains(ELECTION))
            {
                return Ok(());
            }
        }
        bail!("no election after {MOST_STEPS} steps")
    }
}
