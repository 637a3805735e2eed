//! Parameters of a skill as a board file gives them, read with names resolved.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::board::Harm;
use crate::ids::{FactionId, GroupId, RoleId, SkillId, StateId};
use crate::nearest::did_you_mean;
use crate::phase::{PhaseKind, PhaseSet, WindowId};
use crate::world::Lapse;

/// A value of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Param {
    /// true or false.
    Flag(bool),
    /// A whole number.
    Number(i64),
    /// A text or name.
    Text(String),
    /// Names.
    List(Vec<String>),
}

/// The names of a board, in the order of its tables.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Factions.
    pub factions: Vec<String>,
    /// Roles.
    pub roles: Vec<String>,
    /// Skills.
    pub skills: Vec<String>,
    /// States.
    pub states: Vec<String>,
    /// Private groups.
    pub groups: Vec<String>,
    /// Windows.
    pub windows: Vec<String>,
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamProblem {
    /// Which parameter; `None`: the skill's code itself.
    pub key: Option<String>,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for ParamProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "parameter {key:?}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for ParamProblem {}

/// A skill's parameters while its code reads them.
#[derive(Debug)]
pub struct Params<'a> {
    names: &'a Names,
    values: BTreeMap<String, Param>,
    read: BTreeSet<String>,
}

impl<'a> Params<'a> {
    /// Parameters of one skill, with the names of its board.
    pub fn new(names: &'a Names, values: BTreeMap<String, Param>) -> Self {
        Self {
            names,
            values,
            read: BTreeSet::new(),
        }
    }

    fn take(&mut self, key: &str) -> Option<Param> {
        self.read.insert(key.to_owned());
        self.values.remove(key)
    }

    /// Nothing may be left over.
    pub(super) fn finish(self) -> Result<(), ParamProblem> {
        let Some(key) = self.values.keys().next() else {
            return Ok(());
        };
        let known: Vec<&str> = self.read.iter().map(String::as_str).collect();
        let message = match known.as_slice() {
            [] => "this skill takes no parameters".to_owned(),
            known => format!(
                "unknown{}; this skill takes {}",
                did_you_mean(key, known.iter().copied()),
                known.join(", ")
            ),
        };
        Err(ParamProblem {
            key: Some(key.clone()),
            message,
        })
    }

    /// A flag; false when it is not given.
    pub(super) fn flag(&mut self, key: &str) -> Result<bool, ParamProblem> {
        match self.take(key) {
            None => Ok(false),
            Some(Param::Flag(flag)) => Ok(flag),
            Some(_) => Err(problem(key, "must be true or false")),
        }
    }

    /// A text; `None` when it is not given.
    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, ParamProblem> {
        match self.take(key) {
            None => Ok(None),
            Some(Param::Text(text)) => Ok(Some(text)),
            Some(_) => Err(problem(key, "must be a text")),
        }
    }

    fn name(
        &mut self,
        key: &str,
        kind: &str,
        table: impl Fn(&Names) -> &Vec<String>,
    ) -> Result<Option<usize>, ParamProblem> {
        let Some(name) = self.text(key)? else {
            return Ok(None);
        };
        find(key, kind, table(self.names), &name).map(Some)
    }

    /// A state that must be given.
    pub(super) fn state(&mut self, key: &str) -> Result<StateId, ParamProblem> {
        let place = self.name(key, "state", |n| &n.states)?;
        place
            .map(StateId::at)
            .ok_or_else(|| problem(key, "is missing: name a state"))
    }

    /// A private group that must be given.
    pub(super) fn group(&mut self, key: &str) -> Result<GroupId, ParamProblem> {
        let place = self.name(key, "group", |n| &n.groups)?;
        place
            .map(GroupId::at)
            .ok_or_else(|| problem(key, "is missing: name a group"))
    }

    /// A window that must be given.
    pub(super) fn window(&mut self, key: &str) -> Result<WindowId, ParamProblem> {
        let place = self.name(key, "window", |n| &n.windows)?;
        place
            .map(WindowId::at)
            .ok_or_else(|| problem(key, "is missing: name a window"))
    }

    /// A state; `None` when it is not given.
    pub(super) fn optional_state(&mut self, key: &str) -> Result<Option<StateId>, ParamProblem> {
        Ok(self.name(key, "state", |n| &n.states)?.map(StateId::at))
    }

    /// A window; `None` when it is not given.
    pub(super) fn optional_window(&mut self, key: &str) -> Result<Option<WindowId>, ParamProblem> {
        Ok(self.name(key, "window", |n| &n.windows)?.map(WindowId::at))
    }

