//! Forestry measures of a plant.

use std::collections::BTreeMap;

use glam::{Vec2, Vec3};
use serde::Serialize;

use crate::materials::LeafKind;
use crate::plant::{BodyId, Plant};

/// Height above the ground for the diameter of a trunk, m.
pub const BREAST_HEIGHT: f64 = 1.3;

/// Smallest and largest of a measure.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Span {
    fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        values.fold(None, |span, v| {
            Some(span.map_or(Self { min: v, max: v }, |s: Self| Self { min: s.min.min(v), max: s.max.max(v) }))
        })
    }
}

/// Measures of one tree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TreeSummary {
    /// Its name.
    pub name: String,
    /// Height of its highest point above the level of its origin, m.
    pub height_m: f64,
    /// Diameter of the trunk 1.3 m above its base; none if it is shorter.
    pub dbh_m: Option<f64>,
    /// Diameter of the trunk at its base, m.
    pub base_diameter_m: f64,
    /// Mean of the widths of the crown over all compass directions, m.
    pub crown_width_m: f64,
    /// Area of the crown seen from above: the convex hull of all bodies, m².
    pub crown_area_m2: f64,
    /// Height of the lowest branch on the trunk, m; none if it has no branches.
    pub clear_trunk_m: Option<f64>,
    /// Mean angle between first-order branches and the trunk where they leave it, degrees.
    pub insertion_angle_deg: Option<f64>,
    /// One-sided area of all leaves, needles, petals and blossoms, m².
    pub leaf_area_m2: f64,
    /// Leaf area over crown area.
    pub leaf_area_index: f64,
    /// Mass, kg.
    pub mass_kg: f64,
}

/// Measures of a whole plant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// Its name.
    pub name: String,
    /// Provenance of the plant.
    pub provenance: String,
    /// Number of bodies.
    pub bodies: usize,
    /// Number of wood segments.
    pub wood: usize,
    /// Number of leaf bodies by kind; kinds that do not occur are left out.
    pub leaves: BTreeMap<&'static str, usize>,
    /// Number of fruit.
    pub fruit: usize,
    /// Number of branches.
    pub branches: usize,
    /// Number of branch orders (a trunk alone has one).
    pub orders: usize,
    /// Number of bodies on the longest path from a root to a tip.
    pub depth: usize,
    /// Total mass, kg.
    pub mass_kg: f64,
    /// Mass of the wood, kg.
    pub wood_mass_kg: f64,
    /// Mass of leaves, petals and needles, kg.
    pub leaf_mass_kg: f64,
    /// Mass of the fruit, kg.
    pub fruit_mass_kg: f64,
    /// Range of the radii of the wood, m.
    pub wood_radius_m: Option<Span>,
    /// Range of the lengths of the segments, m.
    pub segment_length_m: Option<Span>,
    /// The trees.
    pub trees: Vec<TreeSummary>,
}

/// Number of directions of an outline: enough for an error below 1 % in the area of a round crown.
const DIRECTIONS: usize = 32;

/// Unit vectors at equal angles.
fn fan() -> [Vec2; DIRECTIONS] {
    std::array::from_fn(|k| Vec2::from_angle(std::f32::consts::TAU * k as f32 / DIRECTIONS as f32))
}

/// The outline of a crown from above: the outermost point in each of a fan of directions.
struct Outline([(f32, Vec2); DIRECTIONS]);

impl Outline {
    fn add(&mut self, fan: &[Vec2; DIRECTIONS], p: Vec3) {
        let p = Vec2::new(p.x, p.z);
        for ((reach, point), direction) in self.0.iter_mut().zip(fan) {
            let this = direction.dot(p);
            if this > *reach {
                (*reach, *point) = (this, p);
            }
        }
    }

    /// Mean width: the mean over all directions of the distance between two parallel tangents.
    fn mean_width(&self) -> f64 {
        2.0 * self.0.iter().map(|&(reach, _)| f64::from(reach)).sum::<f64>() / DIRECTIONS as f64
    }

    /// Area of the polygon through the outermost points.
    fn area(&self) -> f64 {
        let next = self.0.iter().cycle().skip(1);
        0.5 * self.0.iter().zip(next).map(|(a, b)| f64::from(a.1.perp_dot(b.1))).sum::<f64>()
    }
}

/// The sums for one tree, gathered in one pass over the bodies.
struct Tally {
    outline: Outline,
    top: f64,
    lowest_branch: f64,
    angle_sum: f64,
    angles: usize,
    leaf_area: f64,
    mass: f64,
}

impl Tally {
    fn new() -> Self {
        Self {
            outline: Outline([(f32::NEG_INFINITY, Vec2::ZERO); DIRECTIONS]),
            top: f64::NEG_INFINITY,
            lowest_branch: f64::INFINITY,
            angle_sum: 0.0,
            angles: 0,
            leaf_area: 0.0,
            mass: 0.0,
        }
    }

    fn reaches(&mut self, fan: &[Vec2; DIRECTIONS], p: Vec3) {
        self.top = self.top.max(f64::from(p.y));
        self.outline.add(fan, p);
    }
}

