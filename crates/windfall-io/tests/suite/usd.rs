//! USD files, read back by the tests' own readers, compared with the skin of the full pose.
//! `tools/cache-check` does the same with Pixar's library and Blender.

use crate::skins;
use crate::sway;
use std::path::Path;

use crate::crates::Crate;
use crate::grown::tree;
use windfall_core::glam::{DMat4, DVec3, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::{
    AnimationError, BoneCount, Frames, PoseList, UsdMotion, UsdReport, export, export_points, export_poses, export_usd,
};
use windfall_skin::{Binding, Motion, Skin};

const RATE: f64 = 24.0;

fn write(plant: &Plant, skin: &Skin, frames: &mut dyn Frames, motion: UsdMotion) -> (Crate, UsdReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.usdc");
    let report = export_usd(plant, skin, frames, motion, &path, &mut |_| ()).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, report.bytes);
    let images = std::fs::read_dir(folder.path()).unwrap().count() - 1;
    assert_eq!(images, report.images, "images, and no temporary file");
    (Crate::read(bytes), report)
}

/// Path and mesh of each part of the only tree.
fn meshes<'s>(file: &Crate, skin: &'s Skin) -> Vec<(String, &'s windfall_skin::Mesh)> {
    let root = format!("/{}", file.token("/", "defaultPrim"));
    let tree = file.specs.keys().find(|path| path.starts_with(&root) && path.ends_with(".points")).unwrap();
    let tree = tree.rsplit_once('/').unwrap().0;
    let parts = skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty());
    let name = |name: &str| name.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    parts.map(|part| (format!("{tree}/{}", name(&part.name)), &part.mesh)).collect()
}

#[test]
fn every_vertex_of_every_frame_comes_back_to_the_bit() {
    let (plant, skin) = tree("apple", 300, 2);
    let mut frames = sway::frames(&plant, 2.0, RATE, 13);
    sway::let_go(&plant, &mut frames, 0.25);
    let (file, report) = write(&plant, &skin, &mut frames, UsdMotion::Points);
    assert_eq!((report.frames, report.points, report.skeleton), (13, skin.vertex_count(), None));
    for (field, value) in [
        ("startTimeCode", 0.0),
        ("endTimeCode", 12.0),
        ("timeCodesPerSecond", RATE),
        ("framesPerSecond", RATE),
        ("metersPerUnit", 1.0),
    ] {
        assert_eq!(file.double("/", field), value, "{field}");
    }
    assert_eq!(file.token("/", "upAxis"), "Y");
    assert!(file.text("/", "documentation").starts_with("windfall "));
    let meshes = meshes(&file, &skin);
    assert_eq!(meshes.len(), report.meshes);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for (path, mesh) in meshes {
        let of = |name: &str| format!("{path}.{name}");
        let corners: Vec<i32> = mesh.triangles.iter().flatten().map(|&c| c as i32).collect();
        assert_eq!(file.ints(&of("faceVertexIndices")), corners);
        assert_eq!(file.ints(&of("faceVertexCounts")), vec![3; mesh.triangles.len()]);
        let st = file.floats(file.value(&of("primvars:st"), "default"), 20, 2);
        assert_eq!(st.len(), 2 * mesh.uvs.len());
        assert!(st.chunks_exact(2).zip(&mesh.uvs).all(|(st, uv)| st[0] == uv.x && st[1] == 1.0 - uv.y));
        assert_eq!(file.token(&of("subdivisionScheme"), "default"), "none");
        let material = file.target(&of("material:binding"), "targetPaths");
        assert_eq!(file.token(material, "typeName"), "Material");
        let surface = file.target(&format!("{material}.outputs:surface"), "connectionPaths");
        assert!(surface.ends_with("/surface.outputs:surface"));
        for (frame, pose) in frames.poses.iter().enumerate() {
            Motion::new(&Pose::rest(&plant), pose).deform(mesh, &mut positions, &mut normals);
            let sample = |name: &str| {
                let (times, values) = file.samples(&of(name));
                assert_eq!((times.len(), times[frame]), (13, frame as f64));
                file.vectors(values[frame])
            };
            assert_eq!(sample("points"), positions, "{path} in frame {frame}");
            assert_eq!(sample("normals"), normals);
            let low = positions.iter().copied().reduce(Vec3::min).unwrap();
            let high = positions.iter().copied().reduce(Vec3::max).unwrap();
            assert_eq!(sample("extent"), [low, high]);
        }
    }
}

