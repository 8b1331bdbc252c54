//! The ground: short grass, and bare soil with litter at the foot of a trunk.

use glam::{Vec2, Vec3};

use crate::noise::{smoothstep, value};
use crate::scene::PictureScene;
use crate::turf::{LITTER, SIDE, TURF};

/// Extent of bare soil from the rim of a foot, in radii.
const SOIL: f32 = 2.5;
/// Maximum number of turf samples along the footprint of a pixel.
const MOST_LOOKS: u32 = 4;

/// Intersection of wood with the ground.
#[derive(Debug, Clone, Copy)]
struct Foot {
    place: Vec2,
    /// m.
    radius: f32,
}

/// A horizontal plane.
pub(crate) struct Ground {
    pub height: f32,
    /// Centre of the subject: haze begins beyond it.
    center: Vec3,
    /// Size of the subject, m.
    reach: f32,
    /// Sorted from west to east.
    feet: Vec<Foot>,
    /// Largest radius of soil around a foot, m.
    widest: f32,
}

impl Ground {
    /// `center` and `reach` are the centre and the size of the subject, m.
    pub fn new(scene: &PictureScene<'_>, height: f32, center: Vec3, reach: f32) -> Self {
        let mut feet: Vec<Foot> = Vec::new();
        for item in scene.items.iter().filter(|item| item.stands && !item.surface.double_sided) {
            let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
            let rest = &item.mesh.positions;
            let size = rest.iter().fold(0.0, |size: f32, p| size.max(p.abs().max_element()));
            let near = (0.01 * size).max(1e-3);
            // Only around the tree's origin, and at rest: hanging or fallen twigs touch the ground, too.
            let is_foot = |p: &Vec3| (p.y + item.offset.y - height).abs() < near && p.x.hypot(p.z) < 0.1 * size;
            let feet_now =
                rest.iter().zip(item.positions()).filter(|(rest, _)| is_foot(rest)).map(|(_, &p)| p + item.offset);
            // A trunk cut off at its foot may have any position.
            for p in feet_now.filter(|p| (p.y - height).abs() < near) {
                (low, high) = (low.min(Vec2::new(p.x, p.z)), high.max(Vec2::new(p.x, p.z)));
            }
            if low.is_finite() && high.is_finite() {
                feet.push(Foot { place: 0.5 * (low + high), radius: (0.25 * (high - low).element_sum()).max(1e-4) });
            }
        }
        feet.sort_by(|a, b| a.place.x.total_cmp(&b.place.x));
        let widest = feet.iter().fold(0.0, |w: f32, f| w.max(f.radius)) * (SOIL + 1.0);
        Self { height, center, reach, feet, widest }
    }

    /// Ray parameter of the intersection, m.
    pub fn hit(&self, eye: Vec3, ray: Vec3) -> Option<f32> {
        let t = (self.height - eye.y) / ray.y;
        (eye.y > self.height && ray.y < 0.0 && t.is_finite()).then_some(t)
    }

    /// Height of the grass, m; shorter for tiny trees.
    pub fn grass(&self) -> f32 {
        (0.004 + 0.010 * self.reach).min(0.14)
    }

    /// Distance of a point from the rim of the nearest foot, in radii of the foot; [`SOIL`] or more is
    /// far.
    fn foot_distance(&self, place: Vec2) -> f32 {
        let first = self.feet.partition_point(|f| f.place.x < place.x - self.widest);
        let mut least = SOIL;
        for foot in &self.feet[first..] {
            if foot.place.x > place.x + self.widest {
                break;
            }
            least = least.min(foot.place.distance(place) / foot.radius - 1.0);
        }
        least.max(0.0)
    }

    /// Bareness of the soil at a point, 0 to 1: grass is sparse around a trunk, with an irregular border.
    pub fn bareness(&self, p: Vec3) -> f32 {
        let place = Vec2::new(p.x, p.z);
        let far = self.foot_distance(place);
        if far >= SOIL {
            return 0.0;
        }
        let ragged = value(place / (0.02 * self.reach)) + 0.6 * value(place / (0.006 * self.reach));
        1.0 - smoothstep(0.1, 0.8, far / SOIL + 0.45 * (ragged - 0.8))
    }

    /// Ambient light on the ground beside a foot, 0 to 1: the foot hides half of the sky, less with
    /// distance.
    pub fn beside_foot(&self, p: Vec3) -> f32 {
        1.0 - 0.6 * (-2.2 * self.foot_distance(Vec2::new(p.x, p.z))).exp()
    }

    /// Albedo in a pixel footprint `pixel` metres wide that extends along `depth`, m. At a low angle the
    /// footprint is much longer than wide: the turf is sampled several times along it, each sample as wide
    /// as a pixel or as the sample spacing.
    pub fn albedo(&self, p: Vec3, pixel: f32, depth: Vec3) -> Vec3 {
        let long = depth.length().max(pixel);
        // At distances where tufts are not resolved, one sample suffices.
        let looks = if pixel > SIDE / 32.0 { 1 } else { ((long / pixel) as u32).clamp(1, MOST_LOOKS) };
        let wide = pixel.max(long / looks as f32);
        let (place, depth) = (Vec2::new(p.x, p.z), Vec2::new(depth.x, depth.z));
        // Two layers of turf, rotated and scaled, alternate to hide their repetition.
        let turn = smoothstep(0.42, 0.58, faded(place, 0.9, pixel));
        let bare = self.bareness(p);
        let (mut turf, mut soil) = (Vec3::ZERO, Vec3::ZERO);
        for i in 0..looks {
            let at = place + depth * ((i as f32 + 0.5) / looks as f32 - 0.5);
            if bare > 0.0 {
                soil += LITTER.look(at / SIDE, wide / SIDE);
            }
            if turn < 1.0 {
                turf += TURF.look(at / SIDE, wide / SIDE) * (1.0 - turn);
            }
            if turn > 0.0 {
                let other = Vec2::from_angle(0.65).rotate(at) / (1.37 * SIDE);
                turf += TURF.look(other, wide / (1.37 * SIDE)) * turn;
            }
        }
        let patch = 0.5 * faded(place, 0.37, wide)
            + 0.3 * faded(Vec2::from_angle(1.1).rotate(place), 1.7, wide)
            + 0.2 * faded(Vec2::from_angle(0.3).rotate(place), 7.1, wide);
        turf *= Vec3::new(0.76, 0.83, 0.84).lerp(Vec3::new(1.22, 1.15, 1.14), patch);
        turf.lerp(soil, bare) / looks as f32
    }

    /// Haze in front of the ground at a point, 0 to 1.
    pub fn haze(&self, p: Vec3) -> f32 {
        let d = Vec2::new(p.x - self.center.x, p.z - self.center.z).length();
        let far = (d / self.reach - 1.5).max(0.0);
        if far > 0.0 { 1.0 - (-0.045 * far).exp() } else { 0.0 }
    }
}

/// Smooth noise with a grain size of `grain` metres, or its mean if a pixel is too wide to resolve it.
fn faded(place: Vec2, grain: f32, pixel: f32) -> f32 {
    let visible = 1.0 - smoothstep(0.25, 0.9, pixel / grain);
    if visible <= 0.0 { 0.5 } else { 0.5 + (value(place / grain) - 0.5) * visible }
}
