//! Linearised motion of a tree about its equilibrium: products with its matrices of mass, stiffness and
//! damping.
//!
//! The coordinates are small rotations d of every joint in the child's axes, `q exp(d)`. No matrix is
//! assembled: a product is one pass from the root to the tips and one back, O(n). With R the frame of a
//! body, p its joint, c its centre of mass, all in world axes from one origin, a rotation moves the body
//! and its subtree with the angular velocity R d about p:
//!
//! ```text
//! mass        momenta  f = m v(c),  l = I w + c x f,  summed over the joint's subtree: M d = R^T (l - p x f)
//! springs     the symmetric part of d/dd (J_r^-T K theta), theta the spring's angle under its load
//! weight      with g gravity, S = sum of m (c - p) over the subtree of the joint, w = R d its own rotation,
//!             W that of its parent, D the sum of (w x S) x g over the joints beyond:
//!             - R^T (D + S x (g x W) + ((w x S) x g + S x (g x w)) / 2)
//! damping     J_r^-T C J_r^-1
//! ```
//!
//! Springs and weight are the second derivatives of the potential energy in the same coordinates, so their
//! sum is the stiffness of an equilibrium.

use windfall_core::glam::{DMat3, DVec3};
use windfall_core::{BodyId, Plant};

use windfall_articulated::math::{Quat, RotationVector, Vec3, exp, log};
use windfall_solver::Solver;
use windfall_solver::params::BodyValues;

/// Parent index of members that stand on the ground.
const GROUND: u32 = u32::MAX;

/// A body whose joint moves, with all bodies rigidly attached to it; world axes, relative to the origin of
/// the tree.
#[derive(Debug, Clone)]
struct Member {
    parent: u32,
    /// World from body.
    frame: DMat3,
    joint: DVec3,
    mass: f64,
    /// First moment: mass times centre of mass, kg m.
    first: DVec3,
    /// Inertia about the origin, kg m².
    inertia: DMat3,
    /// S of the head of the module, kg m.
    beyond: DVec3,
    /// 1 where the joint turns about an axis of the child, 0 where it is rigid.
    free: DVec3,
    springs: DMat3,
    damping: DMat3,
    /// The inverse of springs and own weight of this joint alone; zero about rigid axes.
    inverse: DMat3,
}

/// A tree linearised about its present shape.
#[derive(Debug)]
pub(super) struct Linear {
    members: Vec<Member>,
    gravity: DVec3,
    /// Mass of all moving bodies, kg.
    pub mass: f64,
}

/// A joint without stiffness about one of its axes.
pub(super) struct Limp {
    pub body: BodyId,
}

/// Scratch of the passes.
#[derive(Debug, Default)]
pub(super) struct Passes {
    turns: Vec<DVec3>,
    shifts: Vec<DVec3>,
    sums: Vec<DVec3>,
    moments: Vec<DVec3>,
}

impl Linear {
    /// The bodies with `moves` of a tree at rest, with the shape and the loads of this world; the others
    /// are rigidly attached to them.
    pub fn new(
        solver: &dyn Solver,
        values: &[BodyValues],
        bodies: impl Iterator<Item = BodyId>,
        moves: impl Fn(BodyId) -> bool,
    ) -> Result<Self, Limp> {
        let plant = solver.plant();
        let rotations = solver.joints().expect("was looked at before");
        let mut members: Vec<Member> = Vec::new();
        // The member that carries each body.
        let mut carriers = vec![GROUND; plant.body_count()];
        let gravity = solver.params().gravity;
        for id in bodies {
            let i = id.0 as usize;
            let origin = plant.trees()[plant.tree_index(id)].origin;
            let parent = plant.parent(id).map_or(GROUND, |p| carriers[p.0 as usize]);
            let value = &values[i];
            let free = value.stiffness.map(|k| f64::from(u8::from(k.is_finite())));
            let (joint, frame, mass, center, inertia) = placed(solver, plant, id, value, origin);
            if moves(id) && free != DVec3::ZERO {
                if value.stiffness.min_element() <= 0.0 {
                    return Err(Limp { body: id });
                }
                let (springs, damping) = springs(value, log(Quat::of(rotations.joint_rotation(id.into()))));
                let held = DMat3::from_diagonal(free);
                carriers[i] = members.len() as u32;
                members.push(Member {
                    parent,
                    frame,
                    joint,
                    mass: 0.0,
                    first: DVec3::ZERO,
                    inertia: DMat3::ZERO,
                    beyond: DVec3::ZERO,
                    free,
                    springs: held * springs * held,
                    damping: held * damping * held,
                    inverse: DMat3::ZERO,
                });
            } else {
                carriers[i] = parent;
            }
            if let Some(carrier) = members.get_mut(carriers[i] as usize) {
                carrier.mass += mass;
                carrier.first += mass * center;
                carrier.inertia += inertia;
            }
        }
        let mut linear = Self { members, gravity, mass: 0.0 };
        linear.mass = linear.members.iter().map(|m| m.mass).sum();
        linear.weigh();
        Ok(linear)
    }

