//! What must hold after every input, whoever sent it, as named checks.

use rules::board::{Members, Usage};
use rules::{Act, Audience, Ending, Game, Input, Notice, PhaseKind, Refusal, SeatId, SeatSet};

/// One input and what came of it.
#[derive(Debug)]
pub struct Step<'a> {
    /// The game before.
    pub before: &'a Game,
    /// The input.
    pub input: &'a Input,
    /// The answer.
    pub answer: &'a Result<Vec<Notice>, Refusal>,
    /// The game after.
    pub after: &'a Game,
}

/// A check; it says what is wrong.
pub type Check = fn(&Step) -> Result<(), String>;

/// Every invariant by name.
pub const ALL: &[(&str, Check)] = &[
    ("a refusal changes nothing", refusal_changes_nothing),
    (
        "nobody who knows of being out acts, except by a reaction",
        the_out_do_not_act,
    ),
    (
        "a ballot's weight is not negative",
        weights_are_not_negative,
    ),
    ("a seat keeps its card", cards_stay),
    (
        "a private group holds only those dealt into it",
        groups_hold_the_entitled,
    ),
    ("every notice has a reader", notices_have_readers),
    ("the turn only grows, with every window", turns_grow),
    (
        "a window that opens ends in the future",
        deadlines_are_in_the_future,
    ),
    ("nobody goes out twice", outs_are_unique),
    (
        "only who is out is announced, told or may leave last words",
        announced_are_out,
    ),
    (
        "a state lies on a seat and has a source or an end",
        states_have_a_source,
    ),
    (
        "messages and reactions belong to holdings",
        messages_belong_to_holdings,
    ),
    ("what is offered is taken, and only that", offers_are_taken),
    (
        "who waits to go out is in play, and somebody is asked",
        waiting_is_asked,
    ),
    ("winners are the seats of the winning factions", winners_fit),
    (
        "nothing waits when the game is over",
        nothing_waits_at_the_end,
    ),
    (
        "a game that goes on waits for something",
        somebody_can_go_on,
    ),
];

