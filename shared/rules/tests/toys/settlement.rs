//! Stand-ins, chains, immunities, wards (G9, G17, N17, P4).

use rules::board::{Harm, Harms, SeatCount, StateDef};
use rules::{Order, PhaseKind};

use crate::board::Toy;
use crate::skills::{Cupid, Lay, Shot, Strike, until};

fn stops(harms: &[Harm], times: Option<u8>) -> StateDef {
    StateDef {
        stops: harms.iter().copied().collect::<Harms>(),
        times,
        ..StateDef::default()
    }
}

const DAWN: &[PhaseKind] = &[PhaseKind::Dawn];

/// N17: who stands in goes out with the same cause, whatever protects it.
#[test]
fn a_stand_in_goes_out_with_the_same_cause() {
    let mut toy = Toy::new();
    let ward = toy.state("守护", &stops(&[Harm::Strike], Some(1)));
    let place = toy.state(
        "替死",
        &StateDef {
            stand_in: true,
            ..StateDef::default()
        },
    );
    toy.skill("守护", Lay(ward, Some(until(DAWN))));
    toy.skill("替死", Lay(place, Some(until(DAWN))));
    let knife = toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["守护", "替死", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "守护", &[2]);
    table.sends(2, "替死", &[4]);
    table.sends(3, "刀", &[4]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [2]);
    let cause = table.game.outs()[0].cause;
    assert_eq!((cause.harm, cause.skill), (Harm::Strike, Some(knife)));
}

/// V34: a second hit on a seat whose first one was taken by a stand-in stands.
#[test]
fn a_stand_in_takes_one_hit() {
    let mut toy = Toy::new();
    let place = toy.state(
        "替死",
        &StateDef {
            stand_in: true,
            ..StateDef::default()
        },
    );
    toy.skill("替死", Lay(place, Some(until(DAWN))));
    toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["替死", "刀", "刀", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "替死", &[4]);
    table.sends(2, "刀", &[4]);
    table.sends(3, "刀", &[4]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [1, 4]);
}

/// Grief follows along a chain of couples, and each seat goes out once (G17).
#[test]
fn a_chain_of_lovers_falls() {
    let mut toy = Toy::new();
    let love = toy.state("情侣", &StateDef::default());
    toy.skill_with("连接", Cupid(love), |def| {
        def.windows = [rules::WindowId(0)].into_iter().collect();
        def.seats = SeatCount::exactly(2);
    });
    toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["连接", "连接", "刀", "平民", "平民", "平民"]);
    table.sends(1, "连接", &[4, 5]);
    table.sends(2, "连接", &[5, 6]);
    table.until_window("早夜");
    table.sends(3, "刀", &[6]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [6, 5, 4]);
}

/// P4: asked last, for a hit that would really put the seat out; it stops the vote, not a card.
#[test]
fn an_immunity_is_asked_last_and_spent_once() {
    let all = &[
        Harm::Strike,
        Harm::Pierce,
        Harm::Crit,
        Harm::Fatal,
        Harm::Vote,
    ];
    let mut toy = Toy::new();
    let ward = toy.state("守护", &stops(&[Harm::Strike], Some(1)));
    let immune = toy.state("免疫", &stops(all, Some(1)));
    toy.skill("守护", Lay(ward, Some(until(DAWN))));
    toy.skill("免疫", Lay(immune, None));
    toy.skill("刀", Strike(Harm::Strike));
    let mut table = toy.deal(&["守护", "免疫", "刀", "平民", "平民"]);
    table.until_window("早夜");
    table.sends(1, "守护", &[4]);
    table.sends(2, "免疫", &[4]);
    table.sends(3, "刀", &[4]);
    table.until(PhaseKind::Day);
    assert!(
        table.game.has_state(sim::table::at(4), immune),
        "the ward came first"
    );
    table.close_with(&[(1, 4)]);
    assert_eq!(table.out(), [0; 0]);
    assert!(!table.game.has_state(sim::table::at(4), immune));
    table.until(PhaseKind::Night);
    table.sends(2, "免疫", &[4]);
    table.close();
    table.order(Order::Card {
        seat: sim::table::at(4),
        colour: rules::board::Colour::Red,
        reason: String::new(),
    });
    assert_eq!(table.out(), [4]);
}

/// N3: what pierces passes the ward.
#[test]
fn stronger_harm_passes_weaker_protection() {
    let mut toy = Toy::new();
    let ward = toy.state("守护", &stops(&[Harm::Strike], Some(1)));
    toy.skill("守护", Lay(ward, Some(until(DAWN))));
    toy.skill("穿", Strike(Harm::Pierce));
    let mut table = toy.deal(&["守护", "穿", "平民"]);
    table.until_window("早夜");
    table.sends(1, "守护", &[3]);
    table.sends(2, "穿", &[3]);
    table.until(PhaseKind::Dawn);
    assert_eq!(table.out(), [3]);
}

/// G9: of two wards the one that ends sooner is used, although the other is older.
#[test]
fn the_ward_that_ends_soonest_is_used_first() {
    let mut toy = Toy::new();
    let ward = toy.state("守护", &stops(&[Harm::Strike], Some(1)));
    toy.skill("长护", Lay(ward, Some(until(&[PhaseKind::Night]))));
    toy.skill("短护", Lay(ward, Some(until(DAWN))));
    toy.skill("刀", Strike(Harm::Strike));
    toy.skill("枪", Shot);
    let mut table = toy.deal(&["长护", "短护", "刀", "平民"]);
    table.until_window("早夜");
    table.sends(1, "长护", &[4]);
    table.sends(2, "短护", &[4]);
    table.sends(3, "刀", &[4]);
    table.until(PhaseKind::Dawn);
    let left: Vec<_> = table.game.world().states.iter().map(|r| r.until).collect();
    assert_eq!(left, [Some(until(&[PhaseKind::Night]))]);
}
