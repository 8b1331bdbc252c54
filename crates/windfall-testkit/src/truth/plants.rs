//! Small test plants.

use windfall_core::build::{Attachment, Node, PlantBuilder, frame_along};
use windfall_core::glam::{DVec3, Vec3};
use windfall_core::{Fruit, Leaf, Plant, Segment, WoodMaterial, materials};

use super::rod::Rod;

/// Nodes along a straight line, evenly spaced, with linear taper.
fn straight(from: DVec3, to: DVec3, radii: [f64; 2], segments: usize) -> Vec<Node> {
    let node = |i: usize| {
        let t = i as f64 / segments as f64;
        let radius = radii[0] + (radii[1] - radii[0]) * t;
        Node { position: from.lerp(to, t), radius_before: radius, radius_after: radius }
    };
    (0..=segments).map(node).collect()
}

/// A clamped straight branch of `segments` equal segments: `DVec3::Y` upright, `DVec3::X` horizontal,
/// `DVec3::NEG_Y` hanging.
pub fn cantilever(rod: &Rod, segments: usize, direction: DVec3) -> Plant {
    let mut plant = PlantBuilder::new("cantilever");
    let wood = plant.wood_material(rod.material.clone());
    let tree = plant.tree("cantilever", DVec3::ZERO);
    let tip = direction.normalize() * rod.length;
    let nodes = straight(DVec3::ZERO, tip, [rod.base_radius, rod.tip_radius], segments);
    plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes).expect("a straight branch");
    plant.finish().expect("a valid plant")
}

/// The same rod as two branches, the second continuing the first (a fork with one arm) from the middle on.
pub fn cantilever_of_two_branches(rod: &Rod, segments: usize, direction: DVec3) -> Plant {
    let mut plant = PlantBuilder::new("cantilever in two branches");
    let wood = plant.wood_material(rod.material.clone());
    let tree = plant.tree("cantilever", DVec3::ZERO);
    let tip = direction.normalize() * rod.length;
    let nodes = straight(DVec3::ZERO, tip, [rod.base_radius, rod.tip_radius], segments);
    let middle = segments / 2;
    let lower = plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes[..=middle]).expect("a straight branch");
    plant.branch_of_nodes(Attachment::Fork(lower), wood, &nodes[middle..]).expect("a straight branch");
    plant.finish().expect("a valid plant")
}

/// A trunk of three segments that forks into two arms of two, with a lateral of two on the trunk: nine
/// bodies, not planar, 1.2 m high; 12 mm to 4 mm thick.
pub fn forked(wood: &WoodMaterial) -> Plant {
    forked_builder(wood).finish().expect("a valid plant")
}

fn forked_builder(wood: &WoodMaterial) -> PlantBuilder {
    let mut plant = PlantBuilder::new("forked");
    let wood = plant.wood_material(wood.clone());
    let tree = plant.tree("forked", DVec3::new(3.0, 0.5, -2.0));
    let fork = DVec3::new(0.05, 0.6, 0.0);
    let mut branch = |on, from: DVec3, to: DVec3, radii, count| {
        plant.branch_of_nodes(on, wood, &straight(from, to, radii, count)).expect("a straight branch")
    };
    let trunk = branch(Attachment::Root(tree), DVec3::ZERO, fork, [0.012, 0.009], 3);
    branch(Attachment::Fork(trunk), fork, DVec3::new(0.35, 1.1, 0.1), [0.007, 0.004], 2);
    branch(Attachment::Fork(trunk), fork, DVec3::new(-0.2, 1.2, -0.15), [0.007, 0.004], 2);
    branch(Attachment::Lateral(trunk), DVec3::new(0.03, 0.35, 0.01), DVec3::new(0.1, 0.55, 0.4), [0.006, 0.004], 2);
    plant
}

