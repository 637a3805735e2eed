//! The director's commands in a running game. Their answers are private, wherever they were
//! typed: they can say more than a player may know.

use chat::{DirectorCommand, Said};
use protocol::{Audience, Line, Phrase, SayKind, ToTally};
use rules::input::{Act, Order};
use rules::{SeatId, SkillId};
use serde_json::json;

use crate::act::{self, Receipts};
use crate::frame::Frame;
use crate::phrases;
use crate::play;
use crate::state;
use crate::step::Step;
use crate::table::Table;

/// Takes a director's command. The caller has made sure that whoever typed it directs this game.
pub(crate) fn command(
    table: &mut Table,
    frame: &Frame,
    command: &DirectorCommand,
    line: &Line,
    step: &mut Step,
) {
    match command {
        DirectorCommand::Deal => say(step, line, Phrase::plain("director/already-dealt")),
        DirectorCommand::Order(order) => give_order(table, order, line, step),
        DirectorCommand::VoteFor { voter, target } => {
            vote_for(table, *voter, target.seat(), line, step);
        }
        DirectorCommand::ActFor { seat, said } => act_for(table, *seat, said, line, step),
        DirectorCommand::Release(None) => release(table, line, step),
        DirectorCommand::Release(Some(item))
        | DirectorCommand::Reject { item, .. }
        | DirectorCommand::Answer { item, .. } => {
            say(
                step,
                line,
                Phrase::new("director/no-item", json!({"item": item})),
            );
        }
        DirectorCommand::Hold => hold(table, line, step),
        DirectorCommand::Remind => remind(table, line, step),
        DirectorCommand::Reckoning => say(step, line, state::reckoning(table)),
        DirectorCommand::State => play::whole_game(table, frame, line, step),
        DirectorCommand::Substitute { .. } | DirectorCommand::Coach { .. } => {
            say(step, line, Phrase::plain("director/not-supported"));
        }
    }
}

fn say(step: &mut Step, line: &Line, phrase: Phrase) {
    step.answer_in_private(line, phrase);
}

fn give_order(table: &mut Table, order: &Order, line: &Line, step: &mut Step) {
    let act = Act::Director(order.clone());
    match act::apply(
        table,
        act,
        line.received,
        line.stamp,
        Receipts::Private,
        step,
    ) {
        Ok(()) => say(step, line, Phrase::plain("director/done")),
        Err(refusal) => say(step, line, phrases::refusal(table, &refusal)),
    }
}

/// 代投 goes to the ballot book, which answers.
fn vote_for(table: &Table, voter: SeatId, target: Option<SeatId>, line: &Line, step: &mut Step) {
    if table.game.thread().is_none() {
        return say(step, line, Phrase::plain("director/no-vote-open"));
    }
    step.tally(&ToTally::ByHand {
        voter,
        target,
        line: line.clone(),
    });
}

fn act_for(table: &mut Table, seat: SeatId, said: &Said, line: &Line, step: &mut Step) {
    match play::act_for(table, seat, said, line, step) {
        Ok(()) => say(step, line, Phrase::plain("director/done")),
        Err(refusal) => say(step, line, play::refused(table, said, &refusal)),
    }
}

/// 扣住: public notices wait for 放行.
fn hold(table: &mut Table, line: &Line, step: &mut Step) {
    table.seating.held.get_or_insert_default();
    say(step, line, Phrase::plain("director/held"));
}

fn release(table: &mut Table, line: &Line, step: &mut Step) {
    let key = if act::release(table, step) {
        "director/done"
    } else {
        "director/nothing-held"
    };
    say(step, line, Phrase::plain(key));
}

/// 催票: while a vote is open everybody is reminded of it; otherwise those who owe an action
/// are, each in private.
fn remind(table: &Table, line: &Line, step: &mut Step) {
    let until = table.game.window_ends();
    if table.game.thread().is_some() && table.game.awaits_book().is_none() {
        let phrase = Phrase::new("director/remind-vote", json!({"until": until}));
        step.say(Audience::Square, SayKind::Prompt, vec![phrase]);
        return say(step, line, Phrase::plain("director/done"));
    }
    let mut owed: Vec<(SeatId, Vec<SkillId>)> = Vec::new();
    for obligation in table.game.obligations() {
        match owed.iter_mut().find(|(seat, _)| *seat == obligation.seat) {
            Some((_, skills)) => skills.push(obligation.skill),
            None => owed.push((obligation.seat, vec![obligation.skill])),
        }
    }
    let reminded = owed.len();
    for (seat, skills) in owed {
        let board = table.game.board();
        let names: Vec<&str> = skills
            .iter()
            .map(|skill| board.skill_def(*skill).name.as_str())
            .collect();
        let args = json!({"skills": names, "until": until});
        step.say(
            Audience::Seat(seat),
            SayKind::Prompt,
            vec![Phrase::new("director/remind-act", args)],
        );
    }
    say(
        step,
        line,
        Phrase::new("director/reminded", json!({"count": reminded})),
    );
}
