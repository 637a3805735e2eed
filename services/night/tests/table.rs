//! A running game: who may type what where, the director's commands, deadlines and watermarks.

mod common;

use common::{DIRECTOR, Ear, Sim, player};
use protocol::{Phrase, RosterState, ToNight, UserId};
use rules::book::{ClosedBook, ThreadId, ThreadKind};
use rules::{SeatId, Time, Turn};

/// In the first window of night 1.
fn night_one(words: &str) -> Sim {
    let mut sim = Sim::dealt(words);
    sim.private(DIRECTOR, "开始");
    sim.private(DIRECTOR, "下一步");
    sim.forget();
    sim
}

/// A villager, and somebody of the pack.
fn villager_and_wolf(sim: &mut Sim) -> (UserId, UserId) {
    (sim.with_role("村民")[0], sim.one_with_role("狼人"))
}

#[test]
fn nothing_can_be_used_before_the_opening() {
    let mut sim = Sim::dealt("m158 日历=manual");
    let seer = sim.one_with_role("预言家");
    sim.forget();
    sim.private(seer, "预言 1");
    let heard = sim.heard_by(seer);
    assert!(!heard.is_empty() && !heard.contains("收到"), "{heard}");
    sim.private(DIRECTOR, "开始");
    assert!(sim.heard_in_square().contains("开局"));
    sim.private(DIRECTOR, "开始");
    let heard = sim.heard_by_director();
    assert!(!heard.contains("好了。\n好了。"), "{heard}");
}

#[test]
fn secrets_in_the_wrong_place_are_refused_without_repeating_them() {
    let mut sim = night_one("m158 日历=manual");
    let (villager, wolf) = villager_and_wolf(&mut sim);
    let victim = sim.alias_of(villager);
    for text in [
        format!("杀人 {victim}"),
        "遗言 我是狼".to_owned(),
        "投降".to_owned(),
    ] {
        sim.square(wolf, &text);
        let square = sim.heard_in_square();
        assert!(square.contains("私聊"), "{text}: {square}");
        assert!(
            !square.contains(&victim) && !square.contains("狼"),
            "{square}"
        );
        assert_eq!(sim.everything(), "", "nobody else hears of it");
    }
    sim.group(wolf, "狼群", "我");
    assert!(
        sim.heard(&Ear::Group("狼群".into())).contains("私聊"),
        "no card in a group"
    );
    let demon = sim.one_with_role("恶魔");
    sim.group(demon, "狼群", &format!("恶魔之眼 {victim}"));
    let group = sim.heard(&Ear::Group("狼群".into()));
    assert!(group.contains("私聊") && !group.contains("恶魔"), "{group}");
}

#[test]
fn the_pack_speaks_in_its_group_and_the_bot_keeps_out_of_it() {
    let mut sim = night_one("m158 日历=manual");
    let (villager, wolf) = villager_and_wolf(&mut sim);
    let victim = sim.alias_of(villager);
    for talk in ["晚上刀谁", "我觉得丙像预言家", "😀", "好的"] {
        sim.group(wolf, "狼群", talk);
        assert!(sim.ignored, "{talk}");
    }
    sim.group(wolf, "狼群", &format!("杀人 {victim}"));
    let group = sim.heard(&Ear::Group("狼群".into()));
    assert!(group.contains(&victim), "{group}");
    assert_eq!(sim.everything(), "", "the group's notice is the receipt");
    let king = sim.one_with_role("黑狼王");
    sim.private(king, &format!("杀人 {victim}"));
    let receipt = sim.heard_by(king);
    assert!(
        receipt.contains("收到") || receipt.contains("改为"),
        "{receipt}"
    );
    assert!(
        sim.heard(&Ear::Group("狼群".into())).contains(&victim),
        "all hear who chose whom"
    );
    sim.group(wolf, "狼群", "放弃");
    let group = sim.heard(&Ear::Group("狼群".into()));
    assert!(
        group.contains("杀人"),
        "declined is the group's own skill: {group}"
    );
}

