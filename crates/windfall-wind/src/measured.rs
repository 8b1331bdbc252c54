//! Measured wind: a time series of three components, the same everywhere.
//!
//! Rows of time (s) and u, v, w (m/s) as recorded by sonic anemometers: u to the east (+x), v to the north
//! (-z), w up (+y), each the velocity *to* which the air moves. Values are interpolated linearly between
//! rows and constant before the first and after the last. Times are relative to the first row, so files
//! with absolute time stamps in seconds also work.
//!
//! With a period P the beginning is crossfaded with the part of the record after P:
//!
//! ```text
//! v(t) = m(t + P) + s(t/F) (m(t) - m(t + P))  for 0 <= t < F,  else m(t),    F = min(P/4, duration - P)
//! ```
//!
//! so the record must be at least 5 % longer than the period (or a single row).

use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::{Check, WindError};
use crate::direction::FASTEST;
use crate::flow::{Flow, add_uniform};
use crate::lanes::smooth_step_f64;
use crate::local_points::Local;

/// Maximum number of rows of a record: a hundred hours at 20 Hz fit.
const MOST_ROWS: usize = 10_000_000;
/// Minimum ratio of the record's duration to the period.
const OVERLAP: f64 = 1.05;

/// A record of the wind (`kind = "measured"`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Measured {
    /// Name of a CSV file, to be read by [`crate::WindSpec::read_files`] before building; instead of `rows`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Rows `[time, u, v, w]`: s, and m/s to the east, to the north, up. 1 to 10 million, by increasing time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<[f64; 4]>,
    /// Start time of the record, s; -1e9 to 1e9, default 0.
    pub start: f64,
}

impl Measured {
    /// Reads rows of CSV: time, u, v, w, separated by commas, semicolons, tabs or spaces. One heading,
    /// empty lines and lines that begin with `#` are skipped. The rows are checked when the wind is built.
    ///
    /// ```
    /// use windfall_wind::Measured;
    /// let record = Measured::from_csv("time,u,v,w\n0,3.1,0.2,0\n0.1,3.3,0.1,-0.1\n")?;
    /// assert_eq!(record.rows.len(), 2);
    /// # Ok::<(), windfall_wind::WindError>(())
    /// ```
    pub fn from_csv(text: &str) -> Result<Self, WindError> {
        let mut check = Check::new(None);
        let rows = rows_of_csv(text, &mut check);
        check.finish().map(|()| Self { rows, ..Self::default() })
    }

    /// Reads the named file, if any.
    pub(crate) fn read_file(&mut self, read: &mut impl FnMut(&str) -> Result<String, String>, check: &mut Check) {
        // `check` reports the case that both are given.
        let Some(file) = self.file.as_ref().filter(|_| self.rows.is_empty()) else { return };
        match read(file) {
            Err(reason) => check.broken("file", file, reason),
            Ok(text) => {
                let before = check.broken_rules();
                let rows = check.inside(format_args!("file {file}"), |check| rows_of_csv(&text, check));
                if check.broken_rules() == before {
                    (self.rows, self.file) = (rows, None);
                }
            }
        }
    }

    pub(crate) fn check(&self, check: &mut Check) {
        check.number("start", self.start, -1e9..=1e9);
        if let Some(file) = &self.file {
            if self.rows.is_empty() {
                check.broken("file", file, "has not been read: call WindSpec::read_files before build");
            } else {
                check.broken("file", file, "give either a file or rows, not both");
            }
            return;
        }
        if self.rows.is_empty() || self.rows.len() > MOST_ROWS {
            let rule = format!("must be 1 to {MOST_ROWS} rows of time, u, v, w");
            check.broken("rows", format_args!("{} rows", self.rows.len()), rule);
            return;
        }
        for (i, row) in self.rows.iter().enumerate() {
            let [time, velocity @ ..] = row;
            if !time.is_finite() || time.abs() > 1e11 {
                check.broken(&format!("rows[{i}][0]"), time, "must be a time from -1e11 to 1e11 s");
            }
            if !velocity.iter().all(|v| v.abs() <= FASTEST) {
                let rule = format!("must be velocities from -{FASTEST} to {FASTEST} m/s");
                check.broken(&format!("rows[{i}][1..]"), format_args!("{velocity:?}"), rule);
            }
            if i > 0 && *time <= self.rows[i - 1][0] {
                let rule = format!("must be later than the row before, {}", self.rows[i - 1][0]);
                check.broken(&format!("rows[{i}][0]"), time, rule);
            }
        }
        let duration = self.duration();
        if let Some(period) = check.period
            && self.rows.len() > 1
            && duration < OVERLAP * period
        {
            let rule = format!(
                "a record must be {OVERLAP} times as long as the period, {period} s, so that its end can be faded into its beginning"
            );
            check.broken("rows", format_args!("{duration} s"), rule);
        }
    }

