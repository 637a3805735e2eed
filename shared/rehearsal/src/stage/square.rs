//! Posts in the public square: votes, changes, petitions, talk.

use chat::vote::{self, Malformed, VoteLine, VoteWord};
use chat::{Reader, Said, SquareCommand, SquareWord, square_skill, square_word};
use protocol::Phrase;
use rules::book::{self, Answer, Choice, Petition, PetitionAnswer, PostId, PostKind, VotePost};
use rules::{Act, SeatId};
use serde_json::json;

use crate::report::Fault;
use crate::words::RefusedVote;

use super::{Patience, Stage, Stop};

/// Does a post quote the seat's own vote post?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reply {
    /// It stands by itself.
    None,
    /// It is a reply to the seat's own vote post, where there is one.
    ToOwnVote,
}

impl Stage<'_> {
    /// A vote in the canonical form, or a change when the seat has voted before.
    pub(crate) fn vote(&mut self, seat: SeatId, target: &str) -> Result<(), Fault> {
        let voted = self
            .book
            .as_ref()
            .is_some_and(|book| book.ballot(seat).is_some());
        let word = if voted { "改票" } else { "投票" };
        let text = format!("{word}对象：{target}\n{word}理由：推演");
        self.post(seat, &text, Reply::ToOwnVote)
    }

    /// A post. One that is refused does not count, and fails nothing.
    pub(crate) fn post(&mut self, seat: SeatId, text: &str, reply: Reply) -> Result<(), Fault> {
        let text = chat::clean(text);
        let skills: Vec<&str> = self.vocabulary.names().skill_words().collect();
        let refused = match square_word(&text) {
            SquareWord::Tally if square_skill(&text, &skills) && self.is_spoken(&text) => {
                self.speak(seat, &text)?
            }
            SquareWord::Night(SquareCommand::Run | SquareCommand::Withdraw) => {
                self.speak(seat, &text)?
            }
            SquareWord::Tally if square_skill(&text, &skills) => {
                Some(self.words.plain("answer/private-only"))
            }
            SquareWord::Tally | SquareWord::Night(SquareCommand::Director) => {
                self.read_post(seat, &text, reply)?
            }
            SquareWord::Night(_) | SquareWord::Nothing => None,
        };
        if let Some(refused) = refused {
            let to = format!("{}'s post", self.words.seat(seat));
            self.heard.note(&to, &refused);
        }
        Ok(())
    }

    /// Is it a skill that can be used in the square (自爆)?
    fn is_spoken(&self, text: &str) -> bool {
        match chat::read(text, &self.vocabulary, Reader::Player) {
            Ok(Said::Skill { skill, .. }) => self.game.board().skill_def(skill).spoken,
            _ => false,
        }
    }

    /// What counts in the square as it does in private; the refusal, if it is refused.
    fn speak(&mut self, seat: SeatId, text: &str) -> Result<Option<String>, Fault> {
        match self.write(seat, text, Patience::Now) {
            Ok(()) => Ok(None),
            Err(Stop::Refused(refusal)) => Ok(Some(refusal)),
            Err(Stop::Fault(fault)) => Err(fault),
        }
    }

    /// The refusal of a post, if it is refused.
    fn read_post(
        &mut self,
        seat: SeatId,
        text: &str,
        reply: Reply,
    ) -> Result<Option<String>, Fault> {
        match vote::read(text, &self.vocabulary) {
            Some(Ok(line)) => return Ok(self.cast(seat, line, reply)),
            Some(Err(malformed)) => return Ok(Some(self.malformed(seat, &malformed))),
            None => {}
        }
        if let Some(petition) = vote::petition(text) {
            return self.ask(seat, petition);
        }
        let stamp = self.stamp();
        if let Some(book) = &mut self.book {
            book.talk(seat, stamp);
        }
        Ok(None)
    }

    fn cast(&mut self, seat: SeatId, line: VoteLine, reply: Reply) -> Option<String> {
        let at = self.stamp();
        let id = PostId(self.messages.to_string());
        let Some(book) = &mut self.book else {
            return Some(self.words.plain("vote/no-vote"));
        };
        let reply_to_own = reply == Reply::ToOwnVote && book.post_of(seat).is_some();
        let kind = match line.word {
            VoteWord::Vote => PostKind::First,
            VoteWord::Change => PostKind::Change { reply_to_own },
        };
        let answer = book.post(&VotePost {
            voter: seat,
            kind,
            choice: line.choice,
            at,
            id: Some(id),
        });
        match answer {
            Answer::Taken(_) | Answer::Changed { .. } => None,
            Answer::NeedsConfirm => Some(self.words.plain("vote/needs-confirm")),
            Answer::Refused(why) => Some(self.vote_refusal(why, seat, Some(line.choice))),
        }
    }

    /// An attempt to vote that cannot be read is a post all the same.
    fn malformed(&mut self, seat: SeatId, malformed: &Malformed) -> String {
        let at = self.stamp();
        if let Some(book) = &mut self.book {
            book.talk(seat, at);
        }
        match malformed {
            Malformed::Form => self.words.plain("vote/form"),
            Malformed::NoTarget => self.words.plain("vote/no-target"),
            Malformed::Several => self.words.plain("vote/several"),
            Malformed::Unknown { word, nearest } => self.words.phrase(&Phrase::new(
                "vote/unknown",
                json!({"word": word, "nearest": nearest}),
            )),
        }
    }

    fn ask(&mut self, seat: SeatId, petition: Petition) -> Result<Option<String>, Fault> {
        let at = self.stamp();
        let Some(book) = &mut self.book else {
            return Ok(Some(self.words.plain("vote/petition-late")));
        };
        let thread = book.thread().id;
        let answer = book.petition(seat, petition, at);
        Ok(match answer {
            PetitionAnswer::Noted { .. } | PetitionAnswer::Held => None,
            PetitionAnswer::Refused(why) => Some(self.words.plain(match why {
                book::Refusal::NotAVoter => "vote/petition-not-you",
                book::Refusal::Paused => "vote/petition-paused",
                _ => "vote/petition-late",
            })),
            PetitionAnswer::Holds { .. } => {
                let faster = petition == Petition::Faster;
                match self.apply(Act::Petition { thread, faster }) {
                    Ok(()) => None,
                    Err(Stop::Refused(refusal)) => Some(refusal),
                    Err(Stop::Fault(fault)) => return Err(fault),
                }
            }
        })
    }

    /// Why a vote does not count, in words.
    pub(super) fn vote_refusal(
        &self,
        why: book::Refusal,
        seat: SeatId,
        choice: Option<Choice>,
    ) -> String {
        let seat_of = |choice: Choice| match choice {
            Choice::Seat(seat) => Some(seat),
            Choice::Abstain => None,
        };
        let book = self.book.as_ref();
        let standing = book.and_then(|book| book.ballot(seat));
        self.words.refused_vote(&RefusedVote {
            why,
            who: self.words.seat(seat),
            target: choice.and_then(seat_of),
            standing: standing.and_then(|standing| seat_of(standing.ballot.choice)),
            until: book.and_then(|book| book.thread().changes_until),
        })
    }
}
