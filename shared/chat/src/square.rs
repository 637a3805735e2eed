//! Whom a line typed in the square is for, told by its words alone.

use crate::tokens::{Tokens, fold, head_of, unmarked};
use crate::vote;
use crate::words;

/// Whom a line of the square is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SquareWord {
    /// Votes, petitions, 票型, talk: everything that counts as a post.
    Tally,
    /// A command for the referee.
    Night(SquareCommand),
    /// Nothing was typed (a picture alone, say).
    Nothing,
}

/// A command for the referee that can be typed in the square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SquareCommand {
    /// 开局: also in a group that is no square yet; see [`opening_words`].
    Open,
    /// 报名.
    SignUp,
    /// 退出.
    Quit,
    /// 电梯, 名单.
    Elevator,
    /// 公告.
    Notices,
    /// 帮助.
    Help,
    /// 竞选, 上警.
    Run,
    /// 退选, 退水.
    Withdraw,
    /// A director's command. When the speaker does not direct the game it is talk, for tally.
    Director,
}

/// Whom a line of the square is for. Only lines that are a whole command are taken away from
/// the talk: `退出` is one, `退出 的人真多` is not. See also [`square_skill`].
pub fn square_word(line: &str) -> SquareWord {
    let line = unmarked(line);
    let Some(head) = head_of(line) else {
        return SquareWord::Nothing;
    };
    let rest = &line[head.end..];
    let words = Tokens::new(rest).take(3).count();
    let command = match fold(head.text).as_str() {
        "开局" => SquareCommand::Open,
        "报名" if words <= 2 => SquareCommand::SignUp,
        "退出" if words == 0 => SquareCommand::Quit,
        "电梯" | "名单" if words == 0 => SquareCommand::Elevator,
        "公告" if words == 0 => SquareCommand::Notices,
        "帮助" if words <= 1 => SquareCommand::Help,
        "竞选" | "上警" if words == 0 => SquareCommand::Run,
        "退选" | "退水" if words == 0 => SquareCommand::Withdraw,
        word if words::begins_order(word) => SquareCommand::Director,
        _ => return SquareWord::Tally,
    };
    SquareWord::Night(command)
}

/// What follows `开局`, when the line is that command.
pub fn opening_words(line: &str) -> Option<&str> {
    let line = unmarked(line);
    let head = head_of(line)?;
    (fold(head.text) == "开局").then(|| line[head.end..].trim_start_matches([':', '：']).trim())
}

/// Is the line a skill command of the game whose skills these are (`杀人 3`)? Such a line goes
/// to the referee, who refuses it there without repeating it. A sentence that only begins with
/// a skill's name is talk.
pub fn square_skill<S: AsRef<str>>(line: &str, skill_words: &[S]) -> bool {
    const MOST_CHARACTERS: usize = 40;
    const MOST_WORDS: usize = 4;
    let line = unmarked(line);
    if line.chars().nth(MOST_CHARACTERS).is_some() {
        return false;
    }
    let mut tokens = Tokens::new(line);
    let Some(head) = tokens.next().filter(|head| !head.quoted) else {
        return false;
    };
    let head = fold(head.text);
    let named = skill_words
        .iter()
        .map(|word| fold(word.as_ref()))
        .any(|word| {
            head.strip_prefix(&word).is_some_and(|rest| {
                let number = rest.strip_suffix('号').unwrap_or(rest);
                number.bytes().all(|byte| byte.is_ascii_digit())
            }) && !word.is_empty()
        });
    named && tokens.take(MOST_WORDS + 1).count() <= MOST_WORDS
}

/// Is a line that is [`SquareWord::Tally`] for the ballot book: an attempt to vote, a petition, or
/// 票型? Everything else is talk.
pub fn is_book_line(line: &str) -> bool {
    vote::is_attempt(line) || vote::petition(line).is_some() || vote::is_question(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_petitions_and_talk_are_for_tally() {
        for line in [
            "投票对象：甲\n投票理由：不像好人",
            "改票对象:乙",
            "申请加速",
            "票型",
            "大家好",
            "退出 的人真多",
            "电梯 在哪",
            "报名 的 人 真多",
            "开始吧",
            "...",
            "😀",
        ] {
            assert_eq!(square_word(line), SquareWord::Tally, "{line}");
        }
    }

    #[test]
    fn talk_is_not_for_the_ballot_book() {
        for line in [
            "投票对象：甲",
            "改票给乙",
            "／投票",
            "申请延时，拜托",
            "票型？",
        ] {
            assert!(is_book_line(line), "{line}");
        }
        for line in ["大家好", "我投票给甲", "开始吧", "确认", "", "\n投"] {
            assert!(!is_book_line(line), "{line}");
        }
    }

    #[test]
    fn commands_are_for_the_referee() {
        for (line, command) in [
            ("报名", SquareCommand::SignUp),
            ("/报名 阿猫", SquareCommand::SignUp),
            ("。报名 van 桑", SquareCommand::SignUp),
            ("退出", SquareCommand::Quit),
            ("＃名单", SquareCommand::Elevator),
            ("公告", SquareCommand::Notices),
            ("帮助 预言", SquareCommand::Help),
            ("竞选", SquareCommand::Run),
            ("退选", SquareCommand::Withdraw),
            ("上警", SquareCommand::Run),
            ("退水", SquareCommand::Withdraw),
            ("开局 m158", SquareCommand::Open),
            ("发牌", SquareCommand::Director),
            ("黄牌 甲 贴脸", SquareCommand::Director),
            ("延时30分钟", SquareCommand::Director),
        ] {
            assert_eq!(square_word(line), SquareWord::Night(command), "{line}");
        }
    }

    #[test]
    fn nothing_typed_is_nothing() {
        for line in ["", "  ", "\u{200b}", "、，"] {
            assert_eq!(square_word(line), SquareWord::Nothing, "{line:?}");
        }
    }

    #[test]
    fn what_follows_opening() {
        assert_eq!(
            opening_words("/开局 m158 日历=quick"),
            Some("m158 日历=quick")
        );
        assert_eq!(opening_words("开局"), Some(""));
        assert_eq!(opening_words("开局啦"), None);
    }

    #[test]
    fn skills_are_recognised_in_the_square() {
        let skills = ["杀人", "预言", "撕警徽"];
        for line in [
            "杀人 3",
            "/杀人 3号",
            "杀人3号",
            "预言 比利王",
            "撕警徽",
            "杀人 甲 乙",
        ] {
            assert!(square_skill(line, &skills), "{line}");
        }
        for line in [
            "杀人者人恒杀之",
            "预言家出来",
            "杀人 这 种 事 我 不做",
            "我 杀人 3",
            "",
        ] {
            assert!(!square_skill(line, &skills), "{line}");
        }
    }
}
