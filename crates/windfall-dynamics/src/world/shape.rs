//! The rest shape: editing it, and holding it against gravity (quigley2017, section 9).
//!
//! A plant that was modelled or scanned under gravity sags when gravity is switched on, unless its springs are wound up
//! beforehand: joint for joint, the relaxed frame is turned back by the rotation vector theta with
//!
//! ```text
//! J_r^-T(theta) K theta = torque of the weight of all that hangs on the joint, about the joint, in the child's axes
//! ```
//!
//! Then the rest shape is an equilibrium under gravity, at any stiffness. Free axes (K = 0) can't hold anything and stay as
//! they are.

use std::collections::HashSet;

use rayon::prelude::*;
use windfall_core::glam::{DQuat, DVec3};
use windfall_core::{BodyId, InvalidPlant, Plant, Solver};

use super::World;
use super::build::BodyJoint;
use crate::math::{Quat, Real, Vec3, force_on};
use crate::params::BodyValues;

/// A joint is not wound up further than this, rad: beyond it the wood can't hold its weight in any shape.
const LARGEST_WINDING: f64 = 2.0;

impl<T: Real> World<T> {
    /// Makes the present shape the rest shape, and stands still in it; a piece that flies goes on with its momentum. With `keep_shape` in the parameters gravity does not bend it; without, it
    /// sags from there.
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
        self.lay_out(joints);
        if self.params.keep_shape {
            self.compensate_gravity();
        }
        self.restore_momenta(&self.piece_momenta(), &momenta);
    }

    /// A plant with the same bodies whose rest shape is the present shape. An error if a body has got farther from its tree than a plant may
    /// reach.
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

    /// Winds the springs up so that the rest shape is an equilibrium under gravity. Nothing moves at this moment.
    pub(crate) fn compensate_gravity(&mut self) {
        let mut joints = self.joint_table();
        let values = self.params.values(&self.plant);
        self.wind_up(&mut joints, &values);
        self.lay_out_with(joints, &values);
    }

    /// The same for joints that are not in the world yet.
    pub(crate) fn wind_up(&self, joints: &mut [BodyJoint<T>], values: &[BodyValues]) {
        let pieces = self.piece_set();
        let loose: HashSet<BodyId> = pieces.iter().chain(&self.gone).copied().collect();
        let torques = gravity_torques(&self.plant, values, joints, &self.bases, self.gravity, &loose);
        joints.par_iter_mut().enumerate().with_min_len(1024).for_each(|(id, entry)| {
            let winding = winding(values[id].stiffness, torques[id]);
            rewind(entry, Quat::of(DQuat::from_scaled_axis(-winding)), pieces.contains(&BodyId(id as u32)));
        });
    }

    /// Takes the winding off again: the rest shape is where the springs are relaxed.
    pub(crate) fn relax(&mut self) {
        let mut joints = self.joint_table();
        let pieces = self.piece_set();
        for (id, entry) in joints.iter_mut().enumerate() {
            rewind(entry, Quat::identity(), pieces.contains(&BodyId(id as u32)));
        }
        self.lay_out(joints);
    }
}

/// Turns the relaxed frame of a joint to `shape * back`, and leaves the body where it is.
fn rewind<T: Real>(entry: &mut BodyJoint<T>, back: Quat<T>, is_free: bool) {
    let neutral = (entry.joint.shape * back).normalized();
    if !is_free {
        entry.state.q = (neutral.inverse() * entry.joint.neutral * entry.state.q).normalized();
    }
    entry.joint.neutral = neutral;
}

/// The torque of gravity about each joint in the rest shape, child's axes, N m.
fn gravity_torques<T: Real>(
    plant: &Plant,
    values: &[BodyValues],
    joints: &[BodyJoint<T>],
    bases: &[super::MovingBase],
    gravity: DVec3,
    loose: &HashSet<BodyId>,
) -> Vec<DVec3> {
    // Frames of wood, one after the other; those of what hangs on it follow, and are found when they are needed.
    let mut frames: Vec<DQuat> = Vec::with_capacity(plant.segments().len());
    let parent_frame = |frames: &[DQuat], id: BodyId| {
        plant.parent(id).map_or_else(|| bases[plant.tree_index(id)].now.orientation, |p| frames[p.0 as usize])
    };
    let turned = |parent: DQuat, id: BodyId| (parent * joints[id.0 as usize].joint.shape.f64()).normalize();
    for id in plant.body_ids().take(plant.segments().len()) {
        frames.push(turned(parent_frame(&frames, id), id));
    }
    let frame = |id: BodyId| match frames.get(id.0 as usize) {
        Some(frame) => *frame,
        None => turned(parent_frame(&frames, id), id),
    };
    // Mass, and mass times centre relative to the joint: of the body, then of everything that hangs on it. And from the parent's joint to this one.
    let weight = |i: usize| {
        let id = BodyId(i as u32);
        let properties = plant.mass_properties(id);
        let mass = properties.mass * values[i].mass_scale;
        let arm = parent_frame(&frames, id) * joints[i].joint.offset.f64();
        ((mass, mass * (frame(id) * properties.center_of_mass)), arm)
    };
    let (mut weights, mut arms) = (Vec::new(), Vec::new());
    let bodies = (0..plant.body_count()).into_par_iter();
    bodies.map(weight).unzip_into_vecs(&mut weights, &mut arms);
    for id in plant.body_ids().rev() {
        // What has broken off hangs on nothing.
        if let Some(parent) = plant.parent(id).filter(|_| loose.is_empty() || !loose.contains(&id)) {
            let (mass, moment) = weights[id.0 as usize];
            let p = &mut weights[parent.0 as usize];
            p.0 += mass;
            p.1 += moment + mass * arms[id.0 as usize];
        }
    }
    let torque = |(i, &(_, moment)): (usize, &(f64, DVec3))| frame(BodyId(i as u32)).inverse() * moment.cross(gravity);
    weights.par_iter().enumerate().map(torque).collect()
}

/// The rotation vector at which a spring exerts this torque against the child (see the head of the module), rad.
fn winding(stiffness: DVec3, torque: DVec3) -> DVec3 {
    let divide = |t: f64, k: f64| if k > 0.0 { t / k } else { 0.0 };
    let mut theta = DVec3::ZERO;
    for _ in 0..50 {
        // theta = K^-1 J_r^T torque with the last theta in J; converges quickly for all but the softest joints.
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
