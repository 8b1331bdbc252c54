//! Conversion of various rigs, and rejected rigs.

use crate::common;
use crate::common::{Rigged, changed, document, glb, options};
use glam::{DAffine3, DQuat, DVec3};
use serde_json::json;
use windfall_assess::{AssessOptions, assess};
use windfall_core::build::{Attachment, CentreLine, PlantBuilder, Segmentation};
use windfall_core::materials;
use windfall_rig::{Rig, RigError, RigOptions, Up};
use windfall_solver::Params;

fn first_frequency(plant: &windfall_core::Plant) -> f64 {
    let params = Params { keep_shape: true, ..Params::default() };
    let options = AssessOptions { modes: 1, from_degrees: Vec::new(), ..AssessOptions::default() };
    assess(plant, &params, &options, &mut |_| ()).unwrap().modes[0].frequency_hz
}

fn rig(rigged: &Rigged) -> Rig {
    Rig::of(&document(&rigged.glb()).unwrap(), &options()).unwrap()
}

fn refused(result: Result<Rig, RigError>) -> String {
    result.map(|rig| rig.report).unwrap_err().to_string()
}

/// A straight tapered trunk of `count` segments.
fn trunk(count: usize, height: f64, base: f64, tip: f64) -> windfall_core::Plant {
    let mut builder = PlantBuilder::new("same");
    let oak = builder.wood_material(materials::wood("white oak").unwrap().clone());
    let tree = builder.tree("same", DVec3::ZERO);
    let line = CentreLine::polyline(&[(DVec3::ZERO, base), (DVec3::Y * height, tip)]);
    let cuts = Segmentation::by_length(1.0001 * height / count as f64);
    builder.branch(Attachment::Root(tree), oak, &line, &cuts).unwrap();
    builder.finish().unwrap()
}

/// Segments are those of the same tree with the same cuts, and it sways like the same trunk in a hundred
/// segments, for any number of bones.
#[test]
fn a_tapered_chain_sways_as_wood_does() {
    for (count, height, base, tip, off) in
        [(6, 6.0, 0.1, 0.04, 0.01), (12, 15.0, 0.3, 0.02, 0.01), (3, 2.0, 0.02, 0.02, 0.02), (2, 2.0, 0.03, 0.01, 0.04)]
    {
        let found = rig(&Rigged::chain(count, height, base, tip));
        let same = trunk(count, height, base, tip);
        assert_eq!((found.plant.segments().len(), same.segments().len()), (count, count));
        for (a, b) in found.plant.segments().iter().zip(same.segments()) {
            assert!((a.length - b.length).abs() < 1e-5 && (a.position - b.position).length() < 1e-5);
            assert!((a.base_radius / b.base_radius - 1.0).abs() < 1e-2, "{a:?} {b:?}");
            assert!((a.tip_radius / b.tip_radius - 1.0).abs() < 1e-2, "{a:?} {b:?}");
        }
        let (a, b) = (first_frequency(&found.plant), first_frequency(&trunk(100, height, base, tip)));
        assert!((a / b - 1.0).abs() < off, "{a} Hz and {b} Hz");
        assert!(found.report.warnings.is_empty(), "{:?}", found.report.warnings);
    }
}

