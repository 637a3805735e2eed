//! Everything that a rehearsal puts into words: the same templates that players read.

use chat::Misread;
use protocol::Phrase;
use rules::book;
use rules::{Board, Notice, Refusal, SeatId, SeatSet};
use serde_json::json;
use texts::phrases::{self, Names, vote_refusal};
use texts::{TextError, Texts};

/// The words of one rehearsal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words<'a> {
    texts: &'a Texts,
    names: Names<'a>,
}

/// What is public about a vote that is refused.
pub(crate) struct RefusedVote {
    pub(crate) why: book::Refusal,
    /// 你, or an alias when it is the director who reads it.
    pub(crate) who: String,
    pub(crate) target: Option<SeatId>,
    /// The seat's ballot so far; `None`: none, or 弃权.
    pub(crate) standing: Option<SeatId>,
    pub(crate) until: Option<rules::Time>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(texts: &'a Texts, board: &'a Board, aliases: &'a [String]) -> Self {
        Self {
            texts,
            names: Names::new(board, aliases),
        }
    }

    /// A notice as its readers see it.
    ///
    /// # Errors
    /// When no template fits it: then nothing can be checked.
    pub(crate) fn notice(&self, notice: &Notice) -> Result<String, TextError> {
        self.texts.render(&phrases::phrase(notice, &self.names))
    }

    /// A refusal of the rules.
    pub(crate) fn refusal(&self, refusal: &Refusal) -> String {
        self.phrase(&phrases::refusal(refusal, &self.names))
    }

    /// What could not be read.
    pub(crate) fn misread(&self, misread: &Misread) -> String {
        let args = serde_json::to_value(misread).unwrap_or_else(|_| json!({}));
        self.phrase(&Phrase::new(misread.key(), args))
    }

    /// A sentence without anything to fill in.
    pub(crate) fn plain(&self, key: &str) -> String {
        self.phrase(&Phrase::plain(key))
    }

    /// A phrase; one without a fitting template shows its name, so that a refusal is a refusal
    /// whatever becomes of its words.
    pub(crate) fn phrase(&self, phrase: &Phrase) -> String {
        self.texts
            .render(phrase)
            .unwrap_or_else(|_| format!("{} {}", phrase.key, phrase.args))
    }

    /// A vote that does not count.
    pub(crate) fn refused_vote(&self, vote: &RefusedVote) -> String {
        let args = json!({
            "who": vote.who,
            "target": vote.target.map(|seat| self.seat(seat)),
            "standing": vote.standing.map(|seat| self.seat(seat)),
            "until": vote.until,
        });
        self.phrase(&Phrase::new(vote_refusal(vote.why), args))
    }

    pub(crate) fn seat(&self, seat: SeatId) -> String {
        self.names.seat(seat)
    }

    /// Seats in elevator order.
    pub(crate) fn seats(&self, seats: SeatSet) -> String {
        self.order(&seats.iter().collect::<Vec<_>>())
    }

    /// Seats in this order.
    pub(crate) fn order(&self, seats: &[SeatId]) -> String {
        if seats.is_empty() {
            return "nobody".to_owned();
        }
        let aliases: Vec<String> = seats.iter().map(|seat| self.seat(*seat)).collect();
        aliases.join("、")
    }

    pub(crate) fn names(&self) -> &Names<'a> {
        &self.names
    }
}
