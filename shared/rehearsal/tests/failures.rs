//! What does not hold is found, and said in a way that helps.

use rehearsal::{Failure, Fault, play, read};
use texts::Texts;

const HEAD: &str = "\
board: m158
seats:
  甲: 预言家
  乙: 狼人
  丙: 村民
  丁: 女巫
  戊: 村民
  己: 猎人
";

fn run(head: &str, steps: &[&str]) -> Result<(), Failure> {
    let text = format!("{HEAD}{head}play:\n  - {}\n", steps.join("\n  - "));
    let script = read(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
    play(&script, &Texts::builtin())
}

/// The last of these steps does not hold, for this reason.
fn check(steps: &[&str], expected: &str, got: &str) {
    let failure = run("", steps).expect_err(&format!("it holds: {steps:?}"));
    let step = failure.step.as_ref().map(|step| step.number);
    assert_eq!(step, Some(steps.len()), "{failure}");
    let fault = Fault::Differs {
        expected: expected.to_owned(),
        got: got.to_owned(),
    };
    assert_eq!(failure.fault, fault, "{steps:?}");
}

/// The last of these steps cannot be played.
fn broken(head: &str, steps: &[&str], why: &str) {
    let failure = run(head, steps).expect_err(&format!("it holds: {steps:?}"));
    match &failure.fault {
        Fault::Broken(error) => assert!(error.contains(why), "{error:?} lacks {why:?}"),
        Fault::Differs { .. } => panic!("{failure}"),
    }
}

#[test]
fn who_went_out_is_compared() {
    let night = ["until: night 1", "乙: 杀人 丙", "until: day 1"];
    let with = |step: &'static str| [&night[..], &[step]].concat();
    check(&with("out: []"), "nobody", "丙");
    check(&with("out: [丙, 丁]"), "丙、丁", "丙");
    check(&with("out_order: [丁]"), "丁", "丙");
    check(&with("standing: [甲, 乙]"), "甲、乙", "甲、乙、丁、戊、己");
    let twice = [&night[..], &["out: [丙]", "out: [丙]"]].concat();
    check(&twice, "丙", "nobody");
}

#[test]
fn what_was_told_is_compared() {
    let night = ["until: night 1", "mark", "甲: 预言 乙", "until: day 1"];
    let with = |step: &'static str| [&night[..], &[step]].concat();
    let answer = "甲 is told: 预言：乙 → 狼人阵营";
    check(
        &with("told: {甲: 村民阵营}"),
        "甲 is told: 村民阵营",
        answer,
    );
    check(&with("untold: {甲: 狼人}"), "not: 甲 is told: 狼人", answer);
    check(
        &with("untold: {甲: \"*\"}"),
        "not: 甲 is told anything",
        answer,
    );
    check(
        &with("told: {丙: 狼}"),
        "丙 is told: 狼",
        "丙 is told: nothing",
    );
    check(
        &with("public: 丙丁"),
        "it is published: 丙丁",
        "it is published: 📮 警长竞选结果\n没有人得票，本局没有警长。 / \
         📋 第1天公示\n昨晚出局：无，平安夜\n警长：无",
    );
    let looked = [&night[..], &["told: {甲: 狼人}", "told: {甲: 狼人}"]].concat();
    check(&looked, "甲 is told: 狼人", "甲 is told: nothing");
    let forgotten = [&night[..], &["mark", "public: 警长"]].concat();
    check(
        &forgotten,
        "it is published: 警长",
        "it is published: nothing",
    );
}

#[test]
fn the_senders_own_message_is_no_news_to_it() {
    let night = ["until: night 1", "mark", "乙: 杀人 丙"];
    check(
        &[&night[..], &["told: {乙: 丙}"]].concat(),
        "乙 is told: 丙",
        "乙 is told: nothing",
    );
}

#[test]
fn facts_are_compared() {
    check(
        &["has: {甲: [预言, 杀人]}"],
        "甲 has 杀人",
        "not: 甲 has 杀人",
    );
    check(&["has: {丙: [群内]}"], "丙 has 群内", "not: 丙 has 群内");
    check(&["lacks: {乙: 群内}"], "not: 乙 has 群内", "乙 has 群内");
    check(
        &["is: {甲: {faction: 狼人阵营, armed: true}, 乙: {armed: true, role: 恶魔}}"],
        "甲 faction: 狼人阵营; 甲 armed: yes; 乙 role: 恶魔",
        "甲 faction: 村民阵营; 甲 armed: no; 乙 role: 狼人",
    );
    check(
        &["can: {甲: 预言}"],
        "甲 can use 预言",
        "not: 甲 can use 预言",
    );
    let night = "until: night 1";
    check(
        &[night, "cannot: {甲: 预言}"],
        "not: 甲 can use 预言",
        "甲 can use 预言",
    );
    check(
        &[night, "range: {甲: {预言: [乙]}}"],
        "甲 预言: 乙",
        "甲 预言: 甲、乙、丙、丁、戊、己",
    );
    check(
        &[night, "range: {丁: {毒药: [乙]}}"],
        "丁 毒药: 乙",
        "丁 毒药: nobody",
    );
    check(
        &["left: {丁: {毒药: 0}, 甲: {预言: 1}, 丙: {预言: 0}}"],
        "丁 毒药: 0; 甲 预言: 1",
        "丁 毒药: 1; 甲 预言: any number",
    );
    check(&["group: {狼群: [甲]}"], "狼群: 甲", "狼群: 乙");
    check(&["group: {魔女会: []}"], "魔女会: nobody", "魔女会: 丁");
}

#[test]
fn votes_are_compared() {
    let tally = "tally: {乙: 2}";
    check(&[tally], "乙: 2", "no vote was counted yet");
    let vote = [
        "until: day 1",
        "vote: {甲: 乙, 丙: 弃权, 丁: 丙}",
        "until: dusk",
    ];
    check(&[&vote[..], &[tally]].concat(), "乙: 2", "乙: 1、丙: 1");
    let nobody = ["until: day 1", "vote: {甲: 弃权}", "until: dusk", tally];
    check(&nobody, "乙: 2", "nobody got any weight");
}

#[test]
fn endings_are_compared() {
    check(
        &["win: 狼人阵营"],
        "狼人阵营 won",
        "the game goes on, in opening 1",
    );
    check(&["win: 平局"], "a draw", "the game goes on, in opening 1");
    check(&["winners: [甲]"], "甲", "the game goes on, in opening 1");
    let ended = "导演: 结束 魔女会阵营";
    check(&[ended, "win: none"], "the game goes on", "魔女会阵营 won");
    check(
        &[ended, "win: [狼人阵营, 魔女会阵营]"],
        "狼人阵营、魔女会阵营 won",
        "魔女会阵营 won",
    );
    check(&[ended, "winners: [甲]"], "甲", "丁");
    check(
        &["导演: 结束", "win: 魔女会阵营"],
        "魔女会阵营 won",
        "the game ended without a winner",
    );
}

#[test]
fn messages_must_be_taken_or_refused() {
    check(
        &["甲: 预言 乙"],
        "预言 乙 is taken",
        "refused: 现在不能用预言。它在“入夜”时开放。",
    );
    check(
        &["until: night 1", "refuse: [甲, 预言 乙]"],
        "预言 乙 is refused",
        "it is taken",
    );
    check(
        &["refuse: [丙, 预言 乙, 已经出局]"],
        "预言 乙 is refused: 已经出局",
        "refused: 你没有“预言”这个技能。",
    );
    check(
        &[
            "until: day 1",
            "导演: 代投 甲 乙",
            "refuse: [导演, 代投 甲 丙]",
        ],
        "代投 甲 丙 is refused",
        "it is taken",
    );
    check(
        &["导演: 代投 甲 乙"],
        "代投 甲 乙 is taken",
        "refused: 现在没有投票，不能代投。",
    );
}

#[test]
fn refusals_are_in_words() {
    for (steps, message) in [
        (&[][..], "甲, 投票对象：乙"),
        (&[], "甲, 申请加速"),
        (&[], "甲, 投 乙"),
        (&[], "甲, 竞选"),
        (&[], "甲, 红牌 乙"),
        (&[], "甲, 报名"),
        (&[], "甲, 说 大家好"),
        (&[], "甲, 确认"),
        (&[], "甲, 预演 乙"),
        (&[], "甲, 放弃 预演"),
        (&[], "导演, 预言 乙"),
        (&[], "导演, 发牌"),
        (&[], "导演, 放行"),
        (&[], "导演, 放行 1"),
        (&[], "导演, 红牌"),
        (&[], "导演, 红牌 无此人"),
        (&[], "导演, 代投 甲 乙"),
        (&["导演: 替补 甲 10086"], "导演, 替补 甲 10086"),
        (&["until: day 1", "at: \"20:00\""], "导演, 代投 甲 乙"),
        (&["until: day 1", "导演: 暂停"], "导演, 代投 甲 乙"),
        (&["until: day 1"], "甲, 确认"),
    ] {
        let last = format!("refuse: [{message}, ☃]");
        let steps = [steps, &[last.as_str()]].concat();
        let failure = run("", &steps).expect_err("no refusal shows a snowman");
        let Fault::Differs { got, .. } = &failure.fault else {
            panic!("{failure}");
        };
        let words = got.strip_prefix("refused: ").expect("it is refused");
        let named = ["answer/", "vote/", "director/", "refusal/"];
        assert!(
            !named.iter().any(|key| words.contains(key)),
            "{message}: {words}"
        );
    }
}

#[test]
fn the_clock_goes_only_forward() {
    check(&["until: day 2"], "day 2 begins", "day 1 begins");
    check(
        &["until: 女巫"],
        "女巫 opens in opening 1",
        "女巫 is a window of night",
    );
    check(
        &["until: night", "丁: 毒药 乙", "until: 女巫"],
        "女巫 opens in night 1",
        "女巫 has opened already",
    );
}

#[test]
fn a_phase_that_never_comes_is_not_waited_for_forever() {
    let steps = ["until: election", "until: election"];
    let failure = run("options: {idle_cards: false}\n", &steps).expect_err("there is one only");
    let Fault::Differs { got, .. } = &failure.fault else {
        panic!("{failure}");
    };
    assert!(got.contains("after 600 windows"), "{got}");
}

#[test]
fn what_cannot_be_played_is_said() {
    broken(
        "",
        &["until: day 1", "导演: 暂停", "until: dusk"],
        "the game is paused",
    );
    broken("", &["导演: 结束", "next"], "the game is over");
    broken("", &["导演: 结束", "until: day 1"], "the game is over");
    broken(
        "",
        &["until: day 1", "at: \"21:00\""],
        "白天 ends before, at 21:00",
    );
    broken(
        "",
        &["until: day 1", "at: \"20:00\"", "at: \"19:59\""],
        "白天 ends before",
    );
    broken(
        "dice: [毒药]\n",
        &["导演: 裁定 给 甲 模式选择", "next"],
        "cannot give \"毒药\"",
    );
}

#[test]
fn a_failure_shows_where_it_stands_and_the_last_notices() {
    let failure = run(
        "",
        &[
            "until: night 1",
            "甲: 预言 乙",
            "next",
            "out: [丙]   # 狼刀",
        ],
    );
    let text = failure.expect_err("nobody went out").to_string();
    let wanted =
        "    step 4, line 13: out: [丙]\n    expected: 丙\n    got: nobody\n    last notices: ";
    assert!(text.starts_with(wanted), "{text}");
    assert!(text.ends_with("甲: 预言：乙 → 狼人阵营"), "{text}");
}
