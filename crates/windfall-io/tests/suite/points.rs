//! Point caches and tables of poses, read back by the test's own readers, compared with the skin of the
//! full pose.

use crate::skins;
use crate::sway;
use std::collections::BTreeSet;
use std::path::Path;

use crate::grown::tree;
use windfall_core::glam::{DVec3, Quat, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::{AnimationError, Frames, PoseList, export_points, export_poses};
use windfall_skin::{Binding, Motion, Skin};

const RATE: f64 = 24.0;

/// A cache as read by other programs.
struct Cache {
    times: Vec<f64>,
    frames: Vec<Vec<Vec3>>,
}

fn read(path: &Path) -> Cache {
    let bytes = std::fs::read(path).unwrap();
    let is_pc2 = path.extension().unwrap() == "pc2";
    let four = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
    let int = |at: usize| if is_pc2 { i32::from_le_bytes(four(at)) } else { i32::from_be_bytes(four(at)) };
    let float = |at: usize| if is_pc2 { f32::from_le_bytes(four(at)) } else { f32::from_be_bytes(four(at)) };
    let (points, count, start, times) = if is_pc2 {
        assert_eq!((&bytes[..12], int(12), float(20), float(24)), (&b"POINTCACHE2\0"[..], 1, 0.0, 1.0));
        (int(16) as usize, int(28) as usize, 32, Vec::new())
    } else {
        let count = int(0) as usize;
        (int(4) as usize, count, 8 + 4 * count, (0..count).map(|i| f64::from(float(8 + 4 * i))).collect())
    };
    assert_eq!(bytes.len(), start + 12 * points * count);
    let point = |i: usize| Vec3::from_array([0, 4, 8].map(|axis| float(start + 12 * i + axis)));
    let frame = |f: usize| (f * points..(f + 1) * points).map(point).collect();
    Cache { times, frames: (0..count).map(frame).collect() }
}

/// Used vertices of the full skin, relative to the first tree.
fn full(plant: &Plant, skin: &Skin, pose: &Pose) -> Vec<DVec3> {
    let motion = Motion::new(&Pose::rest(plant), pose);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    let mut out = Vec::new();
    for (tree, tree_skin) in plant.trees().iter().zip(&skin.trees) {
        for part in &tree_skin.parts {
            let used: BTreeSet<u32> = part.mesh.triangles.iter().flatten().copied().collect();
            motion.deform(&part.mesh, &mut positions, &mut normals);
            let offset = tree.origin - plant.trees()[0].origin;
            out.extend(used.iter().map(|&v| offset + positions[v as usize].as_dvec3()));
        }
    }
    out
}

fn largest(found: &[Vec3], expected: &[DVec3]) -> f64 {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).map(|(a, b)| a.as_dvec3().distance(*b)).fold(0.0, f64::max)
}

/// Lines of the OBJ: all vertices, and the corners of all faces.
fn obj(path: &Path) -> (Vec<Vec3>, Vec<usize>, usize) {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut vertices, mut corners, mut objects) = (Vec::new(), Vec::new(), 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "o" => objects += 1,
            "v" => vertices.push(Vec3::from_array([1, 2, 3].map(|i| words[i].parse().unwrap()))),
            "f" => {
                let place = |word: &&str| word.split('/').next().unwrap().parse::<usize>().unwrap() - 1;
                corners.extend(words[1..].iter().map(place));
            }
            _ => (),
        }
    }
    (vertices, corners, objects)
}