    /// The same tree without gravity.
    pub fn weightless(&self) -> Self {
        let mut linear = Self { members: self.members.clone(), gravity: DVec3::ZERO, mass: self.mass };
        linear.weigh();
        linear
    }

    /// Number of moving joints.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Computes the values that depend on sums over the subtree of each joint.
    fn weigh(&mut self) {
        let mut sums: Vec<(f64, DVec3)> = self.members.iter().map(|m| (m.mass, m.first)).collect();
        let g = self.gravity;
        for i in (0..self.members.len()).rev() {
            let (mass, first) = sums[i];
            let member = &mut self.members[i];
            if let Some(parent) = sums.get_mut(member.parent as usize) {
                parent.0 += mass;
                parent.1 += first;
            }
            member.beyond = first - mass * member.joint;
            let s = member.beyond;
            let outer = DMat3::from_cols(g * s.x, g * s.y, g * s.z);
            let weight = DMat3::from_diagonal(DVec3::splat(s.dot(g))) - (outer + outer.transpose()) * 0.5;
            let weight = member.frame.transpose() * weight * member.frame;
            member.inverse = inverse(member.springs + weight, member.free)
                .or_else(|| inverse(member.springs, member.free))
                .unwrap_or(DMat3::ZERO);
        }
    }

    /// Mass matrix times x.
    pub fn mass_times(&self, x: &[DVec3], out: &mut [DVec3], passes: &mut Passes) {
        self.turn(x, passes);
        passes.sums.clear();
        passes.moments.clear();
        for (member, (&w, &v)) in self.members.iter().zip(passes.turns.iter().zip(&passes.shifts)) {
            passes.sums.push(member.mass * v + w.cross(member.first));
            passes.moments.push(member.first.cross(v) + member.inertia * w);
        }
        self.gather(out, passes);
    }

    /// The generalised forces of an acceleration of the ground, per m/s².
    pub fn carried(&self, direction: DVec3, out: &mut [DVec3], passes: &mut Passes) {
        passes.sums.clear();
        passes.moments.clear();
        for member in &self.members {
            passes.sums.push(member.mass * direction);
            passes.moments.push(member.first.cross(direction));
        }
        self.gather(out, passes);
    }

    /// The momentum of everything that moves with the joint velocities x, kg m/s.
    pub fn momentum(&self, x: &[DVec3], passes: &mut Passes) -> DVec3 {
        self.turn(x, passes);
        let each = self.members.iter().zip(passes.turns.iter().zip(&passes.shifts));
        each.map(|(member, (&w, &v))| member.mass * v + w.cross(member.first)).sum()
    }

    /// Stiffness matrix (springs and weight) times x.
    pub fn stiffness_times(&self, x: &[DVec3], out: &mut [DVec3], passes: &mut Passes) {
        self.turn(x, passes);
        let g = self.gravity;
        passes.sums.clear();
        passes.sums.resize(self.members.len(), DVec3::ZERO);
        for (i, member) in self.members.iter().enumerate().rev() {
            let (s, w) = (member.beyond, member.frame * x[i]);
            let parent = passes.turns[i] - w;
            let own = w.cross(s).cross(g);
            let weight = passes.sums[i] + s.cross(g.cross(parent)) + (own + s.cross(g.cross(w))) * 0.5;
            out[i] = (member.springs * x[i] - member.frame.transpose() * weight) * member.free;
            let sum = passes.sums[i] + own;
            if let Some(parent) = passes.sums.get_mut(member.parent as usize) {
                *parent += sum;
            }
        }
    }

