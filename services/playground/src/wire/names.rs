//! How messages, people and groups are named towards the other side, and what a name means that
//! comes back.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use onebot::Id;
use protocol::Scene;
use serde_json::Value;

use super::faults::IdStyle;
use crate::hall::{Hall, Trouble};
use crate::scene::{Message, MessageNumber, Page};

/// The name of a message.
pub(super) fn of_message(style: IdStyle, message: &Message) -> Id {
    let number = message.number();
    match style {
        IdStyle::Number | IdStyle::Text => Id::from(u64::from(number.get())),
        IdStyle::Negative => Id::new(format!("-{number}")),
        IdStyle::Colliding => Id::from(message.real),
    }
}

/// An id as it goes out.
pub(super) fn value(style: IdStyle, id: &Id) -> Value {
    match style {
        IdStyle::Text => Value::from(id.as_str()),
        IdStyle::Number | IdStyle::Negative | IdStyle::Colliding => id.to_json(),
    }
}

/// The number of a person or group as it goes out.
pub(super) fn number(style: IdStyle, number: u64) -> Value {
    value(style, &Id::from(number))
}

/// Which message ids the other side still knows: a new process forgets those of the old one.
#[derive(Debug, Default)]
pub(super) struct Memory(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    forgotten_upto: u64,
    learned: HashSet<u64>,
}

impl Memory {
    /// The process starts anew: nothing up to this place is known.
    pub(super) fn forget(&self, upto: u64) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *known = Known {
            forgotten_upto: upto,
            learned: HashSet::new(),
        };
    }

    /// A history has listed these messages.
    pub(super) fn learn(&self, messages: &[Message]) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let upto = known.forgotten_upto;
        let old = messages
            .iter()
            .map(|message| message.seq)
            .filter(|seq| *seq <= upto);
        known.learned.extend(old);
    }

    fn knows(&self, seq: u64) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seq > known.forgotten_upto || known.learned.contains(&seq)
    }
}

/// The message that is meant by an id, in this chat when it is given, else wherever it is.
pub(super) async fn meant(
    hall: &Hall,
    memory: &Memory,
    style: IdStyle,
    id: &Id,
    within: Option<Scene>,
) -> Result<Option<(Scene, Message)>, Trouble> {
    let digits = id.as_str().trim_start_matches('-');
    let Ok(number) = digits.parse::<u64>() else {
        return Ok(None);
    };
    let found = match (style, within) {
        (IdStyle::Colliding, Some(scene)) => by_real(hall, scene, number).await?,
        (_, Some(scene)) => match MessageNumber::place(number) {
            Some(seq) => hall
                .message(scene, seq)
                .await?
                .map(|message| (scene, message)),
            None => None,
        },
        (_, None) => match MessageNumber::place(number) {
            Some(seq) => hall.find(seq).await?,
            None => None,
        },
    };
    Ok(found.filter(|(_, message)| memory.knows(message.seq)))
}

async fn by_real(
    hall: &Hall,
    scene: Scene,
    real: u64,
) -> Result<Option<(Scene, Message)>, Trouble> {
    let all = hall.history(scene, Page::Newest, usize::MAX).await?;
    Ok(all
        .into_iter()
        .find(|message| message.real == real)
        .map(|message| (scene, message)))
}
