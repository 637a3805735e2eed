//! The count: one pure function from ballots and facts to an outcome, with its reckoning.

use serde::{Deserialize, Serialize};

use crate::board::TieBreak;
use crate::ids::{SeatId, SeatSet};

/// What a count looks at besides the ballots.
#[derive(Debug, Clone, Default)]
pub struct CountFacts {
    /// The weight of each seat's ballot, in hundredths of a vote, by seat.
    pub weights: Vec<i32>,
    /// Ballots that weigh nothing: whose, for whom.
    pub void: Vec<(SeatId, SeatId)>,
    /// Added to seats whoever votes, in hundredths of a vote (诽谤, V31).
    pub extra: Vec<(SeatId, i32)>,
    /// Whose ballots decide a tie, and how; the first one that decides counts.
    pub ties: Vec<(SeatId, TieBreak)>,
}

/// How a vote ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// One seat has the most.
    Top(SeatId),
    /// A tie that this seat's ballot decided.
    Decided {
        /// For whom.
        seat: SeatId,
        /// Whose ballot.
        by: SeatId,
    },
    /// A tie: two or more share the highest weight (G8).
    Tie(SeatSet),
    /// Nobody got any weight (G8).
    Nobody,
}

/// A counted vote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Weights by seat, in hundredths, heaviest first, then in seat order; seats without any
    /// are left out.
    pub tally: Vec<(SeatId, i32)>,
    /// The end.
    pub verdict: Verdict,
}

/// Counts ballots: who votes for whom (`None`: 弃权).
pub fn count(ballots: &[(SeatId, Option<SeatId>)], facts: &CountFacts) -> Outcome {
    let mut sums: Vec<(SeatId, i32)> = Vec::new();
    let mut add = |seat: SeatId, weight: i32| {
        if weight <= 0 {
            return;
        }
        match sums.iter_mut().find(|(s, _)| *s == seat) {
            Some((_, sum)) => *sum = sum.saturating_add(weight),
            None => sums.push((seat, weight)),
        }
    };
    for (voter, choice) in ballots {
        if let Some(target) = choice.filter(|target| !facts.void.contains(&(*voter, *target))) {
            add(
                target,
                facts.weights.get(voter.index()).copied().unwrap_or(100),
            );
        }
    }
    for (seat, weight) in &facts.extra {
        add(*seat, *weight);
    }
    sums.sort_by_key(|(seat, sum)| (-sum, *seat));
    let most = sums.first().map_or(0, |(_, sum)| *sum);
    let top: SeatSet = sums
        .iter()
        .filter(|(_, sum)| *sum == most)
        .map(|(s, _)| *s)
        .collect();
    let verdict = match top.len() {
        0 => Verdict::Nobody,
        1 => top.nth(0).map_or(Verdict::Nobody, Verdict::Top),
        _ => decide(ballots, facts, top),
    };
    Outcome {
        tally: sums,
        verdict,
    }
}

