//! Paints one blade or blossom into its cell.

use glam::Vec2;

use super::canvas::Grid;
use super::color::{Color, Rgb, mix, scale};
use super::data::{LeafLook, Veins};
use super::noise::{Cells, Noise, hash, random, smoothstep};
use super::outline::Outline;

/// Contents of one cell of the texture.
pub(super) struct Cell {
    /// Coverage, 0 to 1.
    pub(super) cover: Vec<f32>,
    pub(super) color: Vec<Rgb>,
    pub(super) glow: Vec<Rgb>,
    /// Height, in lengths of the blade.
    pub(super) height: Vec<f32>,
    pub(super) roughness: Vec<f32>,
}

impl Cell {
    pub(super) fn empty(grid: &Grid) -> Self {
        let n = grid.len();
        Self {
            cover: vec![0.0; n],
            color: vec![[0.0; 3]; n],
            glow: vec![[0.0; 3]; n],
            height: vec![0.0; n],
            roughness: vec![0.5; n],
        }
    }

    fn draw_stamen(&mut self, look: &LeafLook, grid: &Grid, from: Vec2, along_it: Vec2) {
        let end = from + along_it;
        let thin = (0.004_f32).max(0.5 * grid.pixel().max_element());
        for (a, radius, color) in [(from, thin, look.vein.rgb()), (end, 0.014, look.dry.rgb())] {
            grid.line((a, end), (radius, radius), |i, _, _, c| {
                self.color[i] = mix(self.color[i], color, c);
                self.glow[i] = mix(self.glow[i], scale(color, 0.6), c);
                self.cover[i] = self.cover[i].max(c);
            });
        }
    }
}

/// A colour of a list, `t` from 0 (first) to 1 (last).
pub(super) fn along(colors: &[Color], t: f32) -> Rgb {
    let place = t.clamp(0.0, 1.0) * (colors.len() - 1) as f32;
    let i = (place as usize).min(colors.len().saturating_sub(2));
    let next = colors[(i + 1).min(colors.len() - 1)];
    mix(colors[i].rgb(), next.rgb(), place - i as f32)
}

/// Strength of the veins, 0 to 1, and nearness of the next vein, 0 to 1.
struct VeinMap {
    line: Vec<f32>,
    near: Vec<f32>,
}

/// One leaf, petal or leaflet.
pub(super) fn paint_blade(look: &LeafLook, grid: &Grid, variant: u32, seed: u32) -> Cell {
    let share = (grid.width - 4) as f32 * (grid.height - 4) as f32 / grid.len() as f32;
    let outline = Outline::new(look, (look.fill / share).min(0.98), variant, seed);
    let mut cover = grid.fill(&outline.points);
    // The petiole continues into the base, also where the base is hollow, so that cards can use its
    // colour.
    let stalk = (0.0125_f32).max(2.2 * grid.pixel().max_element());
    grid.line((Vec2::new(0.0, -0.1), Vec2::new(0.0, 0.12)), (stalk, stalk), |i, _, _, c| cover[i] = cover[i].max(c));
    let veins = look.veins.as_ref().map(|v| map_veins(v, grid, &outline, &cover, seed ^ variant));
    let inward = grid.distance(|i| cover[i] < 0.5);
    let seed = hash(variant, 3, seed);
    let spots: Vec<(Vec2, f32)> = (0..look.spots)
        .map(|n| {
            let at = Vec2::new(grid.aspect * (random(n, 1, seed) - 0.5), random(n, 2, seed));
            // Few of the spots are large.
            let chance = random(n, 3, seed);
            (at, (0.004 + 0.022 * chance * chance * chance) * (2.0 * grid.aspect).min(1.0))
        })
        .collect();
    let (broad, fine) = (Noise::new(7, 7, 3, seed ^ 1), Noise::new(60, 60, 2, seed ^ 2));
    let net = Cells::new(36, 36, 1.0, false, seed);
    let place_in_list = (variant as f32 + 0.5 * random(0, 4, seed)) / (look.variants as f32 - 0.5).max(1.0);
    let mut cell = Cell::empty(grid);
    for (i, &inward) in inward.iter().enumerate() {
        let p = grid.place(i);
        // Noise is made for the unit square; leaf units fit well within.
        let q = p * 0.5 + Vec2::splat(0.25);
        let (broad, fine) = (broad.at(q), fine.at(q));
        let (line, near) = veins.as_ref().map_or((0.0, 0.0), |v| (v.line[i], v.near[i]));
        let strength = look.veins.as_ref().map_or(0.0, |v| v.strength);
        let mut color = along(&look.colors, place_in_list + 0.8 * look.mottle * broad);
        color =
            scale(color, 1.0 + 0.25 * look.mottle * broad + 0.16 * look.mottle * fine - 0.10 * strength * (0.5 - near));
        if let Some(heart) = look.heart {
            let reach = smoothstep(0.75, -0.05, p.length() + 0.06 * broad);
            color = mix(color, heart.rgb(), 0.9 * reach * reach);
        }
        let mesh = 1.0 - smoothstep(0.0, 0.25, net.at(q, 1.0).edge * 72.0);
        let vein = (line + 0.18 * mesh * strength).min(1.0);
        color = mix(color, look.vein.rgb(), strength * vein);
        let dry = dryness(look, &spots, p, inward, broad, fine);
        color = mix(color, look.dry.rgb(), dry);
        cell.color[i] = color;
        let through = (1.0 - 0.55 * strength * vein)
            * (1.0 - 0.75 * dry)
            * (0.92 + 0.35 * look.mottle * fine + 0.12 * (1.0 - near));
        cell.glow[i] = scale(mix(look.glow.rgb(), scale(color, 1.5).map(|c| c.min(0.9)), 0.4), through);
        // Seen from above veins are sunken and the blade bulges between them.
        cell.height[i] = -0.010 * strength * (0.8 * near + 0.4 * line + 0.08 * mesh) + 0.0008 * fine;
        cell.roughness[i] = look.roughness + 0.05 * fine + 0.25 * dry + 0.06 * line;
    }
    cell.cover = cover;
    for stamen in 0..look.stamens {
        // A fan over the base of the petal; the rest of the stamens are on the other petals of the
        // flower.
        let turn = 1.1 * ((stamen as f32 + random(stamen, 5, seed)) / look.stamens as f32 - 0.5);
        let direction = Vec2::new(libm::sinf(turn), libm::cosf(turn));
        cell.draw_stamen(look, grid, Vec2::ZERO, (0.20 + 0.22 * random(stamen, 6, seed)) * direction);
    }
    cell
}

