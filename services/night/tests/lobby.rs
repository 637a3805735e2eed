//! 开局, signing up, leaving, being reachable, and what stands in the way of the deal.

mod common;

use common::{DIRECTOR, Ear, SQUARE, Sim, alias, player, settings};
use protocol::{Place, RosterState, ToNight, UserId};

#[test]
fn opening_names_the_game_and_tells_how_to_join() {
    let mut sim = Sim::opened("m158 日历=quick");
    let square = sim.heard_in_square();
    assert!(square.contains("鸣潮1"), "{square}");
    assert!(square.contains("第1局"), "{square}");
    assert!(square.contains("报名"), "{square}");
    let roster = sim.roster.clone().unwrap();
    assert_eq!((roster.state, roster.square), (RosterState::Lobby, SQUARE));
    assert_eq!(roster.directors, [DIRECTOR]);
    assert!(roster.skill_words.contains(&"杀人".to_owned()));
    assert!(
        roster.skill_words.contains(&"移交".to_owned()),
        "other words too"
    );
}

#[test]
fn a_board_goes_by_id_and_by_name_and_a_game_by_its_own_name() {
    let mut sim = Sim::opened("鸣潮 周末局 日历=manual sheriff=false");
    let square = sim.heard_in_square();
    assert!(square.contains("周末局"), "{square}");
    assert!(square.contains("手动推进"), "{square}");
    assert_eq!(sim.roster.as_ref().unwrap().name, "周末局");
}

/// foxcurse F1: 16 people play, or 18 when it is opened for them.
#[test]
fn a_board_of_several_sizes_is_opened_for_one_of_them() {
    for (words, size) in [
        ("foxcurse", 16),
        ("foxcurse 人数=18", 18),
        ("咒狐 seats=16", 16),
    ] {
        let mut sim = Sim::opened(words);
        assert!(
            sim.heard_in_square().contains(&format!("{size}人")),
            "{words}"
        );
        for n in 1..size {
            sim.private(player(n), &format!("报名 客人{n}"));
        }
        sim.forget();
        sim.square(DIRECTOR, "发牌");
        assert!(sim.everything().contains("还差1人"), "{words}");
        sim.private(player(size), "报名 来晚了");
        sim.square(DIRECTOR, "发牌");
        // The pool is small: it goes on when repeated.
        sim.square(DIRECTOR, "发牌");
        let roster = sim.roster.clone().unwrap();
        assert_eq!(roster.state, RosterState::Running, "{words}");
        assert_eq!(roster.seats.len() as u64, size, "{words}");
        sim.replayed_is_the_same();
    }
}

#[test]
fn what_cannot_be_opened_leaves_the_group_free() {
    for (words, answer) in [
        ("", "m158（鸣潮，14人）"),
        ("m999", "没有叫“m999”的板子"),
        ("m158 日历=huge", "日历=quick"),
        ("m158 sheriff=maybe", "参数没看懂"),
        ("m158 colour=red", "参数没看懂"),
        ("m158 人数=18", "鸣潮只能是 14 人"),
        ("foxcurse 人数=17", "咒狐只能是 16 或 18 人"),
        ("foxcurse 人数=多", "人数=18"),
        ("m158 报名", "这个局名不行"),
        ("m158 预言", "这个局名不行"),
        ("m158 123", "这个局名不行"),
        ("m158 一二三四五六七八九十百千万", "这个局名不行"),
    ] {
        let mut sim = Sim::opened(words);
        let square = sim.heard_in_square();
        assert!(square.contains(answer), "{words}: {square}");
        let roster = sim.roster.clone().unwrap();
        assert_eq!(
            (roster.state, roster.square),
            (RosterState::Over, SQUARE),
            "{words}"
        );
        sim.square(player(0), "报名");
        assert!(sim.ignored, "there is no game");
        sim.replayed_is_the_same();
    }
}

