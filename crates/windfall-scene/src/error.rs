//! What can be wrong with a scene: every error names the file, the line, the key and what is allowed.

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use thiserror::Error;

use crate::source::Source;

/// Why a scene was not read, not set up, or stopped.
#[derive(Debug, Error)]
pub enum SceneError {
    /// A file that can't be read.
    #[error("{}: {reason}", file.display())]
    Read {
        /// Which.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// Not TOML, an unknown key, or a value of the wrong type.
    #[error("{}: {}", file.display(), plain(error.to_string().trim_end()))]
    Toml {
        /// Which file.
        file: PathBuf,
        /// What the reader says; with the line.
        error: Box<toml::de::Error>,
    },
    /// Values that are not allowed.
    #[error("{}: not a valid scene{}", file.display(), listed(.problems))]
    Invalid {
        /// Which file.
        file: PathBuf,
        /// All that was found.
        problems: Vec<Problem>,
    },
    /// A step that could not be taken.
    #[error("after {time:.3} s: {error}")]
    Step {
        /// When, s.
        time: f64,
        /// Why.
        error: windfall_core::StepError,
    },
    /// Something that could not be written.
    #[error("{}: {reason}", file.display())]
    Write {
        /// Which file.
        file: PathBuf,
        /// Why.
        reason: String,
    },
    /// A picture that could not be drawn.
    #[error("drawing: {0}")]
    Picture(#[from] windfall_preview::PreviewError),
}

/// What the reader of TOML says, in words of people who don't write Rust.
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

/// One thing that is wrong with a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// The line, from 1; none if neither the key nor what is around it is written.
    pub line: Option<usize>,
    /// Such as `plants[1].bodies`.
    pub key: String,
    /// What is wrong, and what is allowed.
    pub text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        // A value stands behind its key as in the file.
        let colon = if self.text.starts_with('=') { " " } else { ": " };
        write!(f, "{}{colon}{}", self.key, self.text)
    }
}

/// Most problems that are listed.
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

/// Collects what is wrong.
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

    /// Notes an error, and gives the value if there is none.
    pub fn check<T, E: fmt::Display>(&mut self, key: impl fmt::Display, result: Result<T, E>) -> Option<T> {
        result.map_err(|error| self.note(key, error)).ok()
    }

    /// A number within limits; NaN never is.
    pub fn number(&mut self, key: impl fmt::Display, value: f64, low: f64, high: f64, unit: &str) {
        if !(low..=high).contains(&value) {
            let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
            // Nobody counts three hundred zeros.
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

    /// All, in the order of the file.
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
