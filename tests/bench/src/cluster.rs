//! The cluster: votes over RabbitMQ and Redis with many games at once, beside what broker and
//! Redis can do by themselves.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::cluster::{Chat, Cluster, Plan, Service as Process, TOKEN};
use anyhow::{Context, ensure};
use bus::{Bus, Outgoing, Settle};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use kit::bench::{Latencies, commit_latency};
use protocol::{AccountId, ChatGroup, Message, MessageId, Scene, Service, Shard, Topic};
use servers::rabbit::VHOST;

use crate::process::build;
use crate::report::{Report, ms};
use crate::side::{Side, Typed};
use crate::table::{ALIASES, ELECTION, MOST_STEPS, Table};

/// The playground's account, which speaks as fast as it can.
const ACCOUNT: AccountId = AccountId(9_000);
/// So many games at once.
const GAMES: u64 = 224;
/// In so many of them votes come one at a time.
const IDLE: u64 = 24;
/// So many votes are under way at a time when all come at once.
const WINDOW: usize = 512;
/// A vote's way to its receipt, as ARCHITECTURE.md tells it: commits one after the other, and
/// messages from service to service.
const COMMITS: f64 = 4.0;
const HOPS: f64 = 3.0;
/// Messages of a vote in all, its outcome included.
const MESSAGES: f64 = 4.0;
/// How often the bare commit and the bare hop are measured.
const RAW: u64 = 1_000;
/// How many messages go through the broker to see how many it bears.
const MANY: usize = 30_000;
/// What is confirmed but not yet consumed, or the other way round, in that.
const UNDER_WAY: usize = 1_024;
/// Silence between votes that come one at a time.
const PAUSE: Duration = Duration::from_millis(10);
/// When nothing has been said for so long, everything has been said.
const SILENCE: Duration = Duration::from_secs(2);

/// Measures it.
pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    Report::section(&format!(
        "the cluster: broker, Redis, one process a service and this load on one machine, {GAMES} games"
    ));
    let binary = build()?;
    tokio::runtime::Runtime::new()?.block_on(run(report, &binary))
}

async fn run(report: &mut Report, binary: &Path) -> anyhow::Result<()> {
    let plan = Plan {
        chat: Chat::Borrowed,
        ..Plan::new(binary)
    };
    let mut cluster = Cluster::start_servers(plan).await?;
    let raw = Raw::measure(&cluster).await?;
    cluster.start_services().await?;
    let ingest = cluster.of(Process::Ingest).next().context("no ingest")?;
    let address = ingest.address();
    let mut side = Side::connect(address, ACCOUNT, TOKEN).await?;
    let tables: Vec<Table> = (0..GAMES).map(Table::nth).collect();
    play_to_the_election(&mut side, &tables).await?;
    let (few, many) = tables.split_at(usize::try_from(IDLE)?);
    let idle = one_at_a_time(&mut side, few).await?;
    let rate = all_at_once(&mut side, many).await?;
    raw.tell(report, &idle, rate);
    cluster.stop().await
}

/// What broker and Redis can do by themselves.
struct Raw {
    hop: Latencies,
    commit: Latencies,
    /// Messages a second, published, confirmed and consumed.
    rate: f64,
}

impl Raw {
    async fn measure(cluster: &Cluster) -> anyhow::Result<Self> {
        let store = store::open(&format!("{}?prefix=raw", cluster.redis.url())).await?;
        let commit = commit_latency(&*store, RAW).await?;
        let bus = bus::open(&cluster.broker.url(VHOST), Path::new("")).await?;
        let hop = hop_latency(&bus).await?;
        let rate = message_rate(&bus).await?;
        Ok(Self { hop, commit, rate })
    }

    fn tell(&self, report: &mut Report, idle: &Latencies, rate: f64) {
        let Self { hop, commit, .. } = self;
        report.plain("a bare hop (publish to consume), p50", ms(hop.p50()), "ms");
        report.plain("a bare commit, p50", ms(commit.p50()), "ms");
        let way = HOPS * ms(hop.p50()) + COMMITS * ms(commit.p50());
        report.plain("a vote's 3 bare hops and 4 bare commits, p50", way, "ms");
        report.at_most("a vote, idle, p50", ms(idle.p50()), "ms", 2.0 * way);
        report.at_most("a vote, idle, p99", ms(idle.p99()), "ms", 10.0 * way);
        report.plain("bare messages, published and consumed", self.rate, "/s");
        let least = 0.3 * self.rate / MESSAGES;
        report.at_least("votes with receipts, all games at once", rate, "/s", least);
        report.plain(
            "  of the bare messages ÷ 4 a vote",
            100.0 * rate * MESSAGES / self.rate,
            "%",
        );
    }
}

fn topic(nth: usize) -> anyhow::Result<Topic> {
    let shard = Shard::all().nth(nth).context("no such shard")?;
    Ok(Topic {
        service: Service::Clock,
        shard,
    })
}

fn message(to: Topic, nth: usize) -> Outgoing {
    Outgoing::first(Message {
        id: MessageId(format!("bench/{nth}")),
        trace: "bench".to_owned(),
        to,
        key: "bench".to_owned(),
        body: "x".repeat(400),
    })
}

