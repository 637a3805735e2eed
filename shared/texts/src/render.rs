//! [`Texts`]: phrases to words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use jiff::tz::TimeZone;
use minijinja::Environment;
use protocol::Phrase;
use serde_json::Value;

use crate::fault::{Fault, FolderError, TextError};
use crate::files::FILES;
use crate::folder::Folder;
use crate::format::read;
use crate::{filters, template};

/// The zone in which times are shown unless another is given.
pub const DEFAULT_ZONE: &str = "Asia/Shanghai";

/// All templates, ready to render. They never change.
#[derive(Clone)]
pub struct Texts {
    builtin: Environment<'static>,
    /// The operator's, in place of their namesakes.
    own: Environment<'static>,
    /// What each template is filled with, by example: those of the built-in one.
    samples: BTreeMap<String, Vec<Value>>,
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts")
            .field("builtin", &self.samples.len())
            .field("own", &self.own.templates().count())
            .finish()
    }
}

impl Texts {
    /// The built-in templates, in [`DEFAULT_ZONE`].
    ///
    /// # Panics
    /// When a built-in template is broken, which the tests of this crate rule out.
    pub fn builtin() -> Self {
        let mut builtin = template::environment();
        let mut samples = BTreeMap::new();
        for (file, text) in FILES {
            let (sections, faults) = read(file, text);
            assert!(faults.is_empty(), "built-in texts: {}", faults[0]);
            for section in sections {
                if let Err(fault) = template::put(&mut builtin, file, &section) {
                    panic!("built-in texts: {fault}");
                }
                samples.insert(section.key, section.samples);
            }
        }
        let own = template::environment();
        Self {
            builtin,
            own,
            samples,
        }
    }

    /// The built-in templates with those of an operator's folder in place of their namesakes,
    /// and everything that is wrong with the latter; a broken one is left out (see the crate's
    /// documentation).
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn with_folder(folder: impl AsRef<Path>) -> Result<(Self, Vec<Fault>), FolderError> {
        let mut texts = Self::builtin();
        let (own, faults) = Folder::read(folder.as_ref())?.check(&texts);
        texts.own = own;
        Ok((texts, faults))
    }

    /// These texts with times shown in another zone (an IANA name).
    ///
    /// # Errors
    /// [`TextError::Zone`] when there is no such zone.
    pub fn in_zone(mut self, zone: &str) -> Result<Self, TextError> {
        let zone = TimeZone::get(zone).map_err(|_| TextError::Zone(zone.to_owned()))?;
        filters::add(&mut self.builtin, &zone);
        filters::add(&mut self.own, &zone);
        Ok(self)
    }

    /// Is there a template of this name?
    pub fn has(&self, key: &str) -> bool {
        self.samples.contains_key(key)
    }

    /// The names of all templates, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.samples.keys().map(String::as_str)
    }

    /// The names that samples of this template fill in; empty when there is none of this name.
    pub fn args(&self, key: &str) -> BTreeSet<&str> {
        let samples = self.samples.get(key).into_iter().flatten();
        samples
            .filter_map(Value::as_object)
            .flat_map(|args| args.keys())
            .map(String::as_str)
            .collect()
    }

    /// The samples of this template: at least one, if only of nothing.
    pub fn samples(&self, key: &str) -> Vec<Value> {
        match self.samples.get(key).map(Vec::as_slice) {
            Some([]) | None => vec![serde_json::json!({})],
            Some(samples) => samples.to_vec(),
        }
    }

    /// The phrase in words. When an operator's template cannot be filled, the built-in one is
    /// used, with a warning in the log: nobody shall miss a notice because of a slip in a text.
    ///
    /// # Errors
    /// When there is no such template, or what it is filled with does not fit it.
    pub fn render(&self, phrase: &Phrase) -> Result<String, TextError> {
        if !self.has(&phrase.key) {
            return Err(TextError::Unknown(phrase.key.clone()));
        }
        if self.own.get_template(&phrase.key).is_ok() {
            match fill(&self.own, phrase) {
                Ok(text) => return Ok(text),
                Err(error) => tracing::warn!(%error, "an operator's text was not used"),
            }
        }
        fill(&self.builtin, phrase)
    }

    /// Several phrases as one text, a line break between them.
    ///
    /// # Errors
    /// As [`Self::render`], of the first that fails.
    pub fn render_all(&self, phrases: &[Phrase]) -> Result<String, TextError> {
        let lines = phrases.iter().map(|phrase| self.render(phrase));
        Ok(lines.collect::<Result<Vec<_>, _>>()?.join("\n"))
    }
}

fn fill(env: &Environment<'static>, phrase: &Phrase) -> Result<String, TextError> {
    template::fill(env, &phrase.key, &phrase.args).map_err(|error| {
        let strangers = template::strangers(env, &phrase.key, &phrase.args);
        TextError::Unfit {
            key: phrase.key.clone(),
            line: error.line().unwrap_or(1),
            why: template::why(&error, &strangers),
        }
    })
}