#[test]
fn every_vertex_of_every_frame_comes_back() {
    let (plant, skin) = tree("apple", 300, 2);
    let mut frames = sway::frames(&plant, 2.0, RATE, 25);
    // Leaf, fruit and a branch fall: their vertices follow.
    sway::let_go(&plant, &mut frames, 0.5);
    let folder = tempfile::tempdir().unwrap();
    for name in ["tree.pc2", "tree.mdd"] {
        let path = folder.path().join(name);
        let mut last = None;
        let report = export_points(&plant, &skin, &mut frames, &path, &mut |p| last = Some((p.done, p.total))).unwrap();
        assert_eq!(last, Some((25, 25)));
        assert_eq!((report.frames, report.frames_per_second, report.seconds), (25, 24.0, 1.0));
        assert_eq!((&*report.mesh, report.bytes), (&*format!("{name}.obj"), path.metadata().unwrap().len()));
        let cache = read(&path);
        assert_eq!(cache.frames.len(), 25);
        if name == "tree.mdd" {
            assert!(cache.times.iter().enumerate().all(|(i, t)| (t - i as f64 / RATE).abs() < 1e-6));
        }
        for (frame, pose) in frames.poses.iter().enumerate() {
            let expected = full(&plant, &skin, pose);
            assert_eq!(expected.len(), report.points);
            assert!(largest(&cache.frames[frame], &expected) < 1e-6);
        }
        let (vertices, corners, objects) = obj(&folder.path().join(format!("{name}.obj")));
        assert_eq!((vertices.len(), corners.len(), objects), (report.points, 3 * skin.triangle_count(), 1));
        let used: BTreeSet<usize> = corners.into_iter().collect();
        assert_eq!(used.len(), vertices.len(), "no vertex that a reader would drop");
        // The mesh is rounded to 0.01 mm.
        assert!(largest(&vertices, &full(&plant, &skin, &Pose::rest(&plant))) < 1e-5);
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().contains("part")), "{left:?}");
}

/// Vertices without a triangle are omitted in both mesh and cache; distant trees are one mesh.
#[test]
fn unused_vertices_and_several_trees() {
    let (plant, mut skin) = skins::two_trees();
    let mesh = &mut skin.trees[0].parts[0].mesh;
    for lost in [0, 5] {
        mesh.triangles.retain(|t| !t.contains(&lost));
    }
    let mut poses = vec![Pose::rest(&plant); 3];
    poses[2].orientations[1] = Quat::from_rotation_z(0.2);
    let mut frames = PoseList { poses, frames_per_second: 10.0 };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.pc2");
    let report = export_points(&plant, &skin, &mut frames, &path, &mut |_| ()).unwrap();
    assert_eq!(report.points, skin.vertex_count() - 2);
    let cache = read(&path);
    // The spacing of f32 between 512 and 1024 is 2^-14; at 1000 m the maximum error along each axis is
    // half of that.
    assert_eq!(report.rounding_m, 2f64.powi(-15));
    for (frame, pose) in frames.poses.iter().enumerate() {
        let off = |(a, b): (&Vec3, &DVec3)| (a.as_dvec3() - *b).abs().max_element();
        let expected = full(&plant, &skin, pose);
        assert_eq!(cache.frames[frame].len(), expected.len());
        // Vertices themselves are f32, accurate to 0.5 µm within 9 m.
        let largest = cache.frames[frame].iter().zip(&expected).map(off).fold(0.0, f64::max);
        assert!(largest <= report.rounding_m + 1e-6, "{largest}");
    }
    let (vertices, _, objects) = obj(&folder.path().join("two.pc2.obj"));
    assert_eq!((vertices.len(), objects), (report.points, 1));
}

