//! The few words that decide where a private line goes. Everything else is the games' grammar.

/// The first word of a cleaned line without a command mark. Blanks and punctuation end it.
fn head(line: &str) -> &str {
    let line = line.trim_start_matches(['/', '.', '#', '。', ' ']);
    line.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
}

/// `确认`, `票型`, `投`, the form of a vote: ballots are tally's, also when they come in private.
pub(crate) fn is_for_tally(line: &str) -> bool {
    let head = head(line);
    matches!(head, "确认" | "票型" | "投")
        || head.starts_with("投票")
        || head.starts_with("改票")
        || head
            .strip_prefix('投')
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// `报名`.
pub(crate) fn is_sign_up(line: &str) -> bool {
    head(line) == "报名"
}

/// `帮助`.
pub(crate) fn is_help(line: &str) -> bool {
    head(line) == "帮助"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_marks() {
        for line in [
            "确认",
            "/确认",
            "确认！",
            "确认。",
            "票型 1",
            "票型？",
            "投 3",
            "投3号",
            "#投 甲",
            "投票对象：甲",
            "改票对象:乙",
        ] {
            assert!(is_for_tally(line), "{line}");
        }
        for line in ["确认一下", "预言 3", "", "投降"] {
            assert!(!is_for_tally(line), "{line}");
        }
        assert!(is_sign_up("报名 阿猫") && is_sign_up(".报名") && !is_sign_up("报名表"));
        assert!(is_help("帮助") && is_help("/帮助 预言") && !is_help("帮助我"));
    }
}