/// Vertices as `UsdSkel` moves them, of all parts.
fn skinned(file: &Crate, skin: &Skin, frame: usize) -> Vec<DVec3> {
    let mut all = Vec::new();
    for (path, _) in meshes(file, skin) {
        let of = |name: &str| format!("{path}.{name}");
        let skeleton = file.target(&of("skel:skeleton"), "targetPaths");
        let animation = file.target(&format!("{skeleton}.skel:animationSource"), "targetPaths");
        let joints = file.tokens(&format!("{skeleton}.joints"));
        assert_eq!(file.tokens(&format!("{animation}.joints")), joints);
        let sample = |name: &str| file.samples(&format!("{animation}.{name}")).1[frame];
        let turns = file.quats(sample("rotations"));
        let shifts = file.vectors(sample("translations"));
        let binds = file.matrices(&format!("{skeleton}.bindTransforms"));
        let mut places: Vec<DMat4> = Vec::new();
        for (i, joint) in joints.iter().enumerate() {
            let local = DMat4::from_rotation_translation(turns[i].as_dquat(), shifts[i].as_dvec3());
            let parent = joint.rsplit_once('/').map(|(up, _)| joints.iter().position(|j| j == up).unwrap());
            places.push(parent.map_or(local, |p| places[p] * local));
        }
        let rest = file.vectors(file.value(&of("points"), "default"));
        let indices = file.ints(&of("primvars:skel:jointIndices"));
        let weights = file.floats(file.value(&of("primvars:skel:jointWeights"), "default"), 8, 1);
        let size = file.value(&of("primvars:skel:jointWeights"), "elementSize") as u32 as usize;
        assert_eq!((indices.len(), weights.len()), (size * rest.len(), size * rest.len()));
        for (v, point) in rest.iter().enumerate() {
            let mut moved = DVec3::ZERO;
            for k in v * size..(v + 1) * size {
                let joint = indices[k] as usize;
                let by = places[joint] * binds[joint].inverse();
                moved += f64::from(weights[k]) * by.transform_point3(point.as_dvec3());
            }
            all.push(moved);
        }
    }
    all
}

fn full(plant: &Plant, skin: &Skin, pose: &Pose) -> Vec<DVec3> {
    let motion = Motion::new(&Pose::rest(plant), pose);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut all = Vec::new();
    for part in skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty()) {
        motion.deform(&part.mesh, &mut positions, &mut normals);
        all.extend(positions.iter().map(|p| p.as_dvec3()));
    }
    all
}

#[test]
fn skeletons_move_as_the_report_says() {
    let (plant, skin) = tree("oak", 400, 2);
    let mut frames = sway::frames(&plant, 2.0, RATE, 13);
    sway::let_go(&plant, &mut frames, 0.25);
    for bones in [BoneCount::AtMost(20), BoneCount::All] {
        let (file, report) = write(&plant, &skin, &mut frames, UsdMotion::Skeleton(bones));
        let skeleton = report.skeleton.unwrap();
        let all = bones == BoneCount::All;
        assert_eq!(skeleton.bones, if all { 400 } else { 20 + skeleton.loose });
        assert!(skeleton.loose > 0);
        let mut largest = 0.0_f64;
        for (frame, pose) in frames.poses.iter().enumerate() {
            let (found, expected) = (skinned(&file, &skin, frame), full(&plant, &skin, pose));
            assert_eq!(found.len(), expected.len());
            largest = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(largest, f64::max);
            // Culling by boxes must not lose any vertex.
            let root = file
                .specs
                .keys()
                .find(|path| path.ends_with(".extent") && file.specs[*path].1.contains_key("timeSamples"));
            let extent = file.vectors(file.samples(root.unwrap()).1[frame]);
            let slack = DVec3::splat(1e-4);
            let (low, high) = (extent[0].as_dvec3() - slack, extent[1].as_dvec3() + slack);
            assert!(found.iter().all(|p| p.cmpge(low).all() && p.cmple(high).all()), "frame {frame}");
        }
        // Weights are rounded to 1/65535.
        assert!((largest - skeleton.error.largest_m).abs() < 3e-5, "{largest} {}", skeleton.error.largest_m);
        assert!(!all || largest < 2e-5, "{largest}");
    }
}

