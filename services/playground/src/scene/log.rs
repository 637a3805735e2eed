//! The log of one chat.

use std::collections::VecDeque;

use protocol::UserId;
use serde::{Deserialize, Serialize};

use super::message::{Message, Piece};
use crate::world::{Moment, Refusal};

/// How many messages a chat remembers.
pub const HISTORY: usize = 5_000;

/// How long an own message can be taken back.
const RECALL_MS: i64 = 120_000;

/// One step in a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneStep {
    /// When.
    pub when: Moment,
    /// What.
    pub change: SceneChange,
}

/// What can be done in a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum SceneChange {
    /// Something is said. Whether the person may speak here was decided before.
    Say {
        /// By whom.
        from: UserId,
        /// What.
        pieces: Vec<Piece>,
        /// The place of the message that it quotes.
        reply_to: Option<u64>,
    },
    /// A message is taken back.
    Recall {
        /// Its place.
        seq: u64,
        /// By whom.
        by: UserId,
        /// Who may have it taken back although it is another's: whom the person outranks here.
        power: bool,
    },
    /// Someone reacts to a message, or no longer.
    React {
        /// Its place.
        seq: u64,
        /// Who.
        by: UserId,
        /// With which face.
        face: String,
        /// Reacts from now on.
        on: bool,
    },
}

/// A piece of a chat's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// The newest.
    Newest,
    /// Up to and including the message at this place.
    UpTo(u64),
    /// From the message at this place on.
    From(u64),
}

/// What was said in one chat, oldest first, at most [`HISTORY`] messages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneLog {
    messages: VecDeque<Message>,
    last_real: u64,
    /// The place of the newest step that changed an earlier message.
    last_edit: u64,
    /// Has the person of a private chat ever written? Then the bot may answer, friends or not.
    person_wrote: bool,
}

impl SceneLog {
    /// Takes a step, or refuses it and stays as it was.
    pub fn apply(&mut self, bot: UserId, step: &SceneStep) -> Result<(), Refusal> {
        match &step.change {
            SceneChange::Say {
                from,
                pieces,
                reply_to,
            } => {
                if let Some(quoted) = reply_to {
                    self.get(*quoted).ok_or(Refusal::NoSuchMessage)?;
                }
                self.say(bot, step.when, *from, pieces.clone(), *reply_to);
                Ok(())
            }
            SceneChange::Recall { seq, by, power } => self.recall(step.when, *seq, *by, *power),
            SceneChange::React { seq, by, face, on } => {
                let message = self.get_mut(*seq).ok_or(Refusal::NoSuchMessage)?;
                let people = message.reactions.entry(face.clone()).or_default();
                if *on {
                    people.insert(*by);
                } else {
                    people.remove(by);
                }
                message.reactions.retain(|_, people| !people.is_empty());
                message.edited = Some(step.when.seq);
                self.last_edit = step.when.seq;
                Ok(())
            }
        }
    }

    /// The message at this place.
    pub fn get(&self, seq: u64) -> Option<&Message> {
        let nth = self
            .messages
            .binary_search_by_key(&seq, |message| message.seq)
            .ok()?;
        self.messages.get(nth)
    }

    /// Messages after this place, oldest first.
    pub fn after(&self, seq: u64) -> impl Iterator<Item = &Message> {
        let start = self.messages.partition_point(|message| message.seq <= seq);
        self.messages.range(start..)
    }

    /// Messages that were changed after this place.
    pub fn edited_after(&self, seq: u64) -> impl Iterator<Item = &Message> {
        let any = self.last_edit > seq;
        let messages = any.then_some(&self.messages).into_iter().flatten();
        messages.filter(move |message| message.edited.is_some_and(|edited| edited > seq))
    }

    /// A page of at most `count` messages, oldest first.
    pub fn page(&self, page: Page, count: usize) -> Vec<&Message> {
        let (start, end) = match page {
            Page::Newest => (
                self.messages.len().saturating_sub(count),
                self.messages.len(),
            ),
            Page::UpTo(seq) => {
                let end = self.messages.partition_point(|message| message.seq <= seq);
                (end.saturating_sub(count), end)
            }
            Page::From(seq) => {
                let start = self.messages.partition_point(|message| message.seq < seq);
                (start, start.saturating_add(count).min(self.messages.len()))
            }
        };
        self.messages.range(start..end).collect()
    }

    /// Has the person of a private chat written to the bot? That opens a temporary chat.
    pub fn person_wrote(&self) -> bool {
        self.person_wrote
    }

    /// Everything as bytes.
    pub fn save(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a log of a chat always serializes")
    }

    fn say(
        &mut self,
        bot: UserId,
        when: Moment,
        from: UserId,
        pieces: Vec<Piece>,
        reply_to: Option<u64>,
    ) {
        self.last_real += 1;
        self.person_wrote |= from != bot;
        self.messages.push_back(Message {
            seq: when.seq,
            real: self.last_real,
            from,
            at: when.at,
            pieces,
            reply_to,
            edited: None,
            recalled_by: None,
            reactions: std::collections::BTreeMap::new(),
        });
        if self.messages.len() > HISTORY {
            self.messages.pop_front();
        }
    }

    fn recall(&mut self, when: Moment, seq: u64, by: UserId, power: bool) -> Result<(), Refusal> {
        let message = self.get_mut(seq).ok_or(Refusal::NoSuchMessage)?;
        if message.recalled_by.is_some() {
            return Err(Refusal::NoSuchMessage);
        }
        if message.from != by && !power {
            return Err(Refusal::NotYours);
        }
        if message.from == by && !power && when.at > message.at.plus_ms(RECALL_MS) {
            return Err(Refusal::TooLate);
        }
        message.recalled_by = Some(by);
        message.edited = Some(when.seq);
        self.last_edit = when.seq;
        Ok(())
    }

