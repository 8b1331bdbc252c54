//! The ground that a tree stands on: short dry grass.

use glam::{Vec2, Vec3};

use crate::noise::{smoothstep, value};
use crate::tone::color;

/// A horizontal plane.
pub(crate) struct Ground {
    pub height: f32,
    /// What the picture is about: haze begins beyond it.
    pub center: Vec3,
    /// Size of what the picture is about, m.
    pub reach: f32,
}

impl Ground {
    /// Where a ray meets it: how many times its direction, m.
    pub fn hit(&self, eye: Vec3, ray: Vec3) -> Option<f32> {
        let t = (self.height - eye.y) / ray.y;
        (eye.y > self.height && ray.y < 0.0 && t.is_finite()).then_some(t)
    }

    /// How high the grass stands at a place, m: blades before the foot of a trunk, so that it does not look cut off. A tiny tree
    /// gets a mown lawn.
    pub fn grass(&self, p: Vec3) -> f32 {
        let tall = (0.004 * self.reach).min(0.05);
        if p.y - self.height > tall || p.y < self.height {
            return 0.0;
        }
        let place = Vec2::new(p.x, p.z) / tall;
        tall * value(place * 7.0) * (0.2 + 0.8 * value(place * 1.3))
    }

    /// Its colour where a pixel measures `pixel` metres: patches, tufts and blades, each left out where a pixel can't show them.
    pub fn albedo(p: Vec3, pixel: f32) -> Vec3 {
        let place = Vec2::new(p.x, p.z);
        let mut shade = 0.0;
        let mut patch = 0.5;
        for (i, (grain, strength)) in
            [(3.1f32, 0.12f32), (0.9, 0.2), (0.22, 0.4), (0.06, 0.5), (0.014, 0.6)].into_iter().enumerate()
        {
            let visible = 1.0 - smoothstep(0.25, 0.8, pixel / grain);
            if visible <= 0.0 {
                break;
            }
            // Turned, so that the grids of the octaves don't line up.
            let turn = Vec2::from_angle(0.7 + 1.1 * i as f32);
            let n = value(turn.rotate(place) / grain) - 0.5;
            if i == 0 {
                patch += 0.6 * n * visible;
            }
            shade += n * strength * visible;
        }
        let base = color(0x6d_7b_45).lerp(color(0x88_87_58), patch.clamp(0.0, 1.0));
        base * (1.0 + 0.5 * shade)
    }

    /// How much haze lies before the ground at a place, 0 to 1.
    pub fn haze(&self, p: Vec3) -> f32 {
        let d = Vec2::new(p.x - self.center.x, p.z - self.center.z).length();
        let far = (d / self.reach - 1.0).max(0.0);
        1.0 - (-0.13 * far).exp()
    }
}
