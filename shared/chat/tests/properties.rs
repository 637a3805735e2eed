//! Whatever is typed is read without harm, and what was read can be printed and read again.

mod common;

use chat::{
    Answer, DirectorCommand, Reader, Said, Target, opening, opening_words, print, read,
    square_skill, square_word,
};
use common::{ALIASES, SKILLS, vocabulary};
use proptest::prelude::*;
use rules::board::Colour;
use rules::input::{Order, Ruling};
use rules::{FactionId, RoleId, SeatId, SkillId, StateId};

/// Lines made of what commands are made of, well and badly put together.
fn pieces() -> impl Strategy<Value = String> {
    const KNOWN: [&str; 52] = [
        "预言",
        "预言家",
        "荣光",
        "杀人",
        "放弃",
        "我",
        "裁定",
        "状态",
        "出局",
        "票权",
        "代发",
        "代投",
        "回答",
        "红牌",
        "延时",
        "开局",
        "报名",
        "投",
        "遗言",
        "甲",
        "甲乙",
        "Van 桑",
        "van",
        "3",
        "3号",
        "99",
        "@10003",
        "1.5",
        "半小时",
        "是",
        "村民阵营",
        "女巫",
        "｜",
        "|",
        " ",
        "　",
        "、",
        "，",
        "：",
        ":",
        "\"",
        "「",
        "」",
        "/",
        ".",
        "。",
        "\n",
        "=",
        "\u{200b}",
        "😀",
        "&#91;CQ:at,qq=1&#93;",
        "[CQ:at,qq=all]",
    ];
    let piece = prop_oneof![4 => prop::sample::select(&KNOWN[..]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn seat() -> impl Strategy<Value = SeatId> {
    (0..6_u8).prop_map(SeatId)
}

fn skill() -> impl Strategy<Value = SkillId> {
    (0..15_u16).prop_map(SkillId)
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![seat().prop_map(Target::Seat), Just(Target::Abstain)]
}

fn text() -> impl Strategy<Value = String> {
    "[一-龥a-z0-9]{1,6}( [一-龥！？]{1,6}){0,2}"
}

fn reason() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), text()]
}

