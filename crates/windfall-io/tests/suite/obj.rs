//! OBJ files read back with the independent `tobj` crate.

use std::path::Path;

use crate::skins::{HARD_NAME, materials, part, plant, tube, two_trees};
use tobj::{LoadOptions, Model};
use windfall_core::glam::DVec3;
use windfall_io::{ExportError, check_export_destination, export};
use windfall_skin::{Mesh, Skin, TreeSkin};

fn load(path: &Path) -> (Vec<Model>, Vec<tobj::Material>) {
    let (models, materials) = tobj::load_obj(path, &LoadOptions::default()).unwrap();
    (models, materials.unwrap())
}

fn near(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance
}

/// `tobj` renumbers vertices by first use, so corners are compared.
fn same_corners(model: &Model, mesh: &Mesh, offset: DVec3) {
    let found = &model.mesh;
    let corners = mesh.triangles.as_flattened();
    assert_eq!(found.indices.len(), corners.len());
    assert_eq!((found.texcoord_indices.len(), found.normal_indices.len()), (corners.len(), corners.len()));
    let tinted = !found.vertex_color.is_empty();
    assert!(tinted || mesh.tints.iter().all(|t| *t == [255; 4]));
    for (i, &corner) in corners.iter().enumerate() {
        let corner = corner as usize;
        let at = 3 * found.indices[i] as usize;
        let position = mesh.positions[corner].as_dvec3() + offset;
        for axis in 0..3 {
            // 0.01 mm rounding in the file and f32 in the reader.
            let tolerance = 0.501e-5 + position[axis].abs() * f64::from(f32::EPSILON);
            assert!(near(found.positions[at + axis].into(), position[axis], tolerance));
            if tinted {
                let srgb = f64::from(found.vertex_color[at + axis]);
                let linear = if srgb <= 0.04045 { srgb / 12.92 } else { ((srgb + 0.055) / 1.055).powf(2.4) };
                assert!(near(255.0 * linear, mesh.tints[corner][axis].into(), 0.1));
            }
        }
        let at = 3 * found.normal_indices[i] as usize;
        for axis in 0..3 {
            assert!(near(found.normals[at + axis].into(), mesh.normals[corner][axis].into(), 0.501e-4));
        }
        let at = 2 * found.texcoord_indices[i] as usize;
        assert!(near(found.texcoords[at].into(), mesh.uvs[corner].x.into(), 1e-5));
        assert!(near(1.0 - f64::from(found.texcoords[at + 1]), mesh.uvs[corner].y.into(), 1e-5));
    }
}

#[test]
fn everything_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.obj");
    let (plant, skin) = two_trees();
    export(&plant, &skin, &path).unwrap();
    let (models, materials) = load(&path);
    let parts = skin.trees.iter().enumerate().flat_map(|(t, tree)| tree.parts.iter().map(move |p| (t, p)));
    let parts: Vec<_> = parts.filter(|(_, part)| !part.mesh.triangles.is_empty()).collect();
    assert_eq!(models.len(), parts.len());
    for (model, (tree, part)) in models.iter().zip(parts) {
        assert_eq!(materials[model.mesh.material_id.unwrap()].name, skin.materials[part.material].name);
        same_corners(model, &part.mesh, plant.trees()[tree].origin - plant.trees()[0].origin);
    }
    assert_eq!(models[0].name, "first");
    assert_eq!(models[4].name, HARD_NAME.replace(['\n', '\t'], "_"));
}

fn png_size(path: &Path) -> (u32, u32, png::ColorType) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    (reader.info().width, reader.info().height, reader.info().color_type)
}

