//! Motion: dense mass matrix from body Jacobians, velocity products by the Newton-Euler equations.
//!
//! The unknowns are the relative angular accelerations `z` of the joints in *world* axes (and the
//! acceleration of free roots). For body i with the joints j on its path to the root, and with
//! d = (centre of i) - (joint j):
//!
//! ```text
//! alpha_i = alpha_i0 + sum_j z_j        a_i = a_i0 + sum_j z_j x d_j + a_root
//! M_jk    = sum over bodies i beyond both j and k of  I_i - m_i [d_j] [d_k]
//! Q_j     = T_j + sum over bodies i beyond j of
//!           (t_i - I_i alpha_i0 - omega_i x I_i omega_i) + d_j x (f_i - m_i a_i0)
//! ```
//!
//! with the joint's own torque `T_j = -J_l^-T (K theta + C J_l^-1 w)`, and `_0` the accelerations with
//! all unknowns zero: those of the base, Coriolis and centripetal.

use nalgebra::{DMatrix, DVector};
use windfall_core::glam::{DMat3, DQuat, DVec3};
use windfall_solver::BodyMotion;

use super::so3::{cross, inverse_left_jacobian};
use super::tree::{Reference, State};

/// The load on one body: force at its centre of mass and torque about it, world axes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Applied {
    /// Force, N.
    pub force: DVec3,
    /// Torque, N m.
    pub torque: DVec3,
}

/// The second derivatives, which are the unknowns of the equations of motion.
#[derive(Debug, Clone)]
pub struct Accelerations {
    /// Angular acceleration of each joint, parent-side joint axes, rad/s².
    pub w: Vec<DVec3>,
    /// Acceleration of each free root joint (by tree), world axes, m/s².
    pub root: Vec<DVec3>,
}

impl Reference {
    /// The joint frames: rotations from parent-side joint axes to world axes.
    pub fn frames(&self, motion: &[BodyMotion], state: &State) -> Vec<DQuat> {
        (0..self.links.len()).map(|i| (motion[i].orientation * state.q[i].normalize().inverse()).normalize()).collect()
    }

    /// Position and velocity of every link; accelerations are zero.
    pub fn positions_and_velocities(&self, state: &State) -> Vec<BodyMotion> {
        let mut motion: Vec<BodyMotion> = Vec::with_capacity(self.links.len());
        for (i, link) in self.links.iter().enumerate() {
            let (joint, joint_velocity, frame, spin) = if let Some(p) = link.parent {
                let p = &motion[p];
                let arm = p.orientation * link.offset;
                let p_velocity = p.velocity - p.angular_velocity.cross(p.center - p.joint);
                (
                    p.joint + arm,
                    p_velocity + p.angular_velocity.cross(arm),
                    p.orientation * link.rest,
                    p.angular_velocity,
                )
            } else if self.free {
                (state.root_position[link.tree], state.root_velocity[link.tree], link.rest, DVec3::ZERO)
            } else {
                let base = (self.base)(link.tree, state.time);
                let arm = base.orientation * link.offset;
                (
                    self.origins[link.tree] + base.position + arm,
                    base.velocity + base.angular_velocity.cross(arm),
                    base.orientation * link.rest,
                    base.angular_velocity,
                )
            };
            let orientation = frame * state.q[i].normalize();
            let angular_velocity = spin + frame * state.w[i];
            let arm = orientation * link.center;
            motion.push(BodyMotion {
                joint,
                center: joint + arm,
                velocity: joint_velocity + angular_velocity.cross(arm),
                acceleration: DVec3::ZERO,
                orientation,
                angular_velocity,
                angular_acceleration: DVec3::ZERO,
            });
        }
        motion
    }

    /// Computes the accelerations of the bodies from those of the joints.
    fn accelerate(&self, state: &State, frames: &[DQuat], motion: &mut [BodyMotion], accelerations: &Accelerations) {
        for (i, link) in self.links.iter().enumerate() {
            let (joint_acceleration, spin, spin_rate) = if let Some(p) = link.parent {
                let p = motion[p];
                let at = |point: DVec3| {
                    let arm = point - p.center;
                    p.acceleration
                        + p.angular_acceleration.cross(arm)
                        + p.angular_velocity.cross(p.angular_velocity.cross(arm))
                };
                (at(motion[i].joint), p.angular_velocity, p.angular_acceleration)
            } else if self.free {
                (accelerations.root[link.tree], DVec3::ZERO, DVec3::ZERO)
            } else {
                let base = (self.base)(link.tree, state.time);
                let arm = base.orientation * link.offset;
                let omega = base.angular_velocity;
                let a = base.acceleration + base.angular_acceleration.cross(arm) + omega.cross(omega.cross(arm));
                (a, omega, base.angular_acceleration)
            };
            let m = &mut motion[i];
            m.angular_acceleration = spin_rate + frames[i] * accelerations.w[i] + spin.cross(frames[i] * state.w[i]);
            let arm = m.center - m.joint;
            let omega = m.angular_velocity;
            m.acceleration = joint_acceleration + m.angular_acceleration.cross(arm) + omega.cross(omega.cross(arm));
        }
    }

    /// Gravity and loads on each body.
    pub fn applied(&self, time: f64, motion: &[BodyMotion]) -> Vec<Applied> {
        let gravity = |l: &super::tree::Link| Applied { force: l.mass * self.gravity, torque: DVec3::ZERO };
        let mut applied: Vec<Applied> = self.links.iter().map(gravity).collect();
        for load in (self.loads)(time, motion) {
            assert!(load.drag == DMat3::ZERO && load.spin_drag == DMat3::ZERO, "compute drag from the motion");
            let i = self.index_of(load.body.id);
            let arm = motion[i].joint + motion[i].orientation * load.point - motion[i].center;
            applied[i].force += load.force;
            applied[i].torque += load.torque + arm.cross(load.force);
        }
        applied
    }

