//! The rules of a plant, and the error that names the item, the value and the rule.
//!
//! No rule ties the joint of a body to the surface of its parent: scanned trees have gaps, and a joint
//! may well sit beside the axis. A distant body moves with its parent as if on a rigid arm.

use std::fmt::{Display, Write as _};

use glam::{Quat, Vec3};

use crate::parts::{Branch, PlantParts};
use crate::violations::Violations;

/// Smallest dimension of a body, m. Below it masses and inertias leave the range of f32.
pub const SMALLEST_MEASURE: f32 = 1e-6;
/// Largest dimension and coordinate, m.
pub const LARGEST_MEASURE: f32 = 1e4;
/// Largest distance of a tree from the world's origin, m.
pub const FARTHEST_ORIGIN: f64 = 1e8;
/// Largest deviation of the length of a rest quaternion from one.
const UNIT_TOLERANCE: f32 = 1e-4;

/// The plant breaks at least one rule.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .0.text("a valid plant"))]
pub struct InvalidPlant(pub Violations);

/// Checks every rule; the error lists all violations.
pub fn validate(parts: &PlantParts) -> Result<(), InvalidPlant> {
    let mut check = Check::default();
    check.materials(parts);
    check.trees_and_branches(parts);
    check.segments(parts);
    check.leaves(parts);
    check.fruit(parts);
    check.0.or_fail(InvalidPlant)
}

#[derive(Default)]
struct Check(Violations);

impl Check {
    #[cold]
    fn broken(&mut self, item: impl Display, value: impl Display, rule: impl Display) {
        self.0.note(item, value, rule);
    }

    fn materials(&mut self, parts: &PlantParts) {
        for (i, m) in parts.wood_materials.iter().enumerate() {
            if let Some((value, rule)) = m.broken_rule() {
                self.broken(format_args!("wood material {i} ({})", m.name), value, rule);
            }
        }
        for (i, m) in parts.leaf_materials.iter().enumerate() {
            if let Some((value, rule)) = m.broken_rule() {
                self.broken(format_args!("leaf material {i} ({})", m.name), value, rule);
            }
        }
        for (i, m) in parts.fruit_materials.iter().enumerate() {
            if let Some((value, rule)) = m.broken_rule() {
                self.broken(format_args!("fruit material {i} ({})", m.name), value, rule);
            }
        }
        for (what, count) in [
            ("wood_materials", parts.wood_materials.len()),
            ("leaf_materials", parts.leaf_materials.len()),
            ("fruit_materials", parts.fruit_materials.len()),
        ] {
            if count > usize::from(u16::MAX) {
                self.broken("plant", format_args!("{count} {what}"), "at most 65535 materials of a kind");
            }
        }
    }

    fn trees_and_branches(&mut self, parts: &PlantParts) {
        if parts.trees.is_empty() {
            self.broken("plant", "no trees", "a plant has at least one tree");
        }
        let bodies = parts.segments.len() + parts.leaves.len() + parts.fruit.len();
        if bodies >= u32::MAX as usize {
            self.broken("plant", format_args!("{bodies} bodies"), "ids are 32 bit: fewer than 4294967295 bodies");
        }
        for (i, tree) in parts.trees.iter().enumerate() {
            if tree.origin.is_nan() || tree.origin.abs().max_element() > FARTHEST_ORIGIN {
                let rule = format!("must be finite and within {FARTHEST_ORIGIN} m of the world's origin");
                self.broken(format_args!("tree {i}"), format_args!("origin = {}", tree.origin), rule);
            }
        }
        // First segment of each branch, for the search of the branch of a parent segment.
        let mut firsts = Vec::with_capacity(parts.branches.len());
        let mut first = 0_usize;
        for branch in &parts.branches {
            firsts.push(first);
            first += branch.segment_count as usize;
        }
        if first != parts.segments.len() {
            self.broken(
                "plant",
                format_args!("branches count {first} segments, the list has {}", parts.segments.len()),
                "the segment counts of all branches add up to the list of segments",
            );
            return;
        }
        let mut roots = vec![0_usize; parts.trees.len()];
        for (i, branch) in parts.branches.iter().enumerate() {
            self.branch(parts, &firsts, i, branch);
            if branch.parent.is_none()
                && let Some(count) = roots.get_mut(branch.tree as usize)
            {
                *count += 1;
            }
        }
        for (i, &count) in roots.iter().enumerate() {
            if count != 1 {
                self.broken(
                    format_args!("tree {i}"),
                    format_args!("{count} root branches"),
                    "a tree has exactly one branch without a parent",
                );
            }
        }
    }

