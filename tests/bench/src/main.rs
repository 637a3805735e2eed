//! `make bench`: each figure beside its floor, and the ratio of both.
//!
//! It prints and judges nothing: the exit code is always 0. Without arguments everything is
//! measured; with some of `engine`, `vote`, `game`, `process`, `cluster` only those.

mod cluster;
mod counting;
mod game;
mod paper;
mod process;
mod report;
mod side;
mod site;
mod stored;
mod table;
mod vote;

use report::Report;

type Section = fn(&mut Report) -> anyhow::Result<()>;

const SECTIONS: [(&str, Section); 5] = [
    ("engine", |report| {
        engine(report);
        Ok(())
    }),
    ("vote", vote::measure),
    ("game", game::measure),
    ("process", process::measure),
    ("cluster", cluster::measure),
];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let mut report = Report::begin();
    for (name, section) in SECTIONS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        if let Err(error) = section(&mut report) {
            report.failed(name, &error);
        }
    }
    report.end();
}

/// The rules alone, in one thread.
fn engine(report: &mut Report) {
    Report::section("engine (m158, one thread, medians of several runs)");
    sim::bench::figures(|figure| report.show(figure));
}
