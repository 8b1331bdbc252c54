//! Places leaves, petals and fruit on the wood of a tree.

use glam::{DVec3, Quat, Vec3};
use rayon::prelude::*;
use windfall_core::FruitMaterial;
use windfall_core::build::frame_along;
use windfall_core::mechanics::{fruit_joint, fruit_mass_properties};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment};
use windfall_core::validate::{LARGEST_MEASURE, SMALLEST_MEASURE};

use crate::assemble::{Made, body_segment};
use crate::foliage::{Foliage, Load, Site, across, leaf_frame, leaf_pose, sites};
use crate::math::{acos, cos, radians, sin};
use crate::skeleton::{Skeleton, Stem};
use crate::species::{BlossomHabit, FruitHabit, LeafHabit};
use windfall_core::random::Stream;

/// Gravitational acceleration, m/s².
const GRAVITY: f64 = 9.81;
const TURN: f64 = std::f64::consts::TAU;

/// Inputs for the placement: the tree and its species.
pub(crate) struct Hanger<'a> {
    pub(crate) skeleton: &'a Skeleton,
    /// Displacement of each stem from its skeleton, m.
    pub(crate) offsets: &'a [DVec3],
    /// First body of each stem.
    pub(crate) firsts: &'a [u32],
    pub(crate) foliage: &'a Foliage<'a>,
    pub(crate) made: Made,
    pub(crate) tree: u32,
}

/// The bodies on one stem.
#[derive(Default)]
struct Hanging {
    leaves: Vec<Leaf>,
    fruit: Vec<Fruit>,
    pedicels: Vec<(Branch, Segment)>,
}

/// Whether the n-th of `all` is among the `wanted` ones that are chosen at equal intervals.
fn is_kept(n: usize, wanted: usize, all: usize) -> bool {
    let (n, wanted, all) = (n as u128, wanted as u128, all as u128);
    (n + 1) * wanted / all > n * wanted / all
}

/// A dimension of a body, clamped to the range of a valid plant, m.
fn measure(value: f64) -> f32 {
    (value as f32).clamp(2.0 * SMALLEST_MEASURE, 0.5 * LARGEST_MEASURE)
}

/// The length of a petiole or stalk, m; zero where it would be too short.
fn stalk(value: f64) -> f32 {
    if value < f64::from(SMALLEST_MEASURE) { 0.0 } else { measure(value) }
}

/// Equilibrium direction of a fruit with a stalk that grew in the direction `grown`: its weight bends
/// the stalk until `K (grown - t) = m g l sin t`, with t the angle from plumb.
fn hanging_direction(fruit: &Fruit, material: &FruitMaterial, grown: DVec3) -> DVec3 {
    let body = fruit_mass_properties(fruit, material);
    let weight = body.mass * GRAVITY * body.center_of_mass.y;
    let stiffness = fruit_joint(fruit, material).stiffness.x;
    let away = (grown - DVec3::NEG_Y * grown.dot(DVec3::NEG_Y)).normalize_or_zero();
    let start = acos(-grown.y);
    // Newton's method from below the root: the sine is concave there, so no step overshoots.
    let mut angle = start * stiffness / (stiffness + weight);
    for _ in 0..8 {
        let slope = stiffness + weight * cos(angle).max(0.0);
        angle -= (weight * sin(angle) - stiffness * (start - angle)) / slope;
    }
    DVec3::NEG_Y * cos(angle) + away * sin(angle)
}

