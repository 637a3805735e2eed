//! The way of a vote: from the frame that tells of it to the frame that sends its receipt, with
//! everything in one process, one vote at a time.

use std::time::{Duration, Instant};

use anyhow::ensure;
use duskgate::OwnAccount;
use kit::bench::{Latencies, commit_latency, flush_latency};
use kit::config::Secret;
use protocol::{AccountId, ChatGroup, Scene, Service, UserId};
use tempfile::TempDir;

use crate::counting::Step;
use crate::report::{Report, median, ms};
use crate::side::{Side, Typed};
use crate::site::Site;
use crate::table::{ALIASES, Table};

const ACCOUNT: AccountId = AccountId(77);
const TOKEN: &str = "the bench's own side";
/// Each has 28 votes: everybody votes, and changes the vote. Another one has votes after silence.
const GAMES: u64 = 16;
/// How often the bare commit is measured, before the votes and after them.
const COMMITS: u64 = 500;
/// A vote is over when nothing has been committed for so long.
const PAUSE: Duration = Duration::from_millis(15);
/// So long that everything sleeps and all that was put off is done.
const SILENCE: Duration = Duration::from_secs(1);

/// The path as ARCHITECTURE.md tells it: whose commits, and how many of them come before the
/// receipt is sent.
const PATH: [Service; 6] = [
    Service::Ingest,
    Service::Tally,
    Service::Publish,
    Service::Ingest,
    Service::Ingest,
    Service::Publish,
];
const BEFORE_THE_RECEIPT: usize = 4;

/// One vote.
struct Sample {
    sent: Instant,
    receipt: Instant,
    steps: Vec<Step>,
}

impl Sample {
    fn took(&self) -> Duration {
        self.receipt.duration_since(self.sent)
    }

    /// Commits that were on disk when the receipt was sent.
    fn before(&self) -> usize {
        self.steps
            .iter()
            .filter(|s| s.ended <= self.receipt)
            .count()
    }

    /// The time between what is named in [`GAPS`], and that in commits.
    fn gaps(&self) -> Option<[Duration; BEFORE_THE_RECEIPT + 1]> {
        let first = self.steps.get(..BEFORE_THE_RECEIPT)?;
        let begins = first.iter().map(|s| s.began).chain([self.receipt]);
        let ends = [self.sent].into_iter().chain(first.iter().map(|s| s.ended));
        let mut gaps = [Duration::ZERO; BEFORE_THE_RECEIPT + 1];
        for ((gap, begin), end) in gaps.iter_mut().zip(begins).zip(ends) {
            *gap = begin.saturating_duration_since(end);
        }
        Some(gaps)
    }
}

const GAPS: [&str; BEFORE_THE_RECEIPT + 1] = [
    "from the frame to ingest's commit",
    "from there to tally's",
    "from there to publish's",
    "from there to ingest's second",
    "from there to the receipt's frame",
];

/// Measures it.
pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    Report::section("a vote from chat in to receipt out (embedded, one at a time)");
    tokio::runtime::Runtime::new()?.block_on(run(report))
}