/// The forked tree with six leaves and two apples of 3 cm: seventeen bodies.
pub fn leafy(wood: &WoodMaterial) -> Plant {
    let mut plant = forked_builder(wood);
    plant.leaf_material(materials::leaf("sugar maple").expect("a leaf of the library").clone());
    plant.fruit_material(materials::fruit("apple").expect("a fruit of the library").clone());
    let forked = plant.clone().finish().expect("a valid plant");
    let tips = [(4, 0.5), (4, 1.0), (6, 0.6), (6, 1.0), (8, 0.5), (8, 1.0)];
    for (i, (parent, along)) in tips.into_iter().enumerate() {
        let segment = &forked.segments()[parent as usize];
        let outward = segment.orientation * Vec3::Y;
        let side = DVec3::new((i as f64).sin(), 0.4, (i as f64).cos()).normalize();
        plant.leaf(Leaf {
            parent,
            material: 0,
            position: segment.position + outward * (segment.length * along),
            orientation: frame_along(side, DVec3::Y).as_quat(),
            width: 0.08,
            length: 0.1,
            petiole_length: 0.04,
            petiole_radius: 0.001,
        });
    }
    for (parent, along) in [(4, 0.8), (7, 0.9)] {
        let segment = &forked.segments()[parent as usize];
        let outward = segment.orientation * Vec3::Y;
        plant.fruit(hanging_apple(parent, segment.position + outward * (segment.length * along), 0.03, 0.03));
    }
    plant.finish().expect("a valid plant")
}

fn hanging_apple(parent: u32, position: Vec3, radius: f32, stalk_length: f32) -> Fruit {
    let orientation = frame_along(DVec3::NEG_Y, DVec3::X).as_quat();
    Fruit { parent, material: 0, position, orientation, radius, stalk_length, stalk_radius: 0.001 }
}

/// An apple of 3 cm radius on a stalk of 5 cm, hanging on the tip of a thick horizontal branch of 30 cm
/// in two segments: nearly a free pendulum.
pub fn fruit_on_branch() -> Plant {
    let mut plant = PlantBuilder::new("apple on a branch");
    let wood = plant.wood_material(super::rod::wood(1e10));
    plant.fruit_material(materials::fruit("apple").expect("a fruit of the library").clone());
    let tree = plant.tree("branch", DVec3::ZERO);
    let tip = DVec3::X * 0.3;
    let nodes = straight(DVec3::ZERO, tip, [0.012, 0.01], 2);
    plant.branch_of_nodes(Attachment::Root(tree), wood, &nodes).expect("a straight branch");
    plant.fruit(hanging_apple(1, tip.as_vec3(), 0.03, 0.05));
    plant.finish().expect("a valid plant")
}

/// The same plant with every segment divided into `parts` equal ones; organs and branches on a segment
/// move to the nearest of them. Body `b` of the old wood ends where body `b * parts + parts - 1` of the
/// new one ends.
pub fn refined(plant: &Plant, parts: u32) -> Plant {
    let mut new = plant.clone().into_parts();
    new.segments.clear();
    for segment in plant.segments() {
        let frustum = segment.frustum();
        for i in 0..parts {
            let at = |i: u32| frustum.length * f64::from(i) / f64::from(parts);
            let along = segment.orientation.as_dquat() * (DVec3::Y * at(i));
            new.segments.push(Segment {
                position: (segment.position.as_dvec3() + along).as_vec3(),
                length: segment.length / parts as f32,
                base_radius: frustum.radius_at(at(i)) as f32,
                tip_radius: frustum.radius_at(at(i + 1)) as f32,
                ..*segment
            });
        }
    }
    let moved = |parent: u32, position: Vec3| {
        let old = &plant.segments()[parent as usize];
        let along = (old.orientation.inverse() * (position - old.position)).y / old.length;
        parent * parts + ((along * parts as f32).max(0.0) as u32).min(parts - 1)
    };
    for (b, branch) in new.branches.iter_mut().enumerate() {
        branch.segment_count *= parts;
        branch.parent = branch.parent.map(|p| moved(p, plant.segments()[plant.branch_segments(b).start].position));
    }
    new.leaves.iter_mut().for_each(|leaf| leaf.parent = moved(leaf.parent, leaf.position));
    new.fruit.iter_mut().for_each(|fruit| fruit.parent = moved(fruit.parent, fruit.position));
    Plant::new(new).expect("a valid plant")
}
