use proptest::prelude::*;
use rules::SeatId;

use super::*;
use crate::vocabulary::{Names, SeatName};

const ALIASES: [&str; 9] = [
    "甲",
    "乙",
    "丙",
    "van",
    "Van 桑",
    "比利王",
    "❤小猫",
    "投票理由",
    "a_b",
];

fn known() -> Vocabulary {
    let seats = ALIASES.iter().zip(10001..);
    let seats = seats.map(|(alias, user)| SeatName {
        alias: (*alias).to_owned(),
        user: Some(user),
    });
    Vocabulary::new(Names::default(), seats.collect())
}

fn seat(alias: &str) -> Choice {
    let place = ALIASES
        .iter()
        .position(|known| *known == alias)
        .expect("a known alias");
    Choice::Seat(SeatId(u8::try_from(place).expect("few aliases")))
}

#[track_caller]
fn votes(text: &str, choice: Choice) {
    let line = VoteLine {
        word: VoteWord::Vote,
        choice,
    };
    assert_eq!(read(text, &known()), Some(Ok(line)), "{text:?}");
}

#[track_caller]
fn fails(text: &str, why: &Malformed) {
    assert_eq!(
        read(text, &known()).as_ref(),
        Some(&Err(why.clone())),
        "{text:?}"
    );
}

fn unknown(word: &str, nearest: Option<&str>) -> Malformed {
    Malformed::Unknown {
        word: word.to_owned(),
        nearest: nearest.map(str::to_owned),
    }
}

#[test]
fn the_prescribed_form_in_its_variants() {
    for text in [
        "投票对象：van\n投票理由：可疑",
        "投票对象:van\n投票理由:可疑",
        "投票对象：van",
        "投票对象：van\r\n投票理由：",
        "  投票对象：  VAN  \n  投票理由：大写的",
        "投票对象：ｖａｎ 投票理由：同上",
        "投票对象：van投票理由：同上",
        "投票对象:van 理由:同上",
        "投票对象：van 投票 理由 ：同上",
        "投票 对象 ： van",
        "投票对象：\nvan\n投票理由：可疑",
        "投票对象∶van",
        "投票对象：van。",
        "投票对象：van...",
        "投票对象：【van】",
        "投票对象：「van」",
        "投票对象：\"van\"",
        "投票对象：van，他说话像狼",
        "投票对象：van （第一眼）",
        "投票对象：van\n因为他像狼",
        "投票对象：v\u{200b}an",
        "#投票对象：van",
        "投票对象：4",
        "投票对象：４号",
        "投票对象：4 号",
        "投票对象：4号位",
        "投票对象：@10004",
        "投票对象：@10004 投票理由：同上",
        "投票对象：@10004投票理由：同上",
        "投票对象：@10004可疑",
        "投票对象：van\n投票理由：我想投票对象：甲来着",
        "投票对象：van\n\n投票理由：可疑\n投票理由：还是可疑",
    ] {
        votes(text, seat("van"));
    }
}

#[test]
fn names_of_all_kinds() {
    votes("投票对象：Van 桑 投票理由：同上", seat("Van 桑"));
    votes("投票对象：van　桑，可疑", seat("Van 桑"));
    votes("投票对象：van桑", seat("Van 桑"));
    votes("投票对象：比 利 王", seat("比利王"));
    votes("投票对象：❤小猫。", seat("❤小猫"));
    votes("投票对象：❤ 小猫", seat("❤小猫"));
    votes("投票对象：A_B", seat("a_b"));
    votes("投票对象：弃权\n投票理由：没想好", Choice::Abstain);
    votes("投票对象：弃权，没想好", Choice::Abstain);
    votes("投票对象：\"弃权\"", Choice::Abstain);
    // A quoted number is a name, and nobody bears it.
    fails("投票对象：\"4\"", &unknown("\"4\"", None));
}

#[test]
fn a_change_has_the_same_form() {
    let line = VoteLine {
        word: VoteWord::Change,
        choice: seat("乙"),
    };
    for text in [
        "改票对象：乙\n改票理由：听了发言",
        "改票对象:乙 投票理由:x",
        "改票 对象：2号",
    ] {
        assert_eq!(read(text, &known()), Some(Ok(line)), "{text}");
    }
}

#[test]
fn talk_is_no_attempt() {
    for text in [
        "",
        " ",
        "我投丙",
        "我要投票对象：丙",
        "对象：丙",
        "投给丙",
        "😀",
        "票型",
        "@10001 投票对象：丙",
    ] {
        assert_eq!(read(text, &known()), None, "{text:?}");
    }
}