/// The two sides of a trunk have different materials, and a twig without a bone is beside it: its bark is
/// nevertheless one part.
#[test]
fn bark_of_two_materials_is_one() {
    let mut rigged = Rigged::chain(4, 6.0, 0.1, 0.06);
    let whole = rig(&rigged).plant;
    let trunk = rigged.triangles.len();
    let places = rigged.vertices.clone();
    let x = |t: &[u32; 3]| t.iter().map(|&v| places[v as usize].0.x).sum::<f64>();
    rigged.triangles.sort_by(|a, b| x(a).total_cmp(&x(b)));
    let twig: Vec<_> =
        (0..5).map(|k| (DVec3::new(0.3, 0.2 + 0.25 * f64::from(k), 0.0), 0.01, vec![(0, 1.0)])).collect();
    rigged.tube(&twig, DVec3::Y);
    let found = changed(&rigged, |json, _| {
        let all = json["accessors"][3]["count"].as_u64().unwrap();
        let first = 3 * trunk as u64 / 2;
        json["accessors"][3]["count"] = first.into();
        let rest = json!({ "bufferView": 3, "byteOffset": 4 * first, "componentType": 5125, "count": all - first, "type": "SCALAR" });
        json["accessors"].as_array_mut().unwrap().push(rest);
        let mut other = json["meshes"][0]["primitives"][0].clone();
        (other["indices"], other["material"]) = (5.into(), 1.into());
        json["meshes"][0]["primitives"].as_array_mut().unwrap().push(other);
        json["materials"].as_array_mut().unwrap().push(json!({ "name": "Moss" }));
    });
    for (a, b) in found.unwrap().plant.segments().iter().zip(whole.segments()) {
        assert!((a.base_radius / b.base_radius - 1.0).abs() < 1e-2, "{a:?} {b:?}");
    }
}

/// The inner half of a bough of 1.5 m is attached to the bone of the trunk, the outer one has a bone. With
/// the load w on the outer half, l long, and the inner one a long, its centre is deflected by
/// `w / (E I) (l ((l/2 + a)³ - (l/2)³) / 3 + l⁴ / 20)` on average over its length.
#[test]
fn wood_before_the_first_joint_of_a_branch_bends_too() {
    let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.07);
    let at = |x: f64| DVec3::new(x, 1.5, 0.0);
    let bough = rigged.bones.len();
    rigged.bones.push(("bough".into(), Some(1), at(0.75), at(1.5)));
    let ring = |x: f64| (at(x), 0.02, vec![(if x < 0.75 { 1 } else { bough }, 1.0)]);
    let rings: Vec<_> = (0..=30).map(|k| ring(0.05 * f64::from(k))).collect();
    rigged.tube(&rings, DVec3::X);
    let plant = rig(&rigged).plant;
    let id = plant.body_ids().find(|&id| plant.rest_position(id).x > 0.7).unwrap();
    let (l, oak) = (0.75_f64, materials::wood("white oak").unwrap());
    let load = std::f64::consts::PI * 0.02_f64.powi(2) * oak.density * 9.81;
    let found = load * l * l / 2.0 / plant.joint_properties(id).stiffness.x * l / 2.0;
    // Inside the trunk it is rigid.
    let a = 0.75 - 0.085;
    let bent = l * ((l / 2.0 + a).powi(3) - (l / 2.0).powi(3)) / 3.0 + l.powi(4) / 20.0;
    let truth = load / (oak.youngs_modulus * std::f64::consts::PI * 0.02_f64.powi(4) / 4.0) * bent;
    assert!((found / truth - 1.0).abs() < 0.05, "{found} of {truth} m");
}

#[test]
fn scaled_turned_and_mirrored_armatures_have_the_same_wood() {
    let plain = rig(&Rigged::chain(5, 8.0, 0.2, 0.05));
    for armature in [
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(0.01),
            DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2),
            DVec3::ZERO,
        ),
        DAffine3::from_scale_rotation_translation(
            DVec3::splat(100.0),
            DQuat::from_rotation_z(2.0),
            DVec3::new(3.0, -2.0, 7.0),
        ),
        DAffine3::from_scale_rotation_translation(DVec3::new(-1.0, 1.0, 1.0), DQuat::from_rotation_y(1.0), DVec3::X),
    ] {
        let same = rig(&Rigged { armature, ..Rigged::chain(5, 8.0, 0.2, 0.05) });
        assert_eq!((same.plant.segments().len(), plain.plant.segments().len()), (5, 5));
        for (a, b) in same.plant.segments().iter().zip(plain.plant.segments()) {
            assert!(
                (a.position - b.position).length() < 1e-4 && (a.base_radius - b.base_radius).abs() < 1e-4,
                "{a:?} {b:?}"
            );
        }
    }
}

