//! Every rule of a plant: a violation gives an error that names the item, the value and the rule.

use proptest::prelude::*;
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use windfall_core::{Plant, materials};

fn segment(y: f32) -> Segment {
    Segment {
        position: Vec3::new(0.0, y, 0.0),
        orientation: Quat::IDENTITY,
        length: 1.0,
        base_radius: 0.1,
        tip_radius: 0.08,
    }
}

/// A trunk of three segments, two branches on it, a leaf and a fruit.
fn good() -> PlantParts {
    let branch = |parent, segment_count, order| Branch { parent, tree: 0, segment_count, material: 0, order };
    PlantParts {
        name: "test".into(),
        provenance: "by hand".into(),
        trees: vec![Tree { name: "tree".into(), origin: DVec3::ZERO }],
        branches: vec![branch(None, 3, 0), branch(Some(1), 2, 1), branch(Some(2), 1, 0)],
        segments: (0..6_u8).map(|i| segment(f32::from(i))).collect(),
        leaves: vec![Leaf {
            parent: 4,
            material: 0,
            position: Vec3::ONE,
            orientation: Quat::IDENTITY,
            width: 0.05,
            length: 0.08,
            petiole_length: 0.02,
            petiole_radius: 0.001,
        }],
        fruit: vec![Fruit {
            parent: 5,
            material: 0,
            position: Vec3::ONE,
            orientation: Quat::IDENTITY,
            radius: 0.03,
            stalk_length: 0.0,
            stalk_radius: 0.001,
        }],
        wood_materials: vec![materials::wood("apple").unwrap().clone()],
        leaf_materials: vec![materials::leaf("apple").unwrap().clone()],
        fruit_materials: vec![materials::fruit("apple").unwrap().clone()],
    }
}

#[test]
fn a_good_plant_is_taken_with_its_parents_and_ids() {
    let plant = Plant::new(good()).unwrap();
    let parents: Vec<Option<u32>> = plant.body_ids().map(|id| plant.parent(id).map(|p| p.0)).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(1), Some(3), Some(2), Some(4), Some(5)]);
    assert_eq!(plant.leaf_id(0).0, 6);
    assert_eq!(plant.fruit_id(0).0, 7);
    assert_eq!(plant.branch_index(plant.leaf_id(0)), 1);
    assert_eq!(plant.branch_segments(1), 3..5);
    assert!(plant.body(windfall_core::BodyId(8)).is_none());
    assert_eq!(plant.clone().into_parts(), good());
}

/// Breaks a good plant and returns the error's text.
fn broken(change: impl FnOnce(&mut PlantParts)) -> String {
    let mut parts = good();
    change(&mut parts);
    Plant::new(parts).expect_err("the rule must be checked").to_string()
}

#[test]
fn every_broken_rule_names_item_value_and_rule() {
    type Change = fn(&mut PlantParts);
    let cases: &[(Change, &[&str])] = &[
        (|p| p.trees.clear(), &["plant", "no trees", "at least one tree"]),
        (|p| p.trees[0].origin.x = f64::NAN, &["tree 0", "NaN", "finite"]),
        (|p| p.trees[0].origin.z = 1e300, &["tree 0", "origin", "within 100000000 m"]),
        (|p| p.wood_materials[0].youngs_modulus = 1e308, &["wood material 0", "youngs_modulus", "between 1 and"]),
        (|p| p.fruit_materials[0].density = 2.3e-308, &["fruit material 0", "density", "between 1 and"]),
        (|p| p.trees.push(p.trees[0].clone()), &["tree 1", "0 root branches", "exactly one"]),
        (|p| (p.branches[1].parent, p.branches[1].order) = (None, 0), &["tree 0", "2 root branches", "exactly one"]),
        (|p| p.branches[0].segment_count = 0, &["count 3 segments", "add up"]),
        (|p| p.branches[1].tree = 7, &["branch 1", "tree = 7", "one of the 1 trees"]),
        (|p| p.branches[1].material = 3, &["branch 1", "material = 3", "wood materials"]),
        (|p| p.branches[1].parent = Some(99), &["branch 1", "parent = 99", "one of the 6 segments"]),
        (|p| p.branches[1].parent = Some(3), &["branch 1", "parent = 3", "cycle: 1 grows on 1"]),
        (|p| p.branches[1].parent = Some(5), &["branch 1", "parent = 5", "earlier branch"]),
        (
            |p| (p.branches[1].parent, p.branches[2].parent) = (Some(5), Some(4)),
            &["branch 1", "parent = 5", "cycle: 1 grows on 2 grows on 1"],
        ),
        (|p| p.branches[0].order = 1, &["branch 0", "order = 1", "root branch has order 0"]),
        (|p| p.branches[1].order = 2, &["branch 1", "order = 2", "or one more"]),
        (|p| p.segments[2].base_radius = -0.2, &["segment 2", "base_radius = -0.2", "between"]),
        (|p| p.segments[2].tip_radius = 0.0, &["segment 2", "tip_radius = 0", "mass"]),
        (|p| p.segments[2].length = f32::NAN, &["segment 2", "length = NaN", "between"]),
        (|p| p.segments[2].length = f32::INFINITY, &["segment 2", "length = inf", "between"]),
        (|p| p.segments[2].position.y = f32::NAN, &["segment 2", "position", "NaN", "finite"]),
        (|p| p.segments[2].position.y = 1e9, &["segment 2", "position", "within 10000 m"]),
        (|p| p.segments[2].orientation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), &["segment 2", "orientation", "unit"]),
        (|p| p.segments[2].orientation.x = f32::NAN, &["segment 2", "orientation", "NaN", "unit"]),
        (|p| p.leaves[0].parent = 6, &["leaf 0", "parent = 6", "one of the 6 segments"]),
        (|p| p.leaves[0].material = 1, &["leaf 0", "material = 1", "leaf materials"]),
        (|p| p.leaves[0].width = 0.0, &["leaf 0", "width = 0", "between"]),
        (|p| p.leaves[0].petiole_length = -0.1, &["leaf 0", "petiole_length = -0.1", "zero or between"]),
        (|p| p.leaves[0].petiole_radius = 0.0, &["leaf 0", "petiole_radius = 0", "between"]),
        (|p| p.fruit[0].parent = 6, &["fruit 0", "parent = 6", "segments"]),
        (|p| p.fruit[0].material = 9, &["fruit 0", "material = 9", "fruit materials"]),
        (|p| p.fruit[0].radius = f32::NAN, &["fruit 0", "radius = NaN", "between"]),
        (|p| p.fruit[0].stalk_length = f32::NAN, &["fruit 0", "stalk_length = NaN", "zero or between"]),
        (|p| p.wood_materials[0].density = 0.0, &["wood material 0 (apple)", "density = 0", "between"]),
        (|p| p.wood_materials[0].shear_modulus = 0.5, &["wood material 0", "shear_modulus = 0.5", "between 1 and"]),
        (|p| p.wood_materials[0].damping = -1.0, &["wood material 0", "damping = -1", "between 0"]),
        (|p| p.leaf_materials[0].areal_density = f64::NAN, &["leaf material 0", "areal_density = NaN", "between"]),
        (|p| p.leaf_materials[0].fill = 0.0, &["leaf material 0", "fill = 0", "between"]),
        (|p| p.fruit_materials[0].stalk_modulus = -1.0, &["fruit material 0", "stalk_modulus = -1", "between"]),
    ];
    for (i, (change, words)) in cases.iter().enumerate() {
        let text = broken(change);
        for word in *words {
            assert!(text.contains(word), "case {i}: `{word}` is missing in: {text}");
        }
    }
}

