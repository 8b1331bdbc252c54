//! Line plots as SVG text, for reports.
//!
//! ```
//! use windfall_preview::{Plot, Series};
//!
//! let sway = |t: f64| 0.3 * (-0.5 * t).exp() * (6.0 * t).cos();
//! let points = (0..=500).map(|i| f64::from(i) / 100.0).map(|t| (t, sway(t))).collect();
//! let plot = Plot {
//!     title: "A twig after a gust".into(),
//!     x_label: "time, s".into(),
//!     y_label: "deflection, m".into(),
//!     series: vec![Series { name: "tip".into(), points }],
//!     log_y: false,
//! };
//! assert!(plot.to_svg().starts_with("<svg"));
//! ```

use std::fmt::Write;

/// Curves over a common axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plot {
    /// Title above the plot.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub x_label: String,
    /// Name and unit of the vertical axis.
    pub y_label: String,
    /// The curves; later ones are drawn over earlier ones.
    pub series: Vec<Series>,
    /// The vertical axis is logarithmic; values that are not positive are gaps.
    pub log_y: bool,
}

/// One curve.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Name in the legend; an empty name has no entry.
    pub name: String,
    /// x and y, connected in this order. NaN, infinite values and values beyond 1e100 make gaps.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 346.0;
/// Margins of the frame: left, right, above, below.
const ROOM: [f64; 4] = [74.0, 18.0, 40.0, 54.0];
const LEGEND_ROW: f64 = 20.0;
/// Colours distinguishable with colour blindness (Okabe and Ito 2008, "Color Universal Design").
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
/// Overlapping curves remain visible through the gaps of the upper ones.
const DASHES: [&str; 3] = ["none", "9 5", "2 5"];

impl Plot {
    /// The plot alone.
    pub fn to_svg(&self) -> String {
        panels(std::slice::from_ref(self), 1)
    }

