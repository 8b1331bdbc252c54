//! Placement of leaves on thin wood.

use std::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};
use libm::{cos, sin};
use windfall_core::parts::{Leaf, PlantParts, Segment};
use windfall_core::random::Stream;
use windfall_core::validate::{LARGEST_MEASURE, SMALLEST_MEASURE};
use windfall_core::{Plant, Summary};

use super::{Foliage, LeafArea, MOST_LEAVES};
use crate::error::ScanError;

/// Divergence angle from one leaf to the next around the shoot, radians: the golden angle.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// Thin wood of one tree: segments with the cumulative length up to the end of each, m.
struct Shoots {
    segments: Vec<usize>,
    lengths: Vec<f64>,
}

impl Shoots {
    fn length(&self) -> f64 {
        self.lengths.last().copied().unwrap_or(0.0)
    }

    /// The segment at a distance along all shoots, and the fraction of its length, 0 to 1.
    fn at(&self, distance: f64) -> (usize, f64) {
        let place = self.lengths.partition_point(|&l| l < distance).min(self.segments.len() - 1);
        let before = if place == 0 { 0.0 } else { self.lengths[place - 1] };
        (self.segments[place], ((distance - before) / (self.lengths[place] - before)).clamp(0.0, 1.0))
    }
}

/// Adds leaves to wood; returns a text with their number.
pub fn add_leaves(parts: &mut PlantParts, foliage: &Foliage) -> Result<String, ScanError> {
    check(foliage)?;
    let limit = foliage.most_radius.map_or_else(|| thin_half(&parts.segments), |r| r as f32);
    let shoots = shoots(parts, limit);
    let areas = areas(parts, foliage.area, &shoots)?;
    let habit = &foliage.habit;
    // The proxy triangle has the length and the area of the blade.
    let mean_area = foliage.material.fill * habit.length * habit.width;
    let counts = counts(&areas, mean_area, foliage.area);
    let count: usize = counts.iter().sum();
    if count > MOST_LEAVES {
        return Err(ScanError::Leaves(format!(
            "{count} leaves of {:.1} cm2 are more than {MOST_LEAVES}: ask for less area, or for a species with larger leaves",
            1e4 * mean_area
        )));
    }
    if count == 0 {
        let (found, leaf) = (1e4 * areas.iter().sum::<f64>(), 1e4 * mean_area);
        return Err(ScanError::Leaves(match foliage.area {
            LeafArea::Total(_) => format!("the area is less than half of one leaf ({leaf:.1} cm2): ask for more"),
            LeafArea::Index(index) => format!(
                "seen from above the wood covers so little that an index of {index} makes {found:.1} cm2, less than half of one leaf \
                 ({leaf:.1} cm2) for each tree: give the area of the leaves itself"
            ),
        }));
    }
    let material = parts.leaf_materials.len() as u16;
    parts.leaf_materials.push(foliage.material.clone());
    parts.leaves.reserve(count);
    let stream = Stream::new(foliage.seed);
    let before = parts.leaves.len();
    for (tree, shoots) in shoots.iter().enumerate().filter(|(tree, _)| counts[*tree] > 0) {
        let first = parts.leaves.len();
        let stream = stream.fork(tree as u64);
        for n in 0..counts[tree] {
            let mut stream = stream.fork(n as u64);
            let distance = shoots.length() * (n as f64 + stream.unit()) / counts[tree] as f64;
            let (segment, along) = shoots.at(distance);
            let leaf = leaf(&parts.segments[segment], along, n as f64 * GOLDEN, foliage, &mut stream);
            parts.leaves.push(Leaf { parent: segment as u32, material, ..leaf });
        }
        if matches!(foliage.area, LeafArea::Index(_)) {
            fit_area(&mut parts.leaves[first..], areas[tree]);
        }
    }
    let leaves = &mut parts.leaves[before..];
    if let LeafArea::Total(area) = foliage.area {
        fit_area(leaves, area);
    }
    let total: f64 = leaves.iter().map(Leaf::area).sum();
    let (angles, bare) = (foliage.angles.name(), counts.iter().filter(|&&count| count == 0).count());
    let none = if bare > 0 { format!(", none on {bare} of {} trees", counts.len()) } else { String::new() };
    Ok(format!("{count} leaves, {total:.3} m2, {angles}, on wood up to {:.1} mm radius{none}", 1e3 * limit))
}

fn check(foliage: &Foliage) -> Result<(), ScanError> {
    let (option, value, rule) = match foliage.area {
        LeafArea::Total(area) => ("leaf area", area, "must be above 0 and at most 1000000 m2"),
        LeafArea::Index(index) => ("leaf area index", index, "must be above 0 and at most 100"),
    };
    let most = if option == "leaf area" { 1e6 } else { 100.0 };
    if !(value > 0.0 && value <= most) {
        return Err(ScanError::Option { option, value, rule });
    }
    if let Some(value) = foliage.most_radius.filter(|r| !(1e-6..=100.0).contains(r)) {
        let rule = "must be between 0.000001 and 100 m";
        return Err(ScanError::Option { option: "radius of leafy wood", value, rule });
    }
    Ok(())
}

fn mean_radius(segment: &Segment) -> f32 {
    0.5 * (segment.base_radius + segment.tip_radius)
}

/// Largest radius of leafy wood, m, unless all wood is thicker.
const THICK: f32 = 0.02;