#[test]
fn commands_that_are_not_understood() {
    let mut sim = night_one("m158 日历=manual");
    let seer = sim.one_with_role("预言家");
    for (text, answer) in [
        ("予言 甲", "“预言”"),
        ("今晚怎么办", "帮助"),
        ("预言 飞飞", "没有叫“飞飞”的座位"),
        ("预言 99", "没有叫“99”的座位"),
        ("预言 4294967296", "没有叫“4294967296”的座位"),
        ("预言 @31999", "没有叫“@31999”的座位"),
        ("放弃 飞天", "没有叫“飞天”的技能"),
        ("暂停", "导演的命令"),
        ("申请加速", "公屏"),
        ("竞选", "直接投票"),
        ("树洞 好累", "用不到"),
        ("报名", "已经发过牌"),
        ("遗言", "写法：遗言"),
    ] {
        sim.private(seer, text);
        let heard = sim.heard_by(seer);
        assert!(heard.contains(answer), "{text}: {heard}");
        assert_eq!(sim.everything(), "", "{text}");
    }
    let long = "长".repeat(10_000);
    sim.private(seer, &long);
    assert!(sim.heard_by(seer).chars().count() < 100);
    sim.square(seer, "今晚怎么办");
    assert!(sim.ignored);
}

#[test]
fn somebody_without_a_seat_learns_and_does_nothing() {
    let mut sim = night_one("m158 日历=manual");
    let stranger = UserId(999);
    for text in ["预言 1", "我", "遗言 哈哈", "投降"] {
        sim.private(stranger, text);
        assert!(sim.heard_by(stranger).contains("没有座位"), "{text}");
    }
    sim.square(stranger, "预言 1");
    assert!(sim.ignored);
    sim.square(stranger, "电梯");
    assert!(sim.heard_in_square().contains("在场14人"));
    sim.square(stranger, "暂停");
    assert!(sim.ignored);
}

#[test]
fn own_status_has_its_fixed_form() {
    let mut sim = night_one("m158 日历=quick");
    let seer = sim.one_with_role("预言家");
    sim.private(seer, "我");
    let heard = sim.heard_by(seer);
    let lines: Vec<&str> = heard.lines().collect();
    assert!(lines[0].ends_with("｜预言家｜村民阵营"), "{heard}");
    assert_eq!(lines[1], "状态：无");
    let fields: Vec<&str> = lines[2].split('｜').collect();
    assert_eq!(lines.len(), 3, "{heard}");
    assert_eq!((fields[0], fields[1]), ("预言", "∞"));
    assert_eq!(fields[2].split('、').count(), 14, "{heard}");
    assert!(fields[3].len() == 5 && fields[3].contains(':'), "{heard}");
    let villager = sim.with_role("村民")[0];
    sim.private(villager, "状态");
    assert_eq!(sim.heard_by(villager).lines().count(), 2);
    let witch = sim.one_with_role("女巫");
    sim.private(DIRECTOR, "下一步");
    sim.private(DIRECTOR, "下一步");
    sim.forget();
    sim.private(witch, "我");
    let heard = sim.heard_by(witch);
    assert!(
        heard.contains("救药｜1｜") && heard.contains("毒药｜1｜"),
        "{heard}"
    );
}

#[test]
fn only_the_director_of_this_game_directs_it_and_hears_in_private() {
    let mut sim = night_one("m158 日历=manual");
    sim.square(DIRECTOR, "状态");
    assert_eq!(sim.heard_in_square(), "", "never in public");
    let state = sim.heard_by(DIRECTOR);
    assert!(
        state.contains("预言家") && state.contains("夜晚 1"),
        "{state}"
    );
    let other_director = UserId(2);
    let mut line = sim.line(other_director, protocol::Place::Private, "状态");
    line.speaker.director = true;
    sim.step(&ToNight::Line(line));
    let heard = sim.heard_by(other_director);
    assert!(!heard.contains("预言家"), "{heard}");
    let seat = player(0);
    let mut line = sim.line(seat, protocol::Place::Private, "结束 狼人阵营");
    line.speaker.director = true;
    sim.step(&ToNight::Line(line));
    assert!(
        sim.heard_by(seat).contains("导演的命令"),
        "a seat never directs"
    );
    sim.square(DIRECTOR, "裁定 出局 99");
    assert_eq!(sim.heard_in_square(), "");
}

