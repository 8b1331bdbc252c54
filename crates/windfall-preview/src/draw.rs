//! Rendering of a scene to a picture.

use glam::{Vec3, Vec4};
use rayon::prelude::*;

use crate::camera::{Camera, View};
use crate::error::PreviewError;
use crate::grass::{self, Sward};
use crate::ground::Ground;
use crate::horizon::mist;
use crate::noise::{hash, unit};
use crate::occlusion::Occlusion;
use crate::options::{Background, DrawPhase, PreviewOptions};
use crate::picture::Picture;
use crate::raster::{Bins, Grid, NOTHING, Tile};
use crate::scene::{Item, PictureScene};
use crate::shade::{Lighting, Sight};
use crate::shadow::Shadows;
use crate::sky::Daylight;
use crate::tone::{srgb_byte, srgb_to_linear};

/// Pixels along the side of a tile.
const TILE: u32 = 32;
/// Wood with a smaller radius than this, in pixels, is widened. A wire one pixel wide always hits as many
/// columns (or rows) of samples as a pixel has, so that it does not flicker when it sways.
const LEAST_RADIUS: f32 = 0.5;

/// Draws a picture.
pub fn draw(scene: &PictureScene<'_>, camera: &Camera, options: &PreviewOptions) -> Result<Picture, PreviewError> {
    draw_watched(scene, camera, options, &mut |_| ())
}

/// Draws a picture and reports each step before it begins.
pub fn draw_watched(
    scene: &PictureScene<'_>,
    camera: &Camera,
    options: &PreviewOptions,
    watch: &mut dyn FnMut(DrawPhase),
) -> Result<Picture, PreviewError> {
    watch(DrawPhase::Check);
    options.check()?;
    scene.check()?;
    let samples = options.samples;
    let (width, height) = (options.width * samples, options.height * samples);
    let view = camera.view(width as f32, height as f32)?;
    let day = Daylight::new(options);
    let bounds = scene.bounds_with(options.extent);

    watch(DrawPhase::Shadows);
    let pixel = view.place_size(camera.eye.distance(camera.target)) * samples as f32;
    let most = (options.width.max(options.height) * 8 / 5).clamp(512, 4096);
    let shadows = Shadows::new(scene, bounds, options.extent.is_some(), day.sun, &view, pixel, most);

    watch(DrawPhase::Occlusion);
    let occlusion = Occlusion::new(scene, bounds, day.sun);

    watch(DrawPhase::Sort);
    let ground = options.ground.filter(|_| options.background == Background::Sky).map(|height| {
        let (low, high) = bounds.unwrap_or((camera.target - 0.5, camera.target + 0.5));
        Ground::new(scene, height, 0.5 * (low + high), (high - low).max_element().max(1e-3))
    });
    let sward =
        |ground| Sward { ground, view: &view, width: width as f32, height: height as f32, samples: samples as f32 };
    let blades = ground.as_ref().map(|ground| sward(ground).blades()).unwrap_or_default();
    let blade_surface = grass::surface()?;
    let mut items = scene.items.clone();
    items.push(Item::new(&blades, &blade_surface));
    // The filter of a pixel extends half a pixel into its neighbours: one sample, or none at one sample
    // per pixel.
    let grid = Grid { width, height, tile: TILE * samples, apron: u32::from(samples > 1) };
    let bins = Bins::new(&items, &view, LEAST_RADIUS * samples as f32, grid);

    watch(DrawPhase::Shade);
    let light = Lighting { day: &day, shadows: &shadows, occlusion: &occlusion };
    let studio = Studio {
        options,
        view: &view,
        grid,
        bins: &bins,
        light,
        ground,
        first_blade: scene.triangle_count() as u32,
        tent: tent(samples, grid.apron),
    };
    let tiles: Vec<Vec<[u8; 4]>> = (0..grid.count()).into_par_iter().map(|number| studio.tile(number)).collect();
    let picture = studio.joined(&tiles);
    watch(DrawPhase::Done);
    Ok(picture)
}

/// Weights of the samples along the side of a pixel and its apron, with a sum of one: a tent filter that
/// extends to the centres of the neighbours.
fn tent(samples: u32, apron: u32) -> Vec<f32> {
    let places = -(apron as i32)..(samples + apron) as i32;
    let weights: Vec<f32> = places.map(|k| 1.0 - ((k as f32 + 0.5) / samples as f32 - 0.5).abs()).collect();
    let sum: f32 = weights.iter().sum();
    weights.iter().map(|w| w / sum).collect()
}

