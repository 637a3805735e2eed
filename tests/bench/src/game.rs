//! What a whole game writes: bots play one through the real services.

use std::time::{Duration, Instant};

use anyhow::Context;
use protocol::Service;
use serde_json::{Value, json};

use crate::counting::Step;
use crate::report::{Report, median};
use crate::site::Site;

/// How many times as fast as on the wall.
const SPEED: &str = "20";
/// How long the bots have.
const PATIENCE: Duration = Duration::from_secs(180);
/// The game's dice and the bots' whims.
const SEED: u64 = 7;

/// Measures it.
pub fn measure(report: &mut Report) -> anyhow::Result<()> {
    Report::section("what a commit appends (a whole game that bots play through all services)");
    let steps = tokio::runtime::Runtime::new()?.block_on(play())?;
    let of = |service| -> Vec<Step> {
        let steps = steps.iter().filter(|step| step.service == service);
        steps.cloned().collect()
    };
    let night = of(Service::Night);
    let label = format!("median of night's {} commits", night.len());
    report.at_most(&label, bytes(&night), "bytes", 2048.0);
    for service in [Service::Ingest, Service::Tally, Service::Publish] {
        let steps = of(service);
        let label = format!("median of {service}'s {} commits", steps.len());
        report.plain(&label, bytes(&steps), "bytes");
    }
    let snapshots: Vec<usize> = night.iter().filter_map(|step| step.snapshot).collect();
    let label = format!("median of night's {} snapshots, beside it", snapshots.len());
    report.plain(&label, float(median(&snapshots)), "bytes");
    Report::note("journal entry, messages, deadlines and names; snapshots are counted apart");
    Ok(())
}

fn bytes(steps: &[Step]) -> f64 {
    let all: Vec<usize> = steps.iter().map(|step| step.appended).collect();
    float(median(&all))
}

#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn float(count: usize) -> f64 {
    count as f64
}

async fn play() -> anyhow::Result<Vec<Step>> {
    let site = Site::start(&[("clock.speed", SPEED)], None).await?;
    let url = format!("http://{}/playground/api/table", site.address);
    let game = tokio::task::spawn_blocking(move || watch(&url));
    game.await?.context("the bots' game")?;
    let steps = site.store.take();
    site.stop().await?;
    Ok(steps)
}

/// Lays a table for bots and waits for the end of their game.
fn watch(url: &str) -> anyhow::Result<()> {
    let wanted = json!({"part": "watch", "pace": "rush", "seed": SEED});
    let answer = ureq::post(url).send_json(&wanted)?;
    let cookie = answer.headers().get("set-cookie");
    let cookie = cookie.context("no table was given")?.to_str()?;
    let cookie = cookie.split(';').next().unwrap_or_default().to_owned();
    let began = Instant::now();
    loop {
        let mut answer = ureq::get(url).header("cookie", &cookie).call()?;
        let shown: Value = serde_json::from_str(&answer.body_mut().read_to_string()?)?;
        if shown["table"]["over"] == true {
            return Ok(());
        }
        anyhow::ensure!(began.elapsed() < PATIENCE, "it has no end: {shown}");
        std::thread::sleep(Duration::from_millis(200));
    }
}
