//! Each kind of notice depends on the facts it declares, and on nothing else: where these are
//! the same in two games, the same readers read the same.

use std::collections::BTreeMap;

use rules::{Audience, Notice};
use sim::{Habits, Limits, Rng, record};

use super::facts::{declares, value};
use super::pair::Pair;
use super::side::Event;

/// How many pairs of games are played.
const PAIRS: u64 = 600;

/// How many notices must have been compared between games that differed, on each board.
const LEAST: usize = 30_000;

/// Kinds of notices that must have been among them on m158.
const M158: &[&str] = &[
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

/// The same on foxcurse.
const FOXCURSE: &[&str] = &[
    "acquaint/answer",
    "card/turned",
    "check/answer",
    "couple/partner",
    "door/list",
    "face-down/cards",
    "group/joined",
    "group/mates",
    "insight/answer",
    "out/you",
    "shot/public",
    "shot/tonight",
    "state/laid",
    "team/chose",
    "vote/result",
];

/// The same on treasure.
const TREASURE: &[&str] = &[
    "barrier/broken",
    "barrier/stands",
    "barter/counts",
    "bond/possessed",
    "check/answer",
    "counsel/list",
    "enemy/out",
    "enemy/reward",
    "faction/turned",
    "guess/answer",
    "hand-over/heirs",
    "inherit/got",
    "inherit/uses",
    "marks/got",
    "mates/list",
    "pipe/list",
    "platform/held",
    "platform/list",
    "spare/list",
    "state/laid",
    "trial/answer",
    "will/card",
];

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
fn notices_of_m158_depend_on_what_they_declare() {
    notices_depend_on_what_they_declare("m158", M158);
}

#[test]
fn notices_of_treasure_depend_on_what_they_declare() {
    notices_depend_on_what_they_declare("treasure", TREASURE);
}

#[test]
fn notices_of_foxcurse_depend_on_what_they_declare() {
    notices_depend_on_what_they_declare("foxcurse", FOXCURSE);
}

fn notices_depend_on_what_they_declare(board: &str, kinds: &[&str]) {
    let board = boards::find(board).expect("the board is built in");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in 0..crate::games(PAIRS) {
        let calendar = ["slow", "slow", "quick", "manual"][(seed % 4) as usize];
        let habits = if seed % 2 == 0 {
            Habits::LIVELY
        } else {
            Habits::PLAYERS
        };
        let tape = record(&board, calendar, seed, habits, Limits::default());
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
    for kind in kinds {
        assert!(counts.contains_key(*kind), "{kind} was never compared");
    }
}
