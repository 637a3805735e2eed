//! A game whose cards are dealt: its people, the rules' [`Game`], and what was last sent of it.

use std::sync::Arc;

use chat::{Names, SeatName, Vocabulary};
use protocol::{GroupPlan, Phrase, RosterSeat, RosterState, UserId};
use rules::book::{Thread, ThreadId};
use rules::dice::Dice;
use rules::{Board, Game, SeatId, Setup, Time, Turn};
use serde::{Deserialize, Serialize};

use crate::env::Env;
use crate::frame::Frame;
use crate::lobby::Applicant;
use crate::snapshot;

/// Which stream of the seed orders the seats; the rules use those before it.
const SEATING_STREAM: u64 = 3;

/// Who plays a seat, and under which name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Holder {
    pub user: UserId,
    pub alias: String,
    /// Did the platform refuse what was sent last?
    #[serde(default)]
    pub unreachable: bool,
}

/// A deadline that has come and waits until the account's watermark has passed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// The turn it belongs to.
    pub turn: Turn,
    /// When it was due.
    pub at: Time,
    /// Which watermark lets it pass.
    pub needs: Time,
    /// When the director is asked, if none has come by then.
    pub ask_at: Time,
}

/// What others were told last, so that only differences are sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sent {
    pub thread: Option<Thread>,
    pub closed: Option<ThreadId>,
    pub groups: Vec<GroupPlan>,
    pub deadline: Option<(String, Time)>,
    pub over: bool,
}

/// The part of a table that is kept beside the game's own snapshot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Seating {
    /// In elevator order.
    pub holders: Vec<Holder>,
    pub sent: Sent,
    pub waiting: Option<Waiting>,
    /// The latest instant that any input named: time does not go back.
    pub now: Time,
    /// The public notices so far.
    pub bulletin: Vec<Phrase>,
    /// Public notices that the director holds back (扣住); `None`: nothing is held.
    pub held: Option<Vec<Phrase>>,
}

/// A game whose cards are dealt.
#[derive(Debug)]
pub(crate) struct Table {
    pub seating: Seating,
    pub game: Game,
    pub vocabulary: Vocabulary,
    /// Names of the seats, in elevator order.
    pub aliases: Vec<String>,
    /// The text of the board it is played on, as it is kept.
    pub board_text: Vec<u8>,
}

impl Table {
    /// Deals: who sits where and with which card is decided by the game's seed alone.
    pub(crate) fn deal(
        env: &Env,
        frame: &Frame,
        board: &Arc<Board>,
        mut players: Vec<Applicant>,
        now: Time,
    ) -> (Self, Vec<rules::Notice>) {
        Dice::new(frame.seed.0, SEATING_STREAM).shuffle(&mut players);
        let holders = players
            .into_iter()
            .map(|player| Holder {
                user: player.user,
                alias: player.alias,
                unreachable: false,
            })
            .collect();
        let (game, cards) = Game::new(Setup {
            board: Arc::clone(board),
            seats: rules::deal(board, frame.size(board), frame.seed.0),
            options: frame.options,
            timetable: env.timetable(&frame.calendar),
            seed: frame.seed.0,
            dice: Vec::new(),
        });
        let seating = Seating {
            holders,
            sent: Sent::default(),
            waiting: None,
            now,
            bulletin: Vec::new(),
            held: None,
        };
        (Self::new(seating, game), cards)
    }

    /// Of what was kept.
    pub(crate) fn new(seating: Seating, game: Game) -> Self {
        let seats = seating.holders.iter().map(|holder| SeatName {
            alias: holder.alias.clone(),
            user: Some(holder.user.0),
        });
        let vocabulary = Vocabulary::new(Names::of(game.board()), seats.collect());
        let aliases = seating
            .holders
            .iter()
            .map(|holder| holder.alias.clone())
            .collect();
        Self {
            board_text: snapshot::pack(&game.board().source),
            seating,
            game,
            vocabulary,
            aliases,
        }
    }

    /// The seat that somebody plays.
    pub(crate) fn seat_of(&self, user: UserId) -> Option<SeatId> {
        let place = self
            .seating
            .holders
            .iter()
            .position(|holder| holder.user == user)?;
        u8::try_from(place).ok().map(SeatId)
    }

    /// Whoever of this game's players it is.
    pub(crate) fn holder_mut(&mut self, user: UserId) -> Option<&mut Holder> {
        let holders = &mut self.seating.holders;
        holders.iter_mut().find(|holder| holder.user == user)
    }

    /// The name of a seat.
    pub(crate) fn alias(&self, seat: SeatId) -> String {
        self.vocabulary.alias(seat)
    }

    /// Names of seats, in this order.
    pub(crate) fn names(&self, seats: impl IntoIterator<Item = SeatId>) -> Vec<String> {
        seats.into_iter().map(|seat| self.alias(seat)).collect()
    }

    /// The roster as it is now.
    pub(crate) fn roster(&self, frame: &mut Frame, state: RosterState) -> protocol::Roster {
        let seats = self
            .seating
            .holders
            .iter()
            .zip(0..)
            .map(|(holder, seat)| RosterSeat {
                seat: SeatId(seat),
                alias: holder.alias.clone(),
                user: holder.user,
            });
        frame.roster(self.game.board(), state, seats.collect())
    }
}
