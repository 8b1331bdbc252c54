//! Fictitious forces on a joint by the motion of its parent. [quigley2017] eq. 13 to 20

use crate::analytic::Step;
use crate::block::Motion;
use crate::block::composite::Composite;
use crate::math::{Real, Vec3};

/// Their torque about a joint, world axes, N m. [quigley2017] eq. 20
pub(super) fn torque<T: Real>(
    composite: &Composite<T>,
    motion: &Motion<T>,
    parent: &Motion<T>,
    step: &Step<T>,
) -> Vec3<T> {
    let by = |m: f64| T::of(m);
    let part = &step.fictitious;
    let frame = &step.frames[motion.anchor as usize];
    let at_joint = frame.at(motion.position);
    let mut acceleration = at_joint * by(part.root);
    let mut alpha = frame.alpha * by(part.root);
    if part.linear != 0.0 {
        acceleration += (motion.proper_acceleration + step.gravity - at_joint) * by(part.linear);
    }
    if part.angular != 0.0 {
        alpha += (parent.alpha - frame.alpha) * by(part.angular);
    }
    if part.coriolis != 0.0 {
        alpha += parent.omega.cross(motion.omega) * by(part.coriolis);
    }
    let mut torque = -composite.moment.cross(acceleration) - composite.inertia * alpha;
    if part.gyroscopic != 0.0 {
        torque -= motion.omega.cross(composite.inertia * motion.omega) * by(part.gyroscopic);
    }
    torque
}
