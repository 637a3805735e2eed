//! What was said in a chat, read from the side's history.

use std::collections::HashSet;
use std::sync::Arc;

use onebot::{Action, Chat, ChatMessage, HistoryStart, Outcome};

use crate::account::After;
use crate::settings::Limits;
use crate::side::{AccountSide, Called};

/// So many pages are read of one chat at most.
const MOST_PAGES: usize = 40;

/// What a page of history starts at.
#[derive(Debug, Clone, Copy)]
enum Start {
    Message,
    Sequence,
}

/// The ways in which sides want to be asked for what is before a message: by its id or its
/// sequence number, backwards or not. The first one that brings something older is kept.
const WAYS: [(Start, bool); 4] = [
    (Start::Message, true),
    (Start::Sequence, false),
    (Start::Message, false),
    (Start::Sequence, true),
];

/// Why history could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HistoryError {
    /// The connection was lost: try again when it is back.
    Lost,
    /// The side has none, or does not give it.
    Unavailable(String),
}

/// Reads histories of an account.
#[derive(Debug, Clone)]
pub(crate) struct History {
    side: Arc<AccountSide>,
    limits: Limits,
}

impl History {
    pub(crate) fn new(side: Arc<AccountSide>, limits: Limits) -> Self {
        Self { side, limits }
    }

    /// What was said in a chat from a place on, in order; also some of what is just before it.
    pub(crate) async fn since(
        &self,
        chat: Chat,
        after: &After,
    ) -> Result<Vec<ChatMessage>, HistoryError> {
        let mut all = self.page(chat, None, false).await?;
        let mut ways = WAYS;
        for _ in 1..MOST_PAGES {
            let Some(oldest) = all
                .first()
                .filter(|oldest| !reaches(oldest, after))
                .cloned()
            else {
                break;
            };
            let known: HashSet<_> = all.iter().map(|message| message.id.clone()).collect();
            let mut older = Vec::new();
            for (nth, way) in ways.into_iter().enumerate() {
                older = self.older(chat, &oldest, way).await?;
                older.retain(|message| !known.contains(&message.id));
                if older.iter().any(|message| is_before(message, &oldest)) {
                    // This side's way: the next page is asked for in it first.
                    ways.swap(0, nth);
                    break;
                }
                older.clear();
            }
            if older.is_empty() {
                break;
            }
            older.append(&mut all);
            all = older;
            onebot::data::sort(&mut all);
        }
        all.retain(|message| is_of_interest(message, after));
        Ok(all)
    }

    /// The same, but no more than the newest page.
    pub(crate) async fn newest_since(
        &self,
        chat: Chat,
        after: &After,
    ) -> Result<Vec<ChatMessage>, HistoryError> {
        let mut page = self.page(chat, None, false).await?;
        page.retain(|message| is_of_interest(message, after));
        Ok(page)
    }

    /// What is before a message; nothing when the side does not understand this way of asking.
    async fn older(
        &self,
        chat: Chat,
        oldest: &ChatMessage,
        (start, reverse): (Start, bool),
    ) -> Result<Vec<ChatMessage>, HistoryError> {
        let start = match (start, oldest.seq) {
            (Start::Message, _) => HistoryStart::Message(oldest.id.clone()),
            (Start::Sequence, Some(seq)) => HistoryStart::Sequence(seq),
            (Start::Sequence, None) => return Ok(Vec::new()),
        };
        match self.page(chat, Some(start), reverse).await {
            Err(HistoryError::Unavailable(_)) => Ok(Vec::new()),
            page => page,
        }
    }

    async fn page(
        &self,
        chat: Chat,
        start: Option<HistoryStart>,
        reverse: bool,
    ) -> Result<Vec<ChatMessage>, HistoryError> {
        let count = self.limits.page;
        let action = match chat {
            Chat::Group(group) => Action::GroupHistory {
                group,
                start,
                reverse,
                count,
            },
            Chat::Private(user) => Action::FriendHistory {
                user,
                start,
                reverse,
                count,
            },
        };
        match self.side.call(&action, self.limits.call).await {
            Called::Answered(Outcome::Done(data)) => {
                Ok(onebot::data::history(&data, chat, self.side.account.0))
            }
            Called::Answered(Outcome::Refused { raw, .. } | Outcome::Unknown { raw }) => {
                Err(HistoryError::Unavailable(raw))
            }
            Called::NoAnswer => Err(HistoryError::Unavailable("no answer in time".into())),
            Called::Lost | Called::NotSent => Err(HistoryError::Lost),
        }
    }
}

/// Is this message at or before the place, so that nothing older is of interest?
fn reaches(message: &ChatMessage, after: &After) -> bool {
    match (message.seq, after.seq) {
        (Some(seq), Some(after)) => seq <= after,
        _ => message.time < after.secs,
    }
}

/// Is it behind the place, by its time or by its sequence number?
fn is_of_interest(message: &ChatMessage, after: &After) -> bool {
    let behind = matches!((message.seq, after.seq), (Some(seq), Some(after)) if seq > after);
    behind || message.time >= after.secs
}

fn is_before(message: &ChatMessage, other: &ChatMessage) -> bool {
    match (message.seq, other.seq) {
        (Some(seq), Some(other)) => seq < other,
        _ => message.time <= other.time,
    }
}
