//! What can be wrong with templates, in words for whoever edits them.

use std::fmt;

/// Something wrong in a file of templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file's name.
    pub file: String,
    /// The line in it, from 1.
    pub line: usize,
    /// What is wrong and what to do about it.
    pub hint: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.hint)
    }
}

/// A phrase that could not be put into words. It never shows what the phrase was filled with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// No template has this name.
    #[error("no template is named {0:?}: add it to shared/texts/templates")]
    Unknown(String),
    /// The template and what it was filled with do not fit together.
    #[error("template {key} (its line {line}) cannot be filled: {why}")]
    Unfit {
        /// Which template.
        key: String,
        /// The line within the template, from 1.
        line: usize,
        /// Why.
        why: String,
    },
    /// No such time zone.
    #[error("no time zone is named {0:?}: give an IANA name such as Asia/Shanghai")]
    Zone(String),
}

/// An operator's folder of templates that cannot be read at all.
#[derive(Debug, thiserror::Error)]
#[error("folder of texts {folder} cannot be read: {source}; correct the path or its rights")]
pub struct FolderError {
    /// The folder.
    pub folder: String,
    /// Why.
    pub source: std::io::Error,
}
