//! Errors of unwritable output are found before a frame is read, and thus before a motion is simulated.

use crate::skins;
use std::path::Path;

use crate::grown::tree;
use crate::source::Never;
use windfall_core::Plant;
use windfall_core::glam::DVec3;
use windfall_io::{
    AnimationError, AnimationOptions, BoneCount, Clip, UsdMotion, VatFormat, VatOptions, check_animated, check_points,
    check_usd, check_vat, export_animated, export_points, export_usd, export_vat,
};
use windfall_skin::Skin;

const VAT: VatOptions = VatOptions { format: VatFormat::Png16, looping: false };

/// The errors before a motion exists, and with one that must not be read.
fn both(plant: &Plant, skin: &Skin, motion: UsdMotion, frames: usize, path: &Path) -> [String; 2] {
    let (never, seen) = (&mut Never(frames), &mut |_| ());
    let clip = |frames| Clip { name: "sway".into(), frames };
    let options = AnimationOptions::default();
    let text = |error: AnimationError| error.to_string();
    match path.file_name().unwrap().to_str().unwrap() {
        "t.pc2" | "t.mdd" => [
            check_points(plant, skin, frames, path).map_err(text).unwrap_err(),
            export_points(plant, skin, never, path, seen).map_err(text).unwrap_err(),
        ],
        "t.glb" => [
            check_animated(plant, skin, &options, path).map_err(text).unwrap_err(),
            export_animated(plant, skin, &mut [clip(never)], &options, path, seen).map_err(text).unwrap_err(),
        ],
        "vat.glb" => [
            check_vat(plant, skin, frames, VAT, path).unwrap_err().to_string(),
            export_vat(plant, skin, &mut clip(never), VAT, path, seen).unwrap_err().to_string(),
        ],
        _ => [
            check_usd(plant, skin, frames, motion, path).map_err(text).unwrap_err(),
            export_usd(plant, skin, never, motion, path, seen).map_err(text).unwrap_err(),
        ],
    }
}

#[test]
fn folders_in_the_way() {
    let (plant, skin) = skins::two_trees();
    for (name, beside) in [
        ("t.pc2", "t.pc2.obj"),
        ("t.pc2", "t.pc2.mtl"),
        ("t.mdd", "t.mdd.obj_leaf_alpha.png"),
        ("t.mdd", "t.mdd"),
        ("t.usda", "t.usda_bark_roughness.png"),
        ("t.usdc", "t.usdc_leaf_color.png"),
        ("t.usdz", "t.usdz"),
        ("t.glb", "t.glb"),
        ("vat.glb", "vat_vat.png"),
        ("vat.glb", "vat-remap_info.json"),
        ("vat.glb", "vat.glb"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(beside)).unwrap();
        let skeleton = UsdMotion::Skeleton(BoneCount::default());
        for motion in [UsdMotion::Points, skeleton] {
            for error in both(&plant, &skin, motion, 10, &folder.path().join(name)) {
                assert!(error.contains(&format!("{beside}: is there already and is not a file")), "{name}: {error}");
            }
        }
        assert_eq!(folder.path().read_dir().unwrap().count(), 1, "{name}");
    }
}

/// A package counts with u32. In each frame 8 bytes for its time, 24 for each vertex, and for each list 8
/// before it and 8 for its offset.
#[test]
fn packages_that_would_be_too_large() {
    let (plant, mut skin) = tree("oak", 100, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.usdz");
    let lists: usize = (skin.trees[0].parts.iter().map(|part| part.mesh.positions.len()).filter(|&n| n > 0))
        .map(|n| 24 + 3 * 16 + 2 * (12 * n).next_multiple_of(8))
        .sum();
    let bytes = 8 + lists;
    let fits = u32::MAX as usize / bytes;
    check_usd(&plant, &skin, fits, UsdMotion::Points, &path).unwrap();
    for error in both(&plant, &skin, UsdMotion::Points, fits + 1, &path) {
        assert!(
            error.contains("a .usdz file holds at most 4.29 GB and this one would have at least 4.29 GB"),
            "{error}"
        );
    }
    // The animation would fit, but an incompressible image is larger than a frame.
    let side = (bytes as f64).sqrt() as u32;
    let noise = skins::image(side, side, |u, v| (1e7 * (1e5 * u).sin() * (1e5 * v).cos()).to_bits().to_le_bytes());
    skin.materials[0].base_color = Some(noise);
    check_usd(&plant, &skin, fits, UsdMotion::Points, &path).unwrap();
    let error = export_usd(&plant, &skin, &mut Never(fits), UsdMotion::Points, &path, &mut |_| ()).unwrap_err();
    assert!(matches!(error, AnimationError::Package { bytes: 4_294_967_295.. }), "{error}");
    // 28 bytes for each bone.
    let all = UsdMotion::Skeleton(BoneCount::All);
    let fits = u32::MAX as usize / (8 + 24 + 3 * 16 + 28 * 100);
    check_usd(&plant, &skin, fits, all, &path).unwrap();
    for error in both(&plant, &skin, all, fits + 1, &path) {
        assert!(error.contains("write .usdc, or take a shorter clip"), "{error}");
    }
    check_usd(&plant, &skin, 1 << 40, UsdMotion::Points, &folder.path().join("t.usdc")).unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// f32 has 24 bits: 0.0625 m between numbers above 524 km, 4 mm above 32.8 km, 2 mm below.
#[test]
fn trees_that_stand_too_far_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (_, skin) = skins::two_trees();
    let grove =
        |metres: f64| skins::plant(&[("here", DVec3::new(5e6, 0.0, 0.0)), ("there", DVec3::new(5e6, 0.0, metres))]);
    for (name, metres, rounding) in [("t.pc2", 1e6, "31.2 mm"), ("t.mdd", -4e4, "2.0 mm")] {
        for error in both(&grove(metres), &skin, UsdMotion::Points, 10, &folder.path().join(name)) {
            assert!(
                error.contains(&format!("rounded by up to {rounding}")) && error.contains("write .usdc or .glb"),
                "{error}"
            );
        }
        check_points(&grove(3.2e4), &skin, 10, &folder.path().join(name)).unwrap();
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
