//! Camera placement such that everything just fits into the picture.

use glam::Vec3;

use crate::camera::{Camera, direction, upward};

/// Fraction of the picture's width and height kept free at each border.
const MARGIN: f32 = 0.04;

/// Finds the camera position from which everything just fits into the picture, with a small margin. Points
/// can be added frame by frame: they are not stored.
///
/// A point at height `y` and depth `z` is inside the upper border when `y - t z <= 0` (`t` the tangent of
/// half the angle). The largest `y - t z` of all points defines that plane; two opposite planes intersect
/// at the eye.
#[derive(Debug, Clone)]
pub struct Framing {
    back: Vec3,
    right: Vec3,
    upright: Vec3,
    field_of_view: f32,
    aspect: f32,
    /// Origin of all measurements, so that a tiny tree far from the origin keeps its precision.
    first: Option<Vec3>,
    planes: [f32; 4],
    nearest: f32,
    farthest: f32,
}

impl Framing {
    /// `azimuth` and `elevation` are the direction from the scene to the camera, in radians: azimuth 0 is
    /// toward +z, a quarter turn toward +x. `field_of_view` is vertical, in radians; `aspect` is width
    /// over height.
    pub fn new(azimuth: f32, elevation: f32, field_of_view: f32, aspect: f32) -> Self {
        let back = direction(azimuth, elevation);
        let right = upward(back).cross(back).normalize();
        Self {
            back,
            right,
            upright: back.cross(right),
            field_of_view,
            aspect,
            first: None,
            planes: [f32::NEG_INFINITY; 4],
            nearest: f32::NEG_INFINITY,
            farthest: f32::INFINITY,
        }
    }

    /// The tangents of half the usable angles, horizontal and vertical.
    fn tangents(&self) -> (f32, f32) {
        let ty = (0.5 * self.field_of_view).tan() * (1.0 - 2.0 * MARGIN);
        (ty * self.aspect, ty)
    }

    /// Includes these points (m) in the picture.
    pub fn add(&mut self, points: impl IntoIterator<Item = Vec3>) {
        let (tx, ty) = self.tangents();
        for p in points {
            let d = p - *self.first.get_or_insert(p);
            let (x, y, z) = (d.dot(self.right), d.dot(self.upright), d.dot(self.back));
            let reach = [x + tx * z, -x + tx * z, y + ty * z, -y + ty * z];
            for (plane, value) in self.planes.iter_mut().zip(reach) {
                *plane = plane.max(value);
            }
            self.nearest = self.nearest.max(z);
            self.farthest = self.farthest.min(z);
        }
    }

    /// The camera. `zoom` 2 shows the central half of `zoom` 1. Without points it looks at the origin from
    /// a few metres away.
    pub fn camera(&self, zoom: f32) -> Camera {
        let (up, field_of_view) = (upward(self.back), self.field_of_view);
        let Some(first) = self.first else {
            return Camera { eye: self.back * 5.0, target: Vec3::ZERO, up, field_of_view };
        };
        let ((tx, ty), planes) = (self.tangents(), self.planes);
        let z = ((planes[0] + planes[1]) / (2.0 * tx)).max((planes[2] + planes[3]) / (2.0 * ty));
        let (x, y) = (0.5 * (planes[0] - planes[1]), 0.5 * (planes[2] - planes[3]));
        let middle = 0.5 * (self.nearest + self.farthest);
        // A single point has no extent: use a distance of one metre.
        let distance = if z - middle > 1e-6 { z - middle } else { 1.0 };
        let target = first + self.right * x + self.upright * y + self.back * middle;
        let zoom = if zoom > 0.0 { zoom } else { 1.0 };
        // Zoom by focal length instead of distance: the camera must not be inside the crown.
        let field_of_view = 2.0 * ((0.5 * field_of_view).tan() / zoom).atan();
        Camera { eye: target + self.back * distance, target, up, field_of_view }
    }
}

impl Camera {
    /// A camera for which the points just fill the picture, with a small margin: a [`Framing`] of one
    /// frame.
    pub fn framing(
        points: impl IntoIterator<Item = Vec3>,
        azimuth: f32,
        elevation: f32,
        field_of_view: f32,
        aspect: f32,
        zoom: f32,
    ) -> Self {
        let mut framing = Framing::new(azimuth, elevation, field_of_view, aspect);
        framing.add(points);
        framing.camera(zoom)
    }
}
