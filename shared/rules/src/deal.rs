//! The deal: which card lies at which seat.

use crate::board::Board;
use crate::dice::Dice;
use crate::game::SeatSetup;

/// Deals the board's cards at random from the seed; one setup a seat, in elevator order. The
/// stream is apart from those of the game that is then played with the same seed.
pub fn deal(board: &Board, seed: [u8; 32]) -> Vec<SeatSetup> {
    let mut cards: Vec<SeatSetup> = Vec::with_capacity(board.seat_count());
    for (i, role) in board.roles.iter().enumerate() {
        for _ in 0..role.count {
            cards.push(SeatSetup {
                role: crate::RoleId::at(i),
                faction: None,
            });
        }
    }
    Dice::new(seed, 2).shuffle(&mut cards);
    cards
}