#[test]
fn sizes_that_trees_do_not_have_are_remarked_upon() {
    let centimetres = rig(&Rigged::chain(5, 500.0, 10.0, 2.0));
    assert!(
        centimetres.report.warnings[0].contains("500.000 m tall")
            && centimetres.report.warnings[0].contains("--scale 0.01")
    );
    let toy = rig(&Rigged::chain(5, 0.3, 0.01, 0.002));
    assert!(toy.report.warnings[0].contains("0.300 m tall") && toy.report.warnings[0].contains("--height 12"));
    let bytes = Rigged::chain(5, 500.0, 10.0, 2.0).glb();
    let tall = Rig::of(&document(&bytes).unwrap(), &RigOptions { height: Some(12.0), ..options() }).unwrap();
    assert!(tall.report.warnings.is_empty());
    assert!((tall.report.height_m - 12.0).abs() < 1e-9 && (tall.plant.segments()[0].length - 2.4).abs() < 1e-5);
    let scaled = Rig::of(&document(&bytes).unwrap(), &RigOptions { scale: Some(0.01), ..options() }).unwrap();
    assert!((scaled.report.height_m - 5.0).abs() < 1e-6);
    for bad in [
        RigOptions { height: Some(f64::NAN), ..options() },
        RigOptions { scale: Some(0.0), ..options() },
        RigOptions { height: Some(3.0), scale: Some(1.0), ..options() },
    ] {
        assert!(matches!(Rig::of(&document(&bytes).unwrap(), &bad), Err(RigError::Option(_))));
    }
}

/// A tree exported without conversion from z up to y up.
#[test]
fn a_tree_that_lies_is_remarked_upon_and_can_be_set_up() {
    let mut lying = Rigged::chain(5, 8.0, 0.2, 0.05);
    let turn = |p: DVec3| DVec3::new(p.x, -p.z, p.y);
    lying.bones.iter_mut().for_each(|bone| (bone.2, bone.3) = (turn(bone.2), turn(bone.3)));
    lying.vertices.iter_mut().for_each(|vertex| vertex.0 = turn(vertex.0));
    let found = rig(&lying);
    assert!(
        found.report.warnings.iter().any(|w| w.contains("along z") && w.contains("--up z")),
        "{:?}",
        found.report.warnings
    );
    let upright = Rig::of(&document(&lying.glb()).unwrap(), &RigOptions { up: Up::Z, ..options() }).unwrap();
    assert!(upright.report.warnings.is_empty(), "{:?}", upright.report.warnings);
    assert!((upright.report.height_m - 8.0).abs() < 1e-3);
    assert!((upright.plant.segments()[4].tip() - glam::Vec3::Y * 8.0).length() < 1e-3);
}

#[test]
fn control_bones_and_ends_ride_along() {
    let mut rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    // A root for the whole rig, an IK target far away, and an end.
    rigged.bones.push(("target".into(), Some(3), DVec3::new(9.0, 9.0, 0.0), DVec3::new(9.0, 10.0, 0.0)));
    rigged.bones.push(("j3_end".into(), Some(3), DVec3::Y * 6.0, DVec3::Y * 6.1));
    rigged.bones.push(("root".into(), None, DVec3::NEG_Y, DVec3::ZERO));
    rigged.bones[0].1 = None;
    let found = rig(&rigged);
    assert_eq!((found.report.joints, found.report.bones, found.report.trees), (7, 4, 1));
    assert!((found.plant.segments()[3].tip() - glam::Vec3::Y * 6.0).length() < 1e-3);
}

#[test]
fn bones_without_length_ride_along() {
    let mut rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    // Between the second and the third, at the place of the third.
    rigged.bones.push(("zero".into(), Some(1), DVec3::Y * 3.0, DVec3::Y * 3.0));
    rigged.bones[2].1 = Some(4);
    rigged.vertices.iter_mut().filter(|v| (v.0.y - 3.0).abs() < 0.1).for_each(|v| v.1 = vec![(4, 1.0)]);
    let found = rig(&rigged);
    assert_eq!((found.report.joints, found.report.bones, found.report.branches), (5, 4, 1));
    let total: f32 = found.plant.segments().iter().map(|s| s.length).sum();
    assert!((total - 6.0).abs() < 1e-3, "{total}");
}

