//! A game being played on paper: the engine, a ballot book, a clock, and who heard what.

mod clock;
mod director;
mod heard;
mod outs;
mod private;
mod square;

use chat::{Names, SeatName, Vocabulary};
use jiff::civil;
use jiff::tz::TimeZone;
use rules::book::{Book, ThreadId};
use rules::game::{Reckoned, Setup};
use rules::{
    Act, Audience, Game, Input, Notice, NoticeKind, Order, SeatId, SeatSet, Stamp, Time, Timetable,
};
use texts::{DEFAULT_ZONE, Texts};

use crate::report::Fault;
use crate::script::Script;
use crate::words::Words;
use heard::Heard;
use outs::Outs;
pub(crate) use private::Patience;
pub(crate) use square::Reply;

/// Draws that a file does not force come from here: the same ones in every run.
const SEED: [u8; 32] = *b"a game on paper has a fixed seed";

/// The calendar that rehearsals run by.
const CALENDAR: &str = "slow";

/// A refusal, in the words that its reader sees.
pub(crate) type Refused = String;

/// Why a message was not taken, or could not be tried.
pub(crate) enum Stop {
    /// It was refused.
    Refused(Refused),
    /// The rehearsal itself cannot go on.
    Fault(Fault),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The game and everything around it.
pub(crate) struct Stage<'a> {
    script: &'a Script,
    words: Words<'a>,
    vocabulary: Vocabulary,
    game: Game,
    book: Option<Book>,
    now: Time,
    /// Messages so far; stamps and posts are numbered by it.
    messages: u64,
    heard: Heard,
    outs: Outs,
    tally: Option<Vec<(SeatId, i32)>>,
    /// Seats that have had their substitute.
    substituted: SeatSet,
}

impl<'a> Stage<'a> {
    /// Deals, and begins the opening on a Monday at 21:00.
    ///
    /// # Errors
    /// A forced draw that the deal cannot give, or a notice without words.
    pub(crate) fn set(script: &'a Script, texts: &'a Texts) -> Result<Self, Fault> {
        let zone = TimeZone::get(DEFAULT_ZONE).unwrap_or(TimeZone::UTC);
        let now = monday_evening(&zone);
        let (game, notices) = Game::new(Setup {
            board: std::sync::Arc::clone(&script.board),
            seats: script.setups.clone(),
            options: script.options,
            timetable: Timetable {
                calendar: CALENDAR.to_owned(),
                zone,
                speed: 1.0,
            },
            seed: SEED,
            dice: script.dice.iter().map(|f| f.named.clone()).collect(),
        });
        let names = script.aliases.iter().map(|alias| SeatName {
            alias: alias.clone(),
            user: None,
        });
        let mut stage = Self {
            script,
            words: Words::new(texts, &script.board, &script.aliases),
            vocabulary: Vocabulary::new(Names::of(&script.board), names.collect()),
            game,
            book: None,
            now,
            messages: 0,
            heard: Heard::new(script.aliases.len()),
            outs: Outs::default(),
            tally: None,
            substituted: SeatSet::EMPTY,
        };
        stage.hear(&notices)?;
        stage.drive(Act::Director(Order::Start))?;
        stage.check_dice()?;
        Ok(stage)
    }

    pub(crate) fn game(&self) -> &Game {
        &self.game
    }