#[test]
fn directors_commands_reach_the_rules() {
    let mut sim = night_one("m158 日历=manual");
    let seer = sim.one_with_role("预言家");
    let wolf = sim.one_with_role("狼人");
    let (seer_alias, wolf_alias) = (sim.alias_of(seer), sim.alias_of(wolf));
    sim.private(DIRECTOR, &format!("代发 {seer_alias} 预言 {wolf_alias}"));
    assert!(sim.heard_by(seer).contains(&wolf_alias));
    assert!(sim.heard_by_director().contains("好了"));
    sim.private(DIRECTOR, &format!("代发 {seer_alias} 毒药 {wolf_alias}"));
    let refused = sim.heard_by_director();
    assert!(refused.contains("毒药"), "{refused}");
    assert_eq!(
        sim.heard_by(seer),
        "",
        "the seat does not hear of a slip of the director's"
    );
    sim.private(DIRECTOR, "公示 今晚照常");
    assert!(sim.heard_in_square().contains("今晚照常"));
    sim.square(player(3), "公告");
    assert!(sim.heard_in_square().contains("今晚照常"));
    sim.private(DIRECTOR, &format!("裁定 通知 {seer_alias} 你好"));
    assert!(sim.heard_by(seer).contains("你好"));
    sim.private(DIRECTOR, "代投 甲 乙");
    assert!(sim.heard_by_director().contains("没有投票"));
    sim.private(DIRECTOR, "裁定");
    assert!(sim.heard_by_director().contains("延窗"));
    sim.private(DIRECTOR, "回答 1 是");
    assert!(sim.heard_by_director().contains("没有编号1"));
    sim.private(DIRECTOR, "催票");
    let reminded = sim.heard_by_director();
    assert!(reminded.contains("催了"), "{reminded}");
    assert!(sim.heard_by(wolf).contains("杀人"));
    assert_eq!(sim.heard_by(seer), "", "the seer has sent already");
    sim.private(DIRECTOR, "结束 村民阵营");
    let square = sim.heard_in_square();
    assert!(square.contains("村民阵营"), "{square}");
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Over);
    assert!(sim.groups.is_empty() && sim.tally_over);
    sim.private(seer, "预言 1");
    assert!(sim.heard_by(seer).contains("结束"));
    sim.replayed_is_the_same();
}

#[test]
fn held_publications_wait_for_the_word() {
    let mut sim = night_one("m158 日历=manual");
    sim.private(DIRECTOR, "放行");
    assert!(sim.heard_by_director().contains("没有扣住"));
    sim.private(DIRECTOR, "扣住");
    sim.private(DIRECTOR, "公示 第一件");
    sim.private(DIRECTOR, "公示 第二件");
    assert_eq!(sim.heard_in_square(), "");
    sim.square(player(0), "公告");
    assert!(sim.heard_in_square().contains("还没有公告"));
    sim.square(DIRECTOR, "放行");
    let square = sim.heard_in_square();
    assert!(
        square.find("第一件").unwrap() < square.find("第二件").unwrap(),
        "{square}"
    );
    sim.private(DIRECTOR, "公示 第三件");
    assert!(sim.heard_in_square().contains("第三件"));
}

#[test]
fn what_is_held_comes_out_at_the_end() {
    let mut sim = night_one("m158 日历=manual");
    sim.private(DIRECTOR, "扣住");
    sim.private(DIRECTOR, "结束 狼人阵营");
    assert!(sim.heard_in_square().contains("狼人阵营"));
}

// --- deadlines -------------------------------------------------------------------------------

#[test]
fn a_deadline_waits_for_the_watermark() {
    let mut sim = Sim::dealt("m158 日历=quick");
    assert!(sim.deadlines.is_empty(), "nothing runs before the opening");
    sim.private(DIRECTOR, "开始");
    let due = sim.deadlines[0].clone();
    assert!(due.name.starts_with("turn/"), "{due:?}");
    sim.forget();
    sim.ring();
    assert_eq!(sim.everything(), "", "nothing yet");
    let wait = sim.deadlines[0].clone();
    assert!(wait.name.starts_with("wait/"), "{wait:?}");
    sim.watermark(due.at.plus_ms(4_999));
    assert!(sim.ignored, "messages may still be on their way");
    sim.watermark(due.at.plus_ms(5_000));
    let square = sim.heard_in_square();
    assert!(square.contains("第1夜"), "{square}");
    assert!(sim.deadlines[0].name.starts_with("turn/"));
    sim.replayed_is_the_same();
}

