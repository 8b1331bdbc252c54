//! The plants of the checks. The wood has round numbers: 1000 kg/m³, E = 10 GPa, beta = 0.002 s.

use std::f64::consts::{PI, TAU};

use windfall_core::glam::{DQuat, DVec3, Vec3};

use windfall_core::build::{Attachment, BranchIndex, Node, PlantBuilder, TreeIndex};
use windfall_core::materials::WoodMaterial;
use windfall_core::{Leaf, Plant};

/// Young's modulus, Pa.
const YOUNG: f64 = 1e10;
/// kg/m³.
const DENSITY: f64 = 1000.0;
/// Length of the horizontal branch, m.
pub(crate) const LENGTH: f64 = 1.0;
/// Its radius, m.
pub(crate) const RADIUS: f64 = 0.01;
/// Number of its segments. Few, so that explicit methods take steps that are not too short: the fastest
/// frequency grows with the square of this number.
pub(crate) const SEGMENTS: usize = 4;

/// Bending stiffness E I of the branch, N m².
const STIFFNESS: f64 = YOUNG * PI * RADIUS * RADIUS * RADIUS * RADIUS / 4.0;
/// Its mass over its length, kg/m.
pub(crate) const LINE_DENSITY: f64 = DENSITY * PI * RADIUS * RADIUS;

/// The horizontal branch as rods on springs, in closed form and for small angles. More segments make it the
/// beam of Euler and Bernoulli.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain {
    /// Number of equal segments.
    pub segments: usize,
    /// m.
    pub length: f64,
}

impl Chain {
    /// The whole branch.
    pub const BRANCH: Self = Self { segments: SEGMENTS, length: LENGTH };

    /// Places of the joints, m, and their stiffness, N m/rad: of the wood between the middles of the
    /// segments.
    fn joints(self) -> impl Iterator<Item = (f64, f64)> {
        let segment = self.length / self.segments as f64;
        (0..self.segments).map(move |i| {
            let wood = if i == 0 { 0.5 * segment } else { segment };
            (i as f64 * segment, STIFFNESS / wood)
        })
    }

    /// Deflection of the tip, m, by forces across the branch: (distance from the clamp, m; N).
    pub fn under_forces(self, forces: &[(f64, f64)]) -> f64 {
        let moment = |joint: f64| forces.iter().map(|(at, force)| force * (at - joint).max(0.0)).sum::<f64>();
        self.joints().map(|(joint, stiffness)| moment(joint) * (self.length - joint) / stiffness).sum()
    }

    /// Deflection of the tip, m, by a uniform load across the branch, N/m.
    pub fn under_line_load(self, load: f64) -> f64 {
        let moment = |arm: f64| 0.5 * load * arm * arm;
        let lever = |joint: f64| self.length - joint;
        self.joints().map(|(joint, stiffness)| moment(lever(joint)) * lever(joint) / stiffness).sum()
    }

    /// Deflection of the tip, m, under an acceleration across the branch, m/s².
    pub fn sag(self, acceleration: f64) -> f64 {
        self.under_line_load(LINE_DENSITY * acceleration)
    }

    /// Stiffness of the tip, N/m.
    pub fn tip_stiffness(self) -> f64 {
        1.0 / self.under_forces(&[(self.length, 1.0)])
    }

    /// First frequency, Hz: the largest eigenvalue of `K^-1/2 M K^-1/2` is `1 / omega²`. M is that of the
    /// joint angles.
    pub fn first_frequency(self) -> f64 {
        let segment = self.length / self.segments as f64;
        let mass = LINE_DENSITY * segment;
        let inertia = mass * (segment * segment / 12.0 + RADIUS * RADIUS / 4.0);
        let joints: Vec<(f64, f64)> = self.joints().collect();
        let entry = |i: usize, j: usize| {
            let moved = joints[i.max(j)..].iter().map(|(joint, _)| joint + 0.5 * segment);
            let mass = moved.map(|at| mass * (at - joints[i].0) * (at - joints[j].0) + inertia).sum::<f64>();
            mass / (joints[i].1 * joints[j].1).sqrt()
        };
        let row = |i: usize| (0..self.segments).map(|j| entry(i, j)).collect();
        let values = windfall_core::eigen::eigen((0..self.segments).map(row).collect());
        1.0 / (TAU * values[0].0.sqrt())
    }
}

fn wood() -> WoodMaterial {
    WoodMaterial {
        name: "wood of the conformance suite".into(),
        source: "round numbers".into(),
        density: DENSITY,
        youngs_modulus: YOUNG,
        // Low: thin rods turn about themselves fast, and explicit methods must follow.
        shear_modulus: 1e8,
        damping: 0.002,
        modulus_of_rupture: 1e12,
        shear_strength: 1e12,
    }
}

/// Joins straight branches of one wood.
struct Maker(PlantBuilder);

impl Maker {
    fn new(name: &str) -> Self {
        let mut plant = PlantBuilder::new(name);
        plant.wood_material(wood());
        Self(plant)
    }

    fn tree(&mut self, origin: DVec3) -> TreeIndex {
        self.0.tree("tree", origin)
    }

