//! The colour of a point on a surface.

use glam::{Vec2, Vec3};

use crate::ground::Ground;
use crate::occlusion::Occlusion;
use crate::scene::Item;
use crate::shadow::Shadows;
use crate::sky::Daylight;

/// Inputs of the lighting.
pub(crate) struct Lighting<'a> {
    pub day: &'a Daylight,
    pub shadows: &'a Shadows,
    pub occlusion: &'a Occlusion,
}

/// Footprint of a pixel on a surface.
#[derive(Clone, Copy)]
pub(crate) struct Sight {
    /// Position, m.
    pub point: Vec3,
    /// Unit vector toward the eye.
    pub toward_eye: Vec3,
    /// Size of a pixel there, m.
    pub pixel: f32,
    /// Number of shadow rays.
    pub taps: u32,
    /// Rotates sampling patterns.
    pub seed: u32,
}

/// A point of a mesh.
struct Point {
    normal: Vec3,
    albedo: Vec3,
    translucency: Vec3,
    roughness: f32,
}

impl Lighting<'_> {
    /// Radiance of a triangle.
    pub fn surface(&self, item: &Item<'_>, triangle: u32, sight: &Sight) -> Vec3 {
        let point = evaluate(item, triangle, sight);
        let day = self.day;
        let n = point.normal;
        let facing = n.dot(day.sun);
        let translucent = point.translucency != Vec3::ZERO;
        let lit = if facing > 0.0 || translucent {
            let (side, lift) = if facing >= 0.0 { (n, 1.0 - 0.5 * facing) } else { (-n, 1.0 + 0.5 * facing) };
            self.shadows.light(sight.point, side, 2.0 * lift, sight.taps, sight.seed)
        } else {
            0.0
        };
        let open = self.occlusion.at(sight.point + n * (0.3 * self.occlusion.cell()));
        // Multiple scattering between leaves and twigs, proportional to the sunlight that enters.
        let mut light = point.albedo * (day.sun_color * (facing.max(0.0) * lit) + self.ambient(n, &open));
        light += point.albedo * day.sun_color * (0.05 * open.sun);
        if translucent {
            light += point.translucency * day.sun_color * ((-facing).max(0.0) * lit);
            light += point.translucency * self.ambient(-n, &open) * 0.4;
        }
        if facing > 0.0 && lit > 0.0 {
            light += day.sun_color * (lit * facing * highlight(n, day.sun, sight.toward_eye, point.roughness));
        }
        let grazing = (1.0 - n.dot(sight.toward_eye).clamp(0.0, 1.0)).powi(5);
        let mirror = (0.04 + 0.96 * grazing * (1.0 - point.roughness)) * (1.0 - point.roughness);
        light + day.sky_color * (mirror * open.sky_light(n) * 0.5)
    }

    fn ambient(&self, n: Vec3, open: &crate::occlusion::Openness) -> Vec3 {
        let ground = 0.5 * (1.0 - n.y) * open.ground * (0.35 + 0.65 * open.sun);
        self.day.sky_color * (0.04 + 0.96 * open.sky_light(n)) + self.day.ground_color * ground
    }

    /// Radiance of the ground. `depth` extends from the near to the far end of the pixel's footprint, m:
    /// at a low angle the footprint is much longer than wide, so shadows are tested at several points
    /// along it.
    pub fn ground(&self, ground: &Ground, sight: &Sight, depth: Vec3) -> Vec3 {
        let day = self.day;
        let places = if depth.length() > 3.0 * sight.pixel { 4 } else { 1 };
        let mut lit = 0.0;
        for i in 0..places {
            let p = sight.point + depth * ((i as f32 + 0.5) / places as f32 - 0.5);
            lit += self.shadows.light(p, Vec3::Y, 0.5, (sight.taps / places).max(4), sight.seed.wrapping_add(i));
        }
        lit /= places as f32;
        let open = self.occlusion.at(sight.point + Vec3::Y * (0.5 * self.occlusion.cell()));
        let sky = open.sky_light(Vec3::Y) * ground.beside_foot(sight.point);
        // Towards the sun, light is transmitted through the blades.
        let through = 0.6 * (-sight.toward_eye).dot(day.sun).max(0.0).powi(2);
        let albedo = ground.albedo(sight.point, sight.pixel, depth);
        albedo * (day.sun_color * ((day.sun.y.max(0.0) + through) * lit) + day.sky_color * (0.04 + 0.96 * sky))
    }
}

