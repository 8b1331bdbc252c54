//! The plants of the checks. The wood has round numbers: 1000 kg/m³, E = 10 GPa, beta = 0.02 s.

use glam::DVec3;

use crate::build::{Attachment, BranchIndex, Node, PlantBuilder, TreeIndex};
use crate::materials::WoodMaterial;
use crate::plant::Plant;

/// Young's modulus, Pa.
pub(super) const YOUNG: f64 = 1e10;
/// kg/m³.
pub(super) const DENSITY: f64 = 1000.0;
/// Length of the horizontal branch, m.
pub(super) const LENGTH: f64 = 1.0;
/// Its radius, m.
pub(super) const RADIUS: f64 = 0.01;
/// Into how many segments it is cut.
pub(super) const SEGMENTS: usize = 8;

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

/// Strings straight branches of one wood together.
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
        self.0.branch_of_nodes(on, crate::build::MaterialIndex(0), &nodes).expect("a straight branch")
    }

    fn finish(self) -> Plant {
        self.0.finish().expect("a valid plant")
    }
}

/// One horizontal branch along x: 1 m long, 2 cm thick, in eight segments. First frequency 8.8 Hz, damping ratio 0.55; its
/// weight bends it down by 5 mm.
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

/// A trunk of three segments with two laterals, mirror images of each other in the plane x = 0. Their segments are 3, 4 and 5, 6.
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
