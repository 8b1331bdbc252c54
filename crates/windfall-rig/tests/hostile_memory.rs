//! Time and peak memory of malicious files. All cases are in one test, because memory is measured for the
//! whole process.

mod common;

use std::time::Instant;

use common::{Rigged, document, glb, options};
use glam::DVec3;
use peak_alloc::PeakAlloc;
use serde_json::{Value, json};
use windfall_rig::{Document, Rig, RigError};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Checks that `act` stays within a time limit and a limit of additional memory.
fn within<T>(what: &str, seconds: f64, megabytes: usize, act: impl FnOnce() -> T) -> T {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let begin = Instant::now();
    let result = act();
    let (took, peak) = (begin.elapsed().as_secs_f64(), MEMORY.peak_usage().saturating_sub(before));
    println!("{what}: {took:.2} s, {:.1} MB", peak as f64 / 1e6);
    assert!(took < seconds, "{what} took {took:.2} s");
    assert!(peak < megabytes * 1_000_000, "{what} took {:.1} MB", peak as f64 / 1e6);
    result
}

fn read(bytes: &[u8]) -> Result<Rig, RigError> {
    Rig::of(&document(bytes)?, &options())
}

/// Bones side by side, each a root with a thin triangle.
fn many_roots(count: usize) -> Vec<u8> {
    let (mut positions, mut joints, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    let mut nodes = Vec::with_capacity(count + 1);
    for k in 0..count {
        let (x, z) = ((k % 300) as f32, (k / 300) as f32);
        nodes.push(json!({ "translation": [x, 0, z] }));
        for corner in [[0.0_f32, 0.0, 0.0], [0.1, 0.0, 0.1], [0.0, 1.0, 0.0]] {
            positions.extend([x + corner[0], corner[1], z + corner[2]].into_iter().flat_map(f32::to_le_bytes));
            joints.extend([k as u32, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes));
            weights.extend([1.0_f32, 0.0, 0.0, 0.0].into_iter().flat_map(f32::to_le_bytes));
        }
    }
    let binds: Vec<u8> = nodes
        .iter()
        .flat_map(|node| {
            let at: Vec<f32> =
                node["translation"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
            [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -at[0], -at[1], -at[2], 1.0]
        })
        .flat_map(f32::to_le_bytes)
        .collect();
    nodes.push(json!({ "mesh": 0, "skin": 0 }));
    let mut bin = Vec::new();
    let mut views = Vec::new();
    for bytes in [positions, joints, weights, binds] {
        views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len() }));
        bin.extend(bytes);
    }
    let accessor = |view: usize, code: u32, kind: &str, count: usize| json!({ "bufferView": view, "componentType": code, "type": kind, "count": count });
    let file = json!({
        "asset": { "version": "2.0" },
        "nodes": nodes,
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 1, "WEIGHTS_0": 2 }, "material": 0 }] }],
        "materials": [{ "name": "bark" }],
        "skins": [{ "joints": (0..count).collect::<Vec<_>>(), "inverseBindMatrices": 3 }],
        "accessors": [accessor(0, 5126, "VEC3", 3 * count), accessor(1, 5125, "VEC4", 3 * count), accessor(2, 5126, "VEC4", 3 * count), accessor(3, 5126, "MAT4", count)],
        "bufferViews": views,
        "buffers": [{ "byteLength": bin.len() }],
    });
    glb(&file, &bin)
}

/// Eight sets of weights for `count` vertices, from accessors without data.
fn without_data(count: u64) -> Vec<u8> {
    let (mut file, bin) = Rigged::chain(3, 3.0, 0.1, 0.05).build();
    let list = |kind: &str, code: u32| json!({ "componentType": code, "type": kind, "count": count });
    let accessors = file["accessors"].as_array_mut().unwrap();
    let first = accessors.len();
    accessors.extend([list("VEC3", 5126), list("VEC4", 5121), list("VEC4", 5126)]);
    let mut attributes = json!({ "POSITION": first });
    for set in 0..8 {
        attributes[format!("JOINTS_{set}")] = (first + 1).into();
        attributes[format!("WEIGHTS_{set}")] = (first + 2).into();
    }
    file["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({ "attributes": attributes }));
    glb(&file, &bin)
}

/// `nodes` nodes with separate meshes on one skin of `joints` joints.
fn many_meshes(nodes: usize, joints: usize) -> Vec<u8> {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.05);
    for k in 0..joints {
        rigged.bones.push((format!("more{k}"), Some(2), DVec3::Y * 3.0, DVec3::Y * 3.1));
    }
    let (mut file, bin) = rigged.build();
    let mesh = file["meshes"][0].clone();
    for k in 0..nodes {
        file["meshes"].as_array_mut().unwrap().push(mesh.clone());
        let node = file["nodes"].as_array().unwrap().len();
        file["nodes"].as_array_mut().unwrap().push(json!({ "mesh": k + 1, "skin": 0 }));
        file["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into());
    }
    glb(&file, &bin)
}

/// Branches far from their parent bone, and on that bone triangles that reach from it to all of them.
fn far_branches(triangles: u32, branches: usize) -> Vec<u8> {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.05);
    for k in 0..triangles {
        let first = rigged.vertices.len() as u32;
        let up = 0.001 * f64::from(k);
        let corners = [(0.11, up, -1.0), (3.0, up, 0.01 * up), (0.11, up + 0.3, -1.0)];
        let corner = |(x, y, z): (f64, f64, f64)| (DVec3::new(x, 1.0 + y % 1.0, z), vec![(1, 1.0)]);
        rigged.vertices.extend(corners.map(corner));
        rigged.triangles.push([first, first + 1, first + 2]);
    }
    for k in 0..branches {
        let at = |x: f64| DVec3::new(x, 1.0 + 0.9 * k as f64 / branches as f64, 0.0);
        rigged.side(&format!("b{k}"), Some(1), at(2.0), at(2.5), 0.01);
    }
    let (mut file, bin) = rigged.build();
    file["materials"][0]["name"] = "bark".into();
    glb(&file, &bin)
}

