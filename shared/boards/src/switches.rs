//! Switches of a board: named parameters with named choices, each a change of the board's file.
//!
//! `[switch.自救]` lists the choices of a switch; a choice names tables of the file and what is
//! different in them: `首夜 = { "skill.解药" = { oneself = "first-night" } }`. A table of a list is
//! named by its kind and its name; `win` is replaced as a whole.

use toml::{Table, Value};

/// A choice of a switch: 自救=首夜.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice<'a> {
    pub switch: &'a str,
    pub choice: &'a str,
}

/// A board's id with the choices behind it: `预女猎+自救=首夜`. `None`: no such form.
pub(crate) fn parse(id: &str) -> Option<(&str, Vec<Choice<'_>>)> {
    let mut parts = id.split(['+', '＋']);
    let board = parts.next()?;
    Some((board, parts.map(parse_choice).collect::<Option<_>>()?))
}

fn parse_choice(part: &str) -> Option<Choice<'_>> {
    let (switch, choice) = part.split_once(['=', '＝'])?;
    Some(Choice { switch, choice })
}

/// The switches of a board's file, each with its choices.
pub(crate) fn of(text: &str) -> Vec<(String, Vec<String>)> {
    let Ok(file) = text.parse::<Table>() else {
        return Vec::new();
    };
    let switches = file.get("switch").and_then(Value::as_table);
    let names = |choices: &Value| {
        let choices = choices.as_table().into_iter().flat_map(Table::keys);
        choices.cloned().collect()
    };
    switches
        .into_iter()
        .flatten()
        .map(|(name, choices)| (name.clone(), names(choices)))
        .collect()
}

/// The text of a board's file with these choices made; `None`: it does not have one of them, or
/// one names no table of the file.
pub(crate) fn apply(text: &str, choices: &[Choice<'_>]) -> Option<String> {
    let mut file = text.parse::<Table>().ok()?;
    let switches = file.get("switch")?.as_table()?.clone();
    for choice in choices {
        let changes = switches.get(choice.switch)?.get(choice.choice)?;
        for (place, change) in changes.as_table()? {
            merge(&mut file, place, change)?;
        }
    }
    let id = file.get("id")?.as_str()?.to_owned();
    let made = choices
        .iter()
        .map(|c| format!("+{}={}", c.switch, c.choice));
    let id = std::iter::once(id).chain(made).collect();
    file.insert("id".to_owned(), Value::String(id));
    toml::to_string(&file).ok()
}

fn merge(file: &mut Table, place: &str, change: &Value) -> Option<()> {
    let table = match place.split_once('.') {
        None if change.is_array() => {
            file.insert(place.to_owned(), change.clone());
            return Some(());
        }
        None => file.get_mut(place)?.as_table_mut()?,
        Some((kind, name)) => file
            .get_mut(kind)?
            .as_array_mut()?
            .iter_mut()
            .filter_map(Value::as_table_mut)
            .find(|t| t.get("name").and_then(Value::as_str) == Some(name))?,
    };
    for (key, value) in change.as_table()? {
        table.insert(key.clone(), value.clone());
    }
    Some(())
}
