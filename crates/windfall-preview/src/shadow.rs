//! Shadow maps.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use glam::{BVec3, Vec2, Vec3};
use rayon::prelude::*;

use crate::camera::View;
use crate::noise::unit;
use crate::raster::{Bins, Grid, Tile};
use crate::scene::{Item, PictureScene, is_near};

/// Texels along the side of a tile of a map: a power of two.
const TILE: u32 = 128;
/// Minimum radius of wood in texels; thinner wood is widened.
const LEAST_RADIUS: f32 = 0.5;
/// Radius of the penumbra per metre between occluder and receiver: the sun's disc has a radius of 0.27
/// degrees, slightly enlarged for haze.
const PENUMBRA: f32 = 0.008;
/// Texels of a map per pixel of the picture.
const TEXEL: f32 = 0.6;
/// Widest penumbra, texels.
const WIDEST: f32 = 14.0;

/// Vogel's spiral: the first n points fill a disc of radius sqrt(n) evenly.
static SPIRAL: LazyLock<[Vec2; 64]> =
    LazyLock::new(|| std::array::from_fn(|i| Vec2::from_angle(i as f32 * 2.399_963) * (i as f32 + 0.5).sqrt()));

/// A depth map of the scene in the direction of sunlight.
struct ShadowMap {
    view: View,
    /// Texels along a side.
    size: u32,
    /// m.
    texel: f32,
    /// Height toward the sun of the first surface hit, stored by tile.
    keys: Vec<f32>,
}

/// Shadow maps of the sun: one of the whole scene and, in close-ups, a finer one of the visible region.
pub(crate) struct Shadows {
    /// Finest first.
    maps: Vec<ShadowMap>,
}

/// A rectangle in the plane perpendicular to the light, m.
#[derive(Clone, Copy)]
struct Region {
    low: Vec2,
    high: Vec2,
}

impl Region {
    const NOTHING: Self = Self { low: Vec2::INFINITY, high: Vec2::NEG_INFINITY };

    fn with(self, p: Vec2) -> Self {
        Self { low: self.low.min(p), high: self.high.max(p) }
    }

    fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn within(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    fn side(self) -> f32 {
        (self.high - self.low).max_element()
    }
}

impl Shadows {
    /// `bounds` is a box around the scene; `fill` makes the map as large as that box, independent of the
    /// scene in it. `sun` points toward the sun; a pixel of the camera has the size `pixel`, m, at the
    /// target; maps have at most `most` texels along a side.
    pub fn new(
        scene: &PictureScene<'_>,
        bounds: Option<(Vec3, Vec3)>,
        fill: bool,
        sun: Vec3,
        camera: &View,
        pixel: f32,
        most: u32,
    ) -> Self {
        let right = if sun.y.abs() < 0.999 { sun.cross(Vec3::Y).normalize() } else { Vec3::X };
        let light = View {
            eye: bounds.map_or(Vec3::ZERO, |(low, high)| 0.5 * (low + high)),
            right,
            up: right.cross(-sun),
            forward: -sun,
            scale: 1.0,
            center: Vec2::ZERO,
            near: 0.0,
            perspective: false,
        };
        let (mut all, mut seen) = regions(scene, &light, camera);
        if let Some((low, high)) = bounds.filter(|_| fill) {
            for corner in 0..8 {
                let pick = BVec3::new(corner & 1 > 0, corner & 2 > 0, corner & 4 > 0);
                all = all.with(light.local(Vec3::select(pick, high, low)).truncate());
            }
            seen = before(camera, &light).within(all);
        }
        if !all.low.is_finite() {
            return Self { maps: Vec::new() };
        }
        let mut maps = Vec::new();
        if seen.low.is_finite() && seen.side() < 0.6 * all.side() {
            maps.push(ShadowMap::new(&scene.items, &light, seen, TEXEL * pixel, most));
        }
        maps.push(ShadowMap::new(&scene.items, &light, all, TEXEL * pixel, most));
        Self { maps }
    }