#[test]
fn a_name_that_is_taken_is_refused_and_the_default_gives_way() {
    let seed = "00".repeat(32);
    let mut sim = Sim::new(settings(2));
    sim.open_with("m158 周末局", &seed, &["周末局"]);
    assert!(sim.heard_in_square().contains("换一个"));
    let mut sim = Sim::new(settings(2));
    sim.open_with("m158", &seed, &["鸣潮1"]);
    assert_eq!(sim.roster.as_ref().unwrap().name, "鸣潮1之2");
}

#[test]
fn without_entropy_there_is_no_game() {
    for entropy in ["", "00", &"zz".repeat(32)] {
        let mut sim = Sim::new(settings(2));
        sim.open_with("m158", entropy, &[]);
        assert!(sim.heard_in_square().contains("再发一次"));
        assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Over);
    }
}

#[test]
fn only_who_may_direct_opens() {
    let mut sim = Sim::new(settings(2));
    let line = sim.line(player(0), Place::Square, "m158");
    let open = ToNight::Open {
        square: SQUARE,
        line,
        entropy: "00".repeat(32),
        taken: Vec::new(),
    };
    sim.step(&open);
    assert!(sim.heard_in_square().contains("登记过的导演"));
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Over);
}

#[test]
fn a_second_open_changes_nothing() {
    let mut sim = Sim::opened("m158");
    sim.open("m158 另一局");
    assert!(sim.ignored);
}

#[test]
fn signing_up_in_square_and_private() {
    let mut sim = Sim::opened("m158");
    sim.square(player(0), "报名");
    let square = sim.heard_in_square();
    assert!(
        square.contains("网友100") && square.contains("1/14"),
        "{square}"
    );
    assert!(
        sim.heard_by(player(0)).contains("网友100"),
        "a private hello"
    );
    sim.private(player(1), "报名 van 桑");
    let answer = sim.heard_by(player(1));
    assert!(
        answer.contains("van 桑") && answer.contains("2/14"),
        "{answer}"
    );
    assert_eq!(
        sim.heard_in_square(),
        "",
        "what was typed in private is answered there"
    );
    let aliases: Vec<String> = sim
        .roster
        .as_ref()
        .unwrap()
        .seats
        .iter()
        .map(|seat| seat.alias.clone())
        .collect();
    assert_eq!(aliases, ["网友100", "van 桑"]);
    sim.square(player(0), "报名 阿猫");
    assert!(
        sim.heard_in_square().contains("阿猫"),
        "an alias can be changed"
    );
    assert_eq!(sim.heard_by(player(0)), "", "there is one hello");
    sim.private(player(2), "报名 阿猫");
    assert!(sim.heard_by(player(2)).contains("已经有人用了"));
    assert_eq!(sim.roster.as_ref().unwrap().seats.len(), 2);
    sim.replayed_is_the_same();
}

#[test]
fn aliases_that_would_be_misread_are_refused() {
    let mut sim = Sim::opened("m158");
    for (wanted, answer) in [
        ("3", "数字"),
        ("12号", "数字"),
        ("弃权", "换一个马甲"),
        ("女巫", "换一个马甲"),
        ("一二三四五六七八九十百千万", "太长"),
        ("[CQ:at,qq=all]", "太长"),
        ("😀😀", "要有文字"),
        ("<b>x</b>", "要有文字"),
    ] {
        sim.private(player(0), &format!("报名 {wanted}"));
        let heard = sim.heard_by(player(0));
        assert!(heard.contains(answer), "{wanted}: {heard}");
    }
    assert!(sim.roster.as_ref().unwrap().seats.is_empty());
}

#[test]
fn the_director_does_not_play() {
    let mut sim = Sim::opened("m158");
    sim.square(DIRECTOR, "报名");
    assert!(sim.heard_in_square().contains("不能自己上场"));
    assert!(sim.roster.as_ref().unwrap().seats.is_empty());
}

