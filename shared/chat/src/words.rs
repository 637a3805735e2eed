//! The words that commands begin with, and how each is written.

use crate::tokens::fold;

/// Commands of everybody, each with its form.
pub(crate) const COMMANDS: [(&str, &str); 26] = [
    ("我", "我"),
    ("状态", "状态"),
    ("帮助", "帮助 [技能或身份]"),
    ("放弃", "放弃 [技能]"),
    ("遗言", "遗言 <想说的话>"),
    ("确认", "确认"),
    ("报名", "报名 [马甲]"),
    ("退出", "退出"),
    ("电梯", "电梯"),
    ("名单", "名单"),
    ("票型", "票型"),
    ("公告", "公告"),
    ("投降", "投降"),
    ("同意投降", "同意投降"),
    ("树洞", "树洞 <想说的话>"),
    ("说", "说 <想说的话>"),
    ("投", "投 <座位> [理由]"),
    ("投票", "投票对象：<座位>"),
    ("改票", "改票对象：<座位>"),
    ("申请加速", "申请加速"),
    ("申请延时", "申请延时"),
    ("竞选", "竞选"),
    ("退选", "退选"),
    ("上警", "上警"),
    ("退水", "退水"),
    ("开局", "开局 <板子> [名称] [日历=quick]"),
];

/// Is this a word that commands begin with, or one that stands for no seat (弃权, 导演)? Nobody
/// can be called so.
pub fn is_command_word(word: &str) -> bool {
    let word = fold(word);
    let everybody = COMMANDS.iter().map(|(known, _)| *known);
    let directors = ORDERS.iter().map(|(known, _)| *known);
    everybody
        .chain(directors)
        .chain(["弃权", "导演"])
        .any(|known| known == word)
}

/// Longest command word, in characters.
pub(crate) const LONGEST: usize = 4;

/// The form of a command of everybody.
pub(crate) fn usage_of(word: &str) -> Option<&'static str> {
    COMMANDS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, usage)| *usage)
}

/// The director's commands, each with its form.
pub(crate) const ORDERS: [(&str, &str); 27] = [
    ("发牌", "发牌"),
    ("开始", "开始"),
    ("暂停", "暂停"),
    ("继续", "继续"),
    ("关门", "关门"),
    ("开门", "开门"),
    ("下一步", "下一步"),
    ("加速", "加速"),
    ("延时", "延时 <时长>，如 延时 30分钟"),
    ("蓝牌", "蓝牌 <座位> [理由]"),
    ("黄牌", "黄牌 <座位> [理由]"),
    ("红牌", "红牌 <座位> [理由]"),
    ("代投", "代投 <座位> <对象>"),
    ("代发", "代发 <座位> <技能…>"),
    ("替补", "替补 <座位> <用户>"),
    ("场助", "场助 <座位> <用户>"),
    ("回答", "回答 <编号> 是|否|无法回答"),
    ("放行", "放行 [编号]"),
    ("驳回", "驳回 <编号> [理由]"),
    ("裁定", RULING),
    ("公示", "公示 <内容>"),
    ("催票", "催票"),
    ("扣住", "扣住"),
    ("结算", "结算"),
    ("回档", "回档"),
    ("结束", "结束 [阵营]"),
    ("状态", "状态"),
];

/// The form of a director's command.
pub(crate) fn usage_of_order(word: &str) -> Option<&'static str> {
    ORDERS
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, usage)| *usage)
}

/// Does a seat, number or faction follow this command, so that no blank is needed between?
pub(crate) fn order_takes_names(word: &str) -> bool {
    matches!(
        word,
        "蓝牌"
            | "黄牌"
            | "红牌"
            | "代投"
            | "代发"
            | "替补"
            | "场助"
            | "放行"
            | "驳回"
            | "回答"
            | "结束"
    )
}

/// Is this, by its first word alone, a director's command? A number, a span or a seat may be
/// written to it without a blank, so what follows a longer command word is not looked at.
pub(crate) fn begins_order(word: &str) -> bool {
    let glued = |known: &str| {
        let rest = word.strip_prefix(known)?;
        let digits = rest.chars().next()?.is_ascii_digit();
        Some(digits && (order_takes_names(known) || known == "延时"))
    };
    ORDERS
        .iter()
        .any(|(known, _)| *known == word || glued(known) == Some(true))
}

/// All forms, for whoever gets none of them right.
pub(crate) const RULING: &str = "裁定 出局|复活 <座位>；状态|解除 <座位> <状态>；给|收 <座位> <技能>；\
     阵营 <座位> <阵营>；表面 <座位> <阵营> <身份>；票权 <座位> <数>；通知 <座位> <内容>；\
     延窗 <分钟>；理由写在｜后面";

/// Each form by its word.
pub(crate) const RULINGS: [(&str, &str); 11] = [
    ("出局", "裁定 出局 <座位>"),
    ("复活", "裁定 复活 <座位>"),
    ("状态", "裁定 状态 <座位> <状态>"),
    ("解除", "裁定 解除 <座位> <状态>"),
    ("给", "裁定 给 <座位> <技能>"),
    ("收", "裁定 收 <座位> <技能>"),
    ("阵营", "裁定 阵营 <座位> <阵营>"),
    ("表面", "裁定 表面 <座位> <阵营> <身份>"),
    ("票权", "裁定 票权 <座位> <数>"),
    ("通知", "裁定 通知 <座位> <内容>"),
    ("延窗", "裁定 延窗 <分钟>"),
];
