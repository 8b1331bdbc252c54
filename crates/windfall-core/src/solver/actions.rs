//! What acts on the bodies during one step.

use glam::{DMat3, DVec3};

use super::error::StepError;
use crate::plant::BodyId;

/// Everything that acts on bodies during one step, besides gravity.
#[derive(Debug, Clone, Copy, Default)]
pub struct Actions<'a> {
    /// Forces and torques.
    pub loads: &'a [Load],
    /// Hands.
    pub grabs: &'a [Grab],
    /// What hits bodies, lies on them or rides on them.
    pub touches: &'a [Touch],
}

/// A force at a point of a body, and a torque, at the beginning of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// On which body.
    pub body: BodyId,
    /// Where the force acts, from the body's joint, body axes, m.
    pub point: DVec3,
    /// World axes, N.
    pub force: DVec3,
    /// World axes, N m.
    pub torque: DVec3,
    /// How the force falls as the point moves faster, -dF/dv, world axes, N s/m; symmetric and positive semidefinite.
    /// Solvers that can take it implicitly are then stable however light the body is. Zero for a force that does not
    /// depend on the motion.
    pub drag: DMat3,
    /// How the torque falls as the body turns faster, -dT/d omega, world axes, N m s; like `drag`.
    pub spin_drag: DMat3,
}

impl Load {
    /// A force that does not depend on the motion of the body.
    pub fn force(body: BodyId, point: DVec3, force: DVec3) -> Self {
        Self { body, point, force, torque: DVec3::ZERO, drag: DMat3::ZERO, spin_drag: DMat3::ZERO }
    }

    /// A torque that does not depend on the motion of the body.
    pub fn torque(body: BodyId, torque: DVec3) -> Self {
        Self { torque, ..Self::force(body, DVec3::ZERO, DVec3::ZERO) }
    }
}

/// A hand: a spring and a damper between a point of a body and a moving target (quigley2017, Fig. 11).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grab {
    /// Which body is held.
    pub body: BodyId,
    /// Where, from the body's joint, body axes, m.
    pub point: DVec3,
    /// Where the hand is at the beginning of the step, world metres.
    pub target: DVec3,
    /// How it moves, m/s.
    pub target_velocity: DVec3,
    /// Force over distance, N/m.
    pub stiffness: f64,
    /// Force over relative velocity, N s/m.
    pub damping: f64,
}

/// Something with a mass of its own that a point of a body meets: what hits it, lies on it or rides on it.
///
/// Over the step the body receives the impulse `mass (velocity - velocity of the point at the end)`, as if both went on together in
/// the directions in which `mass` is not zero: inelastic, whatever the response of the body. The other side should receive the opposite:
/// [`super::Solver::touch_impulses`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Which body.
    pub body: BodyId,
    /// Where, from the body's joint, body axes, m.
    pub point: DVec3,
    /// The velocity that the other side would have at the end of the step by itself (with its weight), world axes, m/s.
    pub velocity: DVec3,
    /// Its effective mass at the point, world axes, kg; symmetric and positive semidefinite. A ball that hits along the normal n
    /// has `m n n^T`, what sits on the body m times the identity; what does not give way has more than anything the body could move.
    pub mass: DMat3,
    /// If given, it only pushes: no impulse against this direction (world axes), and none at all where that would be needed. If not it pulls, too.
    pub pushes_along: Option<DVec3>,
}

impl Touch {
    /// Whether this impulse is one that it can't give.
    pub fn pulls(&self, impulse: DVec3) -> bool {
        self.pushes_along.is_some_and(|normal| impulse.dot(normal) < 0.0)
    }
}

impl Actions<'_> {
    /// Checks that every number is finite, every body exists and no stiffness or damping is negative.
    pub fn check(&self, body_count: usize) -> Result<(), StepError> {
        let exists = |body: BodyId| {
            if (body.0 as usize) < body_count { Ok(()) } else { Err(StepError::NoSuchBody { body, body_count }) }
        };
        for load in self.loads {
            exists(load.body)?;
            let vectors = [load.point, load.force, load.torque].iter().all(|v| v.is_finite());
            if !vectors || !load.drag.is_finite() || !load.spin_drag.is_finite() {
                return Err(StepError::NotFinite { what: "load", body: load.body });
            }
        }
        for touch in self.touches {
            exists(touch.body)?;
            if !(touch.point.is_finite() && touch.velocity.is_finite() && touch.mass.is_finite()) {
                return Err(StepError::NotFinite { what: "touch", body: touch.body });
            }
        }
        for grab in self.grabs {
            exists(grab.body)?;
            if ![grab.point, grab.target, grab.target_velocity].iter().all(|v| v.is_finite()) {
                return Err(StepError::NotFinite { what: "grab", body: grab.body });
            }
            for (what, value) in [("stiffness", grab.stiffness), ("damping", grab.damping)] {
                // An infinite stiffness is a hand that does not give at all.
                if value.is_nan() || value < 0.0 {
                    return Err(StepError::BadGrab { what, value, body: grab.body });
                }
            }
        }
        Ok(())
    }
}
