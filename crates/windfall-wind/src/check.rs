//! The rules of a description, and the error that names each key, its value and the allowed range.

use std::fmt::Display;
use std::ops::RangeInclusive;

use windfall_core::Violations;

/// Why a wind was not built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WindError {
    /// Not TOML, an unknown key or kind, or a value of the wrong type.
    #[error("not a wind in TOML: {0}")]
    Toml(String),
    /// Values that break rules.
    #[error("{}", .0.text("a valid wind"))]
    Invalid(Violations),
}

/// Collects the broken rules of a description.
pub(crate) struct Check {
    /// Period of the whole wind, s.
    pub(crate) period: Option<f64>,
    /// Number of winds visited.
    pub(crate) winds: usize,
    /// Total number of cells of all grids.
    pub(crate) cells: i64,
    path: Vec<String>,
    violations: Violations,
}

impl Check {
    pub(crate) fn new(period: Option<f64>) -> Self {
        Self { period, winds: 0, cells: 0, path: Vec::new(), violations: Violations::default() }
    }

    /// Checks the value of a key.
    pub(crate) fn inside<T>(&mut self, key: impl Display, check: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(key.to_string());
        let found = check(self);
        self.path.pop();
        found
    }

    /// Number of rules broken so far.
    pub(crate) fn broken_rules(&self) -> usize {
        self.violations.total
    }

    /// Depth of the current key path.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Notes a broken rule.
    #[cold]
    pub(crate) fn broken(&mut self, key: &str, value: impl Display, rule: impl Display) {
        let item = if self.path.is_empty() { "wind".to_owned() } else { self.path.join(".") };
        self.violations.note(item, format_args!("{key} = {value}"), rule);
    }

    /// A number within limits; NaN is rejected.
    pub(crate) fn number(&mut self, key: &str, value: f64, allowed: RangeInclusive<f64>) {
        if !allowed.contains(&value) {
            let rule = format!("must be a number from {} to {}", allowed.start(), allowed.end());
            self.broken(key, value, rule);
        }
    }

    /// A whole number within limits.
    pub(crate) fn count(&mut self, key: &str, value: i64, allowed: RangeInclusive<i64>) {
        if !allowed.contains(&value) {
            let rule = format!("must be a whole number from {} to {}", allowed.start(), allowed.end());
            self.broken(key, value, rule);
        }
    }

    /// A position within [`crate::FARTHEST`].
    pub(crate) fn place(&mut self, key: &str, value: &[f64]) {
        if !value.iter().all(|x| x.abs() <= crate::air::FARTHEST) {
            let rule = format!("must be numbers from -{0} to {0}", crate::air::FARTHEST);
            self.broken(key, format_args!("{value:?}"), rule);
        }
    }

    /// Points of a curve: finite, by increasing first coordinate, at least one.
    pub(crate) fn points(
        &mut self,
        key: &str,
        points: &[[f64; 2]],
        along: RangeInclusive<f64>,
        values: RangeInclusive<f64>,
    ) {
        const MOST: usize = 1000;
        if points.is_empty() || points.len() > MOST {
            self.broken(key, format_args!("{} points", points.len()), format_args!("must be 1 to {MOST} points"));
            return;
        }
        for (i, &[x, value]) in points.iter().enumerate() {
            let key = format!("{key}[{i}]");
            self.number(&format!("{key}[0]"), x, along.clone());
            self.number(&format!("{key}[1]"), value, values.clone());
            if i > 0 && x - points[i - 1][0] < 1e-6 {
                let rule = format!("must be larger than that of the point before, {}", points[i - 1][0]);
                self.broken(&format!("{key}[0]"), x, rule);
            }
        }
    }

    /// The error, if any rule was broken.
    pub(crate) fn finish(self) -> Result<(), WindError> {
        self.violations.or_fail(WindError::Invalid)
    }
}

/// The nearest non-zero multiple of the inverse period, Hz.
pub(crate) fn repeating(frequency: f64, period: Option<f64>) -> f64 {
    period.map_or(frequency, |period| {
        let cycles = (frequency * period).abs().round().max(1.0);
        (cycles / period).copysign(frequency)
    })
}
