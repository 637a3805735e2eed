//! 票型: the ballots so far. All of it is public, but for a secret vote: there everybody sees only
//! their own ballot, and the directors see all in private (R1).

use kit::Effects;
use protocol::{Line, Phrase, Place};
use rules::book::{Book, Choice};
use rules::{SeatId, SeatSet};
use serde_json::{Value, json};

use crate::aggregate::Tally;
use crate::reason::Reason;

impl Tally {
    /// Shows the ballots where somebody asked for them.
    pub(crate) fn show_ballots(&mut self, line: &Line) -> Effects {
        let private = line.place == Place::Private;
        let phrase = match self.book() {
            Some(book) if book.thread().secret && !(private && line.speaker.director) => {
                self.own_ballot(book, line.speaker.seat.filter(|_| private))
            }
            Some(book) => self.ballots(book),
            None => Phrase::plain(Reason::NoVote.key()),
        };
        let mut effects = Effects::default();
        self.answer(&mut effects, line, phrase);
        effects
    }

    /// What a seat may know of a secret vote; in public nothing.
    fn own_ballot(&self, book: &Book, seat: Option<SeatId>) -> Phrase {
        let Some(seat) = seat else {
            return Phrase::plain("vote/secret");
        };
        let standing = book.ballot(seat);
        let args = json!({
            "voted": standing.is_some(),
            "target": standing.and_then(|standing| self.chosen(standing.ballot.choice)),
            "void": standing.is_some_and(|standing| standing.void),
        });
        Phrase::new("vote/own-ballot", args)
    }

    fn ballots(&self, book: &Book) -> Phrase {
        let mut targets: Vec<(Choice, SeatSet)> = Vec::new();
        let mut void = SeatSet::EMPTY;
        for standing in book.ballots() {
            let ballot = standing.ballot;
            if standing.void {
                void.insert(ballot.voter);
            } else if let Some((_, voters)) = targets
                .iter_mut()
                .find(|(choice, _)| *choice == ballot.choice)
            {
                voters.insert(ballot.voter);
            } else {
                targets.push((ballot.choice, SeatSet::only(ballot.voter)));
            }
        }
        // Most voters first, 弃权 last; these are heads, not weights.
        targets.sort_by_key(|(choice, voters)| match choice {
            Choice::Seat(seat) => (0, usize::MAX - voters.len(), seat.index()),
            Choice::Abstain => (1, 0, 0),
        });
        let targets: Vec<Value> = targets
            .into_iter()
            .map(|(choice, voters)| {
                json!({"name": self.chosen(choice), "voters": self.aliases(voters)})
            })
            .collect();
        let args = json!({
            "open": !book.is_closed(),
            "targets": targets,
            "void": self.aliases(void),
            "missing": self.aliases(book.not_voted()),
        });
        Phrase::new("vote/ballots", args)
    }
}