#[test]
fn late_and_repeated_deadlines_change_nothing() {
    let mut sim = Sim::dealt("m158 日历=quick");
    sim.private(DIRECTOR, "开始");
    let due = sim.deadlines[0].clone();
    let ring = |at: Time, now: Time| ToNight::Due {
        deadline: due.name.clone(),
        at,
        now,
    };
    sim.step(&ring(due.at, due.at.plus_ms(-1)));
    assert!(sim.ignored, "before its time");
    sim.ring();
    sim.step(&ring(due.at, due.at.plus_ms(1)));
    assert!(sim.ignored, "it waits already");
    sim.watermark(due.at.plus_ms(5_000));
    sim.step(&ring(due.at, due.at.plus_ms(60_000)));
    assert!(sim.ignored, "of an earlier turn");
    sim.watermark(due.at.plus_ms(120_000));
    assert!(sim.ignored, "nothing waits");
    for name in ["", "turn/", "turn/x", "wait/1/2", "turn/99"] {
        sim.step(&ToNight::Due {
            deadline: name.to_owned(),
            at: due.at,
            now: due.at,
        });
        assert!(sim.ignored, "{name}");
    }
}

#[test]
fn sent_in_time_counts_though_it_arrives_late_and_the_other_way_round() {
    let mut sim = Sim::dealt("m158 日历=quick");
    let seer = sim.one_with_role("预言家");
    let wolf = sim.one_with_role("狼人");
    let target = sim.alias_of(wolf);
    sim.private(DIRECTOR, "开始");
    sim.pass();
    let close = sim.deadlines[0].at;
    sim.forget();
    sim.ring();
    sim.now = close.plus_ms(3_000);
    let mut late = sim.line(seer, protocol::Place::Private, &format!("预言 {target}"));
    late.stamp.secs = (close.0 + 1_500) / 1000;
    sim.step(&ToNight::Line(late));
    let heard = sim.heard_by(seer);
    assert!(heard.contains("时间已到"), "{heard}");
    let mut in_time = sim.line(seer, protocol::Place::Private, &format!("预言 {target}"));
    in_time.stamp.secs = close.0 / 1000;
    sim.step(&ToNight::Line(in_time));
    assert!(sim.heard_by(seer).contains("收到"));
    sim.watermark(close.plus_ms(5_000));
    assert!(
        sim.heard_by(seer).contains("狼人阵营"),
        "the check was made"
    );
}

#[test]
fn without_a_watermark_the_director_is_asked() {
    let mut sim = Sim::dealt("m158 日历=quick");
    sim.private(DIRECTOR, "开始");
    sim.ring();
    sim.forget();
    let ask = sim.deadlines[0].clone();
    sim.step(&ToNight::Due {
        deadline: ask.name.clone(),
        at: ask.at,
        now: ask.at.plus_ms(-1),
    });
    assert!(sim.ignored);
    sim.ring();
    let heard = sim.heard(&Ear::Directors);
    assert!(heard.contains("下一步"), "{heard}");
    let again = sim.deadlines[0].clone();
    assert!(
        again.name.starts_with("wait/") && again.at > ask.at,
        "asked again much later"
    );
    sim.private(DIRECTOR, "下一步");
    assert!(sim.heard_in_square().contains("第1夜"));
    assert!(sim.deadlines[0].name.starts_with("turn/"));
    let late = sim.now.plus_ms(3_600_000);
    sim.watermark(late);
    assert!(sim.ignored, "the wait was over");
    sim.replayed_is_the_same();
}

#[test]
fn an_extension_while_a_deadline_waits_ends_the_wait() {
    let mut sim = Sim::dealt("m158 日历=quick");
    sim.private(DIRECTOR, "开始");
    let due = sim.deadlines[0].clone();
    sim.ring();
    sim.private(DIRECTOR, "延时 10分钟");
    assert!(sim.deadlines[0].name.starts_with("turn/"));
    assert!(sim.deadlines[0].at >= due.at.plus_minutes(10));
    sim.watermark(due.at.plus_ms(5_000));
    assert!(sim.ignored, "the window is open on");
}

#[test]
fn a_paused_game_has_no_deadline() {
    let mut sim = Sim::dealt("m158 日历=quick");
    sim.private(DIRECTOR, "开始");
    sim.private(DIRECTOR, "暂停");
    assert!(sim.deadlines.is_empty());
    sim.now = sim.now.plus_minutes(30);
    sim.private(DIRECTOR, "继续");
    assert!(sim.deadlines[0].at > sim.now);
}

