//! The rest shape: editing it, and holding it against gravity (quigley2017, section 9).
//!
//! A plant that was modelled or scanned under gravity sags when gravity is switched on, unless its
//! springs are wound up beforehand: joint for joint, the relaxed frame is turned back by the rotation
//! vector theta with
//!
//! ```text
//! J_r^-T(theta) K theta = torque of the weight of the subtree, about the joint, in the child's axes
//! ```
//!
//! Then the rest shape is an equilibrium under gravity, at any stiffness. Free axes (K = 0) cannot carry
//! a torque and stay as they are.

use std::collections::HashSet;

use rayon::prelude::*;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, InvalidPlant, MassProperties, Plant};

use crate::block::Joint;
use crate::math::{Quat, Real, Vec3, force_on};
use crate::world::World;
use crate::world::build::BodyJoint;
use windfall_solver::params::Values;

/// Largest winding of a joint, rad: beyond it the wood cannot hold its weight in any shape.
const LARGEST_WINDING: f64 = 2.0;

impl<T: Real> World<T> {
    /// Makes the present shape the rest shape, with zero velocities; a free piece keeps its momentum.
    /// With `keep_shape` in the parameters gravity does not bend it; without, it sags from there.
    pub fn adopt_shape(&mut self) {
        let momenta = self.piece_momenta();
        self.bring_velocities_to_pose();
        let mut joints = self.joint_table();
        let pieces = self.piece_set();
        for (id, BodyJoint { joint, state }) in joints.iter_mut().enumerate() {
            if !pieces.contains(&BodyId(id as u32)) {
                (state.w, state.rate) = (Vec3::zero(), Vec3::zero());
                joint.shape = (joint.neutral * state.q).normalized();
                joint.neutral = joint.shape;
                state.q = Quat::identity();
            }
        }
        self.lay_out(&joints);
        if self.params.keep_shape {
            self.compensate_gravity();
        }
        self.restore_momenta(&self.piece_momenta(), &momenta);
    }

    /// A plant with the same bodies whose rest shape is the present shape. An error if a body is farther
    /// from its tree than a plant may reach.
    pub fn plant_in_present_shape(&self) -> Result<Plant, InvalidPlant> {
        let pose = self.pose();
        let mut parts = self.plant.parts().clone();
        let (wood, leaves) = (parts.segments.len(), parts.leaves.len());
        for (i, segment) in parts.segments.iter_mut().enumerate() {
            (segment.position, segment.orientation) = (pose.positions[i], pose.orientations[i]);
        }
        for (i, leaf) in parts.leaves.iter_mut().enumerate() {
            (leaf.position, leaf.orientation) = (pose.positions[wood + i], pose.orientations[wood + i]);
        }
        for (i, fruit) in parts.fruit.iter_mut().enumerate() {
            let k = wood + leaves + i;
            (fruit.position, fruit.orientation) = (pose.positions[k], pose.orientations[k]);
        }
        Plant::new(parts)
    }

    /// Winds the springs up so that the rest shape is an equilibrium under gravity. Nothing moves at this
    /// moment.
    pub(crate) fn compensate_gravity(&mut self) {
        let (joints, pieces) = (self.joint_table(), self.piece_set());
        let windings = self.windings(|id| joints[id.0 as usize]);
        let wound = |id: BodyId| rewound(joints[id.0 as usize], windings[id.0 as usize], pieces.contains(&id));
        self.lay_out_with(wound);
    }

    /// The windings of the springs of all joints for that.
    pub(crate) fn windings(&self, joint: impl Fn(BodyId) -> BodyJoint<T> + Sync) -> Vec<Quat<T>> {
        let loose: HashSet<BodyId> = self.pieces.iter().chain(&self.removed).copied().collect();
        let values = Values::new(&self.params, &self.plant);
        windings(&self.plant, &values, joint, &self.bases, self.gravity, &loose)
    }

    /// Removes the winding again: the rest shape becomes the shape in which the springs are relaxed.
    pub(crate) fn relax(&mut self) {
        let mut joints = self.joint_table();
        let pieces = self.piece_set();
        for (id, entry) in joints.iter_mut().enumerate() {
            *entry = rewound(*entry, Quat::identity(), pieces.contains(&BodyId(id as u32)));
        }
        self.lay_out(&joints);
    }
}

/// A joint with its relaxed frame turned to `shape * back`; the body stays where it is.
pub(crate) fn rewound<T: Real>(mut entry: BodyJoint<T>, back: Quat<T>, is_free: bool) -> BodyJoint<T> {
    let neutral = (entry.joint.shape * back).normalized();
    if !is_free {
        entry.state.q = (neutral.inverse() * entry.joint.neutral * entry.state.q).normalized();
    }
    entry.joint.neutral = neutral;
    entry
}

/// Mass and moment of the subtree of a joint, about the joint.
#[derive(Clone, Copy)]
struct Weight {
    /// Mass, kg.
    mass: f64,
    /// Mass times centre, world axes, kg m.
    moment: DVec3,
}

