//! A window worse than any board's: 20 targeted skills, each thrown through four redirects, 20
//! hits that ask three protections each, and three reactions, each brought about by the one
//! before.

use std::sync::Arc;
use std::time::Duration;

use rules::board::{
    Board, Choose, End, Harm, Harms, Options, Redirect, Role, SeatCount, SkillDef, StateDef, Usage,
};
use rules::game::Game;
use rules::skill::{Event, Held, Listens, Skill};
use rules::world::{Hit, Intent};
use rules::{FactionId, Order, PhaseKind, Ruling, SeatId, SkillId, StateId, WindowId};

use super::timing::{Bound, Figure, better_of_two, median, p99};
use crate::table::Table;

const STRIKERS: u8 = 20;
const SAMPLES: usize = 2000;

/// Strikes its final targets.
#[derive(Debug)]
struct Strike;

impl Skill for Strike {
    fn resolve(&self, game: &mut Game, held: Held, _: &Intent, finals: &[SeatId]) {
        for target in finals {
            game.hit(Hit {
                target: *target,
                harm: Harm::Strike,
                by: Some(held.seat),
                skill: Some(held.skill),
            });
        }
    }
}

/// Is asked for a strike when its owner goes out.
#[derive(Debug)]
struct Shot;

impl Skill for Shot {
    fn listens(&self) -> Listens {
        Listens::OUTS
    }

    fn on_event(&self, game: &mut Game, held: Held, event: &Event) {
        if matches!(event, Event::WentOut { seat, .. } if *seat == held.seat) {
            game.ask(held);
        }
    }

    fn resolve(&self, game: &mut Game, held: Held, intent: &Intent, finals: &[SeatId]) {
        Strike.resolve(game, held, intent, finals);
    }
}

fn skill(name: &str, code: impl Skill + 'static, usage: Usage, targeted: bool) -> SkillDef {
    SkillDef {
        name: name.to_owned(),
        aliases: Vec::new(),
        windows: [WindowId(1)].into_iter().collect(),
        usage,
        uses: None,
        forced: false,
        locked: false,
        every: 0,
        unhurried: false,
        seats: SeatCount::exactly(1),
        choose: Choose::default(),
        targeted,
        team: None,
        kill: false,
        spoken: false,
        excludes: Vec::new(),
        order: 0,
        help: String::new(),
        code: Arc::new(code),
    }
}

/// m158's frame (windows, calendars, votes) with the roles, skills and states of this test.
fn board(frame: &Board) -> Board {
    let mut calendar = frame.calendars[0].clone();
    calendar.ends = vec![End::After(30); frame.windows.len()];
    let redirect = |redirect| StateDef {
        redirect: Some(redirect),
        ..StateDef::default()
    };
    let ward = |phases: &[PhaseKind]| StateDef {
        stops: Harms::NONE.with(Harm::Strike),
        phases: phases.iter().copied().collect(),
        ..StateDef::default()
    };
    let role = |name: &str, skill: u16| Role {
        name: name.to_owned(),
        faction: Some(FactionId(0)),
        class: None,
        strength: 0,
        count: 1,
        skills: vec![SkillId(skill)],
    };
    Board {
        roles: vec![role("刀", 0), role("枪", 1), role("头刀", 2)],
        skills: vec![
            skill("刀", Strike, Usage::Sent, true),
            skill("枪", Shot, Usage::Reaction, false),
            skill("头刀", Strike, Usage::Sent, false),
        ],
        states: vec![
            redirect(Redirect::Random),
            redirect(Redirect::Back),
            redirect(Redirect::Partner),
            redirect(Redirect::Partner),
            ward(&[PhaseKind::Day]),
            ward(&[PhaseKind::Dusk]),
            ward(&[PhaseKind::Night, PhaseKind::Dawn]),
        ],
        redirects: (0..4).map(StateId).collect(),
        preventions: (4..7).map(StateId).collect(),
        settlement: vec![SkillId(2), SkillId(0), SkillId(1)],
        stand_ins: Vec::new(),
        groups: Vec::new(),
        wins: Vec::new(),
        sheriff: None,
        surrender: Vec::new(),
        calendars: vec![calendar],
        options: Options {
            sheriff: false,
            idle_cards: false,
            counts: true,
            runoff: false,
        },
        ..frame.clone()
    }
}

/// The game with everything sent, before the window ends.
fn night(frame: &Board) -> Table {
    let board = Arc::new(board(frame));
    let mut roles = vec!["刀"; usize::from(STRIKERS)];
    roles.extend(["枪", "枪", "枪", "头刀"]);
    let mut table = Table::open(&board, &board.calendars[0].name, &roles);
    table.until(PhaseKind::Night);
    let mut lay = |seat: u8, state: u8| {
        table.order(Order::Rule {
            ruling: Ruling::Lay(SeatId(seat), StateId(state)),
            reason: String::new(),
        });
    };
    // From a striker's target to a shooter, back to the striker, and twice nowhere.
    for seat in 0..STRIKERS {
        for state in [0, 2, 3, 4, 5, 6] {
            lay(seat, state);
        }
    }
    for seat in STRIKERS..STRIKERS + 4 {
        lay(seat, 1);
    }
    for seat in 1..=STRIKERS {
        table.sends(seat, "刀", &[1 + seat % STRIKERS]);
    }
    table.sends(STRIKERS + 4, "头刀", &[STRIKERS + 1]);
    table
}

/// Closes the night's windows and answers the three reactions.
fn close(table: &mut Table) {
    table.until(PhaseKind::Dawn);
    for shooter in STRIKERS + 1..=STRIKERS + 3 {
        let next = if shooter < STRIKERS + 3 {
            shooter + 1
        } else {
            1
        };
        table.sends(shooter, "枪", &[next]);
    }
}

/// The whole of it at its 99th percentile.
pub(super) fn window(frame: &Board) -> Figure {
    let table = night(frame);
    let mut once = table.clone();
    close(&mut once);
    assert_eq!(once.out(), [21, 22, 23], "the chain of shots");
    let value = median(|| {
        let mut samples: Vec<Duration> =
            (0..SAMPLES).map(|_| better_of_two(&table, close)).collect();
        p99(&mut samples)
    });
    Figure {
        name: "20 skills, 4 redirects, 20 hits, 3 shots in a chain, p99".to_owned(),
        value,
        unit: "µs",
        bound: Bound::Ceiling(100.0),
    }
}
