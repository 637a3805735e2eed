//! The ballot book of one vote thread: who posted which vote, what counts, what is refused.
//!
//! A pure type. The tally service stores it; a rehearsal uses the same one. It knows only what
//! is public (G7): voters, choosable seats, times. What a ballot weighs is `count`'s business.
//!
//! "Later" is by [`Stamp`]; what is in time is decided by when chat says a post was sent (G25),
//! not by when it arrived. Posts of different seats may arrive in any order.

mod answer;
mod page;
mod petition;
mod thread;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{SeatId, SeatSet, Stamp};

pub use answer::{Answer, PostId, PostKind, Refusal, VotePost};
pub use petition::{Petition, PetitionAnswer};
pub use thread::{Ballot, Choice, ClosedBook, Thread, ThreadId, ThreadKind};

use page::{Cast, Page};
use petition::Petitions;

/// The book of one thread, from its opening until long after its close, so that whoever comes
/// too late is told so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Book {
    thread: Thread,
    closed: bool,
    pages: BTreeMap<SeatId, Page>,
    posts: BTreeMap<SeatId, u16>,
    petitions: Petitions,
}

/// A ballot as the book has it now, for 票型.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The ballot.
    pub ballot: Ballot,
    /// Is it void, because its target is (G19)?
    pub void: bool,
}

impl Book {
    /// A book without ballots.
    pub fn open(thread: Thread) -> Self {
        Self {
            thread,
            closed: false,
            pages: BTreeMap::new(),
            posts: BTreeMap::new(),
            petitions: Petitions::default(),
        }
    }

    /// A book for another thread that follows on `earlier`: of the same day (a second vote, a
    /// vote begun again after a rewind) it goes on with the posts counted so far.
    pub fn follow(thread: Thread, earlier: &Self) -> Self {
        let same_day = (thread.kind, thread.day) == (earlier.thread.kind, earlier.thread.day);
        let posts = if same_day {
            earlier.posts.clone()
        } else {
            BTreeMap::new()
        };
        Self {
            posts,
            ..Self::open(thread)
        }
    }

    /// The thread as it is now.
    pub fn thread(&self) -> &Thread {
        &self.thread
    }

    /// Is the book closed?
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Takes a change of the thread, unless it is of another thread, no newer than what is
    /// known, or the book is closed. Answers whose ballots became void by it (G19).
    pub fn change(&mut self, thread: Thread) -> SeatSet {
        let newer = thread.id == self.thread.id && thread.version > self.thread.version;
        if self.closed || !newer {
            return SeatSet::EMPTY;
        }
        let before = self.void();
        self.thread = thread;
        self.void().minus(before)
    }

    /// Takes a vote post, or refuses it with the reason. A refused one uses up no change; it is a
    /// post all the same, but for one of a secret vote, which nobody has seen.
    pub fn post(&mut self, post: &VotePost) -> Answer {
        let answer = self.decide(post).unwrap_or_else(Answer::Refused);
        let unseen = self.thread.secret && matches!(answer, Answer::Refused(_));
        if post.kind != PostKind::ByHand && !unseen {
            self.talk(post.voter, post.at);
        }
        answer
    }

    /// `确认`: the change that the seat was last asked about counts, from the time of its post.
    pub fn confirm(&mut self, voter: SeatId, at: Stamp) -> Answer {
        self.try_confirm(voter, at).unwrap_or_else(Answer::Refused)
    }

