//! Lossless saving and loading.

use crate::common::{any_plant, binary, json, sapling, with_right_sums};
use proptest::prelude::*;
use windfall_core::parts::PlantParts;
use windfall_grow::{GrowOptions, Species, grow};
use windfall_io::{FileError, Format, load, read, save};

/// All floats of a plant by their bits: -0.0 and 0.0 are equal as numbers but not as data.
fn bits(parts: &PlantParts) -> Vec<u32> {
    let place = |p: windfall_core::glam::Vec3, q: windfall_core::glam::Quat| {
        p.to_array().into_iter().chain(q.to_array()).map(f32::to_bits)
    };
    let segments = parts.segments.iter().flat_map(|s| {
        place(s.position, s.orientation).chain([s.length, s.base_radius, s.tip_radius].map(f32::to_bits))
    });
    let leaves = parts.leaves.iter().flat_map(|l| {
        let measures = [l.width, l.length, l.petiole_length, l.petiole_radius];
        place(l.position, l.orientation).chain(measures.map(f32::to_bits))
    });
    let fruit = parts.fruit.iter().flat_map(|f| {
        place(f.position, f.orientation).chain([f.radius, f.stalk_length, f.stalk_radius].map(f32::to_bits))
    });
    segments.chain(leaves).chain(fruit).collect()
}

proptest! {
    #[test]
    fn both_formats_keep_every_bit(plant in any_plant()) {
        for bytes in [binary(&plant), json(&plant)] {
            let back = read(&bytes).unwrap();
            prop_assert_eq!(back.parts(), plant.parts());
            prop_assert_eq!(bits(back.parts()), bits(plant.parts()));
        }
    }
}

#[test]
fn every_species_comes_back_from_both_formats() {
    let folder = tempfile::tempdir().unwrap();
    for species in Species::all() {
        let plant = grow(&species, &GrowOptions { bodies: Some(3000), seed: 5 }).unwrap();
        for ending in ["wfp", "json"] {
            let path = folder.path().join(format!("{}.{ending}", species.name));
            save(&plant, &path).unwrap();
            assert_eq!(load(&path).unwrap(), plant, "{}", path.display());
        }
    }
}

#[test]
fn the_binary_file_takes_about_fifty_bytes_a_body() {
    let species = Species::named("maple").unwrap();
    let plant = grow(&species, &GrowOptions { bodies: Some(20_000), seed: 5 }).unwrap();
    assert!(binary(&plant).len() < 56 * plant.body_count());
}

#[test]
fn endings_name_the_format_and_others_are_refused() {
    assert_eq!(Format::of("a/b.WFP".as_ref()).unwrap(), Format::Binary);
    assert_eq!(Format::of("b.json".as_ref()).unwrap(), Format::Json);
    assert!(matches!(Format::of("tree.glb".as_ref()), Err(FileError::Ending { .. })));
    assert!(matches!(Format::of("tree".as_ref()), Err(FileError::Ending { .. })));
}

#[test]
fn a_missing_file_is_named() {
    let error = load("nowhere/none.wfp".as_ref()).unwrap_err().to_string();
    assert!(error.starts_with("nowhere/none.wfp: "), "{error}");
}

/// The same file in version 1: a Poisson ratio of 0.25 in the place of the shear modulus.
fn as_version_1(mut bytes: Vec<u8>) -> Vec<u8> {
    let find = |bytes: &[u8], key: &[u8]| bytes.windows(key.len()).position(|w| w == key).unwrap();
    let at = find(&bytes, b"\"shear_modulus\":");
    let end = at + find(&bytes[at..], b",");
    bytes[at..end].fill(b' ');
    bytes[at..at + 20].copy_from_slice(b"\"poisson_ratio\":0.25");
    if bytes.starts_with(windfall_io::binary::MAGIC) {
        bytes[8] = 1;
        return with_right_sums(bytes);
    }
    let at = find(&bytes, b"\"version\": 3");
    bytes[at + 11] = b'1';
    bytes
}

#[test]
fn files_of_version_1_are_read_with_the_shear_modulus_that_they_meant() {
    let plant = sapling();
    assert_eq!(plant.parts().wood_materials.len(), 1);
    let mut meant = plant.clone().into_parts();
    // E / (2 (1 + 0.25)) = 0.4 E.
    meant.wood_materials[0].shear_modulus = meant.wood_materials[0].youngs_modulus / 2.5;
    for bytes in [binary(&plant), json(&plant)] {
        assert_eq!(read(&as_version_1(bytes)).unwrap().parts(), &meant);
    }
}

#[test]
fn leaves_of_version_2_have_the_common_breaking_strain() {
    let plant = sapling();
    let text = String::from_utf8(json(&plant)).unwrap();
    let old = text.replace("\"version\": 3", "\"version\": 2").replace(",\"breaking_strain\":0.15", "");
    assert_ne!(old.len(), text.len());
    let mut meant = plant.into_parts();
    meant.leaf_materials[0].breaking_strain = 0.1;
    assert_eq!(read(old.as_bytes()).unwrap().parts().leaf_materials, meant.leaf_materials);
}

#[test]
fn wood_with_the_fields_of_another_version_is_refused() {
    let text = String::from_utf8(json(&sapling())).unwrap();
    let old = String::from_utf8(as_version_1(text.clone().into_bytes())).unwrap();
    for (text, why) in [
        (text.replace("\"version\": 3", "\"version\": 1"), "`shear_modulus` needs version 2"),
        (old.replace("\"version\": 1", "\"version\": 2"), "version 2 has `shear_modulus` and no `poisson_ratio`"),
        (old.replace("\"poisson_ratio\":0.25", "\"poisson_ratio\":-1.0"), "must be between -0.99 and 0.5"),
        (text.replace("\"shear_modulus\"", "\"shear\""), "unknown field `shear`"),
        (
            old.replace("\"poisson_ratio\":0.25,", "").replace(",\"poisson_ratio\":0.25", ""),
            "missing field `poisson_ratio`",
        ),
    ] {
        let error = read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}
