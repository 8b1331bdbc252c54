//! Broken rules of plants, parameters, winds: collected, and listed in one text.

use std::fmt::{self, Write as _};

/// More broken rules than this are counted, not listed.
const MOST_LISTED: usize = 20;

/// One broken rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Which item, for example `segment 17`.
    pub item: String,
    /// Which field and what it holds, for example `base_radius = -0.2`.
    pub value: String,
    /// The rule that it breaks.
    pub rule: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.item, self.value, self.rule)
    }
}

/// All broken rules of something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Violations {
    /// The first of them, at most twenty.
    pub listed: Vec<Violation>,
    /// How many there are in all.
    pub total: usize,
}

impl Violations {
    /// Notes a broken rule. The texts are made only for those that are listed.
    #[cold]
    pub fn note(&mut self, item: impl fmt::Display, value: impl fmt::Display, rule: impl fmt::Display) {
        self.total += 1;
        if !self.is_full() {
            let (item, value, rule) = (item.to_string(), value.to_string(), rule.to_string());
            self.listed.push(Violation { item, value, rule });
        }
    }

    /// Whether further ones are only counted.
    pub fn is_full(&self) -> bool {
        self.listed.len() >= MOST_LISTED
    }

    /// Fails if any rule is broken.
    pub fn or_fail<E>(self, error: impl FnOnce(Self) -> E) -> Result<(), E> {
        if self.total == 0 { Ok(()) } else { Err(error(self)) }
    }

    /// What is wrong, for people: `what` is for example `a valid plant`.
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