#[test]
fn an_empty_branch_is_named() {
    let text = broken(|p| {
        p.branches.push(Branch { segment_count: 0, ..p.branches[1] });
    });
    assert!(text.contains("branch 3: segment_count = 0: a branch has at least one segment"), "{text}");
}

#[test]
fn a_branch_keeps_to_the_tree_of_its_parent() {
    let text = broken(|p| {
        p.trees.push(p.trees[0].clone());
        p.branches[1].tree = 1;
    });
    assert!(text.contains("branch 1: tree = 1: a branch belongs to the tree of its parent, which is 0"), "{text}");
}

#[test]
fn many_errors_are_counted_and_the_first_twenty_listed() {
    let error = {
        let mut parts = good();
        parts.leaves = vec![Leaf { width: -1.0, ..parts.leaves[0] }; 1000];
        Plant::new(parts).unwrap_err()
    };
    assert_eq!(error.0.total, 1000);
    assert_eq!(error.0.listed.len(), 20);
    assert!(error.to_string().ends_with("and 980 more"));
}

#[test]
fn a_hundred_thousand_backward_parents_are_refused_quickly() {
    // Following every chain of parents to its end would take hours.
    let mut parts = good();
    let n = 100_000_u32;
    parts.branches = (0..n)
        .map(|i| Branch {
            parent: (i > 0).then_some((i + 1).min(n - 1)),
            tree: 0,
            segment_count: 1,
            material: 0,
            order: u16::from(i > 0),
        })
        .collect();
    parts.segments = vec![segment(0.0); n as usize];
    assert!(Plant::new(parts).unwrap_err().0.total >= 99_990);
}

#[test]
fn several_trees_keep_their_own_origins() {
    let mut parts = good();
    parts.trees.push(Tree { name: "far".into(), origin: DVec3::new(1000.0, 0.0, 0.0) });
    parts.branches.push(Branch { parent: None, tree: 1, segment_count: 1, material: 0, order: 0 });
    parts.segments.push(segment(0.25));
    let plant = Plant::new(parts).unwrap();
    let far = plant.segment_id(6);
    assert_eq!(plant.tree_index(far), 1);
    assert_eq!(plant.parent(far), None);
    assert_eq!(plant.rest_position(far), DVec3::new(1000.0, 0.25, 0.0));
}

proptest! {
    /// Validation ends for all numbers; the mechanics of a plant that passes are finite and positive.
    #[test]
    fn what_validation_takes_has_mass(
        radius in prop_oneof![Just(f32::NAN), Just(0.0_f32), -1.0..2.0_f32, 0.0..1e-5_f32, 1e3..1e30_f32],
        length in prop_oneof![Just(f32::INFINITY), Just(-0.0_f32), 0.0..1e-5_f32, 0.0..20.0_f32],
        parent in prop_oneof![Just(None), (0..9_u32).prop_map(Some)],
    ) {
        let mut parts = good();
        parts.segments[3].base_radius = radius;
        parts.segments[4].length = length;
        parts.branches[2].parent = parent;
        if let Ok(plant) = Plant::new(parts) {
            for id in plant.body_ids() {
                let mass = plant.mass_properties(id);
                let joint = plant.joint_properties(id);
                prop_assert!(mass.mass as f32 > 0.0 && mass.inertia.min_element() as f32 > 0.0);
                prop_assert!(joint.stiffness.is_finite() && joint.stiffness.min_element() > 0.0);
            }
        }
    }
}
