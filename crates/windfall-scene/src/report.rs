//! Summary of a run.

use serde::Serialize;

use crate::prepared::PreparedScene;

/// Summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// The name of the scene.
    pub scene: String,
    /// Number of bodies of all plants.
    pub bodies: usize,
    /// Number of simulated bodies at the beginning.
    pub simulated_bodies: usize,
    /// Solver at the beginning.
    pub solver: &'static str,
    /// Length of a step.
    pub step_s: f64,
    /// Number of steps.
    pub steps: usize,
    /// Number of finished frames, without the first.
    pub frames: usize,
    /// Simulated time.
    pub simulated_s: f64,
    /// Elapsed time of the steps.
    pub wall_s: f64,
    /// Mean elapsed time of the steps of one frame.
    pub ms_per_frame: f64,
    /// Frames per second of elapsed time.
    pub frames_per_s: f64,
    /// Largest distance of any body still on its tree from its place at rest.
    pub largest_deflection_m: f64,
    /// The body of the largest deflection.
    pub largest_deflection_body: u32,
    /// The time of the largest deflection.
    pub largest_deflection_time_s: f64,
    /// Number of breaks and cuts of wood.
    pub breaks: usize,
    /// Leaves and petals that detached or were cut.
    pub leaves_let_go: usize,
    /// Fruit that detached or was cut.
    pub fruit_let_go: usize,
    /// Free bodies (thrown bodies, leaves and fruit) at the end.
    pub free_bodies: usize,
    /// Free bodies at rest at the end.
    pub free_bodies_at_rest: usize,
    /// Time at which the motion became not finite, if it did: the simulation ends there.
    pub left_numbers_s: Option<f64>,
    /// Written files.
    pub files: Vec<String>,
}

impl RunReport {
    pub(crate) fn new(set: &PreparedScene, simulated_bodies: usize) -> Self {
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
