//! Finding the place for a camera from which everything just fits into the picture.

use glam::Vec3;

use crate::camera::{Camera, direction, upward};

/// Share of the picture's width and height that is kept free at each border.
const MARGIN: f32 = 0.04;

impl Camera {
    /// Looks at the points so that they just fill the picture, with a little margin.
    ///
    /// `azimuth` and `elevation` say where the camera stands, in radians: azimuth 0 is toward +z, a quarter turn toward +x.
    /// `field_of_view` is vertical, in radians; `aspect` is width over height. `zoom` 2 shows the middle half of what 1
    /// shows. Without points it looks at the origin from a few metres away.
    ///
    /// A point at height `y` and depth `z` is inside the upper border when `y - t z <= 0` (`t` the tangent of half the angle).
    /// The largest `y - t z` of all points is where that plane must go through; two opposite planes meet where the eye must be.
    pub fn framing(
        points: impl IntoIterator<Item = Vec3>,
        azimuth: f32,
        elevation: f32,
        field_of_view: f32,
        aspect: f32,
        zoom: f32,
    ) -> Self {
        let back = direction(azimuth, elevation);
        let up = upward(back);
        let right = up.cross(back).normalize();
        let upright = back.cross(right);
        let ty = (0.5 * field_of_view).tan() * (1.0 - 2.0 * MARGIN);
        let tx = ty * aspect;
        // Relative to the first point, so that a tiny tree far from the origin keeps its precision.
        let mut first = None;
        let mut planes = [f32::NEG_INFINITY; 4];
        let (mut nearest, mut farthest) = (f32::NEG_INFINITY, f32::INFINITY);
        for p in points {
            let d = p - *first.get_or_insert(p);
            let (x, y, z) = (d.dot(right), d.dot(upright), d.dot(back));
            let reach = [x + tx * z, -x + tx * z, y + ty * z, -y + ty * z];
            for (plane, value) in planes.iter_mut().zip(reach) {
                *plane = plane.max(value);
            }
            nearest = nearest.max(z);
            farthest = farthest.min(z);
        }
        let Some(first) = first else {
            return Self { eye: back * 5.0, target: Vec3::ZERO, up, field_of_view };
        };
        let z = ((planes[0] + planes[1]) / (2.0 * tx)).max((planes[2] + planes[3]) / (2.0 * ty));
        let (x, y) = (0.5 * (planes[0] - planes[1]), 0.5 * (planes[2] - planes[3]));
        let middle = 0.5 * (nearest + farthest);
        // A single point has no size: stand off a metre.
        let distance = if z - middle > 1e-6 { z - middle } else { 1.0 };
        let target = first + right * x + upright * y + back * middle;
        let zoom = if zoom > 0.0 { zoom } else { 1.0 };
        // A longer lens instead of a nearer place: the camera must not end up inside the crown.
        let field_of_view = 2.0 * ((0.5 * field_of_view).tan() / zoom).atan();
        Self { eye: target + back * distance, target, up, field_of_view }
    }
}
