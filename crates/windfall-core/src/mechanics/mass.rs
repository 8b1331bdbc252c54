//! Mass, centre of mass and inertia of a rigid body.

use glam::{DMat3, DQuat, DVec3};

/// Mass properties of one body, in its own axes.
///
/// Every body of a plant is symmetric about its own y (or about its own coordinate planes), so its axes
/// are principal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass relative to the body's joint, body axes, m.
    pub center_of_mass: DVec3,
    /// Principal moments of inertia about the centre of mass, body axes, kg m².
    pub inertia: DVec3,
}

impl MassProperties {
    /// The inertia tensor about the centre of mass in world axes, for a body turned by
    /// `world_from_body`, kg m².
    pub fn world_inertia(&self, world_from_body: DQuat) -> DMat3 {
        let r = DMat3::from_quat(world_from_body);
        r * DMat3::from_diagonal(self.inertia) * r.transpose()
    }

    /// The union of two bodies with parallel axes and both centres on the y axis.
    pub(crate) fn joined_along_y(self, other: Self) -> Self {
        let mass = self.mass + other.mass;
        let y = (self.mass * self.center_of_mass.y + other.mass * other.center_of_mass.y) / mass;
        let shifted = |part: Self| {
            let d = part.center_of_mass.y - y;
            part.inertia + part.mass * d * d * DVec3::new(1.0, 0.0, 1.0)
        };
        Self { mass, center_of_mass: DVec3::new(0.0, y, 0.0), inertia: shifted(self) + shifted(other) }
    }
}
