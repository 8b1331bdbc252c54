//! Leaves that flutter never repeat themselves, and so neither does what carries them. A guide leads them into a motion that does: it remembers all joints over a period and
//! pulls them, after every frame, by a small share towards where they were a period before (delayed feedback; Pyragas 1992, Phys. Lett. A 170). Where a motion repeats, the pull is nothing,
//! so that what comes out is moved by wind, weight and springs alone as far as such a motion exists; how large the pull still is is measured.

use std::io;
use std::path::Path;

use windfall_core::{Plant, Pose, Solver};
use windfall_dynamics::{JOINT_NUMBERS, World};
use windfall_io::Slots;

use super::ends::{Ends, largest};

/// How fast joints are pulled at first, 1/s: in each frame by the share `1 - exp(-RATE / frames per second)`. At 6 fluttering leaves of apple trees got away after some periods, at 12 those
/// of aspens; the pull is about as many times larger.
const RATE: f64 = 12.0;

/// How much faster, when that was not enough.
const FASTER: f64 = 1.5;

/// See the head of the module.
pub struct Guide {
    slots: Slots,
    frames: usize,
    /// Frames in a second.
    fps: f64,
    /// How fast joints are pulled, 1/s.
    rate: f64,
    numbers: Vec<f32>,
    /// How far pulls have moved the end of any body, and of any wood, at most, since the period began, m.
    moved: [f64; 2],
    ends: Ends,
    wood: usize,
    poses: [Pose; 2],
}

impl Guide {
    /// For a plant and a period of so many frames, with room in a temporary file in this folder.
    pub fn new(plant: &Plant, frames: usize, fps: f64, folder: &Path) -> io::Result<Self> {
        Ok(Self {
            slots: Slots::new_in(folder, JOINT_NUMBERS * plant.body_count())?,
            frames,
            fps,
            rate: RATE,
            numbers: Vec::new(),
            moved: [0.0; 2],
            ends: Ends::new(plant),
            wood: plant.segments().len(),
            poses: Default::default(),
        })
    }

    /// Remembers the joints in a frame.
    pub fn remember(&mut self, frame: usize, world: &World<f32>) -> io::Result<()> {
        world.write_joints(&mut self.numbers);
        self.slots.write(frame % self.frames, &self.numbers)
    }

    /// Pulls the joints towards where they were a period before, and remembers where they are.
    pub fn pull(&mut self, frame: usize, world: &mut World<f32>) -> io::Result<()> {
        self.slots.read(frame % self.frames, &mut self.numbers)?;
        let [before, after] = &mut self.poses;
        world.write_pose(before);
        world.pull_joints(&self.numbers, -(-self.rate / self.fps).exp_m1());
        world.write_pose(after);
        let (before, after) = (self.ends.of(before), self.ends.of(after));
        let [all, wood] = &mut self.moved;
        *all = all.max(largest(&before, &after));
        *wood = wood.max(largest(&before[..self.wood], &after[..self.wood]));
        self.remember(frame, world)
    }

    /// A period begins: how far pulls move bodies is measured from now on.
    pub fn begin_period(&mut self) {
        self.moved = [0.0; 2];
    }

    /// Pulls faster from now on.
    pub fn pull_harder(&mut self) {
        self.rate *= FASTER;
    }

    /// How far a pull has moved the end of any body, and of any wood, at most since the period began, m.
    pub fn moved(&self) -> [f64; 2] {
        self.moved
    }
}
