//! Last words, votes, and what comes after.

use super::{ALONE, HERE, LOBBY, NEWCOMER, ODD_TEXT, OTHER_DIRECTOR, long, refused};
use crate::game::{DIRECTOR, STRANGER, Table, said};
use crate::people::{Person, bot};
use crate::trial::{says, silence, try_out};

pub fn first_day(table: &mut Table, out: usize) {
    for _ in 0..3 {
        table.order_in_private("下一步");
    }
    table.public(&["第1夜过去了"]);
    table.order_in_private("下一步");
    table.public(&["警长竞选"]);
    table.order("关门");
    table.public(&["警长竞选结果"]);
    table.reads(out, &["你出局了", "遗言"]);
    let gone = table.players[out].person.id;
    let answers = try_out(
        table,
        &[
            says(gone, ALONE, format!("遗言 {}", long("唉")), &["遗言"]),
            says(gone, ALONE, format!("遗言 {ODD_TEXT}"), &["遗言"]),
        ],
    );
    assert!(answers.iter().all(|answer| answer.text.contains('✅')));
    table.order_in_private("下一步");
    table.public(&["第1天公示"]);
    table.public(&["遗言", ODD_TEXT]);
    table.public(&["第1天开门"]);
    bad_votes(table, out);
    table.order(&format!("公示 {ODD_TEXT}"));
    table.public(&["📢", ODD_TEXT]);
}

fn bad_votes(table: &Table, out: usize) {
    let gone = table.players[out].person.id;
    let gone_name = table.alias(out);
    let standing: Vec<usize> = (0..table.players.len()).filter(|i| *i != out).collect();
    let id = |nth: usize| table.players[standing[nth]].person.id;
    let (me, two, three, four) = (id(0), id(1), id(2), id(3));
    let name = table.alias(standing[4]);
    let wide: String = number(table, &name)
        .chars()
        .filter_map(|digit| char::from_u32(u32::from(digit) - u32::from('0') + u32::from('０')))
        .collect();
    let (called, for_it) = (id(4), format!("投给{name}"));
    let taken = [for_it.as_str(), "已记下"];
    let vote = |target: &str| format!("投票对象：{target}\n投票理由：无");
    refused(
        table,
        &[
            says(gone, HERE, vote("1"), &["你现在不能投票"]),
            silence(gone, HERE, "我还在"),
            silence(STRANGER, HERE, vote("1")),
            says(me, HERE, vote(&gone_name), &["现在不能投"]),
            says(me, HERE, vote("0号"), &["没有叫“0号”的人"]),
            says(me, HERE, vote("99"), &["没有叫“99”的人"]),
            says(me, HERE, vote("4294967296"), &["没有叫“4294967296”的人"]),
            says(me, HERE, vote("-1"), &["没有叫"]),
            says(me, HERE, vote("😀"), &["没有叫“😀”的人"]),
            says(me, HERE, vote("[CQ:at,qq=all]"), &["没有叫"]),
            says(me, HERE, vote("{{ 7*191 }}"), &["没有叫"]),
            says(me, HERE, vote("1 2"), &["一次只能投一个人"]),
            says(me, HERE, vote(&long("长")), &["没有叫"]),
            says(me, HERE, "投票对象：\n投票理由：无", &["没写投给谁"]),
            says(me, HERE, "投票", &["格式不对"]),
            says(me, HERE, "投票给甲吧", &["格式不对"]),
            says(me, HERE, "改票对象：1\n改票理由：无", &["还没有投过票"]),
            silence(me, HERE, long("我先不投票，")),
            says(me, ALONE, vote("1"), &["公屏"]),
            says(me, ALONE, "杀人 1", &["杀人"]),
            says(
                DIRECTOR,
                HERE,
                format!("代投 1 {gone_name}"),
                &["现在不能投"],
            ),
            // Votes in all kinds of clothes.
            says(me, HERE, format!("投\u{200b}票 对象：{wide}号"), &taken),
            says(me, HERE, vote("弃权"), &["这条不算", &name]),
            says(two, HERE, format!("投票对象:@{called} 投票理由:无"), &taken),
            says(
                three,
                HERE,
                format!("投票对象：「{name}」，理由：无"),
                &taken,
            ),
            says(four, HERE, "／投票对象∶弃权", &["弃权", "已记下"]),
        ],
    );
}

/// The number of a seat, as the deal was announced.
fn number(table: &Table, alias: &str) -> String {
    let chats = Person::new(STRANGER).chats(&table.site);
    let deal = chats.iter().find(|heard| heard.text.contains("发牌了"));
    let line = format!("号 {alias}\n");
    let (before, _) = deal
        .and_then(|deal| deal.text.split_once(&line))
        .expect("every seat is announced");
    before.lines().last().unwrap_or_default().to_owned()
}

pub fn both_games_go_on(table: &mut Table, out: usize) {
    table.order("关门");
    table.public(&["投票结果", "→ 弃权"]);
    table.order_in_private("下一步");
    table.public(&["第2夜"]);
    let gone = table.players[out].person.id;
    refused(
        table,
        &[
            says(gone, ALONE, "荣光庇护 1", &["已经出局"]),
            says(gone, ALONE, "遗言 还有", &["现在不能留遗言"]),
        ],
    );
    table.order("结束");
    table.public(&["导演结束了这一局"]);
    table.public(&["揭秘", "预言家"]);

    let mut newcomer = Person::new(NEWCOMER);
    newcomer.say(&table.site, LOBBY, "退出");
    newcomer.expect(&table.site, &["“阿新”退出了"]);
    Person::new(OTHER_DIRECTOR).whisper(&table.site, "结束");
    newcomer.expect(&table.site, &["【鸣潮2】取消了"]);
    let bot = bot(&table.site, DIRECTOR);
    assert_eq!(said(&newcomer, &table.site, bot, "@全体"), 0);
}
