//! Whatever people type, wherever: nothing panics, a saved and loaded game goes on the same (the
//! harness takes every step twice), and no card is told in public before the end.

mod common;

use common::{DIRECTOR, Ear, Sim, player};
use proptest::prelude::*;
use protocol::{Place, RosterState, ToNight, UserId};

const CARDS: [&str; 11] = [
    "预言家",
    "荣光骑士",
    "猎人",
    "守墓人",
    "村民",
    "黑狼王",
    "恶魔",
    "狼人",
    "女巫",
    "图腾萨满",
    "侍僧",
];

/// What somebody does.
#[derive(Debug, Clone)]
enum Deed {
    Line { who: u64, place: u8, text: String },
    Order(&'static str),
    Ring,
    Watermark,
    Book(Vec<(u64, Option<u64>)>),
    Reach(u64, bool),
}

fn text() -> impl Strategy<Value = String> {
    let rest = prop_oneof![
        Just(String::new()),
        (0..16_u64).prop_map(|n| format!(" {n}")),
        (0..14_u64).prop_map(|n| format!(" {}", common::alias(n))),
        (0..14_u64, 0..14_u64).prop_map(|(a, b)| format!(" {a} {b}")),
        Just(" 诱饵图腾".to_owned()),
        ".{0,20}",
    ];
    (prop::sample::select(&WORDS[..]), rest).prop_map(|(word, rest)| format!("{word}{rest}"))
}

const WORDS: [&str; 32] = [
    "预言",
    "救药",
    "毒药",
    "杀人",
    "冲锋",
    "报复",
    "荣光庇护",
    "荣光审判",
    "恶魔之眼",
    "模式选择",
    "保护图腾",
    "诱饵图腾",
    "最后一枪",
    "殉职",
    "撕警徽",
    "放弃",
    "我",
    "电梯",
    "公告",
    "投降",
    "同意投降",
    "投票对象：甲",
    "竞选",
    "退出",
    "报名",
    "暂停",
    "开始",
    "红牌",
    "",
    "😀",
    "[CQ:at,qq=all]",
    "<b>",
];

fn deed() -> impl Strategy<Value = Deed> {
    const ORDERS: [&str; 14] = [
        "下一步",
        "下一步",
        "下一步",
        "关门",
        "开门",
        "加速",
        "延时 5分钟",
        "暂停",
        "继续",
        "催票",
        "状态",
        "结算",
        "回档",
        "代发 1 杀人 2",
    ];
    let book = prop::collection::vec((0..14_u64, prop::option::of(0..14_u64)), 0..10);
    prop_oneof![
        8 => (0..16_u64, 0..4_u8, text()).prop_map(|(who, place, text)| Deed::Line { who, place, text }),
        4 => prop::sample::select(&ORDERS[..]).prop_map(Deed::Order),
        2 => Just(Deed::Ring),
        3 => Just(Deed::Watermark),
        2 => book.prop_map(Deed::Book),
        1 => (0..16_u64, any::<bool>()).prop_map(|(who, reachable)| Deed::Reach(who, reachable)),
    ]
}

fn place(number: u8) -> Place {
    match number {
        0 => Place::Private,
        1 => Place::Square,
        2 => Place::Group("狼群".to_owned()),
        _ => Place::Group("魔女会".to_owned()),
    }
}

fn take(sim: &mut Sim, deed: Deed) {
    sim.now = sim.now.plus_ms(1_000);
    match deed {
        Deed::Line {
            who,
            place: number,
            text,
        } => sim.type_line(player(who), place(number), &text),
        Deed::Order(order) => sim.private(DIRECTOR, order),
        Deed::Ring if !sim.deadlines.is_empty() => sim.ring(),
        Deed::Watermark => sim.watermark(sim.now),
        Deed::Book(ballots) if !sim.closes.is_empty() => {
            let mut voters: Vec<UserId> = Vec::new();
            let mut of_players = Vec::new();
            for (voter, target) in ballots {
                if !voters.contains(&player(voter)) {
                    voters.push(player(voter));
                    of_players.push((player(voter), target.map(player)));
                }
            }
            sim.book(&of_players);
        }
        Deed::Ring | Deed::Book(_) => {}
        Deed::Reach(who, reachable) => sim.step(&ToNight::Reach {
            user: player(who),
            reachable,
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nobody_breaks_a_game(
        calendar in prop::sample::select(vec!["quick", "manual", "slow"]),
        deeds in prop::collection::vec(deed(), 1..80),
    ) {
        let mut sim = Sim::dealt(&format!("m158 日历={calendar}"));
        sim.private(DIRECTOR, "开始");
        sim.forget();
        for deed in deeds {
            let shown = format!("{deed:?}");
            take(&mut sim, deed);
            // A window of the night is called by a role; it opens whoever is in play.
            let square = sim.heard(&Ear::Square).replace("· 女巫", "");
            if sim.roster.as_ref().is_some_and(|roster| roster.state == RosterState::Over) {
                break;
            }
            for card in CARDS {
                prop_assert!(!square.contains(card), "after {}: {}", shown, square);
            }
        }
        sim.replayed_is_the_same();
    }
}
