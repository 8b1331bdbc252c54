//! The wind grid of Quigley, Yu, Huang, Lin and Fedkiw, Real-time Interactive Tree Animation (2017),
//! section 7.
//!
//! A square grid on the ground, projected along the up axis: every cell is a column of air in which the
//! wind is the same everywhere and has its own velocity, octaves, persistence and phase. Points outside
//! the grid use the nearest cell.
//!
//! ```text
//! v(x, t) = V_c (1 + A_c sum_o p_c^o sin(2^o (2 pi f t + phi_c))),    o = 0 .. n_c - 1
//! A_c = g_c sqrt(2 / sum_o p_c^(2 o))
//! ```
//!
//! | | | |
//! |---|---|---|
//! | `V_c` | mean wind of the cell | m/s |
//! | `n_c`, `p_c`, `phi_c` | `octaves`, `persistence`, `phase_degrees` | |
//! | `g_c` | `gusts`, the standard deviation of the speed over its mean | 1 |
//! | f | 1 / `gust_period`, the frequency of the first octave | Hz |
//!
//! The paper does not specify the waveform of an octave; a sine has a phase angle and a known standard
//! deviation. The paper's rotation back and forth about the up axis is [`crate::Wiggle`], which can wrap
//! any wind.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use std::collections::HashSet;
use std::ops::Range;

use fearless_simd::{Level, dispatch, f32x8, f32x16, i32x8, prelude::*};
use serde::{Deserialize, Serialize};
use windfall_core::glam::DVec3;
use windfall_solver::wind::Velocities;

use crate::check::{Check, repeating};
use crate::direction::{FASTEST, blows_to, check_wind};
use crate::flow::{Flow, LANES};
use crate::lanes::{add_to, cos_turns, sin_turns};
use crate::local_points::Local;
use crate::uniform::sine_of_turns;
use windfall_core::random::Stream;

/// Maximum total number of cells of all grids of a wind.
const MOST_CELLS: i64 = 1_000_000;
/// Higher octaves are far above the frequencies that move a tree, and repeated angle doubling loses digits
/// in f32.
const MOST_OCTAVES: i64 = 8;

/// A grid of columns of wind (`kind = "grid"`). The values of the grid apply to all cells except those
/// overridden in `cells`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Grid {
    /// Corner of the grid with the lowest x and z, m; default -20, -20.
    pub corner: [f64; 2],
    /// Side of a cell, m; 0.01 to 1e5, default 5.
    pub cell_size: f64,
    /// Cells along x (east); at least 1, default 8. Columns times rows of all grids of a wind are at most
    /// a million.
    pub columns: i64,
    /// Cells along z (south); at least 1, default 8.
    pub rows: i64,
    /// Mean speed, m/s; 0 to 500, default 5.
    pub speed: f64,
    /// Direction of origin, compass degrees; -360 to 360, default 270.
    pub from_degrees: f64,
    /// Elevation angle, degrees; -90 to 90, default 0.
    pub elevation_degrees: f64,
    /// Standard deviation of the speed over the mean speed; 0 to 2, default 0.3.
    pub gusts: f64,
    /// Period of the first octave, s; 0.05 to 1e5, default 5.
    pub gust_period: f64,
    /// Number of octaves, each at twice the frequency of the previous one; 0 (steady) to 8, default 3.
    pub octaves: i64,
    /// Ratio of the amplitudes of successive octaves; 0 to 1, default 0.5.
    pub persistence: f64,
    /// Phase angle at time 0; -360 to 360. If omitted, every cell has a random phase from the seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_degrees: Option<f64>,
    /// Seed of the random phases; any whole number, default 0.
    pub seed: i64,
    /// Overrides of single cells; at most a million.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<GridCell>,
}

/// Override of one cell; omitted values are those of the grid.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridCell {
    /// Column index, from 0 at the lowest x.
    pub column: i64,
    /// Row index, from 0 at the lowest z.
    pub row: i64,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_degrees: Option<f64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevation_degrees: Option<f64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gusts: Option<f64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub octaves: Option<i64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistence: Option<f64>,
    /// As in the grid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_degrees: Option<f64>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            corner: [-20.0, -20.0],
            cell_size: 5.0,
            columns: 8,
            rows: 8,
            speed: 5.0,
            from_degrees: 270.0,
            elevation_degrees: 0.0,
            gusts: 0.3,
            gust_period: 5.0,
            octaves: 3,
            persistence: 0.5,
            phase_degrees: None,
            seed: 0,
            cells: Vec::new(),
        }
    }
}

