//! Lists of who went out, last words, and everything that waits for the door to open.

use crate::board::{Harm, ListOrder};
use crate::game::Game;
use crate::ids::{SeatId, SeatSet};
use crate::notice::{Arg, Notice};
use crate::phase::PhaseKind;
use crate::refusal::Refusal;
use crate::world::OutRecord;

impl Game {
    /// Who went out so far, in the order in which the board publishes: settlement order within
    /// the whole game, or by seat within each list (G4).
    pub fn outs(&self) -> &[OutRecord] {
        &self.world.outs
    }

    /// These, in the order in which a list names them.
    pub fn ordered(&self, records: &[OutRecord]) -> Vec<SeatId> {
        let mut records = records.to_vec();
        match self.board.publication.order {
            ListOrder::Seat => records.sort_by_key(|o| o.seat),
            ListOrder::Settlement => {}
            // The night's own come first, as they have settled.
            ListOrder::NightBySeat => records.sort_by_key(|o| {
                let night = o.cause.phase.kind == PhaseKind::Night;
                (!night, Some(o.seat).filter(|_| night))
            }),
        }
        records.iter().map(|o| o.seat).collect()
    }

    /// A list that tells apart who was voted out, where the board does (R16).
    fn with_causes(&self, notice: Notice, voted: &[OutRecord], others: &[OutRecord]) -> Notice {
        let causes = self.board.publication.causes;
        let both: Vec<OutRecord> = self
            .world
            .outs
            .iter()
            .copied()
            .filter(|o| voted.contains(o) || others.contains(o))
            .collect();
        let (voted, others, both) = if causes {
            (self.ordered(voted), self.ordered(others), Vec::new())
        } else {
            (Vec::new(), Vec::new(), self.ordered(&both))
        };
        notice
            .with("causes", Arg::Flag(causes))
            .with("voted", Arg::Order(voted))
            .with("others", Arg::Order(others))
            .with("both", Arg::Order(both))
    }

    /// The factions of those on a list, where the board publishes them.
    fn factions_of(&self, listed: &[OutRecord]) -> Arg {
        let factions = self.board.publication.factions;
        let order = self.ordered(listed);
        let shown = order.into_iter().filter(|_| factions);
        Arg::Factions(shown.map(|s| (s, self.at(s).faction)).collect())
    }

    /// The door opens: the list of the night (and what no list named before), what waited for
    /// the door, last words; then wins.
    pub(crate) fn open_door(&mut self) {
        let new = self.unpublished();
        let night: Vec<OutRecord> = new
            .iter()
            .copied()
            .filter(|o| {
                matches!(
                    o.cause.phase.kind,
                    PhaseKind::Night | PhaseKind::Dawn | PhaseKind::Election
                )
            })
            .collect();
        let day = self.number();
        let yesterday: Vec<OutRecord> = self
            .world
            .outs
            .iter()
            .copied()
            .filter(|o| {
                o.cause.phase.number + 1 == day
                    && matches!(o.cause.phase.kind, PhaseKind::Day | PhaseKind::Dusk)
            })
            .collect();
        let (voted, others): (Vec<_>, Vec<_>) = yesterday
            .into_iter()
            .partition(|o| o.cause.harm == Harm::Vote);
        let sheriff = self
            .board
            .sheriff
            .as_ref()
            .and_then(|s| self.holder_of(s.state));
        let listed: Vec<OutRecord> = voted.iter().chain(&others).chain(&night).copied().collect();
        let night_came = self.night_has_come();
        let notice = Notice::public("door/list")
            .with("day", Arg::Number(i64::from(day)))
            .with("night_came", Arg::Flag(night_came));
        let notice = self
            .with_causes(notice, &voted, &others)
            .with("night", Arg::Order(self.ordered(&night)))
            .with("factions", self.factions_of(&listed))
            .with("election", Arg::Flag(self.options.sheriff))
            .with(
                "sheriff",
                Arg::Seats(sheriff.map_or(SeatSet::EMPTY, SeatSet::only)),
            );
        self.tell(notice);
        let at_door = std::mem::take(&mut self.world.at_door);
        self.out.extend(at_door);
        self.publish_last_words();
        self.world.may_speak_last = SeatSet::EMPTY;
        self.mark_published();
        self.check_wins();
    }

    fn unpublished(&self) -> Vec<OutRecord> {
        self.world.outs[self.world.published..].to_vec()
    }

    fn mark_published(&mut self) {
        let new = self.unpublished();
        self.show_cards(&new);
        for record in new {
            self.tell_out(record);
            self.world.announced.insert(record.seat);
        }
        self.world.published = self.world.outs.len();
    }