/// Data shared by all tiles of a picture.
struct Studio<'a> {
    options: &'a PreviewOptions,
    view: &'a View,
    grid: Grid,
    bins: &'a Bins<'a>,
    light: Lighting<'a>,
    ground: Option<Ground>,
    /// First triangle index of the grass blades.
    first_blade: u32,
    tent: Vec<f32>,
}

impl Studio<'_> {
    /// The finished pixels of a tile.
    fn tile(&self, number: usize) -> Vec<[u8; 4]> {
        let (column, row) = (number as u32 % self.grid.columns(), number as u32 / self.grid.columns());
        let apron = self.grid.apron as i32;
        let (x, y) = ((column * self.grid.tile) as i32 - apron, (row * self.grid.tile) as i32 - apron);
        let side = (self.grid.tile + 2 * self.grid.apron) as usize;
        let mut keys = vec![0.0; side * side];
        let mut ids = vec![NOTHING; side * side];
        self.bins.draw(number, &mut Tile { x, y, width: side, keys: &mut keys, ids: &mut ids });
        let colors = self.shaded(x, y, side, &keys, &ids);
        let mut pixels = Vec::with_capacity((TILE * TILE) as usize);
        for j in 0..TILE {
            for i in 0..TILE {
                let color = self.filtered(&colors, side, i, j);
                pixels.push(self.finished(color, column * TILE + i, row * TILE + j));
            }
        }
        pixels
    }

    /// The display colour (linear, with alpha) of every sample. Within a pixel each triangle is shaded
    /// once, at the centroid of its samples.
    fn shaded(&self, x0: i32, y0: i32, side: usize, keys: &[f32], ids: &[u32]) -> Vec<Vec4> {
        let mut colors = vec![Vec4::ZERO; side * side];
        let samples = self.options.samples as i32;
        let apron = self.grid.apron as i32;
        let pixels = TILE as i32 + 2 * apron.min(1);
        let first = -apron.min(1);
        let mut group: Vec<usize> = Vec::with_capacity(9);
        let mut todo: Vec<usize> = Vec::with_capacity(9);
        for pj in first..first + pixels {
            for pi in first..first + pixels {
                // The samples of this pixel inside the tile: all, or for border pixels those of the apron.
                todo.clear();
                for sj in 0..samples {
                    for si in 0..samples {
                        let (x, y) = (pi * samples + si + apron, pj * samples + sj + apron);
                        if x >= 0 && y >= 0 && (x as usize) < side && (y as usize) < side {
                            todo.push(y as usize * side + x as usize);
                        }
                    }
                }
                while let Some(&i) = todo.first() {
                    group.clear();
                    group.extend(todo.iter().filter(|&&j| ids[j] == ids[i]));
                    todo.retain(|&j| ids[j] != ids[i]);
                    let n = group.len() as f32;
                    let (mut x, mut y, mut key) = (0.0, 0.0, 0.0);
                    for &j in &group {
                        x += ((j % side) as i32 + x0) as f32 + 0.5;
                        y += ((j / side) as i32 + y0) as f32 + 0.5;
                        key += keys[j];
                    }
                    let color = self.seen(x / n, y / n, key / n, ids[i], group.len() as u32);
                    for &j in &group {
                        colors[j] = color;
                    }
                }
            }
        }
        colors
    }

    /// Colour of a sample at a raster position.
    fn seen(&self, x: f32, y: f32, key: f32, id: u32, samples: u32) -> Vec4 {
        let ray = self.view.ray(x, y);
        let length = ray.length();
        let seed = hash((x * 4.0) as u32 ^ hash((y * 4.0) as u32));
        let pixel = self.options.samples as f32 / self.view.scale;
        let depth = if id == NOTHING { f32::INFINITY } else { 1.0 / key };
        let sight = |depth: f32, taps: u32| Sight {
            point: self.view.eye + ray * depth,
            toward_eye: -ray / length,
            pixel: pixel * depth,
            taps,
            seed,
        };
        if let Some(ground) = &self.ground {
            if id != NOTHING && id >= self.first_blade {
                return self.blade(ground, &sight(depth, 4 + samples), id).extend(1.0);
            }
            if let Some(t) = ground.hit(self.view.eye, ray).filter(|&t| t < depth * 0.9999) {
                return self.ground(ground, &sight(t, 4 + 4 * samples), x, y).extend(1.0);
            }
        }
        if id == NOTHING {
            return match self.options.background {
                Background::Sky => self.light.day.background(ray / length, pixel).extend(1.0),
                Background::Transparent => Vec4::ZERO,
                Background::Plain(c) => Vec3::from(c.map(|c| srgb_to_linear(f32::from(c) / 255.0))).extend(1.0),
            };
        }
        let (item, triangle) = self.bins.find(id);
        self.display(self.light.surface(item, triangle, &sight(depth, 4 + 2 * samples))).extend(1.0)
    }

    /// Colour of the ground at a raster position.
    fn ground(&self, ground: &Ground, sight: &Sight, x: f32, y: f32) -> Vec3 {
        let haze = ground.haze(sight.point);
        if haze > 0.995 {
            return mist();
        }
        // Half a pixel up and down, but not beyond the horizon.
        let half = 0.5 * self.options.samples as f32;
        let end = |dy: f32| {
            let ray = self.view.ray(x, y + dy);
            ground.hit(self.view.eye, ray).map_or(sight.point, |t| self.view.eye + ray * t)
        };
        self.display(self.light.ground(ground, sight, end(-half) - end(half))).lerp(mist(), haze)
    }

    /// Colour of a blade of grass: that of the ground below, darker at its root and lighter at its tip.
    fn blade(&self, ground: &Ground, sight: &Sight, id: u32) -> Vec3 {
        let (blades, triangle) = self.bins.find(id);
        let [root, _, tip] = blades.corners(triangle);
        let up = ((sight.point.y - root.y) / (tip.y - root.y)).clamp(0.0, 1.0);
        let own = unit(root.x.to_bits() ^ hash(root.z.to_bits()));
        let tint = Vec3::new(0.9 + 0.25 * own, 0.95 + 0.15 * own, 0.9) * (0.5 + 0.85 * up + 0.25 * own);
        let soil = Sight { point: sight.point.with_y(ground.height), ..*sight };
        self.display(self.light.ground(ground, &soil, Vec3::ZERO) * tint).lerp(mist(), ground.haze(sight.point))
    }

    fn display(&self, light: Vec3) -> Vec3 {
        let light = if light.is_finite() { light } else { Vec3::ZERO };
        self.options.tone.map(light * self.options.exposure)
    }

    /// Filters the samples with the tent. They are already tone mapped, so that a highlight does not
    /// dominate its pixel.
    fn filtered(&self, colors: &[Vec4], side: usize, i: u32, j: u32) -> Vec4 {
        let (x, y) = ((i * self.options.samples) as usize, (j * self.options.samples) as usize);
        let mut sum = Vec4::ZERO;
        for (dy, wy) in self.tent.iter().enumerate() {
            let row = (y + dy) * side + x;
            for (color, wx) in colors[row..row + self.tent.len()].iter().zip(&self.tent) {
                sum += *color * (wx * wy);
            }
        }
        sum
    }

    /// Quantizes to 8 bits with ordered dither, which avoids banding in the sky.
    fn finished(&self, color: Vec4, x: u32, y: u32) -> [u8; 4] {
        let alpha = color.w.clamp(0.0, 1.0);
        if alpha < 1e-4 {
            return [0; 4];
        }
        let rgb = color.truncate() / alpha;
        let dither = if self.options.background == Background::Sky { crate::noise::ordered(x, y) } else { 0.5 };
        let byte = |v: f32| (srgb_byte(v) + dither).clamp(0.0, 255.0) as u8;
        [byte(rgb.x), byte(rgb.y), byte(rgb.z), (alpha * 255.0 + 0.5) as u8]
    }

    /// Assembles the tiles and crops them to the picture.
    fn joined(&self, tiles: &[Vec<[u8; 4]>]) -> Picture {
        let (width, height) = (self.options.width, self.options.height);
        let mut picture = Picture::filled(width, height, [0; 4]);
        let columns = self.grid.columns() as usize;
        let tile = TILE as usize;
        picture.pixels.par_chunks_mut(width as usize).enumerate().for_each(|(y, row)| {
            for (column, part) in row.chunks_mut(tile).enumerate() {
                let from = &tiles[y / tile * columns + column][y % tile * tile..];
                part.copy_from_slice(&from[..part.len()]);
            }
        });
        picture
    }
}
