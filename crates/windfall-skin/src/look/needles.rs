//! Paints a piece of shoot with its needles into a cell.

use glam::Vec2;

use super::blade::{Cell, along};
use super::canvas::Grid;
use super::color::{Rgb, mix, scale};
use super::data::{LeafLook, NeedleLook};
use super::noise::{Noise, hash, random};

/// Layer of a needle: behind the shoot, at its sides, or in front, towards the viewer.
#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Behind,
    Side,
    Front,
}

impl NeedleLook {
    /// Length with which needles reach the sides of the card, lengths of the card.
    fn needle_length(&self) -> f32 {
        0.49 * self.aspect / libm::sinf(self.angle.to_radians())
    }

    /// Position of the shoot's end, lengths of the card: the last needles reach the top.
    fn shoot_end(&self) -> f32 {
        (1.0 - 0.93 * self.needle_length()).clamp(0.3, 0.95)
    }
}

/// A shoot with needles.
pub(super) fn paint_needles(look: &LeafLook, needles: &NeedleLook, grid: &Grid, variant: u32, seed: u32) -> Cell {
    let mut cell = Cell::empty(grid);
    let seed = hash(variant, 19, seed);
    cell.draw_layer(look, needles, grid, Layer::Behind, seed);
    cell.draw_shoot(needles, grid, seed);
    cell.draw_layer(look, needles, grid, Layer::Side, seed);
    cell.draw_layer(look, needles, grid, Layer::Front, seed);
    cell
}

impl Cell {
    fn draw_shoot(&mut self, needles: &NeedleLook, grid: &Grid, seed: u32) {
        let thick = (0.5 * needles.shoot).max(2.2 * grid.pixel().max_element());
        let bark = needles.shoot_color.rgb();
        let grain = Noise::new(90, 24, 2, seed);
        let ends = (Vec2::new(0.0, -0.1), Vec2::new(0.0, needles.shoot_end()));
        grid.line(ends, (thick, 0.6 * thick), |i, _, across, cover| {
            let grain = grain.at(grid.place(i) * 0.5 + Vec2::splat(0.25));
            self.put(i, scale(bark, 0.75 + 0.35 * (1.0 - across * across) + 0.2 * grain), [0.0; 3], cover);
            self.height[i] = 0.5 * thick * (1.0 - across * across).sqrt();
            self.roughness[i] = 0.85;
        });
    }

    fn draw_layer(&mut self, look: &LeafLook, needles: &NeedleLook, grid: &Grid, layer: Layer, seed: u32) {
        let salt = hash(layer as u32, 23, seed);
        let count = if layer == Layer::Side { 2 * needles.count } else { needles.count };
        for n in 0..count {
            let side = if n % 2 == 0 { 1.0 } else { -1.0 };
            let start = ((n / 2) as f32 + random(n, 1, salt)) / (count / 2).max(1) as f32;
            for member in 0..needles.bundle {
                let chance = |channel| random(n * 8 + member, channel, salt) - 0.5;
                // Needles in front and behind are foreshortened and lean less to the side.
                let (lean, short) =
                    if layer == Layer::Side { (1.0, 1.0) } else { (0.25 + 0.6 * (chance(2) + 0.5), 0.8) };
                // The last ones are dense around the bud and point forward.
                let forward = 1.0 - 0.55 * start * start * start * start;
                let spread =
                    if needles.bundle > 1 { 9.0 * (member as f32 / (needles.bundle - 1) as f32 - 0.5) } else { 0.0 };
                let angle = (needles.angle * lean * forward * (1.0 + 0.45 * chance(3)) + spread).to_radians();
                let direction = Vec2::new(side * libm::sinf(angle), libm::cosf(angle));
                let from = Vec2::new(0.0, start * needles.shoot_end());
                // Uneven tips, or the tuft would have the smooth edge of a leaf.
                let uneven = 1.0 - 0.3 * (chance(4) + 0.5);
                let to_edge = 0.495 * grid.aspect / direction.x.abs().max(0.02);
                let room = (0.99 - from.y) / direction.y.max(0.05);
                let length = (needles.needle_length() * short).min(to_edge).min(room) * uneven;
                self.draw_needle(look, needles, grid, (from, direction * length), (layer, n * 8 + member), salt);
            }
        }
    }

    fn draw_needle(
        &mut self,
        look: &LeafLook,
        needles: &NeedleLook,
        grid: &Grid,
        (from, along_it): (Vec2, Vec2),
        (layer, number): (Layer, u32),
        seed: u32,
    ) {
        let radius = (0.5 * needles.thickness).max(0.75 * grid.pixel().max_element());
        // Needles behind the shoot have the colours of the darker end of the list.
        let (dim, low, high) = match layer {
            Layer::Behind => (0.86, 0.0, 0.5),
            Layer::Side => (0.96, 0.15, 0.85),
            Layer::Front => (1.0, 0.4, 1.0),
        };
        let tone = low + (high - low) * random(number, 5, seed);
        let dry = random(number, 6, seed) < 0.04 * look.spots as f32;
        let color = if dry { look.dry.rgb() } else { along(&look.colors, tone) };
        // Slightly bent at the tip: two pieces.
        let bow = 0.06 * (random(number, 7, seed) - 0.5);
        let knee = from + 0.55 * along_it + bow * along_it.perp();
        let tip = from + along_it + Vec2::new(-0.05 * along_it.x, 0.03 * along_it.length());
        for (a, b, ra, rb, t0, t1) in
            [(from, knee, radius, radius, 0.0, 0.55), (knee, tip, radius, 0.45 * radius, 0.55, 1.0)]
        {
            grid.line((a, b), (ra, rb), |i, t, across, cover| {
                let t = t0 + (t1 - t0) * t;
                let round = 1.0 - across * across;
                // A keel is brighter; the base lies in the shade of the other needles.
                let light = dim * (0.86 + 0.14 * round) * (0.84 + 0.18 * t);
                self.put(i, scale(color, light), scale(look.glow.rgb(), light), cover);
                self.height[i] = radius * (0.6 * round + if layer == Layer::Front { 1.5 } else { 0.5 });
                self.roughness[i] = look.roughness;
            });
        }
    }

    fn put(&mut self, i: usize, color: Rgb, glow: Rgb, cover: f32) {
        // Blended over earlier needles; on empty pixels, the colour alone.
        let share = if self.cover[i] > 0.0 { cover } else { 1.0 };
        self.color[i] = mix(self.color[i], color, share);
        self.glow[i] = mix(self.glow[i], glow, share);
        self.cover[i] = self.cover[i].max(cover);
    }
}