#[test]
fn the_material_file_names_images_that_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let (plant, skin) = two_trees();
    export(&plant, &skin, &folder.path().join("tree.obj")).unwrap();
    let (_, found) = load(&folder.path().join("tree.obj"));
    let leaf = found.iter().find(|m| m.name == "leaf").unwrap();
    assert_eq!(leaf.diffuse_texture.as_deref(), Some("tree.obj_leaf_color.png"));
    assert_eq!(leaf.dissolve_texture.as_deref(), Some("tree.obj_leaf_alpha.png"));
    assert_eq!(leaf.unknown_param["norm"], "tree.obj_leaf_normal.png");
    let size = |name: &str| png_size(&folder.path().join(name));
    assert_eq!(size("tree.obj_leaf_color.png"), (64, 64, png::ColorType::Rgba));
    assert_eq!(size("tree.obj_leaf_alpha.png"), (64, 64, png::ColorType::GrayscaleAlpha));
    assert_eq!(size("tree.obj_leaf_normal.png"), (16, 16, png::ColorType::Rgb));
    assert_eq!(size("tree.obj_leaf_roughness.png"), (16, 16, png::ColorType::Grayscale));
    // 120 of 255 in the image, times 0.8 and rounded to a byte.
    assert_eq!(leaf.unknown_param["Pr"], "0.3765");
    let fruit = found.iter().find(|m| m.name == "fruit").unwrap();
    assert_eq!(fruit.diffuse, Some([0.6, 0.05, 0.02]));
    assert!(fruit.diffuse_texture.is_none());
}

#[test]
fn spaces_and_signs_in_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["my tree.obj", "-bm.obj", "Bäume #2.obj", "a.b.obj"] {
        let path = folder.path().join(name);
        let plant = plant(&[(HARD_NAME, DVec3::ZERO)]);
        let mut materials = materials();
        materials[0].name = HARD_NAME.into();
        let skin = Skin {
            trees: vec![TreeSkin { parts: vec![part("bark", 0, tube(0.1, 1.0, 6, 2))], ..TreeSkin::default() }],
            materials,
        };
        export(&plant, &skin, &path).unwrap();
        let (models, found) = load(&path);
        assert_eq!((models.len(), found.len()), (1, 1));
        assert_eq!(models[0].mesh.material_id, Some(0));
        let texture = found[0].diffuse_texture.as_deref().unwrap();
        assert!(!texture.contains(char::is_whitespace) && !texture.starts_with('-'));
        assert!(folder.path().join(texture).is_file());
    }
}

#[test]
fn a_skin_without_anything() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.obj");
    let skin = Skin { trees: vec![TreeSkin::default()], ..Skin::default() };
    export(&plant(&[("", DVec3::ZERO)]), &skin, &path).unwrap();
    let (models, _) = load(&path);
    assert!(models.iter().all(|model| model.mesh.indices.is_empty()));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn a_failing_export_leaves_no_file() {
    let (plant, skin) = two_trees();
    let folder = tempfile::tempdir().unwrap();
    // The material file cannot be written: all files are discarded, not only that one.
    std::fs::create_dir(folder.path().join("tree.mtl")).unwrap();
    let error = export(&plant, &skin, &folder.path().join("tree.obj")).unwrap_err();
    assert!(error.to_string().contains("tree.mtl: is there already and is not a file"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);

    let folder = tempfile::tempdir().unwrap();
    let mut wrong = skin.clone();
    wrong.trees[1].parts[0].mesh.positions[3].x = f32::NAN;
    for name in ["tree.obj", "tree.glb"] {
        let path = folder.path().join(name);
        let error = export(&plant, &wrong, &path).unwrap_err();
        assert!(matches!(error, ExportError::Skin { .. }));
        assert!(error.to_string().contains("part `bark` of tree 1: vertex 3"), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn endings_and_destinations() {
    let (plant, skin) = two_trees();
    let folder = tempfile::tempdir().unwrap();
    for name in ["tree", "tree.fbx", "tree.gltf", ".obj"] {
        let path = folder.path().join(name);
        let error = export(&plant, &skin, &path).unwrap_err().to_string();
        assert!(error.contains("the ending must be .glb or .usdz (one file with images), .obj"), "{error}");
        assert!(check_export_destination(&path).is_err());
    }
    check_export_destination(&folder.path().join("new/Tree.GLB")).unwrap();
    export(&plant, &skin, &folder.path().join("Tree.GLB")).unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    assert!(check_export_destination(&file.join("tree.obj")).is_err());
}