#[test]
fn tables_have_every_body_of_every_frame() {
    let (plant, _) = tree("apple", 120, 2);
    let mut parts = plant.into_parts();
    parts.trees[0].origin = DVec3::new(1000.25, 2.0, -30.5);
    let plant = Plant::new(parts).unwrap();
    let mut frames = sway::frames(&plant, 2.0, RATE, 13);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("poses.csv");
    let report = export_poses(&plant, &mut frames, &[], &path, &mut |_| ()).unwrap();
    assert_eq!((report.rows, report.bodies, report.frames), (120 * 13, 120, 13));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("time_s,body,name,x_m,y_m,z_m,qx,qy,qz,qw"));
    let mut seen = 0;
    for (i, line) in lines.enumerate() {
        let words: Vec<&str> = line.split(',').collect();
        let number = |at: usize| words[at].parse::<f64>().unwrap();
        let (frame, body) = (i / 120, i % 120);
        assert_eq!((words.len(), words[1].parse::<usize>().unwrap()), (10, body));
        assert!((number(0) - frame as f64 / RATE).abs() < 1e-7);
        let pose = &frames.poses[frame];
        let place = plant.trees()[0].origin + pose.positions[body].as_dvec3();
        assert!(DVec3::new(number(3), number(4), number(5)).distance(place) < 1e-7);
        let turn = pose.orientations[body].to_array();
        assert!((0..4).all(|k| (number(6 + k) - f64::from(turn[k])).abs() < 1e-7));
        seen += 1;
    }
    assert_eq!(seen, 120 * 13);
    assert!(text.contains("\n0,0,trunk,") && text.contains(",leaf_0,"));
    // Some bodies only.
    let some = [plant.leaf_id(4), plant.segment_id(0)];
    let report = export_poses(&plant, &mut frames, &some, &path, &mut |_| ()).unwrap();
    assert_eq!(report.rows, 26);
    assert!(std::fs::read_to_string(&path).unwrap().lines().nth(1).unwrap().contains(",leaf_4,"));
}

#[test]
fn nonsense_is_refused_and_leaves_nothing() {
    let (plant, skin) = tree("oak", 100, 2);
    let good = sway::frames(&plant, 2.0, RATE, 3);
    let folder = tempfile::tempdir().unwrap();
    let mut lost = good.clone();
    lost.poses[2].positions[17].y = f32::NAN;
    let mut short = good.clone();
    short.poses[1].positions.pop();
    let mut strange = skin.clone();
    if let Binding::Blended { bodies, .. } = &mut strange.trees[0].parts[0].mesh.binding {
        bodies[0][0] = 100;
    }
    let empty = PoseList { poses: Vec::new(), frames_per_second: RATE };
    let timeless = PoseList { frames_per_second: f64::NAN, ..good.clone() };
    let cases: [(&Skin, PoseList, &str); 5] = [
        (&skin, timeless, "frame 0 is at NaN s"),
        (&skin, lost, "frame 2: the place of body 17 is not finite"),
        (&skin, short, "frame 1 places 99 bodies, and the plant has 100"),
        (&skin, empty, "has no frame"),
        (&strange, good.clone(), "bound to body 100"),
    ];
    for (skin, mut frames, expected) in cases {
        for name in ["tree.pc2", "tree.mdd", "tree.csv"] {
            let path = folder.path().join(name);
            let error = if name == "tree.csv" && expected.contains("bound") {
                continue;
            } else if name == "tree.csv" {
                export_poses(&plant, &mut frames, &[], &path, &mut |_| ()).unwrap_err()
            } else {
                export_points(&plant, skin, &mut frames, &path, &mut |_| ()).unwrap_err()
            };
            assert!(error.to_string().contains(expected), "{name}: {error}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}: {error}");
        }
    }
    let mut frames = good;
    let error = export_points(&plant, &skin, &mut frames, &folder.path().join("tree.abc"), &mut |_| ()).unwrap_err();
    assert!(matches!(error, AnimationError::Ending(_)));
}

/// More frames than a header can count are rejected before any work.
#[test]
fn counts_that_headers_can_not_hold() {
    struct Endless;
    impl Frames for Endless {
        fn len(&self) -> usize {
            1 << 31
        }
        fn time(&self, frame: usize) -> f64 {
            frame as f64
        }
        fn read(&mut self, _: usize, _: &mut Pose) -> Result<(), windfall_io::MotionError> {
            panic!("no frame is needed to see that there are too many")
        }
    }
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    for name in ["tree.pc2", "tree.mdd"] {
        let error = export_points(&plant, &skin, &mut Endless, &folder.path().join(name), &mut |_| ()).unwrap_err();
        assert!(matches!(error, AnimationError::TooMany { what: "frames", .. }), "{error}");
        assert!(error.to_string().contains("2147483648 frames"), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
