//! The boards that the director's manual prints: they load as they are printed, and what the
//! manual says of them happens.

use std::sync::Arc;

use rehearsal::{play, read_in};
use rules::{Arg, Audience, Board, Notice, PhaseKind};
use sim::Table;
use texts::Texts;

const MANUAL: &str = include_str!("../../../docs/manual/director.md");

/// The code blocks in TOML, in the order in which they are printed.
fn printed() -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = false;
    for line in MANUAL.lines() {
        match line {
            "```toml" => {
                inside = true;
                blocks.push(String::new());
            }
            "```" => inside = false,
            _ => {
                if let Some(block) = blocks.last_mut().filter(|_| inside) {
                    block.push_str(line);
                    block.push('\n');
                }
            }
        }
    }
    blocks
}

fn board(text: &str) -> Arc<Board> {
    let board = boards::read(text).unwrap_or_else(|problems| panic!("{problems}"));
    Arc::new(board)
}

/// The first example: a role with a manual skill.
fn barkeeper() -> String {
    printed().swap_remove(0)
}

/// The second one: a role of two skills of the library, put behind the first board.
fn watchman() -> String {
    printed()[..2].join("\n")
}

/// Plays these steps on a board that lies beside the rehearsal, as a director would write it.
fn rehearse(board: &str, seats: &str, steps: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("town.toml"), board).expect("a file can be written");
    let steps = steps.join("\n  - ");
    let text = format!("board: town.toml\nseats: {{{seats}}}\nplay:\n  - {steps}\n");
    let script = read_in(&text, folder.path()).unwrap_or_else(|why| panic!("{why}"));
    play(&script, &Texts::builtin()).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_manual_prints_two_boards() {
    assert_eq!(printed().len(), 2);
    assert_eq!(board(&barkeeper()).seat_count(), 7);
    assert_eq!(board(&watchman()).seat_count(), 8);
}

/// A night as the manual tells it, in the words of the chat.
#[test]
fn the_director_settles_a_manual_skill_by_a_ruling() {
    let steps = [
        "until: night 1",
        "refuse: [甲, 灌酒 甲]",
        "refuse: [甲, 灌酒 乙 这一句话实在是太长了长得连酒保自己都记不住更别说要他原样带给别人听了]",
        "甲: 灌酒 丙 先请你",
        "甲: 灌酒 乙 尝尝 这坛新酿",
        "until: 入夜",
        "told: {甲: 已经交给导演}",
        "untold: {乙: 灌酒, 丙: 灌酒}",
        "lacks: {乙: 醉酒}",
        "导演: 裁定 状态 乙 醉酒｜掷骰五点",
        "导演: 裁定 通知 甲 乙醉倒了",
        "told: {乙: 醉酒, 甲: 乙醉倒了}",
        "has: {乙: 醉酒}",
        "refuse: [乙, 杀人 丙]",
        "until: day 1",
        "out: []",
        "导演: 裁定 解除 乙 醉酒｜天亮了",
        "until: night 2",
        "乙: 杀人 丙",
        "until: day 2",
        "out: [丙]",
        "win: none",
    ];
    rehearse(
        &barkeeper(),
        "甲: 酒保, 乙: 狼人, 丙: 村民, 丁: 村民, 戊: 村民",
        &steps,
    );
}

/// The director is asked by a typed notice when the choice takes effect, not before.
#[test]
fn the_director_is_asked_when_the_window_closes() {
    let mut table = Table::open(
        &board(&barkeeper()),
        "slow",
        &["酒保", "狼人", "村民", "村民"],
    );
    table.until(PhaseKind::Night);
    let asks = |told: &[Notice]| -> Vec<Notice> {
        let asked = told.iter().filter(|n| n.key == "manual/asks");
        asked.cloned().collect()
    };
    let at_once = table.sends(1, "灌酒", &[2]);
    assert_eq!(asks(&at_once), []);
    let told = table.close();
    let asked = asks(&told);
    let [asked] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert_eq!(asked.to, Audience::Director);
    let target = sim::table::at(2);
    let targets = asked.args.iter().find(|(name, _)| name == "targets");
    assert_eq!(targets.map(|(_, arg)| arg), Some(&Arg::Order(vec![target])));
}

#[test]
fn a_role_of_two_skills_with_other_parameters() {
    let steps = [
        "until: night 1",
        "left: {甲: {守门: 3, 问话: 2}}",
        "refuse: [甲, 守门 甲]",
        "甲: 守门 丙",
        "refuse: [甲, 问话 乙]",
        "乙: 杀人 丙",
        "until: night 2",
        "out: []",
        "refuse: [甲, 守门 丙]",
        "mark",
        "甲: 问话 乙",
        "refuse: [甲, 守门 丁]",
        "乙: 杀人 丙",
        "until: day 2",
        "told: {甲: 狼人阵营}",
        "out: [丙]",
        "left: {甲: {守门: 2, 问话: 1}}",
        "win: none",
        "vote: {甲: 乙, 丁: 乙}",
        "until: end",
        "win: 好人阵营",
    ];
    rehearse(
        &watchman(),
        "甲: 巡夜人, 乙: 狼人, 丙: 村民, 丁: 村民, 戊: 村民",
        &steps,
    );
}

#[test]
fn mistakes_of_a_board_beside_the_rehearsal_are_named() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let read = |board: &str| {
        let text = format!("board: {board}\nseats: {{甲: 村民}}\nplay: []\n");
        let why = read_in(&text, folder.path()).expect_err("it is not there, or wrong");
        why.to_string()
    };
    assert!(read("town.toml").contains("cannot be read"));
    let wrong = barkeeper().replace("code = \"manual\"", "code = \"manuel\"");
    std::fs::write(folder.path().join("wrong.toml"), wrong).expect("a file can be written");
    let why = read("wrong.toml");
    assert!(why.contains("there is no skill code \"manuel\""), "{why}");
}
