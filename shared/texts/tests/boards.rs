//! Boards in words.

use texts::Texts;
use texts::phrases::{board_list, rules_post};

#[test]
fn every_built_in_board_has_a_rules_post() {
    let texts = Texts::builtin();
    for board in boards::builtin() {
        let post = rules_post(board, &texts).unwrap_or_else(|e| panic!("{}: {e}", board.id));
        let roles = board
            .roles
            .iter()
            .filter(|role| role.count > 0)
            .map(|r| &r.name);
        let skills = board.skills.iter().map(|skill| &skill.name);
        for name in roles.chain(skills) {
            assert!(
                post.contains(name.as_str()),
                "{}: no {name} in\n{post}",
                board.id
            );
        }
        for win in &board.wins {
            let faction = &board.factions[win.faction.index()].name;
            assert!(
                post.contains(&format!("\n{faction}：")),
                "{}: {faction}",
                board.id
            );
        }
    }
    let list = board_list(boards::builtin().iter().map(AsRef::as_ref), &texts);
    let list = list.expect("the list is written");
    assert_eq!(list.lines().count(), boards::builtin().len(), "{list}");
}

#[test]
fn the_post_says_what_the_board_says() {
    let board = boards::find("redblack").expect("redblack is built in");
    let post = rules_post(&board, &Texts::builtin()).expect("a post");
    for part in [
        "《红黑夜》（redblack，19人）",
        "狼人 5人",
        "红方阵营另发9人，至少2个村民，至少1个狼人",
        "救药（女巫），限1次：",
        "替死（白天，当场生效）：",
        "夜晚 · 入夜：慢局到 22:00，快局 3 分钟",
        "第一天的最高票只公示阵营，不出局。",
        "第2天起投票不公开",
        "平局：（红方阵营的村民全部出局，并且黑方阵营的村民全部出局）",
        "红方阵营：黑方阵营的村民全部出局",
    ] {
        assert!(post.contains(part), "no {part:?} in\n{post}");
    }
}
