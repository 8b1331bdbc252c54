//! The plants of the checks. The wood has round numbers: 1000 kg/m³, E = 10 GPa, beta = 0.02 s.

use std::f64::consts::{PI, TAU};

use windfall_core::glam::{DQuat, DVec3, Vec3};

use windfall_core::build::{Attachment, BranchIndex, Node, PlantBuilder, TreeIndex};
use windfall_core::materials::WoodMaterial;
use windfall_core::{Leaf, Plant};

/// Young's modulus, Pa.
pub(crate) const YOUNG: f64 = 1e10;
/// kg/m³.
pub(crate) const DENSITY: f64 = 1000.0;
/// Length of the horizontal branch, m.
pub(crate) const LENGTH: f64 = 1.0;
/// Its radius, m.
pub(crate) const RADIUS: f64 = 0.01;
/// Number of its segments.
pub(crate) const SEGMENTS: usize = 8;

/// Bending stiffness E I of the branch, N m².
pub(crate) const STIFFNESS: f64 = YOUNG * PI * RADIUS * RADIUS * RADIUS * RADIUS / 4.0;
/// Its mass over its length, kg/m.
pub(crate) const LINE_DENSITY: f64 = DENSITY * PI * RADIUS * RADIUS;
/// `3.516 / (2 pi) sqrt(E I / (rho A L^4))`: sqrt(250) 1/s² here, Hz.
pub(crate) const FIRST_FREQUENCY: f64 = 3.516_015 / TAU * 15.811_388;

/// Sag of the tip of the branch under an acceleration, m.
pub(crate) fn sag(acceleration: f64) -> f64 {
    LINE_DENSITY * acceleration * LENGTH.powi(4) / (8.0 * STIFFNESS)
}

fn wood() -> WoodMaterial {
    WoodMaterial {
        name: "wood of the conformance suite".into(),
        source: "round numbers".into(),
        density: DENSITY,
        youngs_modulus: YOUNG,
        shear_modulus: 1e9,
        damping: 0.02,
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

/// One horizontal branch along x: 1 m long, 2 cm thick, in eight segments. First frequency 8.8 Hz,
/// damping ratio 0.55; its weight bends it down by 5 mm.
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
