//! Forces and constraints that act on bodies during one step.

use windfall_core::glam::{DMat3, DVec3};

use crate::error::StepError;
use windfall_core::BodyRef;

/// All actions on bodies during one step, besides gravity.
#[derive(Debug, Clone, Copy, Default)]
pub struct Actions<'a> {
    /// Forces and torques.
    pub loads: &'a [Load],
    /// Grabs by a hand.
    pub grabs: &'a [Grab],
    /// Contacts with other masses that hit a body, lie on it or ride on it.
    pub touches: &'a [Touch],
    /// Contacts between broken-off pieces and trees.
    pub piece_contacts: &'a [PieceContact],
}

/// A force at a point of a body, and a torque, at the beginning of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The loaded body.
    pub body: BodyRef,
    /// Point of application from the body's joint, body axes, m.
    pub point: DVec3,
    /// World axes, N.
    pub force: DVec3,
    /// World axes, N m.
    pub torque: DVec3,
    /// Derivative of the force with respect to the velocity of the point, -dF/dv, world axes, N s/m;
    /// symmetric and positive semidefinite. Solvers that integrate it implicitly stay stable however light
    /// the body is. Zero for a force that does not depend on the motion.
    pub drag: DMat3,
    /// Derivative of the torque with respect to the angular velocity, -dT/d omega, world axes, N m s; like
    /// `drag`.
    pub spin_drag: DMat3,
}

impl Load {
    /// A force that does not depend on the motion of the body.
    pub fn force(body: impl Into<BodyRef>, point: DVec3, force: DVec3) -> Self {
        Self { body: body.into(), point, force, torque: DVec3::ZERO, drag: DMat3::ZERO, spin_drag: DMat3::ZERO }
    }

    /// A torque that does not depend on the motion of the body.
    pub fn torque(body: impl Into<BodyRef>, torque: DVec3) -> Self {
        Self { torque, ..Self::force(body, DVec3::ZERO, DVec3::ZERO) }
    }
}

/// A hand: a spring and a damper between a point of a body and a moving target (quigley2017, Fig. 11).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grab {
    /// The grabbed body.
    pub body: BodyRef,
    /// Grabbed point from the body's joint, body axes, m.
    pub point: DVec3,
    /// Position of the hand at the beginning of the step, world metres.
    pub target: DVec3,
    /// Velocity of the hand, m/s.
    pub target_velocity: DVec3,
    /// Spring stiffness, N/m.
    pub stiffness: f64,
    /// Damping of the relative velocity, N s/m.
    pub damping: f64,
}

/// Contact of a point of a body with a separate mass that hits it, lies on it or rides on it.
///
/// Over the step the body receives the impulse `mass (velocity - velocity of the point at the end)`, as if
/// both moved on together in the directions in which `mass` is not zero: an inelastic contact, whatever the
/// response of the body. The other side should receive the opposite impulse:
/// [`crate::ContactResponse::touch_impulses`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// The touched body.
    pub body: BodyRef,
    /// Contact point from the body's joint, body axes, m.
    pub point: DVec3,
    /// Velocity of the other side at the end of the step without the contact (its weight included), world
    /// axes, m/s.
    pub velocity: DVec3,
    /// Effective mass of the other side at the point, world axes, kg; symmetric and positive semidefinite.
    /// A ball that hits along the normal n has `m n n^T`; a mass that sits on the body has m times the
    /// identity; an immovable obstacle has a mass larger than the body could move.
    pub mass: DMat3,
    /// Makes the contact unilateral: no impulse against this direction (world axes), and none at all where
    /// one would be needed. Without it the contact is bilateral and can pull.
    pub pushes_along: Option<DVec3>,
}

impl Touch {
    /// Whether a unilateral contact cannot give this impulse.
    pub fn pulls(&self, impulse: DVec3) -> bool {
        self.pushes_along.is_some_and(|normal| impulse.dot(normal) < 0.0)
    }
}

/// Contact between a broken-off piece and a tree: one impulse on two bodies, solved with all joints of both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PieceContact {
    /// Bodies and contact points in body axes, from their joints, m: the impulse acts on the first, its
    /// opposite on the second.
    pub sides: [(BodyRef, DVec3); 2],
    /// Contact normal, from the second body into the first.
    pub normal: DVec3,
    /// Least separation velocity along the normal after the step, m/s; negative where there is a gap to
    /// close.
    pub parting: f64,
    /// Speed of the first along the normal before the contact, m/s; its rebound counts towards the
    /// separation.
    pub stood: f64,
    /// Whether this is an impact in this step, not a resting contact.
    pub hits: bool,
    /// Coefficient of friction.
    pub friction: f64,
}

impl Actions<'_> {
    /// Checks that every number is finite, every instance and body exists and no stiffness or damping is
    /// negative.
    pub fn check(&self, instances: usize, body_count: usize) -> Result<(), StepError> {
        let exists = |body: BodyRef| {
            if body.instance as usize >= instances {
                return Err(StepError::NoSuchInstance { instance: body.instance, instances });
            }
            let body = body.id;
            if (body.0 as usize) < body_count { Ok(()) } else { Err(StepError::NoSuchBody { body, body_count }) }
        };
        for load in self.loads {
            exists(load.body)?;
            let vectors = [load.point, load.force, load.torque].iter().all(|v| v.is_finite());
            if !vectors || !load.drag.is_finite() || !load.spin_drag.is_finite() {
                return Err(StepError::NotFinite { what: "load", body: load.body.id });
            }
        }
        for touch in self.touches {
            exists(touch.body)?;
            if !(touch.point.is_finite() && touch.velocity.is_finite() && touch.mass.is_finite()) {
                return Err(StepError::NotFinite { what: "touch", body: touch.body.id });
            }
        }
        for grab in self.grabs {
            exists(grab.body)?;
            if ![grab.point, grab.target, grab.target_velocity].iter().all(|v| v.is_finite()) {
                return Err(StepError::NotFinite { what: "grab", body: grab.body.id });
            }
            for (what, value) in [("stiffness", grab.stiffness), ("damping", grab.damping)] {
                // An infinite stiffness is a rigid grab.
                if value.is_nan() || value < 0.0 {
                    return Err(StepError::BadGrab { what, value, body: grab.body.id });
                }
            }
        }
        for contact in self.piece_contacts {
            for (body, point) in contact.sides {
                exists(body)?;
                if !(point.is_finite() && contact.normal.is_finite()) {
                    return Err(StepError::NotFinite { what: "contact of a piece", body: body.id });
                }
            }
        }
        Ok(())
    }
}
