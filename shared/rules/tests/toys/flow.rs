//! Rewinds and inserted phases (N15, N16, V11).

use rules::PhaseKind;
use rules::board::{Harm, SeatCount, StateDef, Usage};

use crate::board::Toy;
use crate::skills::{Clock, Lay, Strike, Sun};

fn clock(toy: &mut Toy) {
    toy.skill_with("时光倒流", Clock, |def| {
        def.usage = Usage::Reaction;
        def.windows = rules::phase::WindowSet::default();
        def.seats = SeatCount::exactly(0);
        def.uses = Some(1);
    });
}

/// The night begins again: who went out is back, uses and states are as they were, and only the
/// clock's own use is spent. What came before the rewind is never taken for a repeat.
#[test]
fn a_skill_rewinds_to_the_beginning_of_the_night() {
    let mut toy = Toy::new();
    let mark = toy.state("印记", &StateDef::default());
    clock(&mut toy);
    toy.skill_with("刀", Strike(Harm::Strike), |def| def.uses = Some(1));
    toy.skill("印记", Lay(mark, None));
    let mut table = toy.deal(&["时光倒流", "刀", "印记", "平民"]);
    table.until_window("早夜");
    table.sends(2, "刀", &[1]);
    table.sends(3, "印记", &[4]);
    table.until(PhaseKind::Dawn);
    let before = table.game.turn();
    let told = table.sends(1, "时光倒流", &[]);
    assert!(told.iter().any(|n| n.key == "rewound"));
    assert_eq!(table.game.phase().to_string(), "night 1");
    assert_eq!(table.out(), [0; 0]);
    assert_eq!(table.game.world().states, []);
    assert!(table.game.turn() > before);
    table
        .act(rules::Act::Clock { turn: before })
        .expect_err("that window is gone");
    table.sends(2, "刀", &[1]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [1]);
    table.send(1, "时光倒流", &[]).expect_err("it is spent");
}

/// Two votes in one day, each with its own thread; both are settled at the dusk that follows.
#[test]
fn a_second_vote_is_held_in_one_day() {
    let mut toy = Toy::new();
    toy.skill("太阳", Sun);
    let mut table = toy.deal(&["太阳", "平民", "平民", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "太阳", &[1]);
    table.until(PhaseKind::Day);
    let first = table.game.thread().expect("a thread");
    let again = table.close_with(&[(1, 2)]);
    let second = table.game.thread().expect("another thread");
    assert_eq!((first.day, second.day), (1, 1));
    assert!(second.id > first.id);
    assert!(
        !again.iter().any(|n| n.key == "door/list"),
        "the door has been open all the time"
    );
    assert_eq!(table.out(), [0; 0]);
    let dusk = table.close_with(&[(1, 3)]);
    let results = dusk.iter().filter(|n| n.key == "vote/result").count();
    assert_eq!(results, 2);
    assert_eq!(table.game.phase().to_string(), "dusk 1");
    assert_eq!(table.out(), [2, 3]);
    table.until(PhaseKind::Day);
    assert_eq!(table.game.phase().to_string(), "day 2");
    table.close();
    assert_eq!(table.game.phase().to_string(), "dusk 2");
}