    /// A kind of harm; `None` when it is not given.
    pub(super) fn optional_harm(&mut self, key: &str) -> Result<Option<Harm>, ParamProblem> {
        let Some(word) = self.text(key)? else {
            return Ok(None);
        };
        let harm = Harm::from_word(&word);
        harm.map(Some)
            .ok_or_else(|| problem(key, "must be strike, pierce, crit or fatal"))
    }

    /// A whole number; `None` when it is not given.
    pub(super) fn number(&mut self, key: &str) -> Result<Option<i64>, ParamProblem> {
        match self.take(key) {
            None => Ok(None),
            Some(Param::Number(number)) => Ok(Some(number)),
            Some(_) => Err(problem(key, "must be a whole number")),
        }
    }

    /// A faction that must be given.
    pub(super) fn faction(&mut self, key: &str) -> Result<FactionId, ParamProblem> {
        self.optional_faction(key)?
            .ok_or_else(|| problem(key, "is missing: name a faction"))
    }

    /// A faction; `None` when it is not given.
    pub(super) fn optional_faction(
        &mut self,
        key: &str,
    ) -> Result<Option<FactionId>, ParamProblem> {
        let place = self.name(key, "faction", |n| &n.factions)?;
        Ok(place.map(FactionId::at))
    }

    /// A skill; `None` when it is not given.
    pub(super) fn skill(&mut self, key: &str) -> Result<Option<SkillId>, ParamProblem> {
        Ok(self.name(key, "skill", |n| &n.skills)?.map(SkillId::at))
    }

    /// Roles; none when it is not given.
    pub(super) fn roles(&mut self, key: &str) -> Result<Vec<RoleId>, ParamProblem> {
        let names = self.names;
        self.list(key)?
            .iter()
            .map(|name| find(key, "role", &names.roles, name).map(RoleId::at))
            .collect()
    }

    /// Roles by name, one at least; `what` says which they are.
    pub(super) fn some_roles(
        &mut self,
        key: &str,
        what: &str,
    ) -> Result<Vec<RoleId>, ParamProblem> {
        let roles = self.roles(key)?;
        if roles.is_empty() {
            return Err(problem(key, &format!("is missing: name {what}")));
        }
        Ok(roles)
    }

    fn list(&mut self, key: &str) -> Result<Vec<String>, ParamProblem> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Param::List(list)) => Ok(list),
            Some(Param::Text(one)) => Ok(vec![one]),
            Some(_) => Err(problem(key, "must be a list of names")),
        }
    }

    /// Skills; none when it is not given.
    pub(super) fn skills(&mut self, key: &str) -> Result<Vec<SkillId>, ParamProblem> {
        let names = self.names;
        self.list(key)?
            .iter()
            .map(|name| find(key, "skill", &names.skills, name).map(SkillId::at))
            .collect()
    }

    /// A kind of phase that must be given.
    pub(super) fn phase(&mut self, key: &str) -> Result<PhaseKind, ParamProblem> {
        let word = self.text(key)?.unwrap_or_default();
        PhaseKind::from_word(&word)
            .ok_or_else(|| problem(key, &format!("{word:?} is no phase: name one")))
    }

    /// A kind of harm that must be given.
    pub(super) fn harm(&mut self, key: &str) -> Result<Harm, ParamProblem> {
        let word = self.text(key)?.unwrap_or_default();
        Harm::from_word(&word).ok_or_else(|| problem(key, "must be strike, pierce, crit or fatal"))
    }

    /// The phases at whose next beginning something lapses; `None` when it is not given: never.
    pub(super) fn lapse(&mut self, key: &str) -> Result<Option<Lapse>, ParamProblem> {
        let words = self.list(key)?;
        if words.is_empty() {
            return Ok(None);
        }
        let phases = words
            .iter()
            .map(|w| {
                PhaseKind::from_word(w).ok_or_else(|| problem(key, &format!("{w:?} is no phase")))
            })
            .collect::<Result<PhaseSet, _>>()?;
        Ok(Some(Lapse { phases, skip: 0 }))
    }
}

fn find(key: &str, kind: &str, table: &[String], name: &str) -> Result<usize, ParamProblem> {
    table.iter().position(|n| n == name).ok_or_else(|| {
        let hint = did_you_mean(name, table.iter().map(String::as_str));
        let known = table.join(" ");
        problem(
            key,
            &format!("no {kind} is called {name:?}{hint}; there are {known}"),
        )
    })
}

fn problem(key: &str, message: &str) -> ParamProblem {
    ParamProblem {
        key: Some(key.to_owned()),
        message: message.to_owned(),
    }
}
