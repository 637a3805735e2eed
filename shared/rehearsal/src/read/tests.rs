use rules::{PhaseKind, SeatId};

use crate::read;
use crate::script::{Action, Check, Goal, Sender};

const HEAD: &str = "board: m158\nseats:\n  甲: 预言家\n  乙: 狼人\n  van 桑: 村民\n";

/// A small file with these lines at the end of its head, and these steps.
fn file(head: &str, steps: &str) -> String {
    format!("{HEAD}{head}\nplay:\n{steps}\n")
}

fn mistake(text: &str) -> String {
    match read(text) {
        Ok(script) => panic!("it was read: {script:?}\n{text}"),
        Err(why) => why.to_string(),
    }
}

fn check(text: &str, expected: &str) {
    let found = mistake(text);
    assert!(
        found.contains(expected),
        "{found:?} lacks {expected:?}\n{text}"
    );
}

fn steps(text: &str) -> Vec<Action> {
    let script = read(&file("", text)).unwrap_or_else(|why| panic!("{why}\n{text}"));
    script.steps.into_iter().map(|step| step.action).collect()
}

#[test]
fn the_head_is_read_in_order() {
    let text = file(
        "title: 一局\nabout: G1\ndice: [3, 乙, 诱饵图腾]\noptions: {sheriff: false}",
        "  - next",
    );
    let script = read(&text).unwrap();
    assert_eq!(
        (script.title.as_str(), script.about.as_deref()),
        ("一局", Some("G1"))
    );
    assert_eq!(script.aliases, ["甲", "乙", "van 桑"]);
    let named: Vec<&str> = script.dice.iter().map(|f| f.named.as_str()).collect();
    assert_eq!(named, ["3", "2", "诱饵图腾"]);
    assert!(!script.options.sheriff && script.options.idle_cards);
}

#[test]
fn a_seat_may_have_a_faction_of_its_own() {
    let text = "board: m158\nseats: {甲: {role: 村民, faction: 狼人阵营}}\nplay: []";
    let setup = &read(text).unwrap().setups[0];
    let board = boards::find("m158").unwrap();
    assert_eq!(setup.faction, board.faction("狼人阵营").ok());
}

#[test]
fn mistakes_of_the_head_are_named() {
    for (text, expected) in [
        ("", "must be a map"),
        ("[", "is no YAML"),
        ("board: m158\nseats: {甲: 村民}", "play is missing"),
        ("seats: {甲: 村民}\nplay: []", "board is missing"),
        ("board: m158\nplay: []", "seats is missing"),
        (
            "board: m999\nseats: {甲: 村民}\nplay: []",
            "there is no board \"m999\"",
        ),
        ("board: m158\nseats: {}\nplay: []", "nobody sits here"),
        (
            "board: m158\nseats: {甲: 侠客}\nplay: []",
            "no role is called \"侠客\"",
        ),
        (
            "board: m158\nseats: {甲: 村民, 甲: 狼人}\nplay: []",
            "duplicate",
        ),
        (
            "board: m158\nseats: {van: 村民, Ｖan: 狼人}\nplay: []",
            "are the same",
        ),
        (
            "board: m158\nseats: {until: 村民}\nplay: []",
            "is a word of the format",
        ),
        (
            "board: m158\nseats: {导演: 村民}\nplay: []",
            "is a word of the format",
        ),
        (
            "board: m158\nseats: {甲: {faction: 狼人阵营}}\nplay: []",
            "the role is missing",
        ),
        (
            "board: m158\nseats: {甲: {role: 村民, armed: true}}\nplay: []",
            "no \"armed\"",
        ),
        (
            "board: m158\nseats: {甲: {role: 村民, faction: 红方}}\nplay: []",
            "no faction is called \"红方\"",
        ),
        (
            "board: m158\nseats: {甲: 村民}\nplay: {next: 1}",
            "play must be a list",
        ),
    ] {
        check(text, expected);
    }
    for (head, expected) in [
        ("ruling: G1", "there is no key \"ruling\""),
        ("options: {sherif: true}", "no parameter \"sherif\""),
        ("options: {sheriff: 1}", "neither true nor false"),
        ("dice: 3", "dice must be a list"),
        ("dice: [[3]]", "a forced draw must be a text"),
    ] {
        check(&file(head, "  - next"), expected);
    }
}

#[test]
fn a_mistake_has_a_place_and_a_step() {
    let found = mistake(&file("", "  - next\n  - out: [丁]"));
    assert_eq!(
        found,
        "step 2, line 9, column 11: nobody is called \"丁\" here"
    );
    let found = mistake("board: m158\nseats:\n  甲: 侠客\nplay: []");
    assert!(found.starts_with("line 3, column 6: "), "{found}");
}