    pub(crate) fn words(&self) -> &Words<'a> {
        &self.words
    }

    pub(crate) fn heard(&mut self) -> &mut Heard {
        &mut self.heard
    }

    /// Who went out since the last look, in the order of publication.
    pub(crate) fn take_outs(&mut self) -> Vec<SeatId> {
        self.outs.take(&self.game)
    }

    /// The weights counted at the last closed vote, in hundredths.
    pub(crate) fn tally(&self) -> Option<&[(SeatId, i32)]> {
        self.tally.as_deref()
    }

    /// Has a forced draw been asked for what it cannot give?
    pub(crate) fn check_dice(&self) -> Result<(), Fault> {
        let Some(bad) = self.game.bad_force() else {
            return Ok(());
        };
        let forced = self.script.dice.iter().find(|f| f.named == bad.forced);
        let written = forced.map_or(&bad.forced, |f| &f.written);
        Err(Fault::Broken(format!(
            "dice: the draw cannot give {written:?}; it can give {}",
            bad.candidates.join(", ")
        )))
    }

    /// Everything that a refusal must leave as it was.
    pub(crate) fn fingerprint(&self) -> (Vec<u8>, Option<Book>) {
        (self.game.to_bytes(), self.book.clone())
    }

    /// The next message's stamp, later than every one before.
    fn stamp(&mut self) -> Stamp {
        self.messages += 1;
        Stamp {
            secs: self.now.0.div_euclid(1000),
            seq: self.messages,
            arrival: self.messages,
            scene: 0,
        }
    }

    /// Has the rules take an act, and everything that follows from it.
    fn apply(&mut self, act: Act) -> Result<(), Stop> {
        let (now, stamp) = (self.now, self.stamp());
        let notices = self
            .game
            .apply(&Input { now, stamp, act })
            .map_err(|refusal| Stop::Refused(self.words.refusal(&refusal)))?;
        self.hear(&notices)?;
        self.follow();
        if let Some(thread) = self.game.awaits_book() {
            self.close_book(thread)?;
        }
        Ok(())
    }

    /// Has the rules take what they asked for themselves.
    fn drive(&mut self, act: Act) -> Result<(), Fault> {
        self.apply(act).map_err(|stop| match stop {
            Stop::Fault(fault) => fault,
            Stop::Refused(refusal) => Fault::Broken(format!("the game does not go on: {refusal}")),
        })
    }

    fn close_book(&mut self, thread: ThreadId) -> Result<(), Fault> {
        let book = self.book.as_mut().map(Book::close).unwrap_or_default();
        self.drive(Act::BookClosed { thread, book })
    }

    /// After each change of the game: the vote thread, the goings-out, the count.
    fn follow(&mut self) {
        if let Some(thread) = self.game.thread() {
            match &mut self.book {
                Some(book) if book.thread().id == thread.id => {
                    book.change(thread);
                }
                earlier => {
                    let book = match earlier {
                        Some(earlier) => Book::follow(thread, earlier),
                        None => Book::open(thread),
                    };
                    self.book = Some(book);
                }
            }
        }
        self.outs.follow(&self.game);
        let counted = self
            .game
            .reckoning()
            .iter()
            .rev()
            .find_map(|line| match line {
                Reckoned::Vote(outcome) => Some(&outcome.tally),
                Reckoned::Used { .. } | Reckoned::Hit { .. } => None,
            });
        if let Some(tally) = counted {
            let mut tally = tally.clone();
            tally.sort_unstable();
            self.tally = Some(tally);
        }
    }

    /// Notes what was made known: notices count as told, prompts and receipts do not.
    fn hear(&mut self, notices: &[Notice]) -> Result<(), Fault> {
        for notice in notices.iter().filter(|n| n.kind == NoticeKind::Notice) {
            let text = self
                .words
                .notice(notice)
                .map_err(|error| Fault::Broken(error.to_string()))?;
            let to = match notice.to {
                Audience::Public => {
                    self.heard.publish(&text);
                    "public".to_owned()
                }
                Audience::Director => "director".to_owned(),
                Audience::Seat(seat) => {
                    if notice.from != Some(seat) {
                        self.heard.tell(seat, &text);
                    }
                    self.words.seat(seat)
                }
                Audience::Group(group) => {
                    for member in self.game.group_members(group).iter() {
                        if notice.from != Some(member) {
                            self.heard.tell(member, &text);
                        }
                    }
                    self.words.names().group(group).to_owned()
                }
            };
            self.heard.note(&to, &text);
        }
        Ok(())
    }
}

/// The evening before night 1.
fn monday_evening(zone: &TimeZone) -> Time {
    let evening = civil::date(2026, 6, 1).at(21, 0, 0, 0);
    let instant = zone.to_ambiguous_timestamp(evening).compatible();
    Time(instant.unwrap_or_default().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rehearsals_begin_on_a_monday_at_nine() {
        let zone = TimeZone::get(DEFAULT_ZONE).unwrap();
        let instant = jiff::Timestamp::from_millisecond(monday_evening(&zone).0).unwrap();
        let local = zone.to_datetime(instant);
        assert_eq!(local.date().weekday(), civil::Weekday::Monday);
        assert_eq!((local.hour(), local.minute()), (21, 0));
    }
}
