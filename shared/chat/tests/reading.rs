//! What lines are read as.

mod common;

use chat::{Answer, DirectorCommand, Misread, Reader, Said, Target, Thing, read};
use common::{SKILLS, vocabulary};
use rules::board::Colour;
use rules::input::{Order, Ruling};
use rules::{FactionId, RoleId, SeatId, SkillId, StateId};

fn player(line: &str) -> Result<Said, Misread> {
    read(line, &vocabulary(), Reader::Player)
}

fn director(line: &str) -> Result<Said, Misread> {
    read(line, &vocabulary(), Reader::Director)
}

fn order(line: &str) -> Order {
    match director(line) {
        Ok(Said::Director(DirectorCommand::Order(order))) => order,
        other => panic!("{line}: {other:?}"),
    }
}

/// Skill and seats of a line.
fn used(line: &str) -> (&'static str, Vec<u8>) {
    match player(line) {
        Ok(Said::Skill { skill, words, .. }) => {
            let seats = words
                .iter()
                .map(|word| word.seat.map_or(u8::MAX, |seat| seat.0))
                .collect();
            (SKILLS[skill.index()], seats)
        }
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn skills_with_seats_in_every_form() {
    for line in [
        "预言 3",
        "预言 3号",
        "预言　３号",
        "预言 丙",
        "/预言 丙",
        ". 预言 丙",
        "#预言 @10003",
        "。预言 丙",
        "预言3号",
        "预言3",
        "预言丙",
        "预言：丙",
        "预言 「丙」",
        " 预言\n丙 ",
        "预言\u{200b}丙",
    ] {
        assert_eq!(used(line), ("预言", vec![2]), "{line}");
    }
    for line in [
        "交换 乙 丙",
        "交换 乙、丙",
        "交换 乙，丙",
        "交换 2 3",
        "交换乙丙",
        "交换 乙丙",
        "交换 2号3号",
        "交换乙 丙",
    ] {
        assert_eq!(used(line), ("交换", vec![1, 2]), "{line}");
    }
    for line in [
        "救药 van 桑",
        "救药 VAN 桑",
        "救药 \"Van 桑\"",
        "救药 ｖａｎ　桑",
        "救药“Van 桑”",
    ] {
        assert_eq!(used(line), ("救药", vec![3]), "{line}");
    }
    assert_eq!(used("交换 Van 桑 甲"), ("交换", vec![3, 0]));
    assert_eq!(
        used("救药 甲乙"),
        ("救药", vec![4]),
        "an alias is not taken apart"
    );
    assert_eq!(used("交换甲乙丙"), ("交换", vec![4, 2]));
}

#[test]
fn the_longest_skill_name_wins() {
    assert_eq!(used("荣光庇护 甲"), ("荣光庇护", vec![0]));
    assert_eq!(used("荣光审判1号"), ("荣光审判", vec![0]));
    assert_eq!(used("移交 乙"), ("殉职", vec![1]));
    assert_eq!(used("撕警徽"), ("撕警徽", vec![]));
}

#[test]
fn words_keep_what_is_not_a_seat() {
    let Ok(Said::Skill { words, rest, .. }) = player("诡辩 甲 女巫 1 丁丁") else {
        panic!()
    };
    assert_eq!(words[0].seat, Some(SeatId(0)));
    assert_eq!(words[1].role, Some(RoleId(1)));
    assert_eq!((words[2].seat, words[2].number), (Some(SeatId(0)), Some(1)));
    assert!(!words[3].is_known());
    assert_eq!(words[3].text, "丁丁");
    assert_eq!(rest, "甲 女巫 1 丁丁");
    let Ok(Said::Skill { words, .. }) = player("模式选择 诱饵图腾") else {
        panic!()
    };
    assert_eq!(words[0].skill, Some(SkillId(7)));
    let Ok(Said::Skill { words, .. }) = player("模式选择诱饵图腾") else {
        panic!()
    };
    assert_eq!(words[0].skill, Some(SkillId(7)));
}

#[test]
fn a_question_keeps_its_words() {
    let Ok(Said::Skill { rest, words, .. }) = player("通天 乙是狼人阵营的吗") else {
        panic!()
    };
    assert_eq!(rest, "乙是狼人阵营的吗");
    assert_eq!(words.len(), 1);
}

#[test]
fn what_anyone_can_type() {
    for (line, said) in [
        ("我", Said::Status),
        ("状态", Said::Status),
        ("状态。", Said::Status),
        ("帮助", Said::Help(None)),
        ("帮助 预言家", Said::Help(Some("预言家".to_owned()))),
        ("帮助预言家", Said::Help(Some("预言家".to_owned()))),
        ("放弃", Said::Decline(None)),
        ("放弃 毒药", Said::Decline(Some(SkillId(2)))),
        ("放弃毒药", Said::Decline(Some(SkillId(2)))),
        (
            "遗言 我是好人，\n真的",
            Said::LastWords("我是好人，\n真的".to_owned()),
        ),
        ("遗言：我是好人", Said::LastWords("我是好人".to_owned())),
        ("确认！", Said::Confirm),
        ("报名", Said::SignUp(None)),
        ("报名 van 桑", Said::SignUp(Some("van 桑".to_owned()))),
        ("报名 「van 桑」", Said::SignUp(Some("van 桑".to_owned()))),
        ("退出", Said::Quit),
        ("电梯", Said::Elevator),
        ("名单", Said::Elevator),
        ("票型", Said::Ballots),
        ("公告", Said::Notices),
        ("投降", Said::Surrender),
        ("同意投降", Said::AgreeSurrender),
        ("树洞 今天好累", Said::Diary("今天好累".to_owned())),
        ("说 大家好", Said::Say("大家好".to_owned())),
        (
            "投 甲 他发言差",
            Said::Vote {
                target: Target::Seat(SeatId(0)),
                reason: "他发言差".to_owned(),
            },
        ),
        (
            "投3号",
            Said::Vote {
                target: Target::Seat(SeatId(2)),
                reason: String::new(),
            },
        ),
        (
            "投 乙 甲也这么说",
            Said::Vote {
                target: Target::Seat(SeatId(1)),
                reason: "甲也这么说".to_owned(),
            },
        ),
        (
            "投 弃权",
            Said::Vote {
                target: Target::Abstain,
                reason: String::new(),
            },
        ),
        ("投票对象：甲\n投票理由：无", Said::VotePost),
        ("改票 甲", Said::VotePost),
        ("申请加速", Said::Petition),
        ("竞选", Said::Run),
        ("退选", Said::Withdraw),
        ("上警", Said::Run),
        ("退水", Said::Withdraw),
        ("开局 m158", Said::Open),
    ] {
        assert_eq!(player(line), Ok(said), "{line}");
    }
}

#[test]
fn orders_of_the_director() {
    for (line, expected) in [
        ("开始", Order::Start),
        ("下一步", Order::Next),
        ("关门", Order::CloseDoor),
        ("开门", Order::OpenDoor),
        ("加速", Order::SpeedUp),
        ("暂停", Order::Pause),
        ("继续", Order::Resume),
        ("回档", Order::Rewind),
        ("结束", Order::End(None)),
        ("结束 村民阵营", Order::End(Some(FactionId(0)))),
        ("结束 狼人", Order::End(Some(FactionId(1)))),
        ("延时 30", Order::Extend(1_800_000)),
        ("延时30分钟", Order::Extend(1_800_000)),
        ("延时 1 小时", Order::Extend(3_600_000)),
        (
            "公示 大家好，\n今晚照常",
            Order::Announce("大家好，\n今晚照常".to_owned()),
        ),
        (
            "红牌 甲",
            Order::Card {
                seat: SeatId(0),
                colour: Colour::Red,
                reason: String::new(),
            },
        ),
        (
            "黄牌 Van 桑 贴脸",
            Order::Card {
                seat: SeatId(3),
                colour: Colour::Yellow,
                reason: "贴脸".to_owned(),
            },
        ),
        (
            "蓝牌3号 初犯",
            Order::Card {
                seat: SeatId(2),
                colour: Colour::Blue,
                reason: "初犯".to_owned(),
            },
        ),
    ] {
        assert_eq!(order(line), expected, "{line}");
    }
}

#[test]
fn rulings() {
    let seat = SeatId(0);
    for (line, ruling, reason) in [
        ("裁定 出局 甲", Ruling::PutOut(seat), ""),
        ("裁定 复活 甲｜误判", Ruling::BringBack(seat), "误判"),
        (
            "裁定 状态 甲 沉默 | 漏结算",
            Ruling::Lay(seat, StateId(0)),
            "漏结算",
        ),
        ("裁定 解除 甲 警长", Ruling::Lift(seat, StateId(2)), ""),
        ("裁定 给 甲 毒药", Ruling::Give(seat, SkillId(2)), ""),
        ("裁定 收 甲 毒药", Ruling::Take(seat, SkillId(2)), ""),
        (
            "裁定 阵营 甲 狼人阵营",
            Ruling::Faction(seat, FactionId(1)),
            "",
        ),
        (
            "裁定 表面 甲 村民 女巫",
            Ruling::Face(seat, FactionId(0), RoleId(1)),
            "",
        ),
        ("裁定 票权 甲 1.5", Ruling::Weight(seat, 150), ""),
        ("裁定 票权 1号 0", Ruling::Weight(seat, 0), ""),
        (
            "裁定 通知 甲 你被 魅惑 了",
            Ruling::Tell(seat, "你被 魅惑 了".to_owned()),
            "",
        ),
        ("裁定 延窗 15", Ruling::ExtendWindow(15), ""),
        ("裁定 延窗 半小时", Ruling::ExtendWindow(30), ""),
    ] {
        assert_eq!(
            order(line),
            Order::Rule {
                ruling,
                reason: reason.to_owned()
            },
            "{line}"
        );
    }
}

#[test]
fn other_commands_of_the_director() {
    use DirectorCommand as C;
    for (line, command) in [
        ("发牌", C::Deal),
        (
            "代投 甲 乙",
            C::VoteFor {
                voter: SeatId(0),
                target: Target::Seat(SeatId(1)),
            },
        ),
        (
            "代投 甲 弃权",
            C::VoteFor {
                voter: SeatId(0),
                target: Target::Abstain,
            },
        ),
        (
            "替补 甲 10086",
            C::Substitute {
                seat: SeatId(0),
                user: 10086,
            },
        ),
        (
            "替补 3 @10086",
            C::Substitute {
                seat: SeatId(2),
                user: 10086,
            },
        ),
        (
            "场助 甲 10086",
            C::Coach {
                seat: SeatId(0),
                user: 10086,
            },
        ),
        (
            "回答 2 是",
            C::Answer {
                item: 2,
                answer: Answer::Yes,
            },
        ),
        (
            "回答 1 无法回答",
            C::Answer {
                item: 1,
                answer: Answer::CannotSay,
            },
        ),
        ("放行", C::Release(None)),
        ("放行 1", C::Release(Some(1))),
        ("放行1", C::Release(Some(1))),
        (
            "驳回 1 不是是非题",
            C::Reject {
                item: 1,
                reason: "不是是非题".to_owned(),
            },
        ),
        ("催票", C::Remind),
        ("扣住", C::Hold),
        ("结算", C::Reckoning),
        ("状态", C::State),
    ] {
        assert_eq!(director(line), Ok(Said::Director(command)), "{line}");
    }
    let Ok(Said::Director(C::ActFor { seat, said })) = director("代发 丙 预言 甲") else {
        panic!()
    };
    assert_eq!(seat, SeatId(2));
    assert!(matches!(
        *said,
        Said::Skill {
            skill: SkillId(0),
            ..
        }
    ));
}

#[test]
fn a_director_reads_what_anyone_reads_too() {
    assert_eq!(director("电梯"), Ok(Said::Elevator));
    assert!(matches!(director("预言 甲"), Ok(Said::Skill { .. })));
    assert_eq!(
        player("暂停"),
        Ok(Said::Director(DirectorCommand::Order(Order::Pause)))
    );
}

#[test]
fn mistakes_get_the_nearest_command() {
    for (line, word, nearest) in [
        ("予言 甲", "予言", Some("预言")),
        ("荣光庇佑 甲", "荣光庇佑", Some("荣光庇护")),
        ("预言家 甲", "预言家", Some("预言")),
        ("救药甲你好", "救药甲你好", Some("救药")),
        ("你好呀", "你好呀", None),
        ("我是预言家", "我是预言家", None),
        ("遗言我是好人", "遗言我是好人", Some("遗言")),
        (
            "很长很长很长很长的一句话呀",
            "很长很长很长很长的一句话…",
            None,
        ),
    ] {
        let unknown = Misread::Unknown {
            word: word.to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        assert_eq!(player(line), Err(unknown), "{line}");
    }
    assert_eq!(
        director("暂听"),
        Err(Misread::Unknown {
            word: "暂听".to_owned(),
            nearest: Some("暂停".to_owned())
        })
    );
}

#[test]
fn a_director_hears_what_is_missing() {
    for line in [
        "红牌",
        "代投 甲",
        "代发 甲",
        "替补 甲 乙",
        "延时",
        "延时 甲",
        "回答 1",
        "回答 一 是",
        "驳回",
        "裁定",
        "裁定 甲",
        "裁定 出局",
        "裁定 票权 甲 1.555",
        "裁定 票权 甲 -1",
        "裁定 延窗 0",
        "公示",
        "发牌 甲",
        "开始 一下",
        "裁定 出局 甲 乙",
    ] {
        assert!(
            matches!(director(line), Err(Misread::Usage { .. })),
            "{line}: {:?}",
            director(line)
        );
    }
    for (line, thing, word, nearest) in [
        ("红牌 丁", Thing::Seat, "丁", None),
        ("红牌 比利玉", Thing::Seat, "比利玉", Some("比利王")),
        ("裁定 状态 甲 沉没", Thing::State, "沉没", Some("沉默")),
        ("裁定 给 甲 毒要", Thing::Skill, "毒要", Some("毒药")),
        ("裁定 表面 甲 村民 女王", Thing::Role, "女王", Some("女巫")),
        ("结束 好人", Thing::Faction, "好人", None),
    ] {
        let expected = Misread::NoSuch {
            thing,
            word: word.to_owned(),
            nearest: nearest.map(str::to_owned),
        };
        assert_eq!(director(line), Err(expected), "{line}");
    }
}

#[test]
fn nothing_and_far_too_much() {
    for line in ["", "  ", "/", "\u{200b}", "、"] {
        assert_eq!(player(line), Err(Misread::Nothing {}), "{line:?}");
    }
    let many = format!("预言 {}", "甲 ".repeat(100));
    assert_eq!(player(&many), Err(Misread::TooLong {}));
    assert!(player(&"长".repeat(10_000)).is_err());
    assert!(player(&format!("预言{}", "甲乙丙".repeat(4_000))).is_err());
    assert_eq!(
        player(&format!("遗言 {}", "长".repeat(10_000))),
        Ok(Said::LastWords("长".repeat(10_000)))
    );
}

#[test]
fn each_mistake_fills_its_template() {
    let misread = player("予言").unwrap_err();
    assert_eq!(misread.key(), "answer/misread-unknown");
}
