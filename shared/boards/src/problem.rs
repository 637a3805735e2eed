//! Mistakes in a board file, each with its place.

use std::fmt;
use std::ops::Range;

/// A mistake: what is wrong, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// All mistakes of a board file, in the order of their places; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// Collects mistakes while a file is read, so that one run names them all.
#[derive(Debug)]
pub(crate) struct Collector<'a> {
    text: &'a str,
    found: Vec<(usize, Problem)>,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            found: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, span: Range<usize>, message: impl Into<String>) {
        let at = span.start.min(self.text.len());
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .chars()
            .count()
            + 1;
        self.found.push((
            at,
            Problem {
                message: message.into(),
                line,
                column,
            },
        ));
    }

    /// Is there no mistake so far?
    pub(crate) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn finish<T>(mut self, value: T) -> Result<T, Problems> {
        if self.found.is_empty() {
            return Ok(value);
        }
        self.found.sort_by_key(|(at, _)| *at);
        Err(Problems(self.found.into_iter().map(|(_, p)| p).collect()))
    }
}