impl Grid {
    pub(crate) fn check(&self, check: &mut Check) {
        check.place("corner", &self.corner);
        check.number("cell_size", self.cell_size, 0.01..=1e5);
        check.count("columns", self.columns, 1..=MOST_CELLS);
        check.count("rows", self.rows, 1..=MOST_CELLS);
        check.cells = check.cells.saturating_add(self.columns.saturating_mul(self.rows).max(0));
        if check.cells > MOST_CELLS {
            let rule = format!("columns times rows of all grids together must be at most {MOST_CELLS}");
            check.broken("columns", format_args!("{}, rows = {}", self.columns, self.rows), rule);
        }
        check_wind(check, self.speed, self.from_degrees, self.elevation_degrees);
        check_gusts(check, self.gusts, self.octaves, self.persistence, self.phase_degrees);
        check.number("gust_period", self.gust_period, 0.05..=1e5);
        let mut seen = HashSet::new();
        for (i, cell) in self.cells.iter().enumerate() {
            check.inside(format_args!("cells[{i}]"), |check| {
                check.count("column", cell.column, 0..=self.columns - 1);
                check.count("row", cell.row, 0..=self.rows - 1);
                if !seen.insert((cell.column, cell.row)) {
                    check.broken("column", cell.column, format_args!("row {} of it was given before", cell.row));
                }
                let merged = self.merged(cell);
                check.number("speed", merged.speed, 0.0..=FASTEST);
                check.number("from_degrees", merged.from_degrees, -360.0..=360.0);
                check.number("elevation_degrees", merged.elevation_degrees, -90.0..=90.0);
                check_gusts(check, merged.gusts, merged.octaves, merged.persistence, merged.phase_degrees);
            });
        }
    }

    /// The grid's parameters with the overrides of one cell.
    fn merged(&self, cell: &GridCell) -> Self {
        Self {
            speed: cell.speed.unwrap_or(self.speed),
            from_degrees: cell.from_degrees.unwrap_or(self.from_degrees),
            elevation_degrees: cell.elevation_degrees.unwrap_or(self.elevation_degrees),
            gusts: cell.gusts.unwrap_or(self.gusts),
            octaves: cell.octaves.unwrap_or(self.octaves),
            persistence: cell.persistence.unwrap_or(self.persistence),
            phase_degrees: cell.phase_degrees.or(self.phase_degrees),
            cells: Vec::new(),
            ..*self
        }
    }

    fn cell(&self, random_phase: f64) -> Cell {
        let velocity = self.speed * blows_to(self.from_degrees, self.elevation_degrees);
        let powers = (0..self.octaves).map(|o| libm::pow(self.persistence, 2.0 * o as f64));
        let power: f64 = powers.sum();
        let phase = self.phase_degrees.map_or(random_phase, |degrees| degrees / 360.0);
        Cell {
            velocity: velocity.as_vec3().to_array(),
            phase: (phase - phase.floor()) as f32,
            amplitude: if power > 0.0 { (self.gusts * (2.0 / power).sqrt()) as f32 } else { 0.0 },
            persistence: self.persistence as f32,
            octaves: self.octaves as u32,
        }
    }

    pub(crate) fn flow(&self, period: Option<f64>) -> Box<dyn Flow> {
        let mut random = Stream::new(self.seed as u64).fork(2);
        let base = self.cell(0.0);
        let mut phases: Vec<f64> = (0..self.columns * self.rows).map(|_| random.unit()).collect();
        if self.phase_degrees.is_some() {
            phases.fill(f64::from(base.phase));
        }
        let mut cells: Vec<Cell> = phases.iter().map(|phase| Cell { phase: *phase as f32, ..base }).collect();
        for cell in &self.cells {
            let i = (cell.row * self.columns + cell.column) as usize;
            cells[i] = self.merged(cell).cell(phases[i]);
        }
        Box::new(Patchwork {
            corner: self.corner,
            cell_size: self.cell_size,
            column_count: self.columns as usize,
            row_count: self.rows as usize,
            frequency: repeating(1.0 / self.gust_period, period),
            cells,
        })
    }
}

fn check_gusts(check: &mut Check, gusts: f64, octaves: i64, persistence: f64, phase_degrees: Option<f64>) {
    check.number("gusts", gusts, 0.0..=2.0);
    check.count("octaves", octaves, 0..=MOST_OCTAVES);
    check.number("persistence", persistence, 0.0..=1.0);
    check.number("phase_degrees", phase_degrees.unwrap_or(0.0), -360.0..=360.0);
}

#[derive(Clone, Copy)]
struct Cell {
    /// m/s.
    velocity: [f32; 3],
    /// Turns.
    phase: f32,
    amplitude: f32,
    persistence: f32,
    octaves: u32,
}

impl Cell {
    /// The wind when the first octave, without the cell's phase, is at this phase in turns; m/s.
    fn velocity_at(&self, turns: f32) -> [f32; 3] {
        let turns = turns + self.phase;
        let (mut sin, mut cos) = (sin_turns(turns), cos_turns(turns));
        let (mut factor, mut amplitude) = (1.0, self.amplitude);
        for _ in 0..self.octaves {
            factor += amplitude * sin;
            amplitude *= self.persistence;
            // Double-angle formulas.
            (sin, cos) = (2.0 * sin * cos, 1.0 - 2.0 * sin * sin);
        }
        self.velocity.map(|v| factor * v)
    }
}

