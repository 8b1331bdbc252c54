//! Sky visibility from a voxel grid of the density of leaves and wood.
//!
//! Light is attenuated in a crown as in a cloud (Beer and Lambert), with the mean projection of randomly
//! oriented leaves, one half, slightly reduced because leaves are clumped.

use std::f32::consts::TAU;
use std::sync::atomic::{AtomicU64, Ordering};

use glam::{IVec3, Vec3, Vec4};
use rayon::prelude::*;

use crate::noise::smoothstep;
use crate::scene::{PictureScene, is_near};

/// Approximate number of voxels.
const VOXELS: f32 = 200_000.0;
/// Extinction per leaf area density.
const EXTINCTION: f32 = 0.42;
/// Areas are summed as integers in units of a voxel's face divided by this number: integer sums do not
/// depend on their order.
const PARTS: f32 = 1_048_576.0;

/// Light that reaches a point, relative to an open position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Openness {
    /// Irradiance by the sky is `0.5 (w + xyz . normal)`.
    pub sky: Vec4,
    /// Visible fraction of the ground.
    pub ground: f32,
    /// Mean transmittance of sunlight.
    pub sun: f32,
}

impl Openness {
    const OPEN: Self = Self { sky: Vec4::new(0.0, 1.0, 0.0, 1.0), ground: 1.0, sun: 1.0 };

    fn plus(self, other: Self, weight: f32) -> Self {
        Self {
            sky: self.sky + other.sky * weight,
            ground: self.ground + other.ground * weight,
            sun: self.sun + other.sun * weight,
        }
    }

    /// Skylight on a surface with this normal, relative to an open sky.
    pub fn sky_light(&self, normal: Vec3) -> f32 {
        0.5 * (self.sky.w + self.sky.truncate().dot(normal)).max(0.0)
    }
}

/// A box of voxels around the scene.
pub(crate) struct Occlusion {
    low: Vec3,
    cell: f32,
    size: IVec3,
    open: Vec<Openness>,
}

impl Occlusion {
    /// `bounds` is a box around the scene; `sun` points toward the sun.
    pub fn new(scene: &PictureScene<'_>, bounds: Option<(Vec3, Vec3)>, sun: Vec3) -> Self {
        let Some((low, high)) = bounds else {
            return Self { low: Vec3::ZERO, cell: 1.0, size: IVec3::ZERO, open: Vec::new() };
        };
        let extent = (high - low).max(Vec3::splat((high - low).max_element() * 0.01 + 1e-6));
        let cell = (extent.element_product() / VOXELS).cbrt().max(extent.max_element() / 200.0);
        let size = (extent / cell).ceil().as_ivec3() + 2;
        let low = low - cell;
        let density = density(scene, low, cell, size);
        let skies = sky_directions();
        let grounds =
            [(-50f32, 0.0f32), (-50.0, 90.0), (-50.0, 180.0), (-50.0, 270.0), (-90.0, 0.0)].map(|(el, az)| at(el, az));
        let all: Vec<Vec3> = skies.iter().map(|s| s.0).chain(grounds).chain([sun]).collect();
        let seen: Vec<Vec<f32>> = all.par_iter().map(|&d| transmittance(&density, size, d)).collect();
        let weights: f32 = skies.iter().map(|s| s.1).sum();
        let upness: f32 = skies.iter().map(|s| s.1 * s.0.y).sum();
        let open = (0..density.len())
            .into_par_iter()
            .map(|i| {
                let mut sky = Vec4::ZERO;
                for (s, seen) in skies.iter().zip(&seen) {
                    sky += (s.0 / upness).extend(1.0 / weights) * (s.1 * seen[i]);
                }
                let ground = seen[skies.len()..skies.len() + grounds.len()].iter().map(|s| s[i]).sum::<f32>();
                Openness { sky, ground: ground / grounds.len() as f32, sun: seen[all.len() - 1][i] }
            })
            .collect();
        Self { low, cell, size, open }
    }

    /// Linear interpolation between voxels; fades to open beyond the box.
    pub fn at(&self, p: Vec3) -> Openness {
        if self.open.is_empty() {
            return Openness::OPEN;
        }
        let place = (p - self.low) / self.cell - 0.5;
        let last = (self.size - 1).as_vec3();
        let inside = place.clamp(Vec3::ZERO, last);
        let c = inside.min(last - 1.0).as_ivec3();
        let f = inside - c.as_vec3();
        let mut sum = Openness { sky: Vec4::ZERO, ground: 0.0, sun: 0.0 };
        for k in 0..8 {
            let d = IVec3::new(k & 1, (k >> 1) & 1, k >> 2);
            let w = Vec3::select(d.cmpeq(IVec3::ONE), f, 1.0 - f).element_product();
            sum = sum.plus(self.open[index(self.size, c + d)], w);
        }
        let outside = smoothstep(0.0, 0.25 * self.size.max_element() as f32, (place - inside).abs().max_element());
        let blended = Openness { sky: Vec4::ZERO, ground: 0.0, sun: 0.0 }.plus(sum, 1.0 - outside);
        blended.plus(Openness::OPEN, outside)
    }

