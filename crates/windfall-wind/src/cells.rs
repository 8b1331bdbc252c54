//! Points sorted by lattice cell. The points of a tree share a few cells, so the data of each cell are
//! computed only once.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use crate::flow::{CHUNK, LANES, wide};
use crate::lanes::split;
use crate::local_points::Local;

/// Longer than a chunk, so that vector stores may run over its end; a whole number of cache lines.
pub(crate) type Long = [f32; CHUNK + 2 * LANES];

/// The points of a chunk, grouped by cell. A cell may occur more than once, which costs only time.
#[repr(align(64))]
pub(crate) struct ByCell {
    /// x, y and z within the cell, 0 to 1.
    pub(crate) places: [Long; 3],
    /// Sorted position of each point of the chunk.
    stands: [u16; CHUNK],
    cells: [[i32; 3]; CHUNK],
    ends: [u16; CHUNK],
    cell_count: usize,
    /// The cell at the centre of the room: the origin of cell indices.
    middle: [i32; 3],
    count: usize,
    // Scratch of the sort, per point:
    wholes: [[i32; CHUNK]; 3],
    rests: [[f32; CHUNK]; 3],
    which: [u16; CHUNK],
}

/// Size of the cell lookup table, hashed with three bits per axis.
const SLOTS: usize = 512;
const NONE: u16 = u16::MAX;

impl ByCell {
    pub(crate) const fn new() -> Self {
        Self {
            places: [[0.0; CHUNK + 2 * LANES]; 3],
            stands: [0; CHUNK],
            cells: [[0; 3]; CHUNK],
            ends: [0; CHUNK],
            cell_count: 0,
            middle: [0; 3],
            count: 0,
            wholes: [[0; CHUNK]; 3],
            rests: [[0.0; CHUNK]; 3],
            which: [0; CHUNK],
        }
    }

    /// Sorts points into a lattice with `per_metre` cells per metre.
    pub(crate) fn sort(&mut self, points: Local<'_>, per_metre: f64) {
        self.count = points.slices()[0].len();
        let mut alike = true;
        for (axis, p) in points.slices().into_iter().enumerate() {
            let middle = points.origin[axis] * per_metre;
            let whole = middle.floor();
            self.middle[axis] = whole as i64 as i32;
            let (wholes, rests) = (&mut self.wholes[axis], &mut self.rests[axis]);
            alike &= wide!(place(p, per_metre as f32, (middle - whole) as f32, wholes, rests));
        }
        if alike {
            self.cell_count = 1;
            self.cells[0] = self.wholes.each_ref().map(|w| w[0]);
            self.ends[0] = self.count as u16;
            for (places, rests) in self.places.iter_mut().zip(&self.rests) {
                places[..self.count].copy_from_slice(&rests[..self.count]);
            }
        } else {
            self.find_cells();
            self.put_in_order();
        }
    }

    /// Finds the cells, the number of points in each, and the cell of every point.
    fn find_cells(&mut self) {
        let mut known = [NONE; SLOTS];
        self.cell_count = 0;
        for i in 0..self.count {
            let cell = [self.wholes[0][i], self.wholes[1][i], self.wholes[2][i]];
            let [x, y, z] = cell.map(|c| (c & 7) as usize);
            let slot = &mut known[x + 8 * y + 64 * z];
            if *slot == NONE || self.cells[usize::from(*slot)] != cell {
                *slot = self.cell_count as u16;
                self.cells[self.cell_count] = cell;
                self.ends[self.cell_count] = 0;
                self.cell_count += 1;
            }
            self.which[i] = *slot;
            self.ends[usize::from(*slot)] += 1;
        }
    }

    fn put_in_order(&mut self) {
        let mut start = 0;
        for end in &mut self.ends[..self.cell_count] {
            // Position of the next point of this cell; after the loop, the end of the cell.
            start += std::mem::replace(end, start);
        }
        for i in 0..self.count {
            let next = &mut self.ends[usize::from(self.which[i])];
            let place = usize::from(*next);
            *next += 1;
            self.stands[i] = place as u16;
            for (places, rests) in self.places.iter_mut().zip(&self.rests) {
                places[place] = rests[i];
            }
        }
    }

    /// Number of points.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Sorted position of each point; `None` if the order is unchanged.
    pub(crate) fn stands(&self) -> Option<&[u16]> {
        (self.cell_count > 1).then_some(&self.stands[..self.count])
    }

    /// Every cell and the index after its last point.
    pub(crate) fn ends(&self) -> impl Iterator<Item = ([i32; 3], usize)> {
        let cells = self.cells[..self.cell_count].iter().zip(&self.ends);
        cells.map(|(cell, end)| (std::array::from_fn(|i| cell[i].wrapping_add(self.middle[i])), usize::from(*end)))
    }
}

/// Writes cell indices (relative to the cell of the room's centre) and positions within the cells along
/// one axis. Returns whether all points are in one cell.
#[inline(always)]
fn place(points: &[f32], per_metre: f32, middle: f32, wholes: &mut [i32; CHUNK], rests: &mut [f32; CHUNK]) -> bool {
    for ((p, whole), rest) in points.iter().zip(&mut *wholes).zip(rests) {
        (*whole, *rest) = split(p * per_metre + middle);
    }
    wholes[..points.len()].iter().fold(0, |differ, w| differ | (w ^ wholes[0])) == 0
}
