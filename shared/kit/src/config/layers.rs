//! Laying the sources of settings over each other.
//!
//! Each setting is tried on its own over what is there already, so that an error can name the
//! key, its value and the place where it was given.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::{Config, Secret};

const DEFAULTS: &str = include_str!("default.toml");
const PREFIX: &str = "DUSKGATE_";
/// Sections with an access token, each with the variable that may hold it. Otherwise it is in the
/// file that the section's `access_token_file` names.
const TOKENS: [(&str, &str); 2] = [
    ("onebot", "DUSKGATE_ONEBOT_ACCESS_TOKEN"),
    ("playground", "DUSKGATE_PLAYGROUND_ACCESS_TOKEN"),
];
/// Variables with our prefix that are no settings: the file's own name, and what tests use.
const NO_SETTINGS: [&str; 2] = ["DUSKGATE_CONFIG", "DUSKGATE_TEST_"];

/// Where settings are read from, besides the built-in ones.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file given with `--config`.
    pub file: Option<PathBuf>,
    /// Environment variables; those that do not begin with `DUSKGATE_` are passed over.
    pub environment: Vec<(String, String)>,
    /// Flags, as dotted key and value (`http.listen`, `127.0.0.1:0`).
    pub flags: Vec<(String, String)>,
}

impl Sources {
    /// This file, this process's environment, these flags.
    pub fn of_process(file: Option<PathBuf>, flags: Vec<(String, String)>) -> Self {
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, _)| name.starts_with(PREFIX))
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect();
        Self {
            file,
            environment,
            flags,
        }
    }
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file that cannot be read.
    #[error("cannot read {what} {}: {why}", path.display())]
    File {
        /// What it was to hold.
        what: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
    /// The settings file is no TOML of sections with keys.
    #[error("{}: {why}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// What is wrong and where.
        why: String,
    },
    /// There is no such setting.
    #[error("unknown setting {key} ({place}){hint}")]
    Unknown {
        /// The dotted key.
        key: String,
        /// Where it was given.
        place: Place,
        /// What may have been meant.
        hint: String,
    },
    /// A value that does not fit its setting.
    #[error("bad value {value} for {key} ({place}): {why}")]
    Bad {
        /// The dotted key.
        key: String,
        /// What was given.
        value: String,
        /// Where it was given.
        place: Place,
        /// What is wrong with it.
        why: String,
    },
    /// A secret where everyone on the machine could read it.
    #[error(
        "{key} must not be given as a flag, where others on this machine can read it: use {instead}"
    )]
    OpenSecret {
        /// The dotted key.
        key: String,
        /// What to do.
        instead: String,
    },
}