    /// Side of a voxel, m.
    pub fn cell(&self) -> f32 {
        self.cell
    }
}

fn index(size: IVec3, c: IVec3) -> usize {
    ((c.z * size.y + c.y) * size.x + c.x) as usize
}

fn at(elevation: f32, azimuth: f32) -> Vec3 {
    crate::camera::direction(azimuth.to_radians(), elevation.to_radians())
}

/// Sample directions of the sky and their weights: the horizon has a reduced weight, because of hills and
/// other trees outside the picture.
fn sky_directions() -> Vec<(Vec3, f32)> {
    let ring = |elevation: f32, turn: f32, weight: f32| {
        (0..6).map(move |i| (crate::camera::direction((i as f32 + turn) / 6.0 * TAU, elevation.to_radians()), weight))
    };
    [(Vec3::Y, 1.0)].into_iter().chain(ring(45.0, 0.0, 0.75)).chain(ring(10.0, 0.5, 0.45)).collect()
}

/// Optical depth of each voxel along its side.
fn density(scene: &PictureScene<'_>, low: Vec3, cell: f32, size: IVec3) -> Vec<f32> {
    let sums: Vec<AtomicU64> = (0..size.element_product()).map(|_| AtomicU64::new(0)).collect();
    for item in &scene.items {
        let stopping = item.surface.stopping_share() / (cell * cell) * PARTS;
        (0..item.mesh.triangles.len() as u32).into_par_iter().with_min_len(4096).for_each(|t| {
            let [a, b, c] = item.corners(t);
            if ![a, b, c].into_iter().all(is_near) {
                return;
            }
            let area = 0.5 * (b - a).cross(c - a).length();
            // Large triangles are distributed over all voxels they intersect: one point for each of n^2
            // small triangles.
            let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
            let n = ((longest / cell).ceil() as u32).clamp(1, 64);
            let parts = (area * stopping / (n * n) as f32) as u64;
            let (u, v) = ((b - a) / n as f32, (c - a) / n as f32);
            let add = |p: Vec3| {
                let place = ((p - low) / cell).as_ivec3().clamp(IVec3::ZERO, size - 1);
                sums[index(size, place)].fetch_add(parts, Ordering::Relaxed);
            };
            for i in 0..n {
                for j in 0..n - i {
                    add(a + u * (i as f32 + 1.0 / 3.0) + v * (j as f32 + 1.0 / 3.0));
                    if i + j + 1 < n {
                        add(a + u * (i as f32 + 2.0 / 3.0) + v * (j as f32 + 2.0 / 3.0));
                    }
                }
            }
        });
    }
    sums.into_iter().map(|sum| sum.into_inner() as f32 / PARTS * EXTINCTION).collect()
}

/// Transmittance from direction `d` to the centre of each voxel. Layers perpendicular to the direction's
/// dominant axis are traversed from the side of the light; each voxel continues from the four voxels of
/// the previous layer around its ray.
fn transmittance(density: &[f32], size: IVec3, d: Vec3) -> Vec<f32> {
    let axis = if d.x.abs() >= d.y.abs() && d.x.abs() >= d.z.abs() {
        0
    } else if d.y.abs() >= d.z.abs() {
        1
    } else {
        2
    };
    let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
    let dims = size.to_array().map(|n| n as usize);
    let step = d / d[axis].abs();
    let length = step.length();
    let strides = [1, dims[0], dims[0] * dims[1]];
    // The four source voxels of a ray have the same relative positions for every voxel.
    let (x, y) = (step[b].floor(), step[c].floor());
    let (fx, fy) = (step[b] - x, step[c] - y);
    let (x, y) = (x as isize, y as isize);
    let around = [
        (x, y, (1.0 - fx) * (1.0 - fy)),
        (x + 1, y, fx * (1.0 - fy)),
        (x, y + 1, (1.0 - fx) * fy),
        (x + 1, y + 1, fx * fy),
    ];
    let mut depth = vec![0f32; density.len()];
    for k in 0..dims[axis] {
        let layer = if d[axis] > 0.0 { dims[axis] - 1 - k } else { k };
        let before = if d[axis] > 0.0 { layer + 1 } else { layer.wrapping_sub(1) };
        for j in 0..dims[c] {
            for i in 0..dims[b] {
                let here = layer * strides[axis] + i * strides[b] + j * strides[c];
                let mut above = 0.0;
                if k > 0 {
                    for (dx, dy, w) in around {
                        let (x, y) = (i as isize + dx, j as isize + dy);
                        if x >= 0 && y >= 0 && (x as usize) < dims[b] && (y as usize) < dims[c] {
                            let at = before * strides[axis] + x as usize * strides[b] + y as usize * strides[c];
                            // The path between the two centres: half in each voxel.
                            above += w * (depth[at] + 0.5 * length * density[at]);
                        }
                    }
                }
                depth[here] = above + 0.5 * length * density[here];
            }
        }
    }
    depth.par_iter_mut().for_each(|t| *t = (-*t).exp());
    depth
}
