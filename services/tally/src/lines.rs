//! What people type.

use chat::vote::{self, Malformed, VoteWord};
use chat::{Misread, Reader, Said};
use kit::Effects;
use protocol::{Audience, Line, MessageRef, Phrase, Place, SayKind, Service, ToNight};
use rules::SeatId;
use rules::book::{
    Answer, Ballot, Choice, Petition, PetitionAnswer, PostId, PostKind, Refusal, VotePost,
};
use serde_json::json;

use crate::aggregate::Tally;
use crate::answer::{Outcome, Where};
use crate::reason::Reason;

/// How a refusal calls the person who reads it.
const YOU: &str = "你";

impl Tally {
    /// A line from chat.
    pub(crate) fn line(&mut self, line: &Line) -> Effects {
        if vote::is_question(&line.text) {
            return self.show_ballots(line);
        }
        let confirms = vote::is_confirmation(&line.text);
        match (line.speaker.seat, &line.place) {
            (Some(seat), Place::Square) => self.post(seat, line),
            (_, Place::Private) if self.is_lobby() && !confirms => {
                let phrase = Phrase::plain(Reason::NotDealt.key());
                self.refuse(Reason::NotDealt, phrase, line)
            }
            (Some(seat), _) if confirms => self.confirm(seat, line),
            (Some(seat), Place::Private) if self.is_secret() => self.private_vote(seat, line),
            (Some(seat), _) if self.is_secret() => {
                let phrase = self.refusal(Reason::InPrivate, YOU, seat, None);
                self.refuse(Reason::InPrivate, phrase, line)
            }
            (Some(seat), Place::Private) => {
                let phrase = self.refusal(Reason::InPublic, YOU, seat, None);
                self.refuse(Reason::InPublic, phrase, line)
            }
            // Posts of people without a seat do not count, whatever they say; and what looks like a
            // vote among a few is talk.
            (None, Place::Square) | (Some(_), Place::Group(_)) => Effects::ignored(),
            (None, Place::Group(_)) if !confirms => Effects::ignored(),
            (None, _) => {
                let why = if confirms {
                    Refusal::NothingToConfirm
                } else {
                    Refusal::NotAVoter
                };
                let reason = Reason::Book(why);
                self.refuse(reason, Phrase::new(reason.key(), json!({"who": YOU})), line)
            }
        }
    }

    /// A post of a seat in the square.
    fn post(&mut self, seat: SeatId, line: &Line) -> Effects {
        if let Some(attempt) = vote::read(&line.text, &self.known) {
            if self.is_secret() {
                return self.not_in_public(seat, line);
            }
            return match attempt {
                Ok(vote) => self.vote(seat, Some(vote.word), vote.choice, line),
                Err(malformed) => self.malformed(seat, &malformed, line),
            };
        }
        if let Some(what) = vote::petition(&line.text) {
            return self.petition(seat, what, line);
        }
        match self.book_mut() {
            Some(book) if !book.is_closed() => {
                book.talk(seat, line.stamp);
                Effects::default()
            }
            Some(_) | None => Effects::ignored(),
        }
    }

    /// A private line while the vote is secret: `投 <座位> [理由]`, or the form of the square.
    fn private_vote(&mut self, seat: SeatId, line: &Line) -> Effects {
        match vote::read(&line.text, &self.known) {
            Some(Ok(vote)) => return self.vote(seat, Some(vote.word), vote.choice, line),
            Some(Err(malformed)) => return self.malformed(seat, &malformed, line),
            None => {}
        }
        match chat::read(&line.text, &self.known, Reader::Player) {
            Ok(Said::Vote { target, .. }) => {
                let choice = target.seat().map_or(Choice::Abstain, Choice::Seat);
                self.vote(seat, None, choice, line)
            }
            Ok(_) => self.misread(Reason::Form, Phrase::plain("vote/private-form"), line),
            Err(misread) => {
                let phrase = misread_phrase(&misread);
                self.misread(Reason::Unknown, phrase, line)
            }
        }
    }

    fn misread(&mut self, reason: Reason, phrase: Phrase, line: &Line) -> Effects {
        let mut effects = logged(Outcome::Refused(reason));
        self.answer(&mut effects, line, phrase);
        effects
    }

