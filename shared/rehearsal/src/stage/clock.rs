//! Moving the clock: windows pass, phases begin.

use rules::board::Usage;
use rules::{Act, Phase, PhaseKind, SeatId, SkillId, Time, WindowId};

use crate::report::Fault;
use crate::script::Goal;

use super::Stage;

/// More windows than this do not pass on the way to anything.
const MOST_WINDOWS: usize = 600;

/// Where a game stands in time.
#[derive(Clone, Copy)]
struct Standing {
    phase: Phase,
    turn: rules::Turn,
    window: Option<WindowId>,
}

impl Standing {
    /// Has a phase begun between the two: another one, or the same one anew?
    fn begun_since(&self, earlier: &Self) -> bool {
        let anew =
            self.turn > earlier.turn && self.window.is_some() && self.window <= earlier.window;
        self.phase != earlier.phase || anew
    }
}

impl Stage<'_> {
    /// `until`.
    pub(crate) fn play_until(&mut self, goal: Goal) -> Result<(), Fault> {
        match goal {
            Goal::Phase(kind, number) => self.until_phase(kind, number),
            Goal::Window(window) => self.until_window(window),
        }
    }

    /// `next`: the window that is open passes.
    pub(crate) fn pass_window(&mut self) -> Result<(), Fault> {
        let Some((turn, at)) = self.game.deadline() else {
            let why = if self.game.ending().is_some() {
                "the game is over"
            } else if self.game.paused() {
                "the game is paused: let the director go on (继续)"
            } else {
                "nothing is due: let the director go on (下一步)"
            };
            return Err(Fault::Broken(format!("the clock cannot move: {why}")));
        };
        self.now = self.now.max(at);
        self.drive(Act::Clock { turn })
    }

    fn until_phase(&mut self, kind: PhaseKind, number: Option<u16>) -> Result<(), Fault> {
        let expected = match number {
            Some(number) => format!("{} {number} begins", kind.word()),
            None => format!("{} begins", kind.word()),
        };
        if kind == PhaseKind::End && self.game.ending().is_some() {
            // A reaction has ended it at once.
            return Ok(());
        }
        for _ in 0..MOST_WINDOWS {
            let before = self.standing();
            self.pass_window()?;
            let now = self.standing();
            if !now.begun_since(&before) {
                continue;
            }
            let right = number.is_none_or(|number| number == now.phase.number);
            match now.phase.kind {
                begun if begun == kind && right => return Ok(()),
                begun if begun == kind => {
                    let got = format!("{} begins", now.phase);
                    return Err(Fault::Differs { expected, got });
                }
                PhaseKind::End => {
                    let got = self.how_it_stands();
                    return Err(Fault::Differs { expected, got });
                }
                _ => {}
            }
        }
        Err(Fault::Differs {
            expected,
            got: format!("{} stands after {MOST_WINDOWS} windows", self.game.phase()),
        })
    }

    /// Plays on until a window of the phase the game stands in opens.
    fn until_window(&mut self, window: WindowId) -> Result<(), Fault> {
        let phase = self.standing();
        let name = self.words.names().window(window).to_owned();
        let expected = format!("{name} opens in {}", phase.phase);
        let differs = |got: String| Fault::Differs {
            expected: expected.clone(),
            got,
        };
        let belongs = self.game.board().windows[window.index()].phase;
        if belongs != phase.phase.kind {
            return Err(differs(format!("{name} is a window of {}", belongs.word())));
        }
        if phase.window.is_some_and(|open| open >= window) {
            return Err(differs(format!("{name} has opened already")));
        }
        loop {
            let before = self.standing();
            self.pass_window()?;
            let now = self.standing();
            if now.begun_since(&before) {
                return Err(differs(format!("{} has begun", now.phase)));
            }
            if now.window == Some(window) {
                return Ok(());
            }
        }
    }

    /// A player waits for its turn: when the skill is not open yet, but opens in a later window
    /// of the phase, the clock moves there.
    pub(super) fn wait_for_turn(&mut self, seat: SeatId, skill: SkillId) -> Result<(), Fault> {
        if self.is_its_turn(seat, skill) {
            return Ok(());
        }
        match self.game.opens_later(seat, skill) {
            Some(window) => self.until_window(window),
            None => Ok(()),
        }
    }

    fn is_its_turn(&self, seat: SeatId, skill: SkillId) -> bool {
        let def = self.game.board().skill_def(skill);
        let asked = || {
            let reactions = &self.game.world().reactions;
            reactions.iter().any(|r| r.seat == seat && r.skill == skill)
        };
        match def.usage {
            Usage::Reaction => asked(),
            Usage::Sent | Usage::Immediate => {
                asked() || self.game.window().is_some_and(|w| def.windows.has(w))
            }
            Usage::Standing => true,
        }
    }

    /// `at`: moves to a time of day before anything is due.
    pub(crate) fn move_to(&mut self, minutes: u16) -> Result<(), Fault> {
        let time = format!("{:02}:{:02}", minutes / 60, minutes % 60);
        let zone = &self.game.timetable().zone;
        let wrong = |why: &str| Fault::Broken(format!("the clock cannot move to {time}: {why}"));
        let now = jiff::Timestamp::from_millisecond(self.now.0)
            .map_err(|_| wrong("the time has run out"))?;
        let clock = jiff::civil::time(0, 0, 0, 0)
            .checked_add(jiff::Span::new().minutes(minutes))
            .map_err(|_| wrong("it is no time of day"))?;
        let local = zone.to_datetime(now);
        let day = if local.time() <= clock {
            local.date()
        } else {
            local
                .date()
                .tomorrow()
                .map_err(|_| wrong("the time has run out"))?
        };
        let at = zone
            .to_ambiguous_timestamp(day.to_datetime(clock))
            .compatible()
            .map_err(|_| wrong("there is no such time"))?;
        let at = Time(at.as_millisecond());
        if self.game.ending().is_some() {
            return Err(wrong("the game is over"));
        }
        if let Some((_, due)) = self.game.deadline().filter(|(_, due)| *due <= at) {
            let open = self
                .game
                .window()
                .map_or("", |w| self.words.names().window(w));
            let ends = zone.to_datetime(jiff::Timestamp::from_millisecond(due.0).unwrap_or(now));
            return Err(wrong(&format!(
                "{open} ends before, at {:02}:{:02}",
                ends.hour(),
                ends.minute()
            )));
        }
        self.now = at;
        Ok(())
    }

    fn standing(&self) -> Standing {
        Standing {
            phase: self.game.phase(),
            turn: self.game.turn(),
            window: self.game.window(),
        }
    }
}
