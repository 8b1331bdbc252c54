//! A small forked plant whose stiffnesses can be computed by hand.

use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::{Branch, Fruit, Leaf, Plant, PlantParts, Segment, Tree, WoodMaterial, materials};

/// Wood with E = 10 GPa, G = 1 GPa, beta = 0.01 s, all cylinders, radius and length in m:
///
/// ```text
/// branch 0: segments 0, 1, 2   r 0.1   l 1     trunk, upright
/// branch 1: segments 3, 4      r 0.02  l 0.5   on segment 1 at its middle (1.5 m up)
/// branch 2: segment 5          r 0.01  l 0.2   on segment 4, 0.05 m from its base; has a leaf
/// branch 3: segment 6          r 0.02  l 0.5   on segment 1, 1.95 m up; has a fruit
/// ```
pub fn forked() -> Plant {
    let up = |x: f32, y: f32, length, radius| Segment {
        position: Vec3::new(x, y, 0.0),
        orientation: Quat::IDENTITY,
        length,
        base_radius: radius,
        tip_radius: radius,
    };
    // Its own +y along world +x.
    let turned = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
    let side = |x, y, length, radius| Segment { orientation: turned, ..up(x, y, length, radius) };
    let branch = |parent, segment_count, order| Branch { parent, tree: 0, segment_count, material: 0, order };
    Plant::new(PlantParts {
        name: "forked".into(),
        provenance: "by hand".into(),
        trees: vec![Tree { name: "forked".into(), origin: DVec3::ZERO }],
        branches: vec![branch(None, 3, 0), branch(Some(1), 2, 1), branch(Some(4), 1, 2), branch(Some(1), 1, 1)],
        segments: vec![
            up(0.0, 0.0, 1.0, 0.1),
            up(0.0, 1.0, 1.0, 0.1),
            up(0.0, 2.0, 1.0, 0.1),
            side(0.1, 1.5, 0.5, 0.02),
            side(0.6, 1.5, 0.5, 0.02),
            up(0.65, 1.52, 0.2, 0.01),
            side(0.1, 1.95, 0.5, 0.02),
        ],
        leaves: vec![Leaf {
            parent: 5,
            material: 0,
            position: Vec3::new(0.65, 1.7, 0.0),
            orientation: Quat::IDENTITY,
            width: 0.05,
            length: 0.1,
            petiole_length: 0.04,
            petiole_radius: 0.001,
        }],
        fruit: vec![Fruit {
            parent: 6,
            material: 0,
            position: Vec3::new(0.4, 1.9, 0.0),
            orientation: Quat::from_rotation_x(std::f32::consts::PI),
            radius: 0.04,
            stalk_length: 0.02,
            stalk_radius: 0.001,
        }],
        wood_materials: vec![WoodMaterial {
            name: "test wood".into(),
            source: "round numbers".into(),
            density: 1000.0,
            youngs_modulus: 1e10,
            shear_modulus: 1e9,
            damping: 0.01,
            modulus_of_rupture: 5e7,
            shear_strength: 1e7,
        }],
        leaf_materials: vec![materials::leaf("aspen").unwrap().clone()],
        fruit_materials: vec![materials::fruit("apple").unwrap().clone()],
    })
    .unwrap()
}
