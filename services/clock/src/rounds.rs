//! Which deadlines to ring now: no game twice at once, none so often that it is a nuisance, and
//! no slow queue in the way of the others.

use std::collections::{HashMap, HashSet};

use protocol::Shard;
use rules::Time;
use store::{AggregateKey, Deadline, DueDeadline};

/// A deadline that stays in the store is rung again after this long, in milliseconds.
const AGAIN_MS: i64 = 60_000;

/// How many games of one shard are rung at once: a queue whose consumer hangs must not take the
/// places of the other fifteen.
const PER_SHARD: usize = 16;

/// How many deadlines are looked at, beyond those that are known.
const BATCH: usize = 256;

/// One game's deadlines that are to be rung now, earliest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ring {
    /// Whose.
    pub(crate) aggregate: AggregateKey,
    /// Which.
    pub(crate) strokes: Vec<Stroke>,
}

/// One deadline to ring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stroke {
    /// The deadline.
    pub(crate) deadline: Deadline,
    /// How many minutes it is overdue: rings within one minute are the same ring.
    pub(crate) minute: i64,
    /// Is this the first time that this clock rings it?
    pub(crate) first: bool,
}

/// What a look at the store leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// What to ring.
    pub(crate) rings: Vec<Ring>,
    /// When the earliest deadline comes that is not due yet.
    pub(crate) next: Option<Time>,
    /// Are there more deadlines behind those that were looked at?
    pub(crate) more: bool,
}

/// What is being rung, and what was rung and is still in the store.
#[derive(Debug, Default)]
pub(crate) struct Rounds {
    ringing: HashMap<AggregateKey, Vec<(Mark, i64)>>,
    rung: HashMap<Mark, i64>,
    /// Due, but behind others of their shard.
    waiting: usize,
}

/// One deadline at one instant: when it is put off it is another one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Mark {
    aggregate: AggregateKey,
    name: String,
    at: Time,
}

impl Rounds {
    /// How many deadlines to ask the store for, so that those that are known do not hide others.
    pub(crate) fn limit(&self) -> usize {
        let ringing: usize = self.ringing.values().map(Vec::len).sum();
        self.rung.len() + ringing + self.waiting + BATCH
    }

    /// Plans a round. `due` is what the store has, earliest first; `all`: it is all there is.
    /// What is planned counts as ringing until [`Self::settle`].
    pub(crate) fn plan(&mut self, due: &[DueDeadline], now: Time, all: bool) -> Plan {
        if all {
            let there: HashSet<Mark> = due.iter().map(Mark::of).collect();
            self.rung.retain(|name, _| there.contains(name));
        }
        let mut busy: HashMap<Shard, usize> = HashMap::new();
        for aggregate in self.ringing.keys() {
            *busy.entry(aggregate.shard()).or_default() += 1;
        }

        let mut rings: Vec<Ring> = Vec::new();
        let mut places: HashMap<&AggregateKey, usize> = HashMap::new();
        let mut waiting = 0;
        for deadline in due.iter().take_while(|due| due.deadline.at <= now) {
            let aggregate = &deadline.aggregate;
            if self.ringing.contains_key(aggregate) {
                continue;
            }
            let overdue = now.0.saturating_sub(deadline.deadline.at.0);
            let minute = overdue.div_euclid(AGAIN_MS);
            let before = self.rung.get(&Mark::of(deadline));
            if before.is_some_and(|before| minute <= *before) {
                continue;
            }
            let stroke = Stroke {
                deadline: deadline.deadline.clone(),
                minute,
                first: before.is_none(),
            };
            if let Some(place) = places.get(aggregate) {
                rings[*place].strokes.push(stroke);
                continue;
            }
            let busy = busy.entry(aggregate.shard()).or_default();
            if *busy >= PER_SHARD {
                waiting += 1;
                continue;
            }
            *busy += 1;
            places.insert(aggregate, rings.len());
            rings.push(Ring {
                aggregate: aggregate.clone(),
                strokes: vec![stroke],
            });
        }

        for ring in &rings {
            let names = ring.strokes.iter().map(|stroke| {
                let Deadline { name, at } = stroke.deadline.clone();
                (
                    Mark {
                        aggregate: ring.aggregate.clone(),
                        name,
                        at,
                    },
                    stroke.minute,
                )
            });
            self.ringing.insert(ring.aggregate.clone(), names.collect());
        }
        self.waiting = waiting;
        let next = due.iter().map(|due| due.deadline.at).find(|at| *at > now);
        Plan {
            rings,
            next,
            more: !all && next.is_none(),
        }
    }

    /// A game's ring is over. One that the bus has not taken is rung anew.
    pub(crate) fn settle(&mut self, aggregate: &AggregateKey, taken: bool) {
        let rung = self.ringing.remove(aggregate).unwrap_or_default();
        if taken {
            self.rung.extend(rung);
        }
    }
}