/// Dryness of a point, 0 to 1.
fn dryness(look: &LeafLook, spots: &[(Vec2, f32)], p: Vec2, inward: f32, broad: f32, fine: f32) -> f32 {
    let mut dry = 0.0_f32;
    if look.dry_edge > 0.0 {
        // Edges dry where the noise is high, most at the tip.
        let width = 0.16 * look.dry_edge * (1.2 * broad + 0.5 * p.y - 0.55 + 0.25 * look.dry_edge).max(0.0);
        dry = 0.85 * smoothstep(width, 0.4 * width, inward + 0.008 * fine) * smoothstep(0.0, 0.012, width);
    }
    for &(at, radius) in spots {
        let distance = p.distance(at) * (1.0 + 0.35 * fine);
        dry = dry.max(0.9 * smoothstep(radius, 0.6 * radius, distance));
    }
    dry
}

fn map_veins(veins: &Veins, grid: &Grid, outline: &Outline, cover: &[f32], seed: u32) -> VeinMap {
    let mut map = VeinMap { line: vec![0.0; grid.len()], near: vec![0.0; grid.len()] };
    let width = veins.width;
    let base = Vec2::new(0.0, outline.tips.first().map_or(0.0, |_| 0.04));
    let mut mains = vec![(Vec2::ZERO, Vec2::new(0.0, 0.985), width)];
    mains.extend(outline.tips.iter().map(|&tip| (base, tip, 0.75 * width)));
    for &(from, to, width) in &mains {
        map.draw(grid, from, to, (width, 0.2 * width), 1.0);
    }
    for &(from, to, width) in &mains {
        let length = (to - from).length();
        let pairs = (veins.pairs as f32 * length).round().max(if veins.pairs > 0 { 2.0 } else { 0.0 }) as u32;
        for n in 0..2 * pairs {
            let t = 0.10 + 0.82 * ((n / 2) as f32 + 0.5 * random(n, 7, seed)) / pairs as f32;
            let side = if n % 2 == 0 { 1.0 } else { -1.0 };
            let turn = (veins.angle * (1.1 - 0.35 * t)).to_radians() * -side;
            let direction = Vec2::new(libm::cosf(turn), libm::sinf(turn)).rotate((to - from) / length.max(1e-6));
            map.trace(grid, cover, from + (to - from) * t, direction, (to - from) / length.max(1e-6), 0.45 * width);
        }
    }
    for n in 0..2 * veins.parallel {
        let side = if n % 2 == 0 { 1.0 } else { -1.0 };
        let x = side * ((n / 2) as f32 + 0.8) / (veins.parallel as f32 + 0.8) * 0.5 * grid.aspect;
        // Parallel veins converge at both ends.
        let at = |y: f32| Vec2::new(x * (1.0 - 0.5 * (2.0 * y - 0.9) * (2.0 * y - 0.9)), y);
        for step in 0..12 {
            let (a, b) = (at(step as f32 / 12.0), at((step + 1) as f32 / 12.0));
            map.draw(grid, a, b, (0.25 * width, 0.25 * width), 0.6);
        }
    }
    map
}

