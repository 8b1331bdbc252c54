//! Points sorted by the cell of a lattice that they are in: those of a tree share a few cells, and what belongs to a cell needs to be
//! computed only once.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use crate::flow::{CHUNK, LANES, wide};
use crate::lanes::split;
use crate::room::Local;

/// A little longer than a chunk, so that vectors may run over its end; a whole number of cache lines.
pub(crate) type Long = [f32; CHUNK + 2 * LANES];

/// The points of a chunk, cell by cell. A cell may come more than once, which costs time and nothing else.
#[repr(align(64))]
pub(crate) struct ByCell {
    /// x, y and z from 0 to 1 within the cell.
    pub(crate) places: [Long; 3],
    /// Where every point of the chunk stands.
    stands: [u16; CHUNK],
    cells: [[i32; 3]; CHUNK],
    ends: [u16; CHUNK],
    cell_count: usize,
    /// The cell of the middle of the room, from which cells are counted.
    middle: [i32; 3],
    count: usize,
    // While sorting, point by point:
    wholes: [[i32; CHUNK]; 3],
    rests: [[f32; CHUNK]; 3],
    which: [u16; CHUNK],
}

/// Cells that are looked up again, by a hash of three bits for each axis.
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

    /// Sorts points into a lattice with so many cells per metre.
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

    /// Finds the cells, how many points are in each, and the cell of every point.
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
            // Where the next point of this cell goes; its end when all are there.
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

    /// How many points.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Where every point stands; none if all stand where they stood.
    pub(crate) fn stands(&self) -> Option<&[u16]> {
        (self.cell_count > 1).then_some(&self.stands[..self.count])
    }

    /// Every cell and the place after its last point.
    pub(crate) fn ends(&self) -> impl Iterator<Item = ([i32; 3], usize)> {
        let cells = self.cells[..self.cell_count].iter().zip(&self.ends);
        cells.map(|(cell, end)| (std::array::from_fn(|i| cell[i].wrapping_add(self.middle[i])), usize::from(*end)))
    }
}

/// Cells, counted from that of the middle of the room, and places in them along one axis; whether all are in one cell.
#[inline(always)]
fn place(points: &[f32], per_metre: f32, middle: f32, wholes: &mut [i32; CHUNK], rests: &mut [f32; CHUNK]) -> bool {
    for ((p, whole), rest) in points.iter().zip(&mut *wholes).zip(rests) {
        (*whole, *rest) = split(p * per_metre + middle);
    }
    wholes[..points.len()].iter().fold(0, |differ, w| differ | (w ^ wholes[0])) == 0
}