#[test]
fn who_comes_too_late_waits_and_moves_up() {
    let mut sim = Sim::opened("m158");
    for n in 0..16 {
        sim.sign_up(n);
    }
    assert!(sim.heard(&Ear::Directors).contains("14人齐了"));
    assert!(sim.heard_by(player(14)).contains("候补第1位"));
    assert!(sim.heard_by(player(15)).contains("候补第2位"));
    sim.forget();
    sim.square(player(3), "退出");
    assert!(sim.heard_in_square().contains("退出了"));
    assert!(sim.heard_by(player(14)).contains("轮到你了"));
    assert_eq!(sim.heard_by(player(15)), "");
    sim.private(player(15), "我");
    assert!(sim.heard_by(player(15)).contains("候补第1位"));
    sim.private(player(3), "退出");
    assert!(sim.heard_by(player(3)).contains("没有报名"));
    sim.square(player(3), "名单");
    let list = sim.heard_in_square();
    assert!(
        list.contains("14/14") && list.contains(&format!("候补：{}", alias(15))),
        "{list}"
    );
}

#[test]
fn the_deal_waits_for_everybody() {
    let mut sim = Sim::opened("m158");
    for n in 0..13 {
        sim.sign_up(n);
    }
    sim.square(DIRECTOR, "发牌");
    assert!(sim.heard_in_square().contains("还差1人"));
    sim.square(player(13), "报名 阿木");
    sim.forget();
    sim.private(DIRECTOR, "发牌");
    let heard = sim.heard_by(DIRECTOR);
    assert!(heard.contains("阿木（113）：还没确认"), "{heard}");
    sim.step(&ToNight::Reach {
        user: player(13),
        reachable: false,
    });
    let square = sim.heard_in_square();
    assert!(
        square.contains("阿木") && square.contains("加我好友"),
        "{square}"
    );
    sim.step(&ToNight::Reach {
        user: player(13),
        reachable: false,
    });
    assert!(sim.ignored, "said once");
    sim.private(DIRECTOR, "发牌");
    assert!(sim.heard_by(DIRECTOR).contains("阿木（113）：私聊被拒"));
    sim.private(DIRECTOR, "状态");
    assert!(sim.heard_by(DIRECTOR).contains("阿木（113）：私聊被拒"));
    sim.private(player(13), "你好");
    assert!(
        sim.heard(&Ear::Directors).contains("可以“发牌”"),
        "typing in private is being reached"
    );
    sim.private(DIRECTOR, "发牌");
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Running);
}

#[test]
fn who_waits_need_not_be_reachable() {
    let mut sim = Sim::opened("m158");
    for n in 0..14 {
        sim.sign_up(n);
    }
    sim.square(player(14), "报名 阿木");
    sim.step(&ToNight::Reach {
        user: player(14),
        reachable: false,
    });
    sim.forget();
    sim.private(DIRECTOR, "发牌");
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Running);
    assert!(sim.heard_by(player(14)).contains("没轮到你"));
    assert_eq!(sim.seat_of(player(14)), None);
}

#[test]
fn a_small_pool_is_said_once() {
    let mut sim = Sim::new(settings(1));
    sim.open("m158");
    for n in 0..14 {
        sim.sign_up(n);
    }
    sim.forget();
    sim.private(DIRECTOR, "发牌");
    let heard = sim.heard_by(DIRECTOR);
    assert!(
        heard.contains("要2个私密群") && heard.contains("只有1个"),
        "{heard}"
    );
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Lobby);
    sim.private(DIRECTOR, "发牌");
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Running);
}

