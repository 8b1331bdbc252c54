//! The interface that all solvers have.

use std::sync::Arc;

use windfall_core::glam::DVec3;
use windfall_core::{Actions, Base, BodyId, BodyMotion, JointLoad, Plant, Pose, Solver, StepError, Wind};

use super::Stage;
use crate::free::Name;
use crate::math::Real;

impl<T: Real> Solver for Stage<T> {
    fn plant(&self) -> &Plant {
        self.world.plant()
    }

    fn step(&mut self, dt: f64, actions: &Actions<'_>) -> Result<(), StepError> {
        Self::step(self, dt, actions)
    }

    fn time(&self) -> f64 {
        self.world.time()
    }

    fn set_gravity(&mut self, gravity: DVec3) {
        self.world.set_gravity(gravity);
    }

    fn set_wind(&mut self, wind: Option<Arc<dyn Wind>>) {
        self.world.set_wind(wind);
    }

    fn set_base(&mut self, tree: usize, base: Base) {
        self.world.set_base(tree, base);
    }

    fn write_pose(&self, pose: &mut Pose) {
        self.world.write_pose(pose);
        for body in self.bodies.iter() {
            if let Name::Plant(id) = body.name {
                let origin = self.world.plant.trees()[self.world.plant.tree_index(id)].origin;
                pose.positions[id.0 as usize] = (body.origin() - origin).as_vec3();
                pose.orientations[id.0 as usize] = body.orientation.as_quat();
            }
        }
    }

    fn motion(&self, body: BodyId) -> BodyMotion {
        let Some(free) = self.bodies.get(Name::Plant(body)) else { return self.world.motion(body) };
        BodyMotion {
            joint: free.origin(),
            center: free.position,
            velocity: free.velocity,
            acceleration: DVec3::ZERO,
            orientation: free.orientation,
            angular_velocity: free.angular_velocity,
            angular_acceleration: DVec3::ZERO,
        }
    }

    fn joint_load(&self, body: BodyId) -> JointLoad {
        self.world.joint_load(body)
    }

    /// Of those that the caller gave; what bodies, obstacles and creatures did comes after them.
    fn touch_impulses(&self) -> &[DVec3] {
        self.world.touch_impulses()
    }
}
