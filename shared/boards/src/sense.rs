//! Mistakes that no single line shows: what can never come, never be used, never hold.

use rules::board::{Board, WindowKind};
use rules::{FactionId, WindowId};
use toml::Value;

use crate::file::{BoardFile, CondFile, EndFile, Name, WhoFile};
use crate::problem::Collector;

/// Looks through a board whose names are all known.
pub(crate) fn look_through(board: &Board, file: &BoardFile, problems: &mut Collector) {
    windows(board, file, problems);
    skills(file, problems);
    let mut wins = Vec::new();
    for win in &file.win {
        people(&win.when, &mut wins);
    }
    for draw in &file.draw {
        people(draw.when.get_ref(), &mut wins);
    }
    for who in &wins {
        can_be(board, who, problems);
    }
    classes(board, file, &wins, problems);
}

/// A window without length, in a phase that never comes, or that nobody can use.
fn windows(board: &Board, file: &BoardFile, problems: &mut Collector) {
    for (place, window) in file.window.iter().enumerate() {
        let name = window.name.get_ref();
        let def = &board.windows[place];
        let mut phases = board.flow.lead.iter().chain(&board.flow.cycle);
        if !phases.any(|phase| *phase == def.phase) {
            let message = format!(
                "{} is not in the flow: {name} never opens",
                def.phase.word()
            );
            problems.add(window.phase.span(), message);
        }
        if def.kind != WindowKind::Rest {
            for (calendar, end) in [("slow", &window.slow), ("quick", &window.quick)] {
                if matches!(end.get_ref(), EndFile::Minutes(0)) {
                    let message = format!(
                        "{name} has no length in the calendar {calendar}, so it never opens; only a window of the kind rest can be left out"
                    );
                    problems.add(end.span(), message);
                }
            }
        }
        let named = file
            .skill
            .iter()
            .any(|s| s.with.values().any(|v| names(v.get_ref(), name)));
        let sent = board
            .skills
            .iter()
            .any(|s| s.windows.has(WindowId::at(place)));
        if def.kind == WindowKind::Skills && !sent && !named {
            let message = format!("no skill uses {name}: give it one, or leave the window out");
            problems.add(window.name.span(), message);
        }
    }
}

/// A skill that nobody has and nothing gives.
fn skills(file: &BoardFile, problems: &mut Collector) {
    for skill in &file.skill {
        let name = skill.name.get_ref();
        let is_it = |n: &Name| n.get_ref() == name;
        let dealt = file.role.iter().any(|r| r.skills.iter().any(is_it));
        let badge = file.sheriff.iter().any(|s| s.skills.iter().any(is_it));
        let mut others = file.skill.iter().filter(|s| s.name.get_ref() != name);
        let given = others.any(|s| s.with.values().any(|v| names(v.get_ref(), name)));
        if !dealt && !badge && !given {
            let message = format!("no role has {name}, and nothing gives it");
            problems.add(skill.name.span(), message);
        }
    }
}

/// Is it this name, or a list with it?
fn names(value: &Value, name: &str) -> bool {
    match value {
        Value::String(text) => text == name,
        Value::Array(items) => items.iter().any(|item| names(item, name)),
        _ => false,
    }
}

/// Everyone whom a condition counts.
fn people<'f>(cond: &'f CondFile, found: &mut Vec<&'f WhoFile>) {
    for part in cond.all.iter().chain(&cond.any).flatten() {
        people(part, found);
    }
    found.extend(&cond.out);
    found.extend(cond.at_least.iter().flatten());
}

/// Whom a condition counts must be in the deal, else it can never hold.
fn can_be(board: &Board, who: &WhoFile, problems: &mut Collector) {
    let Ok(faction) = board.faction(who.faction.get_ref()) else {
        return;
    };
    let class = who
        .class
        .as_ref()
        .and_then(|c| board.class(c.get_ref()).ok());
    let role = who.role.as_ref().and_then(|r| board.role(r.get_ref()).ok());
    let mut roles = board.roles.iter().zip(0..);
    let fits = roles.any(|(def, place)| {
        def.faction.is_none_or(|f| f == faction)
            && class.is_none_or(|c| def.class == Some(c))
            && role.is_none_or(|r| r.0 == place)
    });
    let narrow = who.class.as_ref().or(who.role.as_ref());
    if let Some(narrow) = narrow.filter(|_| !fits) {
        let message = format!(
            "no card of {} is {}: this condition can never hold",
            who.faction.get_ref(),
            narrow.get_ref()
        );
        problems.add(narrow.span(), message);
    }
}

/// Where win rules go by classes, a whole side is divided into them: a card in none would count
/// for nothing, which a board must say.
fn classes(board: &Board, file: &BoardFile, wins: &[&WhoFile], problems: &mut Collector) {
    let divided: Vec<FactionId> = wins
        .iter()
        .filter(|who| who.class.is_some())
        .filter_map(|who| board.faction(who.faction.get_ref()).ok())
        .collect();
    for (role, def) in file.role.iter().zip(&board.roles) {
        let counts = def.faction.is_some_and(|f| divided.contains(&f));
        if counts && def.class.is_none() && !role.classless {
            let message = format!(
                "{} is in no class, and a win rule counts the classes of its faction: give it a class, or write classless = true",
                def.name
            );
            problems.add(role.name.span(), message);
        }
    }
}