    fn duration(&self) -> f64 {
        self.rows[self.rows.len() - 1][0] - self.rows[0][0]
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let first = self.rows[0][0];
        let times = self.rows.iter().map(|row| row[0] - first).collect();
        let velocities = self.rows.iter().map(|&[_, u, v, w]| DVec3::new(u, w, -v)).collect();
        let period = period.filter(|_| self.rows.len() > 1);
        let fade = period.map(|period| (0.25 * period).min(self.duration() - period));
        Box::new(Record { times, velocities, start: self.start, period: period.zip(fade) })
    }
}

/// The rows of a text; invalid rows are reported.
fn rows_of_csv(text: &str, check: &mut Check) -> Vec<[f64; 4]> {
    let mut rows = Vec::new();
    let mut heading_may_come = true;
    for (i, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells = cells(line);
        let numbers: Vec<Option<f64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
        let is_heading = heading_may_come && numbers.iter().all(Option::is_none);
        heading_may_come = false;
        if is_heading {
            continue;
        }
        if let [Some(time), Some(u), Some(v), Some(w)] = numbers[..] {
            rows.push([time, u, v, w]);
            continue;
        }
        let rule = if line.contains(';') && line.contains(',') {
            "must be four numbers: time, u, v, w; write decimals with a point, a comma separates numbers"
        } else {
            "must be four numbers and nothing else: time, u, v, w"
        };
        check.inside(format_args!("line {}", i + 1), |check| {
            check.broken("row", format_args!("`{}`", short(line)), rule);
        });
    }
    rows
}

/// Cells separated by commas or semicolons, otherwise by blanks.
fn cells(line: &str) -> Vec<&str> {
    if line.contains([',', ';']) {
        line.split([',', ';']).map(str::trim).collect()
    } else {
        line.split_whitespace().collect()
    }
}

/// The beginning of a line, for a message.
fn short(line: &str) -> &str {
    line.char_indices().nth(60).map_or(line, |(end, _)| &line[..end])
}

struct Record {
    /// Relative to the first row, s.
    times: Vec<f64>,
    velocities: Vec<DVec3>,
    /// Time of the first row, s.
    start: f64,
    /// Period and duration of the crossfade, s.
    period: Option<(f64, f64)>,
}

impl Record {
    fn at(&self, time: f64) -> DVec3 {
        let since = time - self.start;
        let Some((period, fade)) = self.period else { return self.between_rows(since) };
        let since = since.rem_euclid(period);
        let now = self.between_rows(since);
        if since >= fade {
            return now;
        }
        let before = self.between_rows(since + period);
        before + smooth_step_f64(since / fade) * (now - before)
    }

    fn between_rows(&self, since: f64) -> DVec3 {
        let after = self.times.partition_point(|t| *t <= since);
        if after == 0 || after == self.times.len() {
            return self.velocities[after.saturating_sub(1)];
        }
        let (from, to) = (self.times[after - 1], self.times[after]);
        self.velocities[after - 1].lerp(self.velocities[after], (since - from) / (to - from))
    }
}

impl Flow for Record {
    fn velocity(&self, _: DVec3, time: f64) -> DVec3 {
        self.at(time)
    }

    fn add(&self, time: f64, _: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        add_uniform(self.at(time), weights, out);
    }
}