#[test]
fn whatever_else_begins_like_a_vote_fails_with_the_reason() {
    for text in [
        "投票",
        "改票",
        "投票吧大家",
        "投票给：乙\n理由：可疑",
        "投票对象乙",
        "投票对象，乙",
        "投票理由：可疑\n投票对象：乙",
        "投票\n对象：乙",
        "改票：乙",
        "投票[CQ:at,qq=10002]",
    ] {
        fails(text, &Malformed::Form);
    }
    for text in [
        "投票对象：",
        "投票对象：\n投票理由：可疑",
        "投票对象： 投票理由：可疑",
    ] {
        fails(text, &Malformed::NoTarget);
    }
    for text in [
        "投票对象：甲、乙",
        "投票对象：甲 乙",
        "投票对象：1 2",
        "投票对象：甲，乙 投票理由：都可疑",
        "投票对象：弃权，不然就 甲",
        "投票对象：甲\n投票对象：乙",
        "投票对象：甲\n投票理由：x\n改票对象：乙",
    ] {
        fails(text, &Malformed::Several);
    }
    fails("投票对象：无名氏\n投票理由：直觉", &unknown("无名氏", None));
    fails("投票对象：比利玉", &unknown("比利玉", Some("比利王")));
    fails("投票对象：甲不是好人", &unknown("甲不是好人", None));
    fails("投票对象：0", &unknown("0", None));
    fails("投票对象：99", &unknown("99", None));
    fails("投票对象：-1", &unknown("-1", None));
    fails("投票对象：1.5", &unknown("1.5", None));
    fails("投票对象：@10099", &unknown("@10099", None));
    fails(
        "投票对象：[CQ:at,qq=10002]",
        &unknown("[cq:at,qq=10…", None),
    );
    fails("投票对象：😀😀", &unknown("😀😀", None));
    fails("投票对象：。。。", &unknown("。。。", None));
}

#[test]
fn the_same_seat_named_twice_is_one() {
    votes("投票对象：甲 1号", seat("甲"));
}

#[test]
fn a_seat_may_be_called_like_the_form() {
    votes("投票对象：投票理由", seat("投票理由"));
    votes("投票对象：投票理由 投票理由：名字怪", seat("投票理由"));
}

#[test]
fn two_aliases_that_differ_in_a_blank_are_told_apart() {
    let seats = ["ab", "a b"].map(|alias| SeatName {
        alias: alias.to_owned(),
        user: None,
    });
    let known = Vocabulary::new(Names::default(), seats.to_vec());
    let choice = |text| read(text, &known).unwrap().map(|line| line.choice);
    assert_eq!(choice("投票对象：ab"), Ok(Choice::Seat(SeatId(0))));
    assert_eq!(choice("投票对象：a b"), Ok(Choice::Seat(SeatId(1))));
    assert!(choice("投票对象：a  b c").is_ok(), "words behind a name");
    assert!(choice("投票对象：abc").is_err());
}

#[test]
fn long_posts_are_read_like_short_ones() {
    let reason = "很".repeat(10_000);
    votes(&format!("投票对象：van\n投票理由：{reason}"), seat("van"));
    votes(&format!("投票对象：van 投票理由：{reason}"), seat("van"));
    fails(
        &format!("投票对象：{reason}"),
        &unknown("很很很很很很很很很很很很…", None),
    );
    let blanks = "很 ".repeat(10_000);
    assert!(matches!(
        read(&format!("投票对象：{blanks}"), &known()),
        Some(Err(_))
    ));
    votes(
        &format!("投票对象：van\n{}", "\n".repeat(10_000)),
        seat("van"),
    );
}

#[test]
fn single_words() {
    for text in ["确认", " /确认。", "确认！", "确认...\n"] {
        assert!(is_confirmation(text), "{text:?}");
    }
    for text in ["确认了吗", "不确认", "确认 甲", "", "票型"] {
        assert!(!is_confirmation(text), "{text:?}");
    }
    assert!(is_question("#票型？"));
    assert!(!is_question("票型真怪"));
}

#[test]
fn petitions() {
    for text in [
        "申请加速",
        " 申请加速 ",
        "申请加速！",
        "/申请加速",
        "申请加速，没什么可说的",
        "申请加速\n困了",
    ] {
        assert_eq!(petition(text), Some(Petition::Faster), "{text:?}");
    }
    assert_eq!(petition("申请延时 没聊完"), Some(Petition::Slower));
    for text in [
        "申请加速的人都是狼",
        "我申请加速",
        "申请",
        "加速",
        "申请延时间",
        "",
    ] {
        assert_eq!(petition(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in any::<String>()) {
        let _ = read(&text, &known());
        let _ = petition(&text);
    }

    #[test]
    fn any_attempt_is_read_without_panic(
        text in "(投票|改票)[ \n]?(对象|理由)?[：: ]?[甲乙桑vV@0-9号 、，\"「」\n❤\u{200b}投票理由对象：]{0,30}",
    ) {
        prop_assert!(read(&text, &known()).is_some());
    }

    #[test]
    fn every_seat_can_be_named_in_every_way(
        place in 0..ALIASES.len(),
        way in 0..4_usize,
        colon in prop::sample::select(vec!["：", ":", " : "]),
        reason in prop::sample::select(vec!["", "\n投票理由：他", " 投票理由：他", "\n他"]),
    ) {
        let number = place + 1;
        let name = [
            ALIASES[place].to_owned(),
            ALIASES[place].to_uppercase(),
            format!("{number}号"),
            format!("@{}", 10_000 + number),
        ];
        let text = format!("投票对象{colon}{}{reason}", name[way]);
        let line = VoteLine { word: VoteWord::Vote, choice: seat(ALIASES[place]) };
        prop_assert_eq!(read(&text, &known()), Some(Ok(line)), "{}", text);
    }

    #[test]
    fn a_reason_never_changes_the_vote(reason in "[^\r\n]{0,40}") {
        let text = format!("投票对象：van\n投票理由：{reason}");
        let line = VoteLine { word: VoteWord::Vote, choice: seat("van") };
        prop_assert_eq!(read(&text, &known()), Some(Ok(line)));
    }
}
