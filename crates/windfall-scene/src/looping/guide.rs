//! Fluttering leaves have no periodic motion, and so neither has the wood that carries them. A guide makes
//! it periodic: it records all joints over a period and pulls them, after every frame, by a small share
//! towards their values a period before (delayed feedback; Pyragas 1992, Phys. Lett. A 170). For a periodic
//! motion the pull is zero, so that the result is driven by wind, weight and springs alone as far as such a
//! motion exists; the size of the remaining pull is measured.

use std::io;
use std::path::Path;

use windfall_core::{Plant, Pose};
use windfall_io::Slots;
use windfall_solver::{JointAccess, PoseRequest, Solver, Unsupported};

use super::ends::{Ends, largest};

/// Initial rate of the pull, 1/s: in each frame joints are pulled by the share
/// `1 - exp(-RATE / frames per second)`. At 6 fluttering leaves of apple trees diverged after some periods,
/// at 12 those of aspens; the pull is about as many times larger.
const RATE: f64 = 12.0;

/// Factor on the rate when it was not enough.
const FASTER: f64 = 1.5;

/// Delayed feedback on all joints; see the head of the module.
pub struct Guide {
    slots: Slots,
    frames: usize,
    /// Frames per second.
    fps: f64,
    /// Rate of the pull, 1/s.
    rate: f64,
    numbers: Vec<f32>,
    /// Largest displacement by a pull of the end of any body, and of any wood, since the period began, m.
    moved: [f64; 2],
    ends: Ends,
    wood: usize,
    poses: [Pose; 2],
}

impl Guide {
    /// A guide for the plant of a solver and a period of this many frames, with storage in a temporary file
    /// in this folder. An error if the solver has no joint access.
    pub fn new(solver: &dyn Solver, frames: usize, fps: f64, folder: &Path) -> Result<io::Result<Self>, Unsupported> {
        let Some(joints) = solver.joints() else {
            return Err(Unsupported { solver: solver.name(), what: "pulling joints, which loops need" });
        };
        let numbers = joints.numbers_per_joint() * solver.plant().body_count();
        Ok(Slots::new_in(folder, numbers).map(|slots| Self::with(slots, solver.plant(), frames, fps)))
    }

    fn with(slots: Slots, plant: &Plant, frames: usize, fps: f64) -> Self {
        Self {
            slots,
            frames,
            fps,
            rate: RATE,
            numbers: Vec::new(),
            moved: [0.0; 2],
            ends: Ends::new(plant),
            wood: plant.segments().len(),
            poses: Default::default(),
        }
    }

    /// Records the joints in a frame.
    pub fn remember(&mut self, frame: usize, solver: &dyn Solver) -> io::Result<()> {
        joints(solver).write_joints(&mut self.numbers);
        self.slots.write(frame % self.frames, &self.numbers)
    }

    /// Pulls the joints towards their values a period before, and records the result.
    pub fn pull(&mut self, frame: usize, solver: &mut dyn Solver) -> io::Result<()> {
        self.slots.read(frame % self.frames, &mut self.numbers)?;
        let [before, after] = &mut self.poses;
        solver.write_pose(PoseRequest::default(), before);
        let joints = solver.joints_mut().expect(HAS_JOINTS);
        joints.pull_joints(&self.numbers, -(-self.rate / self.fps).exp_m1());
        solver.write_pose(PoseRequest::default(), after);
        let (before, after) = (self.ends.of(before), self.ends.of(after));
        let [all, wood] = &mut self.moved;
        *all = all.max(largest(&before, &after));
        *wood = wood.max(largest(&before[..self.wood], &after[..self.wood]));
        self.remember(frame, solver)
    }

    /// Begins a period, from which on the displacement by pulls is measured.
    pub fn begin_period(&mut self) {
        self.moved = [0.0; 2];
    }

    /// Raises the rate of the pull from now on.
    pub fn pull_harder(&mut self) {
        self.rate *= FASTER;
    }

    /// Largest displacement by a pull of the end of any body, and of any wood, since the period began, m.
    pub fn moved(&self) -> [f64; 2] {
        self.moved
    }
}

const HAS_JOINTS: &str = "looked at when the guide was made";

fn joints(solver: &dyn Solver) -> &dyn JointAccess {
    solver.joints().expect(HAS_JOINTS)
}
