//! Where `until` and `at` move the clock.

use rules::{Board, PhaseKind};

use crate::script::Goal;
use crate::unreadable::Wrong;
use crate::yaml::Node;

const PHASES: &str = "opening, election, day, dusk, night, dawn, end";

/// `day`, `night 2`, or the name of a window.
pub(super) fn until(node: &Node, board: &Board) -> Result<Goal, Wrong> {
    let text = node.text("until")?.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let phase = PhaseKind::from_word(word).filter(|kind| *kind != PhaseKind::Setup);
    if let Some(kind) = phase {
        let rest = rest.trim();
        if rest.is_empty() {
            return Ok(Goal::Phase(kind, None));
        }
        let number = rest.parse().ok().filter(|_| kind != PhaseKind::End);
        return number
            .map(|number| Goal::Phase(kind, Some(number)))
            .ok_or_else(|| node.wrong(format!("{rest:?} is no number of a phase")));
    }
    board.window(text).map(Goal::Window).map_err(|_| {
        let windows: Vec<&str> = board.windows.iter().map(|w| w.name.as_str()).collect();
        node.wrong(format!(
            "{text:?} is no phase ({PHASES}) and no window of this board ({})",
            windows.join(", ")
        ))
    })
}

/// A time of day as minutes since midnight.
pub(super) fn at(node: &Node) -> Result<u16, Wrong> {
    let text = node.text("at")?;
    let time = text.trim().split_once(':').and_then(|(hours, minutes)| {
        let digits = |part: &str| part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit());
        let hours: u16 = hours.parse().ok().filter(|h| *h < 24)?;
        let whole = minutes.len() == 2 && digits(minutes);
        let minutes: u16 = minutes.parse().ok().filter(|m| whole && *m < 60)?;
        Some(hours * 60 + minutes)
    });
    time.ok_or_else(|| node.wrong(format!("{text:?} is no time of day such as \"20:30\"")))
}