struct Patchwork {
    corner: [f64; 2],
    cell_size: f64,
    column_count: usize,
    row_count: usize,
    /// Of the first octave, Hz.
    frequency: f64,
    /// Row-major.
    cells: Vec<Cell>,
}

impl Flow for Patchwork {
    fn velocity(&self, point: DVec3, time: f64) -> DVec3 {
        let index = |x: f64, corner: f64, count: usize| (((x - corner) / self.cell_size) as usize).min(count - 1);
        let column = index(point.x, self.corner[0], self.column_count);
        let row = index(point.z, self.corner[1], self.row_count);
        let cell = &self.cells[row * self.column_count + column];
        let (mut octave, mut amplitude) = (self.frequency * time + f64::from(cell.phase), f64::from(cell.amplitude));
        let mut factor = 1.0;
        for _ in 0..cell.octaves {
            factor += amplitude * sine_of_turns(octave);
            octave *= 2.0;
            amplitude *= f64::from(cell.persistence);
        }
        factor * DVec3::from_array(cell.velocity.map(f64::from))
    }

    fn add(&self, time: f64, points: Local<'_>, weights: &[f32], out: &mut Velocities<'_>) {
        let turns = self.frequency * time;
        let mut gusts =
            Gusts { cells: &self.cells, turns: (turns - turns.floor()) as f32, known: [(u32::MAX, [0.0; 3]); SLOTS] };
        let [px, _, pz] = points.slices();
        let columns = Line::new((points.origin.x - self.corner[0]) / self.cell_size, self.column_count);
        let rows = Line::new((points.origin.z - self.corner[1]) / self.cell_size, self.row_count);
        let per_metre = (1.0 / self.cell_size) as f32;
        let batch = Batch { per_metre, columns, rows, x: px, z: pz, weights };
        dispatch!(Level::new(), simd => {
            if !batch.add_four(simd, &mut gusts, out.slices()) {
                batch.add_cells(simd, &mut gusts, out.slices());
            }
        });
    }
}

/// Cell indices along one axis, relative to the cell at the centre of a room.
#[derive(Clone, Copy)]
struct Line {
    /// Grid index of that cell, and the position of the centre within it, 0 to 1.
    cell: i32,
    place: f32,
    last: i32,
}

impl Line {
    /// `place`: the centre of the room in cells.
    fn new(place: f64, count: usize) -> Self {
        // Rooms and corners are within 1e6 m and cells are at least 1 cm wide: i32 suffices.
        let whole = place.floor();
        Self { cell: whole as i32, place: (place - whole) as f32, last: count as i32 - 1 }
    }

    /// The cells of points, given in cells from the centre of the room. Points outside use the nearest
    /// cell.
    #[inline(always)]
    fn cells<S: Simd>(&self, points: f32x8<S>) -> i32x8<S> {
        let cells = i32x8::truncate_from((points + self.place).floor()) + self.cell;
        cells.max(0).min(self.last)
    }

    /// Upper end of a cell, in the coordinates of [`Line::cells`]. Points below the end of the first cell
    /// belong to it, including points outside the grid.
    fn end_of(&self, cell: i32) -> f32 {
        (cell - self.cell + 1) as f32
    }

    /// First and last cell that contain points.
    #[inline(always)]
    fn ends<S: Simd>(&self, simd: S, per_metre: f32, points: &[f32]) -> [i32; 2] {
        let mut ends = [f32x8::splat(simd, f32::INFINITY), f32x8::splat(simd, f32::NEG_INFINITY)];
        for eight in points.as_chunks::<LANES>().0 {
            let eight = f32x8::from_slice(simd, eight) * per_metre;
            ends = [ends[0].min(eight), ends[1].max(eight)];
        }
        let (first, last) = (self.cells(ends[0]), self.cells(ends[1]));
        let mut cells = [first[0], last[0]];
        for lane in 1..LANES {
            cells = [cells[0].min(first[lane]), cells[1].max(last[lane])];
        }
        cells
    }
}

/// Number of cells whose wind a chunk caches.
const SLOTS: usize = 64;

/// Cache of cell winds at one time, filled on demand.
struct Gusts<'a> {
    cells: &'a [Cell],
    turns: f32,
    /// Cell index and its wind.
    known: [(u32, [f32; 3]); SLOTS],
}

impl Gusts<'_> {
    #[inline(always)]
    fn of(&mut self, cell: u32) -> [f32; 3] {
        let (known, velocity) = &mut self.known[cell as usize % SLOTS];
        if *known != cell {
            (*known, *velocity) = (cell, self.cells[cell as usize].velocity_at(self.turns));
        }
        *velocity
    }
}