/// Fails with the names of the invariants that do not hold.
///
/// # Errors
/// One line for each invariant that does not hold.
pub fn check(step: &Step) -> Result<(), String> {
    let broken: Vec<String> = ALL
        .iter()
        .filter_map(|(name, check)| check(step).err().map(|what| format!("{name}: {what}")))
        .collect();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(broken.join("\n"))
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

fn refusal_changes_nothing(step: &Step) -> Result<(), String> {
    let (before, after) = (step.before, step.after);
    let same = step.answer.is_ok()
        || (before.world() == after.world()
            && before.turn() == after.turn()
            && before.deadline() == after.deadline()
            && before.ending() == after.ending());
    ensure(same, || format!("{:?} changed the game", step.input.act))
}

fn the_out_do_not_act(step: &Step) -> Result<(), String> {
    let Act::Use { seat, skill, .. } = &step.input.act else {
        return Ok(());
    };
    let knows = step
        .before
        .seat(*seat)
        .is_some_and(|s| s.out.is_some() && s.knows_out);
    let reaction = step
        .before
        .board()
        .skills
        .get(skill.index())
        .is_some_and(|d| d.usage == Usage::Reaction);
    ensure(!knows || reaction || step.answer.is_err(), || {
        format!("seat {seat} is out and used {skill:?}")
    })
}

fn weights_are_not_negative(step: &Step) -> Result<(), String> {
    for seat in step.after.all() {
        let weight = step.after.vote_weight(seat);
        ensure(weight >= 0, || format!("seat {seat} weighs {weight}"))?;
    }
    Ok(())
}

fn cards_stay(step: &Step) -> Result<(), String> {
    let down = &step.before.world().face_down;
    let opening = step.before.phase().kind == PhaseKind::Opening;
    let seats = step.before.world().seats.iter();
    for (before, after) in seats.zip(&step.after.world().seats) {
        // Before the first night, one that lay face down can be taken.
        let taken = opening && down.contains(&after.card);
        ensure(before.card == after.card || taken, || {
            "cards have moved".to_owned()
        })?;
    }
    Ok(())
}

fn groups_hold_the_entitled(step: &Step) -> Result<(), String> {
    for (group, members) in step.after.groups() {
        let rule = step.after.board().groups[group.index()].members;
        for seat in members.iter() {
            let entitled = match rule {
                Members::Dealt(faction) => step.after.seat(seat).map(|s| s.dealt) == Some(faction),
                Members::State(state) => step.after.has_state(seat, state),
            };
            ensure(entitled, || format!("seat {seat} is in {group:?}"))?;
        }
    }
    Ok(())
}

fn notices_have_readers(step: &Step) -> Result<(), String> {
    let Ok(notices) = step.answer else {
        return Ok(());
    };
    for notice in notices {
        let read = match notice.to {
            Audience::Seat(seat) => step.after.seat(seat).is_some(),
            Audience::Group(group) => !step.after.group_members(group).is_empty(),
            Audience::Public | Audience::Director => true,
        };
        ensure(read, || format!("nobody reads {notice:?}"))?;
    }
    Ok(())
}

fn turns_grow(step: &Step) -> Result<(), String> {
    let (before, after) = (step.before, step.after);
    ensure(after.turn() >= before.turn(), || {
        format!("turn {:?} after {:?}", after.turn(), before.turn())
    })?;
    let moved = (before.phase(), before.window()) != (after.phase(), after.window());
    let opened = moved && after.window().is_some();
    ensure(!opened || after.turn() > before.turn(), || {
        format!("{} begins without a turn", after.phase())
    })
}

fn deadlines_are_in_the_future(step: &Step) -> Result<(), String> {
    if step.after.turn() == step.before.turn() {
        return Ok(());
    }
    match step.after.deadline() {
        Some((turn, at)) => ensure(
            turn == step.after.turn() && (at > step.input.now || step.input.now.0 > i64::MAX / 2),
            || format!("deadline {at:?} of {turn:?}, it is {:?}", step.input.now),
        ),
        None => Ok(()),
    }
}

fn outs_are_unique(step: &Step) -> Result<(), String> {
    let world = step.after.world();
    let mut seen = SeatSet::EMPTY;
    for record in &world.outs {
        ensure(seen.insert(record.seat), || {
            format!("seat {} is out twice", record.seat)
        })?;
        let cause = world.seats[record.seat.index()].out;
        ensure(cause == Some(record.cause), || {
            format!("seat {} has another cause", record.seat)
        })?;
    }
    let out: SeatSet = step
        .after
        .all()
        .filter(|s| !step.after.stands(*s))
        .collect();
    ensure(out == seen, || format!("out {out:?}, listed {seen:?}"))?;
    ensure(world.published <= world.outs.len(), || {
        "more is published than went out".to_owned()
    })
}

fn announced_are_out(step: &Step) -> Result<(), String> {
    let world = step.after.world();
    let out: SeatSet = world.outs.iter().map(|o| o.seat).collect();
    let told: SeatSet = step
        .after
        .all()
        .filter(|s| world.seats[s.index()].knows_out)
        .collect();
    let speakers: SeatSet = world.last_words.iter().map(|(s, _)| *s).collect();
    for (what, seats) in [
        ("announced", world.announced),
        ("told", told),
        ("may speak last", world.may_speak_last),
        ("left last words", speakers),
    ] {
        ensure(seats.minus(out).is_empty(), || {
            format!("{what} but in play: {seats:?}")
        })?;
    }
    Ok(())
}

fn states_have_a_source(step: &Step) -> Result<(), String> {
    let (world, board) = (step.after.world(), step.after.board());
    for record in &world.states {
        let known = record.seat.index() < world.seats.len()
            && record.state.index() < board.states.len()
            && record.times != Some(0);
        let source = record.from.is_none_or(|(seat, holding)| {
            record.until.is_some()
                || world
                    .seats
                    .get(seat.index())
                    .is_some_and(|s| s.holdings.iter().any(|h| h.id == holding))
        });
        ensure(known && source, || format!("{record:?}"))?;
    }
    Ok(())
}

fn messages_belong_to_holdings(step: &Step) -> Result<(), String> {
    let world = step.after.world();
    let holds = |seat: SeatId, id, skill| {
        world
            .seats
            .get(seat.index())
            .is_some_and(|s| s.holdings.iter().any(|h| h.id == id && h.skill == skill))
    };
    for intent in &world.intents {
        ensure(holds(intent.seat, intent.holding, intent.skill), || {
            format!("{intent:?}")
        })?;
        let open = world.window == Some(intent.window);
        ensure(open, || format!("of another window: {intent:?}"))?;
    }
    for (i, reaction) in world.reactions.iter().enumerate() {
        ensure(
            holds(reaction.seat, reaction.holding, reaction.skill),
            || format!("{reaction:?}"),
        )?;
        let again = world.reactions[..i]
            .iter()
            .any(|r| (r.seat, r.holding) == (reaction.seat, reaction.holding));
        ensure(!again, || format!("asked twice: {reaction:?}"))?;
    }
    Ok(())
}

/// The two ways to ask what a seat can do now agree.
fn offers_are_taken(step: &Step) -> Result<(), String> {
    let game = step.after;
    for seat in game.all() {
        let offers = game.offers(seat);
        let Some(me) = game.seat(seat) else { continue };
        for holding in &me.holdings {
            let open = offers.iter().any(|o| o.held.skill == holding.skill);
            let least = offers.iter().find(|o| o.held.skill == holding.skill);
            let least = least.map_or(0, |o| usize::from(game.seat_count(o.held).min));
            let words: Vec<rules::Word> = offers
                .iter()
                .find(|o| o.held.skill == holding.skill)
                .and_then(|o| o.range)
                .into_iter()
                .flat_map(SeatSet::iter)
                .take(least)
                .map(rules::Word::Seat)
                .collect();
            let taken = match game.check_use(seat, holding.skill, &words) {
                Ok(_)
                | Err(
                    Refusal::SeatCount { .. }
                    | Refusal::Choices { .. }
                    | Refusal::Options { .. }
                    | Refusal::Guess { .. }
                    | Refusal::RoleChoices { .. }
                    | Refusal::NotChoosable { .. },
                ) => true,
                Err(_) => false,
            };
            ensure(open == taken, || {
                format!(
                    "seat {seat}, {:?}: offered {open}, taken {taken}",
                    holding.skill
                )
            })?;
        }
    }
    Ok(())
}

/// Once a settlement is over, a going-out waits only for an answer that can still be given.
fn waiting_is_asked(step: &Step) -> Result<(), String> {
    let world = step.after.world();
    for waiting in &world.waiting {
        let asked = world
            .reactions
            .iter()
            .any(|r| (r.seat, r.holding) == (waiting.seat, waiting.holding));
        ensure(asked && step.after.stands(waiting.hit.target), || {
            format!("{waiting:?}")
        })?;
    }
    Ok(())
}

fn winners_fit(step: &Step) -> Result<(), String> {
    let Some(Ending::Won { factions, seats }) = step.after.ending() else {
        return Ok(());
    };
    let expected: SeatSet = step
        .after
        .all()
        .filter(|s| factions.contains(&step.after.allegiance(*s)))
        .collect();
    ensure(expected == *seats, || {
        format!("{seats:?} win with {factions:?}, not {expected:?}")
    })
}

fn nothing_waits_at_the_end(step: &Step) -> Result<(), String> {
    let game = step.after;
    if game.ending().is_none() {
        return Ok(());
    }
    let world = game.world();
    let quiet = game.deadline().is_none()
        && game.awaits_book().is_none()
        && game.thread().is_none()
        && game.phase().kind == PhaseKind::End
        && game.window().is_none()
        && world.intents.is_empty()
        && world.reactions.is_empty()
        && world.waiting.is_empty()
        && world.at_door.is_empty()
        && world.published == world.outs.len();
    ensure(quiet, || "something is left over".to_owned())
}

fn somebody_can_go_on(step: &Step) -> Result<(), String> {
    let game = step.after;
    let started = game.phase().kind != PhaseKind::Setup;
    let waits = game.ending().is_some()
        || game.window().is_some()
        || game.awaits_book().is_some()
        || game.paused()
        || game.phase().kind == PhaseKind::Dusk;
    ensure(!started || waits, || {
        format!("{} waits for nothing", game.phase())
    })
}
