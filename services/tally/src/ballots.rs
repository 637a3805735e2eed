//! 票型: the ballots so far. Every vote is a post in the square, so all of it is public.

use kit::Effects;
use protocol::{Line, Phrase};
use rules::SeatSet;
use rules::book::{Book, Choice};
use serde_json::{Value, json};

use crate::aggregate::Tally;
use crate::reason::Reason;

impl Tally {
    /// Shows the ballots where somebody asked for them.
    pub(crate) fn show_ballots(&mut self, line: &Line) -> Effects {
        let phrase = match self.book() {
            Some(book) => self.ballots(book),
            None => Phrase::plain(Reason::NoVote.key()),
        };
        let mut effects = Effects::default();
        self.answer(&mut effects, line, phrase);
        effects
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
