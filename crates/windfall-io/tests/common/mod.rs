//! Plants for the tests of file formats.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use proptest::prelude::*;
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::parts::{Branch, Fruit, Leaf, PlantParts, Segment, Tree};
use windfall_core::{Plant, materials};
use windfall_grow::{GrowOptions, Species, grow};

/// Any valid finite dimension of a body, with all bits in use.
fn measure() -> impl Strategy<Value = f32> {
    prop_oneof![1e-6..1.0_f32, 1.0..1e4_f32, Just(1e-6_f32), Just(1e4_f32)]
}

fn position() -> impl Strategy<Value = Vec3> {
    let one = || prop_oneof![-1e4..1e4_f32, -1e-3..1e-3_f32, Just(-0.0_f32), Just(f32::MIN_POSITIVE / 4.0)];
    (one(), one(), one()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn orientation() -> impl Strategy<Value = Quat> {
    let one = || -1.0..1.0_f32;
    (one(), one(), one(), one()).prop_filter_map("not zero", |(x, y, z, w)| {
        let q = Quat::from_xyzw(x, y, z, w);
        (q.length_squared() > 1e-3).then(|| q.normalize())
    })
}

fn segment() -> impl Strategy<Value = Segment> {
    (position(), orientation(), measure(), measure(), measure()).prop_map(
        |(position, orientation, length, base_radius, tip_radius)| Segment {
            position,
            orientation,
            length,
            base_radius,
            tip_radius,
        },
    )
}

/// Any valid plant with up to two trees.
pub fn any_plant() -> impl Strategy<Value = Plant> {
    let branches = prop::collection::vec((1..5_u32, any::<prop::sample::Index>(), any::<bool>()), 1..6);
    let name = prop_oneof![Just(String::new()), Just("Ölbaum \"7\"\n\u{1F333}".to_owned()), "[a-z]{0,12}"];
    (branches, name, any::<bool>(), -1e6..1e6_f64)
        .prop_flat_map(|(branches, name, second, x)| {
            let count: u32 = branches.iter().map(|b| b.0).sum::<u32>() + u32::from(second);
            let segments = prop::collection::vec(segment(), count as usize);
            let bodies =
                || prop::collection::vec((0..count, position(), orientation(), measure(), measure(), measure()), 0..6);
            (Just((branches, name, second, x)), segments, bodies(), bodies())
        })
        .prop_map(|((branches, name, second, x), segments, leaves, fruit)| {
            let mut list: Vec<Branch> = Vec::new();
            let mut before = 0;
            let mut owner: Vec<usize> = Vec::new();
            for (i, (segment_count, on, deeper)) in branches.into_iter().enumerate() {
                let parent = (i > 0).then(|| on.index(before as usize) as u32);
                let order = parent.map_or(0, |p| list[owner[p as usize]].order + u16::from(deeper));
                list.push(Branch { parent, tree: 0, segment_count, material: 0, order });
                owner.resize(owner.len() + segment_count as usize, i);
                before += segment_count;
            }
            let mut trees = vec![Tree { name: "first".into(), origin: DVec3::new(x, 0.1, -x / 3.0) }];
            if second {
                trees.push(Tree { name: "second".into(), origin: DVec3::X });
                list.push(Branch { parent: None, tree: 1, segment_count: 1, material: 0, order: 0 });
            }
            Plant::new(PlantParts {
                name,
                provenance: "any".into(),
                trees,
                branches: list,
                segments,
                leaves: leaves
                    .into_iter()
                    .map(|(parent, position, orientation, width, length, petiole_radius)| Leaf {
                        parent,
                        material: 1,
                        position,
                        orientation,
                        width,
                        length,
                        petiole_length: 0.0,
                        petiole_radius,
                    })
                    .collect(),
                fruit: fruit
                    .into_iter()
                    .map(|(parent, position, orientation, radius, stalk_length, stalk_radius)| Fruit {
                        parent,
                        material: 0,
                        position,
                        orientation,
                        radius,
                        stalk_length,
                        stalk_radius,
                    })
                    .collect(),
                wood_materials: vec![materials::wood("aspen").unwrap().clone()],
                leaf_materials: materials::LEAF_MATERIALS[..2].to_vec(),
                fruit_materials: vec![materials::fruit("acorn").unwrap().clone()],
            })
            .expect("the strategy makes valid plants")
        })
}

/// The bytes of a plant in the binary format.
pub fn binary(plant: &Plant) -> Vec<u8> {
    let mut bytes = Vec::new();
    windfall_io::binary::write(plant, &mut bytes).unwrap();
    bytes
}

/// The bytes of a plant in JSON.
pub fn json(plant: &Plant) -> Vec<u8> {
    let mut bytes = Vec::new();
    windfall_io::json::write(plant, &mut bytes).unwrap();
    bytes
}

/// A small tree with every kind of body.
pub fn sapling() -> Plant {
    grow(&Species::named("apple").unwrap(), &GrowOptions { bodies: Some(200), seed: 1 }).unwrap()
}

/// Corrects the checksums of a modified binary file, so that later checks are reached.
pub fn with_right_sums(mut bytes: Vec<u8>) -> Vec<u8> {
    const TABLE: usize = 24;
    let number = |bytes: &[u8], at: usize| bytes.get(at..at + 8).map(|b| u64::from_le_bytes(b.try_into().unwrap()));
    let length = (bytes.len() as u64).to_le_bytes();
    if bytes.len() < TABLE + 5 * 24 + 4 {
        return bytes;
    }
    bytes[16..24].copy_from_slice(&length);
    for section in 0..5 {
        let entry = TABLE + section * 24;
        let (offset, length) = (number(&bytes, entry + 8).unwrap(), number(&bytes, entry + 16).unwrap());
        let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
        if let Some(content) = end.and_then(|end| bytes.get(offset as usize..end)) {
            let sum = crc32fast::hash(content).to_le_bytes();
            bytes[entry + 4..entry + 8].copy_from_slice(&sum);
        }
    }
    let end = TABLE + 5 * 24;
    let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..end + 4].copy_from_slice(&sum);
    bytes
}
