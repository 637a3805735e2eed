//! Inputs to the rules, and what comes out of them.

use protocol::{Audience, Phrase, SayKind};
use rules::input::{Act, Input};
use rules::{Notice, NoticeKind, Refusal, Stamp, Time};

use crate::phrases;
use crate::step::Step;
use crate::table::Table;

/// Where the receipt of a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receipts {
    /// To the seat, in private.
    Private,
    /// Nowhere: what was typed in a private group is answered there by the group's notice.
    ByGroup,
}

/// Has the rules take an act; what they make known is said. Time never goes back.
///
/// # Errors
/// Why the rules refuse it; nothing has changed then.
pub(crate) fn apply(
    table: &mut Table,
    act: Act,
    now: Time,
    stamp: Stamp,
    receipts: Receipts,
    step: &mut Step,
) -> Result<(), Refusal> {
    let now = table.seating.now.max(now);
    let before = table.game.phase();
    let notices = table.game.apply(&Input { now, stamp, act })?;
    table.seating.now = now;
    if table.game.phase() != before {
        step.snapshot();
    }
    tell(table, &notices, receipts, step);
    Ok(())
}

/// Everything for one audience, in one message.
struct Bundle {
    to: rules::Audience,
    kind: SayKind,
    phrases: Vec<Phrase>,
}

/// Says what was made known: to each audience one message, in the order in which the audiences
/// first appear.
pub(crate) fn tell(table: &mut Table, notices: &[Notice], receipts: Receipts, step: &mut Step) {
    let mut bundles: Vec<Bundle> = Vec::new();
    let by_group = receipts == Receipts::ByGroup
        && notices
            .iter()
            .any(|notice| matches!(notice.to, rules::Audience::Group(_)));
    for notice in notices {
        if by_group && notice.kind == NoticeKind::Receipt {
            continue;
        }
        let phrase = phrases::notice(table, notice);
        let kind = match notice.kind {
            NoticeKind::Notice => SayKind::Notice,
            NoticeKind::Prompt => SayKind::Prompt,
            NoticeKind::Receipt => SayKind::Answer,
        };
        if notice.to == rules::Audience::Public && kind == SayKind::Notice {
            table.seating.bulletin.push(phrase.clone());
            if let Some(held) = &mut table.seating.held {
                held.push(phrase);
                continue;
            }
        }
        match bundles.iter_mut().find(|bundle| bundle.to == notice.to) {
            Some(bundle) => {
                bundle.phrases.push(phrase);
                bundle.kind = weightier(bundle.kind, kind);
            }
            None => bundles.push(Bundle {
                to: notice.to,
                kind,
                phrases: vec![phrase],
            }),
        }
    }
    for bundle in bundles {
        step.say(audience(table, bundle.to), bundle.kind, bundle.phrases);
    }
}

/// A message with a notice in it is never lost, whatever else is in it.
fn weightier(one: SayKind, other: SayKind) -> SayKind {
    match (one, other) {
        (SayKind::Notice, _) | (_, SayKind::Notice) => SayKind::Notice,
        (SayKind::Prompt, _) | (_, SayKind::Prompt) => SayKind::Prompt,
        (SayKind::Answer, SayKind::Answer) => SayKind::Answer,
    }
}

fn audience(table: &Table, to: rules::Audience) -> Audience {
    match to {
        rules::Audience::Seat(seat) => Audience::Seat(seat),
        rules::Audience::Group(group) => {
            let board = table.game.board();
            Audience::Group(board.groups[group.index()].name.clone())
        }
        rules::Audience::Public => Audience::Square,
        rules::Audience::Director => Audience::Directors,
    }
}

/// Publishes what the director holds back. False when nothing is held.
pub(crate) fn release(table: &mut Table, step: &mut Step) -> bool {
    let Some(held) = table.seating.held.take() else {
        return false;
    };
    if !held.is_empty() {
        step.say(Audience::Square, SayKind::Notice, held);
    }
    true
}
