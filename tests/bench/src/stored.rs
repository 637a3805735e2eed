//! A store with many running games.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::ensure;
use protocol::{AccountId, ChatGroup, Scene, UserId};
use rules::Time;

use crate::paper::Paper;
use crate::table::{ALIASES, ELECTION, MOST_STEPS, Table};

/// The account whose games they are.
pub const ACCOUNT: AccountId = AccountId(77);

/// Fills the store in this folder with so many games of m158 on the slow calendar, all in their
/// election with everybody's vote in the book.
pub async fn prepare(folder: &Path, games: u64) -> anyhow::Result<()> {
    let mut paper = Paper::new(ACCOUNT, settings());
    let now = now();
    for nth in 0..games {
        play(&mut paper, Table::nth(nth), now)?;
    }
    let store = store::open(&format!("file:{}", folder.display())).await?;
    paper.keep(&*store).await?;
    let due = store.due(Time(i64::MAX), usize::MAX).await?;
    ensure!(
        due.len() >= usize::try_from(games)? && due.iter().all(|due| due.deadline.at > now),
        "not every game has a deadline ahead"
    );
    Ok(())
}

fn settings() -> night::Settings {
    night::Settings {
        zone: jiff::tz::TimeZone::get("Asia/Shanghai").unwrap_or(jiff::tz::TimeZone::UTC),
        ..night::Settings::default()
    }
}

fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Time(i64::try_from(since.unwrap_or_default().as_millis()).unwrap_or_default())
}

fn play(paper: &mut Paper, table: Table, now: Time) -> anyhow::Result<()> {
    let square = Scene::Group(ChatGroup(table.square()));
    let director = table.director();
    let private = Scene::Private(UserId(director));
    paper.types(square, director, "开局 m158 日历=slow", true, now);
    for (player, alias) in table.players() {
        paper.types(square, player, &format!("报名 {alias}"), false, now);
    }
    // Once for the hint that there are no groups, once for the deal.
    for words in ["发牌", "发牌", "开始"] {
        paper.types(private, director, words, true, now);
    }
    let opened = (0..MOST_STEPS).any(|_| {
        let said = paper.types(private, director, "下一步", true, now);
        said.iter()
            .any(|(scene, text)| *scene == square && text.contains(ELECTION))
    });
    ensure!(opened, "no election after {MOST_STEPS} steps");
    for (seat, (player, _)) in table.players().enumerate() {
        let target = ALIASES[(seat + 1) % ALIASES.len()];
        let post = format!("投票对象：{target}\n投票理由：发言前后对不上");
        let said = paper.types(square, player, &post, false, now);
        ensure!(
            said.iter().any(|(_, text)| text.contains(target)),
            "no receipt: {said:?}"
        );
    }
    Ok(())
}
