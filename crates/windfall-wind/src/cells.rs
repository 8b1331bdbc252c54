//! Points sorted by the cell of a lattice that they are in: those of a tree share a few cells, and what belongs to a cell needs to be
//! computed only once.

use windfall_core::wind::Points;

use crate::flow::CHUNK;
use crate::lanes::split;

/// The points of a chunk, cell by cell. A cell may come more than once, which costs time and nothing else.
pub(crate) struct ByCell {
    /// x, y and z from 0 to 1 within the cell.
    pub(crate) places: [[f32; CHUNK]; 3],
    /// Which point of the chunk stands at each place.
    pub(crate) order: [u16; CHUNK],
    cells: [[i32; 3]; CHUNK],
    ends: [u16; CHUNK],
    cell_count: usize,
}

/// Cells that are looked up again, by a hash of three bits for each axis.
const SLOTS: usize = 512;
const NONE: u16 = u16::MAX;

impl ByCell {
    pub(crate) fn new(points: Points<'_>, per_metre: f32) -> Self {
        let count = points.len();
        let mut wholes = [[0_i32; CHUNK]; 3];
        let mut rests = [[0.0_f32; CHUNK]; 3];
        for ((whole, rest), p) in wholes.iter_mut().zip(&mut rests).zip(points.slices()) {
            for ((whole, rest), p) in whole.iter_mut().zip(rest).zip(p) {
                (*whole, *rest) = split(p * per_metre);
            }
        }

        let mut cells = [[0_i32; 3]; CHUNK];
        let mut ends = [0_u16; CHUNK];
        let mut cell_count = 0;
        let mut known = [NONE; SLOTS];
        let mut which = [0_u16; CHUNK];
        for i in 0..count {
            let cell = [wholes[0][i], wholes[1][i], wholes[2][i]];
            let [x, y, z] = cell.map(|c| (c & 7) as usize);
            let slot = &mut known[x + 8 * y + 64 * z];
            if *slot == NONE || cells[usize::from(*slot)] != cell {
                *slot = cell_count as u16;
                cells[cell_count] = cell;
                cell_count += 1;
            }
            which[i] = *slot;
            ends[usize::from(*slot)] += 1;
        }

        let mut start = 0;
        for end in &mut ends[..cell_count] {
            // Where the next point of this cell goes; its end when all are there.
            start += std::mem::replace(end, start);
        }
        let mut order = [0_u16; CHUNK];
        let mut places = [[0.0_f32; CHUNK]; 3];
        for i in 0..count {
            let next = &mut ends[usize::from(which[i])];
            let place = usize::from(*next);
            *next += 1;
            order[place] = i as u16;
            for (places, rests) in places.iter_mut().zip(&rests) {
                places[place] = rests[i];
            }
        }
        Self { places, order, cells, ends, cell_count }
    }

    /// Every cell and the place after its last point.
    pub(crate) fn ends(&self) -> impl Iterator<Item = ([i32; 3], usize)> {
        self.cells[..self.cell_count].iter().zip(&self.ends).map(|(cell, end)| (*cell, usize::from(*end)))
    }
}
