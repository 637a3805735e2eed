//! The first night: in private, in the pack, in the square.

use super::{ALONE, HERE, ODD_TEXT, assert_discreet, long, refused};
use crate::game::{DIRECTOR, SQUARE, STRANGER, Table};
use crate::trial::{Place, says, silence, try_out, try_outside, whispers};

/// Night 1. Gives back who is out after it.
pub fn first_night(table: &mut Table, pack: u64) -> usize {
    let id = |table: &Table, role: &str| table.players[table.the(role)].person.id;
    table.order("开始");
    table.public(&["开局了"]);
    let (seer, knight, witch) = (
        id(table, "预言家"),
        id(table, "荣光骑士"),
        id(table, "女巫"),
    );
    let (wolf, demon, hunter) = (id(table, "狼人"), id(table, "恶魔"), id(table, "猎人"));
    let shaman = id(table, "图腾萨满");
    let villager = table.players[table.with_role("村民")[0]].person.id;
    refused(
        table,
        &[
            says(shaman, ALONE, "模式选择", &["保护图腾", "诱饵图腾"]),
            says(shaman, ALONE, "模式选择 3", &["模式选择"]),
            says(shaman, ALONE, "放弃", &["强制"]),
            says(seer, ALONE, "预言 3", &["现在不能用预言"]),
        ],
    );
    table.order_in_private("下一步");
    table.public(&["第1夜", "入夜"]);

    in_private(table, seer, knight, villager);
    refused(
        table,
        &[
            says(witch, ALONE, "救药 1", &["现在不能用救药"]),
            says(witch, ALONE, "灵通", &["自己生效"]),
            says(hunter, ALONE, "最后一枪 1", &["现在不能用最后一枪"]),
            says(demon, ALONE, "恶魔之眼 1", &["现在不能用恶魔之眼"]),
            says(wolf, ALONE, "杀人 甲 乙", &["要写一个对象"]),
        ],
    );
    let answers = try_outside(
        table,
        &[
            says(STRANGER, ALONE, "杀人 1", &["不在任何一局"]),
            says(STRANGER, ALONE, "鸣潮1 杀人 1", &["没有座位"]),
            says(STRANGER, ALONE, "鸣潮1 状态", &["没有座位"]),
        ],
    );
    assert_discreet(&answers);
    in_the_pack(table, pack, wolf, demon);
    in_the_square(table, wolf, villager);

    let knight_name = table.alias(table.the("荣光骑士"));
    let killed = try_out(
        table,
        &[
            // The same command in clothes of all kinds.
            says(seer, ALONE, "预\u{200b}言　３号", &["收到：预言"]),
            says(seer, ALONE, "。预言４", &["改为：预言"]),
            says(seer, ALONE, "／预言 「甲」", &["改为：预言 甲"]),
            says(
                seer,
                ALONE,
                format!("预言{}乙", " ".repeat(10_000)),
                &["改为：预言 乙"],
            ),
            says(seer, ALONE, "#预言\u{2005}丙", &["改为：预言 丙"]),
        ],
    );
    assert_eq!(killed.len(), 5);
    let mut packmate = table.players[table.the("恶魔")].person.clone();
    let king = table.the("黑狼王");
    let mention = format!("@9000 杀人 @{}", table.players[king].person.id);
    packmate.say(&table.site, pack, &mention);
    let chosen = format!("选择：杀人 {}", table.alias(king));
    packmate.expect(&table.site, &[&chosen]);
    packmate.whisper(&table.site, &format!("杀人 {knight_name}"));
    packmate.expect(&table.site, &["杀人", &knight_name]);
    table.the("荣光骑士")
}

