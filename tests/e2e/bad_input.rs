//! What should not be typed, or not there, or not then, or not so: a clear refusal or silence,
//! nothing revealed, nothing broken, and the games go on.

use serde_json::json;

use crate::game::{DIRECTOR, SQUARE, STRANGER, Table, said};
use crate::people::{Heard, Person, bot, make, make_group};
use crate::site::Site;
use crate::trial::{Place, Try, says, silence, try_out, try_outside, whispers};

/// Who directs the game that is not dealt yet.
const OTHER_DIRECTOR: u64 = 10_002;
/// The group in which people sign up for it.
const LOBBY: u64 = 800_002;
/// A group without a game.
const ELSEWHERE: u64 = 800_003;
/// Somebody with a quiet name who is in no game yet, and those with odd ones.
const NEWCOMER: u64 = 21_001;
const CALLER: u64 = 21_002;
const BRACES: u64 = 21_003;
const PERCENT: u64 = 21_004;
const FACES: u64 = 21_005;

const HERE: Place = Place::Group(SQUARE);
const SIGN_UP: Place = Place::Group(LOBBY);
const ALONE: Place = Place::Private;

/// What stays as it was typed wherever it is shown.
const ODD_TEXT: &str = "[CQ:at,qq=all] {{ 7*191 }} {% for x in y %} <b>&amp; 😀";

/// A text of ten thousand characters.
fn long(text: &str) -> String {
    text.repeat(10_000_usize.div_ceil(text.chars().count()))
}

/// No refusal names a role or calls everybody, and each is short.
fn assert_discreet(answers: &[Heard]) {
    const NEVER: [&str; 12] = [
        "黑狼王",
        "预言家",
        "荣光骑士",
        "猎人",
        "守墓人",
        "村民",
        "图腾萨满",
        "侍僧",
        "狼人阵营",
        "魔女会阵营",
        "@全体",
        "1337",
    ];
    for heard in answers {
        for part in NEVER {
            assert!(!heard.text.contains(part), "{heard:?} contains {part}");
        }
        let length = heard.text.chars().count();
        assert!(length < 300, "{length} characters to say no: {heard:?}");
    }
}

/// Typing these here is refused, discreetly, or passed over in silence.
#[track_caller]
fn refused(table: &Table, tries: &[Try]) -> Vec<Heard> {
    let answers = try_out(table, tries);
    assert_discreet(&answers);
    answers
}

#[test]
fn nothing_that_anybody_types_does_harm() {
    let site = Site::start(&[]);
    let mut table = Table::new(site, Box::new(|_, _| {}));
    let newcomers = [
        (NEWCOMER, "新人", true),
        (CALLER, "[CQ:at,qq=all]", true),
        (BRACES, "{{ 7*191 }}", true),
        (PERCENT, "{% for x in y %}", true),
        (FACES, "😀\u{200b}\u{202e}😀", true),
    ];
    make(&table.site, &newcomers);
    let mut ids = newcomers.map(|(id, _, _)| id).to_vec();
    ids.push(DIRECTOR);
    make_group(&table.site, LOBBY, "另一局", OTHER_DIRECTOR, &ids);
    make_group(&table.site, ELSEWHERE, "闲聊", OTHER_DIRECTOR, &ids);

    before_any_game(&table);
    table.deal("开局 m158 日历=manual");
    let pack = table.join_groups()[0].1;
    Person::new(OTHER_DIRECTOR).say(&table.site, LOBBY, "开局 m158");
    Person::new(NEWCOMER).expect(&table.site, &["开局", "鸣潮2"]);
    while_people_sign_up(&table);
    let out = first_night(&mut table, pack);
    // From here on the other side writes messages as CQ strings.
    let strings = json!({"messages": "string"});
    table.site.post("/playground/api/faults", &strings);
    first_day(&mut table, out);
    both_games_go_on(&mut table, out);
    table.site.assert_well();
    table.site.stop();
}

fn before_any_game(table: &Table) {
    let elsewhere = Place::Group(ELSEWHERE);
    let answers = try_outside(
        table,
        &[
            silence(NEWCOMER, elsewhere, "开局 m158"),
            silence(NEWCOMER, elsewhere, "报名"),
            silence(NEWCOMER, elsewhere, "投票对象：1\n投票理由：无"),
            silence(NEWCOMER, elsewhere, "帮助"),
            silence(NEWCOMER, elsewhere, long("报名 ")),
            silence(DIRECTOR, elsewhere, "下一步"),
            says(NEWCOMER, elsewhere, "@9000 在吗", &["还没有开局"]),
            says(DIRECTOR, ALONE, "开局 m158", &["请在要开局的群里发"]),
            says(NEWCOMER, ALONE, "开局 m158", &["只有导演能开局"]),
            says(CALLER, ALONE, "报名", &["没有正在报名的局"]),
            says(BRACES, ALONE, "😀", &["不在任何一局"]),
            says(PERCENT, ALONE, long("预言"), &["不在任何一局"]),
        ],
    );
    assert_discreet(&answers);
}

/// A game that cannot be opened so.
fn openings(table: &Table) {
    let elsewhere = Place::Group(ELSEWHERE);
    let answers = try_outside(
        table,
        &[
            says(DIRECTOR, elsewhere, "开局 m999", &["没有叫“m999”的板子"]),
            says(
                DIRECTOR,
                elsewhere,
                "开局 m158 日历=[CQ:at,qq=all]",
                &["没有这种日历"],
            ),
            says(DIRECTOR, elsewhere, "开局 {{ 7*191 }}", &["没有叫"]),
            says(
                DIRECTOR,
                elsewhere,
                format!("开局 {}", long("长")),
                &["没有叫"],
            ),
        ],
    );
    assert_discreet(&answers);
}

