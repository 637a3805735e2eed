//! The steps of the play.

use crate::script::{Action, Sender, Step};
use crate::unreadable::{Unreadable, Wrong};
use crate::yaml::{Node, Shape};

use super::names::{ABSTAIN, DIRECTOR, Known};
use super::{checks, goal};

/// Words that begin a step which is no check. An alias or 导演 begins one as well.
pub(super) const KEYS: &[&str] = &[
    "refuse", "vote", "post", "repost", "say", "until", "next", "at", "mark",
];

/// Reads the steps; `lines` are those of the whole file.
pub(super) fn read(node: &Node, known: &Known, lines: &[&str]) -> Result<Vec<Step>, Unreadable> {
    let steps = node.list("play")?.iter().enumerate();
    steps
        .map(|(place, node)| {
            let action = step(node, known).map_err(|wrong| wrong.in_step(place + 1))?;
            Ok(Step {
                line: node.at.line,
                source: source(node.at.line, lines),
                action,
            })
        })
        .collect()
}

/// The line as a person recognises it: without the dash and without a comment behind it.
fn source(line: u64, lines: &[&str]) -> String {
    let place = usize::try_from(line).unwrap_or(usize::MAX).wrapping_sub(1);
    let line = lines.get(place).copied().unwrap_or_default();
    let line = line.split(" #").next().unwrap_or_default().trim();
    line.strip_prefix('-').unwrap_or(line).trim().to_owned()
}

fn step(node: &Node, known: &Known) -> Result<Action, Wrong> {
    match &node.shape {
        Shape::Text(word) if word == "next" => Ok(Action::Next),
        Shape::Text(word) if word == "mark" => Ok(Action::Mark),
        Shape::Map(entries) => match entries.as_slice() {
            [(key, value)] => keyed(key, value, known),
            _ => Err(node.wrong("a step has exactly one key")),
        },
        Shape::Text(word) => Err(node.wrong(unknown(word))),
        _ => Err(node.wrong(format!(
            "a step is a map with one key, this is {}",
            node.kind()
        ))),
    }
}

fn keyed(key: &str, value: &Node, known: &Known) -> Result<Action, Wrong> {
    if let Some(check) = checks::read(key, value, known) {
        return check.map(Action::Check);
    }
    let texts = |what: &'static str| move |node: &Node| node.text(what).map(str::to_owned);
    Ok(match key {
        "refuse" => refuse(value, known)?,
        "vote" => Action::Vote(known.by_seat(value, |node| choice(node, known))?),
        "post" | "say" => Action::Post(known.by_seat(value, texts("a post"))?),
        "repost" => Action::Repost(known.by_seat(value, texts("a post"))?),
        "until" => Action::Until(goal::until(value, known.board)?),
        "at" => Action::At(goal::at(value)?),
        "next" | "mark" => return Err(value.wrong(format!("{key} stands alone: - {key}"))),
        _ => Action::Send {
            from: sender(key, known).ok_or_else(|| value.wrong(unknown(key)))?,
            messages: value.texts("a message")?,
        },
    })
}

fn sender(word: &str, known: &Known) -> Option<Sender> {
    if word == DIRECTOR {
        Some(Sender::Director)
    } else {
        known.find_seat(word).map(Sender::Seat)
    }
}

fn refuse(node: &Node, known: &Known) -> Result<Action, Wrong> {
    let parts = node.list("refuse")?;
    let (who, message, because) = match parts {
        [who, message] => (who, message, None),
        [who, message, because] => (who, message, Some(because)),
        _ => {
            return Err(node.wrong("refuse takes a sender, a message, and if need be a text"));
        }
    };
    let name = who.text("a sender")?;
    Ok(Action::Refuse {
        from: sender(name, known).ok_or_else(|| who.wrong(format!("nobody is called {name:?}")))?,
        message: message.text("a message")?.to_owned(),
        because: because
            .map(|node| node.text("the text of the refusal").map(str::to_owned))
            .transpose()?,
    })
}

/// For whom a canonical vote is.
fn choice(node: &Node, known: &Known) -> Result<String, Wrong> {
    let text = node.text("a vote")?;
    if text != ABSTAIN {
        known.seat_named(text, node)?;
    }
    Ok(text.to_owned())
}

fn unknown(word: &str) -> String {
    format!(
        "{word:?} is no step: no alias, and none of {}, {}",
        KEYS.join(", "),
        checks::KEYS.join(", ")
    )
}