fn in_private(table: &Table, seer: u64, knight: u64, villager: u64) {
    let knight_name = table.alias(table.the("荣光骑士"));
    refused(
        table,
        &[
            says(seer, ALONE, "预言", &["要写一个对象"]),
            says(seer, ALONE, "预言 0号", &["没有叫“0号”的座位"]),
            says(seer, ALONE, "预言 99", &["没有叫“99”的座位"]),
            says(
                seer,
                ALONE,
                "预言 4294967296",
                &["没有叫“4294967296”的座位"],
            ),
            says(seer, ALONE, "预言 99999999999999999999999999", &["没有叫"]),
            says(seer, ALONE, "预言 -1", &["没有叫“-1”的座位"]),
            says(seer, ALONE, "预言 1.5", &["没有叫"]),
            says(seer, ALONE, "预言 甲 乙", &["要写一个对象"]),
            says(seer, ALONE, "预言 甲 甲", &["预言"]),
            says(seer, ALONE, "预言 😀", &["没有叫“😀”的座位"]),
            says(seer, ALONE, "预言 [CQ:at,qq=all]", &["没有叫"]),
            says(seer, ALONE, "预言 {{ 7*191 }}", &["没有叫"]),
            says(seer, ALONE, format!("预言 {}", long("甲 ")), &["太多了"]),
            says(seer, ALONE, format!("预言 {}", long("甲")), &["没有叫"]),
            says(seer, ALONE, "予言 甲", &["想发“预言”"]),
            says(seer, ALONE, "救药 1", &["没有“救药”这个技能"]),
            says(
                knight,
                ALONE,
                format!("荣光审判 {knight_name}"),
                &["不能选自己"],
            ),
            says(villager, ALONE, "杀人 1", &["没有“杀人”这个技能"]),
            says(villager, ALONE, "放弃", &["没有可以放弃的技能"]),
            says(villager, ALONE, "遗言 再见", &["现在不能留遗言"]),
            says(villager, ALONE, "投票对象：甲\n投票理由：无", &["公屏"]),
            says(villager, ALONE, "投 甲", &["公开投票"]),
            says(villager, ALONE, "确认", &["没有要你确认的事"]),
            says(villager, ALONE, "申请加速", &["公屏"]),
            says(villager, ALONE, "竞选", &["不用报名竞选"]),
            says(villager, ALONE, "报名", &["已经发过牌"]),
            says(villager, ALONE, "退出", &["已经发过牌"]),
            says(villager, ALONE, "投降", &["不能发起"]),
            says(villager, ALONE, "下一步", &["这是导演的命令"]),
            says(villager, ALONE, "裁定 出局 甲", &["这是导演的命令"]),
            says(villager, ALONE, "说 大家好", &["用不到"]),
            says(villager, ALONE, "😀😀", &["没看懂"]),
            says(villager, ALONE, long("哈"), &["没看懂"]),
            says(villager, ALONE, "[CQ:at,qq=all]", &["没看懂"]),
            says(DIRECTOR, ALONE, "开始", &["现在不能这样做"]),
            says(DIRECTOR, ALONE, "发牌", &["已经发过牌"]),
            says(DIRECTOR, ALONE, "关门", &["现在不能这样做"]),
            says(DIRECTOR, ALONE, "代投 1 2", &["没有投票"]),
            says(DIRECTOR, ALONE, "代投 99 0", &["没有叫"]),
            says(DIRECTOR, ALONE, "红牌 4294967296", &["没有叫"]),
            says(DIRECTOR, ALONE, "延时 99999999999999999999分钟", &["延时"]),
            says(DIRECTOR, ALONE, "裁定 票权 1 1e400", &["裁定"]),
            says(DIRECTOR, ALONE, "裁定 {{ 7*191 }}", &["裁定"]),
            says(DIRECTOR, ALONE, "回答 99 是", &["没有编号99"]),
            says(DIRECTOR, ALONE, "报名", &["已经发过牌"]),
            says(DIRECTOR, ALONE, "预言 1", &["没有座位"]),
        ],
    );
}

fn in_the_pack(table: &Table, pack: u64, wolf: u64, demon: u64) {
    let pack = Place::Group(pack);
    refused(
        table,
        &[
            silence(wolf, pack, "大家好"),
            silence(wolf, pack, "下一步"),
            silence(wolf, pack, "红牌 1"),
            silence(wolf, pack, "投票对象：甲\n投票理由：无"),
            silence(wolf, pack, long("先杀谁")),
            silence(wolf, pack, ODD_TEXT),
            says(wolf, pack, "@9000 下一步", &["这是导演的命令"]),
            says(wolf, pack, "@9000 先杀谁", &["没看懂"]),
            says(wolf, pack, "杀人 0号", &["没有叫“0号”的座位"]),
            says(wolf, pack, "杀人 99", &["没有叫“99”的座位"]),
            says(wolf, pack, "杀人", &["要写一个对象"]),
            says(wolf, pack, "我", &["请私聊"]),
            says(demon, pack, "恶魔之眼 1", &["请私聊"]),
            says(demon, pack, "预言 1", &["请私聊"]),
        ],
    );
}

/// A skill typed in public is refused in the same words whoever types it, and not repeated.
fn in_the_square(table: &Table, wolf: u64, villager: u64) {
    let answers = refused(
        table,
        &[
            says(wolf, HERE, "杀人 甲", &["私聊"]),
            says(villager, HERE, "杀人 甲", &["私聊"]),
            says(villager, HERE, "杀人３号", &["私聊"]),
        ],
    );
    assert!(answers.iter().all(|a| a.text == answers[0].text));
    assert!(!answers[0].text.contains("杀人") && !answers[0].text.contains('甲'));
    refused(
        table,
        &[
            silence(STRANGER, HERE, "杀人 甲"),
            silence(STRANGER, HERE, "投票对象：甲\n投票理由：无"),
            silence(STRANGER, HERE, "下一步"),
            silence(villager, HERE, "下一步"),
            silence(villager, HERE, "红牌 甲 贴脸"),
            silence(villager, HERE, "状态"),
            silence(villager, HERE, "报名"),
            silence(villager, HERE, "退出"),
            silence(villager, HERE, "预言家出来"),
            silence(villager, HERE, "😀"),
            silence(villager, HERE, ODD_TEXT),
            silence(villager, HERE, long("讲道理，")),
            silence(DIRECTOR, HERE, "红牌 99"),
            says(villager, HERE, "@9000 下一步", &["这是导演的命令"]),
            says(villager, HERE, "@9000 救命", &["没看懂“救命”"]),
            says(villager, HERE, "竞选", &["不用报名竞选"]),
            says(
                villager,
                HERE,
                "投票对象：甲\n投票理由：无",
                &["没有在进行的投票"],
            ),
            says(villager, HERE, "改票对象：0号", &["没有在进行的投票"]),
            says(villager, HERE, "申请加速", &["现在不收申请"]),
            whispers(DIRECTOR, SQUARE, "代投 1 2", &["没有投票"]),
            whispers(DIRECTOR, SQUARE, "开始", &["现在不能这样做"]),
        ],
    );
}