    fn branch(&mut self, parts: &PlantParts, firsts: &[usize], i: usize, branch: &Branch) {
        let item = || format!("branch {i}");
        if branch.segment_count == 0 {
            self.broken(item(), "segment_count = 0", "a branch has at least one segment");
        }
        if branch.tree as usize >= parts.trees.len() {
            let rule = format!("must be the index of one of the {} trees", parts.trees.len());
            self.broken(item(), format_args!("tree = {}", branch.tree), rule);
        }
        if usize::from(branch.material) >= parts.wood_materials.len() {
            let rule = format!("must be the index of one of the {} wood materials", parts.wood_materials.len());
            self.broken(item(), format_args!("material = {}", branch.material), rule);
        }
        let Some(parent) = branch.parent else {
            if branch.order != 0 {
                self.broken(item(), format_args!("order = {}", branch.order), "a root branch has order 0");
            }
            return;
        };
        let value = format_args!("parent = {parent}");
        if parent as usize >= parts.segments.len() {
            let rule = format!("must be the index of one of the {} segments", parts.segments.len());
            self.broken(item(), value, rule);
        } else if parent as usize >= firsts[i] {
            // Following the parents takes time: only for violations that are listed.
            let rule = match (!self.0.is_full()).then(|| cycle_through(parts, firsts, i)).flatten() {
                Some(cycle) => format!("the branches form a cycle: {cycle}"),
                None => "a parent comes before its children: it must be a segment of an earlier branch".to_owned(),
            };
            self.broken(item(), value, rule);
        } else {
            let on = &parts.branches[branch_of(firsts, parent)];
            if branch.tree != on.tree {
                let rule = format!("a branch belongs to the tree of its parent, which is {}", on.tree);
                self.broken(item(), format_args!("tree = {}", branch.tree), rule);
            }
            if branch.order < on.order || branch.order > on.order.saturating_add(1) {
                let rule = format!("must be the order of its parent, {}, or one more", on.order);
                self.broken(item(), format_args!("order = {}", branch.order), rule);
            }
        }
    }

    fn segments(&mut self, parts: &PlantParts) {
        for (i, s) in parts.segments.iter().enumerate() {
            if !(placed(s.position, s.orientation)
                && measure(s.length)
                && measure(s.base_radius)
                && measure(s.tip_radius))
            {
                let item = format!("segment {i}");
                self.placement(&item, s.position, s.orientation);
                self.measures(
                    &item,
                    &[("length", s.length), ("base_radius", s.base_radius), ("tip_radius", s.tip_radius)],
                );
            }
        }
    }

    fn leaves(&mut self, parts: &PlantParts) {
        for (i, leaf) in parts.leaves.iter().enumerate() {
            if !(placed(leaf.position, leaf.orientation)
                && measure(leaf.width)
                && measure(leaf.length)
                && measure(leaf.petiole_radius)
                && measure_or_zero(leaf.petiole_length))
            {
                let item = format!("leaf {i}");
                self.placement(&item, leaf.position, leaf.orientation);
                self.measures(
                    &item,
                    &[("width", leaf.width), ("length", leaf.length), ("petiole_radius", leaf.petiole_radius)],
                );
                self.measure_or_zero(&item, "petiole_length", leaf.petiole_length);
            }
            self.grows_on("leaf", i, leaf.parent, parts.segments.len());
            self.made_of("leaf", i, leaf.material, parts.leaf_materials.len());
        }
    }

    fn fruit(&mut self, parts: &PlantParts) {
        for (i, fruit) in parts.fruit.iter().enumerate() {
            if !(placed(fruit.position, fruit.orientation)
                && measure(fruit.radius)
                && measure(fruit.stalk_radius)
                && measure_or_zero(fruit.stalk_length))
            {
                let item = format!("fruit {i}");
                self.placement(&item, fruit.position, fruit.orientation);
                self.measures(&item, &[("radius", fruit.radius), ("stalk_radius", fruit.stalk_radius)]);
                self.measure_or_zero(&item, "stalk_length", fruit.stalk_length);
            }
            self.grows_on("fruit", i, fruit.parent, parts.segments.len());
            self.made_of("fruit", i, fruit.material, parts.fruit_materials.len());
        }
    }

