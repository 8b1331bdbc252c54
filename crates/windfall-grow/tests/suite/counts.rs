//! The requested number of bodies, and the reproducibility of a tree.

use proptest::prelude::*;
use windfall_grow::{ColoniseOptions, CrownProfile, GrowError, GrowOptions, PRESETS, Species, colonise, grow};

fn grown(name: &str, bodies: usize, seed: u64) -> windfall_core::Plant {
    grow(&Species::named(name).unwrap(), &GrowOptions { bodies: Some(bodies), seed }).unwrap()
}

fn any_species() -> impl Strategy<Value = Species> {
    (0..Species::all().len()).prop_map(|i| Species::all().swap_remove(i))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn any_species_at_any_size_and_seed_has_exactly_the_bodies(
        species in any_species(), bodies in prop_oneof![50..500_usize, 500..5_000_usize, 5_000..40_000_usize], seed: u64
    ) {
        let plant = grow(&species, &GrowOptions { bodies: Some(bodies), seed }).unwrap();
        prop_assert_eq!(plant.body_count(), bodies);
        let trees = plant.trees().len();
        prop_assert_eq!(trees, species.size.most_bodies.map_or(1, |most| bodies.div_ceil(most)));
    }

    #[test]
    fn space_colonisation_has_exactly_the_bodies(
        species in any_species(), bodies in 300..20_000_usize, seed: u64, shape in 0..5_usize
    ) {
        let shape = ["sphere", "cone", "column", "dome", "vase"][shape];
        let crown = CrownProfile::named(shape, 8.0, 5.0, 0.2).unwrap();
        let plant = colonise(&species, &ColoniseOptions { crown, bodies: Some(bodies), seed }).unwrap();
        prop_assert_eq!(plant.body_count(), bodies);
    }
}

#[test]
fn the_trees_of_the_paper_have_their_numbers_and_are_single_trees() {
    for preset in PRESETS {
        let plant = grown(preset.species, preset.bodies, 0);
        assert_eq!(plant.body_count(), preset.bodies, "{}", preset.name);
        assert_eq!(plant.trees().len(), 1, "{}", preset.name);
    }
}

#[test]
fn the_same_seed_is_the_same_tree_on_any_number_of_threads() {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let crown = CrownProfile::named("vase", 8.0, 5.0, 0.2).unwrap();
            let options = ColoniseOptions { crown, bodies: Some(5000), seed: 9 };
            let colonised = colonise(&Species::named("oak").unwrap(), &options).unwrap();
            let grown: Vec<_> = Species::all().iter().map(|s| grown(&s.name, 12_000, 9)).collect();
            (colonised, grown)
        })
    };
    let one = on(1);
    assert_eq!(one, on(2));
    assert_eq!(one, on(5));
}

#[test]
fn another_seed_is_another_tree() {
    for species in Species::all() {
        let (a, b) = (grown(&species.name, 3000, 1), grown(&species.name, 3000, 2));
        assert_ne!(a.segments(), b.segments(), "{}", species.name);
    }
}

/// Hash of all bits of a plant (FNV-1a).
fn fingerprint(plant: &windfall_core::Plant) -> u64 {
    let parts = plant.parts();
    let place = |p: glam::Vec3, q: glam::Quat| p.to_array().into_iter().chain(q.to_array()).map(f32::to_bits);
    let branches =
        parts.branches.iter().flat_map(|b| [b.parent.unwrap_or(u32::MAX), b.segment_count, u32::from(b.order)]);
    let segments = parts.segments.iter().flat_map(|s| {
        place(s.position, s.orientation).chain([s.length, s.base_radius, s.tip_radius].map(f32::to_bits))
    });
    let leaves = parts
        .leaves
        .iter()
        .flat_map(|l| place(l.position, l.orientation).chain([l.width.to_bits(), l.length.to_bits(), l.parent]));
    let fruit = parts.fruit.iter().flat_map(|f| place(f.position, f.orientation).chain([f.radius.to_bits(), f.parent]));
    let words = branches.chain(segments).chain(leaves).chain(fruit);
    words
        .flat_map(u32::to_le_bytes)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Contract: a species, a size and a seed give the same tree, to the bit, on every machine and in every
/// build. These numbers were made on x86-64; a machine with different ones has non-portable mathematics
/// in the grower. Renew them (copy the output of the failure) only with an intended change of trees, and
/// record it in CHANGELOG.md.
#[test]
fn trees_are_the_same_on_every_machine() {
    let mut found = Vec::new();
    for species in Species::all() {
        found.push((species.name.clone(), fingerprint(&grown(&species.name, 4000, 42))));
    }
    let crown: CrownProfile = "1:0.5,2:2,5:1.5,6:0".parse().unwrap();
    let options = ColoniseOptions { crown, bodies: Some(4000), seed: 42 };
    let colonised = colonise(&Species::named("maple").unwrap(), &options).unwrap();
    found.push(("maple by space colonisation".to_owned(), fingerprint(&colonised)));
    let golden: Vec<(String, u64)> = GOLDEN.iter().map(|&(name, hash)| (name.to_owned(), hash)).collect();
    assert_eq!(found, golden, "found {found:#x?}");
}

const GOLDEN: [(&str, u64); 10] = [
    ("apple", 0xa112_e78f_f510_521a),
    ("aspen", 0xcdac_1903_f862_8c6f),
    ("cherry", 0xcbdb_92d8_0e3d_9504),
    ("maple", 0xd0a5_216b_8334_2702),
    ("oak", 0x7b7c_40cf_e73a_239c),
    ("palm", 0xbd1a_5c42_88d0_79c2),
    ("pine", 0xcf7a_f25d_0872_0f76),
    ("spruce", 0x2d3b_3244_b140_dbf7),
    ("willow", 0x0438_12e4_6efb_7481),
    ("maple by space colonisation", 0x93b9_3f88_b8f2_4a1e),
];

#[test]
fn impossible_sizes_are_refused() {
    let maple = Species::named("maple").unwrap();
    for bodies in [0, 1, 49, 100_000_001, usize::MAX] {
        let error = grow(&maple, &GrowOptions { bodies: Some(bodies), seed: 0 }).unwrap_err();
        assert_eq!(error, GrowError::Bodies { asked: bodies });
    }
}
