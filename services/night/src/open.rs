//! 开局: a board, a name, a calendar, parameters.

use chat::{Misread, Opening, fold, is_command_word};
use protocol::{ChatGroup, GameId, Line, Phrase};
use rules::{Board, Options};
use serde_json::json;

use crate::answers;
use crate::env::Env;
use crate::frame::{Frame, Seed};

/// The most characters a game's name may have.
const LONGEST_NAME: usize = 12;

/// What `开局` says, as a game's frame; or why there is no game.
pub(crate) fn frame(
    env: &Env,
    game: GameId,
    square: ChatGroup,
    line: &Line,
    entropy: &str,
    taken: &[String],
) -> Result<Frame, Phrase> {
    if !line.speaker.director {
        return Err(Phrase::plain("lobby/no-right"));
    }
    let opening = chat::opening(&line.text).map_err(|misread| without_board(env, &misread))?;
    let board = env
        .board_called(&opening.board)
        .ok_or_else(|| unknown_board(env, &opening))?;
    let calendar = calendar(board, &opening)?;
    let (size, others): (Vec<_>, Vec<_>) = opening
        .options
        .iter()
        .cloned()
        .partition(|(key, _)| matches!(key.as_str(), "seats" | "人数"));
    let seats = size
        .last()
        .map(|(_, value)| seats(board, value))
        .transpose()?;
    let options = options(board.options, &others)?;
    let name = name(board, game, opening.name.as_deref(), taken)?;
    let seed = Seed::from_hex(entropy).ok_or_else(|| Phrase::plain("lobby/no-dice"))?;
    Ok(Frame {
        game,
        name,
        board: board.id.clone(),
        calendar,
        options,
        seats,
        square,
        directors: vec![line.speaker.user],
        seed,
        roster_version: 0,
    })
}

fn boards(env: &Env) -> serde_json::Value {
    env.boards()
        .map(|board| json!({"id": board.id, "name": board.name, "seats": board.seat_count()}))
        .collect()
}

fn without_board(env: &Env, misread: &Misread) -> Phrase {
    let Misread::Usage { usage } = misread else {
        return answers::misread(misread);
    };
    Phrase::new(
        "lobby/open-how",
        json!({"usage": usage, "boards": boards(env)}),
    )
}

fn unknown_board(env: &Env, opening: &Opening) -> Phrase {
    let word: String = opening.board.chars().take(12).collect();
    Phrase::new(
        "lobby/no-such-board",
        json!({"word": word, "boards": boards(env)}),
    )
}

/// The calendar that was asked for; without one the slow one, or the board's first.
fn calendar(board: &Board, opening: &Opening) -> Result<String, Phrase> {
    let known = || {
        board
            .calendars
            .iter()
            .map(|calendar| calendar.name.as_str())
            .chain(["manual"])
    };
    let Some(wanted) = &opening.calendar else {
        let usual = known()
            .find(|name| *name == "slow")
            .or_else(|| known().next());
        return Ok(usual.unwrap_or("manual").to_owned());
    };
    known()
        .find(|name| *name == wanted.name())
        .map(str::to_owned)
        .ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            Phrase::new("lobby/no-such-calendar", json!({"calendars": known}))
        })
}

/// A number of seats that the board takes (foxcurse F1).
fn seats(board: &Board, value: &str) -> Result<u16, Phrase> {
    let sizes = board.sizes();
    let wanted = value
        .parse()
        .ok()
        .filter(|n| sizes.contains(&usize::from(*n)));
    wanted.ok_or_else(|| {
        let args = json!({"board": board.name, "sizes": sizes});
        Phrase::new("lobby/bad-size", args)
    })
}

/// The board's parameters with those that were given.
fn options(mut options: Options, given: &[(String, String)]) -> Result<Options, Phrase> {
    let known = ["sheriff", "idle_cards", "counts", "runoff"];
    for (key, value) in given {
        let value = match value.as_str() {
            "true" | "是" | "开" | "有" | "on" | "yes" | "1" => true,
            "false" | "否" | "关" | "无" | "off" | "no" | "0" => false,
            _ => return Err(Phrase::new("lobby/bad-option", json!({"options": known}))),
        };
        match key.as_str() {
            "sheriff" | "警长" => options.sheriff = value,
            "idle_cards" | "潜水" => options.idle_cards = value,
            "counts" | "票数" => options.counts = value,
            "runoff" | "平票pk" => options.runoff = value,
            _ => return Err(Phrase::new("lobby/bad-option", json!({"options": known}))),
        }
    }
    Ok(options)
}

/// The name that was asked for, or the board's with the game's number.
fn name(
    board: &Board,
    game: GameId,
    wanted: Option<&str>,
    taken: &[String],
) -> Result<String, Phrase> {
    let free = |name: &str| !taken.iter().any(|other| fold(other) == fold(name));
    let Some(wanted) = wanted else {
        let numbered = format!("{}{}", board.name, game.number);
        // Somebody may have given this very name by hand.
        let tries = (2..).map(|n| format!("{numbered}之{n}"));
        return std::iter::once(numbered.clone())
            .chain(tries)
            .find(|name| free(name))
            .ok_or_else(|| Phrase::plain("lobby/name-taken"));
    };
    let name: String = wanted.split_whitespace().collect();
    let fits = (1..=LONGEST_NAME).contains(&name.chars().count())
        && name.chars().all(char::is_alphanumeric)
        && name.chars().any(char::is_alphabetic);
    if !fits || is_command_word(&name) || board.skill(&name).is_ok() {
        return Err(Phrase::new(
            "lobby/bad-name",
            json!({"longest": LONGEST_NAME}),
        ));
    }
    if free(&name) {
        Ok(name)
    } else {
        Err(Phrase::plain("lobby/name-taken"))
    }
}
