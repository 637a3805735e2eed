//! A game goes on with the text of the board it began with, whatever becomes of that board.

mod common;

use common::{KEY, Sim, settings};
use kit::Aggregate;
use night::{Env, Night};

#[test]
fn a_game_goes_on_with_the_board_it_began_with() {
    let mut sim = Sim::dealt("m158");
    sim.private(common::DIRECTOR, "开始");
    let bytes = sim.night.save();
    let board = boards::find("m158").expect("m158 is built in");
    let changed = board
        .source
        .replace("每晚查一人的阵营。", "每晚看一人的阵营。");
    let changed = boards::read(&changed).expect("still a board");
    assert_ne!(changed.hash, board.hash);
    for env in [
        Env::new([std::sync::Arc::new(changed)], settings(2)),
        Env::new([], settings(2)),
    ] {
        let mut again = Night::load(&env, KEY, &bytes).expect("the game is loaded");
        assert_eq!(again.save(), bytes);
        let asked = sim.line(common::player(0), protocol::Place::Private, "帮助 预言");
        let input = protocol::ToNight::Line(asked);
        let effects = again.handle(&env, &input);
        let said = format!("{effects:?}");
        assert!(said.contains("每晚查一人的阵营"), "{said}");
    }
}