#[test]
fn a_manual_calendar_has_no_deadlines_at_all() {
    let mut sim = Sim::dealt("m158 日历=manual");
    sim.private(DIRECTOR, "开始");
    for _ in 0..5 {
        assert!(sim.deadlines.is_empty());
        sim.private(DIRECTOR, "下一步");
    }
}

// --- what other services say -----------------------------------------------------------------

#[test]
fn threads_go_to_tally_and_books_come_back() {
    let mut sim = night_one("m158 日历=manual");
    while sim.threads.is_empty() {
        sim.private(DIRECTOR, "下一步");
    }
    let thread = sim.open_thread().clone();
    assert_eq!(
        (thread.kind, thread.voters.len()),
        (ThreadKind::Election, 14)
    );
    let seat = sim.roster.as_ref().unwrap().seats[0].clone();
    sim.private(DIRECTOR, &format!("代投 {} 2", seat.alias));
    assert_eq!(sim.by_hand, [(SeatId(0), Some(SeatId(1)))]);
    sim.private(DIRECTOR, "关门");
    assert_eq!(sim.closes, [thread.id]);
    sim.step(&ToNight::Book {
        thread: ThreadId::default(),
        book: ClosedBook::default(),
    });
    assert!(sim.ignored, "a book of another thread");
    sim.forget();
    sim.book(&[(player(0), Some(player(1))), (player(2), None)]);
    let elected = sim.alias_of(player(1));
    assert!(sim.heard_in_square().contains(&elected));
    assert!(sim.heard_by(player(1)).contains("警长"));
    let thread = thread.id;
    sim.step(&ToNight::Book {
        thread,
        book: ClosedBook::default(),
    });
    assert!(sim.ignored, "a book that was taken already");
}

#[test]
fn each_change_of_a_thread_has_a_higher_version() {
    let mut sim = night_one("m158 日历=quick");
    while sim.threads.is_empty() {
        sim.private(DIRECTOR, "下一步");
    }
    sim.private(DIRECTOR, "暂停");
    sim.private(DIRECTOR, "继续");
    sim.private(DIRECTOR, "延时 5分钟");
    sim.private(DIRECTOR, "裁定 延窗 5");
    let versions: Vec<u32> = sim.threads.iter().map(|thread| thread.version).collect();
    assert!(versions.len() >= 5, "{versions:?}");
    assert!(
        versions.windows(2).all(|pair| pair[0] < pair[1]),
        "{versions:?}"
    );
    assert!(
        sim.threads
            .iter()
            .all(|thread| thread.id == sim.threads[0].id)
    );
}

#[test]
fn petitions_hold_by_day_only() {
    let mut sim = night_one("m158 日历=quick");
    sim.step(&ToNight::Petition {
        thread: Turn(1),
        faster: true,
        at: sim.now,
    });
    assert!(sim.ignored, "no thread is open");
}

#[test]
fn the_director_hears_of_trouble_and_sees_who_is_lost() {
    let mut sim = night_one("m158 日历=manual");
    sim.step(&ToNight::Trouble {
        phrase: Phrase::plain("director/stuck"),
    });
    assert!(sim.heard(&Ear::Directors).contains("卡住"));
    let skipped = |holds_up| ToNight::Skipped {
        message: "due/7-1/turn".to_owned(),
        holds_up,
    };
    sim.step(&skipped(true));
    assert!(sim.heard(&Ear::Directors).contains("卡住"));
    sim.step(&skipped(false));
    assert!(!sim.ignored, "it is kept for the record");
    assert_eq!(sim.heard(&Ear::Directors), "", "and nobody is told");
    let lost = |reachable| ToNight::Reach {
        user: player(0),
        reachable,
    };
    sim.step(&lost(false));
    sim.private(DIRECTOR, "状态");
    assert_eq!(sim.heard_by_director().matches("私聊不到").count(), 1);
    sim.step(&lost(false));
    assert!(sim.ignored, "known already");
    sim.private(player(0), "我");
    sim.private(DIRECTOR, "状态");
    assert!(
        !sim.heard_by_director().contains("私聊不到"),
        "who types there is there"
    );
    sim.step(&ToNight::Reach {
        user: UserId(999),
        reachable: false,
    });
    assert!(sim.ignored, "nobody's seat");
}
