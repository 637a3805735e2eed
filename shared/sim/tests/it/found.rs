//! Faults that random play has found, each as the smallest game that shows it.

use std::sync::Arc;

use rules::board::Colour;
use rules::{Board, Order, PhaseKind, Ruling};
use sim::Table;
use sim::table::at;

fn m158() -> Arc<Board> {
    boards::find("m158").expect("m158 is built in")
}

/// The board's own deal, in the order of its roles: 预言家 1, 荣光骑士 2, 猎人 3, 守墓人 4,
/// 村民 5 to 8, 黑狼王 9, 恶魔 10, 狼人 11, 女巫 12, 图腾萨满 13, 侍僧 14.
fn table(calendar: &str) -> Table {
    let board = m158();
    let roles: Vec<&str> = board
        .roles
        .iter()
        .flat_map(|r| std::iter::repeat_n(r.name.as_str(), usize::from(r.count)))
        .collect();
    Table::open(&board, calendar, &roles)
}

#[test]
fn a_pause_without_a_deadline_survives_a_restart() {
    let mut table = table("manual");
    table.order(Order::Pause);
    table.reload();
    assert!(table.game.paused());
    table.order(Order::Resume);
}

fn red_card(seat: u8) -> Order {
    Order::Card {
        seat: at(seat),
        colour: Colour::Red,
        reason: "贴脸".to_owned(),
    }
}

fn rule(ruling: Ruling) -> Order {
    let reason = "裁定".to_owned();
    Order::Rule { ruling, reason }
}

/// G19: a red card ends the right to react, so nobody is asked who has one.
#[test]
fn a_sent_off_seat_is_not_asked_for_a_reaction() {
    let mut table = table("slow");
    table.until_window("入夜");
    table.sends(9, "杀人", &[5]);
    table.until_window("女巫");
    table.sends(12, "毒药", &[6]);
    table.until_window("竞选");
    table.order(red_card(6));
    table.close_with(&[(1, 5)]);
    assert_eq!(table.game.offers(at(5)).len(), 2);
    table.sends(5, "殉职", &[6]);
    assert_eq!(table.game.offers(at(6)), []);
    assert_eq!(table.game.world().reactions, []);
    let badge = table.state("警长");
    assert_eq!(table.game.holder_of(badge), None);
}

/// Two shots are two reactions: each is used once.
#[test]
fn a_seat_with_the_same_reaction_twice_uses_each_once() {
    let mut table = table("slow");
    table.until(PhaseKind::Day);
    let shot = table.skill("最后一枪");
    table.order(rule(Ruling::Give(at(3), shot)));
    table.close_with(&[(1, 3)]);
    table.sends(3, "最后一枪", &[5]);
    table.sends(3, "最后一枪", &[6]);
    table.send(3, "最后一枪", &[7]).expect_err("both are spent");
    assert_eq!(table.out(), [3, 5, 6]);
}