impl Hanger<'_> {
    /// Places all organs, and keeps `wanted` of the leaves and petals. The wood of the tree must be the
    /// last in `parts`.
    pub(crate) fn hang(&self, parts: &mut PlantParts, wanted: usize) {
        let stems = &self.skeleton.stems;
        let flesh = parts.fruit_materials.get(usize::from(self.made.fruit)).cloned();
        let loads: Vec<Load> =
            stems.par_iter().map(|stem| self.foliage.load(stem, self.skeleton.length(stem))).collect();
        // Leaf and pedicel numbers at which each stem begins, so that stems can be done in any order.
        let mut starts = Vec::with_capacity(loads.len());
        let (mut all, mut pedicels) = (0, parts.segments.len() as u32);
        for load in &loads {
            starts.push((all, pedicels));
            all += load.leaves + load.petals;
            pedicels += load.pedicels as u32;
        }
        let hung: Vec<Hanging> = (0..stems.len())
            .into_par_iter()
            .filter(|&i| loads[i].bodies() > 0)
            .map(|i| {
                let (first_leaf, first_pedicel) = starts[i];
                let mut hanging = self.on_stem(i, loads[i], first_pedicel, flesh.as_ref());
                let mut number = first_leaf;
                hanging.leaves.retain(|_| {
                    number += 1;
                    is_kept(number - 1, wanted, all)
                });
                hanging
            })
            .collect();
        parts.leaves.reserve(wanted);
        for hanging in hung {
            parts.leaves.extend_from_slice(&hanging.leaves);
            parts.fruit.extend_from_slice(&hanging.fruit);
            for (branch, segment) in hanging.pedicels {
                parts.branches.push(branch);
                parts.segments.push(segment);
            }
        }
    }

    fn on_stem(&self, i: usize, load: Load, first_pedicel: u32, flesh: Option<&FruitMaterial>) -> Hanging {
        let mut hanging = Hanging::default();
        if let Some(habit) = self.foliage.leaf {
            self.leaves(i, habit, load.leaves / habit.per_node, &mut hanging);
        }
        if let Some(habit) = self.foliage.blossom {
            self.blossoms(i, habit, load.pedicels / habit.flowers, first_pedicel, &mut hanging);
        }
        if let (Some(habit), Some(flesh)) = (self.foliage.fruit, flesh) {
            self.fruit(i, habit, flesh, load.fruit, &mut hanging);
        }
        hanging
    }

    fn stem(&self, i: usize) -> &Stem {
        &self.skeleton.stems[i]
    }

    fn parent(&self, stem: usize, site: &Site) -> u32 {
        self.firsts[stem] + body_segment(stem, site.segment)
    }

    /// A point on the bark at a site, on the side of `out`.
    fn on_bark(&self, stem: usize, site: &Site, out: DVec3) -> DVec3 {
        let side = (out - site.direction * out.dot(site.direction)).normalize_or_zero();
        site.axis + self.offsets[stem] + side * site.radius
    }

    fn leaves(&self, i: usize, habit: &LeafHabit, count: usize, hanging: &mut Hanging) {
        let mut stream = Stream::new(self.stem(i).key).fork(3);
        let mut turn = if habit.level { 0.0 } else { stream.unit() * TURN };
        for (n, site) in Foliage::nodes_on(self.skeleton, self.stem(i), count).enumerate() {
            for member in 0..habit.per_node {
                let around = turn + TURN * member as f64 / habit.per_node as f64 + stream.around(0.25);
                let last = n + 1 == count && member == 0;
                let scale = self.foliage.scale * (1.0 + stream.around(habit.variation));
                let reach = scale * (habit.petiole_length + habit.length) + site.radius;
                let frame = leaf_pose(habit, &site, around, last, reach, &mut stream);
                hanging.leaves.push(Leaf {
                    parent: self.parent(i, &site),
                    material: self.made.leaf,
                    position: self.on_bark(i, &site, frame * DVec3::Y).as_vec3(),
                    orientation: frame.as_quat(),
                    // The proxy triangle has the length and the area of the blade.
                    width: measure(2.0 * self.made.leaf_fill * habit.width * scale),
                    length: measure(habit.length * scale),
                    petiole_length: stalk(habit.petiole_length * scale),
                    petiole_radius: measure(habit.petiole_radius * scale),
                });
            }
            turn += radians(habit.divergence);
        }
    }

    fn blossoms(&self, i: usize, habit: &BlossomHabit, clusters: usize, first_pedicel: u32, hanging: &mut Hanging) {
        let stem = self.stem(i);
        let mut stream = Stream::new(stem.key).fork(4);
        let mut turn = stream.unit() * TURN;
        for site in Foliage::nodes_on(self.skeleton, stem, clusters) {
            turn += radians(137.5);
            for flower in 0..habit.flowers {
                let around = turn + TURN * flower as f64 / habit.flowers as f64 + stream.around(0.5);
                let side = across(site.direction, around);
                let leaning = site.direction * (0.35 + stream.around(0.4)) + DVec3::NEG_Y * 0.35 * stream.unit();
                let out = (side + leaning).normalize();
                let length = habit.pedicel_length * self.foliage.scale * (1.0 + stream.around(0.25));
                let radius = measure(habit.pedicel_radius * self.foliage.scale);
                let base = self.on_bark(i, &site, side);
                let pedicel = first_pedicel + hanging.pedicels.len() as u32;
                hanging.pedicels.push((
                    Branch {
                        parent: Some(self.parent(i, &site)),
                        tree: self.tree,
                        segment_count: 1,
                        material: self.made.pedicel,
                        // A pedicel is an organ of the shoot, not an axis of its own.
                        order: stem.order,
                    },
                    Segment {
                        position: base.as_vec3(),
                        orientation: frame_along(out, across(out, 0.0)).as_quat(),
                        length: measure(length),
                        base_radius: radius,
                        tip_radius: radius,
                    },
                ));
                self.petals(habit, pedicel, base + out * length, out, &mut stream, hanging);
            }
        }
    }

    fn petals(
        &self,
        habit: &BlossomHabit,
        pedicel: u32,
        centre: DVec3,
        axis: DVec3,
        stream: &mut Stream,
        hanging: &mut Hanging,
    ) {
        let start = stream.unit() * TURN;
        let opening = radians(habit.opening + stream.around(10.0));
        for petal in 0..habit.petals {
            let turn = start + TURN * petal as f64 / habit.petals as f64;
            let along = axis * cos(opening) + across(axis, turn) * sin(opening);
            let size = self.foliage.scale * (1.0 + stream.around(0.12));
            hanging.leaves.push(Leaf {
                parent: pedicel,
                material: self.made.petal,
                position: centre.as_vec3(),
                orientation: leaf_frame(along, axis).as_quat(),
                width: measure(2.0 * self.made.petal_fill * habit.width * size),
                length: measure(habit.length * size),
                petiole_length: stalk(0.12 * habit.length * size),
                petiole_radius: measure(0.04 * habit.length * size),
            });
        }
    }

    fn fruit(&self, i: usize, habit: &FruitHabit, flesh: &FruitMaterial, count: usize, hanging: &mut Hanging) {
        let stem = self.stem(i);
        let mut stream = Stream::new(stem.key).fork(5);
        let length = self.skeleton.length(stem);
        let [from, to] = habit.along;
        let shift = stream.unit();
        let distances = (0..count).map(move |n| length * (from + (to - from) * (n as f64 + shift) / count as f64));
        for site in sites(self.skeleton, stem, distances) {
            let side = across(site.direction, stream.unit() * TURN);
            let grown = (DVec3::NEG_Y + 0.35 * side + 0.15 * site.direction).normalize();
            let size = 1.0 + stream.around(habit.variation);
            let mut fruit = Fruit {
                parent: self.parent(i, &site),
                material: self.made.fruit,
                position: Vec3::ZERO,
                orientation: Quat::IDENTITY,
                radius: measure(habit.radius * size),
                stalk_length: stalk(habit.stalk_length * size),
                stalk_radius: measure(habit.stalk_radius * size),
            };
            let hang = hanging_direction(&fruit, flesh, grown);
            fruit.position = self.on_bark(i, &site, hang).as_vec3();
            fruit.orientation = frame_along(hang, across(hang, 0.0)).as_quat();
            hanging.fruit.push(fruit);
        }
    }
}