impl Weight {
    /// Of a body alone.
    fn of(properties: &MassProperties, scale: f64, frame: DQuat) -> Self {
        let mass = properties.mass * scale;
        Self { mass, moment: mass * (frame * properties.center_of_mass) }
    }

    /// Adds the weight of a child's subtree whose joint is at `arm`.
    fn add(&mut self, other: Self, arm: DVec3) {
        self.mass += other.mass;
        self.moment += other.moment + other.mass * arm;
    }

    /// The winding of a spring that carries this weight, if the child has this frame.
    fn winding<T: Real>(self, stiffness: DVec3, frame: DQuat, gravity: DVec3) -> Quat<T> {
        let torque = frame.inverse() * self.moment.cross(gravity);
        Quat::of(DQuat::from_scaled_axis(-winding(stiffness, torque)))
    }
}

/// Number of leaves and fruit that are weighed at a time: a list of all would take much memory for a
/// short time.
const WEIGHED: usize = 1 << 16;

/// The windings with which the springs of all joints carry their subtrees in the rest shape; bodies in
/// `loose` have no parent.
fn windings<T: Real>(
    plant: &Plant,
    values: &Values<'_>,
    joint: impl Fn(BodyId) -> BodyJoint<T> + Sync,
    bases: &[crate::world::MovingBase],
    gravity: DVec3,
    loose: &HashSet<BodyId>,
) -> Vec<Quat<T>> {
    let woods = plant.segments().len();
    let id = |i: usize| BodyId(i as u32);
    let place = |i: usize| {
        let Joint { offset, shape, .. } = joint(id(i)).joint;
        (offset.f64(), shape.f64())
    };
    // Frames of wood are found one after the other; leaves and fruit compute their own.
    let places: Vec<(DVec3, DQuat)> = (0..woods).into_par_iter().map(place).collect();
    let mut frames: Vec<DQuat> = Vec::with_capacity(woods);
    let parent_frame = |frames: &[DQuat], id: BodyId| {
        plant.parent(id).map_or_else(|| bases[plant.tree_index(id)].now.orientation, |p| frames[p.0 as usize])
    };
    for (i, (_, shape)) in places.iter().enumerate() {
        frames.push((parent_frame(&frames, id(i)) * *shape).normalize());
    }
    let own = |i: usize| Weight::of(&plant.mass_properties(id(i)), values.mass_scale(id(i)), frames[i]);
    let mut weights: Vec<Weight> = (0..woods).into_par_iter().map(own).collect();
    let carrier = |id: BodyId| plant.parent(id).filter(|_| loose.is_empty() || !loose.contains(&id));

    let mut windings = vec![Quat::identity(); plant.body_count()];
    let leaf = |i: usize| {
        let (above, (offset, shape), values) = (parent_frame(&frames, id(i)), place(i), values.of(id(i)));
        let frame = (above * shape).normalize();
        let own = Weight::of(&plant.mass_properties(id(i)), values.mass_scale, frame);
        ((own, above * offset), own.winding(values.stiffness, frame, gravity))
    };
    let (mut given, mut some) = (Vec::with_capacity(WEIGHED), Vec::with_capacity(WEIGHED));
    let mut end = plant.body_count();
    while end > woods {
        let start = end.saturating_sub(WEIGHED).max(woods);
        (start..end).into_par_iter().map(leaf).unzip_into_vecs(&mut given, &mut some);
        windings[start..end].copy_from_slice(&some);
        for (i, &(own, arm)) in (start..end).zip(&given).rev() {
            if let Some(parent) = carrier(id(i)) {
                weights[parent.0 as usize].add(own, arm);
            }
        }
        end = start;
    }
    for i in (0..woods).rev() {
        if let Some(parent) = carrier(id(i)) {
            let own = weights[i];
            weights[parent.0 as usize].add(own, parent_frame(&frames, id(i)) * places[i].0);
        }
    }
    windings[..woods].par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, winding)| {
        *winding = weights[i].winding(values.of(id(i)).stiffness, frames[i], gravity);
    });
    windings
}

/// The rotation vector at which a spring exerts this torque against the child (see the head of the
/// module), rad.
fn winding(stiffness: DVec3, torque: DVec3) -> DVec3 {
    let divide = |t: f64, k: f64| if k > 0.0 { t / k } else { 0.0 };
    let mut theta = DVec3::ZERO;
    for _ in 0..50 {
        // theta = K^-1 J_r^T torque with the last theta in J; converges quickly for all but the softest
        // joints.
        let solved = force_on(Vec3::<f64>::of(theta), Vec3::of(torque)).f64();
        let next =
            DVec3::new(divide(solved.x, stiffness.x), divide(solved.y, stiffness.y), divide(solved.z, stiffness.z))
                .clamp_length_max(LARGEST_WINDING);
        let change = (next - theta).length();
        theta = next;
        if change < 1e-12 {
            break;
        }
    }
    if theta.is_finite() { theta } else { DVec3::ZERO }
}