impl VeinMap {
    fn draw(&mut self, grid: &Grid, a: Vec2, b: Vec2, (ra, rb): (f32, f32), strength: f32) {
        // A line thinner than a pixel becomes fainter instead.
        let pixel = grid.pixel().max_element();
        let least = |r: f32| (r.max(0.45 * pixel), (r / (0.45 * pixel)).min(1.0));
        let ((wide_a, faint_a), (wide_b, faint_b)) = (least(ra), least(rb));
        grid.line((a, b), (wide_a, wide_b), |i, t, _, cover| {
            let faint = faint_a + (faint_b - faint_a) * t;
            self.line[i] = self.line[i].max(strength * cover * faint.max(0.35));
        });
        let halo = 0.025 + 2.0 * ra;
        grid.line((a, b), (halo, halo), |i, _, across, _| {
            let fall = 1.0 - across.abs();
            self.near[i] = self.near[i].max(strength * fall * fall);
        });
    }

    /// A side vein that bends towards the tip until it leaves the blade.
    fn trace(&mut self, grid: &Grid, cover: &[f32], from: Vec2, direction: Vec2, forward: Vec2, width: f32) {
        const STEP: f32 = 0.03;
        let (mut at, mut heading, mut radius) = (from, direction, width);
        for step in 0..40 {
            let next = at + heading * STEP.min(0.25 * grid.aspect);
            let Some(i) = grid.index(next).filter(|&i| cover[i] > 0.9) else { break };
            // Stop at another main vein.
            if step > 1 && self.line[i] > 0.85 {
                break;
            }
            let thinner = 0.93 * radius;
            self.draw(grid, at, next, (radius, thinner), 0.8);
            heading = (heading + 0.05 * forward).normalize();
            (at, radius) = (next, thinner);
        }
    }
}

/// A whole flower seen from above: petals around the middle of the cell, stamens.
pub(super) fn paint_blossom(look: &LeafLook, grid: &Grid, variant: u32, seed: u32) -> Cell {
    let mut cell = Cell::empty(grid);
    let seed = hash(variant, 9, seed);
    let streaks = Noise::new(70, 3, 2, seed);
    let middle = Vec2::new(0.0, 0.5);
    let stalk = (0.0125_f32).max(2.2 * grid.pixel().max_element());
    grid.line((Vec2::new(0.0, -0.1), middle), (stalk, stalk), |i, _, _, c| {
        cell.cover[i] = cell.cover[i].max(c);
        cell.color[i] = look.vein.rgb();
    });
    for petal in 0..look.petals {
        // The first points down, over the stalk.
        let turn = std::f32::consts::TAU * petal as f32 / look.petals as f32 + 0.08 * (random(petal, 1, seed) - 0.5);
        let down = Vec2::new(libm::sinf(turn), -libm::cosf(turn));
        let size = 0.5 * (0.93 + 0.07 * random(petal, 2, seed));
        let outline = Outline::new(look, look.fill, petal + 16 * variant, seed);
        let points: Vec<Vec2> =
            outline.points.iter().map(|p| middle + size * (down * p.y + down.perp() * p.x)).collect();
        let tone = 0.95 + 0.05 * random(petal, 3, seed);
        for (i, &c) in grid.fill(&points).iter().enumerate().filter(|(_, c)| **c > 0.0) {
            let p = grid.place(i) - middle;
            let radius = p.length() / 0.5;
            let streak = streaks.at(Vec2::new(0.5 + p.perp_dot(down), 0.5 * radius));
            let mut color = scale(along(&look.colors, random(petal, 4, seed)), tone + 0.03 * streak);
            if let Some(heart) = look.heart {
                let reach = smoothstep(0.8, 0.0, radius);
                color = mix(color, heart.rgb(), reach * reach);
            }
            cell.color[i] = mix(cell.color[i], color, c);
            cell.cover[i] = cell.cover[i].max(c);
            cell.glow[i] = mix(cell.glow[i], scale(look.glow.rgb(), 0.9 + 0.1 * radius), c);
            cell.height[i] = 0.05 * radius * radius + 0.0006 * streak;
            cell.roughness[i] = look.roughness;
        }
    }
    for stamen in 0..18 {
        let turn = std::f32::consts::TAU * (stamen as f32 + 0.6 * random(stamen, 5, seed)) / 18.0;
        let along_it = (0.10 + 0.09 * random(stamen, 6, seed)) * Vec2::new(libm::cosf(turn), libm::sinf(turn));
        cell.draw_stamen(look, grid, middle, along_it);
    }
    cell
}
