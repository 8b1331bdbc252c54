//! Cameras and projections.

use glam::{Vec2, Vec3};

use crate::error::PreviewError;

/// A perspective camera.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position, m.
    pub eye: Vec3,
    /// Point at the centre of the picture, m.
    pub target: Vec3,
    /// Up direction in the picture.
    pub up: Vec3,
    /// Vertical field of view, radians, less than pi.
    pub field_of_view: f32,
}

impl Camera {
    /// Looks at `target` so that `span` metres there fill the shorter side of the picture. Angles as in
    /// [`crate::Framing::new`].
    pub fn close_up(target: Vec3, span: f32, azimuth: f32, elevation: f32, field_of_view: f32, aspect: f32) -> Self {
        let slope = (0.5 * field_of_view).tan() * aspect.min(1.0);
        let back = direction(azimuth, elevation);
        Self { eye: target + back * (0.5 * span / slope), target, up: upward(back), field_of_view }
    }

    pub(crate) fn view(&self, width: f32, height: f32) -> Result<View, PreviewError> {
        let forward = self.target - self.eye;
        let distance = forward.length();
        if !self.eye.is_finite() || !distance.is_finite() {
            return Err(PreviewError::Camera("its eye and target must be numbers"));
        }
        if distance < 1e-9 {
            return Err(PreviewError::Camera("its eye must not be its target"));
        }
        if !(1e-3..=3.1).contains(&self.field_of_view) {
            return Err(PreviewError::Camera("its field of view must lie between 0.001 and 3.1 radians"));
        }
        let forward = forward / distance;
        let Some(right) = forward.cross(self.up).try_normalize() else {
            return Err(PreviewError::Camera("its up must not point along its view"));
        };
        Ok(View {
            eye: self.eye,
            right,
            up: right.cross(forward),
            forward,
            scale: 0.5 * height / (0.5 * self.field_of_view).tan(),
            center: Vec2::new(0.5 * width, 0.5 * height),
            near: distance * 1e-3,
            perspective: true,
        })
    }
}

/// From the target toward the eye.
pub(crate) fn direction(azimuth: f32, elevation: f32) -> Vec3 {
    let ((sa, ca), (se, ce)) = (azimuth.sin_cos(), elevation.sin_cos());
    Vec3::new(sa * ce, se, ca * ce)
}

/// Up vector of a camera that looks along `-back`; valid for straight down too.
pub(crate) fn upward(back: Vec3) -> Vec3 {
    if back.y.abs() < 0.9999 { Vec3::Y } else { Vec3::new(0.0, 0.0, -back.y.signum()) }
}

/// Projects points of the scene to raster coordinates: perspective for a camera, parallel for sunlight.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    /// Away from the viewer.
    pub forward: Vec3,
    /// Raster units per metre (in perspective at a depth of one metre).
    pub scale: f32,
    /// Raster coordinates of the view axis.
    pub center: Vec2,
    /// Near plane, m; unused in parallel projection.
    pub near: f32,
    pub perspective: bool,
}

/// A projected vertex. All attributes besides `x` and `y` are linear in screen space.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Corner {
    pub x: f32,
    pub y: f32,
    /// Larger is nearer: 1 / depth in perspective, minus the depth in parallel light.
    pub key: f32,
    /// 1 / depth in perspective, else 1.
    pub w: f32,
    /// Texture coordinates times `w`.
    pub uv: Vec2,
}

impl View {
    /// View coordinates: right, up and forward, m.
    pub fn local(&self, p: Vec3) -> Vec3 {
        let d = p - self.eye;
        Vec3::new(d.dot(self.right), d.dot(self.up), d.dot(self.forward))
    }

    /// Projects a point in view coordinates; in perspective it must be in front of the eye.
    pub fn corner(&self, local: Vec3, uv: Vec2) -> Corner {
        let w = if self.perspective { 1.0 / local.z } else { 1.0 };
        Corner {
            x: self.center.x + local.x * self.scale * w,
            y: self.center.y - local.y * self.scale * w,
            key: if self.perspective { w } else { -local.z },
            w,
            uv: uv * w,
        }
    }

    /// Size of a raster unit at a depth, m.
    pub fn place_size(&self, depth: f32) -> f32 {
        if self.perspective { depth / self.scale } else { 1.0 / self.scale }
    }

    /// The ray through a raster position, with a depth of one metre.
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        self.forward + self.right * ((x - self.center.x) / self.scale) + self.up * ((self.center.y - y) / self.scale)
    }
}
