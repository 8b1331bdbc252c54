//! Quantities derived from a state: positions, energies, momenta, joint loads.

use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Pose};
use windfall_solver::{BodyMotion, JointLoad};

use super::dynamics::inertial_deficit;
use super::tree::{Reference, State};

/// Energies, J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy of the joints, 1/2 theta K theta.
    pub spring: f64,
    /// Potential energy of weight; zero at the world's origin.
    pub gravity: f64,
}

impl Energy {
    /// Total energy.
    pub fn total(&self) -> f64 {
        self.kinetic + self.spring + self.gravity
    }
}

/// Total momenta of all bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Momentum {
    /// Linear momentum, kg m/s.
    pub linear: DVec3,
    /// Angular momentum about the world's origin, kg m²/s.
    pub angular: DVec3,
}

impl Reference {
    /// World position of a point of a body (body axes), m.
    pub fn point(&self, state: &State, body: BodyId, local: DVec3) -> DVec3 {
        let m = &self.positions_and_velocities(state)[self.index_of(body)];
        m.joint + m.orientation * local
    }

    /// World position of the far end of a body, m.
    pub fn tip(&self, state: &State, body: BodyId) -> DVec3 {
        self.point(state, body, self.links[self.index_of(body)].tip)
    }

    /// The pose, in the format of solvers; for a reference with all bodies of its plant.
    pub fn pose(&self, state: &State) -> Pose {
        let motion = self.positions_and_velocities(state);
        let origin = |i: usize| self.origins[self.links[i].tree];
        Pose {
            positions: motion.iter().enumerate().map(|(i, m)| (m.joint - origin(i)).as_vec3()).collect(),
            orientations: motion.iter().map(|m| m.orientation.as_quat()).collect(),
        }
    }

    /// The full motion of every link, with accelerations.
    pub fn motion(&self, state: &State) -> Vec<BodyMotion> {
        self.solve(state).1
    }

    /// Kinetic, spring and gravity energy.
    pub fn energy(&self, state: &State) -> Energy {
        let motion = self.positions_and_velocities(state);
        let mut energy = Energy { kinetic: 0.0, spring: 0.0, gravity: 0.0 };
        for (i, link) in self.links.iter().enumerate() {
            let m = &motion[i];
            let spin = m.orientation.inverse() * m.angular_velocity;
            energy.kinetic += 0.5 * link.mass * m.velocity.length_squared() + 0.5 * spin.dot(link.inertia * spin);
            energy.gravity -= link.mass * self.gravity.dot(m.center);
            if link.parent.is_some() || !self.free {
                let theta = state.angle(i);
                energy.spring += 0.5 * theta.dot(link.stiffness * theta);
            }
        }
        energy
    }

    /// Linear momentum, and angular momentum about the world's origin.
    pub fn momentum(&self, state: &State) -> Momentum {
        let motion = self.positions_and_velocities(state);
        let mut sum = Momentum { linear: DVec3::ZERO, angular: DVec3::ZERO };
        for (link, m) in self.links.iter().zip(&motion) {
            let r = DMat3::from_quat(m.orientation);
            let p = link.mass * m.velocity;
            sum.linear += p;
            sum.angular += m.center.cross(p) + r * (link.inertia * (r.transpose() * m.angular_velocity));
        }
        sum
    }

    /// Mass of all links, kg, and their common centre of mass, world metres.
    pub fn center_of_mass(&self, state: &State) -> (f64, DVec3) {
        let motion = self.positions_and_velocities(state);
        let mass = self.links.iter().map(|l| l.mass).sum();
        let moment: DVec3 = self.links.iter().zip(&motion).map(|(l, m)| l.mass * m.center).sum();
        (mass, moment / mass)
    }

    /// The load that the parent exerts on each body through its joint at this moment, by the
    /// Newton-Euler equations from the tips to the roots, in the body's own axes. Mass damping, if any,
    /// counts as part of it.
    pub fn joint_loads(&self, state: &State) -> Vec<JointLoad> {
        let (_, motion) = self.solve(state);
        let applied = self.applied(state.time, &motion);
        // World axes, torque about the own joint.
        let mut loads = vec![JointLoad::default(); self.links.len()];
        for i in (0..self.links.len()).rev() {
            let (force, torque) = inertial_deficit(&self.links[i], &motion[i], &applied[i]);
            loads[i].force -= force;
            loads[i].torque -= torque + (motion[i].center - motion[i].joint).cross(force);
            if let Some(p) = self.links[i].parent {
                let child = loads[i];
                loads[p].force += child.force;
                loads[p].torque += child.torque + (motion[i].joint - motion[p].joint).cross(child.force);
            }
        }
        for (load, m) in loads.iter_mut().zip(&motion) {
            let back = m.orientation.inverse();
            *load = JointLoad { torque: back * load.torque, force: back * load.force };
        }
        loads
    }

    /// Continues with RK4 and returns the mean of [`Reference::joint_loads`] over this time (Simpson's
    /// rule over the steps).
    pub fn mean_joint_loads(&self, state: &mut State, duration: f64, h: f64) -> Vec<JointLoad> {
        let steps = (duration / h).ceil().max(1.0);
        let mut mean = vec![JointLoad::default(); self.links.len()];
        let mut add = |weight: f64, state: &State| {
            for (mean, load) in mean.iter_mut().zip(self.joint_loads(state)) {
                mean.torque += weight * load.torque;
                mean.force += weight * load.force;
            }
        };
        for _ in 0..steps as usize {
            add(1.0 / (6.0 * steps), state);
            self.step(state, 0.5 * duration / steps);
            add(4.0 / (6.0 * steps), state);
            self.step(state, 0.5 * duration / steps);
            add(1.0 / (6.0 * steps), state);
        }
        mean
    }
}
