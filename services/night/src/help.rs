//! 帮助: what one can do now, and what a skill or a role does.

use protocol::{Line, Phrase, Place};
use rules::{Board, Game, SeatId, SkillId};
use serde_json::{Value, json};

use crate::answers;
use crate::frame::Frame;
use crate::step::Step;

/// Before the deal.
pub(crate) fn in_lobby(
    frame: &Frame,
    board: &Board,
    line: &Line,
    about: Option<&str>,
    step: &mut Step,
) {
    if let Some(about) = about {
        return answer_about(board, line, about, step);
    }
    let directs = frame.directs(line.speaker.user) && line.place == Place::Private;
    let key = if directs {
        "help/lobby-director"
    } else {
        "help/lobby"
    };
    step.answer(
        line,
        Phrase::new(key, json!({"name": frame.name, "board": board.name})),
    );
}

/// In a running game. A seat reads its open skills only in private.
pub(crate) fn in_game(
    frame: &Frame,
    game: &Game,
    seat: Option<SeatId>,
    line: &Line,
    about: Option<&str>,
    step: &mut Step,
) {
    let board = game.board();
    if let Some(about) = about {
        return answer_about(board, line, about, step);
    }
    let args = match (seat, line.place == Place::Private) {
        (Some(seat), true) => {
            let open: Vec<&str> = game
                .open_skills(seat)
                .into_iter()
                .map(|held| board.skill_def(held.skill).name.as_str())
                .collect();
            json!({"name": frame.name, "open": open})
        }
        _ => json!({"name": frame.name}),
    };
    let directs = frame.directs(line.speaker.user);
    let key = match (&line.place, seat) {
        (Place::Private, Some(_)) => "help/seat",
        (Place::Private, None) if directs => "help/director",
        (Place::Group(_), _) => "help/group",
        _ => "help/square",
    };
    step.answer(line, Phrase::new(key, args));
}

fn answer_about(board: &Board, line: &Line, about: &str, step: &mut Step) {
    let word = chat::fold(about);
    let skill = board
        .skills
        .iter()
        .position(|skill| {
            chat::fold(&skill.name) == word
                || skill.aliases.iter().any(|alias| chat::fold(alias) == word)
        })
        .and_then(|place| u16::try_from(place).ok())
        .map(SkillId);
    if let Some(skill) = skill {
        step.answer(line, Phrase::new("help/skill", about_skill(board, skill)));
        return;
    }
    if let Some(role) = board
        .roles
        .iter()
        .find(|role| chat::fold(&role.name) == word)
    {
        let skills: Vec<Value> = role
            .skills
            .iter()
            .map(|skill| about_skill(board, *skill))
            .collect();
        let faction = role
            .faction
            .map(|f| board.factions[f.index()].name.as_str());
        let args = json!({
            "role": role.name, "faction": faction,
            "count": role.count, "skills": skills,
        });
        step.answer(line, Phrase::new("help/role", args));
        return;
    }
    if answers::expected(line) {
        let word: String = about.chars().take(12).collect();
        step.answer(line, Phrase::new("help/no-such", json!({"word": word})));
    }
}

/// What the board says of a skill; nothing of any game.
fn about_skill(board: &Board, skill: SkillId) -> Value {
    let def = board.skill_def(skill);
    let windows: Vec<&str> = board
        .windows
        .iter()
        .zip(0..)
        .filter(|(_, id)| def.windows.has(rules::WindowId(*id)))
        .map(|(window, _)| window.name.as_str())
        .collect();
    json!({"skill": def.name, "help": def.help, "windows": windows})
}