#[test]
fn a_joint_without_vertices_within_a_branch_is_wood() {
    let mut rigged = Rigged::chain(5, 5.0, 0.2, 0.1);
    for vertex in &mut rigged.vertices {
        vertex.1.retain(|(joint, _)| *joint != 2);
        if vertex.1.is_empty() {
            vertex.1.push((1, 1.0));
        }
    }
    let found = rig(&rigged);
    assert_eq!(found.report.bones, 5);
    let radius = found.plant.segments()[2].base_radius;
    assert!((0.13..0.19).contains(&radius), "{radius}");
}

#[test]
fn side_branches_and_loose_roots() {
    let mut rigged = Rigged::chain(4, 8.0, 0.2, 0.08);
    rigged.side("limb", Some(2), DVec3::Y * 5.0, DVec3::new(3.0, 6.0, 0.0), 0.05);
    rigged.side("loose", None, DVec3::new(0.05, 3.0, 0.0), DVec3::new(-3.0, 4.0, 0.0), 0.05);
    rigged.side("other tree", None, DVec3::X * 20.0, DVec3::new(20.0, 6.0, 0.0), 0.1);
    let found = rig(&rigged);
    assert_eq!((found.report.trees, found.report.branches, found.report.joined_bones), (2, 4, 1));
    let plant = &found.plant;
    let on: Vec<Option<u32>> = plant.branches().iter().map(|b| b.parent).collect();
    assert_eq!(on[..3], [None, Some(1), Some(2)]);
    assert_eq!(plant.branches()[1].order, 1);
    let second = plant.trees()[1].origin;
    assert!((second - DVec3::X * 20.0).length() < 1e-6, "{second}");
}

/// One bone for a trunk whose mesh extends far beyond the branch on it.
#[test]
fn a_bone_ends_where_its_bark_does() {
    let mut rigged = Rigged::chain(1, 10.0, 0.2, 0.1);
    rigged.side("limb", Some(0), DVec3::Y * 4.0, DVec3::new(3.0, 5.0, 0.0), 0.05);
    let found = rig(&rigged);
    assert_eq!(found.report.branches, 2);
    assert!((found.plant.segments()[0].length - 10.0).abs() < 0.6, "{}", found.plant.segments()[0].length);
}

#[test]
fn leaves_load_their_bones() {
    let mut rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    // Twenty square cards of 0.1 m2, facing z, on the last bone; their backs too.
    for k in 0..20 {
        let first = rigged.vertices.len() as u32;
        let corner = DVec3::new(0.5, 4.6 + 0.05 * f64::from(k), f64::from(k));
        let size = 0.1_f64.sqrt();
        for (x, y) in [(0.0, 0.0), (size, 0.0), (size, size), (0.0, size)] {
            rigged.vertices.push((corner + DVec3::new(x, y, 0.0), vec![(3, 1.0)]));
        }
        for t in [[0, 1, 2], [0, 2, 3], [0, 2, 1], [0, 3, 2]] {
            rigged.triangles.push(t.map(|i| first + i));
        }
    }
    let found = rig(&rigged);
    assert_eq!(found.report.leaf_parts, 20);
    assert!((found.report.leaf_area_m2 - 2.0).abs() < 1e-4, "{}", found.report.leaf_area_m2);
    assert!(found.plant.leaves().iter().all(|leaf| leaf.parent == 3));
    let normal = found.plant.leaves()[0].orientation * glam::Vec3::Z;
    assert!(normal.z.abs() > 0.999, "{normal}");
    assert!((found.report.leaf_mass_kg - 2.0 * 0.21).abs() < 1e-3);
    // Half of a masked card's area counts; the user may set the area.
    let masked = changed(&rigged, |json, _| json["materials"][0]["alphaMode"] = "MASK".into()).unwrap();
    assert!((masked.report.leaf_area_m2 - 1.0).abs() < 1e-4);
    let bytes = rigged.glb();
    let said = Rig::of(&document(&bytes).unwrap(), &RigOptions { leaf_area: Some(7.0), ..options() }).unwrap();
    assert!((said.report.leaf_area_m2 - 7.0).abs() < 1e-4);
    let none = Rig::of(&document(&bytes).unwrap(), &RigOptions { leaf_materials: Some(vec![]), ..options() }).unwrap();
    assert_eq!(none.report.leaf_parts, 0);
}