fn while_people_sign_up(table: &Table) {
    openings(table);
    names(table);
    refused(
        table,
        &[
            // What is not for now, or not for them.
            silence(NEWCOMER, SIGN_UP, "发牌"),
            silence(NEWCOMER, SIGN_UP, "结束"),
            silence(NEWCOMER, SIGN_UP, "杀人 1"),
            silence(NEWCOMER, SIGN_UP, "退出 的人真多"),
            silence(NEWCOMER, SIGN_UP, "帮助 飞天"),
            silence(NEWCOMER, SIGN_UP, long("大家好")),
            says(NEWCOMER, SIGN_UP, "@9000 发牌", &["这是导演的命令"]),
            says(NEWCOMER, SIGN_UP, "@9000 哈哈", &["没看懂“哈哈”"]),
            says(
                NEWCOMER,
                SIGN_UP,
                "投票对象：1\n投票理由：无",
                &["没有在进行的投票"],
            ),
            says(NEWCOMER, ALONE, "发牌", &["这是导演的命令"]),
            says(NEWCOMER, ALONE, "杀人 1", &["还没发牌"]),
            says(NEWCOMER, ALONE, "遗言 再见", &["还没发牌"]),
            says(NEWCOMER, ALONE, "确认", &["没有要你确认的事"]),
            says(NEWCOMER, ALONE, "投票对象：1", &["还没发牌"]),
            says(NEWCOMER, ALONE, "😀", &["没看懂"]),
            says(NEWCOMER, ALONE, long("😀"), &["没看懂"]),
            // The director of one game is nobody in the other.
            silence(DIRECTOR, SIGN_UP, "结束"),
            silence(DIRECTOR, SIGN_UP, "发牌"),
            says(DIRECTOR, ALONE, "鸣潮2 结束", &["这是导演的命令"]),
            says(OTHER_DIRECTOR, SIGN_UP, "报名", &["不能自己上场"]),
            says(OTHER_DIRECTOR, SIGN_UP, "开局 m158", &["已经有一局"]),
            says(OTHER_DIRECTOR, SIGN_UP, "发牌", &["还差"]),
            says(OTHER_DIRECTOR, SIGN_UP, "下一步", &["还没发牌"]),
            says(OTHER_DIRECTOR, SIGN_UP, "红牌 1", &["还没发牌"]),
            silence(OTHER_DIRECTOR, SIGN_UP, "红牌 99"),
            says(OTHER_DIRECTOR, ALONE, "红牌 99", &["没有叫“99”的座位"]),
        ],
    );
}

/// Aliases that nobody can have, and those that become of odd nicknames.
fn names(table: &Table) {
    refused(
        table,
        &[
            silence(NEWCOMER, SIGN_UP, "报名 {{ 7 * 191 }}"),
            says(NEWCOMER, SIGN_UP, "报名 [CQ:at,qq=all]", &["马甲太长了"]),
            says(NEWCOMER, SIGN_UP, "报名 {{7*191}}", &["马甲里要有文字"]),
            says(NEWCOMER, SIGN_UP, "报名 {%for%}", &["马甲里要有文字"]),
            says(NEWCOMER, SIGN_UP, "报名 😀", &["马甲里要有文字"]),
            says(NEWCOMER, SIGN_UP, "报名 99", &["马甲不能是数字"]),
            says(NEWCOMER, SIGN_UP, "报名 ３号", &["马甲不能是数字"]),
            says(NEWCOMER, SIGN_UP, "报名 弃权", &["换一个马甲"]),
            says(NEWCOMER, SIGN_UP, "报名 狼人", &["换一个马甲"]),
            says(
                NEWCOMER,
                SIGN_UP,
                "报名 一二三四五六七八九十一二三",
                &["马甲太长了"],
            ),
            says(
                NEWCOMER,
                SIGN_UP,
                format!("报名 {}", long("长")),
                &["马甲太长了"],
            ),
            // Whoever asks for no alias gets what is left of the nickname.
            says(
                NEWCOMER,
                ALONE,
                "报名 阿\u{200b}新",
                &["报名成功", "“阿新”"],
            ),
        ],
    );
    for (id, alias) in [
        (CALLER, "“CQatqqall”"),
        (BRACES, "“玩家2”"),
        (PERCENT, "“for x in y”"),
        (FACES, "“玩家3”"),
    ] {
        let mut person = Person::new(id);
        person.say(&table.site, LOBBY, "报名");
        person.expect(&table.site, &["报名成功", alias]);
        person.must_have_read(&table.site, "你报名了【鸣潮2】");
    }
    refused(
        table,
        &[
            says(CALLER, SIGN_UP, "报名 阿新", &["已经有人用了"]),
            says(CALLER, SIGN_UP, "／报名　Ｖａｎ", &["你的马甲是“Van”"]),
            says(PERCENT, SIGN_UP, "报名 van", &["已经有人用了"]),
            says(
                FACES,
                SIGN_UP,
                "名单",
                &["5/14", "Van", "for x in y", "阿新"],
            ),
        ],
    );
}

/// Night 1. Gives back who is out after it.
fn first_night(table: &mut Table, pack: u64) -> usize {
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

fn first_day(table: &mut Table, out: usize) {
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

fn both_games_go_on(table: &mut Table, out: usize) {
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
