//! All joints of a world as plain numbers: for storage, and for pulling a world towards a stored state.

use rayon::prelude::*;

use crate::block::{Block, JointState, Link, PADDING};
use crate::math::{Quat, Real, Vec3};
use crate::world::World;

/// Numbers of a joint: its rotation (x, y, z, w), its angular velocity and the last rate of that, in the
/// child's axes.
pub const JOINT_NUMBERS: usize = 10;

impl<T: Real> World<T> {
    /// Writes [`JOINT_NUMBERS`] numbers for each body, in the order of their ids: the rotation from the
    /// relaxed frame of the joint to the body's frame, the angular velocity relative to the parent,
    /// rad/s, and its last rate of change, rad/s². Of bodies that are not simulated, and of those that
    /// broke or fell off, they are zero.
    pub fn write_joints(&self, numbers: &mut Vec<f32>) {
        numbers.clear();
        numbers.resize(JOINT_NUMBERS * self.plant.body_count(), 0.0);
        let (joints, _) = numbers.as_chunks_mut::<JOINT_NUMBERS>();
        for block in self.all_blocks() {
            for (i, &id) in block.model.ids.iter().enumerate().filter(|&(i, _)| is_joint(block, i)) {
                let JointState { q, w, rate } = block.state.joints.get(i);
                let [x, y, z] = [q.v.x, q.v.y, q.v.z];
                joints[id as usize] = [x, y, z, q.w, w.x, w.y, w.z, rate.x, rate.y, rate.z].map(|x| x.f64() as f32);
            }
        }
    }

    /// Moves every joint towards the numbers of [`World::write_joints`] by this fraction of the
    /// difference, 0 to 1, along the shorter rotation. The bodies are placed anew.
    ///
    /// # Panics
    /// If there are not [`JOINT_NUMBERS`] for each body.
    pub fn pull_joints(&mut self, numbers: &[f32], share: f64) {
        assert_eq!(numbers.len(), JOINT_NUMBERS * self.plant.body_count(), "numbers of all joints");
        let (joints, _) = numbers.as_chunks::<JOINT_NUMBERS>();
        let share = T::of(share);
        let pull = |block: &mut Block<T>| {
            for i in 0..block.len() {
                if is_joint(block, i) {
                    let to = read(&joints[block.model.ids[i] as usize]);
                    block.state.joints.edit(i, |state| *state = between(state, &to, share));
                }
            }
        };
        pull(&mut self.top);
        self.blocks.change_joints().par_iter_mut().for_each(pull);
        self.replace_all();
    }
}

fn is_joint<T>(block: &Block<T>, i: usize) -> bool {
    block.model.ids[i] != PADDING && !matches!(block.state.links[i], Link::Free(_) | Link::Removed)
}

fn read<T: Real>(numbers: &[f32; JOINT_NUMBERS]) -> JointState<T> {
    let [x, y, z, turn, a, b, c, d, e, f] = numbers.map(|x| T::of(f64::from(x)));
    JointState { q: Quat { v: Vec3::new(x, y, z), w: turn }, w: Vec3::new(a, b, c), rate: Vec3::new(d, e, f) }
}

fn between<T: Real>(from: &JointState<T>, to: &JointState<T>, share: T) -> JointState<T> {
    let left = T::one() - share;
    let cosine = from.q.v.dot(to.q.v) + from.q.w * to.q.w;
    let side = if cosine < T::zero() { -share } else { share };
    let q = Quat { v: from.q.v * left + to.q.v * side, w: from.q.w * left + to.q.w * side };
    // Numbers of a joint that was not simulated are zero and contain no rotation.
    let q = if q.v.length_squared() + q.w * q.w > T::of(1e-6) { q.normalized() } else { from.q };
    JointState { q, w: from.w * left + to.w * share, rate: from.rate * left + to.rate * share }
}