impl Summary {
    /// Measures a plant in one pass over its bodies.
    pub fn of(plant: &Plant) -> Self {
        let mut tallies: Vec<Tally> = plant.trees().iter().map(|_| Tally::new()).collect();
        tally_branches(plant, &mut tallies);
        let [wood_mass_kg, leaf_mass_kg, fruit_mass_kg] = tally_bodies(plant, &mut tallies);
        let orders = plant.branches().iter().map(|b| usize::from(b.order) + 1).max().unwrap_or(0);
        let leaves = LeafKind::ALL
            .iter()
            .map(|&kind| (kind.name(), plant.leaf_count(kind)))
            .filter(|&(_, count)| count > 0)
            .collect();
        let radii = plant.segments().iter().flat_map(|s| [f64::from(s.base_radius), f64::from(s.tip_radius)]);
        Self {
            name: plant.name().to_owned(),
            provenance: plant.parts().provenance.clone(),
            bodies: plant.body_count(),
            wood: plant.segments().len(),
            leaves,
            fruit: plant.fruit().len(),
            branches: plant.branches().len(),
            orders,
            depth: depth(plant),
            mass_kg: wood_mass_kg + leaf_mass_kg + fruit_mass_kg,
            wood_mass_kg,
            leaf_mass_kg,
            fruit_mass_kg,
            wood_radius_m: Span::of(radii),
            segment_length_m: Span::of(plant.segments().iter().map(|s| f64::from(s.length))),
            trees: trunks(plant)
                .into_iter()
                .zip(&tallies)
                .map(|(trunk, tally)| tree_summary(plant, trunk, tally))
                .collect(),
        }
    }
}

/// Clear trunk and insertion angles.
fn tally_branches(plant: &Plant, tallies: &mut [Tally]) {
    for (i, branch) in plant.branches().iter().enumerate() {
        let Some(parent) = branch.parent else { continue };
        let on_trunk = plant.branches()[plant.branch_index(BodyId(parent))].order == 0;
        if !on_trunk {
            continue;
        }
        let first = &plant.segments()[plant.branch_segments(i).start];
        let tally = &mut tallies[branch.tree as usize];
        tally.lowest_branch = tally.lowest_branch.min(f64::from(first.position.y));
        if branch.order == 1 {
            let (a, b) = (first.orientation, plant.segments()[parent as usize].orientation);
            tally.angle_sum += f64::from((a * Vec3::Y).angle_between(b * Vec3::Y)).to_degrees();
            tally.angles += 1;
        }
    }
}

/// Extent, area and mass of every body; returns the mass of wood, leaves and fruit.
fn tally_bodies(plant: &Plant, tallies: &mut [Tally]) -> [f64; 3] {
    let mut masses = [0.0; 3];
    let fan = fan();
    for (i, segment) in plant.segments().iter().enumerate() {
        let id = plant.segment_id(i);
        let tally = &mut tallies[plant.tree_index(id)];
        let mass = plant.mass_properties(id).mass;
        masses[0] += mass;
        tally.mass += mass;
        tally.reaches(&fan, segment.tip());
    }
    for (i, leaf) in plant.leaves().iter().enumerate() {
        let id = plant.leaf_id(i);
        let tally = &mut tallies[plant.tree_index(id)];
        let mass = plant.mass_properties(id).mass;
        masses[1] += mass;
        tally.mass += mass;
        tally.leaf_area += leaf.area();
        tally.reaches(&fan, leaf.position + leaf.orientation * (Vec3::Y * (leaf.petiole_length + leaf.length)));
    }
    for (i, fruit) in plant.fruit().iter().enumerate() {
        let id = plant.fruit_id(i);
        let tally = &mut tallies[plant.tree_index(id)];
        let mass = plant.mass_properties(id).mass;
        masses[2] += mass;
        tally.mass += mass;
        tally.reaches(&fan, fruit.position + fruit.orientation * (Vec3::Y * (fruit.stalk_length + fruit.radius)));
    }
    masses
}

/// The root branch of each tree.
fn trunks(plant: &Plant) -> Vec<usize> {
    let mut trunks = vec![0; plant.trees().len()];
    for (i, branch) in plant.branches().iter().enumerate().filter(|(_, branch)| branch.parent.is_none()) {
        trunks[branch.tree as usize] = i;
    }
    trunks
}

fn tree_summary(plant: &Plant, trunk: usize, tally: &Tally) -> TreeSummary {
    let tree = plant.branches()[trunk].tree as usize;
    let trunk = &plant.segments()[plant.branch_segments(trunk)];
    let ground = f64::from(trunk[0].position.y);
    let crown_area_m2 = tally.outline.area();
    TreeSummary {
        name: plant.trees()[tree].name.clone(),
        height_m: tally.top - ground,
        dbh_m: trunk.iter().find_map(|s| diameter_at_height(s, ground + BREAST_HEIGHT)),
        base_diameter_m: 2.0 * f64::from(trunk[0].base_radius),
        crown_width_m: tally.outline.mean_width(),
        crown_area_m2,
        clear_trunk_m: tally.lowest_branch.is_finite().then_some(tally.lowest_branch - ground),
        insertion_angle_deg: (tally.angles > 0).then(|| tally.angle_sum / tally.angles as f64),
        leaf_area_m2: tally.leaf_area,
        leaf_area_index: if crown_area_m2 > 0.0 { tally.leaf_area / crown_area_m2 } else { 0.0 },
        mass_kg: tally.mass,
    }
}

fn diameter_at_height(segment: &crate::parts::Segment, height: f64) -> Option<f64> {
    let (low, high) = (f64::from(segment.position.y), f64::from(segment.tip().y));
    if low <= height && height < high {
        let frustum = segment.frustum();
        return Some(2.0 * frustum.radius_at(frustum.length * (height - low) / (high - low)));
    }
    None
}

/// Number of bodies on the longest path from a root to a tip.
fn depth(plant: &Plant) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(plant.segments().len());
    for i in 0..plant.segments().len() {
        let above = plant.parent(plant.segment_id(i)).map_or(0, |p| depths[p.0 as usize]);
        depths.push(above + 1);
    }
    let hanging = plant.leaves().iter().map(|l| l.parent).chain(plant.fruit().iter().map(|f| f.parent));
    let deepest_hanging = hanging.map(|p| depths[p as usize] + 1).max().unwrap_or(0);
    depths.into_iter().max().unwrap_or(0).max(deepest_hanging)
}