    /// Visible fraction of the sun from `point`, 0 to 1. `lift` offsets the point from its surface, in
    /// texels along `normal`; `taps` is the number of samples, `seed` rotates their pattern.
    pub fn light(&self, point: Vec3, normal: Vec3, lift: f32, taps: u32, seed: u32) -> f32 {
        for (i, map) in self.maps.iter().enumerate() {
            let lifted = map.view.local(point + normal * (lift * map.texel));
            let at = map.view.corner(lifted, Vec2::ZERO);
            let margin = WIDEST + 2.0;
            let inside = |v: f32| v >= margin && v <= map.size as f32 - margin;
            if inside(at.x) && inside(at.y) {
                return map.light(Vec2::new(at.x, at.y), at.key, taps, seed);
            }
            debug_assert!(i < 2, "at most two maps");
        }
        1.0
    }
}

/// Bounds of the camera's frustum up to twice the distance of its target.
fn before(camera: &View, light: &View) -> Region {
    let corners = (0..4u8).map(|k| 2.0 * camera.center * Vec2::new(f32::from(k & 1), f32::from(k >> 1)));
    corners.fold(Region::NOTHING.with(light.local(camera.eye).truncate()), |region, corner| {
        let far = camera.eye + camera.ray(corner.x, corner.y) * (2.0 * camera.near * 1e3);
        region.with(light.local(far).truncate())
    })
}

/// Bounds of all vertices, and of those in front of the camera up to twice the distance that contains the
/// nearest half of them.
fn regions(scene: &PictureScene<'_>, light: &View, camera: &View) -> (Region, Region) {
    let (width, height) = (2.0 * camera.center.x, 2.0 * camera.center.y);
    let target_depth = camera.near * 1e3;
    let nothing = || (Region::NOTHING, Region::NOTHING);
    let join = |a: (Region, Region), b: (Region, Region)| (a.0.join(b.0), a.1.join(b.1));
    scene.items.iter().fold(nothing(), |all, item| {
        let found = item
            .positions()
            .par_iter()
            .map(|&p| p + item.offset)
            .filter(|&p| is_near(p))
            .fold(nothing, |(all, seen), p| {
                let place = light.local(p).truncate();
                let before = camera.local(p);
                let corner = camera.corner(before, Vec2::ZERO);
                let is_seen = before.z > camera.near
                    && before.z < 2.0 * target_depth
                    && (0.0..=width).contains(&corner.x)
                    && (0.0..=height).contains(&corner.y);
                (all.with(place), if is_seen { seen.with(place) } else { seen })
            })
            .reduce(nothing, join);
        join(all, found)
    })
}

impl ShadowMap {
    /// `texel` is the approximate texel size.
    fn new(items: &[Item<'_>], light: &View, region: Region, texel: f32, most: u32) -> Self {
        let border = WIDEST + 4.0;
        let size = ((region.side() / texel + 2.0 * border) as u32).clamp(512, most).next_multiple_of(TILE);
        let texel = (region.side() / (size as f32 - 2.0 * border)).max(1e-7);
        let middle = 0.5 * (region.low + region.high);
        let half = 0.5 * size as f32;
        let mut view = light.clone();
        view.scale = 1.0 / texel;
        view.center = Vec2::new(half - middle.x / texel, half + middle.y / texel);
        let grid = Grid { width: size, height: size, tile: TILE, apron: 0 };
        let bins = Bins::new(items, &view, LEAST_RADIUS, grid);
        let mut keys = vec![f32::NEG_INFINITY; (size * size) as usize];
        keys.par_chunks_mut((TILE * TILE) as usize).enumerate().for_each(|(number, keys)| {
            let (column, row) = (number as u32 % grid.columns(), number as u32 / grid.columns());
            let (x, y) = ((column * TILE) as i32, (row * TILE) as i32);
            bins.draw(number, &mut Tile { x, y, width: TILE as usize, keys, ids: &mut [] });
        });
        Self { view, size, texel, keys }
    }

    fn key(&self, x: u32, y: u32) -> f32 {
        let tile = (y / TILE) * (self.size / TILE) + x / TILE;
        self.keys[((tile * TILE + y % TILE) * TILE + x % TILE) as usize]
    }

    /// Percentage-closer soft shadows (Fernando 2005): the mean distance of the occluders determines the
    /// penumbra; the result is the lit fraction of a disc of that width. The position must be well inside
    /// the map.
    fn light(&self, at: Vec2, key: f32, taps: u32, seed: u32) -> f32 {
        let bias = 2.0 * self.texel;
        let spin = Vec2::from_angle(unit(seed) * TAU);
        let place = |i: u32, n: u32, radius: f32| {
            at + spin.rotate(SPIRAL[i as usize % SPIRAL.len()]) * (radius / (n as f32).sqrt())
        };
        let search = (taps / 2).max(3);
        let (mut distance, mut found) = (0.0, 0.0);
        for i in 0..search {
            let p = place(i, search, 0.6 * WIDEST);
            let above = self.key(p.x as u32, p.y as u32) - key;
            if above > bias {
                distance += above;
                found += 1.0;
            }
        }
        let width = if found > 0.0 { distance / found * PENUMBRA / self.texel } else { 0.0 };
        let radius = width.clamp(0.7, WIDEST);
        let mut lit = 0.0;
        for i in 0..taps {
            lit += self.lit_share(place(i, taps, radius), key + bias);
        }
        lit / taps as f32
    }

    /// The mean of the four depth comparisons around a position.
    fn lit_share(&self, p: Vec2, key: f32) -> f32 {
        let p = p - 0.5;
        let (x, y) = (p.x as u32, p.y as u32);
        let f = p - Vec2::new(x as f32, y as f32);
        let lit = |x: u32, y: u32| f32::from(u8::from(self.key(x, y) <= key));
        let top = lit(x, y) * (1.0 - f.x) + lit(x + 1, y) * f.x;
        let bottom = lit(x, y + 1) * (1.0 - f.x) + lit(x + 1, y + 1) * f.x;
        top * (1.0 - f.y) + bottom * f.y
    }
}
