//! The clean-up of a typed text, before anything is read from it.
//!
//! Invariant: cleaning a cleaned text changes nothing.

use unicode_normalization::UnicodeNormalization;

/// A text as the grammar reads it: compatibility forms folded (full-width digits and letters
/// become half-width), invisible characters gone, every kind of blank a plain one, runs of blanks
/// one blank, no blanks at the ends of lines, no empty lines around it. Line breaks stay: a vote
/// post has two lines. So does the punctuation of Chinese: the grammar reads it in either width,
/// and last words and announcements are published as they were written.
///
/// It never fails and takes time in proportion to the text, however odd that is; one character
/// becomes at most eighteen (the longest compatibility form there is).
pub fn clean(text: &str) -> String {
    // Invisible characters go first: they keep letters and marks apart that then compose.
    let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
    let folded = visible.split_inclusive(is_chinese_mark).flat_map(|run| {
        let mark = run.chars().next_back().filter(|c| is_chinese_mark(*c));
        let rest = &run[..run.len() - mark.map_or(0, char::len_utf8)];
        rest.nfkc().chain(mark)
    });
    let mut out = String::with_capacity(text.len());
    let mut gap = Gap::None;
    for c in folded {
        match Kind::of(c) {
            Kind::Nothing => {}
            Kind::Blank => gap = gap.blank(),
            Kind::Break => gap = gap.line_break(),
            Kind::Visible => {
                gap.write(&mut out);
                gap = Gap::None;
                out.push(c);
            }
        }
    }
    out
}

/// What lies between the last visible character and the next one.
#[derive(Clone, Copy)]
enum Gap {
    None,
    Blank,
    Breaks(usize),
}

impl Gap {
    fn blank(self) -> Self {
        match self {
            Self::None | Self::Blank => Self::Blank,
            Self::Breaks(count) => Self::Breaks(count),
        }
    }

    fn line_break(self) -> Self {
        match self {
            Self::None | Self::Blank => Self::Breaks(1),
            Self::Breaks(count) => Self::Breaks(count + 1),
        }
    }

    /// In front of the first visible character a gap is nothing.
    fn write(self, out: &mut String) {
        if out.is_empty() {
            return;
        }
        match self {
            Self::None => {}
            Self::Blank => out.push(' '),
            Self::Breaks(count) => out.extend(std::iter::repeat_n('\n', count)),
        }
    }
}

enum Kind {
    Visible,
    Blank,
    Break,
    Nothing,
}

impl Kind {
    fn of(c: char) -> Self {
        match c {
            '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => Self::Break,
            c if c.is_whitespace() => Self::Blank,
            c if c.is_control() || is_invisible(c) => Self::Nothing,
            _ => Self::Visible,
        }
    }
}

/// Punctuation of Chinese that folding would turn into that of another script.
fn is_chinese_mark(c: char) -> bool {
    matches!(c, '，' | '！' | '？' | '：' | '；' | '（' | '）' | '…')
}

/// Characters that nobody sees and that clients put into texts: zero-width ones, marks and
/// embeddings of writing direction, soft hyphens, fillers.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}'
            | '\u{34F}'
            | '\u{61C}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{180E}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}'
    ) || (c.is_control() && !c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_clients_do_to_texts() {
        let cases = [
            ("投票　３号\u{200B}", "投票 3号"),
            ("  预言\u{2005}3 ", "预言 3"),
            ("预\u{200D}言\u{FEFF} ３", "预言 3"),
            (
                "投票对象：比利王\r\n投票理由：……",
                "投票对象：比利王\n投票理由：……",
            ),
            ("ＡＢＣ，！", "ABC，！"),
            (
                "我是好人，别投我！（真的）……",
                "我是好人，别投我！（真的）……",
            ),
            ("救药\u{A0}\u{A0}\t甲", "救药 甲"),
            ("\n\n一 \n 二\n\n三\n", "一\n二\n\n三"),
            ("\u{2066}开局\u{2069} m158", "开局 m158"),
            ("/帮助", "/帮助"),
            ("", ""),
            ("\u{200B}\u{3000}\u{FEFF}", ""),
            ("a\u{2028}b", "a\nb"),
            ("e\u{200B}\u{301}", "é"),
            ("[CQ:at,qq=all]", "[CQ:at,qq=all]"),
            ("😀 👍🏽", "😀 👍🏽"),
        ];
        for (typed, expected) in cases {
            assert_eq!(clean(typed), expected, "{typed:?}");
        }
    }

    #[test]
    fn long_texts_are_cleaned_whole() {
        let long = "投票 ３号\u{200B}，".repeat(2_000);
        assert_eq!(clean(&long), "投票 3号，".repeat(2_000));
        let marks = format!("a{}", "\u{301}".repeat(10_000));
        assert!(clean(&marks).chars().count() <= 10_001);
        assert_eq!(
            clean(&"\u{FDFA}".repeat(10_000)).chars().count(),
            18 * 10_000
        );
    }

    proptest! {
        #[test]
        fn cleaning_twice_is_cleaning_once(text in any::<String>()) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once);
        }

        #[test]
        fn odd_blanks_and_marks_too(
            text in "([\u{A8}\u{FDFA}\u{2005}\u{3000}\u{200B}\u{301}\u{308}\u{1100}\u{1161}\u{FFA0}\r\n\t ea가]|.){0,40}"
        ) {
            let once = clean(&text);
            prop_assert_eq!(clean(&once), once.clone());
            prop_assert!(once.chars().count() <= 18 * text.chars().count());
            prop_assert!(!once.starts_with([' ', '\n']) && !once.ends_with([' ', '\n']));
            prop_assert!(!once.contains("  ") && !once.contains(" \n") && !once.contains("\n "));
        }
    }
}
