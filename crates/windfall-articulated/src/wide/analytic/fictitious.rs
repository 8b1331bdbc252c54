//! Fictitious forces on eight joints: see `analytic/fictitious.rs`.

use fearless_simd::Simd;

use super::Parents;
use super::composite::Heavy;
use crate::analytic::{Frame, Step};
use crate::block::rows::{Lanes, Row};
use crate::block::{Block, Link, Motion};
use crate::math::Vec3;
use crate::wide::math::{F, LANES, V, all, eight};

/// The motion of the base of each tree, world axes.
pub struct Frames<S: Simd> {
    pub acceleration: V<S>,
    pub omega: V<S>,
    pub alpha: V<S>,
}

#[inline(always)]
fn each<S: Simd>(simd: S, of: impl Fn(usize) -> Vec3<f32>) -> V<S> {
    let all: [Vec3<f32>; LANES] = std::array::from_fn(of);
    V::new(eight(simd, all.map(|v| v.x)), eight(simd, all.map(|v| v.y)), eight(simd, all.map(|v| v.z)))
}

impl<S: Simd> Frames<S> {
    /// Of eight bodies; at rest for those of pieces, which move by other sweeps.
    #[inline(always)]
    pub fn of(simd: S, motion: &Motion<Row<f32>, Row<u32>>, step: &Step<f32>) -> Self {
        let still = Frame { acceleration: Vec3::zero(), omega: Vec3::zero(), alpha: Vec3::zero() };
        let frames: [Frame<f32>; LANES] =
            motion.anchor.0.map(|anchor| step.frames.get(anchor as usize).copied().unwrap_or(still));
        Self {
            acceleration: each(simd, |l| frames[l].acceleration),
            omega: each(simd, |l| frames[l].omega),
            alpha: each(simd, |l| frames[l].alpha),
        }
    }
}

/// Torque about the joint, world axes. [quigley2017] eq. 20
#[inline(always)]
pub fn torque<S: Simd>(
    simd: S,
    body: &Heavy<S>,
    frame: &Frames<S>,
    (block, row): (&Block<f32>, usize),
    above: Parents<'_>,
    step: &Step<f32>,
) -> V<S> {
    let motion = &block.state.motions.rows()[row];
    let part = &step.fictitious;
    let omega = V::of(simd, &motion.omega);
    let position = V::of(simd, &motion.position);
    let at_joint = frame.acceleration + frame.alpha.cross(position) + frame.omega.cross(frame.omega.cross(position));
    let mut acceleration = at_joint * by(simd, part.root);
    let mut alpha = frame.alpha * by(simd, part.root);
    if part.linear != 0.0 {
        let proper_acceleration = V::of(simd, &motion.proper_acceleration);
        acceleration += (proper_acceleration + V::all(simd, step.gravity) - at_joint) * by(simd, part.linear);
    }
    if part.angular != 0.0 {
        let parent = parents(simd, block, row, above, |m| m.alpha);
        alpha += (parent - frame.alpha) * by(simd, part.angular);
    }
    if part.coriolis != 0.0 {
        let parent = parents(simd, block, row, above, |m| m.omega);
        alpha += parent.cross(omega) * by(simd, part.coriolis);
    }
    let mut torque = -body.moment.cross(acceleration) - body.inertia * alpha;
    if part.gyroscopic != 0.0 {
        torque = torque - omega.cross(body.inertia * omega) * by(simd, part.gyroscopic);
    }
    torque
}

#[inline(always)]
fn by<S: Simd>(simd: S, multiplier: f64) -> F<S> {
    all(simd, multiplier as f32)
}

/// A vector of the parents.
#[inline(always)]
fn parents<S: Simd>(
    simd: S,
    block: &Block<f32>,
    row: usize,
    (top, bases): Parents<'_>,
    of: impl Fn(&Motion<f32>) -> Vec3<f32>,
) -> V<S> {
    each(simd, |l| match block.state.links[row * LANES + l] {
        Link::Body(p) => of(&block.state.motions.rows()[p as usize / LANES].lane(p as usize % LANES)),
        Link::Top(p) => of(&top.rows()[p as usize / LANES].lane(p as usize % LANES)),
        Link::Base(tree) => of(&bases[tree as usize]),
        Link::Free(_) | Link::Removed => Vec3::zero(),
    })
}