    fn draw(&self, out: &mut String, left: f64, top: f64) {
        let x = Axis::of(self.finite().map(|p| p.0), false, 0.0);
        let y = Axis::of(self.finite().map(|p| p.1), self.log_y, 0.04);
        let (x0, x1) = (left + ROOM[0], left + WIDTH - ROOM[1]);
        let (y0, y1) = (top + HEIGHT - ROOM[3], top + ROOM[2]);
        let (middle_x, middle_y) = (0.5 * (x0 + x1), 0.5 * (y0 + y1));
        let place = |p: (f64, f64)| (x0 + (x1 - x0) * x.share(p.0), y0 + (y1 - y0) * y.share(p.1));
        for (value, label) in x.ticks() {
            let at = place((value, y.low)).0;
            line(out, (at, y0), (at, y1), "#dddddd");
            text(out, (at, y0 + 17.0), "middle", &label);
        }
        for (value, label) in y.ticks() {
            let at = place((x.low, value)).1;
            line(out, (x0, at), (x1, at), "#dddddd");
            text(out, (x0 - 7.0, at + 4.0), "end", &label);
        }
        let (w, h) = (x1 - x0, y0 - y1);
        put(
            out,
            format_args!(
                r##"<rect x="{x0:.1}" y="{y1:.1}" width="{w:.1}" height="{h:.1}" fill="none" stroke="#555555"/>"##
            ),
        );
        text(out, (middle_x, y0 + 38.0), "middle", &self.x_label);
        let at = left + 18.0;
        put(
            out,
            format_args!(
                r#"<text transform="translate({at:.1} {middle_y:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
                escaped(&self.y_label)
            ),
        );
        put(
            out,
            format_args!(
                r#"<text x="{middle_x:.1}" y="{:.1}" text-anchor="middle" font-size="15" font-weight="bold">{}</text>"#,
                top + 25.0,
                escaped(&self.title)
            ),
        );
        for (i, series) in self.series.iter().enumerate() {
            let mut d = String::new();
            let mut drawing = false;
            for &point in &series.points {
                let shown = self.shows(point);
                if shown {
                    let (x, y) = place(point);
                    // An isolated point is a line of zero length; its round caps make a dot.
                    let _ = if drawing { write!(d, "L{x:.1} {y:.1}") } else { write!(d, "M{x:.1} {y:.1}h0") };
                }
                drawing = shown;
            }
            if !d.is_empty() {
                put(out, format_args!(r#"<path d="{d}" {}/>"#, stroke(i)));
            }
        }
        for (i, column, row) in self.legend() {
            let (x, y) = (x0 + column, top + HEIGHT + LEGEND_ROW * row as f64);
            put(out, format_args!(r#"<path d="M{x:.1} {y:.1}h30" {}/>"#, stroke(i)));
            text(out, (x + 37.0, y + 4.0), "start", &self.series[i].name);
        }
    }

    /// Legend layout of the named series: index, pixels from the left, row.
    fn legend(&self) -> Vec<(usize, f64, usize)> {
        let (mut places, mut column, mut row) = (Vec::new(), 0.0, 0);
        for (i, series) in self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()) {
            // Letters of this size are about seven pixels wide.
            let width = 55.0 + 7.0 * series.name.chars().count() as f64;
            if column > 0.0 && column + width > WIDTH - ROOM[0] {
                (column, row) = (0.0, row + 1);
            }
            places.push((i, column, row));
            column += width;
        }
        places
    }

    fn shows(&self, (x, y): (f64, f64)) -> bool {
        x.abs() <= 1e100 && y.abs() <= 1e100 && (!self.log_y || y >= 1e-100)
    }

    fn finite(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.series.iter().flat_map(|s| &s.points).copied().filter(|&p| self.shows(p))
    }
}

/// Several plots in one picture, `columns` of them side by side.
pub fn panels(plots: &[Plot], columns: usize) -> String {
    let columns = columns.clamp(1, plots.len().max(1));
    let rows = plots.len().div_ceil(columns).max(1);
    let legend = plots.iter().filter_map(|p| p.legend().last().map(|place| place.2 + 1)).max().unwrap_or(0);
    let cell = HEIGHT + LEGEND_ROW * legend as f64;
    let (width, height) = (WIDTH * columns as f64, cell * rows as f64);
    let mut out = String::new();
    put(
        &mut out,
        format_args!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12" fill="#222222">"##
        ),
    );
    put(&mut out, format_args!(r#"<rect width="{width}" height="{height}" fill="white"/>"#));
    for (i, plot) in plots.iter().enumerate() {
        plot.draw(&mut out, WIDTH * (i % columns) as f64, cell * (i / columns) as f64);
    }
    put(&mut out, format_args!("</svg>"));
    out
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(out, "{line}").expect("a string takes everything");
}

fn line(out: &mut String, (x0, y0): (f64, f64), (x1, y1): (f64, f64), color: &str) {
    put(out, format_args!(r#"<path d="M{x0:.1} {y0:.1}L{x1:.1} {y1:.1}" stroke="{color}"/>"#));
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, content: &str) {
    put(out, format_args!(r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{}</text>"#, escaped(content)));
}

fn stroke(series: usize) -> String {
    let (color, dashes) = (COLORS[series % COLORS.len()], DASHES[series % DASHES.len()]);
    format!(r#"fill="none" stroke="{color}" stroke-width="1.8" stroke-linecap="round" stroke-dasharray="{dashes}""#)
}

/// XML-escaped text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Range of an axis, in displayed values.
struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    /// Encloses all values, with a fraction of their range as margin on both sides.
    fn of(values: impl Iterator<Item = f64>, log: bool, free: f64) -> Self {
        let scaled = values.map(|v| if log { v.log10() } else { v });
        let (low, high) = scaled.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        // A constant (up to rounding) gets a minimum range.
        let least = if log { 0.1 } else { 1e-9 * low.abs().max(high.abs()) };
        let wider = match high - low {
            0.0 if log => 1.0,
            0.0 if low == 0.0 => 1.0,
            0.0 => 0.1 * low.abs(),
            range => (free * range).max(0.5 * (least - range)),
        };
        let (low, high) = (low - wider, high + wider);
        Self { low: if log { 10f64.powf(low) } else { low }, high: if log { 10f64.powf(high) } else { high }, log }
    }

    /// Relative position of a value between the ends, 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let scale = |v: f64| if self.log { v.log10() } else { v };
        (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }

    /// Round values with their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        if !self.log {
            return self.even_ticks(self.high - self.low);
        }
        let decades = (self.high / self.low).log10();
        if decades < 1.0 {
            return self.even_ticks(self.high - self.low);
        }
        let every = (decades / 7.0).ceil().max(1.0);
        let first = (self.low.log10() / every).ceil() as i64;
        let last = (self.high.log10() / every).floor() as i64;
        (first..=last).map(|k| k as f64 * every).map(|e| (10f64.powf(e), format!("1e{e}"))).collect()
    }

    /// Four to ten multiples of 1, 2 or 5 times a power of ten.
    fn even_ticks(&self, range: f64) -> Vec<(f64, String)> {
        let power = (range / 5.0).log10().floor();
        let rough = range / 5.0 / 10f64.powf(power);
        let step = [1.0, 2.0, 5.0].into_iter().rfind(|s| *s <= rough).unwrap_or(1.0) * 10f64.powf(power);
        let (first, last) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        let largest = self.low.abs().max(self.high.abs());
        let magnitude = largest.log10().floor();
        let label = |value: f64| {
            if largest >= 1e5 || magnitude < -3.0 {
                format!("{value:.*e}", (magnitude - power).max(0.0) as usize)
            } else {
                format!("{value:.*}", (-power).max(0.0) as usize)
            }
        };
        (first..=last).map(|k| k as f64 * step).map(|v| (v, label(v))).collect()
    }
}
