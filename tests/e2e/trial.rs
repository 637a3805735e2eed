//! Trying things out at a table: what somebody types, and exactly what comes of it.

use std::fmt::{Display, Formatter};

use crate::game::{DIRECTOR, STRANGER, Table};
use crate::people::{Heard, Person, bot};
use crate::site::wait_for;

/// A chat in which something is typed or answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Private,
    Group(u64),
}

/// Something that somebody types, and what the bot has to say to it.
#[derive(Debug)]
pub struct Try {
    who: u64,
    place: Place,
    text: String,
    /// Where it is answered and what the answer contains; `None`: the bot keeps silent.
    answer: Option<(Place, Vec<String>)>,
}

impl Display for Try {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let text: String = self.text.chars().take(60).collect();
        write!(f, "{} types {text:?} in {:?}", self.who, self.place)
    }
}

/// Somebody types this; the bot keeps silent.
pub fn silence(who: u64, place: Place, text: impl Into<String>) -> Try {
    Try {
        who,
        place,
        text: text.into(),
        answer: None,
    }
}

/// Somebody types this; the bot says one thing there that contains these.
pub fn says(who: u64, place: Place, text: impl Into<String>, parts: &[&str]) -> Try {
    Try {
        answer: Some((place, owned(parts))),
        ..silence(who, place, text)
    }
}

/// Somebody types this in a group; the bot answers in private alone.
pub fn whispers(who: u64, group: u64, text: impl Into<String>, parts: &[&str]) -> Try {
    Try {
        answer: Some((Place::Private, owned(parts))),
        ..silence(who, Place::Group(group), text)
    }
}

fn owned(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

/// Types everything, one after the other, and makes sure that every answer comes where it
/// belongs and that the bot says nothing else to anybody. Gives back the answers. All chats must
/// be those of a game and the people in it.
#[track_caller]
pub fn try_out(table: &Table, tries: &[Try]) -> Vec<Heard> {
    settle(table);
    let began = Began::now(table, tries);
    let answers = type_all(table, tries);
    // Both services that answer lines answer something last in every chat, addressed there:
    // whatever else they had to say came before.
    let bot = bot(&table.site, DIRECTOR);
    let mut last = answers.clone();
    for (who, place) in chats(tries) {
        for word in ["票型", "电梯"] {
            let addressed = match place {
                Place::Private => word.to_owned(),
                Place::Group(_) => format!("@{bot} {word}"),
            };
            last.extend(type_in(table, &says(who, place, addressed, &[])));
        }
    }
    began.assert_only(table, &last);
    answers
}

/// The same for chats of no game, where one service answers everything: the last try must be
/// one that is answered.
#[track_caller]
pub fn try_outside(table: &Table, tries: &[Try]) -> Vec<Heard> {
    assert!(tries.last().is_some_and(|one| one.answer.is_some()));
    let began = Began::now(table, tries);
    let answers = type_all(table, tries);
    began.assert_only(table, &answers);
    answers
}

/// Lets everything that is being said to the players and the director arrive.
#[track_caller]
fn settle(table: &Table) {
    let players = table.players.iter().map(|player| player.person.id);
    let asked: Vec<(Person, u64)> = players
        .chain([DIRECTOR])
        .map(|id| {
            let person = Person::new(id);
            let sent = person.whisper(&table.site, "鸣潮1 电梯");
            (person, sent["seq"].as_u64().expect("a place"))
        })
        .collect();
    for (person, sent) in asked {
        wait_for(&format!("{} to be shown the seats", person.id), || {
            let new = person.try_chats(&table.site, sent)?;
            let shown = |h: &Heard| h.group.is_none() && h.text.contains("在场");
            new.iter().any(shown).then_some(())
        });
    }
}

/// What everybody had read when the trying began.
struct Began(Vec<(u64, u64)>);

impl Began {
    fn now(table: &Table, tries: &[Try]) -> Self {
        let mut everybody: Vec<u64> = table.players.iter().map(|p| p.person.id).collect();
        everybody.extend([DIRECTOR, STRANGER]);
        everybody.extend(tries.iter().map(|one| one.who));
        everybody.sort_unstable();
        everybody.dedup();
        let began = everybody.into_iter().map(|id| (id, last_place(table, id)));
        Self(began.collect())
    }

    /// Since then nobody has been told anything but this.
    #[track_caller]
    fn assert_only(&self, table: &Table, answers: &[Heard]) {
        let bot = bot(&table.site, DIRECTOR);
        for (id, from) in &self.0 {
            let new = Person::new(*id).try_chats(&table.site, *from);
            for heard in new.expect("chats").iter().filter(|h| h.from == bot) {
                let known = answers.iter().any(|known| known.message == heard.message);
                assert!(known, "{id} was told {heard:?}");
            }
        }
    }
}

/// Every chat that is used, with somebody in it.
fn chats(tries: &[Try]) -> Vec<(u64, Place)> {
    let mut chats: Vec<(u64, Place)> = Vec::new();
    for one in tries {
        let answered = one.answer.as_ref().map(|(place, _)| *place);
        for place in [Some(one.place), answered].into_iter().flatten() {
            let same = |(who, known): &(u64, Place)| {
                *known == place && (*who == one.who || place != Place::Private)
            };
            if !chats.iter().any(same) {
                chats.push((one.who, place));
            }
        }
    }
    chats
}

#[track_caller]
fn type_all(table: &Table, tries: &[Try]) -> Vec<Heard> {
    let mut answers = Vec::new();
    let mut wrong = Vec::new();
    for one in tries {
        let Some(heard) = type_in(table, one) else {
            continue;
        };
        let mut parts = one.answer.iter().flat_map(|(_, parts)| parts);
        let missing = parts.find(|part| !heard.text.contains(*part));
        wrong.extend(missing.map(|part| format!("{one}: no {part:?} in {:?}", heard.text)));
        answers.push(heard);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    answers
}

/// Types one thing and waits for its answer, if there is to be one.
#[track_caller]
fn type_in(table: &Table, one: &Try) -> Option<Heard> {
    let bot = bot(&table.site, DIRECTOR);
    let person = Person::new(one.who);
    let sent = match one.place {
        Place::Private => person.whisper(&table.site, &one.text),
        Place::Group(group) => person.say(&table.site, group, &one.text),
    };
    let before = sent["seq"].as_u64().expect("a place");
    let (place, _) = one.answer.as_ref()?;
    let group = match place {
        Place::Private => None,
        Place::Group(group) => Some(*group),
    };
    Some(wait_for(&format!("an answer when {one}"), || {
        let new = person.try_chats(&table.site, before)?;
        new.into_iter()
            .find(|heard| heard.from == bot && heard.group == group)
    }))
}

fn last_place(table: &Table, id: u64) -> u64 {
    let chats = Person::new(id).chats(&table.site);
    chats.last().map_or(0, |heard| heard.seq)
}