    fn branch(&mut self, on: Attachment, from: DVec3, to: DVec3, radius: f64, count: usize) -> BranchIndex {
        let node = |i: usize| {
            let position = from.lerp(to, i as f64 / count as f64);
            Node { position, radius_before: radius, radius_after: radius }
        };
        let nodes: Vec<Node> = (0..=count).map(node).collect();
        self.0.branch_of_nodes(on, windfall_core::build::MaterialIndex(0), &nodes).expect("a straight branch")
    }

    fn finish(self) -> Plant {
        self.0.finish().expect("a valid plant")
    }
}

/// One horizontal branch along x: 1 m long, 2 cm thick, in four segments. First frequency 8.6 Hz,
/// damping ratio 0.05; its weight bends it down by 5 mm.
pub fn horizontal_branch() -> Plant {
    let mut plant = Maker::new("horizontal branch");
    let tree = plant.tree(DVec3::new(1.0, 2.0, 3.0));
    plant.branch(Attachment::Root(tree), DVec3::ZERO, DVec3::X * LENGTH, RADIUS, SEGMENTS);
    plant.finish()
}

/// One segment, upright: the smallest plant. (A plant without bodies is not valid.)
pub fn single_segment() -> Plant {
    let mut plant = Maker::new("one segment");
    let tree = plant.tree(DVec3::ZERO);
    plant.branch(Attachment::Root(tree), DVec3::ZERO, DVec3::Y * 0.5, RADIUS, 1);
    plant.finish()
}

/// A trunk of three segments with two laterals, mirror images of each other in the plane x = 0. Their
/// segments are 3, 4 and 5, 6.
pub fn symmetric_tree() -> Plant {
    let mut plant = Maker::new("symmetric tree");
    let tree = plant.tree(DVec3::ZERO);
    let trunk = plant.branch(Attachment::Root(tree), DVec3::ZERO, DVec3::Y * 1.2, 0.02, 3);
    for side in [1.0, -1.0] {
        let (from, to) = (DVec3::Y * 1.2, DVec3::new(0.5 * side, 1.5, 0.1));
        plant.branch(Attachment::Fork(trunk), from, to, 0.008, 2);
    }
    plant.finish()
}

/// Two equal horizontal branches of four segments as two trees, 10 m apart.
pub fn two_trees() -> Plant {
    let mut plant = Maker::new("two trees");
    for origin in [DVec3::ZERO, DVec3::Z * 10.0] {
        let tree = plant.tree(origin);
        plant.branch(Attachment::Root(tree), DVec3::ZERO, DVec3::X * LENGTH, RADIUS, 4);
    }
    plant.finish()
}

/// So many equal branches of four segments side by side, each a tree: enough bodies for several threads.
pub fn grove(trees: usize) -> Plant {
    let mut plant = Maker::new("grove");
    for i in 0..trees {
        let tree = plant.tree(DVec3::Z * i as f64);
        plant.branch(Attachment::Root(tree), DVec3::ZERO, DVec3::X * LENGTH, RADIUS, 4);
    }
    plant.finish()
}

/// The horizontal branch with a leaf on each segment, flat, so that they face wind from above and below.
pub fn leafy_branch() -> Plant {
    let bare = horizontal_branch();
    let mut parts = bare.parts().clone();
    parts.name = "leafy branch".into();
    let leaf = windfall_core::materials::leaf("aspen").expect("a leaf");
    parts.leaf_materials.push(leaf.clone());
    for (i, segment) in parts.segments.iter().enumerate() {
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        // +y of the leaf outward along z, its normal up.
        let orientation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2 * side);
        parts.leaves.push(Leaf {
            parent: i as u32,
            material: 0,
            position: segment.position + Vec3::new(0.5 * segment.length, 0.0, (RADIUS * side) as f32),
            orientation: orientation.as_quat(),
            width: 0.05,
            length: 0.08,
            petiole_length: 0.03,
            petiole_radius: 0.0006,
        });
    }
    Plant::new(parts).expect("a valid plant")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_many_segments_is_a_beam() {
        let fine = Chain { segments: 64, length: LENGTH };
        let is_near = |found: f64, beam: f64| assert!((found / beam - 1.0).abs() < 1e-3, "{found}, as a beam {beam}");
        is_near(fine.under_line_load(3.0), 3.0 * LENGTH.powi(4) / (8.0 * STIFFNESS));
        is_near(fine.under_forces(&[(LENGTH, 2.0)]), 2.0 * LENGTH.powi(3) / (3.0 * STIFFNESS));
        let inside = 0.5 * 0.5 * (3.0 * LENGTH - 0.5) / (6.0 * STIFFNESS);
        is_near(fine.under_forces(&[(0.5, 1.0)]), inside);
        is_near(fine.tip_stiffness(), 3.0 * STIFFNESS / LENGTH.powi(3));
        // Rayleigh: the turning of thick rods slows them down by less than the tolerance.
        let beam = 3.516_015 / TAU * (STIFFNESS / (LINE_DENSITY * LENGTH.powi(4))).sqrt();
        is_near(fine.first_frequency(), beam);
    }

    #[test]
    fn the_plant_is_the_chain() {
        let plant = horizontal_branch();
        let joints: Vec<f64> = plant.body_ids().map(|id| plant.joint_properties(id).stiffness.z).collect();
        for (found, (_, expected)) in joints.iter().zip(Chain::BRANCH.joints()) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{joints:?}");
        }
    }
}