/// A grove: each tree has its own skeleton, at its own origin.
#[test]
fn each_tree_has_a_skeleton() {
    let (plant, skin) = skins::two_trees();
    let mut frames = PoseList { poses: vec![Pose::rest(&plant); 5], frames_per_second: 10.0 };
    for (i, pose) in frames.poses.iter_mut().enumerate() {
        pose.orientations[1] = windfall_core::glam::Quat::from_rotation_z(0.05 * i as f32);
    }
    let (file, report) = write(&plant, &skin, &mut frames, UsdMotion::Skeleton(BoneCount::default()));
    assert_eq!(report.skeleton.unwrap().bones, 2);
    let mut skeletons: Vec<&str> = file.specs.keys().filter_map(|path| path.strip_suffix("/skeleton")).collect();
    skeletons.sort_unstable();
    assert_eq!(skeletons.len(), 2);
    for (path, name, angle) in [("/by_hand/first", "trunk", 0.0), (skeletons[0], "trunk2", 0.2)] {
        assert_eq!(file.token(path, "typeName"), "SkelRoot");
        assert_eq!(file.tokens(&format!("{path}/skeleton.joints")), [name]);
        let (_, turns) = file.samples(&format!("{path}/skeleton/animation.rotations"));
        let turn = file.quats(turns[4])[0];
        assert!(turn.angle_between(windfall_core::glam::Quat::from_rotation_z(angle)) < 1e-3, "{path}: {turn}");
    }
    // The name of the second tree begins with a letter that USD does not allow.
    assert!(skeletons[0].starts_with("/by_hand/_lbaum"), "{skeletons:?}");
}

/// Numbers of the samples of a property in text, mesh by mesh: each line is a frame.
fn text_samples(text: &str, property: &str) -> Vec<Vec<Vec<f32>>> {
    let head = format!(" {property}.timeSamples = {{\n");
    text.split(&head)
        .skip(1)
        .map(|rest| {
            let samples = rest.split('}').next().unwrap();
            let frames = samples.lines().filter(|line| line.contains(": ["));
            let numbers = |line: &str| {
                let list = line.split_once(": [").unwrap().1;
                let words = list.split(['(', ')', ',', ']', ' ']).filter(|word| !word.is_empty());
                words.map(|word| word.parse::<f32>().unwrap()).collect()
            };
            frames.map(numbers).collect()
        })
        .collect()
}

#[test]
fn text_says_the_same_as_binary() {
    let (plant, skin) = tree("apple", 150, 2);
    let mut frames = sway::frames(&plant, 2.0, RATE, 5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.usda");
    let mut read = |motion: UsdMotion| {
        export_usd(&plant, &skin, &mut frames, motion, &path, &mut |_| ()).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("#usda 1.0\n"));
        (text, write(&plant, &skin, &mut frames, motion).0)
    };
    let (text, file) = read(UsdMotion::Points);
    for property in ["points", "normals", "extent"] {
        let found = text_samples(&text, property);
        let meshes = meshes(&file, &skin);
        assert_eq!(found.len(), meshes.len());
        for (found, (path, _)) in found.iter().zip(&meshes) {
            let (_, values) = file.samples(&format!("{path}.{property}"));
            assert_eq!((found.len(), values.len()), (5, 5));
            for (found, value) in found.iter().zip(values) {
                assert_eq!(*found, file.floats(value, 24, 3), "{path}.{property}");
            }
        }
    }
    let (text, file) = read(UsdMotion::Skeleton(BoneCount::AtMost(10)));
    let animation = file.specs.keys().find_map(|path| path.strip_suffix(".rotations")).unwrap();
    let (_, values) = file.samples(&format!("{animation}.rotations"));
    let found = text_samples(&text, "rotations");
    assert_eq!((found.len(), found[0].len(), values.len()), (1, 5, 5));
    for (found, value) in found[0].iter().zip(values) {
        // The text format has the real part first.
        let expected: Vec<f32> = file.quats(value).iter().flat_map(|q| [q.w, q.x, q.y, q.z]).collect();
        assert_eq!(*found, expected);
    }
}

