//! Before the deal.

use super::{
    ALONE, BRACES, CALLER, ELSEWHERE, FACES, LOBBY, NEWCOMER, OTHER_DIRECTOR, PERCENT, SIGN_UP,
    assert_discreet, long, refused,
};
use crate::game::{DIRECTOR, Table};
use crate::people::Person;
use crate::trial::{Place, says, silence, try_outside};

pub fn before_any_game(table: &Table) {
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

pub fn while_people_sign_up(table: &Table) {
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
