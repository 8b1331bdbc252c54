//! Paints bark: exactly tileable, u around the branch, image up towards its tip.

use glam::Vec2;
use rayon::prelude::*;

use super::color::{Rgb, mix, pixel, scale};
use super::data::{BarkLook, Knots, Lenticels, Patches, Plates, Rings};
use super::noise::{Cells, Noise, fold_seed, hash, random, smoothstep, unit};
use super::relief::{Relief, roughness_image};
use crate::material::{Image, Material};

/// Smallest and largest side of a texture, pixels.
pub(super) const SIZES: (u32, u32) = (16, 8192);

/// Properties of bark at one point.
#[derive(Clone, Copy)]
struct Texel {
    /// 0 is the bottom of a crack, 1 a crest.
    height: f32,
    color: Rgb,
    roughness: f32,
}

/// The lattices of a bark's features.
struct Painter<'a> {
    look: &'a BarkLook,
    seed: u32,
    noise: Noises,
    /// Plates and the small plates within them, between fissures.
    plates: Option<(&'a Plates, [Cells; 2])>,
    lenticels: Option<(&'a Lenticels, Cells)>,
    knots: Option<(&'a Knots, Cells)>,
}

/// The bark of a look as a texture of `size` by `size` pixels (clamped to 16 to 8192) that covers
/// `look.tile` metres.
///
/// The look must pass [`super::Look::check`]. The colour contains the shade of cracks; the normal map
/// has the true slopes of `look.relief`.
pub fn paint_bark(look: &BarkLook, size: u32, seed: u64) -> Material {
    let size = size.clamp(SIZES.0, SIZES.1) as usize;
    let painter = Painter::new(look, fold_seed(seed));
    let texels: Vec<Texel> = (0..size * size)
        .into_par_iter()
        .map(|i| {
            painter.texel(Vec2::new(((i % size) as f32 + 0.5) / size as f32, ((i / size) as f32 + 0.5) / size as f32))
        })
        .collect();
    let depth = look.relief / look.tile * size as f32;
    let values = texels.iter().map(|t| t.height * depth).collect();
    let relief = Relief { width: size, height: size, values, wraps: true };
    // Hollows receive light from fewer directions: shade at two scales, fixed to the tile and not to the
    // pixels.
    let (near, far) = ((size / 170).max(1) as isize, (size / 48).max(1) as isize);
    let shade = |i: usize| {
        let out = |reach| relief.standing_out(i % size, i / size, reach) / depth.max(1e-6);
        (1.0 + 0.5 * out(near) + 0.3 * out(far)).clamp(0.55, 1.25)
    };
    let pixels = texels.par_iter().enumerate().map(|(i, t)| pixel(scale(t.color, shade(i)))).collect();
    Material {
        base_color: Some(Image { width: size as u32, height: size as u32, pixels }),
        normal: Some(relief.normals(1.0)),
        roughness: Some(roughness_image(size, size, texels.iter().map(|t| t.roughness))),
        ..Material::default()
    }
}

/// Independent noise for each feature.
struct Noises {
    grain: Noise,
    sway: Noise,
    fibre: Noise,
    drift: Noise,
    warp: [Noise; 2],
    flakes: Noise,
    wave: Noise,
    rim: Noise,
    tear: Noise,
    patches: Noise,
    lens: Noise,
    ragged: Noise,
    lids: Noise,
}

impl Noises {
    fn new(look: &BarkLook, seed: u32) -> Self {
        let noise = |channel, across, along, octaves| Noise::new(across, along, octaves, hash(channel, 4, seed));
        let plates = look.plates.as_ref().map_or([1, 1], |p| [p.across, p.along]);
        let patches = look.patches.as_ref().map_or([1, 1], |p| [p.across, p.along]);
        let rings = look.rings.as_ref().map_or(1, |r| r.count);
        Self {
            grain: noise(11, 60, 60, 2),
            sway: noise(12, 5, 5, 1),
            fibre: noise(13, 72, 7, 2),
            drift: noise(14, 3, 3, 2),
            warp: [21, 22].map(|channel| noise(channel, plates[0], plates[1], 3)),
            flakes: noise(23, plates[0], plates[1], 2),
            wave: noise(31, 2, 4, 2),
            rim: noise(32, 24, rings, 1),
            tear: noise(33, 5, rings, 2),
            patches: noise(41, patches[0], patches[1], 2),
            lens: noise(53, 64, 64, 1),
            ragged: noise(63, 40, 20, 3),
            lids: noise(64, 12, 12, 2),
        }
    }
}

impl<'a> Painter<'a> {
    fn new(look: &'a BarkLook, seed: u32) -> Self {
        let plates = look.plates.as_ref();
        let scatter = |across, along, channel| Cells::new(across, along, 0.9, true, hash(channel, 0, seed));
        Self {
            look,
            seed,
            noise: Noises::new(look, seed),
            plates: plates.map(|p| {
                let large = Cells::new(p.across, p.along, p.jitter, p.stagger, hash(1, 0, seed));
                (p, [large, Cells::new(3 * p.across, 2 * p.along, 1.0, false, hash(4, 0, seed))])
            }),
            lenticels: look.lenticels.as_ref().map(|l| (l, scatter(l.across, l.along, 2))),
            knots: look.knots.as_ref().map(|k| (k, scatter(k.across, k.along, 3))),
        }
    }

    fn texel(&self, p: Vec2) -> Texel {
        let look = self.look;
        let grain = if look.grain > 0.0 { self.noise.grain.at(p) } else { 0.0 };
        let fibre = if look.fibre > 0.0 { self.fibre(p) } else { 0.0 };
        let mut height = 0.62;
        let mut tone = 0.0;
        if let Some((plates, cells)) = &self.plates {
            (height, tone) = self.plate(plates, cells, p);
        }
        if let Some(rings) = &look.rings {
            height = (height + self.ring(rings, p)).clamp(0.0, 1.0);
        }
        let fine = 0.16 * look.grain * grain + 0.22 * look.fibre * fibre;
        // Detail is rougher on crests than at the bottom of cracks.
        height = (height + fine * (0.35 + 0.65 * height)).clamp(0.0, 1.0);
        let drift = 0.5 * self.noise.drift.at(p);
        let place = (height + 0.12 * drift + 0.25 * tone).clamp(0.0, 1.0);
        let (crack, body, crest) = (look.crack.rgb(), look.body.rgb(), look.crest.rgb());
        let ramp = if place < 0.55 { mix(crack, body, place / 0.55) } else { mix(body, crest, (place - 0.55) / 0.45) };
        let mut color = scale(ramp, 1.0 + 0.10 * look.grain * grain + 0.14 * look.fibre * fibre + 0.30 * tone);
        if let Some(patches) = &look.patches {
            color = self.patch(patches, p, height, color);
        }
        let mut texel = Texel { height, color, roughness: look.roughness };
        if let Some((lenticels, cells)) = &self.lenticels {
            self.lenticel(lenticels, cells, p, &mut texel);
        }
        if let Some((knots, cells)) = &self.knots {
            self.knot(knots, cells, p, &mut texel);
        }
        texel.roughness = (texel.roughness + 0.06 * grain - 0.05 * (texel.height - 0.6)).clamp(0.05, 1.0);
        texel
    }

    /// Fine, slightly wavy lines along the branch.
    fn fibre(&self, p: Vec2) -> f32 {
        self.noise.fibre.at(p + Vec2::new(0.01 * self.noise.sway.at(p), 0.0))
    }

    /// Height, and tone of its plate relative to the others (-0.5 to 0.5).
    fn plate(&self, plates: &Plates, [cells, fine]: &[Cells; 2], p: Vec2) -> (f32, f32) {
        let (across, along) = (plates.across, plates.along);
        let waver = Vec2::new(self.noise.warp[0].at(p), self.noise.warp[1].at(p));
        let q = p + waver * (0.6 * plates.warp) / Vec2::new(across as f32, along as f32);
        let cell = cells.at(q, plates.cross);
        let x = cell.edge * 2.0 * across as f32;
        // The width of a crack varies along it.
        let crack = plates.crack * (1.0 + 0.9 * waver.y).clamp(0.35, 2.0);
        let floor = smoothstep(0.2 * crack, crack, x);
        let inner = 1.0 - x.min(1.0);
        let bevel = 1.0 - inner * inner;
        let mut height = floor * (1.0 - plates.round + plates.round * bevel);
        let bits = hash(cell.id, 5, self.seed);
        let mut tone = unit(bits) - 0.5;
        if plates.lift > 0.0 {
            // Down in the image is down the trunk: the lower edge stands off.
            let down = (cell.from_centre.y * along as f32).clamp(-0.7, 0.7);
            height *= 1.0 + plates.lift * (0.6 * down - 0.3);
        }
        if plates.flakes > 0 {
            let steps = plates.flakes as f32;
            let place = p + Vec2::new(unit(bits), unit(hash(cell.id, 6, self.seed)));
            let level = (0.5 + 0.55 * self.noise.flakes.at(place)) * steps;
            let terrace = (level.floor() + smoothstep(0.0, 0.15, level.fract())) / steps;
            height *= 0.5 + 0.5 * terrace.clamp(0.0, 1.0);
            tone += 0.7 * (random(cell.id, 100 + level.max(0.0) as u32, self.seed) - 0.5);
        }
        if plates.fissures > 0.0 {
            let small = fine.at(q, 0.6);
            let open = 1.0 - smoothstep(0.0, 0.3, small.edge * 2.0 * fine.nx as f32 * (1.0 + 0.7 * waver.x).max(0.3));
            height *= 1.0 - 0.6 * plates.fissures * open;
            tone += 0.4 * plates.fissures * (random(small.id, 8, self.seed) - 0.5);
        }
        height *= 1.0 - 0.25 * plates.tone * unit(hash(cell.id, 7, self.seed));
        (height, plates.tone * tone.clamp(-0.6, 0.6) * floor)
    }

    /// Contribution of leaf-scar rings to the height.
    fn ring(&self, rings: &Rings, p: Vec2) -> f32 {
        let along =
            p.y * rings.count as f32 + rings.waver * (0.5 * self.noise.wave.at(p) + 0.08 * self.noise.rim.at(p));
        let phase = along - along.floor();
        // The scar: a steep step above, a gentle slope below.
        let groove =
            smoothstep(0.0, 0.35 * rings.groove, phase) * (1.0 - smoothstep(1.0 - 0.65 * rings.groove, 1.0, phase));
        // Torn rings end where the noise is low.
        let whole = smoothstep(-0.25, 0.15, self.noise.tear.at(p) + 1.0 - 1.7 * rings.gaps);
        whole * (0.75 * (groove - 1.0) + 0.22 * (0.5 - phase) * groove)
    }

    fn patch(&self, patches: &Patches, p: Vec2, height: f32, color: Rgb) -> Rgb {
        let noise = self.noise.patches.at(p);
        // Gradient noise has a standard deviation near 0.3: this level leaves about `share` of it above.
        let level = 0.45 * (1.0 - 2.0 * patches.share);
        let soft = 0.35 * (1.0 - patches.sharp) + 0.03;
        let cover = smoothstep(level - soft, level + soft, noise) * smoothstep(0.15, 0.5, height);
        mix(color, scale(patches.color.rgb(), 0.6 + 0.5 * height), 0.65 * cover)
    }

    fn lenticel(&self, look: &Lenticels, cells: &Cells, p: Vec2, texel: &mut Texel) {
        let count = Vec2::new(cells.nx as f32, cells.ny as f32);
        let largest = 0.65 / self.look.tile * Vec2::new(look.width, look.height);
        for (id, to) in cells.around(p) {
            // Most points have no lens near by: return before the costly part.
            if (to / count).abs().cmpgt(1.4 * largest).any() || random(id, 51, self.seed) >= look.share {
                continue;
            }
            let half = largest * (0.42 + 0.58 * random(id, 52, self.seed));
            let mut d = to / count / half;
            d.y += 0.35 * self.noise.lens.at(p);
            let lens = 1.0 - d.x * d.x - d.y.abs() / (1.05 - d.x * d.x).max(0.05);
            if lens > 0.0 {
                let cover = smoothstep(0.0, 0.35, lens);
                // A slit along the middle.
                let slit = smoothstep(0.5, 0.95, lens);
                texel.color = mix(texel.color, scale(look.color.rgb(), 1.0 - 0.22 * slit), cover);
                texel.height = (texel.height + look.raise * cover * (1.0 - 0.5 * slit)).clamp(0.0, 1.0);
                texel.roughness += (0.9 - texel.roughness) * 0.6 * cover;
            }
        }
    }

    fn knot(&self, look: &Knots, cells: &Cells, p: Vec2, texel: &mut Texel) {
        let count = Vec2::new(cells.nx as f32, cells.ny as f32);
        let largest = 0.55 / self.look.tile * Vec2::new(look.width, look.height);
        for (id, to) in cells.around(p) {
            if (to / count).abs().cmpgt(2.6 * largest).any() || random(id, 61, self.seed) >= look.share {
                continue;
            }
            let half = largest * (0.45 + 0.55 * random(id, 62, self.seed));
            let ragged = self.noise.ragged.at(p);
            let wobble = 0.4 * self.noise.lids.at(p) + 0.25 * ragged;
            // Relative to the eye, up is negative y. The opening of the eyes varies.
            let mut d = -to / count / half;
            d.y *= 1.0 + 1.6 * random(id, 65, self.seed);
            d.y += 0.3 * (random(id, 66, self.seed) - 0.5) * d.x;
            let lid = d.y.abs() / (1.0 - 0.6 * d.x * d.x).max(0.05);
            let eye = 1.0 - smoothstep(0.6, 1.05, lid.max(d.x.abs()) + wobble);
            // Brows fall off to both sides above the eye, and become thinner.
            let line = d.y + 1.3 - 0.42 * d.x * d.x + wobble;
            let brow = (1.0 - smoothstep(0.0, 0.4, line.abs())) * (1.0 - smoothstep(0.4, 2.0, d.x.abs() + wobble));
            let dark = (eye * (0.9 + 0.3 * ragged)).max(0.75 * brow).clamp(0.0, 1.0);
            texel.color = mix(texel.color, look.color.rgb(), dark);
            texel.height = (texel.height - 0.4 * eye * (1.0 + ragged) - 0.3 * brow).clamp(0.0, 1.0);
            texel.roughness += (0.95 - texel.roughness) * dark;
        }
    }
}
