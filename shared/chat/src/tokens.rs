//! A line cut into words, and how words are compared.

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// A word of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// The word, without its quotes.
    pub text: &'t str,
    /// Stood it in quotes? Then it is a name, never a number.
    pub quoted: bool,
    /// Where it begins in the line, quotes included (bytes).
    pub start: usize,
    /// Where it ends in the line, quotes included (bytes).
    pub end: usize,
}

/// Quotes that can stand around a word.
pub(crate) const QUOTES: [(char, char); 6] = [
    ('"', '"'),
    ('「', '」'),
    ('“', '”'),
    ('『', '』'),
    ('‘', '’'),
    ('\'', '\''),
];

/// Further than this behind an opening quote within a word no closing one is looked for.
const LONGEST_NAME: usize = 64;

/// Characters that take no room: clean-up drops them, and so does a comparison.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{ad}')
}

/// Does this character part words?
pub(crate) fn is_separator(c: char) -> bool {
    c.is_whitespace() || is_invisible(c) || matches!(c, '、' | ',' | '，' | ';' | '；')
}

/// The words of a line, one after the other.
pub(crate) struct Tokens<'t> {
    line: &'t str,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Of this line.
    pub(crate) fn new(line: &'t str) -> Self {
        Self { line, at: 0 }
    }

    fn skip_separators(&mut self) {
        let rest = &self.line[self.at..];
        self.at += rest.len() - rest.trim_start_matches(is_separator).len();
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_separators();
        let start = self.at;
        let rest = &self.line[start..];
        let first = rest.chars().next()?;
        if let Some((open, close)) = QUOTES.iter().find(|(open, _)| *open == first) {
            let inside = &rest[open.len_utf8()..];
            if let Some(length) = inside.find(*close).filter(|length| *length > 0) {
                self.at = start + open.len_utf8() + length + close.len_utf8();
                return Some(Token {
                    text: &inside[..length],
                    quoted: true,
                    start,
                    end: self.at,
                });
            }
        }
        let length = bare_length(rest);
        self.at = start + length;
        Some(Token {
            text: &rest[..length],
            quoted: false,
            start,
            end: self.at,
        })
    }
}

/// How long the word is that `rest` begins with: up to what parts words, or up to a name in
/// quotes that was written to it without a blank.
fn bare_length(rest: &str) -> usize {
    let ends = |(at, c): &(usize, char)| {
        let quoted = || {
            let close = QUOTES.iter().find(|(open, _)| open == c && *c != '\'')?.1;
            let mut inside = rest[at + c.len_utf8()..].chars().take(LONGEST_NAME);
            inside.position(|c| c == close).filter(|length| *length > 0)
        };
        is_separator(*c) || (*at > 0 && quoted().is_some())
    };
    rest.char_indices()
        .find(ends)
        .map_or(rest.len(), |(at, _)| at)
}

/// The form in which names are compared: NFKC, small letters, blanks folded to one.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    if is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        push_folded(&mut folded, text.chars());
    } else {
        push_folded(&mut folded, text.nfkc());
    }
    folded
}

fn push_folded(folded: &mut String, characters: impl Iterator<Item = char>) {
    let mut blank = false;
    for c in characters {
        if is_invisible(c) {
            continue;
        }
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        if blank && !folded.is_empty() {
            folded.push(' ');
        }
        blank = false;
        folded.extend(c.to_lowercase());
    }
}

/// The line without the optional mark in front of a command (`/`, `.`, `#`, `。`) and without
/// blanks around it.
pub(crate) fn unmarked(line: &str) -> &str {
    let line = line.trim_matches(is_separator);
    let rest = line
        .strip_prefix(['/', '.', '#', '。', '／', '．', '＃', '｡'])
        .unwrap_or(line);
    rest.trim_start_matches(is_separator)
}

/// The first word. A colon ends it, so that `遗言：……` works.
pub(crate) fn head_of(line: &str) -> Option<Token<'_>> {
    let mut head = Tokens::new(line).next()?;
    if let Some(colon) = head
        .text
        .find([':', '：'])
        .filter(|at| !head.quoted && *at > 0)
    {
        head.text = &head.text[..colon];
        head.end = head.start + colon;
    }
    Some(head)
}

/// How many of these single changes lead from one word to the other: a character more, less,
/// another one, or two neighbours swapped.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let mut best = (row[j] + usize::from(l != r))
                .min(row[j + 1] + 1)
                .min(next[j] + 1);
            if i > 0 && j > 0 && *l == right[j - 1] && left[i - 1] == *r {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

/// The word among these that a mistyped one probably meant. At least half of it must be right.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = fold(word);
    let length = word.chars().count();
    if length == 0 || length > 12 {
        return None;
    }
    known
        .map(|name| (distance(&word, &fold(name)), name))
        .filter(|(distance, name)| {
            let longer = length.max(name.chars().count());
            *distance * 2 <= longer && *distance < length.min(name.chars().count()).max(2)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<&str> {
        Tokens::new(line).map(|token| token.text).collect()
    }

    #[test]
    fn blanks_and_commas_part_words() {
        assert_eq!(words("救药 甲"), ["救药", "甲"]);
        assert_eq!(
            words("  交换　甲、乙，丙,丁\u{200b}戊\n己 "),
            ["交换", "甲", "乙", "丙", "丁", "戊", "己"]
        );
        assert_eq!(words(""), Vec::<&str>::new());
    }

    #[test]
    fn quotes_keep_blanks_together() {
        assert_eq!(words("预言 \"van 桑\" 3"), ["预言", "van 桑", "3"]);
        assert_eq!(words("预言 「van 桑」"), ["预言", "van 桑"]);
        assert_eq!(words("预言 “van 桑”"), ["预言", "van 桑"]);
        assert_eq!(
            words("预言 \"van"),
            ["预言", "\"van"],
            "an open quote is a character"
        );
        assert_eq!(words("\"\""), ["\"\""]);
        assert_eq!(words("预言“van 桑”丙"), ["预言", "van 桑", "丙"]);
        assert_eq!(words("it's 'a b'"), ["it's", "a b"]);
    }

    #[test]
    fn folding_forgets_width_case_and_blanks() {
        assert_eq!(fold("ＶＡＮ"), "van");
        assert_eq!(fold(" Van \u{3000} 桑\u{200b} "), "van 桑");
        assert_eq!(fold("３号"), "3号");
    }

    #[test]
    fn one_mark_in_front_is_dropped() {
        assert_eq!(unmarked(" /预言 3"), "预言 3");
        assert_eq!(unmarked("。 我"), "我");
        assert_eq!(unmarked("..."), "..");
    }

    #[test]
    fn distances() {
        assert_eq!(distance("预言", "予言"), 1);
        assert_eq!(distance("言预", "预言"), 1);
        assert_eq!(distance("", "预言"), 2);
        assert_eq!(distance("荣光庇护", "荣光审判"), 2);
    }

    #[test]
    fn nearest_needs_something_in_common() {
        let known = || ["预言", "救药", "荣光庇护"].into_iter();
        assert_eq!(nearest("予言", known()), Some("预言"));
        assert_eq!(nearest("荣光庇佑", known()), Some("荣光庇护"));
        assert_eq!(nearest("你好", known()), None);
        assert_eq!(nearest("", known()), None);
    }
}