    /// A vote in the square while the vote is secret does not count. It is a post all the same.
    fn not_in_public(&mut self, seat: SeatId, line: &Line) -> Effects {
        if let Some(book) = self.book_mut() {
            book.talk(seat, line.stamp);
        }
        let phrase = self.refusal(Reason::InPrivate, YOU, seat, None);
        self.refuse(Reason::InPrivate, phrase, line)
    }

    /// A vote. Without a word of the form (`投`) it is the first, or a change of it.
    fn vote(
        &mut self,
        seat: SeatId,
        word: Option<VoteWord>,
        choice: Choice,
        line: &Line,
    ) -> Effects {
        let secret = self.is_secret();
        let Some(book) = self.book_mut() else {
            return self.refuse_vote(Reason::NoVote, seat, choice, line);
        };
        let quotes = line
            .reply_to
            .as_ref()
            .map(|quoted| PostId(quoted.0.clone()));
        let reply_to_own = quotes.is_some_and(|quoted| book.is_vote_post_of(seat, &quoted));
        let voted = book.ballot(seat).is_some_and(|standing| !standing.void);
        let kind = match word {
            Some(VoteWord::Vote) => PostKind::First,
            None if !voted => PostKind::First,
            Some(VoteWord::Change) | None => PostKind::Change { reply_to_own },
        };
        let id = Some(PostId(line.message.0.clone()));
        let post = VotePost {
            voter: seat,
            kind,
            choice,
            at: line.stamp,
            id,
        };
        match book.post(&post) {
            Answer::Taken(ballot) => {
                let mut effects = logged(Outcome::Taken);
                let receipt = self.taken(ballot);
                self.answer(&mut effects, line, receipt);
                effects
            }
            Answer::Changed { ballot, left } => {
                let mut effects = logged(Outcome::Changed);
                let receipt = self.changed(ballot, left);
                self.answer(&mut effects, line, receipt);
                effects
            }
            Answer::NeedsConfirm => {
                let mut effects = logged(Outcome::Asked);
                let args = json!({"target": self.chosen(choice)});
                if secret {
                    let question = Phrase::new("vote/confirm-secret", args);
                    self.answer(&mut effects, line, question);
                    return effects;
                }
                self.answer(&mut effects, line, Phrase::plain("vote/needs-confirm"));
                let question = Phrase::new("vote/confirm", args);
                let seat = Where::to(Audience::Seat(seat));
                self.say(&mut effects, seat, SayKind::Prompt, question);
                effects
            }
            Answer::Refused(why) => self.refuse_vote(Reason::Book(why), seat, choice, line),
        }
    }

    /// An attempt that cannot be read. It is a post all the same; and whoever could not vote
    /// now in any form hears that first.
    fn malformed(&mut self, seat: SeatId, malformed: &Malformed, line: &Line) -> Effects {
        let reason = match self.book_mut() {
            None => Reason::NoVote,
            Some(book) => {
                book.talk(seat, line.stamp);
                match (book.admits(seat, line.stamp), malformed) {
                    (Err(why), _) => Reason::Book(why),
                    (Ok(()), Malformed::Form) => Reason::Form,
                    (Ok(()), Malformed::NoTarget) => Reason::NoTarget,
                    (Ok(()), Malformed::Several) => Reason::Several,
                    (Ok(()), Malformed::Unknown { .. }) => Reason::Unknown,
                }
            }
        };
        let phrase = match malformed {
            Malformed::Unknown { word, nearest } if reason == Reason::Unknown => {
                Phrase::new(reason.key(), json!({"word": word, "nearest": nearest}))
            }
            _ => self.refusal(reason, YOU, seat, None),
        };
        self.refuse(reason, phrase, line)
    }

    /// `确认`: the change counts from the time of its post, and the square sees its receipt
    /// there.
    fn confirm(&mut self, seat: SeatId, line: &Line) -> Effects {
        let answer = self.book_mut().map(|book| book.confirm(seat, line.stamp));
        let (ballot, left, outcome) = match answer {
            Some(Answer::Taken(ballot)) => (ballot, None, Outcome::Taken),
            Some(Answer::Changed { ballot, left }) => (ballot, left, Outcome::Changed),
            Some(Answer::Refused(why)) => {
                let phrase = self.refusal(Reason::Book(why), YOU, seat, None);
                return self.refuse(Reason::Book(why), phrase, line);
            }
            // A book does not ask again about what was confirmed.
            None | Some(Answer::NeedsConfirm) => {
                let reason = Reason::Book(Refusal::NothingToConfirm);
                let phrase = self.refusal(reason, YOU, seat, None);
                return self.refuse(reason, phrase, line);
            }
        };
        let mut effects = logged(outcome);
        let args = json!({"target": self.chosen(ballot.choice), "left": left});
        self.answer(&mut effects, line, Phrase::new("vote/confirmed", args));
        if self.is_secret() {
            return effects;
        }
        let receipt = match outcome {
            Outcome::Changed => self.changed(ballot, left),
            _ => self.taken(ballot),
        };
        let post = self.book().and_then(|book| book.post_of(seat));
        let post = post.map(|post| MessageRef(post.0.clone()));
        self.say(&mut effects, Where::square(post), SayKind::Answer, receipt);
        effects
    }

