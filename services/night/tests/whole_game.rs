//! A whole game of m158 by its aggregate alone: what is typed, what everyone reads of it.

mod common;

use common::{DIRECTOR, Ear, Sim, player, settings};
use protocol::{RosterState, UserId};
use rules::book::ThreadKind;

/// The director goes on until the square reads this.
fn go_on_until(sim: &mut Sim, words: &str) -> String {
    let mut read = String::new();
    for _ in 0..20 {
        read.push_str(&sim.heard_in_square());
        if read.contains(words) {
            return read;
        }
        sim.private(DIRECTOR, "下一步");
    }
    panic!("the square never read {words:?}: {read}");
}

/// Everybody named votes for this seat; nobody else votes.
fn all_vote(sim: &mut Sim, voters: &[UserId], target: UserId) {
    sim.private(DIRECTOR, "关门");
    let ballots: Vec<_> = voters.iter().map(|voter| (*voter, Some(target))).collect();
    sim.book(&ballots);
}

struct Cast {
    seer: UserId,
    hunter: UserId,
    knight: UserId,
    villagers: Vec<UserId>,
    wolf: UserId,
    king: UserId,
    demon: UserId,
    witch: UserId,
    shaman: UserId,
}

impl Cast {
    fn of(sim: &mut Sim) -> Self {
        Self {
            seer: sim.one_with_role("预言家"),
            hunter: sim.one_with_role("猎人"),
            knight: sim.one_with_role("荣光骑士"),
            villagers: sim.with_role("村民"),
            wolf: sim.one_with_role("狼人"),
            king: sim.one_with_role("黑狼王"),
            demon: sim.one_with_role("恶魔"),
            witch: sim.one_with_role("女巫"),
            shaman: sim.one_with_role("图腾萨满"),
        }
    }
}

#[test]
fn from_the_deal_to_the_reveal() {
    let mut sim = Sim::dealt("m158 日历=manual");
    let cast = Cast::of(&mut sim);
    let everyone: Vec<UserId> = (0..14).map(player).collect();
    sim.forget();

    sim.private(DIRECTOR, "开始");
    assert!(sim.heard_in_square().contains("开局"));
    sim.private(cast.shaman, "模式选择 保护图腾");
    assert!(sim.heard_by(cast.shaman).contains("收到"));

    first_night(&mut sim, &cast);
    election(&mut sim, &cast, &everyone);
    let standing = first_day(&mut sim, &cast, &everyone);
    second_night_and_day(&mut sim, &cast, &standing);

    sim.group(
        cast.king,
        "狼群",
        &format!("杀人 {}", sim.alias_of(cast.villagers[3])),
    );
    let is_over = <night::Night as kit::Aggregate>::IS_OVER.unwrap();
    assert!(!is_over(&sim.night));
    let end = go_on_until(&mut sim, "狼人阵营");
    assert!(is_over(&sim.night));
    for user in &everyone {
        assert!(
            end.contains(&sim.alias_of(*user)),
            "everybody is revealed: {end}"
        );
    }
    assert!(end.contains("女巫") && end.contains("恶魔"), "{end}");
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Over);
    assert!(sim.groups.is_empty() && sim.tally_over && sim.deadlines.is_empty());
    sim.forget();
    sim.private(cast.seer, "预言 1");
    assert!(sim.heard_by(cast.seer).contains("结束"));
    sim.private(DIRECTOR, "结算");
    assert!(sim.heard_by_director().contains("杀人"));
    sim.replayed_is_the_same();
}

fn first_night(sim: &mut Sim, cast: &Cast) {
    let victim = sim.alias_of(cast.villagers[0]);
    let square = go_on_until(sim, "第1夜");
    assert!(!square.contains(&victim), "{square}");
    sim.forget();
    sim.private(cast.seer, &format!("预言 {}", sim.alias_of(cast.wolf)));
    sim.private(
        cast.knight,
        &format!("荣光庇护 {}", sim.alias_of(cast.seer)),
    );
    sim.private(
        cast.shaman,
        &format!("保护图腾 {}", sim.alias_of(cast.seer)),
    );
    sim.group(cast.wolf, "狼群", &format!("杀人 {victim}"));
    assert!(sim.heard_by(cast.seer).contains("收到"));
    assert!(sim.heard(&Ear::Group("狼群".into())).contains(&victim));
    assert_eq!(sim.heard(&Ear::Group("魔女会".into())), "");

    sim.private(DIRECTOR, "下一步");
    assert!(sim.heard_by(cast.seer).contains("狼人阵营"));
    sim.private(cast.demon, &format!("恶魔之眼 {}", sim.alias_of(cast.seer)));
    sim.private(DIRECTOR, "下一步");
    assert!(sim.heard_by(cast.demon).contains("神职"));
    let insight = sim.heard_by(cast.witch);
    assert!(insight.contains(&victim), "灵通: {insight}");
    sim.private(cast.witch, "放弃");
    sim.forget();
    sim.private(DIRECTOR, "下一步");
    let dawn = sim.everything();
    assert!(
        !dawn.contains(&format!("{victim}出局")),
        "nothing is public yet: {dawn}"
    );
    sim.private(cast.villagers[0], "我");
    let own = sim.heard_by(cast.villagers[0]);
    assert!(!own.contains("出局"), "nor is the seat told: {own}");
}

