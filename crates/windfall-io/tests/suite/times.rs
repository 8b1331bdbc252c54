//! Unevenly spaced frames: written with their times, or rejected; never written as evenly spaced.

use crate::sway;
use std::path::Path;

use crate::crates::Crate;
use crate::grown::tree;
use crate::player::Player;
use crate::source::Source;
use windfall_core::glam::DVec3;
use windfall_core::{Plant, Pose};
use windfall_io::{
    AnimationError, AnimationOptions, BoneCount, Clip, Frames, UsdMotion, VatError, VatOptions, export_animated,
    export_points, export_poses, export_usd, export_vat,
};
use windfall_skin::{Motion, Skin};

/// With small and large intervals.
fn times() -> Vec<f64> {
    (0..40).map(|i| 0.05 * f64::from(i) + 0.02 * (1.3 * f64::from(i)).sin() * f64::from(i.min(1))).collect()
}

/// Poses of the swaying tree at these times.
fn frames(plant: &Plant, times: Vec<f64>) -> impl Frames {
    let at = times.clone();
    Source {
        times,
        read: move |frame, pose: &mut Pose| {
            *pose = sway::pose(plant, at[frame], 2.0);
            Ok(())
        },
    }
}

/// Writes a file of any format.
fn write(plant: &Plant, skin: &Skin, frames: &mut dyn Frames, path: &Path) -> Result<(), AnimationError> {
    match path.extension().unwrap().to_str().unwrap() {
        "pc2" | "mdd" => export_points(plant, skin, frames, path, &mut |_| ()).map(drop),
        "csv" => export_poses(plant, frames, &[], path, &mut |_| ()).map(drop),
        "glb" => {
            // So coarse that keys are omitted between intervals of different length.
            let options = AnimationOptions { bones: BoneCount::All, tolerance: 2e-3, ..AnimationOptions::default() };
            let clips = &mut [Clip { name: "sway".into(), frames }];
            export_animated(plant, skin, clips, &options, path, &mut |_| ()).map(drop)
        }
        _ => export_usd(plant, skin, frames, UsdMotion::Points, path, &mut |_| ()).map(drop),
    }
}

#[test]
fn usd_has_the_times() {
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    let [binary, text] = ["t.usdc", "t.usda"].map(|name| {
        write(&plant, &skin, &mut frames(&plant, times()), &folder.path().join(name)).unwrap();
        std::fs::read(folder.path().join(name)).unwrap()
    });
    let file = Crate::read(binary);
    let rate = file.double("/", "timeCodesPerSecond");
    let path = file.specs.keys().find(|path| path.ends_with(".points")).unwrap();
    let (codes, _) = file.samples(path);
    assert_eq!(codes.len(), times().len());
    for (code, time) in codes.iter().zip(times()) {
        assert!((code / rate - time).abs() < 1e-9, "{code} for {time} s");
    }
    let last = times().last().copied().unwrap();
    assert!((file.double("/", "endTimeCode") / rate - last).abs() < 1e-9);
    // The text file has the same numbers.
    let text = String::from_utf8(text).unwrap();
    let samples = text.split(" points.timeSamples = {\n").nth(1).unwrap().split('}').next().unwrap();
    let in_text: Vec<f64> = samples.lines().filter_map(|line| line.split_once(": [")?.0.trim().parse().ok()).collect();
    assert_eq!(in_text, codes);
    assert!(text.contains(&format!("endTimeCode = {}\n", codes[codes.len() - 1])));
}

#[test]
fn caches_have_the_times_or_refuse() {
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.pc2");
    let error = write(&plant, &skin, &mut frames(&plant, times()), &path).unwrap_err().to_string();
    assert!(error.contains("frame 1 is at 0.069") && error.contains("a .pc2 file has the same time"), "{error}");
    let path = folder.path().join("t.glb");
    let clip = &mut Clip { name: "sway".into(), frames: &mut frames(&plant, times()) };
    let error = export_vat(&plant, &skin, clip, VatOptions::default(), &path, &mut |_| ()).unwrap_err();
    assert!(matches!(error, VatError::Animation(AnimationError::Uneven { frame: 1, .. })), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);

    let path = folder.path().join("t.mdd");
    write(&plant, &skin, &mut frames(&plant, times()), &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    for (i, time) in times().into_iter().enumerate() {
        let found = f32::from_be_bytes(bytes[8 + 4 * i..12 + 4 * i].try_into().unwrap());
        assert!((f64::from(found) - time).abs() < 1e-6);
    }
    let path = folder.path().join("t.csv");
    write(&plant, &skin, &mut frames(&plant, times()), &path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let found: Vec<f64> =
        text.lines().skip(1).step_by(60).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(found.len(), times().len());
    assert!(found.iter().zip(times()).all(|(found, time)| (found - time).abs() < 1e-7));
}

/// Programs interpolate linearly in time: omitted values must be close to that, not to the midpoint of the
/// list.
#[test]
fn keys_are_left_out_by_time() {
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.glb");
    write(&plant, &skin, &mut frames(&plant, times()), &path).unwrap();
    let player = Player::new(&std::fs::read(&path).unwrap());
    player.check_keys(0);
    let all = 2 * plant.body_count() * times().len();
    assert!(player.length(0).1 < all / 2, "{} of {all} keys: too few are left out to see anything", player.length(0).1);
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for time in times() {
        let motion = Motion::new(&Pose::rest(&plant), &sway::pose(&plant, time, 2.0));
        let parts = skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty());
        let expected: Vec<DVec3> = parts
            .flat_map(|part| {
                motion.deform(&part.mesh, &mut positions, &mut normals);
                positions.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>()
            })
            .collect();
        let found: Vec<DVec3> = player.vertices(0, f64::from(time as f32)).into_iter().flatten().collect();
        assert_eq!(found.len(), expected.len());
        let largest = found.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(largest < 2e-3 + 2e-5, "{largest} at {time} s");
    }
}

#[test]
fn times_that_can_not_be_are_refused() {
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    for (times, expected) in [
        (vec![0.0, 0.1, 0.1, 0.2], "frame 2 is at 0.1 s: times of frames must begin at 0 and grow"),
        (vec![0.0, 0.2, 0.1], "frame 2 is at 0.1 s"),
        (vec![1.0, 2.0], "frame 0 is at 1 s"),
        (vec![f64::NAN, 1.0], "frame 0 is at NaN s"),
        (vec![0.0, f64::INFINITY], "frame 1 is at inf s"),
    ] {
        for name in ["t.pc2", "t.mdd", "t.csv", "t.glb", "t.usda", "t.usdc", "t.usdz"] {
            let error = write(&plant, &skin, &mut frames(&plant, times.clone()), &folder.path().join(name));
            let error = error.unwrap_err().to_string();
            assert!(error.contains(expected), "{name}: {error}");
            assert_eq!(folder.path().read_dir().unwrap().count(), 0, "{name}");
        }
    }
    // A clip of a day with a frame each 10 ms: the spacing of f32 there is 8 ms. Formats with f64 accept
    // it.
    let long = vec![0.0, 86_400.0, 86_400.001];
    for name in ["t.glb", "t.mdd"] {
        let error = write(&plant, &skin, &mut frames(&plant, long.clone()), &folder.path().join(name)).unwrap_err();
        assert!(matches!(error, AnimationError::TooClose { frame: 2, .. }), "{name}: {error}");
    }
    write(&plant, &skin, &mut frames(&plant, long), &folder.path().join("t.usdc")).unwrap();
}