fn decide(ballots: &[(SeatId, Option<SeatId>)], facts: &CountFacts, top: SeatSet) -> Verdict {
    let bears = |(_, rule): &&(SeatId, TieBreak)| *rule == TieBreak::Itself;
    if let Some((seat, _)) = facts.ties.iter().find(bears) {
        return Verdict::Decided {
            seat: *seat,
            by: *seat,
        };
    }
    for (by, rule) in &facts.ties {
        let choice = ballots
            .iter()
            .find(|(voter, _)| voter == by)
            .and_then(|(_, c)| *c);
        let Some(seat) = choice else { continue };
        let decides = match rule {
            TieBreak::Nothing | TieBreak::Itself => false,
            TieBreak::Any => true,
            TieBreak::Tied => top.has(seat),
        };
        if decides {
            return Verdict::Decided { seat, by: *by };
        }
    }
    Verdict::Tie(top)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(n: u8) -> SeatId {
        SeatId(n)
    }

    fn check(
        ballots: &[(u8, Option<u8>)],
        facts: &CountFacts,
        tally: &[(u8, i32)],
        verdict: Verdict,
    ) {
        let ballots: Vec<_> = ballots
            .iter()
            .map(|(v, c)| (seat(*v), c.map(seat)))
            .collect();
        let outcome = count(&ballots, facts);
        let expected: Vec<_> = tally.iter().map(|(s, w)| (seat(*s), *w)).collect();
        assert_eq!(outcome.tally, expected);
        assert_eq!(outcome.verdict, verdict);
    }

    #[test]
    fn the_top_goes_out() {
        let facts = CountFacts::default();
        check(
            &[(0, Some(2)), (1, Some(2)), (2, Some(0))],
            &facts,
            &[(2, 200), (0, 100)],
            Verdict::Top(seat(2)),
        );
    }

    #[test]
    fn nobody_when_all_abstain_or_weigh_nothing() {
        check(
            &[(0, None), (1, None)],
            &CountFacts::default(),
            &[],
            Verdict::Nobody,
        );
        let facts = CountFacts {
            weights: vec![0, 100],
            ..CountFacts::default()
        };
        check(&[(0, Some(1))], &facts, &[], Verdict::Nobody);
    }

    #[test]
    fn a_tie_takes_every_top_seat() {
        let tie = Verdict::Tie([seat(0), seat(1)].into_iter().collect());
        check(
            &[(0, Some(1)), (1, Some(0)), (2, None)],
            &CountFacts::default(),
            &[(0, 100), (1, 100)],
            tie,
        );
    }

    #[test]
    fn the_sheriff_decides_a_tie_for_anyone_or_only_among_the_tied() {
        let ballots = [
            (0, Some(1)),
            (1, Some(0)),
            (2, Some(1)),
            (3, Some(0)),
            (4, Some(2)),
        ];
        let any = CountFacts {
            ties: vec![(seat(4), TieBreak::Any)],
            ..CountFacts::default()
        };
        let tally = [(0, 200), (1, 200), (2, 100)];
        check(
            &ballots,
            &any,
            &tally,
            Verdict::Decided {
                seat: seat(2),
                by: seat(4),
            },
        );
        let tied = CountFacts {
            ties: vec![(seat(4), TieBreak::Tied)],
            ..CountFacts::default()
        };
        let tie = Verdict::Tie([seat(0), seat(1)].into_iter().collect());
        check(&ballots, &tied, &tally, tie);
    }

    #[test]
    fn who_bears_a_tie_goes_out_before_any_ballot_decides() {
        let ballots = [(0, Some(1)), (1, Some(0)), (4, Some(2))];
        let facts = CountFacts {
            weights: vec![100, 100, 100, 100, 0],
            ties: vec![(seat(4), TieBreak::Any), (seat(3), TieBreak::Itself)],
            ..CountFacts::default()
        };
        let tally = [(0, 100), (1, 100)];
        let bears = Verdict::Decided {
            seat: seat(3),
            by: seat(3),
        };
        check(&ballots, &facts, &tally, bears);
        check(&[(0, Some(1))], &facts, &[(1, 100)], Verdict::Top(seat(1)));
    }

    #[test]
    fn a_void_ballot_counts_for_nobody_else_either() {
        let facts = CountFacts {
            void: vec![(seat(0), seat(2))],
            ..CountFacts::default()
        };
        let tally = [(1, 100), (2, 100)];
        let tie = Verdict::Tie([seat(1), seat(2)].into_iter().collect());
        check(
            &[(0, Some(2)), (1, Some(2)), (2, Some(1))],
            &facts,
            &tally,
            tie,
        );
    }

    #[test]
    fn extra_votes_count_without_a_ballot() {
        let facts = CountFacts {
            extra: vec![(seat(3), 100)],
            ..CountFacts::default()
        };
        check(&[], &facts, &[(3, 100)], Verdict::Top(seat(3)));
    }
}
