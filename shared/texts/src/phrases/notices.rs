//! Notices to phrases: one rule for each kind of value.

use protocol::Phrase;
use rules::{Arg, FactionId, Notice, RoleId, Word};
use serde_json::{Map, Value, json};

use super::names::{self, Names};

/// The phrase of a notice: the template `notice/<key>` (a `/` in the key becomes `-`) filled
/// with the notice's values in words.
pub fn phrase(notice: &Notice, names: &Names) -> Phrase {
    let mut args = Map::new();
    for (name, arg) in &notice.args {
        args.insert(name.to_string(), value(arg, names));
    }
    Phrase {
        key: format!("notice/{}", notice.key.replace('/', "-")),
        args: Value::Object(args),
    }
}

/// Hundredths of a vote as votes.
fn votes(hundredths: i32) -> f64 {
    f64::from(hundredths) / 100.0
}

/// A word as its sender could have typed it.
fn word(word: &Word, names: &Names) -> String {
    match word {
        Word::Seat(seat) => names.seat(*seat),
        Word::Role(id) => names.role(*id).to_owned(),
        Word::Skill(id) => names.skill(*id).to_owned(),
        Word::Faction(id) => names.faction(*id).to_owned(),
        Word::Number(number) => number.to_string(),
        Word::Text(text) => text.clone(),
    }
}

fn value(arg: &Arg, names: &Names) -> Value {
    let role = |id: &RoleId| names.role(*id);
    let faction = |id: &FactionId| names.faction(*id);
    match arg {
        Arg::Seat(seat) => json!(names.seat(*seat)),
        Arg::Seats(seats) => json!(names.seats(*seats)),
        Arg::Order(seats) => seats.iter().map(|s| json!(names.seat(*s))).collect(),
        Arg::Factions(seats) => seats
            .iter()
            .map(|(s, f)| json!({"seat": names.seat(*s), "faction": faction(f)}))
            .collect(),
        Arg::Cards(cards) => cards
            .iter()
            .map(|(s, r, f)| {
                json!({
                    "number": s.number(), "seat": names.seat(*s),
                    "role": role(r), "faction": faction(f),
                })
            })
            .collect(),
        Arg::Ballots(ballots) => ballots
            .iter()
            .map(|(v, t)| json!({"voter": names.seat(*v), "target": t.map(|t| names.seat(t))}))
            .collect(),
        Arg::Tally(tally) => tally
            .iter()
            .map(|(s, w)| json!({"seat": names.seat(*s), "votes": votes(*w)}))
            .collect(),
        Arg::Role(id) => json!(role(id)),
        Arg::Roles(ids) => ids.iter().map(|r| json!(role(r))).collect(),
        Arg::Faction(id) => json!(faction(id)),
        Arg::FactionList(ids) => ids.iter().map(|f| json!(faction(f))).collect(),
        Arg::Class(id) => json!(id.map(|c| names.class(c))),
        Arg::Skill(id) => json!(names.skill(*id)),
        Arg::Skills(ids) => ids.iter().map(|s| json!(names.skill(*s))).collect(),
        Arg::Words(words) => words.iter().map(|w| json!(word(w, names))).collect(),
        Arg::Counts(counts) => counts
            .iter()
            .map(|(f, n)| json!({"faction": faction(f), "seats": n}))
            .collect(),
        Arg::Uses(uses) => uses
            .iter()
            .map(|(night, skill, seats)| {
                json!({
                    "night": night, "skill": names.skill(*skill), "seats": names.seats(*seats),
                })
            })
            .collect(),
        Arg::State(id) => json!(names.state(*id)),
        Arg::Group(id) => json!(names.group(*id)),
        Arg::Phase(phase) => json!({
            "kind": phase.kind.word(), "name": names::phase(phase.kind), "number": phase.number,
        }),
        Arg::Window(id) => json!({"name": names.window(*id), "kind": names.window_kind(*id)}),
        Arg::Colour(colour) => json!(names::colour(*colour)),
        Arg::Number(number) => json!(number),
        Arg::Flag(flag) => json!(flag),
        Arg::Time(time) => json!(time.map(|t| t.0)),
        Arg::Text(text) => json!(text),
    }
}