    /// Notes any other post of a seat in the square, for the count of posts.
    pub fn talk(&mut self, seat: SeatId, at: Stamp) {
        if self.takes(at).is_ok() {
            let count = self.posts.entry(seat).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Takes a petition, which is a post as well (G23).
    pub fn petition(&mut self, voter: SeatId, what: Petition, at: Stamp) -> PetitionAnswer {
        self.talk(voter, at);
        let late = self
            .thread
            .petitions_until
            .is_some_and(|until| at.time() > until);
        match self.admits(voter, at) {
            Err(why) => PetitionAnswer::Refused(why),
            Ok(()) if late => PetitionAnswer::Refused(Refusal::TooLate),
            Ok(()) => self.petitions.ask(what, voter, self.thread.voters, at),
        }
    }

    /// Would a vote of this seat be in time now, whatever it says? For telling somebody whose post
    /// cannot be read what the greater trouble is.
    pub fn admits(&self, voter: SeatId, at: Stamp) -> Result<(), Refusal> {
        self.takes(at)?;
        if self.thread.voters.has(voter) {
            Ok(())
        } else {
            Err(Refusal::NotAVoter)
        }
    }

    /// Is this one of the vote posts that the seat made on this thread, so that a reply to it
    /// is a change of its vote?
    pub fn is_vote_post_of(&self, voter: SeatId, post: &PostId) -> bool {
        self.pages.get(&voter).is_some_and(|page| page.made(post))
    }

    /// The post that a seat's ballot rests on; `None` when it has no ballot, or the director
    /// cast it.
    pub fn post_of(&self, voter: SeatId) -> Option<&PostId> {
        self.pages.get(&voter)?.cast.as_ref()?.post.as_ref()
    }

    /// A post was taken back. Its vote stands; answers the ballot that rests on it, the first
    /// time.
    pub fn recall(&mut self, post: &PostId) -> Option<Ballot> {
        let voters = self.thread.voters;
        self.pages
            .iter_mut()
            .filter(|(voter, _)| voters.has(**voter))
            .find_map(|(voter, page)| {
                let cast = page.cast.as_mut()?;
                let news = cast.post.as_ref() == Some(post) && !cast.recalled;
                cast.recalled |= news;
                news.then(|| cast.ballot(*voter))
            })
    }

    /// The ballots so far of those who may vote, in seat order.
    pub fn ballots(&self) -> impl Iterator<Item = Standing> {
        self.pages
            .iter()
            .filter(|(voter, _)| self.thread.voters.has(**voter))
            .filter_map(|(voter, page)| Some(page.cast.as_ref()?.ballot(*voter)))
            .map(|ballot| Standing {
                ballot,
                void: self.is_void(ballot.choice),
            })
    }

    /// A voter's ballot so far.
    pub fn ballot(&self, voter: SeatId) -> Option<Standing> {
        self.ballots()
            .find(|standing| standing.ballot.voter == voter)
    }

    /// Voters without a ballot that counts.
    pub fn not_voted(&self) -> SeatSet {
        let voted = self
            .ballots()
            .filter(|b| !b.void)
            .map(|b| b.ballot.voter)
            .collect();
        self.thread.voters.minus(voted)
    }

    /// Shuts the book for good and says what is in it. Closing again says the same.
    pub fn close(&mut self) -> ClosedBook {
        self.closed = true;
        ClosedBook {
            ballots: self
                .ballots()
                .filter(|b| !b.void)
                .map(|b| b.ballot)
                .collect(),
            void: self.void(),
            posts: self
                .posts
                .iter()
                .map(|(seat, count)| (*seat, *count))
                .collect(),
        }
    }

    fn decide(&mut self, post: &VotePost) -> Result<Answer, Refusal> {
        self.may_vote(post.voter, post.choice, post.at)?;
        let by_hand_too_late = self
            .thread
            .changes_until
            .is_some_and(|end| post.at.time() >= end);
        if post.kind == PostKind::ByHand && by_hand_too_late {
            return Err(Refusal::TooLateByHand);
        }

        let cast = self.cast(post.voter);
        if cast.is_some_and(|cast| post.at.before(&cast.at)) {
            return Err(Refusal::Overtaken);
        }
        match (cast, post.kind) {
            (None, PostKind::Change { .. }) => Err(Refusal::NothingToChange),
            (None, PostKind::First | PostKind::ByHand) => Ok(self.write(post)),
            (Some(cast), _) if self.is_void(cast.choice) => Ok(self.write(post)),
            (Some(_), PostKind::First) => Err(Refusal::AlreadyVoted),
            (Some(cast), kind) => {
                if self.thread.sped_up {
                    return Err(Refusal::SpedUp);
                }
                self.may_change(cast, post.at)?;
                if kind
                    == (PostKind::Change {
                        reply_to_own: false,
                    })
                {
                    return self.page(post.voter).ask(post);
                }
                Ok(self.rewrite(post))
            }
        }
    }

    /// A speed-up that began between the post and its confirmation does not matter: the post
    /// came first.
    fn try_confirm(&mut self, voter: SeatId, at: Stamp) -> Result<Answer, Refusal> {
        self.takes(at)?;
        let post = self
            .pages
            .get_mut(&voter)
            .and_then(|page| page.asked.take());
        let post = post.ok_or(Refusal::NothingToConfirm)?;
        self.may_vote(voter, post.choice, at)?;
        let cast = self.cast(voter).ok_or(Refusal::NothingToConfirm)?;
        if post.at.before(&cast.at) {
            return Err(Refusal::Overtaken);
        }
        if self.is_void(cast.choice) {
            return Ok(self.write(&post));
        }
        self.may_change(cast, post.at)?;
        Ok(self.rewrite(&post))
    }

    fn takes(&self, at: Stamp) -> Result<(), Refusal> {
        let sent = at.time();
        if self.closed || self.thread.closes_at.is_some_and(|end| sent > end) {
            Err(Refusal::TooLate)
        } else if self.thread.opens_at.is_some_and(|start| sent < start) {
            Err(Refusal::TooEarly)
        } else if self.thread.paused {
            Err(Refusal::Paused)
        } else {
            Ok(())
        }
    }

    fn may_vote(&self, voter: SeatId, choice: Choice, at: Stamp) -> Result<(), Refusal> {
        self.admits(voter, at)?;
        match choice {
            Choice::Seat(seat) if !self.thread.choosable.has(seat) || self.is_void(choice) => {
                Err(Refusal::NotChoosable)
            }
            Choice::Abstain if self.thread.must_vote.has(voter) => Err(Refusal::MustVote),
            Choice::Seat(_) | Choice::Abstain => Ok(()),
        }
    }

    fn may_change(&self, cast: &Cast, at: Stamp) -> Result<(), Refusal> {
        if self
            .thread
            .changes
            .is_some_and(|limit| cast.changes >= limit)
        {
            Err(Refusal::ChangesUsedUp)
        } else if self
            .thread
            .changes_until
            .is_some_and(|end| at.time() >= end)
        {
            Err(Refusal::TooLateForChange)
        } else {
            Ok(())
        }
    }

    /// A ballot where none counts: the first, or one in place of a void one, which uses up no
    /// change.
    fn write(&mut self, post: &VotePost) -> Answer {
        Answer::Taken(self.page(post.voter).write(post, 0))
    }

    fn rewrite(&mut self, post: &VotePost) -> Answer {
        let ballot = self.page(post.voter).write(post, 1);
        let left = self
            .thread
            .changes
            .map(|limit| limit.saturating_sub(ballot.changes));
        Answer::Changed { ballot, left }
    }

    fn page(&mut self, voter: SeatId) -> &mut Page {
        self.pages.entry(voter).or_default()
    }

    fn cast(&self, voter: SeatId) -> Option<&Cast> {
        self.pages.get(&voter)?.cast.as_ref()
    }

    fn is_void(&self, choice: Choice) -> bool {
        matches!(choice, Choice::Seat(seat) if self.thread.void_targets.has(seat))
    }

    /// The voters whose ballots are void.
    fn void(&self) -> SeatSet {
        self.ballots()
            .filter(|b| b.void)
            .map(|b| b.ballot.voter)
            .collect()
    }
}
