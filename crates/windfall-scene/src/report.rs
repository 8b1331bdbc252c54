//! What came of a run.

use serde::Serialize;

use crate::set::Set;

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The name of the scene.
    pub scene: String,
    /// Of all plants.
    pub bodies: usize,
    /// At the beginning.
    pub simulated_bodies: usize,
    /// At the beginning.
    pub solver: &'static str,
    /// Length of a step.
    pub step_s: f64,
    /// How many were taken.
    pub steps: usize,
    /// How many frames were finished, without the first.
    pub frames: usize,
    /// Time in the scene.
    pub simulated_s: f64,
    /// Time that the steps took.
    pub wall_s: f64,
    /// Time that the steps of one frame took, on the mean.
    pub ms_per_frame: f64,
    /// Frames in a second of the clock.
    pub frames_per_s: f64,
    /// Farthest that anything still on its tree was from its place at rest.
    pub largest_deflection_m: f64,
    /// Which.
    pub largest_deflection_body: u32,
    /// When.
    pub largest_deflection_time_s: f64,
    /// How often wood broke or was cut.
    pub breaks: usize,
    /// Leaves and petals that let go or were cut.
    pub leaves_let_go: usize,
    /// Fruit that let go or was cut.
    pub fruit_let_go: usize,
    /// Thrown bodies, leaves and fruit that fly or lie at the end.
    pub free_bodies: usize,
    /// Those of them that lie still.
    pub free_bodies_at_rest: usize,
    /// When the motion left the range of numbers, if it did: nothing after that was computed.
    pub left_numbers_s: Option<f64>,
    /// Files that were written.
    pub files: Vec<String>,
}

impl Report {
    pub(crate) fn new(set: &Set, simulated_bodies: usize) -> Self {
        Self {
            scene: set.scene.name.clone(),
            bodies: set.plants.whole.body_count(),
            simulated_bodies,
            solver: set.scene.solver.name(),
            step_s: set.scene.step(),
            steps: 0,
            frames: 0,
            simulated_s: 0.0,
            wall_s: 0.0,
            ms_per_frame: 0.0,
            frames_per_s: 0.0,
            largest_deflection_m: 0.0,
            largest_deflection_body: 0,
            largest_deflection_time_s: 0.0,
            breaks: 0,
            leaves_let_go: 0,
            fruit_let_go: 0,
            free_bodies: 0,
            free_bodies_at_rest: 0,
            left_numbers_s: None,
            files: Vec::new(),
        }
    }

    pub(crate) fn finish(&mut self) {
        if self.frames > 0 && self.wall_s > 0.0 {
            self.ms_per_frame = 1e3 * self.wall_s / self.frames as f64;
            self.frames_per_s = self.frames as f64 / self.wall_s;
        }
    }
}