/// One message at a time.
async fn hop_latency(bus: &Arc<dyn Bus>) -> anyhow::Result<Latencies> {
    let to = topic(0)?;
    let mut subscription = bus.subscribe(vec![to], 32).await?;
    let mut samples = Vec::new();
    for nth in 0..usize::try_from(RAW)? {
        let began = Instant::now();
        let receipts = bus.publish(vec![message(to, nth)]).await?;
        let delivery = subscription.next().await.context("the bus has ended")?;
        samples.push(began.elapsed());
        subscription.settle(delivery.tag, Settle::Ack).await?;
        for receipt in receipts {
            receipt.await?;
        }
    }
    Ok(Latencies::new(samples))
}

/// Many at a time, over all sixteen queues.
async fn message_rate(bus: &Arc<dyn Bus>) -> anyhow::Result<f64> {
    let topics = (0..16).map(topic).collect::<anyhow::Result<Vec<_>>>()?;
    let mut subscription = bus.subscribe(topics.clone(), 32).await?;
    let (mut sent, mut consumed) = (0, 0);
    let mut receipts = FuturesUnordered::new();
    let began = Instant::now();
    while consumed < MANY || !receipts.is_empty() {
        if sent < MANY && receipts.len() < UNDER_WAY && sent < consumed + UNDER_WAY {
            let batch = (sent..MANY.min(sent + 16)).map(|nth| message(topics[nth % 16], nth));
            let batch: Vec<_> = batch.collect();
            sent += batch.len();
            receipts.extend(bus.publish(batch).await?);
            continue;
        }
        tokio::select! {
            Some(receipt) = receipts.next() => receipt?,
            delivery = subscription.next(), if consumed < MANY => {
                let delivery = delivery.context("the bus has ended")?;
                subscription.settle(delivery.tag, Settle::Ack).await?;
                consumed += 1;
            }
        }
    }
    Ok(per_second(MANY, began.elapsed()))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

/// All tables side by side, step by step.
async fn play_to_the_election(side: &mut Side, tables: &[Table]) -> anyhow::Result<()> {
    for table in tables {
        side.say(table.square(), table.director(), "开局 m158 日历=manual");
    }
    side.silence(SILENCE).await;
    for table in tables {
        for (player, alias) in table.players() {
            side.say(table.square(), player, &format!("报名 {alias}"));
        }
    }
    side.silence(SILENCE).await;
    // Once for the hint that there are no groups, once for the deal.
    for order in ["发牌", "发牌", "开始"] {
        for table in tables {
            side.whisper(table.director(), order);
        }
        side.silence(SILENCE).await;
    }
    let mut waiting: HashSet<u64> = tables.iter().map(|table| table.square()).collect();
    for _ in 0..MOST_STEPS {
        for table in tables.iter().filter(|t| waiting.contains(&t.square())) {
            side.whisper(table.director(), "下一步");
        }
        for said in side.silence(SILENCE).await {
            if let Scene::Group(ChatGroup(square)) = said.scene
                && said.text.contains(ELECTION)
            {
                waiting.remove(&square);
            }
        }
        if waiting.is_empty() {
            return Ok(());
        }
    }
    anyhow::bail!("{} games have not come to their election", waiting.len())
}

/// From each post to its receipt, one after the other.
async fn one_at_a_time(side: &mut Side, tables: &[Table]) -> anyhow::Result<Latencies> {
    let mut samples = Vec::new();
    for table in tables {
        for (seat, (player, _)) in table.players().enumerate() {
            let Typed { sent, .. } = vote(side, *table, seat, player);
            let scene = Scene::Group(ChatGroup(table.square()));
            let receipt = side.next_in(scene).await?;
            ensure!(receipt.text.contains("已记下"), "{}", receipt.text);
            samples.push(receipt.at.duration_since(sent.await?));
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(Latencies::new(samples))
}

fn vote(side: &mut Side, table: Table, seat: usize, player: u64) -> Typed {
    let target = ALIASES[(seat + 1) % ALIASES.len()];
    let text = format!("投票对象：{target}\n投票理由：发言前后对不上");
    side.say(table.square(), player, &text)
}

/// Everybody everywhere votes; receipts a second.
async fn all_at_once(side: &mut Side, tables: &[Table]) -> anyhow::Result<f64> {
    let mut votes = Vec::new();
    for (seat, _) in ALIASES.iter().enumerate() {
        for table in tables {
            let (player, _) = table.players().nth(seat).context("no such seat")?;
            votes.push((*table, seat, player));
        }
    }
    let (mut posted, mut answered) = (0, 0);
    let began = Instant::now();
    while answered < votes.len() {
        while posted < votes.len() && posted < answered + WINDOW {
            let (table, seat, player) = votes[posted];
            vote(side, table, seat, player);
            posted += 1;
        }
        side.until(|said| said.text.contains("已记下")).await?;
        answered += 1;
    }
    Ok(per_second(answered, began.elapsed()))
}
