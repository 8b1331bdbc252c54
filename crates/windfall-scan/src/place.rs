//! Units and axes: scans are not always in metres, and z is up.

use glam::DVec3;

use crate::cylinder::Cylinder;

/// The axis of the file that points up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UpAxis {
    /// As in all scanning software.
    #[default]
    Z,
    /// As in graphics.
    Y,
}

impl UpAxis {
    /// A direction or position of the file in axes with y up, right-handed.
    pub fn turned(self, v: DVec3) -> DVec3 {
        match self {
            Self::Z => DVec3::new(v.x, v.z, -v.y),
            Self::Y => v,
        }
    }

    /// Height of a position of the file.
    pub fn height(self, v: DVec3) -> f64 {
        match self {
            Self::Z => v.z,
            Self::Y => v.y,
        }
    }
}

/// Turns the cylinders so that y is up, and scales them to metres: `scale` metres are one unit of a
/// coordinate, `radius_scale` metres one unit of a radius.
pub fn upright(cylinders: &mut [Cylinder], up: UpAxis, scale: f64, radius_scale: f64) {
    for cylinder in cylinders {
        cylinder.start = up.turned(cylinder.start) * scale;
        cylinder.end = up.turned(cylinder.end) * scale;
        cylinder.base_radius *= radius_scale;
        cylinder.tip_radius *= radius_scale;
    }
}
