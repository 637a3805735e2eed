//! What acts within one window, and for whom (G5, G16, V2).

use rules::PhaseKind;
use rules::board::{Harm, StateDef, Told};

use crate::board::{LATE, Toy};
use crate::skills::{Lay, Shadow, Strike, until};

fn silence() -> StateDef {
    StateDef {
        silences: true,
        ..StateDef::default()
    }
}

/// V2: an earlier item of the window silences a later one, whoever sent first.
#[test]
fn an_earlier_item_silences_a_later_one() {
    let mut toy = Toy::new();
    let silenced = toy.state("沉默", &silence());
    toy.skill("先刀", Strike(Harm::Strike));
    toy.skill("冰冻", Lay(silenced, Some(until(&[PhaseKind::Day]))));
    toy.skill("后刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["先刀", "冰冻", "后刀", "冰冻", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "先刀", &[5]);
    table.sends(3, "后刀", &[6]);
    table.sends(2, "冰冻", &[1]);
    table.sends(4, "冰冻", &[3]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [5], "the first knife came before the frost");
}

/// G16: what was sent while one was in play still works when one goes out in the same night.
#[test]
fn two_knives_meet() {
    let mut toy = Toy::new();
    toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["刀", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "刀", &[2]);
    table.sends(2, "刀", &[1]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [2, 1]);
}

/// A skill that is inherited comes as dealt, with all its uses, and can be used at once where
/// its window is still to come.
#[test]
fn an_inherited_skill_comes_as_dealt() {
    let mut toy = Toy::new();
    toy.skill_with("附身", Shadow, |def| {
        def.windows = [rules::WindowId(0)].into_iter().collect();
    });
    toy.skill_with("一刀", Strike(Harm::Strike), |def| def.uses = Some(1));
    toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["附身", "一刀", "刀", "平民", "平民"]);
    table.sends(1, "附身", &[2]);
    table.until_window("早夜");
    table.sends(2, "一刀", &[4]);
    table.sends(3, "刀", &[2]);
    table.until(PhaseKind::Night);
    assert_eq!(table.out(), [4, 2], "the first knife is listed first");
    table.sends(1, "一刀", &[5]);
    table.until(PhaseKind::Night);
    assert_eq!(table.out(), [4, 2, 5]);
    table.send(1, "一刀", &[3]).expect_err("it had one use");
}

/// A state of the early night bars in the late night.
#[test]
fn a_state_lasts_into_the_next_window() {
    let mut toy = Toy::new();
    let silenced = toy.state(
        "沉默",
        &StateDef {
            told: Told::Always,
            ..silence()
        },
    );
    toy.skill("冰冻", Lay(silenced, Some(until(&[PhaseKind::Dawn]))));
    toy.skill_with("刀", Strike(Harm::Strike), |def| {
        def.windows = [LATE].into_iter().collect();
    });
    let mut table = toy.deal(&["冰冻", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "冰冻", &[2]);
    table.close();
    table
        .send(2, "刀", &[3])
        .expect_err("it knows that it is silenced");
}

/// Silence does not touch what is locked (锁定, TP1).
#[test]
fn silence_leaves_a_locked_skill() {
    let mut toy = Toy::new();
    let silenced = toy.state(
        "沉默",
        &StateDef {
            told: Told::Always,
            ..silence()
        },
    );
    toy.skill("冰冻", Lay(silenced, Some(until(&[PhaseKind::Dawn]))));
    toy.skill_with("刀", Strike(Harm::Strike), |def| {
        def.windows = [LATE].into_iter().collect();
        def.locked = true;
    });
    let mut table = toy.deal(&["冰冻", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "冰冻", &[2]);
    table.close();
    table.sends(2, "刀", &[3]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [3]);
}

/// T4: a skill of every second night rests for one, whatever became of it.
#[test]
fn a_skill_of_every_second_night_rests_for_one() {
    let mut toy = Toy::new();
    let skill = toy.skill_with("咬", Strike(Harm::Strike), |def| def.every = 2);
    let mut table = toy.deal(&["咬", "平民", "平民", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "咬", &[2]);
    table.sends(1, "咬", &[3]);
    table.until(PhaseKind::Night);
    assert_eq!(table.out(), [3], "until it acts it can be changed");
    let refused = table.send(1, "咬", &[4]);
    assert_eq!(refused, Err(rules::Refusal::Rests { skill, night: 3 }));
    assert!(table.game.open_skills(sim::table::at(1)).is_empty());
    table.until(PhaseKind::Night);
    table.sends(1, "咬", &[4]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [3, 4]);
}
