//! Faults that random play has found, each as the smallest game that shows it.

use std::sync::Arc;

use rules::{Board, Order};
use sim::Table;

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