    /// Spring and damper of a joint: torque on the child, parent-side joint axes, N m.
    pub fn joint_torque(&self, state: &State, i: usize) -> DVec3 {
        let link = &self.links[i];
        if link.parent.is_none() && self.free {
            return DVec3::ZERO;
        }
        let theta = state.angle(i);
        let j = inverse_left_jacobian(theta);
        -(j.transpose() * (link.stiffness * theta + link.damping * (j * state.w[i])))
    }

    /// Number of unknowns: three per joint, then three per tree if roots are free.
    pub fn unknowns(&self) -> usize {
        3 * self.links.len() + if self.free { 3 * self.origins.len() } else { 0 }
    }

    /// The mass matrix in world axes; see the head of this file.
    fn world_mass_matrix(&self, motion: &[BodyMotion]) -> DMatrix<f64> {
        let n = self.links.len();
        let mut matrix = DMatrix::zeros(self.unknowns(), self.unknowns());
        let mut add = |row: usize, column: usize, block: DMat3| {
            for r in 0..3 {
                for c in 0..3 {
                    matrix[(3 * row + r, 3 * column + c)] += block.col(c)[r];
                }
            }
        };
        for (i, link) in self.links.iter().enumerate() {
            let r = DMat3::from_quat(motion[i].orientation);
            let inertia = r * DMat3::from_diagonal(link.inertia) * r.transpose();
            for j in self.path(i) {
                let dj = cross(motion[i].center - motion[j].joint);
                for k in self.path(i) {
                    let dk = cross(motion[i].center - motion[k].joint);
                    add(j, k, inertia - dj * dk * link.mass);
                }
                if self.free {
                    // The velocity of the centre is v_root - [d_j] z_j.
                    add(n + link.tree, j, dj * -link.mass);
                    add(j, n + link.tree, dj * link.mass);
                }
            }
            if self.free {
                add(n + link.tree, n + link.tree, DMat3::from_diagonal(DVec3::splat(link.mass)));
            }
        }
        if self.free {
            // A tree of the plant without a link here (another tree than the piece's) must not make the
            // matrix singular.
            for t in (0..self.origins.len()).filter(|&t| self.links.iter().all(|l| l.tree != t)) {
                add(n + t, n + t, DMat3::IDENTITY);
            }
        }
        matrix
    }

    /// The mass matrix for velocities in parent-side joint axes, three rows per joint (then three per
    /// tree if roots are free), kg m².
    pub fn mass_matrix(&self, state: &State) -> DMatrix<f64> {
        let motion = self.positions_and_velocities(state);
        let mut turn = DMatrix::identity(self.unknowns(), self.unknowns());
        for (i, frame) in self.frames(&motion, state).into_iter().enumerate() {
            let f = DMat3::from_quat(frame);
            for r in 0..3 {
                for c in 0..3 {
                    turn[(3 * i + r, 3 * i + c)] = f.col(c)[r];
                }
            }
        }
        turn.transpose() * self.world_mass_matrix(&motion) * turn
    }

    /// Solves the equations of motion; also returns the full motion of every body.
    pub fn solve(&self, state: &State) -> (Accelerations, Vec<BodyMotion>) {
        assert!(
            !self.free || self.mass_damping == 0.0,
            "mass damping is drag against the ground: free pieces have none"
        );
        let n = self.links.len();
        let mut motion = self.positions_and_velocities(state);
        let frames = self.frames(&motion, state);
        let mut accelerations = Accelerations { w: vec![DVec3::ZERO; n], root: vec![DVec3::ZERO; self.origins.len()] };
        self.accelerate(state, &frames, &mut motion, &accelerations);
        let applied = self.applied(state.time, &motion);
        let mut right: DVector<f64> = DVector::zeros(self.unknowns());
        let mut add = |row: usize, v: DVec3| (0..3).for_each(|r| right[3 * row + r] += v[r]);
        for (i, link) in self.links.iter().enumerate() {
            let (force, torque) = inertial_deficit(link, &motion[i], &applied[i]);
            for j in self.path(i) {
                add(j, torque + (motion[i].center - motion[j].joint).cross(force));
            }
            if self.free {
                add(n + link.tree, force);
            }
            add(i, frames[i] * self.joint_torque(state, i));
        }
        let solved = self.world_mass_matrix(&motion).cholesky().expect("a positive definite mass matrix").solve(&right);
        let at = |row: usize| DVec3::new(solved[3 * row], solved[3 * row + 1], solved[3 * row + 2]);
        for (i, frame) in frames.iter().enumerate() {
            accelerations.w[i] = frame.inverse() * at(i) - self.mass_damping * state.w[i];
        }
        if self.free {
            for (t, root) in accelerations.root.iter_mut().enumerate() {
                *root = at(n + t);
            }
        }
        self.accelerate(state, &frames, &mut motion, &accelerations);
        (accelerations, motion)
    }
}

/// Residual of the Newton-Euler equations of one body: force and torque about its centre.
pub(super) fn inertial_deficit(link: &super::tree::Link, m: &BodyMotion, applied: &Applied) -> (DVec3, DVec3) {
    let r = DMat3::from_quat(m.orientation);
    let inertia = r * DMat3::from_diagonal(link.inertia) * r.transpose();
    let force = applied.force - link.mass * m.acceleration;
    let omega = m.angular_velocity;
    (force, applied.torque - inertia * m.angular_acceleration - omega.cross(inertia * omega))
}
