//! What one seat may know of itself (我), and what everybody may know of the seats (电梯).

use protocol::Phrase;
use rules::{Offer, SeatId};
use serde_json::{Value, json};

use crate::frame::Frame;
use crate::table::Table;

/// `我`: own card, states, then one line for each open skill, `技能｜剩余｜可选｜截止`. Scripts read
/// that form. Made only of what the seat may know.
pub(crate) fn of_seat(table: &Table, seat: SeatId) -> Phrase {
    let board = table.game.board();
    let Some(me) = table.game.seat(seat) else {
        return Phrase::plain("answer/no-seat");
    };
    let role = board.role_def(me.role);
    let skills: Vec<Value> = table
        .game
        .offers(seat)
        .iter()
        .map(|offer| skill_line(table, offer))
        .collect();
    let args = json!({
        "number": seat.number(), "alias": table.alias(seat), "role": role.name,
        "faction": board.factions[table.game.known_faction(seat).index()].name, "out": me.knows_out,
        "states": known_states(table, seat), "skills": skills,
    });
    Phrase::new("answer/status", args)
}

fn skill_line(table: &Table, offer: &Offer) -> Value {
    let def = table.game.board().skill_def(offer.held.skill);
    let range = offer.range.map(|range| table.names(range.iter()));
    json!({"skill": def.name, "left": offer.left, "range": range, "until": offer.until})
}

/// States that the seat was told of: its badge, its cards, and what the board tells.
fn known_states(table: &Table, seat: SeatId) -> Vec<&str> {
    let board = table.game.board();
    let badge = board.sheriff.as_ref().map(|sheriff| sheriff.state);
    board
        .states
        .iter()
        .zip(0..)
        .map(|(def, id)| (def, rules::StateId(id)))
        .filter(|(def, id)| {
            let shown = def.card.is_some() || badge == Some(*id);
            (shown && table.game.has_state(seat, *id)) || table.game.was_told_of(seat, *id)
        })
        .map(|(def, _)| def.name.as_str())
        .collect()
}

/// `电梯`: the seats in order and who is in play, as far as it has been published.
pub(crate) fn elevator(table: &Table, frame: &Frame) -> Phrase {
    let standing = table.game.publicly_in_play();
    let seats: Vec<Value> = table
        .game
        .all()
        .map(|seat| {
            json!({"number": seat.number(), "alias": table.alias(seat), "out": !standing.has(seat)})
        })
        .collect();
    let args = json!({"name": frame.name, "seats": seats, "standing": standing.len()});
    Phrase::new("answer/elevator", args)
}