    fn petition(&mut self, seat: SeatId, what: Petition, line: &Line) -> Effects {
        let Some(book) = self.book_mut() else {
            return self.refuse_petition(Reason::NoVote, line);
        };
        let thread = book.thread().id;
        let faster = what == Petition::Faster;
        let mut effects = Effects::default();
        let phrase = match book.petition(seat, what, line.stamp) {
            PetitionAnswer::Noted { again, have, need } => {
                let args = json!({"faster": faster, "again": again, "have": have, "need": need});
                Phrase::new("vote/petition-noted", args)
            }
            PetitionAnswer::Holds { since } => {
                let holds = ToNight::Petition {
                    thread,
                    faster,
                    at: since.time(),
                };
                effects.send(Service::Night, self.key.as_str(), &holds);
                Phrase::new("vote/petition-holds", json!({"faster": faster}))
            }
            PetitionAnswer::Held => Phrase::new("vote/petition-held", json!({"faster": faster})),
            PetitionAnswer::Refused(why) => {
                return self.refuse_petition(Reason::Book(why), line);
            }
        };
        self.answer(&mut effects, line, phrase);
        effects
    }

    fn taken(&self, ballot: Ballot) -> Phrase {
        let args = json!({
            "voter": self.known.alias(ballot.voter),
            "target": self.chosen(ballot.choice),
        });
        Phrase::new("vote/taken", args)
    }

    fn changed(&self, ballot: Ballot, left: Option<u8>) -> Phrase {
        let args = json!({
            "voter": self.known.alias(ballot.voter),
            "target": self.chosen(ballot.choice),
            "left": left,
        });
        Phrase::new("vote/changed", args)
    }

    /// The sentence that gives a reason, with everything that any of them mentions. All of it
    /// is public.
    pub(crate) fn refusal(
        &self,
        reason: Reason,
        who: &str,
        voter: SeatId,
        choice: Option<Choice>,
    ) -> Phrase {
        let book = self.book();
        let standing = book.and_then(|book| book.ballot(voter));
        let args = json!({
            "who": who,
            "target": choice.and_then(|choice| self.chosen(choice)),
            "standing": standing.and_then(|standing| self.chosen(standing.ballot.choice)),
            "until": book.and_then(|book| book.thread().changes_until),
        });
        Phrase::new(reason.key(), args)
    }

    /// Answers a line with a refusal.
    pub(crate) fn refuse(&mut self, reason: Reason, phrase: Phrase, line: &Line) -> Effects {
        let mut effects = logged(Outcome::Refused(reason));
        self.answer(&mut effects, line, phrase);
        effects
    }

    fn refuse_vote(
        &mut self,
        reason: Reason,
        seat: SeatId,
        choice: Choice,
        line: &Line,
    ) -> Effects {
        let phrase = self.refusal(reason, YOU, seat, Some(choice));
        self.refuse(reason, phrase, line)
    }

    fn refuse_petition(&mut self, reason: Reason, line: &Line) -> Effects {
        let key = match reason {
            Reason::Book(Refusal::NotAVoter) => "vote/petition-not-you",
            Reason::Book(Refusal::Paused) => "vote/petition-paused",
            _ => "vote/petition-late",
        };
        self.refuse(reason, Phrase::plain(key), line)
    }
}

/// What could not be read, as a phrase.
fn misread_phrase(misread: &Misread) -> Phrase {
    let args = serde_json::to_value(misread).unwrap_or_else(|_| json!({}));
    Phrase::new(misread.key(), args)
}

fn logged(outcome: Outcome) -> Effects {
    Effects {
        log: outcome.to_log(),
        ..Effects::default()
    }
}
