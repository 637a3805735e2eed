//! Pairs of games that differ in hidden things.

use rules::{Act, SeatId, SeatSet, Setup, Word};
use sim::{Rng, Tape};

use super::side::Side;

/// What is different in the second game.
#[derive(Debug, Clone)]
pub(crate) enum Twist {
    /// Two seats have each other's card, and whoever has a card does what its owner did.
    Cards(SeatId, SeatId),
    /// The private message at this place names another target.
    Target(usize, SeatId),
    /// The private message at this place is not sent.
    Dropped(usize),
    /// The dice fall otherwise.
    Dice(u8),
}

/// A recorded game, and the same with twists.
#[derive(Debug)]
pub(crate) struct Pair<'a> {
    tape: &'a Tape,
    twists: Vec<Twist>,
    pub(crate) one: Side,
    pub(crate) other: Side,
    place: usize,
    /// Seats that have seen the same in both so far.
    pub(crate) unaware: SeatSet,
}

impl<'a> Pair<'a> {
    /// A pair with one to three random twists.
    pub(crate) fn random(tape: &'a Tape, rng: &mut Rng, keeps_events: bool) -> Self {
        let twists = (0..=rng.below(3)).filter_map(|_| twist(tape, rng));
        Self::new(tape, twists.collect(), keeps_events)
    }

    pub(crate) fn new(tape: &'a Tape, twists: Vec<Twist>, keeps_events: bool) -> Self {
        let mut setup = Setup {
            ..tape.setup.clone()
        };
        for twist in &twists {
            match twist {
                Twist::Cards(a, b) => setup.seats.swap(a.index(), b.index()),
                Twist::Dice(n) => setup.seed[31] ^= n,
                Twist::Target(..) | Twist::Dropped(_) => {}
            }
        }
        let seats = setup.seats.len();
        let mut pair = Self {
            tape,
            twists,
            one: Side::new(tape.setup.clone(), keeps_events),
            other: Side::new(setup, keeps_events),
            place: 0,
            unaware: SeatSet::first(seats),
        };
        pair.compare();
        pair
    }

    /// Plays the next input in both games; false at the end, or when every seat has seen a
    /// difference.
    pub(crate) fn step(&mut self) -> bool {
        self.goes_on() && !self.unaware.is_empty()
    }

    /// Plays the next input in both games; false at the end.
    pub(crate) fn goes_on(&mut self) -> bool {
        let Some(input) = self.tape.inputs.get(self.place) else {
            return false;
        };
        let twisted = self.twisted(&input.act);
        self.one.play(input.now, input.stamp, Some(&input.act));
        self.other.play(input.now, input.stamp, twisted.as_ref());
        self.place += 1;
        self.compare();
        true
    }

    fn compare(&mut self) {
        for seat in self.one.game.all() {
            if self.one.news(seat) != self.other.news(seat) {
                self.unaware.remove(seat);
            }
        }
    }

    fn twisted(&self, act: &Act) -> Option<Act> {
        let mut act = act.clone();
        for twist in &self.twists {
            match (twist, &mut act) {
                (Twist::Dropped(place), _) if *place == self.place => return None,
                (Twist::Target(place, target), Act::Use { words, .. }) if *place == self.place => {
                    for word in words {
                        if let Word::Seat(seat) = word {
                            *seat = *target;
                        }
                    }
                }
                (Twist::Cards(a, b), Act::Use { seat, .. } | Act::Decline { seat, .. }) => {
                    if seat == a {
                        *seat = *b;
                    } else if seat == b {
                        *seat = *a;
                    }
                }
                _ => {}
            }
        }
        Some(act)
    }

    /// Do the games really differ, beyond what is seen?
    pub(crate) fn differs(&self) -> bool {
        self.one.game.world() != self.other.game.world()
    }

    /// The input that was played last, and the twists, for messages.
    pub(crate) fn describe(&self) -> String {
        let input = self
            .place
            .checked_sub(1)
            .and_then(|i| self.tape.inputs.get(i));
        format!(
            "after input {} ({:?}) in {}, twisted by {:?}",
            self.place,
            input.map(|i| &i.act),
            self.one.game.phase(),
            self.twists
        )
    }

    /// When the input that was played last was sent.
    pub(crate) fn now(&self) -> (rules::Time, rules::Stamp) {
        let input = self
            .place
            .checked_sub(1)
            .and_then(|i| self.tape.inputs.get(i));
        input.map_or((sim::START, rules::Stamp::default()), |i| (i.now, i.stamp))
    }
}

fn twist(tape: &Tape, rng: &mut Rng) -> Option<Twist> {
    let seats = SeatSet::first(tape.setup.seats.len());
    let private: Vec<usize> = (0..tape.inputs.len())
        .filter(|i| matches!(tape.inputs[*i].act, Act::Use { .. } | Act::Decline { .. }))
        .collect();
    Some(match rng.below(8) {
        0..4 => {
            let a = rng.seat(seats)?;
            Twist::Cards(a, rng.seat(seats.without(a))?)
        }
        4 | 5 => Twist::Target(*rng.pick(&private)?, rng.seat(seats)?),
        6 => Twist::Dropped(*rng.pick(&private)?),
        _ => Twist::Dice(1 + rng.small(254)),
    })
}