fn ruling() -> impl Strategy<Value = Ruling> {
    let state = || (0..3_u8).prop_map(StateId);
    let faction = || (0..3_u8).prop_map(FactionId);
    prop_oneof![
        seat().prop_map(Ruling::PutOut),
        seat().prop_map(Ruling::BringBack),
        (seat(), state()).prop_map(|(seat, state)| Ruling::Lay(seat, state)),
        (seat(), state()).prop_map(|(seat, state)| Ruling::Lift(seat, state)),
        (seat(), skill()).prop_map(|(seat, skill)| Ruling::Give(seat, skill)),
        (seat(), skill()).prop_map(|(seat, skill)| Ruling::Take(seat, skill)),
        (seat(), faction()).prop_map(|(seat, faction)| Ruling::Faction(seat, faction)),
        (seat(), faction(), (0..4_u8).prop_map(RoleId))
            .prop_map(|(seat, faction, role)| Ruling::Face(seat, faction, role)),
        (seat(), 0..10_000).prop_map(|(seat, weight)| Ruling::Weight(seat, weight)),
        (seat(), text()).prop_map(|(seat, text)| Ruling::Tell(seat, text)),
        (1..10_000_u32).prop_map(Ruling::ExtendWindow),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    let colour = prop::sample::select(vec![Colour::Blue, Colour::Yellow, Colour::Red]);
    prop_oneof![
        prop::sample::select(vec![
            Order::Start,
            Order::Next,
            Order::CloseDoor,
            Order::OpenDoor,
            Order::SpeedUp,
            Order::Pause,
            Order::Resume,
            Order::Rewind,
        ]),
        (1..86_400_000_i64).prop_map(Order::Extend),
        (seat(), colour, reason()).prop_map(|(seat, colour, reason)| Order::Card {
            seat,
            colour,
            reason
        }),
        text().prop_map(Order::Announce),
        prop::option::of((0..3_u8).prop_map(FactionId)).prop_map(Order::End),
        (ruling(), reason()).prop_map(|(ruling, reason)| Order::Rule { ruling, reason }),
    ]
}

fn command() -> impl Strategy<Value = DirectorCommand> {
    use DirectorCommand as C;
    let answer = prop::sample::select(vec![Answer::Yes, Answer::No, Answer::CannotSay]);
    prop_oneof![
        Just(C::Deal),
        order().prop_map(C::Order),
        (seat(), target()).prop_map(|(voter, target)| C::VoteFor { voter, target }),
        (seat(), skill().prop_map(|skill| Said::Decline(Some(skill)))).prop_map(|(seat, said)| {
            C::ActFor {
                seat,
                said: Box::new(said),
            }
        }),
        (seat(), any::<u64>()).prop_map(|(seat, user)| C::Substitute { seat, user }),
        (seat(), any::<u64>()).prop_map(|(seat, user)| C::Coach { seat, user }),
        (1..=u32::MAX, answer).prop_map(|(item, answer)| C::Answer { item, answer }),
        prop::option::of(1..=u32::MAX).prop_map(C::Release),
        (1..=u32::MAX, reason()).prop_map(|(item, reason)| C::Reject { item, reason }),
        prop::sample::select(vec![C::Remind, C::Hold, C::Reckoning, C::State]),
    ]
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        prop::option::of(skill()).prop_map(Said::Decline),
        text().prop_map(Said::LastWords),
        prop::option::of("[一-龥a-z]{1,6}( [一-龥]{1,4})?").prop_map(Said::SignUp),
        text().prop_map(Said::Diary),
        text().prop_map(Said::Say),
        (target(), reason()).prop_map(|(target, reason)| Said::Vote { target, reason }),
        prop::sample::select(vec![
            Said::Status,
            Said::Help(None),
            Said::Confirm,
            Said::Quit,
            Said::Elevator,
            Said::Ballots,
            Said::Notices,
            Said::Surrender,
            Said::AgreeSurrender,
            Said::VotePost,
            Said::Petition,
            Said::Run,
            Said::Withdraw,
            Said::Open,
        ]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_text_is_read_without_harm(line in ".{0,60}") {
        let known = vocabulary();
        let _ = read(&line, &known, Reader::Player);
        let _ = read(&line, &known, Reader::Director);
        let _ = (square_word(&line), square_skill(&line, &SKILLS), opening_words(&line), opening(&line));
    }

    #[test]
    fn what_was_read_can_be_printed_and_read_again(line in pieces()) {
        let known = vocabulary();
        for reader in [Reader::Player, Reader::Director] {
            if let Ok(said) = read(&line, &known, reader) {
                let printed = print(&said, &known);
                prop_assert_eq!(read(&printed, &known, reader), Ok(said), "{} -> {}", line, printed);
            }
        }
        let _ = (square_word(&line), square_skill(&line, &SKILLS), opening(&line));
    }

    #[test]
    fn commands_print_and_read(said in said()) {
        let known = vocabulary();
        let printed = print(&said, &known);
        prop_assert_eq!(read(&printed, &known, Reader::Player), Ok(said), "{}", printed);
    }

    #[test]
    fn director_commands_print_and_read(command in command()) {
        let known = vocabulary();
        let said = Said::Director(command);
        let printed = print(&said, &known);
        prop_assert_eq!(read(&printed, &known, Reader::Director), Ok(said), "{}", printed);
    }

    #[test]
    fn seats_are_named_in_any_way(seat in seat(), skill in skill(), way in 0..6) {
        let known = vocabulary();
        let (alias, name) = (ALIASES[seat.index()], SKILLS[skill.index()]);
        let number = seat.number();
        let line = match way {
            0 => format!("{name} {alias}"),
            1 => format!("{name}　\"{alias}\""),
            2 => format!("{name} {number}"),
            3 => format!("{name}{number}号"),
            4 => format!("{name} @{}", 10001 + u64::from(seat.0)),
            _ => format!("/{name}、{}", alias.to_uppercase()),
        };
        let Ok(Said::Skill { skill: read, words, .. }) = read(&line, &known, Reader::Player) else {
            return Err(TestCaseError::fail(line));
        };
        prop_assert_eq!(read, skill);
        prop_assert_eq!(words.len(), 1);
        prop_assert_eq!(words[0].seat, Some(seat));
    }
}
