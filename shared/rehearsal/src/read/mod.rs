//! The text of a file, read into a [`Script`].

mod checks;
mod goal;
mod names;
mod steps;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use rules::game::SeatSetup;
use rules::{Board, Options, SeatSet};

use crate::script::{Forced, Script};
use crate::unreadable::{Unreadable, Wrong};
use crate::yaml::{Node, Shape, parse};
use names::Known;

const KEYS: &str = "title, about, board, seats, dice, options, play";

/// Reads a rehearsal file.
///
/// # Errors
/// The first thing that is not in the format or names nothing on the board, with its place and
/// step.
pub fn read(text: &str) -> Result<Script, Unreadable> {
    read_with(text, None)
}

/// Reads a rehearsal file that lies in this folder: it can also name the file of a board there
/// (`board: town.toml`).
///
/// # Errors
/// As [`read`], and what is wrong with that board.
pub fn read_in(text: &str, folder: &Path) -> Result<Script, Unreadable> {
    read_with(text, Some(folder))
}

fn read_with(text: &str, folder: Option<&Path>) -> Result<Script, Unreadable> {
    let root = parse(text)?;
    let keys = root.map("a rehearsal")?;
    for (key, node) in keys {
        if !KEYS.split(", ").any(|known| known == key) {
            return Err(node
                .wrong(format!("there is no key {key:?} here; there are {KEYS}"))
                .into());
        }
    }
    let key = |name: &str| keys.iter().find(|(key, _)| key == name).map(|(_, n)| n);
    let needed = |name: &str| key(name).ok_or_else(|| root.wrong(format!("{name} is missing")));

    let board = board(needed("board")?, folder)?;
    let (aliases, setups) = seats(needed("seats")?, &board)?;
    let known = Known {
        board: &board,
        aliases: &aliases,
    };
    let lines: Vec<&str> = text.lines().collect();
    let steps = steps::read(needed("play")?, &known, &lines)?;
    Ok(Script {
        title: text_of(key("title"), "title")?.unwrap_or_default(),
        about: text_of(key("about"), "about")?,
        dice: key("dice").map_or(Ok(Vec::new()), |node| dice(node, &known))?,
        options: key("options").map_or(Ok(board.options), |node| options(node, &board))?,
        board: Arc::clone(&board),
        setups,
        steps,
        aliases,
    })
}

fn text_of(node: Option<&Node>, what: &str) -> Result<Option<String>, Wrong> {
    node.map(|node| node.text(what).map(str::to_owned))
        .transpose()
}

/// Is this the name of a board's file, not its id?
fn is_file(board: &str) -> bool {
    let ending = Path::new(board).extension();
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
}

fn board(node: &Node, folder: Option<&Path>) -> Result<Arc<Board>, Wrong> {
    let id = node.text("board")?;
    if let Some(folder) = folder.filter(|_| is_file(id)) {
        let file = folder.join(id);
        let text = std::fs::read_to_string(&file)
            .map_err(|why| node.wrong(format!("{} cannot be read: {why}", file.display())))?;
        let board = boards::read(&text)
            .map_err(|problems| node.wrong(format!("{id} has mistakes:\n{problems}")))?;
        return Ok(Arc::new(board));
    }
    boards::find(id).ok_or_else(|| {
        let known: Vec<&str> = boards::builtin().iter().map(|b| b.id.as_str()).collect();
        node.wrong(format!(
            "there is no board {id:?}; there are: {}",
            known.join(", ")
        ))
    })
}

/// Aliases and cards, in the order of the file.
fn seats(node: &Node, board: &Board) -> Result<(Vec<String>, Vec<SeatSetup>), Wrong> {
    let seats = node.map("seats")?;
    if seats.is_empty() {
        return Err(node.wrong("nobody sits here: name at least one seat"));
    }
    if seats.len() > SeatSet::CAPACITY {
        return Err(node.wrong(format!("there are more than {} seats", SeatSet::CAPACITY)));
    }
    let mut aliases: Vec<String> = Vec::with_capacity(seats.len());
    let mut setups = Vec::with_capacity(seats.len());
    for (alias, node) in seats {
        if let Some(twin) = aliases.iter().find(|a| chat::fold(a) == chat::fold(alias)) {
            return Err(node.wrong(format!("the aliases {twin} and {alias} are the same")));
        }
        if names::is_reserved(alias) {
            return Err(node.wrong(format!("{alias:?} is a word of the format, no alias")));
        }
        aliases.push(alias.clone());
        setups.push(setup(node, board)?);
    }
    Ok((aliases, setups))
}

fn setup(node: &Node, board: &Board) -> Result<SeatSetup, Wrong> {
    let role = |node: &Node| {
        board
            .role(node.text("a role")?)
            .map_err(|unknown| node.wrong(unknown.to_string()))
    };
    let Shape::Map(keys) = &node.shape else {
        return Ok(SeatSetup {
            role: role(node)?,
            faction: None,
        });
    };
    let (mut dealt, mut faction) = (None, None);
    for (key, value) in keys {
        match key.as_str() {
            "role" => dealt = Some(role(value)?),
            "faction" => {
                let name = value.text("a faction")?;
                let found = board.faction(name);
                faction = Some(found.map_err(|unknown| value.wrong(unknown.to_string()))?);
            }
            _ => {
                return Err(value.wrong(format!("a seat has role and faction, no {key:?}")));
            }
        }
    }
    Ok(SeatSetup {
        role: dealt.ok_or_else(|| node.wrong("the role is missing"))?,
        faction,
    })
}

/// The engine names seats by number; an alias is a seat whatever else it is called.
fn dice(node: &Node, known: &Known) -> Result<Vec<Forced>, Wrong> {
    let forced = |node: &Node| {
        let written = node.text("a forced draw")?.to_owned();
        let named = known
            .find_seat(&written)
            .map_or_else(|| written.clone(), |seat| seat.to_string());
        Ok(Forced { written, named })
    };
    node.list("dice")?.iter().map(forced).collect()
}

fn options(node: &Node, board: &Board) -> Result<Options, Wrong> {
    let mut options = board.options;
    for (key, value) in node.map("options")? {
        let flag = names::flag(value)?;
        match key.as_str() {
            "sheriff" if flag && board.sheriff.is_none() => {
                return Err(value.wrong(format!("the board {} has no sheriff", board.id)));
            }
            "sheriff" => options.sheriff = flag,
            "idle_cards" => options.idle_cards = flag,
            "runoff" => options.runoff = flag,
            "counts" => options.counts = flag,
            _ => {
                return Err(value.wrong(format!(
                    "the board has no parameter {key:?}; there are sheriff, idle_cards and counts"
                )));
            }
        }
    }
    Ok(options)
}
