//! Errors of a scene: every error names the file, the line, the key and the rule.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use thiserror::Error;

use crate::source::Source;

/// Why a scene was not read, not prepared, or stopped.
#[derive(Debug, Error)]
pub enum SceneError {
    /// A file that can't be read.
    #[error("{}: {reason}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{}: {}", file.display(), plain(error.to_string().trim_end()))]
    Toml {
        /// The file.
        file: PathBuf,
        /// The error of the reader, with the line.
        error: Box<toml::de::Error>,
    },
    /// Values that are not allowed.
    #[error("{}: not a valid scene{}", file.display(), listed(.problems))]
    Invalid {
        /// The file.
        file: PathBuf,
        /// All problems found.
        problems: Vec<Problem>,
    },
    /// A failed step.
    #[error("after {time:.3} s: {error}")]
    Step {
        /// Time of the step, s.
        time: f64,
        /// The cause.
        error: windfall_solver::StepError,
    },
    /// The solver lacks a capability that the scene needs.
    #[error("after {time:.3} s: {error}")]
    Unsupported {
        /// Time of the request, s.
        time: f64,
        /// The cause.
        error: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A file that can't be written.
    #[error("{}: {reason}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// The cause.
        reason: String,
    },
    /// A picture that could not be drawn.
    #[error("drawing: {0}")]
    Picture(#[from] windfall_preview::PreviewError),
}

impl SceneError {
    /// A request at a time, s, that the solver does not support or that was refused.
    pub(crate) fn refused(time: f64, error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Unsupported { time, error: Box::new(error) }
    }
}

/// Rewrites a message of the TOML reader without Rust's terms.
pub(crate) fn plain(text: &str) -> String {
    let (before, said) = text.rsplit_once('\n').map_or(("", text), |(before, said)| (before, said));
    let mut said =
        said.replace("wanted exactly 1 element, found 0 elements", "must have exactly one kind, and has none");
    said = said.replace("wanted exactly 1 element, more than 1 element", "must have exactly one kind, and has more");
    for (type_name, words) in [
        (" f64", " a number, in SI units and without a unit"),
        (" f32", " a number"),
        (" u8", " a whole number from 0 to 255"),
        (" u16", " a whole number from 0 to 65535"),
        (" u32", " a whole number from 0 to 4294967295"),
        (" u64", " a whole number from 0 on"),
        (" usize", " a whole number from 0 on"),
    ] {
        if let Some(start) = said.strip_suffix(&format!("expected{type_name}")) {
            said = format!("{start}expected{words}");
        }
    }
    if before.is_empty() { said } else { format!("{before}\n{said}") }
}

/// A problem of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The line, from 1; none if neither the key nor its surrounding table is written.
    pub line: Option<usize>,
    /// The key, such as `plants[1].bodies`.
    pub key: String,
    /// The error and the allowed values.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        // A value follows its key as in the file.
        let colon = if self.text.starts_with('=') { " " } else { ": " };
        write!(f, "{}{colon}{}", self.key, self.text)
    }
}

/// Most problems in a message.
const MOST_LISTED: usize = 20;

fn listed(problems: &[Problem]) -> String {
    let mut text = String::new();
    for problem in problems.iter().take(MOST_LISTED) {
        let _ = write!(text, "\n  {problem}");
    }
    if problems.len() > MOST_LISTED {
        let _ = write!(text, "\n  and {} more", problems.len() - MOST_LISTED);
    }
    text
}

/// Collects problems.
pub(crate) struct Problems<'a> {
    source: &'a Source,
    list: Vec<Problem>,
}

impl<'a> Problems<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self { source, list: Vec::new() }
    }

    pub fn note(&mut self, key: impl fmt::Display, text: impl fmt::Display) {
        let (key, text) = (key.to_string(), text.to_string());
        self.list.push(Problem { line: self.source.line(&key), key, text });
    }

    /// Records an error, and returns the value if there is none.
    pub fn check<T, E: fmt::Display>(&mut self, key: impl fmt::Display, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.note(key, error)).ok()
    }

    /// A number within limits; NaN never is.
    pub fn number(&mut self, key: impl fmt::Display, value: f64, low: f64, high: f64, unit: &str) {
        if !(low..=high).contains(&value) {
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            // Large numbers are printed with an exponent.
            let value = if value.abs() < 1e15 { value.to_string() } else { format!("{value:?}") };
            self.note(key, format_args!("= {value}: must be from {low} to {high}{unit}"));
        }
    }

    /// A vector whose numbers are within a limit.
    pub fn vector(&mut self, key: impl fmt::Display, value: windfall_core::glam::DVec3, most: f64, unit: &str) {
        if !(value.is_finite() && value.abs().max_element() <= most) {
            self.note(key, format_args!("= {value}: must be numbers from -{most} to {most} {unit}"));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All problems, in the order of the file.
    pub fn finish_list(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.line.unwrap_or(0));
        self.list
    }

    pub fn finish(self) -> Result<(), SceneError> {
        if self.list.is_empty() {
            return Ok(());
        }
        let file = self.source.path.clone();
        Err(SceneError::Invalid { file, problems: self.finish_list() })
    }
}
