use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn public_notices_are_understood() {
    let night = |number, window: &str| Sign::Night {
        number,
        window: window.to_owned(),
    };
    let table: Vec<(&str, Vec<Sign>)> = vec![
        (
            "🎬 开局【鸣潮一】（第1局，鸣潮，14人，快局）\n发“报名”或“报名 马甲”加入",
            vec![Sign::Lobby],
        ),
        (
            "🃏【鸣潮一】发牌了，身份已经私聊给每个人。座次：\n1号 阿猫\n2号 阿狗\n导演发“开始”就开局。",
            vec![Sign::Dealt(names(&["阿猫", "阿狗"]))],
        ),
        (
            "🎬 开局了，有开局技能的请私聊我。\n截止 21:02。",
            vec![Sign::Opening],
        ),
        ("🌙 第1夜 · 入夜。\n截止 21:05。", vec![night(1, "入夜")]),
        ("🌅 第12夜过去了，等待开门。", vec![Sign::Dawn]),
        (
            "⭐ 警长竞选：请按格式投票，得票最多者当选。",
            vec![Sign::Election],
        ),
        (
            "📮 警长竞选结果\n甲：2票\n甲当选警长。\n⭐ 警长竞选 · 警徽。",
            vec![Sign::Badge],
        ),
        (
            "📋 第2天公示\n昨天投票出局：甲\n其他原因出局：无\n昨晚出局：乙、丙\n警长：丁\n☀️ 第2天开门，请发言、按格式投票：\n投票对象：马甲",
            vec![
                Sign::Out(names(&["甲"])),
                Sign::Out(names(&["乙", "丙"])),
                Sign::Day { number: 2 },
            ],
        ),
        ("昨晚出局：无，平安夜", vec![]),
        ("🌇 第2天关门。", vec![Sign::Dusk]),
        ("📋 出局公示：甲、乙", vec![Sign::Out(names(&["甲", "乙"]))]),
        ("💥 乙被甲带走了。", vec![Sign::Out(names(&["乙"]))]),
        (
            "🏁 游戏结束，狼人阵营胜利！\n获胜者：甲、乙",
            vec![Sign::Over],
        ),
        ("🏁 导演结束了这一局。", vec![Sign::Over]),
        ("【鸣潮一】取消了。", vec![Sign::Over]),
        ("报名成功，马甲“阿猫”（3/14）。", vec![]),
        ("", vec![]),
    ];
    for (text, expected) in table {
        assert_eq!(public(text), expected, "{text}");
    }
}

#[test]
fn private_messages_are_understood() {
    let table: Vec<(&str, Vec<Word>)> = vec![
        (
            "你的身份是【女巫】，属于魔女会阵营。\n技能：灵通、救药、毒药。发“帮助 技能名”看它怎么用。",
            vec![Word::Card {
                role: "女巫".into(),
                faction: "魔女会阵营".into(),
            }],
        ),
        (
            "狼群里和你一起的是：乙、丙。",
            vec![Word::Mates(names(&["乙", "丙"]))],
        ),
        ("狼群里只有你一个人。", vec![]),
        (
            "鸣潮一：你的私密群「狼群」群号是 700001。请申请加入，机器人会自动通过。",
            vec![Word::Invited { group: 700_001 }],
        ),
        (
            "现在可以用：预言，截止 21:05。\n不用就发“放弃”；发“我”看能选谁。",
            vec![Word::Prompt],
        ),
        (
            "你可以发动【最后一枪】，截止 21:10。不用就发“放弃 最后一枪”。",
            vec![Word::Prompt],
        ),
        (
            "预言：乙 → 狼人阵营",
            vec![Word::Checked {
                target: "乙".into(),
                answer: "狼人阵营".into(),
            }],
        ),
        (
            "守墓：\n乙 → 狼人阵营",
            vec![Word::Checked {
                target: "乙".into(),
                answer: "狼人阵营".into(),
            }],
        ),
        (
            "灵通：今晚被指杀的是 乙。",
            vec![Word::Struck(names(&["乙"]))],
        ),
        ("灵通：今晚被指杀的是 没有人。", vec![Word::Struck(vec![])]),
        (
            "甲选择：杀人 乙（以最后一次为准）",
            vec![Word::MateChose {
                skill: "杀人".into(),
            }],
        ),
        (
            "甲选择：不用杀人（以最后一次为准）",
            vec![Word::MateChose {
                skill: "杀人".into(),
            }],
        ),
        (
            "今晚的杀人只能选 乙，或者放弃。刚才的选择作废，请重新选。",
            vec![Word::ChooseAgain {
                skill: "杀人".into(),
            }],
        ),
        (
            "今晚的杀人只能选 石榴，或者放弃。",
            vec![Word::ChooseAgain {
                skill: "杀人".into(),
            }],
        ),
        (
            "今晚杀人的对象有限制，不能选南星。发“我”看能选谁。",
            vec![Word::ChooseAgain {
                skill: "杀人".into(),
            }],
        ),
        (
            "你出局了。\n你可以留遗言：发“遗言 ……”，下次开门时公示。",
            vec![Word::OutYou { last_words: true }],
        ),
        ("你出局了。", vec![Word::OutYou { last_words: false }]),
        ("✅ 收到：预言 乙", vec![]),
    ];
    for (text, expected) in table {
        assert_eq!(private(text), expected, "{text}");
    }
}

#[test]
fn the_answer_to_me_lists_open_skills() {
    let text = "3号 丙｜女巫｜魔女会阵营\n状态：警长\n救药｜1｜甲、乙｜21:05\n模式选择｜∞｜-｜-";
    assert_eq!(
        private(text),
        [Word::Status(vec![
            OpenSkill {
                name: "救药".into(),
                choices: Some(names(&["甲", "乙"]))
            },
            OpenSkill {
                name: "模式选择".into(),
                choices: None
            },
        ])]
    );
    let out = "3号 丙｜村民｜村民阵营｜已出局\n状态：无";
    assert_eq!(private(out), [Word::Status(vec![])]);
}

#[test]
fn receipts_of_votes_are_told_from_refusals() {
    for taken in [
        "甲投给乙，已记下。",
        "甲弃权，已记下。",
        "你已经投给乙了，这条不算。",
    ] {
        assert!(vote_was_taken(taken), "{taken}");
    }
    for refused in ["乙现在不能投，请换一个人。", "没有叫“x”的人，这条没有算。"]
    {
        assert!(!vote_was_taken(refused), "{refused}");
    }
}
