//! Vote posts and petitions in the square.
//!
//! ```text
//! 投票对象：比利王        改票对象：van
//! 投票理由：……            改票理由：……
//! ```
//!
//! Full or half width, letter case and blanks make no difference; the reason may stand on the
//! same line or be missing (G7). Whatever else begins with 投票 or 改票 is an attempt that failed.

#[cfg(test)]
mod tests;

use rules::SeatId;
use rules::book::{Choice, Petition};

use crate::misread::shortened;
use crate::tokens::{QUOTES, Tokens, fold, nearest, unmarked};
use crate::vocabulary::Vocabulary;

/// With which word a vote post begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteWord {
    /// 投票.
    Vote,
    /// 改票.
    Change,
}

/// A vote post of the prescribed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VoteLine {
    /// Is it a vote or a change?
    pub word: VoteWord,
    /// For whom.
    pub choice: Choice,
}

/// What is wrong with an attempt to vote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It is not in the form.
    #[error("the post does not begin with 投票对象： or 改票对象：")]
    Form,
    /// Nobody is named.
    #[error("the post names nobody")]
    NoTarget,
    /// More than one seat is named, or the form stands there twice.
    #[error("the post names more than one seat")]
    Several,
    /// The word names no seat.
    #[error("no seat is called {word:?}")]
    Unknown {
        /// What was named, shortened.
        word: String,
        /// The alias that it is nearest to.
        nearest: Option<String>,
    },
}

/// Reads a post of the square. `None`: it is no attempt to vote.
pub fn read(text: &str, known: &Vocabulary) -> Option<Result<VoteLine, Malformed>> {
    let mut lines = unmarked(text)
        .lines()
        .map(fold)
        .filter(|line| !line.is_empty());
    let first = lines.next()?;
    let (word, rest) = vote_word(&first)?;
    let rest: Vec<String> = std::iter::once(rest.to_owned()).chain(lines).collect();
    Some(choice(&rest, known).map(|choice| VoteLine { word, choice }))
}

/// Is it an attempt to vote, in the form or not?
pub(crate) fn is_attempt(text: &str) -> bool {
    let mut lines = unmarked(text).lines().map(fold);
    let first = lines.find(|line| !line.is_empty());
    first.is_some_and(|line| vote_word(&line).is_some())
}

/// Reads `申请加速` and `申请延时`, with or without words about it behind. `None`: it is no
/// petition.
pub fn petition(text: &str) -> Option<Petition> {
    let text = unmarked(text);
    let (what, rest) = [
        ("申请加速", Petition::Faster),
        ("申请延时", Petition::Slower),
    ]
    .into_iter()
    .find_map(|(word, what)| Some((what, text.strip_prefix(word)?)))?;
    rest.chars().next().is_none_or(parts).then_some(what)
}

/// Is it `票型`, the question for the ballots so far?
pub fn is_question(text: &str) -> bool {
    is_word(text, "票型")
}

/// Is it `确认`, the answer to the question whether a change shall count?
pub fn is_confirmation(text: &str) -> bool {
    is_word(text, "确认")
}

/// This word and nothing else, but for a mark in front and punctuation behind.
fn is_word(text: &str, word: &str) -> bool {
    unmarked(text).trim_end_matches(parts).trim_end_matches('.') == word
}

fn vote_word(line: &str) -> Option<(VoteWord, &str)> {
    [("投票", VoteWord::Vote), ("改票", VoteWord::Change)]
        .into_iter()
        .find_map(|(word, what)| Some((what, line.strip_prefix(word)?)))
}

/// The choice of a post, given its lines without the first word.
fn choice(lines: &[String], known: &Vocabulary) -> Result<Choice, Malformed> {
    let (first, more) = lines.split_first().ok_or(Malformed::Form)?;
    let target = labelled(first, "对象").ok_or(Malformed::Form)?;
    let again =
        |line: &String| vote_word(line).is_some_and(|(_, rest)| labelled(rest, "对象").is_some());
    if more.iter().any(again) {
        return Err(Malformed::Several);
    }
    // A line break directly behind the colon is a blank as well.
    let target = match more.first() {
        Some(next) if target.is_empty() => next,
        _ => target,
    };
    let target = before_reason(target).trim();
    if target.is_empty() {
        Err(Malformed::NoTarget)
    } else {
        named(target, known)
    }
}