/// Microfacet reflection (Trowbridge and Reitz, with the visibility term of Karis 2013), 4 % at normal
/// incidence as for most materials.
fn highlight(n: Vec3, sun: Vec3, eye: Vec3, roughness: f32) -> f32 {
    let Some(half) = (sun + eye).try_normalize() else { return 0.0 };
    let (nl, nv) = (n.dot(sun).max(1e-3), n.dot(eye).max(1e-3));
    let nh = n.dot(half).max(0.0);
    let a2 = roughness.max(0.15).powi(4);
    let d = a2 / (nh * nh * (a2 - 1.0) + 1.0).powi(2);
    let k = 0.5 * roughness.max(0.15).powi(2);
    let visibility = 0.25 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k));
    let fresnel = 0.04 + 0.96 * (1.0 - half.dot(eye).clamp(0.0, 1.0)).powi(5);
    // Irradiance is already divided by pi, so the distribution has no factor pi.
    (d * visibility * fresnel).min(4.0)
}

fn evaluate(item: &Item<'_>, triangle: u32, sight: &Sight) -> Point {
    let surface = item.surface;
    let corners = item.corners(triangle);
    let indices = item.mesh.triangles[triangle as usize].map(|v| v as usize);
    let weights = barycentric(corners, sight.point);
    let normals = item.normals();
    let face = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or(Vec3::Y);
    let mut normal = blend(weights, indices.map(|v| normals[v])).normalize_or(face);
    let tint = if item.mesh.tints.is_empty() {
        Vec3::ONE
    } else {
        blend(weights, indices.map(|v| Vec3::from_slice(&item.mesh.tints[v].map(f32::from)[..3]))) / 255.0
    };
    let mut point = Point {
        normal,
        albedo: surface.color_factor * tint,
        translucency: Vec3::ZERO,
        roughness: surface.roughness_factor,
    };
    if !item.mesh.uvs.is_empty() {
        let uvs = indices.map(|v| item.mesh.uvs[v]);
        let uv = uvs[0] * weights[0] + uvs[1] * weights[1] + uvs[2] * weights[2];
        // Fraction of the image's side covered by a pixel, with half of the elongation of an oblique
        // surface: a square footprint must balance blur along the surface against aliasing across it.
        let image_area = (uvs[1] - uvs[0]).perp_dot(uvs[2] - uvs[0]).abs();
        let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]).length().max(1e-20);
        let slant = face.dot(sight.toward_eye).abs().max(0.1);
        let footprint = sight.pixel * (image_area / area / slant).sqrt();
        if let Some(color) = &surface.color {
            point.albedo *= color.sample(uv, footprint);
        }
        if let Some(roughness) = &surface.roughness {
            point.roughness *= roughness.sample(uv, footprint).y;
        }
        if let Some(translucency) = &surface.translucency {
            point.translucency = translucency.sample(uv, footprint) * tint;
        }
        if let Some(map) = &surface.normal {
            normal = bumped(normal, map.sample(uv, footprint), corners, uvs);
        }
    }
    // The back of a leaf has the inverted normal; on closed bodies normals only turn away at the
    // silhouette.
    let turn = normal.dot(sight.toward_eye);
    if surface.double_sided {
        // The visible side follows from the eye position, not from the shading normal.
        let back = face.dot(sight.toward_eye) < 0.0;
        let outward = if normal.dot(face) < 0.0 { -normal } else { normal };
        normal = if back { -outward } else { outward };
    } else if turn < 0.0 {
        normal = (normal - sight.toward_eye * turn).normalize_or(face);
    }
    point.normal = normal;
    point
}

/// Perturbs a normal by a normal map: x along u, y against v (up in the image).
fn bumped(normal: Vec3, map: Vec3, p: [Vec3; 3], uv: [Vec2; 3]) -> Vec3 {
    let (e1, e2) = (p[1] - p[0], p[2] - p[0]);
    let (d1, d2) = (uv[1] - uv[0], uv[2] - uv[0]);
    let det = d1.perp_dot(d2);
    if det.abs() < 1e-20 {
        return normal;
    }
    let along = |v: Vec3| (v - normal * v.dot(normal)).normalize_or_zero();
    let tangent = along((e1 * d2.y - e2 * d1.y) * det.signum());
    let upward = -along((e2 * d1.x - e1 * d2.x) * det.signum());
    (tangent * map.x + upward * map.y + normal * map.z.max(0.05)).normalize_or(normal)
}

fn blend(w: [f32; 3], v: [Vec3; 3]) -> Vec3 {
    v[0] * w[0] + v[1] * w[1] + v[2] * w[2]
}

/// Approximate barycentric weights of the triangle's point nearest to `p`.
fn barycentric([a, b, c]: [Vec3; 3], p: Vec3) -> [f32; 3] {
    let (u, v, d) = (b - a, c - a, p - a);
    let n = u.cross(v);
    let nn = n.length_squared();
    if nn < 1e-36 {
        return [1.0, 0.0, 0.0];
    }
    let wb = (d.cross(v).dot(n) / nn).clamp(0.0, 1.0);
    let wc = (u.cross(d).dot(n) / nn).clamp(0.0, 1.0 - wb);
    [1.0 - wb - wc, wb, wc]
}