/// A separate leaf mesh on a bone, and one without a joint.
#[test]
fn leaf_meshes_on_bones_and_beside_them() {
    let rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    let card = |json: &mut serde_json::Value, bin: &mut Vec<u8>, child_of: Option<usize>| {
        let begin = bin.len();
        for p in [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
            bin.extend(p.into_iter().flat_map(f32::to_le_bytes));
        }
        json["bufferViews"].as_array_mut().unwrap().push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": 36 }));
        json["buffers"][0]["byteLength"] = bin.len().into();
        json["accessors"].as_array_mut().unwrap().push(json!({ "bufferView": 5, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 0, 1] }));
        json["meshes"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "name": "leaf", "primitives": [{ "attributes": { "POSITION": 5 } }] }));
        let node = json["nodes"].as_array().unwrap().len();
        json["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 1 }));
        match child_of {
            Some(parent) => json["nodes"][parent]["children"] = json!([node]),
            None => json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into()),
        }
    };
    let on = changed(&rigged, |json, bin| card(json, bin, Some(4))).unwrap();
    assert!((on.report.leaf_area_m2 - 0.5).abs() < 1e-5 && on.plant.leaves()[0].parent == 3);
    let beside = changed(&rigged, |json, bin| card(json, bin, None)).unwrap();
    assert_eq!(beside.report.leaf_area_m2, 0.0);
    assert!(
        beside.report.warnings.iter().any(|w| w.contains("stands still") && w.contains("`leaf`")),
        "{:?}",
        beside.report.warnings
    );
}

#[test]
fn what_is_no_tree_is_refused_with_a_reason() {
    let single = Rigged::chain(1, 3.0, 0.1, 0.1);
    assert!(refused(changed(&single, |_, _| ())).contains("one joint, `j0`"));
    let mut people = Rigged::chain(4, 1.8, 0.2, 0.1);
    for (bone, name) in people.bones.iter_mut().zip(["mixamorig:Hips", "mixamorig:Spine", "mixamorig:Neck", "Head"]) {
        bone.0 = name.into();
    }
    let error = refused(changed(&people, |_, _| ()));
    assert!(error.contains("character") && error.contains("mixamorig:Hips") && error.contains("--force"), "{error}");
    // Legs below the root.
    let mut legs = Rigged::chain(3, 1.0, 0.1, 0.1);
    legs.side("left", Some(0), DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.1, -0.5, 0.0), 0.05);
    legs.side("left below", Some(3), DVec3::new(0.1, -0.5, 0.0), DVec3::new(0.1, -1.0, 0.0), 0.05);
    let error = refused(changed(&legs, |_, _| ()));
    assert!(error.contains("`j0` is not at its foot") && error.contains("left below"), "{error}");
    let forced = Rig::of(&document(&legs.glb()).unwrap(), &RigOptions { force: true, ..options() });
    assert_eq!(forced.unwrap().report.bones, 5);
    let chain = Rigged::chain(3, 3.0, 0.1, 0.1);
    let no_skin = changed(&chain, |json, _| {
        json["nodes"][4].as_object_mut().unwrap().remove("skin");
    });
    assert!(refused(no_skin).contains("no mesh has a skin"));
    let no_weights = changed(&chain, |_, bin| bin[chain.vertices.len() * 16..chain.vertices.len() * 32].fill(0));
    assert!(refused(no_weights).contains("no joint moves any vertex"));
}