/// The points to evaluate.
struct Batch<'a> {
    /// Cells per metre.
    per_metre: f32,
    columns: Line,
    rows: Line,
    /// Relative to the centre of the room, m.
    x: &'a [f32],
    z: &'a [f32],
    weights: &'a [f32],
}

impl Batch<'_> {
    /// The columns and rows of eight points.
    #[inline(always)]
    fn eight<S: Simd>(&self, simd: S, here: Range<usize>) -> (i32x8<S>, i32x8<S>) {
        let (x, z) = (f32x8::from_slice(simd, &self.x[here.clone()]), f32x8::from_slice(simd, &self.z[here]));
        (self.columns.cells(x * self.per_metre), self.rows.cells(z * self.per_metre))
    }

    /// Adds the winds of at most two columns in at most two rows, without branches. Returns false if the
    /// points span more cells, which is rare because batches consist of neighbours.
    #[inline(always)]
    fn add_four<S: Simd>(&self, simd: S, gusts: &mut Gusts<'_>, mut out: [&mut [f32]; 3]) -> bool {
        let [c0, c1] = self.columns.ends(simd, self.per_metre, self.x);
        let [r0, r1] = self.rows.ends(simd, self.per_metre, self.z);
        if c1 - c0 > 1 || r1 - r0 > 1 {
            return false;
        }
        let mut four = [[0.0; 3]; 4];
        for (wind, [row, column]) in four.iter_mut().zip([[r0, c0], [r0, c1], [r1, c0], [r1, c1]]) {
            *wind = gusts.of((row * (self.columns.last + 1) + column) as u32);
        }
        let ends = [self.columns.end_of(c0), self.rows.end_of(r0)];
        // Sixteen points at a time; eight may remain.
        let most = self.weights.len() / f32x16::<S>::LEN * f32x16::<S>::LEN;
        self.add_some::<S, f32x16<S>>(simd, 0..most, (&four, ends), &mut out);
        self.add_some::<S, f32x8<S>>(simd, most..self.weights.len(), (&four, ends), &mut out);
        true
    }

    /// Adds the winds of some points, N at a time. A point below the end of the first column or row
    /// belongs to it, otherwise to the second. `four` holds the winds of both columns of both rows.
    #[inline(always)]
    fn add_some<S: Simd, N: SimdFloat<S, Element = f32>>(
        &self,
        simd: S,
        range: Range<usize>,
        (four, [column, row]): (&[[f32; 3]; 4], [f32; 2]),
        out: &mut [&mut [f32]; 3],
    ) {
        for start in range.step_by(N::LEN) {
            let here = start..start + N::LEN;
            let (x, z) = (N::from_slice(simd, &self.x[here.clone()]), N::from_slice(simd, &self.z[here.clone()]));
            let is_first_column = (x * self.per_metre + self.columns.place).simd_lt(column);
            let is_first_row = (z * self.per_metre + self.rows.place).simd_lt(row);
            let weights = N::from_slice(simd, &self.weights[here.clone()]);
            for (axis, out) in out.iter_mut().enumerate() {
                let (a, b) = (N::splat(simd, four[0][axis]), N::splat(simd, four[1][axis]));
                let (c, d) = (N::splat(simd, four[2][axis]), N::splat(simd, four[3][axis]));
                let (first, second) = (is_first_column.select(a, b), is_first_column.select(c, d));
                add_to(simd, &mut out[here.clone()], weights * is_first_row.select(first, second));
            }
        }
    }

    /// The same for any number of cells.
    #[inline(always)]
    fn add_cells<S: Simd>(&self, simd: S, gusts: &mut Gusts<'_>, mut out: [&mut [f32]; 3]) {
        for start in (0..self.weights.len()).step_by(LANES) {
            let here = start..start + LANES;
            let (column, row) = self.eight(simd, here.clone());
            let cells = row * (self.columns.last + 1) + column;
            let weights = f32x8::from_slice(simd, &self.weights[here.clone()]);
            let mut velocities = [f32x8::splat(simd, 0.0); 3];
            // One cell after the other: there are few, in most cases one.
            let mut left = cells.simd_eq(cells);
            while left.any_true() {
                let lane = left.to_bitmask().trailing_zeros() as usize % LANES;
                let is_here = cells.simd_eq(cells[lane]);
                let velocity = gusts.of(cells[lane] as u32);
                for (all, v) in velocities.iter_mut().zip(velocity) {
                    *all = is_here.select(f32x8::splat(simd, v), *all);
                }
                left &= !is_here;
            }
            for (out, v) in out.iter_mut().zip(velocities) {
                add_to(simd, &mut out[here.clone()], weights * v);
            }
        }
    }
}
