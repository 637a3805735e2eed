//! Legality is decided by what the sender may know, and again by the facts (engine.md, Intents).

use rules::board::{Harm, StateDef, Told, Usage};
use rules::{PhaseKind, Refusal};

use crate::board::{LATE, Toy};
use crate::skills::{Lay, Strike, until};

fn hidden_silence(usage: Usage) -> sim::Table {
    let mut toy = Toy::new();
    let silenced = toy.state(
        "沉默",
        &StateDef {
            silences: true,
            ..StateDef::default()
        },
    );
    toy.skill("冰冻", Lay(silenced, Some(until(&[PhaseKind::Dawn]))));
    toy.skill_with("刀", Strike(Harm::Strike), |def| {
        def.windows = [LATE].into_iter().collect();
        def.usage = usage;
    });
    let mut table = toy.deal(&["冰冻", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "冰冻", &[2]);
    table.close();
    table
}

/// A silence that nobody was told of refuses nothing: the message is taken and fails silently.
#[test]
fn a_hidden_silence_does_not_show_when_a_skill_is_sent() {
    let mut table = hidden_silence(Usage::Sent);
    assert_eq!(table.game.offers(sim::table::at(2)).len(), 1);
    table.sends(2, "刀", &[3]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [0; 0]);
}

#[test]
fn a_hidden_silence_stops_an_immediate_skill_silently() {
    let mut table = hidden_silence(Usage::Immediate);
    table.sends(2, "刀", &[3]);
    assert_eq!(table.out(), [0; 0]);
}

/// One that was told is a reason to refuse.
#[test]
fn a_silence_that_was_told_refuses() {
    let mut toy = Toy::new();
    let silenced = toy.state(
        "沉默",
        &StateDef {
            silences: true,
            told: Told::Always,
            ..StateDef::default()
        },
    );
    toy.skill("冰冻", Lay(silenced, Some(until(&[PhaseKind::Dawn]))));
    let knife = toy.skill_with("刀", Strike(Harm::Strike), |def| {
        def.windows = [LATE].into_iter().collect();
    });
    let mut table = toy.deal(&["冰冻", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "冰冻", &[2]);
    table.close();
    assert_eq!(table.send(2, "刀", &[3]), Err(Refusal::Barred(knife)));
}
