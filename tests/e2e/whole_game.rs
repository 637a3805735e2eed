//! A whole game in chat, from sign-up to the reveal.

use crate::game::{DIRECTOR, SQUARE, STRANGER, Table, member_cards, said};
use crate::people::{Person, bot};
use crate::site::{Site, wait_for};

/// What the game came to, for whoever wants to compare.
pub struct Played<'a> {
    pub table: Table<'a>,
    pub groups: Vec<(String, u64)>,
}

/// Plays the script to its end:
/// night 1 the pack knifes a villager while the seer reads the wolf king; the seer is elected,
/// one vote being changed by a reply; on day 1 the hunter is voted out and takes the demon
/// along; on night 2 the pack and the wolf king's charge take two villagers; on day 2 the last
/// villager is voted out: the wolves have won.
pub fn play(mut t: Table) -> Played {
    t.deal("开局 m158 日历=manual");
    let groups = t.join_groups();
    t.order("开始");

    let (king, demon, wolf) = (t.the("黑狼王"), t.the("恶魔"), t.the("狼人"));
    let (seer, hunter, knight) = (t.the("预言家"), t.the("猎人"), t.the("荣光骑士"));
    let (witch, shaman) = (t.the("女巫"), t.the("图腾萨满"));
    let villagers = t.with_role("村民");
    let names: Vec<String> = villagers.iter().map(|v| t.alias(*v)).collect();

    t.reads(shaman, &["可以用", "模式选择"]);
    t.whisper(shaman, "模式选择 保护图腾");
    t.reads(shaman, &["收到", "保护图腾"]);
    t.order_in_private("下一步");
    t.reads(shaman, &["你获得了技能", "保护图腾"]);

    // Night 1.
    t.public(&["第1夜", "入夜"]);
    let king_name = t.alias(king);
    t.whisper(seer, &format!("预言 {king_name}"));
    t.reads(seer, &["收到", "预言", &king_name]);
    t.whisper(wolf, &format!("杀人 {}", names[1]));
    t.reads(wolf, &["收到", "杀人", &names[1]]);
    // In the pack's own group, and it replaces the choice before.
    let pack = groups[0].1;
    t.players[demon]
        .person
        .say(&t.site, pack, &format!("杀人 {}", names[0]));
    t.reads(wolf, &[&t.alias(demon), "杀人", &names[0]]);
    let knight_name = t.alias(knight);
    t.whisper(knight, &format!("荣光庇护 {knight_name}"));
    t.reads(knight, &["收到", "荣光庇护"]);
    t.order_in_private("下一步");
    t.reads(seer, &["预言", &king_name, "狼人阵营"]);
    t.public(&["狼王"]);
    t.whisper(demon, &format!("恶魔之眼 {}", t.alias(witch)));
    t.reads(demon, &["收到", "恶魔之眼"]);
    t.order_in_private("下一步");
    t.reads(demon, &["恶魔之眼", "魔女会"]);
    t.reads(witch, &["灵通", &names[0]]);
    t.whisper(witch, "放弃");
    t.reads(witch, &["收到", "不用"]);
    t.order_in_private("下一步");
    t.public(&["第1夜过去了"]);
    t.order_in_private("下一步");

    // The election: the one who went out in the night does not know it and votes like all.
    t.public(&["警长竞选"]);
    let seer_name = t.alias(seer);
    let hunter_name = t.alias(hunter);
    let post = t.vote(knight, &hunter_name);
    t.reads(knight, &[&hunter_name]);
    t.change_vote(knight, post, &seer_name);
    t.reads(knight, &["改", &seer_name]);
    for i in 0..t.players.len() {
        if i != knight && i != seer {
            t.vote(i, &seer_name);
        }
    }
    t.vote(seer, "弃权");
    t.reads(seer, &["弃权"]);
    t.order("关门");
    t.public(&["警长竞选结果", &seer_name, "当选警长"]);
    t.reads(seer, &["你是警长"]);
    t.reads(villagers[0], &["你出局了", "遗言"]);
    t.whisper(villagers[0], "遗言 我先走一步");
    t.reads(villagers[0], &["遗言收到"]);
    t.order_in_private("下一步");

    // Day 1.
    t.public(&["第1天公示", &names[0], &seer_name]);
    t.public(&["遗言", "我先走一步"]);
    t.public(&["第1天开门"]);
    t.players[shaman]
        .person
        .say(&t.site, SQUARE, "投票给猎人吧");
    t.reads(shaman, &["投票对象"]);
    for i in 0..t.players.len() {
        if i != villagers[0] && i != hunter {
            t.vote(i, &hunter_name);
        }
    }
    t.reads(seer, &[&hunter_name]);
    t.order("关门");
    t.public(&["投票结果", &hunter_name]);
    t.public(&["出局公示", &hunter_name]);
    t.reads(hunter, &["你可以发动", "最后一枪"]);
    let demon_name = t.alias(demon);
    t.whisper(hunter, &format!("最后一枪 {demon_name}"));
    t.public(&[&demon_name, "带走"]);
    t.order_in_private("下一步");

    // Night 2.
    t.public(&["第2夜"]);
    t.whisper(wolf, &format!("杀人 {}", names[1]));
    t.reads(wolf, &["收到", "杀人", &names[1]]);
    t.order_in_private("下一步");
    t.public(&["狼王"]);
    t.whisper(king, &format!("冲锋 {}", names[2]));
    t.reads(king, &["收到", "冲锋"]);
    t.order_in_private("下一步");
    t.reads(witch, &["灵通", &names[1], &names[2]]);
    t.order_in_private("下一步");
    t.public(&["第2夜过去了"]);
    t.order_in_private("下一步");

    // Day 2.
    t.public(&["第2天公示", &names[1], &names[2]]);
    for i in [king, wolf, witch, shaman, knight] {
        t.vote(i, &names[3]);
    }
    t.reads(knight, &[&names[3]]);
    t.order("关门");
    t.public(&["投票结果", &names[3]]);
    t.public(&["游戏结束", "狼人阵营胜利"]);
    t.public(&["揭秘", &seer_name, "预言家"]);
    Played { table: t, groups }
}

