//! Companion files belong to one output: other outputs of the same name do not change them.

use crate::skins;
use crate::sway;
use std::collections::BTreeMap;
use std::path::Path;

use crate::grown::tree;
use windfall_core::glam::DVec3;
use windfall_io::{UsdMotion, export, export_points, export_usd};
use windfall_skin::{Skin, TreeSkin};

/// All files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let file = |entry: std::fs::DirEntry| {
        (entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path()).unwrap())
    };
    folder.read_dir().unwrap().map(|entry| file(entry.unwrap())).collect()
}

/// Each output has a different tree with different images: after all exports every file is as written by
/// its own export.
#[test]
fn outputs_of_one_name_leave_each_other_alone() {
    let folder = tempfile::tempdir().unwrap();
    let trees = [tree("oak", 150, 2), tree("apple", 200, 3), tree("maple", 120, 2)];
    let mut before = BTreeMap::new();
    for (i, ending) in ["pc2", "obj", "mdd", "usda", "usdc", "usdz", "glb"].into_iter().enumerate() {
        let (plant, skin) = &trees[i % 3];
        let mut frames = sway::frames(plant, 2.0, 24.0, 3);
        let path = folder.path().join(format!("t.{ending}"));
        let written = match ending {
            "pc2" | "mdd" => export_points(plant, skin, &mut frames, &path, &mut |_| ()).is_ok(),
            "usda" | "usdc" => export_usd(plant, skin, &mut frames, UsdMotion::Points, &path, &mut |_| ()).is_ok(),
            _ => export(plant, skin, &path).is_ok(),
        };
        assert!(written, "t.{ending}");
        let after = files(folder.path());
        for (name, bytes) in &before {
            assert!(after.get(name) == Some(bytes), "t.{ending} has changed {name}");
        }
        let one_file = matches!(ending, "usdz" | "glb");
        assert_eq!(after.len() - before.len() == 1, one_file, "t.{ending}");
        before = after;
    }
    // The meshes match their caches.
    for ending in ["pc2", "mdd"] {
        let cache = &before[&format!("t.{ending}")];
        let points = match ending {
            "pc2" => u32::from_le_bytes(cache[16..20].try_into().unwrap()),
            _ => u32::from_be_bytes(cache[4..8].try_into().unwrap()),
        };
        let mesh = String::from_utf8(before[&format!("t.{ending}.obj")].clone()).unwrap();
        assert_eq!(mesh.lines().filter(|line| line.starts_with("v ")).count(), points as usize);
        assert!(mesh.contains(&format!("mtllib t.{ending}.mtl\n")));
    }
}

/// `oak_autumn.obj` with a leaf and `oak.obj` with an autumn leaf would both have an
/// `oak_autumn_leaf_color.png`.
#[test]
fn names_and_materials_that_read_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let plant = skins::plant(&[("tree", DVec3::ZERO)]);
    let skin = |name: &str| {
        let mut materials = skins::materials();
        materials[1].name = name.into();
        let parts = vec![skins::part("leaves", 1, skins::cards(3))];
        Skin { trees: vec![TreeSkin { parts, ..TreeSkin::default() }], materials }
    };
    export(&plant, &skin("leaf"), &folder.path().join("oak_autumn.obj")).unwrap();
    let before = files(folder.path());
    export(&plant, &skin("autumn_leaf"), &folder.path().join("oak.obj")).unwrap();
    let after = files(folder.path());
    assert_eq!(after.len(), 2 * before.len(), "{:?}", after.keys());
}

/// Names with different invalid UTF-8 that look the same.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let (plant, skin) = skins::two_trees();
    let mut count = 0;
    for name in [b"\xff.usda", b"\xfe.usda"] {
        export(&plant, &skin, &folder.path().join(OsStr::from_bytes(name))).unwrap();
        let found = folder.path().read_dir().unwrap().count();
        assert!(count == 0 || found == 2 * count, "{found} files, {count} before");
        count = found;
    }
}
