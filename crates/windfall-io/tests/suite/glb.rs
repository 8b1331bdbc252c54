//! GLB files read back with the independent `gltf` crate.

use std::io::{self, Write};

use crate::skins::{HARD_NAME, cards, materials, part, plant, tube, two_trees};
use gltf::accessor::DataType;
use gltf::mesh::util::{ReadColors, ReadIndices, ReadTexCoords};
use gltf::{Gltf, Semantic};
use windfall_core::Plant;
use windfall_core::glam::{DVec3, Vec2, Vec3};
use windfall_io::SkinError;
use windfall_io::glb::Glb;
use windfall_skin::{Mesh, Skin, TreeSkin};

fn written(plant: &Plant, skin: &Skin) -> Vec<u8> {
    let glb = Glb::new(plant, skin).unwrap();
    let mut bytes = Vec::new();
    glb.write(&mut bytes).unwrap();
    assert_eq!(bytes.len() as u64, glb.bytes());
    bytes
}

/// One tree with these parts.
fn one_tree(parts: Vec<windfall_skin::SkinPart>) -> (Plant, Skin) {
    let skin = Skin { trees: vec![TreeSkin { parts, ..TreeSkin::default() }], materials: materials() };
    (plant(&[("tree", DVec3::ZERO)]), skin)
}

