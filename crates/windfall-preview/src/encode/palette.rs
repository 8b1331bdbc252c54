//! The 255 colours of a GIF.
//!
//! Median cut (Heckbert 1982) on a histogram of 18-bit colours, then a few rounds of k-means. Colours are
//! weighted by the cube root of their frequency, so that sky and ground leave entries for rare colours
//! such as a few red apples.

use rayon::prelude::*;

use crate::picture::Picture;

/// Number of colours; one additional index marks transparency.
pub(crate) const MOST_COLORS: usize = 255;
/// Bits per channel in the histogram.
const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);

/// Colours, and a lookup table of the nearest one.
pub(crate) struct Palette {
    pub colors: Vec<[u8; 3]>,
    /// Nearest palette index of each 18-bit colour.
    nearest: Vec<u8>,
}

/// A colour of the histogram.
#[derive(Clone, Copy)]
struct Entry {
    color: [f32; 3],
    weight: f32,
}

impl Palette {
    pub fn new(picture: &Picture) -> Self {
        let entries = histogram(picture);
        let mut colors = median_cut(entries.clone());
        for _ in 0..3 {
            refine(&mut colors, &entries);
        }
        let bytes: Vec<[u8; 3]> = colors.iter().map(|c| c.map(|v| (v + 0.5).clamp(0.0, 255.0) as u8)).collect();
        let nearest = (0..CELLS).into_par_iter().map(|cell| closest(&colors, center(cell)).0 as u8).collect();
        Self { colors: bytes, nearest }
    }

    /// Index of the nearest colour; channels may be slightly outside 0 to 255.
    pub fn index(&self, color: [f32; 3]) -> u8 {
        self.nearest[cell(color.map(|v| v.clamp(0.0, 255.0) as u8))]
    }

    /// Mean distance between the colours of a picture and their palette colours, in steps of 255.
    pub fn error(&self, picture: &Picture) -> f32 {
        let mut sum = 0.0;
        let mut n = 0.0f32;
        for p in picture.pixels.iter().step_by(7).filter(|p| p[3] >= 128) {
            let c = self.colors[usize::from(self.nearest[cell([p[0], p[1], p[2]])])];
            sum += distance(c.map(f32::from), [p[0], p[1], p[2]].map(f32::from)).sqrt();
            n += 1.0;
        }
        sum / n.max(1.0)
    }
}

fn cell([r, g, b]: [u8; 3]) -> usize {
    let part = |v: u8| usize::from(v) >> (8 - BITS);
    part(r) << (2 * BITS) | part(g) << BITS | part(b)
}

fn center(cell: usize) -> [f32; 3] {
    let part = |shift: u32| ((cell >> shift & ((1 << BITS) - 1)) << (8 - BITS)) as f32 + (1 << (7 - BITS)) as f32 - 0.5;
    [part(2 * BITS), part(BITS), part(0)]
}

fn histogram(picture: &Picture) -> Vec<Entry> {
    let mut sums = vec![([0u64; 3], 0u64); CELLS];
    for p in picture.pixels.iter().filter(|p| p[3] >= 128) {
        let (sum, n) = &mut sums[cell([p[0], p[1], p[2]])];
        for (sum, &v) in sum.iter_mut().zip(p) {
            *sum += u64::from(v);
        }
        *n += 1;
    }
    let entry =
        |&(sum, n): &([u64; 3], u64)| Entry { color: sum.map(|s| s as f32 / n as f32), weight: (n as f32).cbrt() };
    sums.iter().filter(|(_, n)| *n > 0).map(entry).collect()
}

/// Weighted by the sensitivity of the eye: highest for green, lowest for blue.
fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (2.0 * d[0] * d[0] + 4.0 * d[1] * d[1] + 1.5 * d[2] * d[2]) / 7.5
}

fn closest(colors: &[[f32; 3]], to: [f32; 3]) -> (usize, f32) {
    let each = colors.iter().enumerate().map(|(i, &c)| (i, distance(c, to)));
    each.fold((0, f32::INFINITY), |best, next| if next.1 < best.1 { next } else { best })
}

/// Cuts the box with the largest spread in two until there are enough.
fn median_cut(entries: Vec<Entry>) -> Vec<[f32; 3]> {
    if entries.is_empty() {
        return vec![[0.0; 3]];
    }
    let spread = |entries: &[Entry]| {
        let mean = mean(entries);
        let total: [f32; 3] =
            std::array::from_fn(|k| entries.iter().map(|e| e.weight * (e.color[k] - mean[k]).powi(2)).sum());
        (0..3).map(|k| (k, total[k])).fold((0, -1.0), |best, next| if next.1 > best.1 { next } else { best })
    };
    let first = spread(&entries);
    let mut boxes = vec![(entries, first)];
    while boxes.len() < MOST_COLORS {
        let widest =
            (0..boxes.len()).filter(|&i| boxes[i].0.len() > 1).max_by(|&i, &j| boxes[i].1.1.total_cmp(&boxes[j].1.1));
        let Some(widest) = widest else { break };
        let (mut entries, (axis, _)) = boxes.swap_remove(widest);
        entries.sort_by(|a, b| a.color[axis].total_cmp(&b.color[axis]));
        let middle = mean(&entries)[axis];
        let cut = entries.partition_point(|e| e.color[axis] <= middle).clamp(1, entries.len() - 1);
        let upper = entries.split_off(cut);
        for half in [entries, upper] {
            let s = spread(&half);
            boxes.push((half, s));
        }
    }
    boxes.iter().map(|b| mean(&b.0)).collect()
}

fn mean(entries: &[Entry]) -> [f32; 3] {
    let weight: f32 = entries.iter().map(|e| e.weight).sum();
    std::array::from_fn(|k| entries.iter().map(|e| e.weight * e.color[k]).sum::<f32>() / weight)
}

/// One round of k-means.
fn refine(colors: &mut [[f32; 3]], entries: &[Entry]) {
    let mut sums = vec![([0f32; 3], 0f32); colors.len()];
    for e in entries {
        let (sum, weight) = &mut sums[closest(colors, e.color).0];
        for (sum, v) in sum.iter_mut().zip(e.color) {
            *sum += e.weight * v;
        }
        *weight += e.weight;
    }
    for (color, (sum, weight)) in colors.iter_mut().zip(sums) {
        if weight > 0.0 {
            *color = sum.map(|s| s / weight);
        }
    }
}