    fn get_mut(&mut self, seq: u64) -> Option<&mut Message> {
        let nth = self
            .messages
            .binary_search_by_key(&seq, |message| message.seq)
            .ok()?;
        self.messages.get_mut(nth)
    }
}

#[cfg(test)]
mod tests {
    use rules::Time;

    use super::*;

    const BOT: UserId = UserId(1);
    const ANN: UserId = UserId(2);

    fn at(seq: u64) -> Moment {
        Moment {
            seq,
            at: Time(i64::try_from(seq).unwrap() * 1000),
        }
    }

    fn say(seq: u64, from: UserId, reply_to: Option<u64>) -> SceneStep {
        let pieces = vec![Piece::Text(format!("第{seq}句"))];
        SceneStep {
            when: at(seq),
            change: SceneChange::Say {
                from,
                pieces,
                reply_to,
            },
        }
    }

    fn recall(seq: u64, now: u64, by: UserId, power: bool) -> SceneStep {
        SceneStep {
            when: at(now),
            change: SceneChange::Recall { seq, by, power },
        }
    }

    fn seqs(page: &[&Message]) -> Vec<u64> {
        page.iter().map(|message| message.seq).collect()
    }

    #[test]
    fn sequences_have_no_gaps_although_places_do() {
        let mut log = SceneLog::default();
        for seq in [3, 10, 11] {
            log.apply(BOT, &say(seq, BOT, None)).unwrap();
        }
        assert_eq!(
            log.after(3).map(|m| (m.seq, m.real)).collect::<Vec<_>>(),
            [(10, 2), (11, 3)]
        );
        assert!(!log.person_wrote());
        log.apply(BOT, &say(12, ANN, Some(10))).unwrap();
        assert!(log.person_wrote());
        assert_eq!(
            log.apply(BOT, &say(13, ANN, Some(4))),
            Err(Refusal::NoSuchMessage)
        );
        assert_eq!(log.messages.back().map(|m| m.real), Some(4));
    }

    #[test]
    fn pages_go_either_way() {
        let mut log = SceneLog::default();
        for seq in 1..=6 {
            log.apply(BOT, &say(seq * 10, ANN, None)).unwrap();
        }
        assert_eq!(seqs(&log.page(Page::Newest, 2)), [50, 60]);
        assert_eq!(seqs(&log.page(Page::UpTo(30), 2)), [20, 30]);
        assert_eq!(seqs(&log.page(Page::From(30), 2)), [30, 40]);
        assert_eq!(seqs(&log.page(Page::From(35), 9)), [40, 50, 60]);
        assert!(log.page(Page::UpTo(5), 9).is_empty());
        assert!(log.page(Page::From(61), usize::MAX).is_empty());
    }

    #[test]
    fn only_so_much_is_remembered() {
        let mut log = SceneLog::default();
        for seq in 1..=HISTORY as u64 + 3 {
            log.apply(BOT, &say(seq, ANN, None)).unwrap();
        }
        assert_eq!(log.page(Page::Newest, usize::MAX).len(), HISTORY);
        assert_eq!(log.get(3), None);
        assert_eq!(
            log.messages.back().map(|m| m.real),
            Some(HISTORY as u64 + 3)
        );
    }

    #[test]
    fn recalls_are_for_own_fresh_messages_or_by_power() {
        let mut log = SceneLog::default();
        for seq in 1..=4 {
            log.apply(BOT, &say(seq, ANN, None)).unwrap();
        }
        assert_eq!(
            log.apply(BOT, &recall(1, 10, BOT, false)),
            Err(Refusal::NotYours)
        );
        assert_eq!(
            log.apply(BOT, &recall(1, 122, ANN, false)),
            Err(Refusal::TooLate)
        );
        assert_eq!(
            log.apply(BOT, &recall(9, 10, ANN, false)),
            Err(Refusal::NoSuchMessage)
        );
        log.apply(BOT, &recall(1, 121, ANN, false)).unwrap();
        log.apply(BOT, &recall(2, 500, BOT, true)).unwrap();
        assert_eq!(
            log.apply(BOT, &recall(1, 10, ANN, true)),
            Err(Refusal::NoSuchMessage)
        );
        assert_eq!(log.get(1).unwrap().recalled_by, Some(ANN));
    }

    #[test]
    fn reactions_come_and_go() {
        let mut log = SceneLog::default();
        log.apply(BOT, &say(1, ANN, None)).unwrap();
        let react = |on| SceneStep {
            when: at(2),
            change: SceneChange::React {
                seq: 1,
                by: BOT,
                face: "76".into(),
                on,
            },
        };
        log.apply(BOT, &react(true)).unwrap();
        assert_eq!(log.edited_after(1).count(), 1);
        assert_eq!(log.edited_after(2).count(), 0);
        assert!(log.get(1).unwrap().reactions["76"].contains(&BOT));
        log.apply(BOT, &react(false)).unwrap();
        assert!(log.get(1).unwrap().reactions.is_empty());
    }

    #[test]
    fn a_saved_log_reads_back() {
        let mut log = SceneLog::default();
        log.apply(BOT, &say(1, ANN, None)).unwrap();
        log.apply(BOT, &say(2, BOT, Some(1))).unwrap();
        log.apply(BOT, &recall(1, 3, ANN, false)).unwrap();
        assert_eq!(
            serde_json::from_slice::<SceneLog>(&log.save()).unwrap(),
            log
        );
    }
}
