//! Whether a seat's messages are taken, what refuses them, and what it can ask are functions of
//! what it may know, the time and the director's acts.

use rules::SeatId;
use sim::{Habits, Limits, Rng, record};

use super::pair::Pair;
use super::probe::answers;

/// How many pairs of games are played.
const PAIRS: u64 = 600;

/// How many times a seat must have been asked in two games that differ without its knowing.
const LEAST: usize = 4000;

/// How many different seats of different pairs must have been asked.
const LEAST_BUCKETS: usize = 2000;

/// Asks a seat everything in both games.
fn ask(pair: &Pair, seat: SeatId, seed: u64) {
    let (now, stamp) = pair.now();
    let one = answers(&pair.one.game, seat, now, stamp);
    let other = answers(&pair.other.game, seat, now, stamp);
    for ((question, a), (_, b)) in one.iter().zip(&other) {
        assert_eq!(
            a,
            b,
            "seed {seed}: seat {seat} can tell by {question:?} {}",
            pair.describe()
        );
    }
}

#[test]
fn answers_of_m158_depend_on_what_the_seat_may_know() {
    answers_depend_on_what_the_seat_may_know("m158");
}

#[test]
fn answers_of_treasure_depend_on_what_the_seat_may_know() {
    answers_depend_on_what_the_seat_may_know("treasure");
}

#[test]
fn answers_of_foxcurse_depend_on_what_the_seat_may_know() {
    answers_depend_on_what_the_seat_may_know("foxcurse");
}

#[test]
fn answers_of_redblack_depend_on_what_the_seat_may_know() {
    answers_depend_on_what_the_seat_may_know("redblack");
}

fn answers_depend_on_what_the_seat_may_know(board: &str) {
    let board = boards::find(board).expect("the board is built in");
    let (mut asked, mut buckets) = (0, 0);
    for seed in 0..crate::games(PAIRS) {
        let calendar = ["slow", "slow", "quick", "manual"][(seed % 4) as usize];
        let habits = if seed % 3 == 0 {
            Habits::LIVELY
        } else {
            Habits::PLAYERS
        };
        let tape = record(&board, calendar, seed, habits, Limits::default());
        let mut rng = Rng::new(seed);
        let mut pair = Pair::random(&tape, &mut rng, false);
        let mut bucket = rules::SeatSet::EMPTY;
        while pair.step() {
            if !rng.chance(150) || !pair.differs() {
                continue;
            }
            let mut unaware = pair.unaware;
            for _ in 0..2 {
                let Some(seat) = rng.seat(unaware) else { break };
                unaware.remove(seat);
                ask(&pair, seat, seed);
                bucket.insert(seat);
                asked += 1;
            }
        }
        buckets += bucket.len();
    }
    println!("asked {asked} times, {buckets} seats that did not know of a difference");
    assert!(asked >= LEAST, "only {asked} times");
    assert!(buckets >= LEAST_BUCKETS, "only {buckets} seats");
}
