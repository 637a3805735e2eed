//! Inputs that nobody should send: any seat, skill, word, turn, book or order at any time.

use rules::board::Colour;
use rules::book::{Ballot, Choice, ClosedBook};
use rules::{
    Act, FactionId, Game, Input, Order, RoleId, Ruling, SeatId, SeatSet, SkillId, Stamp, StateId,
    Time, Turn, Word,
};

use crate::rng::Rng;

/// An input out of nowhere. Half of the numbers fit the game, so that some are taken.
pub fn input(game: &Game, rng: &mut Rng) -> Input {
    let near = game.deadline().map_or(0, |(_, at)| at.0);
    let now = match rng.below(12) {
        0 => rng.number().cast_signed(),
        1 => i64::MAX,
        2 => i64::MIN,
        3 => 0,
        _ => near.saturating_add(rng.part_of(7_200_000) - 3_600_000),
    };
    Input {
        now: Time(now),
        stamp: Stamp {
            secs: if rng.chance(100) {
                rng.number().cast_signed()
            } else {
                now / 1000
            },
            seq: u64::from(rng.small(3)),
            arrival: rng.number() >> 54,
            scene: u64::from(rng.small(2)),
        },
        act: act(game, rng),
    }
}

/// What is done, whenever.
pub fn act(game: &Game, rng: &mut Rng) -> Act {
    let seat = seat(game, rng);
    match rng.below(16) {
        0..5 => Act::Use {
            seat,
            skill: skill(game, rng),
            words: (0..rng.below(4)).map(|_| word(game, rng)).collect(),
        },
        5 => Act::Decline {
            seat,
            skill: rng.chance(500).then(|| skill(game, rng)),
        },
        6 => Act::LastWords {
            seat,
            text: text(rng),
        },
        7 => Act::Surrender { seat },
        8 => Act::AgreeSurrender { seat },
        9 | 10 => Act::Clock {
            turn: turn(game, rng),
        },
        11 => Act::BookClosed {
            thread: turn(game, rng),
            book: book(game, rng),
        },
        12 => Act::Petition {
            thread: turn(game, rng),
            faster: rng.chance(500),
        },
        _ => Act::Director(order(game, rng)),
    }
}

fn fits(len: usize, rng: &mut Rng) -> u64 {
    if rng.chance(850) {
        rng.number() % (len as u64).max(1)
    } else {
        rng.number() >> rng.below(64)
    }
}

fn byte(len: usize, rng: &mut Rng) -> u8 {
    u8::try_from(fits(len, rng) & 0xff).unwrap_or(u8::MAX)
}

fn seat(game: &Game, rng: &mut Rng) -> SeatId {
    SeatId(byte(game.world().seats.len(), rng))
}

fn skill(game: &Game, rng: &mut Rng) -> SkillId {
    let n = fits(game.board().skills.len(), rng) & 0xffff;
    SkillId(u16::try_from(n).unwrap_or(u16::MAX))
}

fn faction(game: &Game, rng: &mut Rng) -> FactionId {
    FactionId(byte(game.board().factions.len(), rng))
}

fn role(game: &Game, rng: &mut Rng) -> RoleId {
    RoleId(byte(game.board().roles.len(), rng))
}

fn state(game: &Game, rng: &mut Rng) -> StateId {
    StateId(byte(game.board().states.len(), rng))
}

fn turn(game: &Game, rng: &mut Rng) -> Turn {
    match rng.below(8) {
        0 => Turn(rng.word()),
        1 => Turn(game.turn().0.wrapping_sub(1)),
        2 => game.awaits_book().unwrap_or_default(),
        _ => game.turn(),
    }
}

fn text(rng: &mut Rng) -> String {
    ["", " ", "后会有期", "\u{0}🏳", "{{ seat }}"][rng.below(5)].to_owned()
}

fn word(game: &Game, rng: &mut Rng) -> Word {
    match rng.below(10) {
        0 => Word::Role(role(game, rng)),
        1 | 2 => Word::Skill(skill(game, rng)),
        3 => Word::Faction(faction(game, rng)),
        4 => Word::Number(rng.word()),
        5 => Word::Text(text(rng)),
        _ => Word::Seat(seat(game, rng)),
    }
}

fn book(game: &Game, rng: &mut Rng) -> ClosedBook {
    let ballots = (0..rng.below(20)).map(|_| Ballot {
        voter: seat(game, rng),
        choice: if rng.chance(200) {
            Choice::Abstain
        } else {
            Choice::Seat(seat(game, rng))
        },
        at: Stamp::default(),
        changes: 0,
    });
    ClosedBook {
        ballots: ballots.collect(),
        void: SeatSet::EMPTY,
        posts: (0..rng.below(20))
            .map(|_| (seat(game, rng), u16::from(rng.small(30))))
            .collect(),
    }
}

fn order(game: &Game, rng: &mut Rng) -> Order {
    let seat = seat(game, rng);
    match rng.below(24) {
        0 | 1 => Order::Start,
        2..5 => Order::Next,
        5 => Order::CloseDoor,
        6 => Order::OpenDoor,
        7 => Order::SpeedUp,
        8 => Order::Extend(fits(3_600_000, rng).cast_signed()),
        9 => Order::Pause,
        10 | 11 => Order::Resume,
        12 => Order::Card {
            seat,
            colour: [Colour::Blue, Colour::Yellow, Colour::Red][rng.below(3)],
            reason: text(rng),
        },
        13 => Order::Announce(text(rng)),
        14 => Order::Rewind,
        15 if rng.chance(20) => Order::End(rng.chance(500).then(|| faction(game, rng))),
        _ => Order::Rule {
            ruling: ruling(game, seat, rng),
            reason: text(rng),
        },
    }
}

fn ruling(game: &Game, seat: SeatId, rng: &mut Rng) -> Ruling {
    match rng.below(11) {
        0 => Ruling::PutOut(seat),
        1 => Ruling::BringBack(seat),
        2 => Ruling::Lay(seat, state(game, rng)),
        3 => Ruling::Lift(seat, state(game, rng)),
        4 => Ruling::Give(seat, skill(game, rng)),
        5 => Ruling::Take(seat, skill(game, rng)),
        6 => Ruling::Faction(seat, faction(game, rng)),
        7 => Ruling::Face(seat, faction(game, rng), role(game, rng)),
        8 => Ruling::Weight(seat, rng.word().cast_signed()),
        9 => Ruling::Tell(seat, text(rng)),
        _ => Ruling::ExtendWindow(rng.word()),
    }
}