fn json_of(bytes: &[u8]) -> serde_json::Value {
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

/// Checks that all data of a primitive equal those of its mesh.
fn same_mesh(file: &Gltf, primitive: &gltf::Primitive<'_>, mesh: &Mesh) {
    let blob = file.blob.as_deref().unwrap();
    let reader = primitive.reader(|_| Some(blob));
    let positions: Vec<Vec3> = reader.read_positions().unwrap().map(Vec3::from).collect();
    assert_eq!(positions, mesh.positions);
    let normals: Vec<Vec3> = reader.read_normals().unwrap().map(Vec3::from).collect();
    assert_eq!(normals, mesh.normals);
    let bounds = primitive.bounding_box();
    assert_eq!(Some((Vec3::from(bounds.min), Vec3::from(bounds.max))), mesh.bounds());

    let uvs = reader.read_tex_coords(0).unwrap();
    assert!(matches!(uvs, ReadTexCoords::F32(_)), "not every program knows integers here");
    let uvs: Vec<Vec2> = uvs.into_f32().map(Vec2::from).collect();
    assert_eq!(uvs, mesh.uvs);

    match reader.read_colors(0) {
        None => assert!(mesh.tints.iter().all(|&t| t == [255; 4])),
        Some(ReadColors::RgbaU8(colors)) => assert_eq!(colors.collect::<Vec<_>>(), mesh.tints),
        Some(_) => panic!("the wrong type of colours"),
    }

    let indices = reader.read_indices().unwrap();
    assert_eq!(matches!(indices, ReadIndices::U16(_)), mesh.positions.len() <= 65535);
    assert_eq!(indices.into_u32().collect::<Vec<_>>(), mesh.triangles.as_flattened());
}

#[test]
fn everything_comes_back() {
    let (plant, skin) = two_trees();
    let bytes = written(&plant, &skin);
    let file = Gltf::from_slice(&bytes).unwrap();
    let nodes: Vec<_> = file.default_scene().unwrap().nodes().collect();
    assert_eq!(nodes.len(), 2);
    assert_eq!(nodes[1].name(), Some(HARD_NAME));
    let json = json_of(&bytes);
    for (i, node) in nodes.iter().enumerate() {
        // All digits of an f64, although the crate returns f32.
        let origin: DVec3 = serde_json::from_value(json["nodes"][i]["translation"].clone()).unwrap();
        assert_eq!(origin, plant.trees()[i].origin);
        let parts: Vec<_> = skin.trees[i].parts.iter().filter(|p| !p.mesh.triangles.is_empty()).collect();
        let primitives: Vec<_> = node.mesh().unwrap().primitives().collect();
        assert_eq!(primitives.len(), parts.len());
        for (primitive, part) in primitives.iter().zip(parts) {
            assert_eq!(primitive.material().name(), Some(&*skin.materials[part.material].name));
            same_mesh(&file, primitive, &part.mesh);
        }
    }
}

#[test]
fn views_are_aligned_and_follow_each_other() {
    let (plant, skin) = two_trees();
    let file = Gltf::from_slice(&written(&plant, &skin)).unwrap();
    let mut end = 0;
    for view in file.views() {
        assert_eq!(view.offset() % 4, 0);
        assert!(view.offset() >= end && view.offset() < end + 4);
        end = view.offset() + view.length();
    }
    assert!(end <= file.blob.as_ref().unwrap().len());
}

#[test]
fn materials_and_images_come_back() {
    let (plant, skin) = two_trees();
    let bytes = written(&plant, &skin);
    let file = Gltf::from_slice(&bytes).unwrap();
    let blob = file.blob.as_deref().unwrap();
    let decode = |texture: gltf::Texture<'_>| {
        let gltf::image::Source::View { view, mime_type: "image/png" } = texture.source().source() else {
            panic!("an image outside of the file");
        };
        let mut decoder = png::Decoder::new(io::Cursor::new(&blob[view.offset()..view.offset() + view.length()]));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut samples).unwrap();
        (reader.info().width, reader.info().height, samples)
    };
    assert_eq!(file.materials().len(), skin.materials.len());
    for (found, material) in file.materials().zip(&skin.materials) {
        let pbr = found.pbr_metallic_roughness();
        let [r, g, b] = material.base_color_factor;
        assert_eq!(pbr.base_color_factor(), [r, g, b, 1.0]);
        assert_eq!((pbr.metallic_factor(), pbr.roughness_factor()), (0.0, material.roughness_factor));
        assert_eq!(found.alpha_cutoff(), material.alpha_cutoff);
        assert_eq!(found.double_sided(), material.double_sided);
        let pairs = [
            (pbr.base_color_texture().map(|t| t.texture()), &material.base_color),
            (pbr.metallic_roughness_texture().map(|t| t.texture()), &material.roughness),
            (found.normal_texture().map(|t| t.texture()), &material.normal),
        ];
        for (texture, image) in pairs {
            assert_eq!(texture.is_some(), image.is_some());
            if let (Some(texture), Some(image)) = (texture, image) {
                let (width, height, samples) = decode(texture);
                assert_eq!((width, height), (image.width, image.height));
                assert_eq!(samples, image.pixels.as_flattened());
            }
        }
    }
    let json = json_of(&bytes);
    assert!(json.get("extensionsRequired").is_none());
    let leaf = &json["materials"][1]["extensions"]["KHR_materials_diffuse_transmission"];
    let index = leaf["diffuseTransmissionColorTexture"]["index"].as_u64().unwrap() as usize;
    let (width, _, samples) = decode(file.textures().nth(index).unwrap());
    // At the centre of the leaf green has the highest transmission, so its hue is 1; the strength is its
    // linear value: ((130 / 255 + 0.055) / 1.055)^2.4 = 0.2232. At the edge the transmission is zero.
    let pixel = |x: u32, y: u32| &samples[4 * (y * width + x) as usize..][..4];
    assert_eq!((pixel(32, 32)[1], pixel(32, 32)[3]), (255, 57));
    assert_eq!(pixel(0, 0), [0; 4]);
}

#[test]
fn an_image_that_materials_share_is_written_once() {
    let (plant, mut skin) = one_tree(vec![part("a", 0, tube(0.1, 1.0, 5, 1)), part("b", 1, tube(0.1, 1.0, 5, 1))]);
    skin.materials[1] = windfall_skin::Material { name: "twigs".into(), ..skin.materials[0].clone() };
    let file = Gltf::from_slice(&written(&plant, &skin)).unwrap();
    assert_eq!((file.materials().count(), file.images().count()), (2, 3));
}

#[test]
fn the_last_count_of_short_indices() {
    for (count, data_type) in [(65535, DataType::U16), (65536, DataType::U32)] {
        let mut mesh = cards(1);
        for list in [&mut mesh.positions, &mut mesh.normals] {
            list.resize(count, Vec3::Y);
        }
        mesh.uvs.resize(count, mesh.uvs[0]);
        mesh.tints.resize(count, [255; 4]);
        mesh.triangles.push([0, 1, count as u32 - 1]);
        let (plant, skin) = one_tree(vec![part("leaves", 1, mesh)]);
        let file = Gltf::from_slice(&written(&plant, &skin)).unwrap();
        let primitive = file.meshes().next().unwrap().primitives().next().unwrap();
        assert_eq!(primitive.indices().unwrap().data_type(), data_type);
        same_mesh(&file, &primitive, &skin.trees[0].parts[0].mesh);
    }
}

