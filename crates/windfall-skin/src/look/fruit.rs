//! Paints fruit: u around, v from the stalk (top) to the other end.

use glam::Vec2;
use rayon::prelude::*;

use super::bark::SIZES;
use super::color::{Rgb, mix, pixel, scale};
use super::data::{CupLook, FruitLook};
use super::noise::{Cells, Noise, fold_seed, hash, random, smoothstep};
use super::relief::{Relief, roughness_image};
use crate::material::{Image, Material};

/// Above this v the texture shows the stalk, below it the fruit.
pub(crate) const STALK_V: f32 = 0.04;

/// The skin of a fruit as a texture of `2 size` by `size` pixels (`size` is clamped to 16 to 4096). It
/// wraps around in u.
pub fn paint_fruit(look: &FruitLook, size: u32, seed: u64) -> Material {
    let height = size.clamp(SIZES.0, 4096) as usize;
    let width = 2 * height;
    let seed = fold_seed(seed);
    let skin = Skin::new(look, seed);
    // The circumference along u is twice the length along v.
    let texels: Vec<(Rgb, f32, f32)> = (0..width * height)
        .into_par_iter()
        .map(|i| {
            let p = Vec2::new(((i % width) as f32 + 0.5) / width as f32, ((i / width) as f32 + 0.5) / height as f32);
            skin.at(p)
        })
        .collect();
    let pixels = texels.iter().map(|t| pixel(t.0)).collect();
    let values = texels.iter().map(|t| t.1 * height as f32).collect();
    let relief = Relief { width, height, values, wraps: true };
    Material {
        base_color: Some(Image { width: width as u32, height: height as u32, pixels }),
        normal: Some(relief.normals(1.0)),
        roughness: Some(roughness_image(width, height, texels.iter().map(|t| t.2))),
        ..Material::default()
    }
}

/// The noise and scattered points of a fruit's skin.
struct Skin<'a> {
    look: &'a FruitLook,
    seed: u32,
    fine: Noise,
    rim: Noise,
    side: Noise,
    cloud: Noise,
    sway: Noise,
    streak: Noise,
    end: Noise,
    dots: Option<Cells>,
    cup: Option<(&'a CupLook, Cells)>,
}

impl<'a> Skin<'a> {
    fn new(look: &'a FruitLook, seed: u32) -> Self {
        let noise = |channel, across, along, octaves| Noise::new(across, along, octaves, hash(channel, 4, seed));
        Self {
            look,
            seed,
            fine: noise(1, 64, 32, 2),
            rim: noise(2, 30, 4, 1),
            side: noise(3, 2, 1, 1),
            cloud: noise(4, 4, 3, 3),
            sway: noise(5, 8, 6, 1),
            streak: noise(6, 70, 2, 3),
            end: noise(7, 12, 8, 1),
            dots: (look.dots > 0).then(|| Cells::new(2 * look.dots, look.dots, 0.9, true, seed)),
            cup: look.cup.as_ref().map(|cup| {
                let count = (cup.scales + cup.scales % 2).max(4);
                (cup, Cells::new(count, count, 0.3, true, hash(8, 4, seed)))
            }),
        }
    }

    /// Colour, height (fruit lengths) and roughness of a point.
    fn at(&self, p: Vec2) -> (Rgb, f32, f32) {
        let look = self.look;
        let fine = self.fine.at(p);
        if p.y < STALK_V {
            return (scale(look.stalk.rgb(), 1.0 + 0.2 * fine), 0.0, 0.85);
        }
        let v = (p.y - STALK_V) / (1.0 - STALK_V);
        if let Some((cup, scales)) = &self.cup
            && v < cup.reach + 0.006 * self.rim.at(p)
        {
            return cup_scales(cup, scales, p, v, self.seed);
        }
        // The blush has a sunny side, and streaks run from pole to pole; they fade at the hollow of the
        // stalk.
        let sunny = 0.55 * self.side.at(Vec2::new(p.x, 0.5)) + 0.5 * self.cloud.at(p);
        let streak = self.streak.at(Vec2::new(p.x + 0.006 * self.sway.at(p), p.y));
        let level = 0.9 * (look.cover * 2.0 - 1.0) + sunny + 0.9 * look.streaks * streak;
        let blush = smoothstep(-0.55, 0.55, level) * smoothstep(0.0, 0.16, v);
        let mut color = mix(look.ground.rgb(), look.blush.rgb(), blush);
        color = scale(color, 1.0 + 0.06 * fine + 0.12 * look.streaks * streak);
        let mut height = 0.001 * fine;
        if let Some(cells) = &self.dots {
            for (id, to) in cells.around(p) {
                let away = (to / Vec2::new(cells.nx as f32, cells.ny as f32) * Vec2::new(2.0, 1.0)).length();
                let radius = 0.0035 + 0.004 * random(id, 7, self.seed);
                let pale = smoothstep(radius, 0.4 * radius, away);
                color = mix(color, scale(look.ground.rgb(), 1.25), 0.35 * pale);
                height += 0.0008 * pale;
            }
        }
        // Russet in the hollow of the stalk, the dried flower at the other end.
        color = mix(color, look.stalk.rgb(), 0.7 * smoothstep(0.07, 0.0, v + 0.015 * fine));
        let end = smoothstep(0.955, 0.985, v + 0.012 * self.end.at(p));
        color = mix(color, scale(look.stalk.rgb(), 0.6), 0.9 * end);
        (color, height, (look.roughness + 0.05 * fine + 0.3 * end).clamp(0.05, 1.0))
    }
}

/// The overlapping scales of an acorn's cup.
fn cup_scales(cup: &CupLook, scales: &Cells, p: Vec2, v: f32, seed: u32) -> (Rgb, f32, f32) {
    let cell = scales.at(p, 1.0);
    let height = smoothstep(0.0, 0.5 / scales.nx as f32, cell.edge);
    let rim = smoothstep(cup.reach - 0.03, cup.reach, v);
    let tone = 0.85 + 0.3 * random(hash(cell.id, 1, seed), 2, seed);
    (scale(cup.color.rgb(), tone * (0.6 + 0.45 * height) * (1.0 - 0.4 * rim)), 0.012 * height + 0.02, 0.9)
}
