//! Under which name somebody plays.

use chat::{Names, fold, is_command_word};

/// The most characters an alias may have.
pub(crate) const LONGEST: usize = 12;

/// Why a name cannot be an alias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadAlias {
    /// Longer than [`LONGEST`].
    TooLong,
    /// Nothing readable in it, or a character that does not belong in a name.
    Characters,
    /// It reads as a number or a seat's number.
    Number,
    /// It is a command, or a word of the board.
    Word,
    /// Somebody else has it.
    Taken,
}

impl BadAlias {
    /// The template that says so.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::TooLong => "lobby/alias-too-long",
            Self::Characters => "lobby/alias-characters",
            Self::Number => "lobby/alias-number",
            Self::Word => "lobby/alias-word",
            Self::Taken => "lobby/alias-taken",
        }
    }
}

/// Can this character stand in an alias? Letters and digits of any script, and a few marks that
/// part no words, mean nothing to the grammar, and can be seen.
fn belongs(c: char) -> bool {
    c.is_alphanumeric() || " -_·+".contains(c)
}

/// A name as it is kept: one line, single blanks, nothing around it.
fn tidy(name: &str) -> String {
    chat::clean(name)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// `wanted` as an alias, if it can be one. `taken` are the aliases of others.
pub(crate) fn checked<'a>(
    wanted: &str,
    names: &Names,
    taken: impl IntoIterator<Item = &'a str>,
) -> Result<String, BadAlias> {
    let alias = tidy(wanted);
    if alias.chars().count() > LONGEST {
        return Err(BadAlias::TooLong);
    }
    if !alias.chars().any(char::is_alphanumeric) || !alias.chars().all(belongs) {
        return Err(BadAlias::Characters);
    }
    let folded = fold(&alias);
    let digits = folded.trim_end_matches(['号', '位']);
    if digits.chars().all(|c| c.is_numeric() || c == ' ') {
        return Err(BadAlias::Number);
    }
    if is_command_word(&folded) || is_of_board(&folded, names) {
        return Err(BadAlias::Word);
    }
    if taken.into_iter().any(|other| fold(other) == folded) {
        return Err(BadAlias::Taken);
    }
    Ok(alias)
}

fn is_of_board(folded: &str, names: &Names) -> bool {
    let lists = [&names.roles, &names.factions, &names.states, &names.groups];
    let short = names
        .factions
        .iter()
        .filter_map(|name| name.strip_suffix("阵营"));
    let all = lists
        .into_iter()
        .flatten()
        .map(String::as_str)
        .chain(names.skill_words())
        .chain(short);
    all.into_iter().any(|name| fold(name) == folded)
}

/// An alias for somebody who asked for none: the nickname without what does not belong, with a
/// number behind it when it cannot stand alone.
pub(crate) fn default(nickname: &str, names: &Names, taken: &[&str]) -> String {
    let plain: String = tidy(nickname).chars().filter(|c| belongs(*c)).collect();
    let plain = tidy(&plain);
    let short: String = plain.chars().take(LONGEST).collect();
    if let Ok(alias) = checked(&short, names, taken.iter().copied()) {
        return alias;
    }
    let stem: String = plain.chars().take(LONGEST - 3).collect();
    let numeric = fold(&stem).chars().all(|c| c.is_numeric() || c == ' ');
    let stems = [stem.trim(), "玩家"];
    let stems = if numeric { &stems[1..] } else { &stems[..] };
    stems
        .iter()
        .flat_map(|stem| (2..100).map(move |n| format!("{stem}{n}")))
        .find_map(|alias| checked(&alias, names, taken.iter().copied()).ok())
        .unwrap_or_else(|| format!("玩家{}", taken.len() + 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names {
            skills: vec!["预言".to_owned()],
            roles: vec!["女巫".to_owned()],
            factions: vec!["狼人阵营".to_owned()],
            ..Names::default()
        }
    }

    #[test]
    fn names_that_can_be_typed_are_aliases() {
        for (wanted, alias) in [
            ("阿猫", "阿猫"),
            (" van  桑 ", "van 桑"),
            ("ＡＢＣ", "ABC"),
            ("利维亚坦", "利维亚坦"),
            ("7up", "7up"),
            ("一二三四五六七八九十百千", "一二三四五六七八九十百千"),
        ] {
            assert_eq!(
                checked(wanted, &names(), []),
                Ok(alias.to_owned()),
                "{wanted}"
            );
        }
    }

    #[test]
    fn names_that_would_be_misread_are_not() {
        for (wanted, why) in [
            ("", BadAlias::Characters),
            ("😀", BadAlias::Characters),
            ("[CQ:at,qq=all]", BadAlias::TooLong),
            ("[CQ:at]", BadAlias::Characters),
            ("a@b", BadAlias::Characters),
            ("甲、乙", BadAlias::Characters),
            ("甲\u{301}\u{302}\u{303}", BadAlias::Characters),
            ("3", BadAlias::Number),
            ("３号", BadAlias::Number),
            ("12号位", BadAlias::Number),
            ("弃权", BadAlias::Word),
            ("报名", BadAlias::Word),
            ("红牌", BadAlias::Word),
            ("预言", BadAlias::Word),
            ("女巫", BadAlias::Word),
            ("狼人", BadAlias::Word),
            ("阿狗", BadAlias::Taken),
            ("一二三四五六七八九十百千万", BadAlias::TooLong),
        ] {
            assert_eq!(checked(wanted, &names(), ["阿狗"]), Err(why), "{wanted}");
        }
    }

    #[test]
    fn everybody_gets_some_alias() {
        for (nickname, alias) in [
            ("阿猫", "阿猫"),
            ("阿狗", "阿狗2"),
            ("😀阿猫😀", "阿猫"),
            ("", "玩家2"),
            ("😀", "玩家2"),
            ("123", "玩家2"),
            ("女巫", "女巫2"),
            ("[CQ:at,qq=all]", "CQatqqall"),
            ("很长很长很长很长很长很长很长", "很长很长很长很长很长很长"),
        ] {
            assert_eq!(default(nickname, &names(), &["阿狗"]), alias, "{nickname}");
        }
    }
}
