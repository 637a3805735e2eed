//! [`Texts`]: phrases to words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::Path;

use jiff::tz::TimeZone;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior};
use protocol::Phrase;

use crate::fault::{Fault, FolderError, TextError};
use crate::files::FILES;
use crate::filters;
use crate::format::{Section, read};

/// The zone in which times are shown unless another is given.
pub const DEFAULT_ZONE: &str = "Asia/Shanghai";

/// All templates, ready to render. Cheap to clone; never changes.
#[derive(Clone)]
pub struct Texts {
    env: Environment<'static>,
    /// What each template is filled with, by example: those of the built-in one.
    samples: BTreeMap<String, Vec<serde_json::Value>>,
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts")
            .field("templates", &self.samples.len())
            .finish_non_exhaustive()
    }
}

impl Texts {
    /// The built-in templates, in [`DEFAULT_ZONE`].
    ///
    /// # Panics
    /// When a built-in template is broken, which the tests of this crate rule out.
    pub fn builtin() -> Self {
        let mut texts = Self {
            env: environment(),
            samples: BTreeMap::new(),
        };
        for (file, text) in FILES {
            let (sections, faults) = read(file, text);
            assert!(faults.is_empty(), "built-in texts: {}", faults[0]);
            for section in sections {
                if let Err(fault) = texts.put(file, &section) {
                    panic!("built-in texts: {fault}");
                }
                texts.samples.insert(section.key, section.samples);
            }
        }
        texts
    }