#[test]
fn what_cannot_be_turned_is_refused_with_a_reason() {
    let chain = Rigged::chain(3, 3.0, 0.1, 0.1);
    let uneven = changed(&chain, |json, _| json["nodes"][0]["scale"] = json!([1.0, 2.0, 1.0]));
    assert!(refused(uneven).contains("different amounts along its axes"));
    let flat = changed(&chain, |json, _| json["nodes"][0]["scale"] = json!([0.0, 0.0, 0.0]));
    assert!(flat.is_err());
    let cycle = changed(&chain, |json, _| json["nodes"][3]["children"] = json!([1]));
    assert!(cycle.is_err());
    let circle = changed(&chain, |json, _| {
        json["nodes"][0]["children"] = json!([]);
        json["nodes"][3]["children"] = json!([1]);
    });
    assert!(refused(circle).contains("cycle"));
    let draco = changed(&chain, |json, _| json["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]));
    assert!(refused(draco).contains("without compression"));
    let meshopt =
        changed(&chain, |json, _| json["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression": {} }));
    assert!(refused(meshopt).contains("meshopt"));
}

/// Equivalent encodings.
#[test]
fn encodings_do_not_matter() {
    let chain = Rigged::chain(4, 6.0, 0.2, 0.05);
    let plain = rig(&chain);
    assert_eq!(plain.plant.segments().len(), 4);
    let same = |other: Rig, what: &str| {
        assert_eq!(other.plant.segments().len(), 4, "{what}");
        assert!((other.report.wood_mass_kg / plain.report.wood_mass_kg - 1.0).abs() < 0.02, "{what}");
        for (a, b) in other.plant.segments().iter().zip(plain.plant.segments()) {
            assert!(
                (a.position - b.position).length() < 2e-3 && (a.base_radius / b.base_radius - 1.0).abs() < 0.02,
                "{what}: {a:?} {b:?}"
            );
        }
    };
    let count = chain.vertices.len();
    // Weights as normalised bytes and shorts.
    for (code, size) in [(5121, 1_usize), (5123, 2)] {
        let rig = changed(&chain, |json, bin| {
            let begin = bin.len();
            for (_, weights) in &chain.vertices {
                for k in 0..4 {
                    let weight = weights.get(k).map_or(0.0, |w| w.1);
                    let most = if size == 1 { 255.0 } else { 65535.0 };
                    bin.extend(&((weight * most).round() as u16).to_le_bytes()[..size]);
                }
            }
            json["bufferViews"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": bin.len() - begin }));
            json["buffers"][0]["byteLength"] = bin.len().into();
            json["accessors"][2] =
                json!({ "bufferView": 5, "componentType": code, "normalized": true, "count": count, "type": "VEC4" });
        });
        same(rig.unwrap(), "weights");
    }
    // KHR_mesh_quantization: shorts, in a box of 8 m, with the dequantization in the inverse bind
    // matrices.
    let quantized = changed(&chain, |json, bin| {
        let begin = bin.len();
        for (p, _) in &chain.vertices {
            for x in p.to_array() {
                bin.extend(((x / 8.0 * 32767.0).round() as i16).to_le_bytes());
            }
            bin.extend([0; 2]);
        }
        json["bufferViews"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": bin.len() - begin, "byteStride": 8 }));
        let begin = bin.len();
        for world in chain.worlds() {
            let back = world.inverse() * DAffine3::from_scale(DVec3::splat(8.0));
            bin.extend(glam::DMat4::from(back).as_mat4().to_cols_array().into_iter().flat_map(f32::to_le_bytes));
        }
        json["bufferViews"]
            .as_array_mut()
            .unwrap()
            .push(json!({ "buffer": 0, "byteOffset": begin, "byteLength": bin.len() - begin }));
        json["buffers"][0]["byteLength"] = bin.len().into();
        json["accessors"][0] =
            json!({ "bufferView": 5, "componentType": 5122, "normalized": true, "count": count, "type": "VEC3" });
        json["accessors"][4]["bufferView"] = 6.into();
        json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    });
    same(quantized.unwrap(), "quantized");
    // Sparse: the first ring is displaced in the data and restored by sparse items.
    let sparse = changed(&chain, |json, bin| {
        let begin = bin.len();
        for i in 0..8_u16 {
            bin.extend(i.to_le_bytes());
        }
        let old = bin[..96].to_vec();
        bin.extend(old);
        bin[..96].copy_from_slice(&[0x42; 96]);
        for (offset, length) in [(begin, 16), (begin + 16, 96)] {
            json["bufferViews"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": length }));
        }
        json["buffers"][0]["byteLength"] = bin.len().into();
        json["accessors"][0]["sparse"] =
            json!({ "count": 8, "indices": { "bufferView": 5, "componentType": 5123 }, "values": { "bufferView": 6 } });
    });
    same(sparse.unwrap(), "sparse");
    // Matrices instead of translation, rotation and scale.
    let matrices = changed(&chain, |json, _| common::matrices(json));
    same(matrices.unwrap(), "matrices");
    // Two skins on the same joints, each with the whole mesh: it is the same tree.
    let skins = changed(&chain, |json, _| {
        let skin = json["skins"][0].clone();
        json["skins"].as_array_mut().unwrap().push(skin);
        let node = json["nodes"].as_array().unwrap().len();
        json["nodes"].as_array_mut().unwrap().push(json!({ "mesh": 0, "skin": 1 }));
        json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into());
    });
    same(skins.unwrap(), "skins");
}

/// Coarser versions of a tree on its bones add no wood, however they are marked.
#[test]
fn levels_of_detail_are_one_tree() {
    let mut rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    let first = rigged.vertices.len() as u32;
    for (x, y) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.0, 0.5)] {
        rigged.vertices.push((DVec3::new(0.5 + x, 5.0 + y, 0.0), vec![(3, 1.0)]));
    }
    rigged.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    let plain = rig(&rigged);
    assert!((plain.report.leaf_area_m2 - 0.25).abs() < 1e-4);
    // A second mesh with the same numbers, so that only names and extensions identify it.
    let second = |json: &mut serde_json::Value, names: [&str; 2]| {
        let mesh = json["meshes"][0].clone();
        json["meshes"].as_array_mut().unwrap().push(mesh);
        let node = json["nodes"].as_array().unwrap().len();
        json["nodes"].as_array_mut().unwrap().push(json!({ "name": names[1], "mesh": 1, "skin": 0 }));
        json["nodes"][node - 1]["name"] = names[0].into();
        json["scenes"][0]["nodes"].as_array_mut().unwrap().push(node.into());
        node
    };
    let named = changed(&rigged, |json, _| {
        second(json, ["Oak_LOD0", "Oak_LOD1"]);
    });
    let said = changed(&rigged, |json, _| {
        let node = second(json, ["oak", "far oak"]);
        json["nodes"][node - 1]["extensions"] = json!({ "MSFT_lod": { "ids": [node, 99999, "x"] } });
    });
    for one in [named.unwrap(), said.unwrap()] {
        assert_eq!(one.report.meshes_again, 1);
        assert!((one.report.wood_mass_kg / plain.report.wood_mass_kg - 1.0).abs() < 1e-6);
        assert!((one.report.leaf_area_m2 - 0.25).abs() < 1e-4, "{}", one.report.leaf_area_m2);
        assert!(one.report.warnings.iter().any(|w| w.contains("levels of detail")), "{:?}", one.report.warnings);
    }
    // Without such names it counts as additional wood.
    let other = changed(&rigged, |json, _| {
        second(json, ["oak", "ivy"]);
    });
    assert!((other.unwrap().report.leaf_area_m2 - 0.5).abs() < 1e-4);
}

/// Vertices without a joint are placed in the bind pose instead of at the origin, where they would merge
/// all leaves and wood into one part.
#[test]
fn vertices_without_weights_stay_where_they_are() {
    let mut rigged = Rigged::chain(4, 6.0, 0.2, 0.05);
    // Two leaves without common corners; one corner of each has no weight.
    for x in [1.0, 2.0] {
        let first = rigged.vertices.len() as u32;
        for (dx, dy, weights) in [(0.0, 0.0, vec![(3, 1.0)]), (0.4, 0.0, vec![(3, 1.0)]), (0.0, 0.4, Vec::new())] {
            rigged.vertices.push((DVec3::new(x + dx, 5.0 + dy, 0.0), weights));
        }
        rigged.triangles.push([first, first + 1, first + 2]);
    }
    for armature in [DAffine3::IDENTITY, DAffine3::from_scale(DVec3::splat(0.01))] {
        let found = rig(&Rigged {
            armature,
            bones: rigged.bones.clone(),
            vertices: rigged.vertices.clone(),
            triangles: rigged.triangles.clone(),
        });
        assert_eq!((found.report.leaf_parts, found.report.wood_parts), (2, 1));
        assert!((found.report.leaf_area_m2 - 2.0 * 0.08).abs() < 1e-4, "{}", found.report.leaf_area_m2);
    }
}

/// The inverse bind matrices of unrotated joints are translations; if omitted they are the identity.
#[test]
fn without_inverse_bind_matrices_vertices_are_in_the_axes_of_joints() {
    let mut chain = Rigged::chain(2, 2.0, 0.1, 0.1);
    let worlds = chain.worlds();
    // Each vertex is in the axes of its joint; vertices of two joints are reduced to one.
    for (place, weights) in &mut chain.vertices {
        weights.truncate(1);
        weights[0].1 = 1.0;
        *place = worlds[weights[0].0].inverse().transform_point3(*place);
    }
    let found = changed(&chain, |json, _| {
        json["skins"][0].as_object_mut().unwrap().remove("inverseBindMatrices");
    });
    let found = found.unwrap();
    assert!((found.report.height_m - 2.0).abs() < 1e-3 && (found.plant.segments()[1].base_radius - 0.1).abs() < 2e-3);
}

#[test]
fn glb_is_what_it_says() {
    let bytes = glb(&json!({ "asset": { "version": "1.0" } }), &[]);
    assert!(document(&bytes).unwrap_err().to_string().contains("glTF 2.0"));
    assert!(matches!(document(b""), Err(RigError::Empty)));
    assert!(matches!(document(b"PK\x03\x04"), Err(RigError::NotGltf)));
    let whole = Rigged::chain(3, 3.0, 0.1, 0.1).glb();
    assert!(document(&whole[..whole.len() - 1]).unwrap_err().to_string().contains("copy it once more"));
}

/// Boughs of one bone that hang down from a trunk, independent of rounding for level ones.
#[test]
fn boughs_may_hang_down() {
    for down in [-0.5, 0.0, 1e-6, 0.1, 0.5, 1.2] {
        let mut rigged = Rigged::chain(3, 3.0, 0.1, 0.07);
        let (head, tail) = (DVec3::Y * 1.5, DVec3::new(0.8, 1.5 - down, 0.0));
        rigged.side("bough", Some(1), head, tail, 0.02);
        let segment = rig(&rigged).plant.segments()[3];
        assert!(segment.tip().as_dvec3().distance(tail) < 0.03, "{down} m down: {segment:?}");
    }
}

/// A trunk of one bone with a head four times as thick: the head does not stiffen the trunk. Half of its
/// compliance is in its joint; with all of the load at its top it would be a third.
#[test]
fn a_thick_head_does_not_stiffen_the_trunk_below() {
    let mut rigged = Rigged::chain(1, 3.0, 0.1, 0.1);
    (rigged.vertices, rigged.triangles) = (Vec::new(), Vec::new());
    let ring = |k: u8| (DVec3::Y * (0.05 * f64::from(k)), if k > 57 { 0.4 } else { 0.1 }, vec![(0, 1.0)]);
    rigged.tube(&(0..=60).map(ring).collect::<Vec<_>>(), DVec3::Y);
    let found = Rig::of(&document(&rigged.glb()).unwrap(), &RigOptions { force: true, ..options() }).unwrap().plant;
    let stiffer = found.wood_material(0).youngs_modulus / materials::wood("white oak").unwrap().youngs_modulus;
    assert!((1.5..2.15).contains(&stiffer), "{stiffer}");
}
