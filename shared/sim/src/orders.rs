//! A director with a hand in everything.

use rules::board::Colour;
use rules::{FactionId, Game, Order, RoleId, Ruling, SeatId, SeatSet, SkillId, StateId};

use crate::rng::Rng;

/// How often a game can be wound back or a seat brought back: without a bound some games would
/// not end.
const SECOND_CHANCES: u8 = 4;

/// What the director has done so far that must not go on for ever.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orders {
    second_chances: u8,
}

impl Orders {
    /// An order out of the blue; some do not fit and are refused.
    pub(crate) fn some(&mut self, game: &Game, rng: &mut Rng) -> Option<Order> {
        let seat = rng.seat(SeatSet::first(game.world().seats.len()))?;
        Some(match rng.below(40) {
            0 => Order::Next,
            1 => Order::CloseDoor,
            2 => Order::OpenDoor,
            3 | 4 => Order::SpeedUp,
            5 | 6 => Order::Extend(60_000 * rng.part_of(120)),
            7..10 => Order::Pause,
            10 => Order::Announce("请大家文明发言".to_owned()),
            11..15 => {
                self.second_chance()?;
                Order::Rewind
            }
            15..22 => Order::Card {
                seat,
                colour: *rng.pick(&[Colour::Blue, Colour::Blue, Colour::Yellow, Colour::Red])?,
                reason: "贴脸".to_owned(),
            },
            22 if rng.chance(50) => Order::End(
                rng.chance(500)
                    .then(|| FactionId(rng.small(game.board().factions.len()))),
            ),
            22 => Order::Resume,
            23 => Order::Start,
            _ => Order::Rule {
                ruling: self.ruling(game, seat, rng)?,
                reason: "裁定".to_owned(),
            },
        })
    }

    fn ruling(&mut self, game: &Game, seat: SeatId, rng: &mut Rng) -> Option<Ruling> {
        let board = game.board();
        let state = StateId(rng.small(board.states.len()));
        let skill = SkillId(u16::from(rng.small(board.skills.len())));
        let faction = FactionId(rng.small(board.factions.len()));
        Some(match rng.below(12) {
            0 => Ruling::PutOut(seat),
            1 => {
                self.second_chance()?;
                Ruling::BringBack(seat)
            }
            2 => Ruling::Lay(seat, state),
            3 => Ruling::Lift(seat, state),
            4 => Ruling::Give(seat, skill),
            5 => Ruling::Take(seat, skill),
            6 if rng.chance(200) => Ruling::Faction(seat, faction),
            6 | 7 => Ruling::Face(seat, faction, RoleId(rng.small(board.roles.len()))),
            8 => Ruling::Weight(seat, 50 * i32::from(rng.small(8))),
            9 => Ruling::Tell(seat, "请看规则第三条".to_owned()),
            10 => Ruling::ExtendWindow(u32::from(rng.small(30))),
            _ => Ruling::Tell(seat, String::new()),
        })
    }

    fn second_chance(&mut self) -> Option<()> {
        self.second_chances += 1;
        (self.second_chances <= SECOND_CHANCES).then_some(())
    }
}