/// What each person must and must not have read, whatever happened to the site meanwhile.
pub fn check(played: &Played) {
    let Played { table, groups } = played;
    let site = &table.site;
    let bot = bot(site, DIRECTOR);
    let reveal = |person: &Person| {
        let chats = person.chats(site);
        chats
            .iter()
            .find(|h| h.text.contains("揭秘"))
            .map_or(u64::MAX, |h| h.seq)
    };
    let before_reveal = |person: &Person, part: &str| {
        let end = reveal(person);
        person
            .chats(site)
            .iter()
            .any(|h| h.seq < end && h.text.contains(part))
    };
    let seer = table.the("预言家");
    let king = table.alias(table.the("黑狼王"));
    for (i, player) in table.players.iter().enumerate() {
        let me = &player.person;
        let card = format!("你的身份是【{}】", player.role);
        assert_eq!(
            said(me, site, bot, &card),
            1,
            "{} reads the own card once",
            player.alias
        );
        assert_eq!(
            said(me, site, bot, "你的身份是"),
            1,
            "{} reads one card",
            player.alias
        );
        for (room, faction) in [("狼群", "狼人阵营"), ("魔女会", "魔女会阵营")] {
            let entitled = player.faction == faction;
            assert_eq!(
                before_reveal(me, &format!("{room}里")),
                entitled,
                "{} ({}) and the names in {room}",
                player.alias,
                player.faction,
            );
        }
        let answer = format!("预言：{king} → 狼人阵营");
        assert_eq!(
            before_reveal(me, &answer),
            i == seer,
            "{} and the seer's answer",
            player.alias
        );
        let insight = before_reveal(me, "今晚被指杀的是");
        assert_eq!(
            insight,
            player.role == "女巫",
            "{} and the witch's insight",
            player.alias
        );
        let knife = before_reveal(me, "选择：杀人");
        assert_eq!(
            knife,
            player.faction == "狼人阵营",
            "{} and the pack's choice",
            player.alias
        );
        let eye = before_reveal(me, "恶魔之眼：");
        assert_eq!(
            eye,
            player.role == "恶魔",
            "{} and the demon's answer",
            player.alias
        );
    }
    // The stranger sees the square and nothing else; each announcement came once.
    let stranger = Person::new(STRANGER);
    for once in [
        "警长竞选结果",
        "第1天公示",
        "第2天公示",
        "第1夜 · 入夜",
        "第2夜 · 入夜",
        "第1天开门",
        "第2天开门",
        "我先走一步",
        "带走了",
        "游戏结束",
        "揭秘",
        "当选警长",
    ] {
        assert_eq!(
            said(&stranger, site, bot, once),
            1,
            "{once} is announced once"
        );
    }
    assert_eq!(
        said(&stranger, site, bot, "投票结果"),
        2,
        "one result a day"
    );
    for secret in ["你的身份", "狼群", "预言：", "灵通", "恶魔之眼：", "重发"] {
        let read = stranger
            .chats(site)
            .iter()
            .any(|h| h.from == bot && h.text.contains(secret) && !h.text.contains("揭秘"));
        assert!(!read, "the square must not show {secret}");
    }
    // The groups are empty again: their members, the stranger and all.
    for (room, number) in groups {
        wait_for(&format!("{room} to be cleared"), || {
            let inside = member_cards(site, *number)?;
            inside.iter().all(|(id, _)| *id == bot).then_some(())
        });
    }
}

#[test]
fn a_whole_game_is_played_in_chat() {
    let site = Site::start(&[]);
    let table = Table::new(site, Box::new(|_, _| {}));
    let mut played = play(table);
    check(&played);
    played.table.site.stop();
}
