//! Lines typed in a running game.

use chat::{Reader, Said};
use protocol::{Audience, Line, Phrase, Place, SayKind};
use rules::input::Act;
use rules::{GroupId, Refusal, SeatId, SkillId, Stamp};
use serde_json::json;

use crate::act::{self, Receipts};
use crate::answers;
use crate::director;
use crate::frame::Frame;
use crate::help;
use crate::phrases;
use crate::state;
use crate::status;
use crate::step::Step;
use crate::table::Table;

/// Takes a line that somebody typed.
pub(crate) fn line(table: &mut Table, frame: &Frame, line: &Line, step: &mut Step) {
    let user = line.speaker.user;
    if line.place == Place::Private
        && let Some(holder) = table.holder_mut(user)
    {
        holder.unreachable = false;
    }
    let seat = table.seat_of(user);
    // Nobody directs a game in which they have a seat, whatever else is so.
    let directs = seat.is_none() && frame.directs(user);
    let reader = if directs {
        Reader::Director
    } else {
        Reader::Player
    };
    let said = match chat::read(&line.text, &table.vocabulary, reader) {
        Ok(said) => said,
        Err(misread) => return answers::not_understood(step, line, &misread),
    };
    match said {
        Said::Skill { .. }
        | Said::Decline(_)
        | Said::LastWords(_)
        | Said::Surrender
        | Said::AgreeSurrender => match seat {
            Some(seat) => own_act(table, seat, &said, line, step),
            None => answers::plain_if_expected(step, line, "answer/no-seat"),
        },
        Said::Status => own_status(table, seat, line, step),
        Said::Help(about) => {
            help::in_game(frame, &table.game, seat, line, about.as_deref(), step);
        }
        Said::Elevator => step.answer(line, status::elevator(table, frame)),
        Said::Notices => notices(table, line, step),
        Said::Open => {
            let already = Phrase::new("lobby/already", json!({"name": frame.name}));
            step.answer(line, already);
        }
        Said::SignUp(_) | Said::Quit => {
            answers::plain_if_expected(step, line, "answer/already-dealt");
        }
        Said::VotePost | Said::Petition => {
            answers::plain_if_expected(step, line, "answer/square-only");
        }
        Said::Run | Said::Withdraw => candidacy(table, seat, &said, line, step),
        Said::Director(command) if directs => director::command(table, frame, &command, line, step),
        Said::Director(_) => answers::plain_if_expected(step, line, "answer/director-only"),
        Said::Confirm if line.place == Place::Square => {
            answers::plain_if_expected(step, line, "answer/private-only");
        }
        Said::Confirm | Said::Ballots | Said::Vote { .. } | Said::Diary(_) | Said::Say(_) => {
            answers::plain_if_expected(step, line, "answer/not-here");
        }
    }
}

// --- what a seat does ------------------------------------------------------------------------

fn own_act(table: &mut Table, seat: SeatId, said: &Said, line: &Line, step: &mut Step) {
    let Some(act) = fitting_act(table, seat, said, &line.place) else {
        return answers::plain(step, line, "answer/private-only");
    };
    if too_late(table, &act, line.stamp) {
        return answers::plain(step, line, "answer/too-late");
    }
    let receipts = match line.place {
        Place::Group(_) => Receipts::ByGroup,
        Place::Private | Place::Square => Receipts::Private,
    };
    if let Err(refusal) = act::apply(table, act, line.received, line.stamp, receipts, step) {
        // What is typed in the square and does not count there is talk.
        if line.place != Place::Square || !matches!(said, Said::Skill { .. }) {
            step.answer(line, refused(table, said, &refusal));
        }
    }
}

/// 竞选, 退选: in the square or in private, on boards where one runs for sheriff.
fn candidacy(table: &mut Table, seat: Option<SeatId>, said: &Said, line: &Line, step: &mut Step) {
    let sheriff = table.game.board().sheriff.as_ref();
    let runs = sheriff.is_some_and(|s| s.election.candidates);
    match (seat, &line.place) {
        (Some(seat), Place::Private | Place::Square) if runs => {
            own_act(table, seat, said, line, step);
        }
        (_, Place::Square) if !runs => answers::plain(step, line, "answer/no-candidacy"),
        (None, _) if runs => answers::plain_if_expected(step, line, "answer/no-seat"),
        _ => answers::plain_if_expected(step, line, "answer/no-candidacy"),
    }
}

