//! Upright blades of grass: the appearance of a meadow from the side.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use rayon::prelude::*;
use windfall_skin::{Material, Mesh};

use crate::camera::View;
use crate::error::PreviewError;
use crate::ground::Ground;
use crate::noise::{hash, smoothstep, unit, value};
use crate::surface::PictureSurface;

/// Pixels of the picture per blade.
const PIXELS_PER_BLADE: f32 = 10.0;
/// Minimum projected height of a blade, in pixels.
const LEAST_HEIGHT: f32 = 1.0;
/// A lattice ends at the distance where this fraction of its blades would remain.
const LEAST_SHARE: f32 = 0.2;
/// Cell of the finest lattice, in heights of grass.
const FINEST: f32 = 0.12;

/// View and ground for the placement of blades.
pub(crate) struct Sward<'a> {
    pub ground: &'a Ground,
    pub view: &'a View,
    /// Size of the raster.
    pub width: f32,
    /// Size of the raster.
    pub height: f32,
    /// Raster units along the side of a pixel.
    pub samples: f32,
}

impl Sward<'_> {
    /// Blades as single triangles: root, root, tip.
    ///
    /// They are placed on lattices, each twice as coarse as the previous one; every cell of a lattice has
    /// one blade, identical in every picture. All lattices are visible near the eye, and the finer ones
    /// are thinned out with distance, so that the density of blades on the screen is roughly constant and
    /// no blade jumps when the camera moves.
    pub fn blades(&self) -> Mesh {
        let tall = self.ground.grass();
        let per_metre = self.view.scale / self.samples;
        let farthest = tall * per_metre / LEAST_HEIGHT;
        let above = self.view.eye.y - self.ground.height;
        let mut mesh = Mesh::default();
        let mut cell = FINEST * tall;
        // At a low angle, a cell covers cell^2 above per_metre^2 / depth^3 pixels.
        let reach =
            |cell: f32| (cell * cell * above / (LEAST_SHARE * PIXELS_PER_BLADE)).cbrt() * per_metre.powf(2.0 / 3.0);
        while above > 0.0 && cell < 20.0 * tall {
            let depth = reach(cell).min(farthest);
            for blade in self.lattice(cell, depth, farthest).iter().flatten() {
                let n = mesh.positions.len() as u32;
                mesh.positions.extend(blade);
                mesh.triangles.push([n, n + 1, n + 2]);
            }
            if depth == farthest {
                break;
            }
            cell *= 2.0;
        }
        mesh.normals = vec![Vec3::Y; mesh.positions.len()];
        mesh
    }

    /// The blades of a lattice down to a depth, row by row.
    fn lattice(&self, cell: f32, depth: f32, farthest: f32) -> Vec<Vec<[Vec3; 3]>> {
        let Some((low, high)) = self.seen(depth) else { return Vec::new() };
        let pixels = self.width * self.height / (self.samples * self.samples);
        let (first, end) = ((low / cell).floor(), (high / cell).ceil());
        // More blades cannot be resolved; extreme cameras would request them.
        if (end - first).element_product() > 4.0 * pixels + 1e4 || end.abs().max(first.abs()).max_element() > 1e9 {
            return Vec::new();
        }
        let (first, end) = (first.as_ivec2(), end.as_ivec2());
        let row = |j: i32| (first.x..end.x).filter_map(|i| self.blade(i, j, cell, depth, farthest)).collect();
        (first.y..end.y).into_par_iter().map(row).collect()
    }

    /// The blade of a cell, if visible.
    fn blade(&self, i: i32, j: i32, cell: f32, depth: f32, farthest: f32) -> Option<[Vec3; 3]> {
        let (ground, view) = (self.ground, self.view);
        let seed = hash((i as u32).wrapping_mul(0x9e37_79b9) ^ hash((j as u32) ^ cell.to_bits()));
        let random = |k: u32| unit(seed.wrapping_add(k));
        let place = Vec2::new(i as f32 + random(0), j as f32 + random(1)) * cell;
        let root = Vec3::new(place.x, ground.height, place.y);
        let local = view.local(root);
        if local.z < 4.0 * view.near || local.z > depth {
            return None;
        }
        let pixel = self.samples * view.place_size(local.z);
        let slant = (view.eye.y - ground.height) / view.eye.distance(root);
        let share = cell * cell * slant / (pixel * pixel) / PIXELS_PER_BLADE;
        if random(2) > (share - LEAST_SHARE) / (1.0 - LEAST_SHARE) {
            return None;
        }
        let at = view.corner(local, Vec2::ZERO);
        let most = ground.grass();
        let room = most * view.scale / local.z;
        if at.x < -room || at.x > self.width + room || at.y < 0.0 || at.y > self.height + 1.5 * room {
            return None;
        }
        let bare = ground.bareness(root);
        // Bare soil has few and low blades.
        if random(7) < bare - 0.1 {
            return None;
        }
        let tuft = value(place / (2.0 * most)) * (0.5 + value(place / (9.0 * most)));
        let fade = 1.0 - smoothstep(0.5, 1.0, local.z / farthest);
        let tall = most * (0.1 + 0.7 * tuft + 0.2 * random(3)) * fade * (1.0 - 0.6 * bare);
        if tall < 0.4 * pixel {
            return None;
        }
        let half = (0.03 * most).min(0.0025).max(0.4 * pixel);
        let across = Vec2::from_angle(TAU * random(4)) * half;
        let lean = Vec2::from_angle(TAU * random(5)) * (0.5 * tall * random(6));
        let across = Vec3::new(across.x, 0.0, across.y);
        Some([root - across, root + across, root + Vec3::new(lean.x, tall, lean.y)])
    }

    /// Bounding box of the visible ground up to the depth `farthest`; `None` if no ground is visible.
    fn seen(&self, farthest: f32) -> Option<(Vec2, Vec2)> {
        let &Self { ground, view, width, height, .. } = self;
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for k in 0..=64 {
            let ray = view.ray((k % 2) as f32 * width, (k / 2) as f32 / 32.0 * height);
            // Rays beyond `farthest` or above the horizon still bound the nearer part.
            let t = ground.hit(view.eye, ray).map_or(farthest, |t| t.min(farthest));
            let p = view.eye + ray * t;
            (low, high) = (low.min(Vec2::new(p.x, p.z)), high.max(Vec2::new(p.x, p.z)));
        }
        (view.eye.y > ground.height && low.is_finite() && high.is_finite()).then_some((low, high))
    }
}

/// Surface of the blades: they are shaded like the ground, so only their shape is used.
pub(crate) fn surface() -> Result<PictureSurface, PreviewError> {
    PictureSurface::new(&Material { double_sided: true, ..Material::default() })
}