/// A bone with triangles that extend beyond all of its branches: each branch may be its continuation.
fn crowded_bone(triangles: u32, branches: usize) -> Vec<u8> {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.05);
    for k in 0..triangles {
        let first = rigged.vertices.len() as u32;
        let up = 1.0 + 3.0 * f64::from(k) / f64::from(triangles);
        let corner = |turn: f64| (DVec3::new(0.1 * turn.sin(), up, 0.1 * turn.cos()), vec![(1, 1.0)]);
        rigged.vertices.extend([0.0, 2.0, 4.0].map(|turn| corner(turn + f64::from(k))));
        rigged.triangles.push([first, first + 1, first + 2]);
    }
    for k in 0..branches {
        let at = |x: f64| DVec3::new(x, 1.1 + 0.4 * k as f64 / branches as f64, 0.0);
        rigged.side(&format!("b{k}"), Some(1), at(0.1), at(0.5), 0.01);
    }
    let (mut file, bin) = rigged.build();
    file["materials"][0]["name"] = "bark".into();
    glb(&file, &bin)
}

#[test]
fn time_and_memory_are_bounded() {
    let bytes = many_roots(80_000);
    let rig = within("80,000 roots", 3.0, 300, || read(&bytes)).unwrap();
    assert_eq!(rig.report.trees, 80_000);
    assert!(rig.report.warnings.iter().any(|w| w.contains("80000 bones have no parent")), "{:?}", rig.report.warnings);
    drop(rig);

    let bytes = without_data(1_000_000);
    assert!(bytes.len() < 44_000);
    within("eight sets of weights without data", 2.0, 150, || read(&bytes)).unwrap();
    let bytes = without_data(10_000_000);
    let error = within("ten times as many", 0.1, 5, || read(&bytes)).unwrap_err().to_string();
    assert!(error.contains("10000000 items without data"), "{error}");

    let bytes = many_meshes(2000, 2000);
    within("2,000 meshes on 2,000 joints", 2.0, 60, || read(&bytes)).unwrap();

    let bytes = far_branches(20_000, 200);
    within("200 branches far from 20,000 triangles", 8.0, 100, || read(&bytes)).unwrap();

    let bytes = crowded_bone(60_000, 6000);
    within("6,000 branches on a bone with 60,000 triangles", 6.0, 400, || read(&bytes)).unwrap();

    // A document of 1.5 MB that references itself 30,000 times.
    let buffers: Vec<Value> = (0..30_000).map(|_| json!({ "uri": "me.gltf", "byteLength": 1_000_000 })).collect();
    let text = json!({ "asset": { "version": "2.0" }, "buffers": buffers }).to_string().into_bytes();
    assert!(text.len() > 1_000_000);
    let mut asked = 0;
    within("a document that names itself", 2.0, 60, || {
        Document::read(&text, &mut |_| {
            asked += 1;
            Ok(text.clone())
        })
    })
    .unwrap();
    assert_eq!(asked, 1, "a file is read once");

    sparse_indices_count();
}

/// Indices of sparse items are unsigned integers: floats and signed types are rejected.
fn sparse_indices_count() {
    let rigged = Rigged::chain(3, 3.0, 0.1, 0.05);
    for code in [5126, 5120, 5122, 7] {
        let (mut file, bin) = rigged.build();
        file["accessors"][0]["sparse"] =
            json!({ "count": 4, "indices": { "bufferView": 2, "componentType": code }, "values": { "bufferView": 0 } });
        let error = read(&glb(&file, &bin)).unwrap_err().to_string();
        assert!(error.contains(&format!("componentType = {code}")), "{error}");
    }
    // The same holds for the indices of triangles and joints.
    for accessor in [1, 3] {
        let (mut file, bin) = rigged.build();
        file["accessors"][accessor]["componentType"] = 5126.into();
        file["accessors"][accessor]["count"] = 1.into();
        let error = read(&glb(&file, &bin)).unwrap_err().to_string();
        assert!(error.contains("can't count"), "{error}");
    }
}
