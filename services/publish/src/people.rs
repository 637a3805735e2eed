//! Who is who, as the roster says.

use protocol::{Roster, RosterState, UserId};
use rules::SeatId;

/// Who plays this seat.
pub fn user_of(roster: &Roster, seat: SeatId) -> Option<UserId> {
    roster.seats.iter().find(|s| s.seat == seat).map(|s| s.user)
}

/// Is this person one of the game's: in a seat, signed up or directing?
pub fn takes_part(roster: &Roster, user: UserId) -> bool {
    roster.directors.contains(&user) || roster.seats.iter().any(|s| s.user == user)
}

/// How a director is told who is meant.
pub fn name_of(roster: &Roster, user: UserId) -> String {
    let seat = roster.seats.iter().find(|s| s.user == user);
    match seat {
        Some(seat) if roster.state == RosterState::Lobby => format!("{}（{user}）", seat.alias),
        Some(seat) => format!("{}号 {}（{user}）", seat.seat, seat.alias),
        None if roster.directors.contains(&user) => format!("导演（{user}）"),
        None => user.to_string(),
    }
}
