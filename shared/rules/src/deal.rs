//! The deal: which card lies at which seat, and in which faction.

use crate::board::{Board, Share};
use crate::dice::Dice;
use crate::game::SeatSetup;
use crate::ids::{FactionId, RoleId};

/// How often factions are dealt at random before the cards that a share must have are put in
/// their place first. A board that needs this is a strange one.
const TRIES: usize = 1000;

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
    let faction_of = |role: RoleId| board.role_def(role).faction;
    let mut apart: Vec<SeatSetup> = cards
        .iter()
        .filter(|role| faction_of(**role).is_none())
        .map(|role| SeatSetup {
            role: *role,
            faction: None,
        })
        .collect();
    if !board.deal.shares.is_empty() {
        deal_factions(&board.deal.shares, &mut apart, &mut dice);
    }
    let mut apart = apart.into_iter();
    let setup = |role| {
        let own = SeatSetup {
            role,
            faction: None,
        };
        match faction_of(role) {
            Some(_) => own,
            None => apart.next().unwrap_or(own),
        }
    };
    cards.into_iter().map(setup).collect()
}

/// Deals factions to cards that have none of their own: uniformly among the deals in which every
/// share has what it must have (R7).
fn deal_factions(shares: &[Share], cards: &mut [SeatSetup], dice: &mut Dice) {
    let mut factions: Vec<FactionId> = shares
        .iter()
        .flat_map(|share| (0..share.seats).map(|_| share.faction))
        .collect();
    for _ in 0..TRIES {
        dice.shuffle(&mut factions);
        for (card, faction) in cards.iter_mut().zip(&factions) {
            card.faction = Some(*faction);
        }
        if shares.iter().all(|share| has_its_least(share, cards)) {
            return;
        }
    }
    put_least_first(shares, cards, dice);
}

fn has_its_least(share: &Share, cards: &[SeatSetup]) -> bool {
    share.least.iter().all(|(role, least)| {
        let of = |card: &&SeatSetup| card.role == *role && card.faction == Some(share.faction);
        cards.iter().filter(of).count() >= usize::from(*least)
    })
}

/// Every share takes what it must have, then the rest is dealt at random.
fn put_least_first(shares: &[Share], cards: &mut [SeatSetup], dice: &mut Dice) {
    for card in cards.iter_mut() {
        card.faction = None;
    }
    let mut rest: Vec<FactionId> = Vec::new();
    for share in shares {
        let mut left = usize::from(share.seats);
        for (role, least) in &share.least {
            let free = |card: &&mut SeatSetup| card.role == *role && card.faction.is_none();
            for card in cards.iter_mut().filter(free).take(usize::from(*least)) {
                card.faction = Some(share.faction);
                left = left.saturating_sub(1);
            }
        }
        rest.extend(std::iter::repeat_n(share.faction, left));
    }
    dice.shuffle(&mut rest);
    let free = cards.iter_mut().filter(|card| card.faction.is_none());
    for (card, faction) in free.zip(rest) {
        card.faction = Some(faction);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: FactionId = FactionId(0);
    const BLACK: FactionId = FactionId(1);
    const WOLF: RoleId = RoleId(0);

    fn share(faction: FactionId, seats: u8, wolves: u8) -> Share {
        Share {
            faction,
            seats,
            least: vec![(WOLF, wolves)],
        }
    }

    fn cards(wolves: usize, others: usize) -> Vec<SeatSetup> {
        let card = |role| SeatSetup {
            role,
            faction: None,
        };
        let mut cards = vec![card(WOLF); wolves];
        cards.extend(vec![card(RoleId(1)); others]);
        cards
    }

    fn check(shares: &[Share], cards: &[SeatSetup]) {
        for share in shares {
            let of = |card: &&SeatSetup| card.faction == Some(share.faction);
            let seats = cards.iter().filter(of).count();
            assert_eq!(seats, usize::from(share.seats));
            assert!(has_its_least(share, cards));
        }
    }

    #[test]
    fn every_share_has_its_seats_and_its_least() {
        let shares = [share(RED, 3, 1), share(BLACK, 3, 1)];
        let mut split = [0; 3];
        for seed in 0..60 {
            let mut cards = cards(3, 3);
            deal_factions(&shares, &mut cards, &mut Dice::new([seed; 32], 2));
            check(&shares, &cards);
            let red = |card: &&SeatSetup| card.role == WOLF && card.faction == Some(RED);
            split[cards.iter().filter(red).count()] += 1;
        }
        // One or two of the three wolves are red, as often as each other.
        assert!(split[0] == 0 && split[1] > 15 && split[2] > 15, "{split:?}");
    }

    #[test]
    fn a_deal_that_chance_would_hardly_find_is_dealt() {
        let shares = [share(RED, 20, 20), share(BLACK, 40, 0)];
        let mut cards = cards(20, 40);
        deal_factions(&shares, &mut cards, &mut Dice::new([7; 32], 2));
        check(&shares, &cards);
    }
}