#[test]
fn a_skin_without_anything_is_a_valid_file() {
    let plant = plant(&[("", DVec3::ZERO)]);
    let skin = Skin {
        trees: vec![TreeSkin { parts: vec![part("leaves", 0, Mesh::default())], ..TreeSkin::default() }],
        materials: materials(),
    };
    let file = Gltf::from_slice(&written(&plant, &skin)).unwrap();
    assert_eq!((file.nodes().count(), file.meshes().count(), file.materials().count()), (1, 0, 0));
    assert!(file.blob.is_none());
}

#[test]
fn white_tints_are_left_out() {
    let (plant, skin) = one_tree(vec![part("bark", 0, tube(0.1, 1.0, 5, 1)), part("leaves", 1, cards(3))]);
    let file = Gltf::from_slice(&written(&plant, &skin)).unwrap();
    let colored: Vec<bool> =
        (file.meshes().next().unwrap().primitives()).map(|p| p.get(&Semantic::Colors(0)).is_some()).collect();
    assert_eq!(colored, [false, true]);
}

#[test]
fn what_is_wrong_with_a_skin_is_named() {
    let said = |change: &dyn Fn(&mut Skin)| {
        let (plant, mut skin) = one_tree(vec![part("leaves", 1, cards(3))]);
        change(&mut skin);
        Glb::new(&plant, &skin).err().expect("a wrong skin").to_string()
    };
    let mesh = |change: &dyn Fn(&mut Mesh)| said(&|skin| change(&mut skin.trees[0].parts[0].mesh));
    let expected = "part `leaves` of tree 0: vertex 5 of 12: position [0, NaN, 0] is not finite";
    assert_eq!(mesh(&|m| m.positions[5] = Vec3::new(0.0, f32::NAN, 0.0)), expected);
    assert!(mesh(&|m| m.normals[2] = Vec3::ZERO).contains("vertex 2 of 12: normal [0, 0, 0] is not a unit vector"));
    assert!(mesh(&|m| m.normals[2] = Vec3::NAN).contains("vertex 2"));
    assert!(mesh(&|m| m.uvs[11].x = f32::INFINITY).contains("vertex 11"));
    assert!(mesh(&|m| m.triangles[1][2] = 12).contains("triangle [0, 2, 12] needs vertices beyond the 12"));
    assert!(mesh(&|m| m.tints.truncate(4)).contains("4 tints"));
    assert!(said(&|s| s.trees[0].parts[0].material = 9).contains("it has material 9, there are 3"));
    assert!(said(&|s| s.materials[0].roughness_factor = f32::NAN).contains("material `bark`: the factor NaN"));
    assert!(said(&|s| s.materials[1].alpha_cutoff = Some(2.0)).contains("material `leaf`: the alpha cut-off 2"));
    let cut = said(&|s| s.materials[1].normal.as_mut().unwrap().pixels.truncate(255));
    assert_eq!(cut, "material `leaf`: an image of 16 by 16 has 255 pixels");
    let (plant, _) = two_trees();
    let error = Glb::new(&plant, &Skin::default()).err();
    assert_eq!(error, Some(SkinError::TreeCount { skin: 0, plant: 2 }));
}

#[test]
fn the_same_skin_gives_the_same_bytes_on_any_number_of_threads() {
    let (plant, skin) = two_trees();
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(alone.install(|| written(&plant, &skin)), written(&plant, &skin));
}

#[test]
fn an_error_of_the_writer_is_passed_on() {
    struct Full(usize);
    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("disk full"))?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (plant, skin) = two_trees();
    let glb = Glb::new(&plant, &skin).unwrap();
    for room in [0, 15, 3000, 100_000] {
        assert_eq!(glb.write(&mut Full(room)).unwrap_err().to_string(), "disk full");
    }
}