    fn placement(&mut self, item: &str, position: Vec3, orientation: Quat) {
        if !in_reach(position) {
            let rule = format!("must be finite and within {LARGEST_MEASURE} m of the tree's origin");
            self.broken(item, format_args!("position = {position}"), rule);
        }
        if !unit(orientation) {
            self.broken(item, format_args!("orientation = {orientation}"), "must be a rotation: a unit quaternion");
        }
    }

    fn measures(&mut self, item: &str, fields: &[(&str, f32)]) {
        for &(field, value) in fields {
            if !measure(value) {
                let rule =
                    format!("must be between {SMALLEST_MEASURE} and {LARGEST_MEASURE} m, so that the body has mass");
                self.broken(item, format_args!("{field} = {value}"), rule);
            }
        }
    }

    fn measure_or_zero(&mut self, item: &str, field: &str, value: f32) {
        if !measure_or_zero(value) {
            let rule = format!("must be zero or between {SMALLEST_MEASURE} and {LARGEST_MEASURE} m");
            self.broken(item, format_args!("{field} = {value}"), rule);
        }
    }

    fn grows_on(&mut self, kind: &str, i: usize, parent: u32, segments: usize) {
        if parent as usize >= segments {
            let rule = format!("must be the index of one of the {segments} segments");
            self.broken(format_args!("{kind} {i}"), format_args!("parent = {parent}"), rule);
        }
    }

    fn made_of(&mut self, kind: &str, i: usize, material: u16, materials: usize) {
        if usize::from(material) >= materials {
            let rule = format!("must be the index of one of the {materials} {kind} materials");
            self.broken(format_args!("{kind} {i}"), format_args!("material = {material}"), rule);
        }
    }
}

fn measure(value: f32) -> bool {
    (SMALLEST_MEASURE..=LARGEST_MEASURE).contains(&value)
}

fn measure_or_zero(value: f32) -> bool {
    value == 0.0 || measure(value)
}

fn in_reach(position: Vec3) -> bool {
    position.abs().max_element() <= LARGEST_MEASURE && position.is_finite()
}

fn unit(orientation: Quat) -> bool {
    (orientation.length_squared() - 1.0).abs() <= 2.0 * UNIT_TOLERANCE
}

fn placed(position: Vec3, orientation: Quat) -> bool {
    in_reach(position) && unit(orientation)
}

/// The branch that a segment belongs to.
fn branch_of(firsts: &[usize], segment: u32) -> usize {
    firsts.partition_point(|&first| first <= segment as usize) - 1
}

/// Follows parents from branch `start`; if they lead back to it, returns the cycle as text.
fn cycle_through(parts: &PlantParts, firsts: &[usize], start: usize) -> Option<String> {
    let mut way = format!("{start}");
    let mut at = start;
    for _ in 0..parts.branches.len() {
        let parent = parts.branches[at].parent?;
        if parent as usize >= parts.segments.len() {
            return None;
        }
        at = branch_of(firsts, parent);
        if way.len() < 200 {
            let _ = write!(way, " grows on {at}");
        }
        if at == start {
            return Some(way);
        }
    }
    None
}

/// A broken rule of a material: the field with its value, and the rule.
pub type BrokenRule = (String, String);

/// Finds the first of `fields` (name, value, smallest, largest) that is out of its range.
///
/// The ranges exceed those of real materials by orders of magnitude; within them every mass, inertia and
/// stiffness of a valid body is finite and above zero.
pub(crate) fn first_out_of_range(fields: &[(&str, f64, f64, f64)]) -> Option<BrokenRule> {
    let (field, value, low, high) = fields.iter().find(|(_, value, low, high)| !(low..=high).contains(&value))?;
    Some((format!("{field} = {value}"), format!("must be between {low} and {high}")))
}

/// Range of densities, kg/m³.
pub(crate) const DENSITY: (f64, f64) = (1.0, 1e5);
/// Range of moduli, Pa.
pub(crate) const MODULUS: (f64, f64) = (1.0, 1e18);
/// Range of strengths, Pa.
pub(crate) const STRENGTH: (f64, f64) = (1e-3, 1e18);
/// Range of breaking strains.
pub(crate) const BREAKING_STRAIN: (f64, f64) = (1e-9, 1e9);
/// Range of damping coefficients, s.
pub(crate) const DAMPING: (f64, f64) = (0.0, 1e6);
