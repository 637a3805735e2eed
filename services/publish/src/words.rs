//! Texts cut to what chat takes.

use sha2::{Digest, Sha256};

/// The most characters of a message. Longer ones trip risk control or are cut in silence.
pub const LIMIT: usize = 900;

/// What is left free of [`LIMIT`] for a mark in front that is added later.
const MARK: usize = 20;

/// The most bytes of a member's card.
const CARD_BYTES: usize = 60;

/// Cuts a text into messages, on line borders where it can.
pub fn split(text: &str) -> Vec<String> {
    split_at(text, LIMIT - MARK)
}

fn split_at(text: &str, max: usize) -> Vec<String> {
    let mut messages = Vec::new();
    let mut message = String::new();
    let mut count = 0;
    for line in text.split('\n').flat_map(|line| cut(line, max)) {
        let more = line.chars().count();
        if !message.is_empty() && count + 1 + more > max {
            messages.push(std::mem::take(&mut message));
            count = 0;
        }
        if !message.is_empty() {
            message.push('\n');
            count += 1;
        }
        message.push_str(line);
        count += more;
    }
    messages.push(message);
    messages.retain(|message| !message.trim().is_empty());
    messages
}

/// A line in pieces of at most `max` characters; an empty line is one piece.
fn cut(mut line: &str, max: usize) -> impl Iterator<Item = &str> {
    let mut first = true;
    std::iter::from_fn(move || {
        if line.is_empty() && !std::mem::take(&mut first) {
            return None;
        }
        first = false;
        let end = line
            .char_indices()
            .nth(max)
            .map_or(line.len(), |(at, _)| at);
        let (piece, rest) = line.split_at(end);
        line = rest;
        Some(piece)
    })
}

/// A member's card in a private group: seat and alias.
pub fn card(number: u16, alias: &str) -> String {
    let mut card = format!("{number}号 {alias}");
    let mut end = card.len().min(CARD_BYTES);
    while !card.is_char_boundary(end) {
        end -= 1;
    }
    card.truncate(end);
    card
}

/// A text's hash for the record, so that the record need not hold the text.
pub fn hash(text: &str) -> String {
    use std::fmt::Write;
    let digest = Sha256::digest(text.as_bytes());
    digest[..16]
        .iter()
        .fold(String::with_capacity(32), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_cut_on_line_borders() {
        let cases: [(&str, usize, &[&str]); 7] = [
            ("一二\n三四", 5, &["一二\n三四"]),
            ("一二\n三四", 4, &["一二", "三四"]),
            ("一二\n\n三四", 4, &["一二\n", "三四"]),
            ("一二三四五", 2, &["一二", "三四", "五"]),
            ("一\n二三四\n五", 3, &["一", "二三四", "五"]),
            ("😀😀😀", 2, &["😀😀", "😀"]),
            ("", 4, &[]),
        ];
        for (text, max, messages) in cases {
            assert_eq!(split_at(text, max), messages, "{text:?} at {max}");
        }
    }

    #[test]
    fn cards_are_at_most_sixty_bytes_and_whole_characters() {
        assert_eq!(card(3, "甲"), "3号 甲");
        let long = card(14, &"很".repeat(40));
        assert!(long.len() <= 60 && long.len() > 57, "{}", long.len());
        assert!(long.starts_with("14号 很很"));
    }

    proptest! {
        #[test]
        fn nothing_but_line_breaks_is_lost(text in "[一二三\n ]{0,60}", max in 1_usize..20) {
            let messages = split_at(&text, max);
            for message in &messages {
                prop_assert!(message.chars().count() <= max);
            }
            let bare = |t: &str| t.split_whitespace().collect::<String>();
            prop_assert_eq!(bare(&messages.concat()), bare(&text));
        }
    }
}
