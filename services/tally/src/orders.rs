//! What night tells tally to do, and what the platform reports.

use kit::Effects;
use protocol::{Audience, Line, MessageRef, Phrase, Place, SayKind, Service, ToNight};
use rules::SeatId;
use rules::book::{Answer, Book, Choice, ClosedBook, PostId, PostKind, Thread, ThreadId, VotePost};
use serde_json::json;

use crate::aggregate::Tally;
use crate::answer::{Outcome, Where};
use crate::reason::Reason;

impl Tally {
    /// A thread opens or changes. Those whose ballots a change makes void are told in the
    /// square, where the ballots stand (G19); each in private when the vote is secret.
    pub(crate) fn take_thread(&mut self, thread: &Thread) -> Effects {
        let same = |book: &&mut Book| book.thread().id == thread.id;
        let Some(book) = self.books.iter_mut().find(same) else {
            return self.open(thread);
        };
        let voided = book.change(thread.clone());
        let mut effects = Effects::default();
        if thread.secret {
            for voter in voided.iter() {
                let to = Where::to(Audience::Seat(voter));
                let phrase = Phrase::plain("vote/voided-own");
                self.say(&mut effects, to, SayKind::Notice, phrase);
            }
        } else if !voided.is_empty() {
            let phrase = Phrase::new("vote/voided", json!({"voters": self.aliases(voided)}));
            self.say(
                &mut effects,
                Where::to(Audience::Square),
                SayKind::Notice,
                phrase,
            );
        }
        effects
    }

    /// Closes a book and hands it to night. One that tally has never heard of is empty: night
    /// must not wait for ever.
    pub(crate) fn close(&mut self, thread: ThreadId) -> Effects {
        let known = self
            .books
            .iter_mut()
            .find(|book| book.thread().id == thread);
        let book = known.map_or_else(ClosedBook::default, Book::close);
        let mut effects = Effects::default();
        effects.send(
            Service::Night,
            self.key.as_str(),
            &ToNight::Book { thread, book },
        );
        effects
    }

    /// 代投.
    pub(crate) fn by_hand(
        &mut self,
        voter: SeatId,
        target: Option<SeatId>,
        line: &Line,
    ) -> Effects {
        let choice = target.map_or(Choice::Abstain, Choice::Seat);
        let post = VotePost {
            voter,
            kind: PostKind::ByHand,
            choice,
            at: line.stamp,
            id: None,
        };
        let answer = self.book_mut().map(|book| book.post(&post));
        let changed = match answer {
            Some(Answer::Taken(_)) => false,
            Some(Answer::Changed { .. }) => true,
            Some(Answer::Refused(why)) => {
                return self.refuse_by_hand(Reason::Book(why), voter, choice, line);
            }
            // A book asks nobody about what the director does.
            None | Some(Answer::NeedsConfirm) => {
                return self.refuse_by_hand(Reason::NoVote, voter, choice, line);
            }
        };
        let outcome = if changed {
            Outcome::Changed
        } else {
            Outcome::Taken
        };
        let mut effects = Effects {
            log: outcome.to_log(),
            ..Effects::default()
        };
        let args = json!({
            "voter": self.known.alias(voter),
            "target": self.chosen(choice),
            "changed": changed,
        });
        let phrase = Phrase::new("vote/by-hand", args);
        if self.is_secret() && line.place != Place::Private {
            let to = Where::to(Audience::Directors);
            self.say(&mut effects, to, SayKind::Answer, phrase);
        } else {
            self.answer(&mut effects, line, phrase);
        }
        effects
    }

    /// A message was taken back. If a ballot rests on it the ballot stands, and the directors
    /// hear of it.
    pub(crate) fn recalled(&mut self, message: &MessageRef) -> Effects {
        let post = PostId(message.0.clone());
        let Some(ballot) = self.book_mut().and_then(|book| book.recall(&post)) else {
            return Effects::ignored();
        };
        let args = json!({
            "voter": self.known.alias(ballot.voter),
            "target": self.chosen(ballot.choice),
        });
        let mut effects = Effects::default();
        let phrase = Phrase::new("vote/recalled", args);
        self.say(
            &mut effects,
            Where::to(Audience::Directors),
            SayKind::Notice,
            phrase,
        );
        effects
    }

    fn refuse_by_hand(
        &mut self,
        reason: Reason,
        voter: SeatId,
        choice: Choice,
        line: &Line,
    ) -> Effects {
        let who = self.known.alias(voter);
        let phrase = self.refusal(reason, &who, voter, Some(choice));
        self.refuse(reason, phrase, line)
    }
}