/// The radius below which half of the wood lies, by length, m.
fn thin_half(segments: &[Segment]) -> f32 {
    let mut sorted: Vec<(f32, f64)> = segments.iter().map(|s| (mean_radius(s), f64::from(s.length))).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = 0.5 * sorted.iter().map(|s| s.1).sum::<f64>();
    let mut sum = 0.0;
    let median = sorted.iter().find(|(_, length)| {
        sum += length;
        sum >= half
    });
    let thinnest = sorted.first().map_or(0.0, |s| s.0);
    median.map_or(f32::MAX, |&(radius, _)| radius.min(THICK.max(thinnest)))
}

fn shoots(parts: &PlantParts, limit: f32) -> Vec<Shoots> {
    let mut shoots: Vec<Shoots> =
        parts.trees.iter().map(|_| Shoots { segments: Vec::new(), lengths: Vec::new() }).collect();
    let mut segment = 0;
    for branch in &parts.branches {
        let own = &mut shoots[branch.tree as usize];
        for _ in 0..branch.segment_count {
            if mean_radius(&parts.segments[segment]) <= limit {
                let length = own.length() + f64::from(parts.segments[segment].length);
                own.segments.push(segment);
                own.lengths.push(length);
            }
            segment += 1;
        }
    }
    shoots
}

/// The leaf area of each tree, m².
fn areas(parts: &PlantParts, area: LeafArea, shoots: &[Shoots]) -> Result<Vec<f64>, ScanError> {
    let bare = || {
        let thinnest = parts.segments.iter().map(mean_radius).fold(f32::MAX, f32::min);
        ScanError::Leaves(format!("no wood is thin enough: the thinnest has {:.1} mm radius", 1e3 * thinnest))
    };
    let all: f64 = shoots.iter().map(Shoots::length).sum();
    if all <= 0.0 {
        return Err(bare());
    }
    match area {
        LeafArea::Total(area) => Ok(shoots.iter().map(|s| area * s.length() / all).collect()),
        LeafArea::Index(index) => {
            let wood = Summary::of(&Plant::new(parts.clone())?);
            let crowns = wood.trees.iter().zip(shoots);
            Ok(crowns.map(|(tree, s)| if s.length() > 0.0 { index * tree.crown_area_m2 } else { 0.0 }).collect())
        }
    }
}

/// Number of leaves of each tree. A total is divided without loss, however small the share of a tree.
fn counts(areas: &[f64], mean_area: f64, area: LeafArea) -> Vec<usize> {
    let whole = |area: f64| (area / mean_area).round().clamp(0.0, 1e12) as usize;
    let (mut sum, mut given) = (0.0, 0);
    let mut next = |area: f64| {
        sum += area;
        let count = whole(sum) - given;
        given += count;
        count
    };
    match area {
        LeafArea::Total(_) => areas.iter().map(|&area| next(area)).collect(),
        LeafArea::Index(_) => areas.iter().map(|&area| whole(area)).collect(),
    }
}

/// A dimension of a body, clamped to the range of a valid plant, m.
fn measure(value: f64) -> f32 {
    (value as f32).clamp(2.0 * SMALLEST_MEASURE, 0.5 * LARGEST_MEASURE)
}

fn leaf(on: &Segment, along: f64, turn: f64, foliage: &Foliage, stream: &mut Stream) -> Leaf {
    let habit = &foliage.habit;
    let (direction, side) = {
        let frame = on.orientation.as_dquat().normalize();
        let around = turn + stream.around(0.25);
        (frame * DVec3::Y, frame * DVec3::new(cos(around), 0.0, sin(around)))
    };
    let theta = foliage.angles.quantile(stream.unit());
    let compass = TAU * stream.unit();
    let normal = DVec3::new(sin(theta) * cos(compass), cos(theta), sin(theta) * sin(compass));
    let angle = habit.angle.to_radians();
    let out = direction * cos(angle) + side * sin(angle);
    let radius = f64::from(on.base_radius) + f64::from(on.tip_radius - on.base_radius) * along;
    let place = on.position.as_dvec3() + direction * (f64::from(on.length) * along) + side * radius;
    let scale = 1.0 + stream.around(habit.variation);
    let petiole_length = habit.petiole_length * scale;
    Leaf {
        parent: 0,
        material: 0,
        position: place.as_vec3(),
        orientation: facing(normal, out).as_quat(),
        width: measure(2.0 * foliage.material.fill * habit.width * scale),
        length: measure(habit.length * scale),
        petiole_length: if petiole_length < f64::from(SMALLEST_MEASURE) { 0.0 } else { measure(petiole_length) },
        petiole_radius: measure(habit.petiole_radius * scale),
    }
}

/// The frame with this normal (unit) and y as near as possible to `out`.
fn facing(normal: DVec3, out: DVec3) -> DQuat {
    let y = out - normal * out.dot(normal);
    let y = if y.length_squared() > 1e-9 { y.normalize() } else { normal.any_orthonormal_vector() };
    DQuat::from_mat3(&DMat3::from_cols(y.cross(normal), y, normal)).normalize()
}

/// Scales leaves to this total area, m².
fn fit_area(leaves: &mut [Leaf], area: f64) {
    let factor = (area / leaves.iter().map(Leaf::area).sum::<f64>()).sqrt();
    for leaf in leaves {
        leaf.width = measure(f64::from(leaf.width) * factor);
        leaf.length = measure(f64::from(leaf.length) * factor);
    }
}