#[test]
fn the_deal_tells_everyone_their_card_and_nobody_else() {
    let mut sim = Sim::dealt("m158 日历=manual");
    let square = sim.heard_in_square();
    assert!(
        square.contains("发牌了") && square.contains("1号"),
        "{square}"
    );
    for secret in ["女巫", "狼人", "预言家", "恶魔", "阵营"] {
        assert!(!square.contains(secret), "{square}");
    }
    let roster = sim.roster.clone().unwrap();
    assert_eq!(
        (roster.state, roster.seats.len()),
        (RosterState::Running, 14)
    );
    let in_order: Vec<UserId> = roster.seats.iter().map(|seat| seat.user).collect();
    let signed_up: Vec<UserId> = (0..14).map(player).collect();
    assert_ne!(in_order, signed_up, "seats are drawn");
    for n in 0..14 {
        let card = sim.heard_by(player(n));
        assert_eq!(card.matches("你的身份是").count(), 1, "{card}");
    }
    let names: Vec<&str> = sim.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["狼群", "魔女会"]);
    assert!(sim.groups.iter().all(|group| group.members.len() == 3));
    sim.replayed_is_the_same();
}

#[test]
fn another_seed_another_deal() {
    let seats = |seed: &str| {
        let mut sim = Sim::new(settings(2));
        sim.open_with("m158", seed, &[]);
        for n in 0..14 {
            sim.sign_up(n);
        }
        sim.private(DIRECTOR, "发牌");
        let order: Vec<UserId> = sim
            .roster
            .clone()
            .unwrap()
            .seats
            .iter()
            .map(|s| s.user)
            .collect();
        (order, sim.one_with_role("女巫"))
    };
    assert_eq!(seats(&"01".repeat(32)), seats(&"01".repeat(32)));
    assert_ne!(seats(&"01".repeat(32)), seats(&"02".repeat(32)));
}

#[test]
fn lobby_commands_in_other_mouths_and_places() {
    let mut sim = Sim::opened("m158");
    sim.sign_up(0);
    sim.forget();
    for text in ["发牌", "结束", "开始", "红牌 甲"] {
        sim.square(player(0), text);
        assert!(sim.ignored, "silence in public: {text}");
        sim.private(player(0), text);
        assert!(sim.heard_by(player(0)).contains("导演的命令"), "{text}");
    }
    sim.square(player(0), "预言 3");
    assert!(sim.ignored);
    sim.private(player(0), "预言 3");
    assert!(sim.heard_by(player(0)).contains("还没发牌"));
    sim.private(player(0), "抱名");
    assert!(
        sim.heard_by(player(0)).contains("“报名”"),
        "the nearest command"
    );
    sim.square(player(0), "今天天气不错");
    assert!(sim.ignored);
    let mut line = sim.line(player(0), Place::Square, "今天天气不错");
    line.addressed = true;
    sim.step(&ToNight::Line(line));
    assert!(
        sim.heard_in_square().contains("没看懂"),
        "who speaks to the bot is answered"
    );
    sim.private(DIRECTOR, "开始");
    assert!(sim.heard_by(DIRECTOR).contains("还没发牌"));
    sim.square(player(5), "开局 m158");
    assert!(sim.heard_in_square().contains("正在进行"));
    sim.square(player(5), "帮助");
    assert!(sim.heard_in_square().contains("正在报名"));
    sim.square(player(5), "帮助 预言");
    assert!(sim.heard_in_square().contains("预言"));
    sim.private(player(5), "帮助 女巫");
    assert!(sim.heard_by(player(5)).contains("救药"));
    sim.private(player(5), "帮助 飞天");
    assert!(sim.heard_by(player(5)).contains("没有叫"));
}

#[test]
fn calling_off_frees_the_group() {
    let mut sim = Sim::opened("m158");
    sim.sign_up(0);
    sim.square(DIRECTOR, "结束");
    assert!(sim.heard_in_square().contains("取消"));
    assert_eq!(sim.roster.as_ref().unwrap().state, RosterState::Over);
    sim.private(player(0), "我");
    assert!(sim.heard_by(player(0)).contains("没有正在进行的局"));
    sim.replayed_is_the_same();
}

#[test]
fn no_more_than_sixty_four_sign_up() {
    let mut sim = Sim::opened("m158");
    for n in 0..65 {
        sim.private(player(n), "报名");
    }
    assert!(sim.heard_by(player(64)).contains("排不下"));
    assert_eq!(sim.roster.as_ref().unwrap().seats.len(), 64);
}
