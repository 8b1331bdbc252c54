//! Damaged, truncated or malicious files: an error, never a panic, in bounded time and memory.

use crate::common;
use crate::common::{Rigged, document, glb, options};
use glam::DVec3;
use proptest::prelude::*;
use serde_json::{Value, json};
use windfall_rig::{Document, Rig};

fn small() -> Rigged {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.05);
    rigged.side("limb", Some(1), DVec3::Y * 1.5, DVec3::new(1.0, 2.0, 0.0), 0.03);
    rigged.side("loose", None, DVec3::Y * 2.0, DVec3::new(-1.0, 2.5, 0.0), 0.03);
    rigged
}

/// Reads as far as possible, and writes a clip if reading succeeds.
fn try_all(bytes: &[u8]) {
    let Ok(document) = document(bytes) else { return };
    if let Ok(rig) = Rig::of(&document, &options()) {
        let mut frames = common::swaying(&rig.plant, 3, 0.1);
        let folder = tempfile::tempdir().unwrap();
        let mut clips = [rig.record("x", &mut frames, 1e-3, folder.path()).unwrap()];
        let path = folder.path().join("x.glb");
        document.write_with(&rig, &mut clips, &path).unwrap();
        Document::open(&path).expect("what we write can be read");
    }
}

/// Replaces every number of a document in turn.
fn numbers(value: &mut Value, at: &mut usize, wanted: usize, new: &Value) {
    match value {
        Value::Number(_) => {
            if *at == wanted {
                *value = new.clone();
            }
            *at += 1;
        }
        Value::Array(list) => list.iter_mut().for_each(|item| numbers(item, at, wanted, new)),
        Value::Object(map) => map.values_mut().for_each(|item| numbers(item, at, wanted, new)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn changed_bytes(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = small().glb();
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        try_all(&bytes);
    }

    #[test]
    fn changed_floats(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u32>()), 1..4)) {
        let (json, mut bin) = small().build();
        for (place, bits) in changes {
            let at = place.index(bin.len() / 4) * 4;
            bin[at..at + 4].copy_from_slice(&bits.to_le_bytes());
        }
        try_all(&glb(&json, &bin));
    }

    #[test]
    fn changed_numbers(wanted in 0_usize..400, new in prop_oneof![
        Just(json!(-1)), Just(json!(0)), Just(json!(1)), Just(json!(1e300)), Just(json!(-1e300)), Just(json!(4294967295_u32)),
        Just(json!(18446744073709551615_u64)), Just(json!(1e-300)), Just(json!("x")), Just(Value::Null), (0_usize..12).prop_map(|n| json!(n)),
    ]) {
        let (mut json, bin) = small().build();
        numbers(&mut json, &mut 0, wanted, &new);
        try_all(&glb(&json, &bin));
    }
}

#[test]
fn cut_files() {
    let bytes = small().glb();
    for end in (0..bytes.len()).step_by(7).chain(bytes.len() - 9..bytes.len()) {
        let error = document(&bytes[..end]).expect_err("a part is no file").to_string();
        assert!(!error.is_empty());
    }
}

/// Lists with huge declared sizes, and items that are referenced repeatedly.
#[test]
fn huge_counts_cost_nothing() {
    let begin = std::time::Instant::now();
    let (json, bin) = small().build();
    let mut huge = json.clone();
    huge["accessors"][0] = json!({ "componentType": 5126, "count": 4_000_000_000_u64, "type": "VEC3", "sparse": { "count": 1, "indices": { "bufferView": 3, "componentType": 5123 }, "values": { "bufferView": 0 } } });
    assert!(Rig::of(&document(&glb(&huge, &bin)).unwrap(), &options()).is_err());
    let mut deep = json.clone();
    let first = deep["nodes"].as_array().unwrap().len();
    for k in 0..50_000 {
        deep["nodes"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "children": if k < 49_999 { vec![first + k + 1] } else { vec![] } }));
    }
    try_all(&glb(&deep, &bin));
    let mut many = json.clone();
    let primitive = many["meshes"][0]["primitives"][0].clone();
    many["meshes"][0]["primitives"] = vec![primitive; 3000].into();
    try_all(&glb(&many, &bin));
    let mut nested = String::new();
    (0..100_000).for_each(|_| nested.push('['));
    assert!(document(format!("{{\"asset\":{nested}").as_bytes()).is_err());
    assert!(begin.elapsed().as_secs_f64() < 5.0, "{:?}", begin.elapsed());
}
