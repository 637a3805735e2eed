//! What only the director reads: the whole game (状态) and the last reckoning (结算).

use protocol::Phrase;
use rules::count::{Outcome, Verdict};
use rules::game::{HitEnd, Reckoned};
use rules::{SeatId, SkillId};
use serde_json::{Value, json};

use crate::frame::Frame;
use crate::table::Table;

/// The whole game.
pub(crate) fn whole(table: &Table, frame: &Frame) -> Phrase {
    let game = &table.game;
    let board = game.board();
    let phase = game.phase();
    let seats: Vec<Value> = game.all().map(|seat| seat_line(table, seat)).collect();
    let sent: Vec<Value> = game
        .world()
        .intents
        .iter()
        .map(|intent| {
            json!({
                "seat": table.alias(intent.seat), "skill": board.skill_def(intent.skill).name,
                "targets": table.names(intent.targets.iter().copied()),
            })
        })
        .collect();
    let owed: Vec<Value> = game
        .obligations()
        .iter()
        .map(|owed| {
            let skill = &board.skill_def(owed.skill).name;
            json!({"seat": table.alias(owed.seat), "skill": skill})
        })
        .collect();
    let args = json!({
        "name": frame.name, "game": frame.game.number, "board": board.name,
        "calendar": frame.calendar,
        "phase": phase.kind.word(), "number": phase.number,
        "window": game.window().map(|window| board.windows[window.index()].name.as_str()),
        "until": game.window_ends(), "paused": game.paused(), "over": game.ending().is_some(),
        "vote_open": game.thread().is_some(), "waiting": table.seating.waiting.is_some(),
        "held": table.seating.held.as_ref().map(Vec::len),
        "seats": seats, "sent": sent, "owed": owed,
    });
    Phrase::new("director/state", args)
}

fn seat_line(table: &Table, seat: SeatId) -> Value {
    let game = &table.game;
    let board = game.board();
    let Some(me) = game.seat(seat) else {
        return Value::Null;
    };
    let states: Vec<&str> = game
        .world()
        .states
        .iter()
        .filter(|record| record.seat == seat)
        .map(|record| board.state_def(record.state).name.as_str())
        .collect();
    json!({
        "number": seat.number(), "alias": table.alias(seat),
        "user": table.seating.holders.get(seat.index()).map(|holder| holder.user.0),
        "role": board.role_def(me.role).name, "faction": board.factions[me.faction.index()].name,
        "out": me.out.is_some(), "states": states,
        "unreachable": table.seating.holders.get(seat.index()).is_some_and(|h| h.unreachable),
    })
}

/// What the last settlement reckoned, line by line.
pub(crate) fn reckoning(table: &Table) -> Phrase {
    let lines: Vec<Value> = table
        .game
        .reckoning()
        .iter()
        .map(|item| reckoned(table, item))
        .collect();
    Phrase::new("director/reckoning", json!({"lines": lines}))
}

fn reckoned(table: &Table, item: &Reckoned) -> Value {
    let skill_name = |skill: &SkillId| table.game.board().skill_def(*skill).name.clone();
    match item {
        Reckoned::Used {
            seat,
            skill,
            targets,
            finals,
        } => json!({
            "kind": "used", "seat": table.alias(*seat), "skill": skill_name(skill),
            "targets": table.names(targets.iter().copied()),
            "finals": table.names(finals.iter().copied()), "redirected": targets != finals,
        }),
        Reckoned::Hit { hit, end } => json!({
            "kind": "hit", "target": table.alias(hit.target),
            "by": hit.by.map(|by| table.alias(by)), "skill": hit.skill.as_ref().map(skill_name),
            "end": hit_end(table, *end),
        }),
        Reckoned::Vote(outcome) => vote(table, outcome),
    }
}

fn hit_end(table: &Table, end: HitEnd) -> Value {
    match end {
        HitEnd::Out => json!({"how": "out"}),
        HitEnd::AlreadyOut => json!({"how": "already-out"}),
        HitEnd::Stopped(state) => {
            json!({"how": "stopped", "by": table.game.board().state_def(state).name})
        }
        HitEnd::StoodIn(seat) => json!({"how": "stood-in", "by": table.alias(seat)}),
        HitEnd::Waits(seat) => json!({"how": "waits", "by": table.alias(seat)}),
    }
}

fn vote(table: &Table, outcome: &Outcome) -> Value {
    let tally: Vec<Value> = outcome
        .tally
        .iter()
        .map(|(seat, weight)| {
            json!({"seat": table.alias(*seat), "votes": f64::from(*weight) / 100.0})
        })
        .collect();
    let verdict = match outcome.verdict {
        Verdict::Top(seat) => json!({"how": "top", "seats": [table.alias(seat)]}),
        Verdict::Decided { seat, by } => {
            json!({"how": "decided", "seats": [table.alias(seat)], "by": table.alias(by)})
        }
        Verdict::Tie(seats) => json!({"how": "tie", "seats": table.names(seats.iter())}),
        Verdict::Nobody => json!({"how": "nobody", "seats": []}),
    };
    json!({"kind": "vote", "tally": tally, "verdict": verdict})
}
