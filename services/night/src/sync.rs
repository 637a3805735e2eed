//! After each step: what the game wants now, compared with what was last sent. The difference
//! goes out, so that nothing depends on which step brought it about.

use protocol::{GroupPlan, RosterState, ToPublish, ToTally};
use rules::book::Thread;
use rules::{Time, Turn};
use store::Deadline;

use crate::act;
use crate::frame::Frame;
use crate::step::Step;
use crate::table::{Table, Waiting};

/// The name of the deadline of a turn.
pub(crate) fn turn_deadline(turn: Turn) -> String {
    format!("turn/{}", turn.0)
}

/// The name of the deadline at which the director is asked about a deadline that waits. It says
/// which watermark would do, so that the wait is found again after a restart.
pub(crate) fn wait_deadline(waiting: &Waiting) -> String {
    format!("wait/{}/{}", waiting.turn.0, waiting.needs.0)
}

/// The watermark for which the deadline of this name waits.
pub(crate) fn needed_watermark(deadline: &str) -> Option<Time> {
    let (_, needs) = deadline.strip_prefix("wait/")?.split_once('/')?;
    needs.parse().ok().map(Time)
}

/// Sends what has changed.
pub(crate) fn sync(table: &mut Table, frame: &mut Frame, step: &mut Step) {
    drop_stale_wait(table);
    let over = table.game.ending().is_some();
    if over && !table.seating.sent.over {
        table.seating.sent.over = true;
        // Nothing is held back from those who played.
        act::release(table, step);
        table.seating.sent.groups.clear();
        step.publish(&ToPublish::Groups(Vec::new()));
        step.tally(&ToTally::Over);
        let roster = table.roster(frame, RosterState::Over);
        step.roster(&roster);
    }
    if !over {
        sync_thread(table, step);
        sync_groups(table, step);
    }
    sync_deadline(table, step);
}

/// A wait is over when its deadline has moved, or something else has ended its turn.
fn drop_stale_wait(table: &mut Table) {
    let Some(waiting) = table.seating.waiting else {
        return;
    };
    let deadline = table.game.deadline();
    if !deadline.is_some_and(|(turn, at)| turn == waiting.turn && at <= waiting.at) {
        table.seating.waiting = None;
    }
}

fn sync_thread(table: &mut Table, step: &mut Step) {
    let sent = &mut table.seating.sent;
    if let Some(mut thread) = table.game.thread() {
        let before = sent.thread.as_ref().filter(|before| before.id == thread.id);
        // Whatever differs is a change and needs a version of its own, also after a rewind.
        let same = before.is_some_and(|before| {
            *before
                == Thread {
                    version: before.version,
                    ..thread.clone()
                }
        });
        if !same && sent.closed != Some(thread.id) {
            thread.version = thread
                .version
                .max(before.map_or(0, |before| before.version + 1));
            step.tally(&ToTally::Thread(thread.clone()));
            sent.thread = Some(thread);
        }
    }
    // A day that was cut short leaves its thread behind: the book is shut, and nobody counts it.
    if table.game.thread().is_none()
        && let Some(left) = sent.thread.take()
        && sent.closed != Some(left.id)
    {
        step.tally(&ToTally::Close { thread: left.id });
        sent.closed = Some(left.id);
    }
    if let Some(thread) = table.game.awaits_book()
        && sent.closed != Some(thread)
    {
        step.tally(&ToTally::Close { thread });
        sent.closed = Some(thread);
    }
}

fn sync_groups(table: &mut Table, step: &mut Step) {
    let board = table.game.board();
    let wanted: Vec<GroupPlan> = table
        .game
        .groups()
        .into_iter()
        .map(|(group, members)| GroupPlan {
            name: board.groups[group.index()].name.clone(),
            members: members.iter().collect(),
        })
        .collect();
    if wanted != table.seating.sent.groups {
        step.publish(&ToPublish::Groups(wanted.clone()));
        table.seating.sent.groups = wanted;
    }
}

fn sync_deadline(table: &mut Table, step: &mut Step) {
    let wanted = match (&table.seating.waiting, table.game.deadline()) {
        (Some(waiting), _) => Some((wait_deadline(waiting), waiting.ask_at)),
        (None, Some((turn, at))) => Some((turn_deadline(turn), at)),
        (None, None) => None,
    };
    if wanted == table.seating.sent.deadline {
        return;
    }
    let deadlines = wanted.clone().map(|(name, at)| Deadline { name, at });
    step.deadlines(deadlines.into_iter().collect());
    table.seating.sent.deadline = wanted;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_can_be_found_by_its_deadline() {
        let waiting = Waiting {
            turn: Turn(7),
            at: Time(1000),
            needs: Time(6000),
            ask_at: Time(601_000),
        };
        assert_eq!(needed_watermark(&wait_deadline(&waiting)), Some(Time(6000)));
        assert_eq!(needed_watermark(&turn_deadline(Turn(7))), None);
        assert_eq!(needed_watermark("wait/7"), None);
    }
}