fn election(sim: &mut Sim, cast: &Cast, everyone: &[UserId]) {
    let square = go_on_until(sim, "竞选");
    assert!(!square.contains("出局"), "{square}");
    let thread = sim.open_thread().clone();
    assert_eq!(
        (thread.kind, thread.voters.len()),
        (ThreadKind::Election, 14)
    );
    sim.forget();
    all_vote(sim, everyone, cast.seer);
    let square = sim.heard_in_square();
    assert!(square.contains(&sim.alias_of(cast.seer)), "{square}");
    let out = sim.heard_by(cast.villagers[0]);
    assert!(
        out.contains("遗言"),
        "the first night's victim may leave last words: {out}"
    );
    sim.private(cast.villagers[0], "遗言 刀我的是狼");
    assert!(!sim.heard_by(cast.villagers[0]).is_empty());
    sim.private(cast.villagers[1], "遗言 我也要说");
    let refused = sim.heard_by(cast.villagers[1]);
    assert!(!refused.contains("收到"), "{refused}");
    sim.private(cast.seer, "我");
    let own = sim.heard_by(cast.seer);
    assert!(own.contains("状态：警长"), "{own}");
}

/// The hunter is voted out and shoots a wolf. Who is left.
fn first_day(sim: &mut Sim, cast: &Cast, everyone: &[UserId]) -> Vec<UserId> {
    let victim = sim.alias_of(cast.villagers[0]);
    let square = go_on_until(sim, "第1天");
    assert!(
        square.contains(&victim) && square.contains("刀我的是狼"),
        "{square}"
    );
    let thread = sim.open_thread().clone();
    assert_eq!((thread.kind, thread.voters.len()), (ThreadKind::Day, 13));
    sim.square(player(0), "电梯");
    assert!(sim.heard_in_square().contains(&format!("{victim}（出局）")));
    sim.private(cast.seer, "预言 1");
    let refused = sim.heard_by(cast.seer);
    assert!(!refused.contains("收到"), "not by day: {refused}");
    sim.private(cast.villagers[0], "我");
    assert!(sim.heard_by(cast.villagers[0]).contains("已出局"));

    let standing: Vec<UserId> = everyone
        .iter()
        .copied()
        .filter(|user| *user != cast.villagers[0])
        .collect();
    sim.forget();
    all_vote(sim, &standing, cast.hunter);
    let square = sim.heard_in_square();
    assert!(square.contains(&sim.alias_of(cast.hunter)), "{square}");
    let asked = sim.heard_by(cast.hunter);
    assert!(asked.contains("最后一枪"), "{asked}");
    sim.private(
        cast.hunter,
        &format!("最后一枪 {}", sim.alias_of(cast.wolf)),
    );
    let shot = go_on_until(sim, &sim.alias_of(cast.wolf));
    assert!(
        shot.contains(&sim.alias_of(cast.hunter)),
        "the shot is public: {shot}"
    );
    assert!(!shot.contains("狼人"), "but no card: {shot}");
    standing
        .into_iter()
        .filter(|user| *user != cast.hunter && *user != cast.wolf)
        .collect()
}

fn second_night_and_day(sim: &mut Sim, cast: &Cast, standing: &[UserId]) {
    let (second, third) = (cast.villagers[1], cast.villagers[2]);
    if !sim.heard_in_square().contains("第2夜") {
        go_on_until(sim, "第2夜");
    }
    sim.group(cast.king, "狼群", &format!("杀人 {}", sim.alias_of(second)));
    sim.private(cast.wolf, &format!("杀人 {}", sim.alias_of(third)));
    let refused = sim.heard_by(cast.wolf);
    assert!(
        !refused.contains("收到"),
        "who is out kills no more: {refused}"
    );
    let square = go_on_until(sim, "第2天");
    assert!(square.contains(&sim.alias_of(second)), "{square}");
    let voters: Vec<UserId> = standing
        .iter()
        .copied()
        .filter(|user| *user != second)
        .collect();
    all_vote(sim, &voters, third);
    let square = go_on_until(sim, "第3夜");
    assert!(square.contains(&sim.alias_of(third)), "{square}");
}

#[test]
fn a_quick_game_in_which_nobody_does_anything_runs_by_itself() {
    let mut sim = Sim::dealt("m158 日历=quick");
    sim.private(DIRECTOR, "开始");
    let mut passed = 0;
    while sim.roster.as_ref().unwrap().state != RosterState::Over && passed < 60 {
        let books = sim.closes.len();
        let before = sim.deadlines.clone();
        sim.pass();
        if sim.closes.len() > books {
            sim.book(&[]);
        }
        assert_ne!(sim.deadlines, before, "time goes on");
        passed += 1;
    }
    assert!(passed >= 10, "{passed}");
    sim.replayed_is_the_same();
}

#[test]
fn a_slow_game_keeps_its_hours() {
    let mut sim = Sim::new(settings(2));
    sim.open("m158 日历=slow");
    for n in 0..14 {
        sim.sign_up(n);
    }
    sim.private(DIRECTOR, "发牌");
    sim.private(DIRECTOR, "开始");
    // Typed at 20:00 on Monday: the opening ends at 21:30, the night's first window at 22:00.
    assert_eq!(sim.deadlines[0].at, common::START.plus_minutes(90));
    sim.pass();
    assert_eq!(sim.deadlines[0].at, common::START.plus_minutes(120));
    let seer = sim.one_with_role("预言家");
    sim.private(seer, "我");
    assert!(
        sim.heard_by(seer).ends_with("｜22:00"),
        "the fixed form shows the hour"
    );
}

#[test]
fn the_same_lines_make_the_same_game() {
    let play = || {
        let mut sim = Sim::dealt("m158 日历=quick");
        sim.private(DIRECTOR, "开始");
        for _ in 0..8 {
            let books = sim.closes.len();
            sim.pass();
            if sim.closes.len() > books {
                sim.book(&[(player(1), Some(player(2)))]);
            }
        }
        sim.everything()
    };
    assert_eq!(play(), play());
}
