//! Words written without a blank between them: `预言3号`, `交换甲乙`.

use crate::tokens::fold;
use crate::vocabulary::{Vocabulary, Word};

/// Longer words than this are not taken apart.
const LONGEST: usize = 48;

/// The beginning of `text` that is the longest of these names, and what follows it (not empty).
pub(crate) fn longest_prefix<T>(
    text: &str,
    most: usize,
    find: impl Fn(&str) -> Option<T>,
) -> Option<(T, &str)> {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .skip(1)
        .take(most)
        .collect();
    ends.into_iter()
        .rev()
        .find_map(|end| find(&text[..end]).map(|found| (found, &text[end..])))
}

/// The names and seat numbers that `text` is made of, if it is made of nothing else. Longer
/// names are preferred to shorter ones. `None` for a text that is one name already.
pub(crate) fn split_names(text: &str, vocabulary: &Vocabulary) -> Option<Vec<Word>> {
    if text.chars().nth(LONGEST).is_some() {
        return None;
    }
    let mut parts = Vec::new();
    (split(text, vocabulary, &mut parts) && parts.len() > 1).then_some(parts)
}

/// The same, one name included: for what follows a command without a blank.
pub(crate) fn names_of(text: &str, vocabulary: &Vocabulary) -> Option<Vec<Word>> {
    if text.chars().nth(LONGEST).is_some() {
        return None;
    }
    let mut parts = Vec::new();
    split(text, vocabulary, &mut parts).then_some(parts)
}

/// Takes `text` apart from its end: which beginnings can be completed is found once each, so
/// that no text takes longer than its length squared.
fn split(text: &str, vocabulary: &Vocabulary, parts: &mut Vec<Word>) -> bool {
    let mut ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    ends.push(text.len());
    // For each beginning, the end of the first part when the rest can be completed.
    let mut next: Vec<Option<usize>> = vec![None; ends.len()];
    let last = ends.len() - 1;
    for from in (0..last).rev() {
        let most = vocabulary.longest().max(6).min(last - from);
        next[from] = (1..=most).rev().map(|length| from + length).find(|&to| {
            (to == last || next[to].is_some()) && is_part(text, &ends, from, to, vocabulary)
        });
    }
    let mut from = 0;
    while let Some(to) = next[from] {
        parts.push(vocabulary.word(&text[ends[from]..ends[to]]));
        from = to;
    }
    from == last && last > 0
}

/// A name, or a whole run of digits with 号 behind it or nothing.
fn is_part(text: &str, ends: &[usize], from: usize, to: usize, vocabulary: &Vocabulary) -> bool {
    let part = &text[ends[from]..ends[to]];
    if vocabulary.reading(part).is_some() {
        return true;
    }
    let is_digit = |at: usize| {
        at < ends.len() - 1
            && fold(&text[ends[at]..ends[at + 1]])
                .bytes()
                .all(|b| b.is_ascii_digit())
    };
    let cuts_digits =
        (from > 0 && is_digit(from - 1) && is_digit(from)) || (is_digit(to - 1) && is_digit(to));
    !cuts_digits && vocabulary.word(part).seat.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::tests::vocabulary;

    fn parts(text: &str) -> Option<Vec<String>> {
        names_of(text, &vocabulary()).map(|words| words.into_iter().map(|word| word.text).collect())
    }

    #[test]
    fn known_names_and_numbers_come_apart() {
        for (text, expected) in [
            ("3号", vec!["3号"]),
            ("乙丙", vec!["乙", "丙"]),
            ("甲乙丙", vec!["甲乙", "丙"]),
            ("甲女巫", vec!["甲", "女巫"]),
            ("1号2号", vec!["1号", "2号"]),
            ("甲3", vec!["甲", "3"]),
            ("比利王甲", vec!["比利王", "甲"]),
        ] {
            assert_eq!(
                parts(text),
                Some(expected.iter().map(|&p| p.to_owned()).collect()),
                "{text}"
            );
        }
    }

    #[test]
    fn anything_else_stays_whole() {
        for text in ["", "你好", "甲你好", "12", "99号", "甲99", "是谁"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_of_names_is_left_alone() {
        assert_eq!(parts(&"甲".repeat(10_000)), None);
    }

    #[test]
    fn the_longest_command_wins() {
        let find = |name: &str| {
            ["荣光", "荣光庇护"]
                .into_iter()
                .find(|known| *known == name)
        };
        assert_eq!(
            longest_prefix("荣光庇护甲", 8, find),
            Some(("荣光庇护", "甲"))
        );
        assert_eq!(longest_prefix("荣光庇护", 8, find), Some(("荣光", "庇护")));
        assert_eq!(longest_prefix("", 8, find), None);
    }
}