    /// The built-in templates with those of an operator's folder in place of their namesakes,
    /// and everything that is wrong with the latter; a broken one is left out (see the crate's
    /// documentation).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn with_folder(folder: impl AsRef<Path>) -> Result<(Self, Vec<Fault>), FolderError> {
        let folder = folder.as_ref();
        let files = text_files(folder).map_err(|source| FolderError {
            folder: folder.display().to_string(),
            source,
        })?;
        let mut texts = Self::builtin();
        let mut faults = Vec::new();
        let mut seen = BTreeMap::new();
        for (file, bytes) in files {
            let Ok(text) = String::from_utf8(bytes) else {
                let hint = "is not UTF-8: save it again in that encoding".to_owned();
                faults.push(Fault {
                    file,
                    line: 1,
                    hint,
                });
                continue;
            };
            let (sections, wrong) = read(&file, &text);
            faults.extend(wrong);
            for section in sections {
                if let Err(fault) = texts.replace(&file, &section, &mut seen) {
                    faults.push(fault);
                }
            }
        }
        Ok((texts, faults))
    }

    /// These texts with times shown in another zone (an IANA name).
    ///
    /// # Errors
    /// [`TextError::Zone`] when there is no such zone.
    pub fn in_zone(mut self, zone: &str) -> Result<Self, TextError> {
        let zone = TimeZone::get(zone).map_err(|_| TextError::Zone(zone.to_owned()))?;
        filters::add(&mut self.env, &zone);
        Ok(self)
    }

    /// Is there a template of this name?
    pub fn has(&self, key: &str) -> bool {
        self.samples.contains_key(key)
    }

    /// The names that samples of this template fill in; empty when there is none of this name.
    pub fn args(&self, key: &str) -> BTreeSet<&str> {
        let samples = self.samples.get(key).into_iter().flatten();
        samples
            .filter_map(serde_json::Value::as_object)
            .flat_map(|o| o.keys())
            .map(String::as_str)
            .collect()
    }

    /// The phrase in words.
    ///
    /// # Errors
    /// When there is no such template, or what it is filled with does not fit it.
    pub fn render(&self, phrase: &Phrase) -> Result<String, TextError> {
        if !self.has(&phrase.key) {
            return Err(TextError::Unknown(phrase.key.clone()));
        }
        self.fill(&phrase.key, &phrase.args)
            .map_err(|error| TextError::Unfit {
                key: phrase.key.clone(),
                line: error.line().unwrap_or(1),
                why: why(&error, &self.strangers(&phrase.key, &phrase.args)),
            })
    }

    /// Each template with each of its samples, rendered; for tests and for looking at them.
    pub fn samples_rendered(&self) -> impl Iterator<Item = (&str, Result<String, TextError>)> {
        self.samples.iter().flat_map(move |(key, samples)| {
            let nothing = samples.is_empty().then(|| serde_json::json!({}));
            samples.iter().cloned().chain(nothing).map(move |args| {
                (
                    key.as_str(),
                    self.render(&Phrase {
                        key: key.clone(),
                        args,
                    }),
                )
            })
        })
    }

    /// Several phrases as one text, a line break between them.
    ///
    /// # Errors
    /// As [`Self::render`], of the first that fails.
    pub fn render_all(&self, phrases: &[Phrase]) -> Result<String, TextError> {
        let lines = phrases
            .iter()
            .map(|p| self.render(p))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(lines.join("\n"))
    }

    fn fill(&self, key: &str, args: &serde_json::Value) -> Result<String, Error> {
        let text = self.env.get_template(key)?.render(Serde(args))?;
        Ok(text.trim_end().to_owned())
    }

    /// Names that the template uses and `args` does not give.
    fn strangers(&self, key: &str, args: &serde_json::Value) -> Vec<String> {
        let Ok(template) = self.env.get_template(key) else {
            return Vec::new();
        };
        let mut names: Vec<String> = template
            .undeclared_variables(false)
            .into_iter()
            .filter(|name| args.get(name).is_none() && !is_global(&self.env, name))
            .collect();
        names.sort();
        names
    }

    fn put(&mut self, file: &str, section: &Section) -> Result<(), Fault> {
        let added = self
            .env
            .add_template_owned(section.key.clone(), section.text.clone());
        added.map_err(|error| fault(file, section, &error, &[]))
    }

    /// Puts an operator's template in place of the built-in one, unless it is broken.
    fn replace(
        &mut self,
        file: &str,
        section: &Section,
        seen: &mut BTreeMap<String, String>,
    ) -> Result<(), Fault> {
        let at_header = |hint| Fault {
            file: file.to_owned(),
            line: section.line,
            hint,
        };
        let key = section.key.as_str();
        if !self.has(key) {
            return Err(at_header(format!(
                "there is no template {key}; {}",
                self.others(key)
            )));
        }
        let here = format!("{file}:{}", section.line);
        if let Some(first) = seen.insert(key.to_owned(), here) {
            return Err(at_header(format!(
                "{key} is already given at {first}: keep one of them"
            )));
        }
        let builtin = self.env.get_template(key).map(|t| t.source().to_owned());
        let outcome = self
            .put(file, section)
            .and_then(|()| self.try_samples(file, section));
        if let (Err(_), Ok(builtin)) = (&outcome, builtin) {
            let put_back = Section {
                text: builtin,
                ..section.clone()
            };
            self.put(file, &put_back)?;
        }
        outcome
    }

    fn try_samples(&self, file: &str, section: &Section) -> Result<(), Fault> {
        let nothing = [serde_json::json!({})];
        let given = self
            .samples
            .get(&section.key)
            .map_or(&nothing[..], Vec::as_slice);
        for sample in if given.is_empty() { &nothing } else { given } {
            let text = self
                .fill(&section.key, sample)
                .map_err(|error| fault(file, section, &error, &self.hints(&section.key, sample)))?;
            if text.trim().is_empty() {
                let hint = format!("{} says nothing for the sample {sample}", section.key);
                return Err(Fault {
                    file: file.to_owned(),
                    line: section.text_line,
                    hint,
                });
            }
        }
        Ok(())
    }

    fn hints(&self, key: &str, sample: &serde_json::Value) -> Vec<String> {
        let strangers = self.strangers(key, sample);
        if strangers.is_empty() {
            return strangers;
        }
        let there: Vec<&str> = self.args(key).into_iter().collect();
        let there = if there.is_empty() {
            "nothing".to_owned()
        } else {
            there.join(", ")
        };
        vec![format!(
            "{} is not given; there is: {there}",
            strangers.join(", ")
        )]
    }

    fn others(&self, key: &str) -> String {
        let theme = key.split('/').next().unwrap_or_default();
        let of_theme: Vec<&str> = self
            .samples
            .keys()
            .filter(|k| k.split('/').next() == Some(theme))
            .map(String::as_str)
            .collect();
        if of_theme.is_empty() {
            let themes: BTreeSet<&str> = self
                .samples
                .keys()
                .filter_map(|k| k.split('/').next())
                .collect();
            let themes: Vec<&str> = themes.into_iter().collect();
            return format!("themes are: {}", themes.join(", "));
        }
        format!("of this theme there are: {}", of_theme.join(", "))
    }
}

fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    env.set_syntax(syntax.expect("these are no delimiters, which alone can be refused"));
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    let zone = TimeZone::get(DEFAULT_ZONE).expect("the zone data is compiled in");
    filters::add(&mut env, &zone);
    env
}

fn is_global(env: &Environment<'_>, name: &str) -> bool {
    env.globals().any(|(global, _)| global == name)
}

fn fault(file: &str, section: &Section, error: &Error, hints: &[String]) -> Fault {
    let within = error.line().unwrap_or(1).max(1);
    Fault {
        file: file.to_owned(),
        line: section.text_line + within - 1,
        hint: format!("{}: {}", section.key, why(error, hints)),
    }
}

fn why(error: &Error, hints: &[String]) -> String {
    let mut text = error.kind().to_string();
    if let Some(detail) = error.detail() {
        text = format!("{text}: {detail}");
    }
    if !hints.is_empty() {
        text = format!("{text} ({})", hints.join("; "));
    }
    text
}

/// Name and bytes of the folder's `.txt` files, by name.
fn text_files(folder: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "txt") && path.is_file() {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            files.push((name, fs::read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}
