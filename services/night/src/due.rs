//! Deadlines, and the watermark that lets them pass: what was sent in time still counts when
//! it arrives a little late, however long the bot was away (G25).

use protocol::{Audience, Phrase, SayKind};
use rules::input::Act;
use rules::{Stamp, Time};
use serde_json::json;

use crate::act::{self, Receipts};
use crate::env::Env;
use crate::frame::Frame;
use crate::step::Step;
use crate::sync::{turn_deadline, wait_deadline};
use crate::table::{Table, Waiting};

/// How long until the director is asked again, in units of the settings' patience.
const ASK_AGAIN: i64 = 6;

/// Did an input change anything?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Changed {
    Yes,
    No,
}

/// A deadline has come. One of an earlier turn, one that has moved, and one that is waiting
/// already change nothing.
pub(crate) fn due(
    table: &mut Table,
    frame: &Frame,
    env: &Env,
    deadline: &str,
    now: Time,
    step: &mut Step,
) -> Changed {
    if let Some(waiting) = &mut table.seating.waiting {
        if deadline != wait_deadline(waiting) || now < waiting.ask_at {
            return Changed::No;
        }
        waiting.ask_at = now.plus_ms(env.patience_ms().saturating_mul(ASK_AGAIN));
        let args = json!({"name": frame.name, "since": waiting.at});
        let ask = Phrase::new("director/no-watermark", args);
        step.say(Audience::Directors, SayKind::Prompt, vec![ask]);
        return Changed::Yes;
    }
    let Some((turn, at)) = table.game.deadline() else {
        return Changed::No;
    };
    if deadline != turn_deadline(turn) || now < at {
        return Changed::No;
    }
    table.seating.waiting = Some(Waiting {
        turn,
        at,
        needs: at.plus_ms(env.grace_ms()),
        ask_at: now.plus_ms(env.patience_ms()),
    });
    Changed::Yes
}

/// The account's watermark: a deadline that waits for it passes.
pub(crate) fn watermark(table: &mut Table, upto: Time, step: &mut Step) -> Changed {
    let Some(waiting) = table
        .seating
        .waiting
        .filter(|waiting| waiting.needs <= upto)
    else {
        return Changed::No;
    };
    table.seating.waiting = None;
    let act = Act::Clock { turn: waiting.turn };
    // Refused when the deadline has moved meanwhile: then there is a new one to wait for.
    let _moved = act::apply(table, act, upto, Stamp::default(), Receipts::Private, step);
    Changed::Yes
}
