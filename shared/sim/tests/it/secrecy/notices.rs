//! Each kind of notice depends on the facts it declares, and on nothing else: where these are
//! the same in two games, the same readers read the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use rules::{Audience, Board, Notice};
use sim::{Habits, Limits, Rng, record};

use super::facts::{declares, value};
use super::pair::Pair;
use super::side::Event;

/// How many pairs of games are played.
const PAIRS: u64 = 600;

/// How many notices must have been compared between games that differed.
const LEAST: usize = 30_000;

/// Kinds of notices that must have been among them.
const KINDS: &[&str] = &[
    "check/answer",
    "decoy/bound",
    "door/list",
    "dusk/list",
    "election/result",
    "insight/answer",
    "out/you",
    "prompt/open",
    "prompt/reaction",
    "receipt/used",
    "sheriff/passed",
    "shot/public",
    "skill/lost",
    "survey/answer",
    "team/chose",
    "vote/guarded",
    "vote/result",
    "window/open",
];

fn board() -> Arc<Board> {
    boards::find("m158").expect("m158 is built in")
}

/// The notices of one kind to one audience.
fn of<'a>(event: &'a Event, key: &str, to: Audience) -> Vec<&'a Notice> {
    let notices = event.notices.iter();
    notices.filter(|n| n.key == key && n.to == to).collect()
}

/// Compares what two aligned events told; answers the kinds that could be compared.
fn compare(one: &Event, other: &Event, seed: u64, pair: &Pair) -> Vec<String> {
    let mut kinds: Vec<(&str, Audience)> = Vec::new();
    for notice in one.notices.iter().chain(&other.notices) {
        let kind = (notice.key.as_ref(), notice.to);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut compared = Vec::new();
    for (key, to) in kinds {
        let facts = declares(key).unwrap_or_else(|| panic!("{key} declares nothing"));
        let same = facts
            .iter()
            .all(|fact| value(*fact, one, to) == value(*fact, other, to));
        if !same {
            continue;
        }
        assert_eq!(
            of(one, key, to),
            of(other, key, to),
            "seed {seed}: {key} to {to:?} depends on more than {facts:?}; {:?} was taken: {}, {}; {}",
            one.act,
            one.taken,
            other.taken,
            pair.describe()
        );
        compared.push(key.to_owned());
    }
    compared
}

#[test]
fn notices_depend_on_what_they_declare() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..crate::games(PAIRS) {
        let calendar = ["slow", "slow", "quick", "manual"][(seed % 4) as usize];
        let habits = if seed % 2 == 0 {
            Habits::LIVELY
        } else {
            Habits::PLAYERS
        };
        let tape = record(&board(), calendar, seed, habits, Limits::default());
        let mut pair = Pair::random(&tape, &mut Rng::new(seed), true);
        loop {
            let (ones, others) = (pair.one.events(), pair.other.events());
            for (one, other) in ones.iter().zip(&others) {
                let compared = compare(one, other, seed, &pair);
                if one.before.world() != other.before.world() {
                    for key in compared {
                        *counts.entry(key).or_default() += 1;
                    }
                }
            }
            // Other seats have seen a difference long before the games have nothing in common.
            if ones.len() != others.len() || !pair.goes_on() {
                break;
            }
        }
    }
    println!("{counts:#?}");
    let all: usize = counts.values().sum();
    assert!(all >= LEAST, "only {all} notices");
    for kind in KINDS {
        assert!(counts.contains_key(*kind), "{kind} was never compared");
    }
}
