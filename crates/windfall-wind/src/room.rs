//! Points counted from the middle of their room, so that a wind is as exact far from the origin as near it.
//!
//! Space is divided into rooms: cubes of [`SIZE`], one of them around the origin. What a model needs at the middle of a room (phases, cells, heights) it computes in
//! f64, and f32 only has to carry a point through half a room. The way from the middle to a point is exact in f32. A point's room depends on nothing
//! but the point.
#![allow(clippy::inline_always, reason = "what is called in a loop for a vector unit must be part of it")]

use windfall_core::glam::DVec3;
use windfall_core::wind::Points;

use crate::air::FARTHEST;
use crate::flow::{CHUNK, wide};
use crate::lanes::round;

/// m; a power of two, so that rooms divide f32 exactly.
const SIZE: f32 = 64.0;

/// Points of one room.
#[derive(Clone, Copy)]
pub(crate) struct Local<'a> {
    /// The middle of the room, world metres.
    pub(crate) origin: DVec3,
    /// Points counted from there.
    pub(crate) points: Points<'a>,
}

impl<'a> Local<'a> {
    pub(crate) fn slices(&self) -> [&'a [f32]; 3] {
        self.points.slices()
    }
}

/// The points of a chunk, each in its room. Coordinates are held within [`FARTHEST`]; those that are not a number count as zero.
pub(crate) struct Rooms {
    /// Which room, along x, y and z: whole numbers.
    numbers: [[f32; CHUNK]; 3],
    /// From the middle of the room, m.
    pub(crate) places: [[f32; CHUNK]; 3],
    count: usize,
    /// Whether all are in one room.
    pub(crate) alike: bool,
}

impl Rooms {
    pub(crate) fn new() -> Self {
        Self { numbers: [[0.0; CHUNK]; 3], places: [[0.0; CHUNK]; 3], count: 0, alike: true }
    }

    /// Takes in another chunk.
    pub(crate) fn enter(&mut self, points: [&[f32]; 3]) {
        self.count = points[0].len();
        self.alike = true;
        for ((given, rooms), places) in points.into_iter().zip(&mut self.numbers).zip(&mut self.places) {
            self.alike &= wide!(split(given, &mut rooms[..given.len()], &mut places[..given.len()]));
        }
    }

    /// The middle of the room of a point.
    pub(crate) fn origin(&self, i: usize) -> DVec3 {
        DVec3::from_array(self.numbers.each_ref().map(|r| f64::from(SIZE * r[i])))
    }

    /// Gathers the points from `first` on that are in its room: their places, and which they are. Takes them out of `left`.
    pub(crate) fn gather(&self, first: usize, left: &mut [bool; CHUNK], room: &mut Gathered) {
        room.count = 0;
        let at = |i: usize| self.numbers.each_ref().map(|r| r[i]);
        let here = at(first);
        for (i, left) in left.iter_mut().enumerate().take(self.count).skip(first) {
            if *left && at(i) == here {
                *left = false;
                for (to, from) in room.places.iter_mut().zip(&self.places) {
                    to[room.count] = from[i];
                }
                room.which[room.count] = i as u16;
                room.count += 1;
            }
        }
    }
}

/// The points of a chunk that share a room.
pub(crate) struct Gathered {
    pub(crate) places: [[f32; CHUNK]; 3],
    pub(crate) which: [u16; CHUNK],
    pub(crate) count: usize,
}

impl Gathered {
    pub(crate) fn new() -> Self {
        Self { places: [[0.0; CHUNK]; 3], which: [0; CHUNK], count: 0 }
    }
}

/// Rooms and places along one axis, and whether all are in the same room.
#[inline(always)]
fn split(given: &[f32], rooms: &mut [f32], places: &mut [f32]) -> bool {
    const FAR: f32 = FARTHEST as f32;
    for ((x, room), place) in given.iter().zip(&mut *rooms).zip(places) {
        let x = if x.is_nan() { 0.0 } else { x.clamp(-FAR, FAR) };
        *room = round(x * (1.0 / SIZE));
        *place = x - SIZE * *room;
    }
    let first = rooms.first().map_or(0, |r| r.to_bits());
    rooms.iter().fold(0, |differ, r| differ | (r.to_bits() ^ first)) == 0
}