    /// Quadratic form of the damping, x C x.
    pub fn damped(&self, x: &[DVec3]) -> f64 {
        self.members.iter().zip(x).map(|(member, &x)| x.dot(member.damping * x)).sum()
    }

    /// Preconditioner: an approximate inverse of the stiffness, joint by joint, times x.
    pub fn nearly_solve(&self, x: &[DVec3], out: &mut [DVec3]) {
        for ((out, member), &x) in out.iter_mut().zip(&self.members).zip(x) {
            *out = member.inverse * x;
        }
    }

    /// Angular velocity, and velocity of the body's point at the origin.
    fn turn(&self, x: &[DVec3], passes: &mut Passes) {
        passes.turns.clear();
        passes.shifts.clear();
        for (member, &x) in self.members.iter().zip(x) {
            let own = member.frame * x;
            let parent = member.parent as usize;
            let (w, v) = if member.parent == GROUND {
                (DVec3::ZERO, DVec3::ZERO)
            } else {
                (passes.turns[parent], passes.shifts[parent])
            };
            passes.turns.push(w + own);
            passes.shifts.push(v + member.joint.cross(own));
        }
    }

    /// Adds up forces and their moments about the origin towards the root, and projects them on each joint.
    fn gather(&self, out: &mut [DVec3], passes: &mut Passes) {
        for (i, member) in self.members.iter().enumerate().rev() {
            let (f, l) = (passes.sums[i], passes.moments[i]);
            out[i] = (member.frame.transpose() * (l - member.joint.cross(f))) * member.free;
            let parent = member.parent as usize;
            if parent < i {
                passes.sums[parent] += f;
                passes.moments[parent] += l;
            }
        }
    }
}

/// Joint, frame, mass, centre and inertia about the origin of its tree of one body.
fn placed(
    solver: &dyn Solver,
    plant: &Plant,
    id: BodyId,
    value: &BodyValues,
    origin: DVec3,
) -> (DVec3, DMat3, f64, DVec3, DMat3) {
    let motion = solver.motion(id.into());
    let properties = plant.mass_properties(id);
    let mass = properties.mass * value.mass_scale;
    let c = motion.center - origin;
    let outer = DMat3::from_cols(c * c.x, c * c.y, c * c.z);
    let about_origin = (DMat3::from_diagonal(DVec3::splat(c.length_squared())) - outer) * mass;
    let inertia = properties.world_inertia(motion.orientation) * value.mass_scale + about_origin;
    (motion.joint - origin, DMat3::from_quat(motion.orientation), mass, c, inertia)
}

/// Half the width of a central difference, rad: its error is about the square, 1e-8.
const TURN: f64 = 1e-4;

/// Stiffness and damping of a joint at an angle; zero about rigid axes.
fn springs(value: &BodyValues, at: RotationVector<f64>) -> (DMat3, DMat3) {
    let finite = |v: DVec3| v.map(|x| if x.is_finite() { x } else { 0.0 });
    let (stiffness, damping) = (finite(value.stiffness), finite(value.damping));
    let rate = at.rate_matrix();
    let rate = DMat3::from_cols(rate.column(0).f64(), rate.column(1).f64(), rate.column(2).f64());
    let damping = rate.transpose() * DMat3::from_diagonal(damping) * rate;
    let torque = |turn: DVec3| {
        let turned: RotationVector<f64> = log(exp(at.theta) * exp(Vec3::of(turn)));
        turned.torque_of(turned.spring_force(Vec3::of(stiffness))).f64()
    };
    let column = |axis: DVec3| (torque(axis * TURN) - torque(axis * -TURN)) / (2.0 * TURN);
    let slope = DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z));
    ((slope + slope.transpose()) * 0.5, damping)
}

/// The inverse of a positive definite matrix on the free axes, zero on the others; none if it is not
/// positive definite.
fn inverse(m: DMat3, free: DVec3) -> Option<DMat3> {
    let held = DMat3::from_diagonal(free);
    let m = held * m * held + DMat3::from_diagonal(DVec3::ONE - free);
    let (a, b) = (m.x_axis, m.y_axis);
    let positive = a.x > 0.0 && a.x * b.y - a.y * b.x > 0.0 && m.determinant() > 0.0;
    positive.then(|| held * m.inverse() * held)
}
