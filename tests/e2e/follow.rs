//! One line of chat can be followed through the logs of all services under one name.

use std::collections::BTreeSet;

use serde_json::Value;

use cluster::Plan;

use crate::cluster_site::ClusterSite;
use crate::game::Table;
use crate::site::{Site, wait_for};

/// What the operator's manual says to set.
const DEBUG: (&str, &str) = ("RUST_LOG", "info,duskgate=debug");

/// A line of the log.
struct Logged {
    service: String,
    says: String,
    trace: String,
}

/// As `jq` would read it: fields of the line itself, then of what it belongs to.
fn read(line: &str) -> Option<Logged> {
    let json = line.find('{').map(|at| &line[at..])?;
    let line: Value = serde_json::from_str(json).ok()?;
    let field = |name: &str| {
        let found = line["fields"].get(name).or_else(|| line["span"].get(name));
        found.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    Some(Logged {
        service: field("service"),
        says: field("message"),
        trace: field("trace"),
    })
}

/// Which services say what about the line of chat with this number.
fn way_of(site: &Site, post: i64) -> BTreeSet<(String, String)> {
    let log = site.log();
    let lines: Vec<Logged> = log.lines().filter_map(read).collect();
    let part = format!("/{post}/");
    let ours = |trace: &str| trace.starts_with("chat/") && format!("{trace}/").contains(&part);
    let about = lines.into_iter().filter(|line| ours(&line.trace));
    about.map(|line| (line.service, line.says)).collect()
}

fn follow(site: Site) {
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.deal("开局 m158 日历=manual");
    table.order("开始");
    let seer = table.the("预言家");
    let name = table.alias(table.the("猎人"));
    // On to the first vote.
    let mut steps = 0;
    while !table.square.has_read(&table.site, "警长竞选") {
        table.order_in_private("下一步");
        steps += 1;
        assert!(steps < 12, "no vote is opened");
        let read = table.director.chats(&table.site).len();
        wait_for("an answer to the order", || {
            let chats = table.director.chats(&table.site);
            (chats.len() > read || table.square.has_read(&table.site, "警长竞选")).then_some(())
        });
    }
    let post = table.vote(seer, &name);
    table.reads(seer, &[&name]);
    let expected = [
        ("ingest", "handled"),
        ("ingest", "handing over"),
        ("tally", "handled"),
        ("tally", "handing over"),
        ("publish", "handled"),
        ("publish", "handing over"),
        ("ingest", "sending"),
        ("ingest", "sent"),
    ];
    wait_for("the whole way of the vote in the log", || {
        let way = way_of(&table.site, post);
        let there = expected
            .iter()
            .all(|(service, says)| way.contains(&((*service).to_owned(), (*says).to_owned())));
        there.then_some(())
    });
    let log = table.site.log();
    let told = log.lines().find(|line| {
        line.contains(r#""level":"INFO""#) && (line.contains(&name) || line.contains("投票"))
    });
    assert!(told.is_none(), "told to everybody who reads logs: {told:?}");
}

#[test]
fn a_vote_can_be_followed_through_the_log() {
    follow(Site::start_with(&["log.format=json"], &[DEBUG]));
}

#[test]
fn a_vote_can_be_followed_through_the_logs_of_a_cluster() {
    let (name, value) = DEBUG;
    let plan = Plan {
        variables: vec![(name.to_owned(), value.to_owned())],
        ..ClusterSite::plan(&["log.format=json"])
    };
    follow(Site::on(ClusterSite::start(plan)));
}