/// Arbitrary names become identifiers; several trees keep their positions; image paths in the file are
/// correct.
#[test]
fn still_trees_with_hard_names() {
    let (plant, skin) = skins::two_trees();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two trees.usdc");
    export(&plant, &skin, &path).unwrap();
    export(&plant, &skin, &path.with_extension("usda")).unwrap();
    let file = Crate::read(std::fs::read(&path).unwrap());
    for path in file.specs.keys() {
        assert!(path.chars().all(|c| c.is_ascii_alphanumeric() || "/_.:".contains(c)), "{path}");
    }
    assert!(!file.specs["/"].1.contains_key("timeCodesPerSecond"));
    let points: Vec<&String> = file.specs.keys().filter(|path| path.ends_with(".points")).collect();
    assert_eq!(points.len(), 5, "parts without triangles are left out");
    let total: usize = points.iter().map(|path| file.vectors(file.value(path, "default")).len()).sum();
    assert_eq!(total, skin.vertex_count());
    let textures: Vec<&String> = file.specs.keys().filter(|path| path.ends_with(".inputs:file")).collect();
    assert_eq!(textures.len(), 6);
    for texture in textures {
        let name = file.asset(texture).strip_prefix("./").unwrap();
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    assert_eq!(file.double("/by_hand/materials/leaf/surface.inputs:opacityThreshold", "default"), 0.5);
    let text = std::fs::read_to_string(path.with_extension("usda")).unwrap();
    assert!(text.contains("double3 xformOp:translate = (1010.123456789, 3.5, -5)"));
    assert_eq!(text.matches('{').count(), text.matches('}').count());
}

/// A package contains the separate files, each with the required alignment.
#[test]
fn packages_hold_the_same_files() {
    let (plant, skin) = tree("apple", 200, 2);
    let mut frames = sway::frames(&plant, 2.0, RATE, 5);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.usdz");
    let report = export_usd(&plant, &skin, &mut frames, UsdMotion::Points, &path, &mut |_| ()).unwrap();
    let zip = std::fs::read(&path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    export_usd(&plant, &skin, &mut frames, UsdMotion::Points, &path.with_extension("usdc"), &mut |_| ()).unwrap();
    let short = |at: usize| usize::from(u16::from_le_bytes([zip[at], zip[at + 1]]));
    let long = |at: usize| short(at) | short(at + 2) << 16;
    let end = zip.len() - 22;
    assert_eq!((long(end), short(end + 8), short(end + 10)), (0x0605_4b50, report.images + 1, report.images + 1));
    assert_eq!(long(end + 12) + long(end + 16), end);
    let mut at = long(end + 16);
    for i in 0..=report.images {
        assert_eq!((long(at), short(at + 10)), (0x0201_4b50, 0), "not compressed");
        let (sum, size, name_size, begin) = (long(at + 16), long(at + 24), short(at + 28), long(at + 42));
        let name = std::str::from_utf8(&zip[at + 46..at + 46 + name_size]).unwrap();
        // Local file headers agree with the directory.
        assert_eq!((long(begin), short(begin + 26)), (0x0403_4b50, name_size));
        assert_eq!(zip[begin + 4..begin + 28], zip[at + 6..at + 30]);
        let start = begin + 30 + name_size + short(begin + 28);
        assert_eq!(start % 64, 0, "{name}");
        let content = &zip[start..start + size];
        assert_eq!(crc32fast::hash(content) as usize, sum);
        assert_eq!(name == "tree.usdc", i == 0, "the root layer comes first");
        assert!(content == std::fs::read(folder.path().join(name)).unwrap(), "{name}");
        at += 46 + name_size;
    }
    assert_eq!(at, end);
}

#[test]
fn nonsense_is_refused_and_leaves_nothing() {
    let (plant, skin) = tree("oak", 100, 2);
    let good = sway::frames(&plant, 2.0, RATE, 3);
    let mut lost = good.clone();
    lost.poses[2].orientations[17].y = f32::NAN;
    let mut short = good.clone();
    short.poses[1].positions.pop();
    let mut strange = skin.clone();
    if let Binding::Blended { weights, .. } = &mut strange.trees[0].parts[0].mesh.binding {
        weights[0] = [0.0; 4];
    }
    let empty = PoseList { poses: Vec::new(), frames_per_second: RATE };
    let folder = tempfile::tempdir().unwrap();
    for (skin, frames, expected) in [
        (&skin, lost, "frame 2: the place of body 17 is not finite"),
        (&skin, short, "frame 1 places 99 bodies, and the plant has 100"),
        (&skin, empty, "has no frame"),
        (&strange, good.clone(), "vertex 0 has the weights"),
    ] {
        for name in ["tree.usda", "tree.usdc", "tree.usdz"] {
            for motion in [UsdMotion::Points, UsdMotion::Skeleton(BoneCount::AtMost(9))] {
                let path = folder.path().join(name);
                let error = export_usd(&plant, skin, &mut frames.clone(), motion, &path, &mut |_| ()).unwrap_err();
                assert!(error.to_string().contains(expected), "{name}: {error}");
                assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}: {error}");
            }
        }
    }
    let path = folder.path().join("tree.usdc");
    let no_bones = UsdMotion::Skeleton(BoneCount::AtMost(0));
    let error = export_usd(&plant, &skin, &mut good.clone(), no_bones, &path, &mut |_| ()).unwrap_err();
    assert!(matches!(error, AnimationError::NoBones));
    let error =
        export_usd(&plant, &skin, &mut good.clone(), UsdMotion::Points, &path.with_extension("glb"), &mut |_| ());
    assert!(matches!(error.unwrap_err(), AnimationError::Ending(_)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// The same bits for any number of threads.
#[test]
fn threads_change_nothing() {
    let (plant, skin) = tree("apple", 300, 2);
    let frames = sway::frames(&plant, 2.0, RATE, 5);
    let written = |threads: usize| -> Vec<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let file = |name: &str, fill: &(dyn Fn(&Path) + Sync)| {
            let path = folder.path().join(name);
            pool.install(|| fill(&path));
            std::fs::read(path).unwrap()
        };
        let usd = |motion: UsdMotion| {
            let frames = &frames;
            let (plant, skin) = (&plant, &skin);
            move |path: &Path| assert!(export_usd(plant, skin, &mut frames.clone(), motion, path, &mut |_| ()).is_ok())
        };
        let few = UsdMotion::Skeleton(BoneCount::AtMost(20));
        let points =
            |path: &Path| assert!(export_points(&plant, &skin, &mut frames.clone(), path, &mut |_| ()).is_ok());
        vec![
            file("a.usdc", &usd(UsdMotion::Points)),
            file("b.usda", &usd(UsdMotion::Points)),
            file("c.usdc", &usd(few)),
            file("d.usda", &usd(few)),
            file("d.usdz", &usd(few)),
            file("e.pc2", &points),
            file("f.mdd", &points),
            file("g.csv", &|path| assert!(export_poses(&plant, &mut frames.clone(), &[], path, &mut |_| ()).is_ok())),
        ]
    };
    assert!(written(1) == written(3));
}