/// What follows a label and its colon.
fn labelled<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let rest = text.trim_start().strip_prefix(label)?.trim_start();
    rest.strip_prefix([':', '：', '∶', '꞉'])
        .map(str::trim_start)
}

/// The line up to `投票理由：`, `改票理由：` or, where it stands by itself, `理由：`.
fn before_reason(line: &str) -> &str {
    let begins = |at: usize| {
        let rest = &line[at..];
        let bare = line[..at].chars().next_back().is_none_or(parts);
        vote_word(rest).is_some_and(|(_, rest)| labelled(rest, "理由").is_some())
            || bare && labelled(rest, "理由").is_some()
    };
    let end = line.char_indices().map(|(at, _)| at).find(|at| begins(*at));
    &line[..end.unwrap_or(line.len())]
}

/// The seat or 弃权 that a text names, which may go on with words about it.
fn named(text: &str, known: &Vocabulary) -> Result<Choice, Malformed> {
    if let Some(choice) = exactly(text, known) {
        return Ok(choice);
    }
    let unknown = || Malformed::Unknown {
        word: shortened(text),
        nearest: nearest(text, known.seats().iter().map(|seat| seat.alias.as_str()))
            .map(str::to_owned),
    };
    let ends = name_ends(text, known);
    let found = ends
        .into_iter()
        .rev()
        .find_map(|end| Some((end, exactly(&text[..end], known)?)));
    let (end, choice) = found.ok_or_else(unknown)?;
    let another = Tokens::new(&text[end..])
        .filter_map(|token| exactly(token.text, known))
        .any(|other| other != choice);
    if another {
        Err(Malformed::Several)
    } else {
        Ok(choice)
    }
}

/// Where a name at the beginning of a text can end, shortest first. No further than the longest
/// name reaches.
fn name_ends(text: &str, known: &Vocabulary) -> Vec<usize> {
    const MENTION: usize = 24;
    let reach = known.longest().max(MENTION) * 2 + 2;
    let mention = text.strip_prefix('@').map(|rest| {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        '@'.len_utf8() + digits
    });
    let parted = text
        .char_indices()
        .take(reach)
        .skip(1)
        .filter(|(_, c)| parts(*c));
    let mut ends: Vec<usize> = parted.map(|(at, _)| at).chain(mention).collect();
    ends.sort_unstable();
    ends
}

/// The seat or 弃权 that this names and nothing else, but for quotes and punctuation around it.
fn exactly(text: &str, known: &Vocabulary) -> Option<Choice> {
    whole(text, known).or_else(|| {
        let bare = text.trim_matches(parts).trim_end_matches('.');
        whole(bare, known).filter(|_| bare.len() < text.len())
    })
}

fn whole(text: &str, known: &Vocabulary) -> Option<Choice> {
    let inside = QUOTES.iter().find_map(|(open, close)| {
        let rest = text.strip_prefix(*open)?;
        rest.strip_suffix(*close)
    });
    if inside.unwrap_or(text) == "弃权" {
        return Some(Choice::Abstain);
    }
    let seat = match inside {
        Some(name) => known.name(name).seat,
        None => known.word(text).seat.or_else(|| spaced(text, known)),
    };
    seat.map(Choice::Seat)
}

/// Clients put blanks between letters of different scripts, or swallow them: a name is also
/// found without its blanks, if it is the only such name.
fn spaced(text: &str, known: &Vocabulary) -> Option<SeatId> {
    if text.chars().count() > known.longest() * 2 {
        return None;
    }
    let close = |text: &str| fold(text).replace(' ', "");
    let name = close(text);
    let number = text.contains(' ') && name.ends_with(['号', '位']);
    if let Some(seat) = number.then(|| known.word(&name).seat).flatten() {
        return Some(seat);
    }
    let mut same = (0_u8..)
        .zip(known.seats())
        .filter(|(_, seat)| close(&seat.alias) == name);
    match (same.next(), same.next()) {
        (Some((seat, _)), None) if !name.is_empty() => Some(SeatId(seat)),
        _ => None,
    }
}

/// Can this stand between a name and what follows it? Signs and points are not among them: `-1`
/// and `1.5` are no seats.
fn parts(c: char) -> bool {
    const MARKS: &str = ",，、;；:：。｡!！?？…~～()（）[]［］{}【】《》〈〉<>|/—";
    c.is_whitespace() || MARKS.contains(c)
}