/// Why a seat's act was refused. A word that names nobody is the likeliest reason for too few
/// seats or a word too many.
pub(crate) fn refused(table: &Table, said: &Said, refusal: &Refusal) -> Phrase {
    let by_words = matches!(
        refusal,
        Refusal::SeatCount { .. } | Refusal::ExtraWords(_) | Refusal::Choices { .. }
    );
    // A number or a person that is no seat was meant for one.
    let unknown = match said {
        Said::Skill { words, .. } if by_words => words
            .iter()
            .find(|word| word.seat.is_none() && !word.is_name()),
        _ => None,
    };
    match unknown {
        Some(word) => answers::misread(&table.vocabulary.no_seat(&word.text)),
        None => phrases::refusal(table, refusal),
    }
}

/// The act, if it may be sent from there: everything in private, a group's own skill and its
/// surrender in the group too, in the square only candidacies and what the board lets one say
/// there.
fn fitting_act(table: &Table, seat: SeatId, said: &Said, place: &Place) -> Option<Act> {
    let group = match place {
        Place::Private => return said.act(seat),
        Place::Square => {
            let spoken = match said {
                Said::Skill { skill, .. } => table.game.board().skill_def(*skill).spoken,
                _ => matches!(said, Said::Run | Said::Withdraw),
            };
            return spoken.then(|| said.act(seat)).flatten();
        }
        Place::Group(name) => table.game.board().group(name).ok()?,
    };
    let owned = |skill: SkillId| table.game.board().skill_def(skill).is_of(group);
    match said {
        Said::Skill { skill, .. } | Said::Decline(Some(skill)) if owned(*skill) => said.act(seat),
        Said::Decline(None) => {
            let skill = team_skill(table, seat, group)?;
            Said::Decline(Some(skill)).act(seat)
        }
        Said::Surrender | Said::AgreeSurrender => said.act(seat),
        _ => None,
    }
}

/// The skill of this group that the seat holds.
fn team_skill(table: &Table, seat: SeatId, group: GroupId) -> Option<SkillId> {
    let board = table.game.board();
    let holdings = &table.game.seat(seat)?.holdings;
    holdings
        .iter()
        .map(|holding| holding.skill)
        .find(|skill| board.skill_def(*skill).is_of(group))
}

/// Was it sent after the deadline of the window that is still open (G25)? What counts is when
/// chat says it was sent.
fn too_late(table: &Table, act: &Act, stamp: Stamp) -> bool {
    let timed = matches!(
        act,
        Act::Use { .. } | Act::Decline { .. } | Act::LastWords { .. } | Act::Candidacy { .. }
    );
    timed
        && table
            .game
            .window_ends()
            .is_some_and(|end| stamp.time() > end)
}

/// The refusal of what was typed in a seat's name by the director.
pub(crate) fn act_for(
    table: &mut Table,
    seat: SeatId,
    said: &Said,
    line: &Line,
    step: &mut Step,
) -> Result<(), Refusal> {
    let act = said.act(seat).ok_or(Refusal::OrderNotNow)?;
    act::apply(
        table,
        act,
        line.received,
        line.stamp,
        Receipts::Private,
        step,
    )
}

// --- what anyone asks ------------------------------------------------------------------------

fn own_status(table: &Table, seat: Option<SeatId>, line: &Line, step: &mut Step) {
    match (seat, &line.place) {
        (Some(seat), Place::Private) => step.answer(line, status::of_seat(table, seat)),
        (Some(_), Place::Square | Place::Group(_)) => {
            answers::plain(step, line, "answer/private-only");
        }
        (None, _) => answers::plain_if_expected(step, line, "answer/no-seat"),
    }
}

/// 公告: the public notices so far, without those that are held back.
fn notices(table: &Table, line: &Line, step: &mut Step) {
    let held = table.seating.held.as_ref().map_or(0, Vec::len);
    let said = table.seating.bulletin.len().saturating_sub(held);
    let phrases: Vec<Phrase> = table.seating.bulletin[..said].to_vec();
    if phrases.is_empty() {
        return answers::plain(step, line, "answer/no-notices");
    }
    let to = match &line.place {
        Place::Private => Audience::Scene(protocol::Scene::Private(line.speaker.user)),
        Place::Square => Audience::Square,
        Place::Group(name) => Audience::Group(name.clone()),
    };
    step.say(to, SayKind::Answer, phrases);
}

/// The director's `状态` and `结算`, in private wherever they were typed.
pub(crate) fn whole_game(table: &Table, frame: &Frame, line: &Line, step: &mut Step) {
    step.answer_in_private(line, state::whole(table, frame));
}
