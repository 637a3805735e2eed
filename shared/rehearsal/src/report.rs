//! What became of a file, for people and for scripts.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::unreadable::Unreadable;

/// What became of one file.
#[derive(Debug)]
pub struct Report {
    /// Which file.
    pub file: PathBuf,
    /// Its title, when it could be read.
    pub title: String,
    /// What became of it.
    pub verdict: Verdict,
}

/// What became of a file.
#[derive(Debug)]
pub enum Verdict {
    /// Every step holds.
    Passed,
    /// A step does not hold.
    Failed(Failure),
    /// It is no rehearsal, and was not played.
    Unreadable(Unreadable),
}

/// A step that does not hold.
#[derive(Debug)]
pub struct Failure {
    /// Which one; `None`: the game could not even be set up.
    pub step: Option<StepAt>,
    /// What is wrong.
    pub fault: Fault,
    /// The newest notices, oldest first.
    pub notices: Vec<String>,
}

/// Where a step stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepAt {
    /// Which one, counted from 1.
    pub number: usize,
    /// Its line in the file.
    pub line: u64,
    /// As the file has it.
    pub source: String,
}

/// What is wrong with a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Something else came of it than it says.
    Differs {
        /// What it says.
        expected: String,
        /// What is there.
        got: String,
    },
    /// It cannot be played.
    Broken(String),
}

/// How many files passed and failed; one that cannot be read has failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Totals {
    /// Files in which every step holds.
    pub passed: usize,
    /// The others.
    pub failed: usize,
    #[serde(skip)]
    unreadable: usize,
}

/// A report as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    file: Cow<'a, str>,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    got: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Totals {
    /// Counts one more file.
    pub fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Unreadable(_) => {
                self.failed += 1;
                self.unreadable += 1;
            }
        }
    }

    /// The exit code: 2 when a file could not be read, else 1 when one failed, else 0.
    pub fn exit_code(&self) -> u8 {
        match (self.unreadable, self.failed) {
            (0, 0) => 0,
            (0, _) => 1,
            _ => 2,
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl Report {
    /// The report as one JSON object on one line.
    ///
    /// # Errors
    /// Never, as far as is known: it holds only texts and numbers.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let mut line = Line {
            file: self.file.to_string_lossy(),
            ok: false,
            step: None,
            expected: None,
            got: None,
            error: None,
        };
        match &self.verdict {
            Verdict::Passed => line.ok = true,
            Verdict::Failed(failure) => {
                line.step = failure.step.as_ref().map(|step| step.number);
                match &failure.fault {
                    Fault::Differs { expected, got } => {
                        line.expected = Some(expected);
                        line.got = Some(got);
                    }
                    Fault::Broken(error) => line.error = Some(error.clone()),
                }
            }
            Verdict::Unreadable(why) => {
                line.step = why.step();
                line.error = Some(why.to_string());
            }
        }
        serde_json::to_string(&line)
    }
}

/// One line; below it, indented, what is wrong.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match &self.verdict {
            Verdict::Passed => "ok",
            Verdict::Failed(_) => "FAILED",
            Verdict::Unreadable(_) => "UNREADABLE",
        };
        write!(f, "{word} {}", self.file.display())?;
        if !self.title.is_empty() {
            write!(f, "  {}", self.title)?;
        }
        match &self.verdict {
            Verdict::Passed => Ok(()),
            Verdict::Failed(failure) => write!(f, "\n{failure}"),
            Verdict::Unreadable(why) => entry(f, "error", &why.to_string()),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.step {
            Some(step) => write!(
                f,
                "    step {}, line {}: {}",
                step.number, step.line, step.source
            )?,
            None => write!(f, "    before the first step")?,
        }
        match &self.fault {
            Fault::Differs { expected, got } => {
                entry(f, "expected", expected)?;
                entry(f, "got", got)?;
            }
            Fault::Broken(error) => entry(f, "error", error)?,
        }
        if !self.notices.is_empty() {
            entry(f, "last notices", &self.notices.join("\n"))?;
        }
        Ok(())
    }
}

/// A name with a text that may have several lines, on lines of their own.
fn entry(f: &mut fmt::Formatter<'_>, name: &str, text: &str) -> fmt::Result {
    let mut lines = text.lines();
    write!(f, "\n    {name}: {}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| write!(f, "\n        {line}"))
}