async fn run(report: &mut Report) -> anyhow::Result<()> {
    let raw = raw_commits().await?;
    let (samples, after_silence) = votes().await?;
    let raw = raw.and(raw_commits().await?);
    let folder = TempDir::new()?;
    let flush = flush_latency(folder.path(), COMMITS)?;

    let way = Latencies::new(samples.iter().map(Sample::took).collect());
    let rare = Latencies::new(after_silence.iter().map(Sample::took).collect());
    report.plain(
        "4 KB written and flushed to this disk, p50",
        ms(flush.p50()),
        "ms",
    );
    report.plain(
        "a bare commit (1 KB and a message), p50",
        ms(raw.p50()),
        "ms",
    );
    report.plain("a bare commit, p99", ms(raw.p99()), "ms");
    report.plain("a vote, p50", ms(way.p50()), "ms");
    report.plain("a vote, p99", ms(way.p99()), "ms");
    report.plain(
        "a vote after a second of silence, p50",
        ms(rare.p50()),
        "ms",
    );
    let ratio = |vote: Duration, raw: Duration| vote.as_secs_f64() / raw.as_secs_f64();
    report.plain(
        "a vote in bare commits, p50 by p50",
        ratio(way.p50(), raw.p50()),
        "×",
    );
    report.plain(
        "a vote in bare commits, p99 by p99",
        ratio(way.p99(), raw.p99()),
        "×",
    );
    tell_where_time_goes(report, &samples);
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn tell_where_time_goes(report: &mut Report, samples: &[Sample]) {
    let count = |of: fn(&Sample) -> usize| {
        let all: Vec<usize> = samples.iter().map(of).collect();
        median(&all) as f64
    };
    report.plain("commits on the way, in all", count(|s| s.steps.len()), "");
    report.plain(
        "commits on the way, before the receipt",
        count(Sample::before),
        "",
    );
    let hops = |s: &Sample| s.steps.iter().map(|step| step.messages).sum();
    report.plain("messages from service to service, in all", count(hops), "");
    let as_told = samples
        .iter()
        .filter(|s| s.steps.iter().map(|step| step.service).eq(PATH))
        .count();
    Report::note(&format!(
        "{as_told} of {} votes took just the way that ARCHITECTURE.md tells",
        samples.len()
    ));
    let middle = |times: Vec<Duration>| ms(median(&times));
    let of_step = |nth: usize| {
        let steps = samples.iter().filter_map(|s| s.steps.get(nth));
        middle(steps.map(|s| s.ended.duration_since(s.began)).collect())
    };
    let commits: f64 = (0..BEFORE_THE_RECEIPT).map(of_step).sum();
    report.plain("of a vote's p50, the four commits", commits, "ms");
    let gaps: Vec<_> = samples.iter().filter_map(Sample::gaps).collect();
    for (nth, name) in GAPS.iter().enumerate() {
        let gap = middle(gaps.iter().map(|gaps| gaps[nth]).collect());
        report.plain(&format!("  {name}"), gap, "ms");
    }
}

/// How long a commit takes on a store of its own, with nothing around it.
async fn raw_commits() -> anyhow::Result<Latencies> {
    let folder = TempDir::new()?;
    let store = store::open(&format!("file:{}", folder.path().display())).await?;
    Ok(commit_latency(&*store, COMMITS).await?)
}

/// Votes one right after the other, and others with silence before each.
async fn votes() -> anyhow::Result<(Vec<Sample>, Vec<Sample>)> {
    let own = OwnAccount {
        dice: None,
        account: ACCOUNT,
        token: Secret::new(TOKEN),
        directors: (0..=GAMES)
            .map(|n| UserId(Table::nth(n).director()))
            .collect(),
        pool: Vec::new(),
    };
    let at = Site::start(&[("playground.enabled", "off")], Some(own)).await?;
    let mut side = Side::connect(at.address, ACCOUNT, TOKEN).await?;
    let (mut samples, mut after_silence) = (Vec::new(), Vec::new());
    for nth in 0..=GAMES {
        let table = Table::nth(nth);
        table.play_to_the_election(&mut side).await?;
        if nth < GAMES {
            samples.extend(votes_at(&at, &mut side, table, PAUSE).await?);
        } else {
            after_silence.extend(votes_at(&at, &mut side, table, SILENCE).await?);
        }
    }
    drop(side);
    at.stop().await?;
    Ok((samples, after_silence))
}

/// Everybody votes for the next one, then for the one after; each time there is a pause before.
async fn votes_at(
    at: &Site,
    side: &mut Side,
    table: Table,
    pause: Duration,
) -> anyhow::Result<Vec<Sample>> {
    let (mut samples, mut posts) = (Vec::new(), Vec::new());
    for (seat, (player, _)) in table.players().enumerate() {
        let target = ALIASES[(seat + 1) % ALIASES.len()];
        let text = format!("投票对象：{target}\n投票理由：发言前后对不上");
        at.store.quiet(pause).await;
        let post = |side: &mut Side| side.say(table.square(), player, &text);
        let (post, sample) = vote(at, side, table, post).await?;
        posts.push(post);
        samples.push(sample);
    }
    for ((seat, (player, _)), post) in table.players().enumerate().zip(posts) {
        let target = ALIASES[(seat + 2) % ALIASES.len()];
        let text = format!("改票对象：{target}\n改票理由：想明白了");
        at.store.quiet(pause).await;
        let change = |side: &mut Side| side.reply(table.square(), player, post, &text);
        samples.push(vote(at, side, table, change).await?.1);
    }
    Ok(samples)
}

/// One vote, and what came of it; the post's name.
async fn vote(
    at: &Site,
    side: &mut Side,
    table: Table,
    post: impl FnOnce(&mut Side) -> Typed,
) -> anyhow::Result<(i64, Sample)> {
    at.store.take();
    let Typed { id, sent } = post(side);
    let receipt = side
        .next_in(Scene::Group(ChatGroup(table.square())))
        .await?;
    ensure!(
        receipt.text.contains("已记下"),
        "no receipt: {}",
        receipt.text
    );
    at.store.quiet(PAUSE).await;
    let mut steps = at.store.take();
    steps.sort_by_key(|step| step.began);
    let sample = Sample {
        sent: sent.await?,
        receipt: receipt.at,
        steps,
    };
    Ok((id, sample))
}
