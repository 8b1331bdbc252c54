//! Points relative to the centre of their room, so that precision does not decrease with the distance from
//! the origin.
//!
//! Space is divided into rooms: cubes of [`SIZE`], one of them around the origin. A model computes its
//! values at the centre of a room (phases, cells, heights) in f64, and f32 represents only offsets of up
//! to half a room. The offset from the centre to a point is exact in f32. The room of a point depends only
//! on the point.
//!
//! Coordinates are clamped to [`FARTHEST`]; NaN counts as zero.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use windfall_core::glam::DVec3;
use windfall_solver::wind::Points;

use crate::air::FARTHEST;
use crate::flow::{Aligned, CHUNK, wide};
use crate::lanes::round;

/// m; a power of two, so that rooms divide f32 exactly.
const SIZE: f32 = 64.0;

/// Points of one room.
#[derive(Clone, Copy)]
pub(crate) struct Local<'a> {
    /// The centre of the room, world metres.
    pub(crate) origin: DVec3,
    /// Points relative to `origin`.
    pub(crate) points: Points<'a>,
}

impl<'a> Local<'a> {
    pub(crate) fn slices(&self) -> [&'a [f32]; 3] {
        self.points.slices()
    }
}

/// Three coordinates of the points of a chunk.
pub(crate) type Places = Aligned<[[f32; CHUNK]; 3]>;

pub(crate) fn no_places() -> Places {
    Aligned([[0.0; CHUNK]; 3])
}

/// Writes the positions of points that share a room, and returns its centre. `None` if they do not share a
/// room, lie exactly on its walls or are far away: these points go through [`Scattered`].
pub(crate) fn enter(points: [&[f32]; 3], places: &mut Places) -> Option<DVec3> {
    let middle = points.map(|p| SIZE * round(p[0] * (1.0 / SIZE)));
    // The outermost rooms are truncated at the coordinate limit. NaN fails the comparison too.
    let near = middle.iter().all(|x| x.abs() < FARTHEST as f32 - SIZE);
    if near && wide!(move_by(middle, points, &mut places.0)) {
        Some(DVec3::from_array(middle.map(f64::from)))
    } else {
        None
    }
}

/// Writes points relative to a centre; returns whether all are in its room.
#[inline(always)]
fn move_by(middle: [f32; 3], points: [&[f32]; 3], places: &mut [[f32; CHUNK]; 3]) -> bool {
    let mut inside = true;
    for ((middle, points), places) in middle.into_iter().zip(points).zip(places) {
        for (x, place) in points.iter().zip(places) {
            *place = x - middle;
            inside &= place.abs() < 0.5 * SIZE;
        }
    }
    inside
}

/// The points of a chunk that spans several rooms.
pub(crate) struct Scattered {
    /// Room indices along x, y and z.
    numbers: [[f32; CHUNK]; 3],
    /// Relative to the centre of the room, m.
    places: [[f32; CHUNK]; 3],
    left: [bool; CHUNK],
    count: usize,
    /// Indices of the gathered points.
    pub(crate) gathered: [u16; CHUNK],
    pub(crate) gathered_count: usize,
}

impl Scattered {
    pub(crate) fn new(points: [&[f32]; 3]) -> Self {
        const FAR: f32 = FARTHEST as f32;
        let (mut numbers, mut places) = ([[0.0; CHUNK]; 3], [[0.0; CHUNK]; 3]);
        for ((given, numbers), places) in points.into_iter().zip(&mut numbers).zip(&mut places) {
            for ((x, number), place) in given.iter().zip(numbers).zip(places) {
                let x = if x.is_nan() { 0.0 } else { x.clamp(-FAR, FAR) };
                *number = round(x * (1.0 / SIZE));
                *place = x - SIZE * *number;
            }
        }
        let count = points[0].len();
        Self { numbers, places, left: [true; CHUNK], count, gathered: [0; CHUNK], gathered_count: 0 }
    }

    /// Extracts all points that share a room with the first remaining point, writes their positions and
    /// returns the centre of the room.
    pub(crate) fn gather(&mut self, places: &mut Places) -> Option<DVec3> {
        let first = self.left[..self.count].iter().position(|left| *left)?;
        let here = self.numbers.each_ref().map(|n| n[first]);
        let mut count = 0;
        for i in first..self.count {
            if self.left[i] && self.numbers.each_ref().map(|n| n[i]) == here {
                self.left[i] = false;
                for (to, from) in places.0.iter_mut().zip(&self.places) {
                    to[count] = from[i];
                }
                self.gathered[count] = i as u16;
                count += 1;
            }
        }
        self.gathered_count = count;
        Some(DVec3::from_array(here.map(|n| f64::from(SIZE * n))))
    }
}
