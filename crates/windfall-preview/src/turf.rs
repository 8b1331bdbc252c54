//! Procedural tileable textures of short grass and leaf litter seen from above, generated once.

use std::f32::consts::TAU;
use std::sync::LazyLock;

use glam::{Vec2, Vec3};
use windfall_skin::Image;

use crate::noise::{smoothstep, unit};
use crate::texture::{Content, Mips};
use crate::tone::{color, linear_to_srgb};

/// Side of the images, m.
pub(crate) const SIDE: f32 = 1.6;
/// Texels along a side: one is 3 mm wide, like a blade.
const TEXELS: usize = 512;
const BLADES: u32 = 17_000;
const LEAVES: u32 = 2_200;

/// Grass. Its mean is the colour of a meadow from afar.
pub(crate) static TURF: LazyLock<Mips> = LazyLock::new(|| mips(&grass()));
/// Soil with old leaves on it.
pub(crate) static LITTER: LazyLock<Mips> = LazyLock::new(|| mips(&litter()));

fn mips(texels: &[Vec3]) -> Mips {
    let pixels = texels.iter().map(|c| {
        let [r, g, b] = c.to_array().map(|v| (linear_to_srgb(v) * 255.0 + 0.5).clamp(0.0, 255.0) as u8);
        [r, g, b, 255]
    });
    let image = Image { width: TEXELS as u32, height: TEXELS as u32, pixels: pixels.collect() };
    Mips::new(&image, Content::Color, false)
}

/// Crumbs of soil.
fn soil() -> Vec<Vec3> {
    let (dark, light) = (color(0x3a_32_27), color(0x66_5a_47));
    let crumbs = |i: usize| {
        let place = Vec2::new((i % TEXELS) as f32, (i / TEXELS) as f32) / TEXELS as f32;
        0.3 * repeating(place, 11, 5) + 0.35 * repeating(place, 40, 1) + 0.35 * unit(i as u32 ^ 0x5011)
    };
    (0..TEXELS * TEXELS).map(|i| dark.lerp(light, crumbs(i))).collect()
}

/// Writes a colour at a position in texels.
fn put(texels: &mut [Vec3], place: Vec2, color: Vec3) {
    let wrapped = |v: f32| (v.rem_euclid(TEXELS as f32) as usize).min(TEXELS - 1);
    texels[wrapped(place.y) * TEXELS + wrapped(place.x)] = color;
}

/// Overlapping blades on soil: dark at their roots, light at their tips, fewer between tufts.
fn grass() -> Vec<Vec3> {
    let mut texels = soil();
    let greens = [color(0x5a_72_38), color(0x6c_82_46), color(0x4a_64_36), color(0x80_84_52)];
    for blade in 0..BLADES {
        let random = |k: u32| unit(blade.wrapping_mul(16).wrapping_add(k) ^ 0x6a55);
        let root = Vec2::new(random(0), random(1));
        let tuft = 0.55 * repeating(root, 9, 2) + 0.45 * repeating(root, 4, 3);
        if random(2) > smoothstep(0.12, 0.42, tuft) {
            continue;
        }
        let mut green = greens[(random(3) * 3.2) as usize];
        // Colour variation per tuft, drier or fresher.
        green = green.lerp(greens[3], 0.5 * smoothstep(0.45, 0.8, repeating(root, 5, 4))) * (0.65 + 0.7 * tuft);
        let direction = Vec2::from_angle(random(4) * TAU);
        let length = (0.35 + 0.65 * random(5)) * (0.5 + tuft) * 18.0;
        let bend = direction.perp() * (random(6) - 0.5);
        for step in 0..length as u32 {
            let t = step as f32 / length;
            put(&mut texels, root * TEXELS as f32 + (direction + bend * t) * step as f32, green * (0.45 + 0.85 * t));
        }
    }
    texels
}

/// Small pointed leaves, each with a shadow beside it and a rib.
fn litter() -> Vec<Vec3> {
    let mut texels = soil();
    let browns = [color(0x6b_53_38), color(0x5a_48_33), color(0x80_67_45), color(0x4a_3f_30)];
    for leaf in 0..LEAVES {
        let random = |k: u32| unit(leaf.wrapping_mul(16).wrapping_add(k) ^ 0x1ea5);
        let middle = Vec2::new(random(0), random(1)) * TEXELS as f32;
        let brown = browns[(random(2) * 4.0) as usize % 4] * (0.7 + 0.5 * random(3));
        let along = Vec2::from_angle(random(4) * TAU);
        let (half, wide) = (4.0 + 5.0 * random(5), 0.3 + 0.25 * random(6));
        for (shift, shadow) in [(Vec2::new(1.0, 1.5), true), (Vec2::ZERO, false)] {
            for k in -16i32..=16 {
                let t = k as f32 / 16.0;
                let side = half * wide * (1.0 - t * t);
                for j in -5i32..=5 {
                    let u = j as f32 / 5.0;
                    let rib = if j == 0 { 0.75 } else { 0.9 + 0.2 * u };
                    let color = if shadow { color(0x2a_24_1c) } else { brown * rib };
                    put(&mut texels, middle + shift + along * (half * t) + along.perp() * (side * u), color);
                }
            }
        }
    }
    texels
}

/// Periodic smooth noise in 0 to 1 on the unit square, with `grains` grains along a side.
fn repeating(place: Vec2, grains: u32, seed: u32) -> f32 {
    let p = place * grains as f32;
    let (x, y) = (p.x as u32, p.y as u32);
    let t = p - Vec2::new(x as f32, y as f32);
    let t = t * t * (3.0 - 2.0 * t);
    let corner = |i: u32, j: u32| unit(((y + j) % grains * grains + (x + i) % grains).wrapping_add(seed << 16));
    let top = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * t.x;
    let bottom = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * t.x;
    top + (bottom - top) * t.y
}
