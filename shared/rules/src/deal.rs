//! The deal: which card lies at which seat.

use crate::board::Board;
use crate::dice::Dice;
use crate::game::SeatSetup;
use crate::ids::RoleId;

/// Deals the board's cards for so many seats at random from the seed; one setup a seat, in
/// elevator order. What is left over lies face down, as the board allows it (F1). The stream is
/// apart from those of the game that is then played with the same seed.
pub fn deal(board: &Board, seats: usize, seed: [u8; 32]) -> Vec<SeatSetup> {
    let mut dice = Dice::new(seed, 2);
    let mut cards = board.cards(seats);
    dice.shuffle(&mut cards);
    let mut down: Vec<RoleId> = Vec::new();
    for _ in 0..board.deal.face_down {
        let may = |card: &RoleId| board.deal.may_lie_with(board, *card, &down);
        let Some(place) = cards.iter().rposition(may) else {
            break;
        };
        down.push(cards.remove(place));
    }
    let setup = |role| SeatSetup {
        role,
        faction: None,
    };
    cards.into_iter().map(setup).collect()
}