impl Mark {
    fn of(due: &DueDeadline) -> Self {
        let Deadline { name, at } = due.deadline.clone();
        Self {
            aggregate: due.aggregate.clone(),
            name,
            at,
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Service;

    use super::*;

    fn game(n: usize) -> AggregateKey {
        AggregateKey {
            service: Service::Night,
            key: format!("90000-{n}"),
        }
    }

    fn due(n: usize, name: &str, at: i64) -> DueDeadline {
        let deadline = Deadline {
            name: name.to_owned(),
            at: Time(at),
        };
        DueDeadline {
            aggregate: game(n),
            deadline,
        }
    }

    fn names(plan: &Plan) -> Vec<(String, Vec<&str>)> {
        let ring = |ring: &'_ Ring| ring.aggregate.key.clone();
        plan.rings
            .iter()
            .map(|r| {
                (
                    ring(r),
                    r.strokes.iter().map(|s| s.deadline.name.as_str()).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn what_is_due_is_rung_game_by_game() {
        let mut rounds = Rounds::default();
        let all = [
            due(1, "close", 10),
            due(2, "close", 20),
            due(1, "window", 20),
            due(3, "x", 21),
        ];
        let plan = rounds.plan(&all, Time(20), true);
        let expected = [
            ("90000-1".to_owned(), vec!["close", "window"]),
            ("90000-2".to_owned(), vec!["close"]),
        ];
        assert_eq!(names(&plan), expected);
        assert_eq!(plan.next, Some(Time(21)));
        assert!(!plan.more);
    }

    #[test]
    fn a_game_is_not_rung_twice_at_once() {
        let mut rounds = Rounds::default();
        let all = [due(1, "a", 10), due(1, "b", 15)];
        assert_eq!(rounds.plan(&all[..1], Time(10), true).rings.len(), 1);
        assert_eq!(rounds.plan(&all, Time(15), true).rings, []);
        rounds.settle(&game(1), true);
        let plan = rounds.plan(&all[1..], Time(15), true);
        assert_eq!(names(&plan), [("90000-1".to_owned(), vec!["b"])]);
    }

    #[test]
    fn what_stays_is_rung_again_every_minute() {
        let mut rounds = Rounds::default();
        let all = [due(1, "a", 0)];
        let mut minutes = Vec::new();
        for now in (0..200_000).step_by(1000) {
            for ring in rounds.plan(&all, Time(now), true).rings {
                rounds.settle(&ring.aggregate, true);
                minutes.extend(
                    ring.strokes
                        .iter()
                        .map(|stroke| (now, stroke.minute, stroke.first)),
                );
            }
        }
        let expected = [
            (0, 0, true),
            (60_000, 1, false),
            (120_000, 2, false),
            (180_000, 3, false),
        ];
        assert_eq!(minutes, expected);
    }

    #[test]
    fn a_deadline_that_is_put_off_is_another_one() {
        let mut rounds = Rounds::default();
        assert_eq!(rounds.plan(&[due(1, "a", 0)], Time(0), true).rings.len(), 1);
        rounds.settle(&game(1), true);
        let plan = rounds.plan(&[due(1, "a", 5)], Time(5), true);
        assert!(plan.rings[0].strokes[0].first);
        assert_eq!(rounds.rung.len(), 0, "the old one is forgotten");
    }

    #[test]
    fn what_the_bus_did_not_take_is_rung_anew() {
        let mut rounds = Rounds::default();
        let all = [due(1, "a", 0)];
        let first = rounds.plan(&all, Time(0), true);
        rounds.settle(&game(1), false);
        assert_eq!(rounds.plan(&all, Time(0), true), first);
    }

    #[test]
    fn a_stuck_shard_leaves_the_others_their_places() {
        let stuck = game(1).shard();
        let in_shard = |wanted: bool| {
            (1..)
                .map(game)
                .filter(move |g| (g.shard() == stuck) == wanted)
                .map(|aggregate| {
                    let deadline = Deadline {
                        name: "a".to_owned(),
                        at: Time(0),
                    };
                    DueDeadline {
                        aggregate,
                        deadline,
                    }
                })
        };
        let mut all: Vec<_> = in_shard(true).take(3 * BATCH).collect();
        all.extend(in_shard(false).take(3));
        let mut rounds = Rounds::default();
        let mut rung = 0;
        // The store gives no more than it is asked for.
        let others = loop {
            let limit = rounds.limit();
            let seen = &all[..limit.min(all.len())];
            let plan = rounds.plan(seen, Time(0), seen.len() < limit);
            let others = plan
                .rings
                .iter()
                .filter(|ring| ring.aggregate.shard() != stuck)
                .count();
            rung += plan.rings.len();
            if !plan.more {
                break others;
            }
        };
        assert_eq!(others, 3);
        assert_eq!(rung, 3 + PER_SHARD);
    }
}