#[test]
fn mistakes_of_steps_are_named() {
    for (step, expected) in [
        ("丁: 预言 乙", "\"丁\" is no step"),
        ("mrak", "\"mrak\" is no step"),
        ("outs: []", "\"outs\" is no step"),
        ("{next: 1}", "next stands alone"),
        ("{out: [], win: none}", "exactly one key"),
        ("[甲, 乙]", "a step is a map with one key"),
        ("甲:", "a message must be a text"),
        ("refuse: [甲]", "refuse takes a sender"),
        ("refuse: [甲, 预言 乙, 不能, 不行]", "refuse takes a sender"),
        ("refuse: [丁, 预言 乙]", "nobody is called \"丁\""),
        ("refuse: 甲", "refuse must be a list"),
        ("vote: {丁: 甲}", "nobody is called \"丁\""),
        ("vote: {甲: 丁}", "nobody is called \"丁\""),
        ("vote: [甲, 乙]", "must be a map"),
        ("until: noon", "is no phase"),
        ("until: setup", "is no phase"),
        ("until: 深夜", "no window of this board (开局, 入夜"),
        ("until: night two", "\"two\" is no number of a phase"),
        ("until: end 1", "is no number of a phase"),
        ("at: 25:00", "is no time of day"),
        ("at: \"20:5\"", "is no time of day"),
        ("at: noon", "is no time of day"),
        ("out: 甲", "seats must be a list"),
        ("out: [甲, 甲]", "stands here twice"),
        ("told: [甲]", "must be a map"),
        (
            "has: {甲: [飞行]}",
            "no state, skill or tag is called \"飞行\"",
        ),
        ("can: {甲: [飞行]}", "no skill is called \"飞行\""),
        ("is: {甲: {side: 村民阵营}}", "no \"side\""),
        ("is: {甲: {faction: 村民}}", "no faction is called \"村民\""),
        ("is: {甲: {armed: maybe}}", "neither true nor false"),
        ("range: {甲: {飞行: []}}", "no skill is called \"飞行\""),
        ("left: {甲: {预言: many}}", "is no number of uses"),
        ("tally: {甲: 1.234}", "is no weight"),
        ("tally: {甲: -1}", "is no weight"),
        ("group: {鼠群: []}", "no group is called \"鼠群\""),
        ("win: 鼠阵营", "no faction is called \"鼠阵营\""),
        ("win: []", "name who won"),
        ("winners: 甲", "seats must be a list"),
    ] {
        check(&file("", &format!("  - {step}")), expected);
    }
}

#[test]
fn steps_are_read() {
    let seat = SeatId;
    let [a, b] = ["预言 乙", "预言 3"].map(str::to_owned);
    assert_eq!(
        steps("  - 甲: [预言 乙, 预言 3]\n  - 导演: 预言 乙\n  - refuse: [导演, 预言 3, 不]"),
        [
            Action::Send {
                from: Sender::Seat(seat(0)),
                messages: vec![a.clone(), b.clone()],
            },
            Action::Send {
                from: Sender::Director,
                messages: vec![a],
            },
            Action::Refuse {
                from: Sender::Director,
                message: b,
                because: Some("不".to_owned()),
            },
        ]
    );
    let board = boards::find("m158").unwrap();
    assert_eq!(
        steps("  - until: night 2\n  - until: 女巫\n  - at: 20:30\n  - next\n  - mark"),
        [
            Action::Until(Goal::Phase(PhaseKind::Night, Some(2))),
            Action::Until(Goal::Window(board.window("女巫").unwrap())),
            Action::At(20 * 60 + 30),
            Action::Next,
            Action::Mark,
        ]
    );
    assert_eq!(
        steps("  - vote: {甲: van 桑, 乙: 弃权}"),
        [Action::Vote(vec![
            (seat(0), "van 桑".to_owned()),
            (seat(1), "弃权".to_owned()),
        ])]
    );
    assert_eq!(
        steps("  - tally: {van 桑: 2.5, 甲: 1.25, 乙: 0}"),
        [Action::Check(Check::Tally(vec![
            (seat(0), 125),
            (seat(2), 250)
        ]))]
    );
}

#[test]
fn a_step_remembers_its_line() {
    let script = read(&file("", "  - next\n\n  - out: [甲]   # 猎人")).unwrap();
    let step = &script.steps[1];
    assert_eq!((step.line, step.source.as_str()), (10, "out: [甲]"));
}
