//! Loads that depend on the motion: hands and drag.

use windfall_core::BodyId;
use windfall_core::glam::{DMat3, DVec3};
use windfall_solver::{BodyMotion, Grab, Load};

/// The force of a hand `later` seconds after `grab` was given; its target moves on with its velocity.
pub fn hand(grab: &Grab, later: f64, motion: &BodyMotion) -> Load {
    let arm = motion.orientation * grab.point;
    let velocity = point_velocity(motion, arm);
    let target = grab.target + later * grab.target_velocity;
    let force = grab.stiffness * (target - motion.joint - arm) + grab.damping * (grab.target_velocity - velocity);
    Load::force(grab.body, grab.point, force)
}

/// Linear drag: force -G v at a point of a body, and torque -S omega.
pub fn linear_drag(body: BodyId, point: DVec3, drag: DMat3, spin_drag: DMat3, motion: &BodyMotion) -> Load {
    let force = -(drag * point_velocity(motion, motion.orientation * point));
    Load { torque: -(spin_drag * motion.angular_velocity), ..Load::force(body, point, force) }
}

/// Velocity of the point at `arm` from the joint, world axes, m/s.
fn point_velocity(motion: &BodyMotion, arm: DVec3) -> DVec3 {
    motion.velocity + motion.angular_velocity.cross(motion.joint + arm - motion.center)
}
