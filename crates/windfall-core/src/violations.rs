//! Violations of the rules of plants, parameters and winds: collected, and listed in one text.

use std::fmt::{self, Write as _};

/// Largest number of listed violations; further ones are only counted.
const MOST_LISTED: usize = 20;

/// One broken rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// The item, for example `segment 17`.
    pub item: String,
    /// The field and its value, for example `base_radius = -0.2`.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.item, self.value, self.rule)
    }
}

/// All violations of one object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Violations {
    /// The first violations, at most twenty.
    pub listed: Vec<Violation>,
    /// Number of all violations.
    pub total: usize,
}

impl Violations {
    /// Records a violation. Texts are made only for those that are listed.
    #[cold]
    pub fn note(&mut self, item: impl fmt::Display, value: impl fmt::Display, rule: impl fmt::Display) {
        self.total += 1;
        if !self.is_full() {
            let (item, value, rule) = (item.to_string(), value.to_string(), rule.to_string());
            self.listed.push(Violation { item, value, rule });
        }
    }

    /// Whether further violations are only counted.
    pub fn is_full(&self) -> bool {
        self.listed.len() >= MOST_LISTED
    }

    /// Fails if any rule is broken.
    pub fn or_fail<E>(self, error: impl FnOnce(Self) -> E) -> Result<(), E> {
        if self.total == 0 { Ok(()) } else { Err(error(self)) }
    }

    /// A readable list of the violations: `what` is for example `a valid plant`.
    pub fn text(&self, what: &str) -> String {
        let plural = if self.total == 1 { "rule is" } else { "rules are" };
        let mut text = format!("not {what} ({} {plural} broken)", self.total);
        for violation in &self.listed {
            let _ = write!(text, "\n  {violation}");
        }
        if self.total > self.listed.len() {
            let _ = write!(text, "\n  and {} more", self.total - self.listed.len());
        }
        text
    }
}
