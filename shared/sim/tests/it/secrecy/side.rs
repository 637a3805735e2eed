//! One game of a pair, and what each seat sees of it.

use rules::{Act, Audience, Game, Input, Notice, SeatId, Setup, Stamp, Time};

/// Something that a seat sees: what it does itself, what the director does, what it is told.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    /// An act of its own or the director's, and whether it was taken.
    Act(Act, bool),
    /// A notice that it can read.
    Told(Notice),
}

/// One input and what came of it, for the tests of notices.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) act: Act,
    pub(crate) taken: bool,
    pub(crate) before: Game,
    pub(crate) after: Game,
    pub(crate) notices: Vec<Notice>,
}

/// A game that keeps its own time and remembers what each seat has seen since it was last asked.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) game: Game,
    seen: Vec<Vec<(Time, Seen)>>,
    events: Vec<Event>,
    /// Are events kept, with copies of the game?
    keeps_events: bool,
}

impl Side {
    pub(crate) fn new(setup: Setup, keeps_events: bool) -> Self {
        let (game, dealt) = Game::new(setup);
        let mut side = Self {
            seen: vec![Vec::new(); game.world().seats.len()],
            game,
            events: Vec::new(),
            keeps_events,
        };
        side.tell(sim::START, &dealt);
        if keeps_events {
            side.events.push(Event {
                act: Act::Director(rules::Order::Start),
                taken: true,
                before: side.game.clone(),
                after: side.game.clone(),
                notices: dealt,
            });
        }
        side
    }

    /// Deadlines that are due before this input come first, then the input (`None`: only time
    /// passes).
    pub(crate) fn play(&mut self, now: Time, stamp: Stamp, act: Option<&Act>) {
        while let Some((turn, at)) = self.game.deadline().filter(|(_, at)| *at <= now) {
            self.apply(at, stamp, &Act::Clock { turn });
        }
        if let Some(act) = act.filter(|a| !matches!(a, Act::Clock { .. })) {
            self.apply(now, stamp, act);
        }
    }

    fn apply(&mut self, now: Time, stamp: Stamp, act: &Act) {
        let before = self.keeps_events.then(|| self.game.clone());
        let input = Input {
            now,
            stamp,
            act: act.clone(),
        };
        let answer = self.game.apply(&input);
        let seen = Seen::Act(act.clone(), answer.is_ok());
        match sender(act) {
            Sender::Seat(seat) => {
                if let Some(of) = self.seen.get_mut(seat.index()) {
                    of.push((now, seen));
                }
            }
            Sender::Director => {
                for of in &mut self.seen {
                    of.push((now, seen.clone()));
                }
            }
            Sender::Nobody => {}
        }
        let taken = answer.is_ok();
        let notices = answer.unwrap_or_default();
        self.tell(now, &notices);
        if let Some(before) = before {
            self.events.push(Event {
                act: act.clone(),
                taken,
                before,
                after: self.game.clone(),
                notices,
            });
        }
    }

    fn tell(&mut self, now: Time, notices: &[Notice]) {
        for notice in notices {
            for seat in self.game.all() {
                if reads(&self.game, notice, seat) {
                    self.seen[seat.index()].push((now, Seen::Told(notice.clone())));
                }
            }
        }
    }

    /// What a seat has seen since this was last asked.
    pub(crate) fn news(&mut self, seat: SeatId) -> Vec<(Time, Seen)> {
        std::mem::take(&mut self.seen[seat.index()])
    }

    /// What has happened since this was last asked.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

/// Can the seat read it?
pub(crate) fn reads(game: &Game, notice: &Notice, seat: SeatId) -> bool {
    match notice.to {
        Audience::Seat(to) => to == seat,
        Audience::Group(group) => game.group_members(group).has(seat),
        Audience::Public => true,
        Audience::Director => false,
    }
}

enum Sender {
    Seat(SeatId),
    Director,
    /// The clock, the tally: what comes of it is told.
    Nobody,
}

fn sender(act: &Act) -> Sender {
    match act {
        Act::Use { seat, .. }
        | Act::Decline { seat, .. }
        | Act::LastWords { seat, .. }
        | Act::Candidacy { seat, .. }
        | Act::Surrender { seat }
        | Act::AgreeSurrender { seat } => Sender::Seat(*seat),
        Act::Director(_) => Sender::Director,
        Act::Clock { .. } | Act::BookClosed { .. } | Act::Petition { .. } => Sender::Nobody,
    }
}