/// Where a setting was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The built-in settings.
    BuiltIn,
    /// A line of the settings file.
    File(PathBuf, usize),
    /// An environment variable.
    Variable(String),
    /// A flag.
    Flag,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::File(path, line) => write!(f, "{} line {line}", path.display()),
            Self::Variable(name) => write!(f, "environment variable {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// One setting from one source.
struct Setting {
    section: String,
    key: String,
    value: Given,
    place: Place,
}

/// A value with a type, or a text whose type the default decides.
enum Given {
    Typed(Value),
    Text(String),
}

/// See [`Config::load`].
pub(super) fn load(sources: &Sources) -> Result<Config, ConfigError> {
    let mut layers = Layers::of_defaults();
    if let Some(path) = &sources.file {
        let text = read_file("the settings file", path)?;
        for setting in settings_of_file(path, &text)? {
            layers.add(setting)?;
        }
    }
    for (name, value) in &sources.environment {
        if TOKENS.iter().any(|(_, variable)| variable == name) {
            continue;
        }
        if let Some(setting) = setting_of_variable(name, value)? {
            layers.add(setting)?;
        }
    }
    for (key, value) in &sources.flags {
        let setting = setting_of_flag(key, value)?;
        refuse_open_secret(key, value)?;
        layers.add(setting)?;
    }
    let mut config = layers.config;
    let [onebot, playground] = TOKENS.map(|(_, variable)| {
        let mut given = sources.environment.iter();
        given
            .find(|(name, _)| name == variable)
            .map(|(_, text)| text.clone())
    });
    config.onebot.access_token = access_token(onebot, config.onebot.access_token_file.as_deref())?;
    config.playground.access_token =
        access_token(playground, config.playground.access_token_file.as_deref())?;
    Ok(config)
}

/// The settings so far, as a table and read.
struct Layers {
    table: Table,
    config: Config,
}

impl Layers {
    fn of_defaults() -> Self {
        let table: Table = DEFAULTS.parse().expect("the built-in settings are TOML");
        let config = Config::deserialize(table.clone()).expect("the built-in settings are good");
        Self { table, config }
    }

    fn add(&mut self, setting: Setting) -> Result<(), ConfigError> {
        let Setting {
            section,
            key,
            value,
            place,
        } = setting;
        let dotted = format!("{section}.{key}");
        let Some(old) = self.table.get(&section).and_then(|s| s.get(&key)) else {
            return Err(ConfigError::Unknown {
                hint: self.hint(&section, &key),
                key: dotted,
                place,
            });
        };
        let shown = match &value {
            Given::Typed(value) => show(&dotted, &value.to_string()),
            Given::Text(text) => show(&dotted, &format!("{text:?}")),
        };
        let bad = |why: String| ConfigError::Bad {
            key: dotted.clone(),
            value: shown.clone(),
            place: place.clone(),
            why,
        };
        let new = match value {
            Given::Typed(Value::Integer(n)) if old.is_float() => Value::Float(as_float(n)),
            Given::Typed(value) => value,
            Given::Text(text) => typed_like(old, &text).map_err(&bad)?,
        };
        let mut table = self.table.clone();
        if let Some(section) = table.get_mut(&section).and_then(Value::as_table_mut) {
            section.insert(key, new);
        }
        self.config =
            Config::deserialize(table.clone()).map_err(|e| bad(e.message().trim().to_owned()))?;
        self.table = table;
        Ok(())
    }

    fn hint(&self, section: &str, key: &str) -> String {
        if let Some((_, variable)) = token_at(&format!("{section}.{key}")) {
            return format!(
                ": put the token into a file and name it in access_token_file, or set {variable}"
            );
        }
        let names = |table: &Table| table.keys().cloned().collect::<Vec<_>>().join(", ");
        match self.table.get(section).and_then(Value::as_table) {
            Some(known) => format!(": [{section}] has {}", names(known)),
            None => format!(": the sections are {}", names(&self.table)),
        }
    }
}

/// A value as an error may show it: without a password.
fn show(key: &str, value: &str) -> String {
    if may_carry_password(key) {
        super::Endpoint::new(value.trim_matches('"')).to_string()
    } else {
        value.to_owned()
    }
}

fn may_carry_password(key: &str) -> bool {
    ["bus.url", "store.url"].contains(&key)
}

#[expect(clippy::cast_precision_loss, reason = "settings are small numbers")]
fn as_float(n: i64) -> f64 {
    n as f64
}

/// Reads a text as the type that the setting has.
fn typed_like(old: &Value, text: &str) -> Result<Value, String> {
    Ok(match old {
        Value::Integer(_) => Value::Integer(text.parse().map_err(|_| "not a whole number")?),
        Value::Float(_) => Value::Float(text.parse().map_err(|_| "not a number")?),
        Value::Boolean(_) => Value::Boolean(text.parse().map_err(|_| "not true or false")?),
        Value::Array(_) => Value::Array(
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(|item| {
                    item.parse()
                        .map_or_else(|_| Value::from(item), Value::Integer)
                })
                .collect(),
        ),
        _ => Value::from(text),
    })
}

type Sections = BTreeMap<String, BTreeMap<Spanned<String>, Value>>;

fn settings_of_file(path: &Path, text: &str) -> Result<Vec<Setting>, ConfigError> {
    let sections: Sections = toml::from_str(text).map_err(|e| ConfigError::Syntax {
        path: path.to_owned(),
        why: e.to_string(),
    })?;
    let line = |key: &Spanned<String>| text[..key.span().start].matches('\n').count() + 1;
    Ok(sections
        .into_iter()
        .flat_map(|(section, keys)| keys.into_iter().map(move |(k, v)| (section.clone(), k, v)))
        .map(|(section, key, value)| Setting {
            section,
            place: Place::File(path.to_owned(), line(&key)),
            key: key.into_inner(),
            value: Given::Typed(value),
        })
        .collect())
}

fn setting_of_variable(name: &str, value: &str) -> Result<Option<Setting>, ConfigError> {
    let Some(rest) = name.strip_prefix(PREFIX) else {
        return Ok(None);
    };
    if NO_SETTINGS.iter().any(|known| name.starts_with(known)) {
        return Ok(None);
    }
    let place = Place::Variable(name.to_owned());
    let rest = rest.to_ascii_lowercase();
    let Some((section, key)) = rest.split_once('_') else {
        return Err(ConfigError::Unknown {
            key: rest,
            place,
            hint: ": variables are named DUSKGATE_<SECTION>_<KEY>".to_owned(),
        });
    };
    Ok(Some(Setting {
        section: section.to_owned(),
        key: key.to_owned(),
        value: Given::Text(value.to_owned()),
        place,
    }))
}

fn setting_of_flag(key: &str, value: &str) -> Result<Setting, ConfigError> {
    let Some((section, name)) = key.split_once('.') else {
        return Err(ConfigError::Unknown {
            key: key.to_owned(),
            place: Place::Flag,
            hint: ": settings are named section.key".to_owned(),
        });
    };
    Ok(Setting {
        section: section.to_owned(),
        key: name.to_owned(),
        value: Given::Text(value.to_owned()),
        place: Place::Flag,
    })
}

fn refuse_open_secret(key: &str, value: &str) -> Result<(), ConfigError> {
    let instead = if let Some((section, variable)) = token_at(key) {
        format!("{variable} or {section}.access_token_file")
    } else if may_carry_password(key) && super::Endpoint::new(value).has_password() {
        format!(
            "{PREFIX}{} or the settings file",
            key.replace('.', "_").to_ascii_uppercase()
        )
    } else {
        return Ok(());
    };
    Err(ConfigError::OpenSecret {
        key: key.to_owned(),
        instead,
    })
}

/// The section and the variable of an access token, by its dotted key.
fn token_at(key: &str) -> Option<(&'static str, &'static str)> {
    let section = key.strip_suffix(".access_token")?;
    TOKENS.into_iter().find(|(of, _)| *of == section)
}

fn access_token(
    variable: Option<String>,
    file: Option<&Path>,
) -> Result<Option<Secret>, ConfigError> {
    let text = match (variable, file) {
        (Some(text), _) => text,
        (None, Some(path)) => read_file("the access token", path)?,
        (None, None) => return Ok(None),
    };
    // Editors end files with a line break; an empty token is no token.
    let token = text.trim();
    Ok((!token.is_empty()).then(|| Secret::new(token)))
}

fn read_file(what: &'static str, path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|why| ConfigError::File {
        what,
        path: path.to_owned(),
        why,
    })
}