    /// Where the board plays with open cards, a list shows those of who is on it (明牌).
    fn show_cards(&mut self, records: &[OutRecord]) {
        if !self.board.publication.cards || records.is_empty() {
            return;
        }
        let seats = self.ordered(records);
        let card = |s: &SeatId| (*s, self.at(*s).card, self.at(*s).dealt);
        let cards = seats.iter().map(card).collect();
        self.tell(Notice::public("out/cards").with("cards", Arg::Cards(cards)));
    }

    /// Tells a seat that it is out, once, and whether it may leave last words.
    fn tell_out(&mut self, record: OutRecord) {
        let rule = &self.board.last_words;
        let words = match record.cause.phase.kind {
            _ if record.cause.harm == Harm::SentOff => false,
            // Also when it had gone out before, without knowing it: it must not learn that here.
            _ if self.world.cut_short == Some(record.seat) => rule.day.has(Harm::Blast),
            PhaseKind::Night | PhaseKind::Dawn if record.cause.phase.number <= 1 => {
                rule.first_night
            }
            PhaseKind::Night | PhaseKind::Dawn => rule.later_nights,
            _ => rule.day.has(record.cause.harm),
        };
        let seat = &mut self.world.seats[record.seat.index()];
        if seat.knows_out {
            return;
        }
        seat.knows_out = true;
        if words {
            self.world.may_speak_last.insert(record.seat);
        }
        self.tell(
            Notice::to(record.seat, "out/you")
                .with("last_words", Arg::Flag(words))
                .with("sent_off", Arg::Flag(record.cause.harm == Harm::SentOff)),
        );
    }

    /// Those who are out and on no list yet hear of it before the list does, so that they can
    /// leave last words (M2).
    pub(crate) fn tell_outs(&mut self) {
        for record in self.unpublished() {
            self.tell_out(record);
        }
    }

    /// The day is cut short before the door has opened: the night's list, and what waited for the
    /// door, come out now (F5).
    pub(crate) fn publish_night_outs(&mut self) {
        let at_night =
            |o: &OutRecord| matches!(o.cause.phase.kind, PhaseKind::Night | PhaseKind::Dawn);
        let new = self.unpublished();
        let night: Vec<OutRecord> = new.into_iter().take_while(at_night).collect();
        self.tell(Notice::public("election/night").with("night", Arg::Order(self.ordered(&night))));
        self.show_cards(&night);
        for record in &night {
            self.tell_out(*record);
            self.world.announced.insert(record.seat);
        }
        self.world.published += night.len();
        let at_door = std::mem::take(&mut self.world.at_door);
        self.out.extend(at_door);
    }

    /// The dusk's list: voted out, and the rest.
    pub(crate) fn publish_dusk_outs(&mut self) {
        let new = self.unpublished();
        if new.is_empty() {
            return;
        }
        let (voted, others): (Vec<_>, Vec<_>) =
            new.into_iter().partition(|o| o.cause.harm == Harm::Vote);
        let listed: Vec<OutRecord> = voted.iter().chain(&others).copied().collect();
        let notice = self
            .with_causes(Notice::public("dusk/list"), &voted, &others)
            .with("factions", self.factions_of(&listed));
        self.tell(notice);
        self.mark_published();
    }

    /// The game ends: nothing waits any longer.
    pub(crate) fn publish_rest(&mut self) {
        let new = self.unpublished();
        if !new.is_empty() {
            let seats = self.ordered(&new);
            self.tell(Notice::public("end/list").with("seats", Arg::Order(seats)));
            self.mark_published();
        }
        let at_door = std::mem::take(&mut self.world.at_door);
        self.out.extend(at_door);
        self.publish_last_words();
    }

    fn publish_last_words(&mut self) {
        for (seat, text) in std::mem::take(&mut self.world.last_words) {
            self.tell(
                Notice::public("last-words")
                    .with("seat", Arg::Seat(seat))
                    .with("text", Arg::Text(text)),
            );
        }
    }

    /// 遗言: from the moment one is told of going out until the next door-open (G22); a later
    /// text replaces the earlier one.
    pub(crate) fn leave_last_words(&mut self, seat: SeatId, text: &str) -> Result<(), Refusal> {
        self.running()?;
        let _ = self.seat(seat).ok_or(Refusal::NoSuchSeat)?;
        if !self.world.may_speak_last.has(seat) {
            return Err(Refusal::NoLastWords);
        }
        if text.trim().is_empty() {
            return Err(Refusal::EmptyText);
        }
        let replaced = self.world.last_words.iter().any(|(s, _)| *s == seat);
        self.world.last_words.retain(|(s, _)| *s != seat);
        self.world.last_words.push((seat, text.to_owned()));
        self.tell(
            Notice::to(seat, "receipt/last-words")
                .with("replaced", Arg::Flag(replaced))
                .receipt(),
        );
        Ok(())
    }
}
