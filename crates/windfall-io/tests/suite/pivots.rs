//! Pivot Painter textures, read back and unpacked as in Unreal's material functions, compared with the
//! plant itself.

use crate::common;
use std::path::Path;

use crate::grown::tree;
use crate::textures::{Texture, primitives};
use proptest::prelude::*;
use windfall_core::glam::{Vec2, Vec3};
use windfall_core::parts::{Branch, PlantParts, Segment, Tree};
use windfall_core::{Body, BodyId, Plant, Pose, materials};
use windfall_io::pivots::{MOST_ELEMENTS, MOST_LEVELS};
use windfall_io::{PivotError, PivotOptions, PivotReport, export_pivot_painter};
use windfall_skin::{Binding, Mesh, Skin, SkinPart, TreeSkin};

/// An element as seen by Unreal, in the plant's axes and metres.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    pivot: Vec3,
    parent: usize,
    axis: Vec3,
    extent: f32,
}

struct Reader {
    elements: Vec<Found>,
    /// Element of each vertex of each part.
    of_vertex: Vec<Vec<usize>>,
    positions: Vec<Vec<Vec3>>,
}

/// The bit operation of `ms_PivotPainter2_UnpackIntegerAsFloat` on a sampled value.
fn unpack(sampled: f32) -> usize {
    let bits = sampled.to_bits();
    let (sign, exponent, mantissa) = (bits >> 16 & 0x8000, ((bits >> 23 & 0xff) + 15 - 127) << 10, bits >> 13 & 0x3ff);
    ((sign | exponent | mantissa) - 1024) as usize
}

fn read(folder: &Path, name: &str, count: usize) -> Reader {
    let positions = Texture::exr(&folder.join(format!("{name}_PivotPos_Index_16-bit.exr")));
    let axes = Texture::png(&folder.join(format!("{name}_XVector_Extent_8-bit.png")));
    assert_eq!((positions.width, positions.height), (axes.width, axes.height));
    let to_ours = |x: f32, y: f32, z: f32| Vec3::new(x, z, y);
    assert!(positions.pixels.len() == axes.pixels.len() && count <= axes.pixels.len());
    let elements = positions.pixels.iter().zip(&axes.pixels).take(count);
    let elements = elements.map(|(&[x, y, z, index], &[ax, ay, az, extent])| Found {
        pivot: to_ours(x, y, z) / 100.0,
        parent: unpack(index),
        axis: to_ours(ax, ay, az) * 2.0 - 1.0,
        extent: (extent * 2048.0).max(8.0) / 100.0,
    });
    let parts = primitives(&folder.join(format!("{name}.glb")));
    // As in `ms_PivotPainter2_CalculateMeshElementIndex`.
    let size = Vec2::new(axes.width as f32, axes.height as f32);
    let index = |uv: &Vec2| {
        let at = (*uv * size).floor();
        (at.x + at.y * size.x) as usize
    };
    Reader {
        elements: elements.collect(),
        of_vertex: parts.iter().map(|part| part.second_uvs.iter().map(index).collect()).collect(),
        positions: parts.into_iter().map(|part| part.positions).collect(),
    }
}

fn write(plant: &Plant, skin: &Skin, leaves: bool) -> (Reader, PivotReport) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oak.glb");
    let report = export_pivot_painter(plant, skin, PivotOptions { leaves }, &path).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    (read(folder.path(), "oak", report.elements), report)
}

/// Invariants of every file: parents come first, limited levels, and every vertex has an element.
fn check(reader: &Reader, report: &PivotReport) {
    let mut levels: Vec<usize> = Vec::new();
    for (e, element) in reader.elements.iter().enumerate() {
        assert!(element.parent <= e, "{e} hangs on {}", element.parent);
        levels.push(if element.parent == e { 1 } else { levels[element.parent] + 1 });
        assert!((element.axis.length() - 1.0).abs() < 0.01);
    }
    assert_eq!(levels.iter().max().copied(), Some(report.levels));
    assert!(report.levels <= MOST_LEVELS && report.elements <= MOST_ELEMENTS);
    assert!(reader.of_vertex.iter().flatten().all(|&e| e < reader.elements.len()));
}

/// The body with the largest weight of a vertex.
fn body_of(mesh: &Mesh, vertex: usize) -> BodyId {
    match &mesh.binding {
        Binding::Rigid(bodies) => BodyId(bodies[vertex]),
        Binding::Blended { bodies, weights } => {
            let strongest = (0..4).max_by(|&a, &b| weights[vertex][a].total_cmp(&weights[vertex][b]).then(b.cmp(&a)));
            BodyId(bodies[vertex][strongest.unwrap()])
        }
    }
}

/// Bodies from `body` to its root.
fn ancestors(plant: &Plant, body: BodyId) -> impl Iterator<Item = BodyId> {
    std::iter::successors(Some(body), |&b| plant.parent(b))
}

#[test]
fn elements_turn_where_the_plant_bends() {
    for (species, leaves) in [("oak", true), ("apple", true), ("spruce", false), ("willow", false)] {
        let (plant, skin) = tree(species, 1500, 1);
        let (reader, report) = write(&plant, &skin, leaves);
        check(&reader, &report);
        assert_eq!(report.foliage > 0, leaves, "{species}");
        let orders = plant.branches().iter().map(|branch| usize::from(branch.order) + 1).max().unwrap();
        assert_eq!(report.levels, (orders + usize::from(leaves)).min(MOST_LEVELS), "{species}");
        // The spacing of half floats between 512 and 1024 cm is 0.5 cm.
        let height = plant.segments().iter().map(|s| s.tip().y).fold(0.0, f32::max);
        let bound = if height < 10.24 { 0.0025 } else { 0.005 } * 3.0_f32.sqrt();
        assert!(report.largest_m <= f64::from(bound), "{species}: {} beyond {bound}", report.largest_m);
        let rest = Pose::rest(&plant);
        let parts: Vec<_> = skin.trees[0].parts.iter().filter(|part| !part.mesh.triangles.is_empty()).collect();
        assert_eq!(parts.len(), reader.of_vertex.len());
        for (part, of_vertex) in parts.iter().zip(&reader.of_vertex) {
            assert_eq!(part.mesh.positions.len(), of_vertex.len());
            for (v, &e) in of_vertex.iter().enumerate() {
                let body = body_of(&part.mesh, v);
                let element = reader.elements[e];
                let is_at = |b: BodyId| rest.positions[b.0 as usize].distance(element.pivot) <= bound;
                if matches!(plant.body(body), Some(Body::Wood(_))) || !leaves {
                    // The base of its branch, or of an ancestor branch.
                    let bases = ancestors(&plant, body).filter(|&b| {
                        matches!(plant.body(b), Some(Body::Wood(_)))
                            && plant.branch_segments(plant.branch_index(b)).start == b.0 as usize
                    });
                    assert!(bases.into_iter().any(is_at), "{species}: vertex {v} of {} has {element:?}", part.name);
                } else {
                    assert!(is_at(body), "{species}: vertex {v} of {} has {element:?}", part.name);
                }
            }
        }
    }
}

#[test]
fn every_branch_with_room_has_an_element_and_hangs_on_its_carrier() {
    let (plant, skin) = tree("oak", 1500, 1);
    let (reader, report) = write(&plant, &skin, true);
    let bound = 0.005 * 3.0_f32.sqrt();
    let at = |place: Vec3| reader.elements.iter().position(|e| e.pivot.distance(place) <= bound);
    let mut first_orders = 0;
    for (b, branch) in plant.branches().iter().enumerate().filter(|(_, branch)| branch.order == 1) {
        let base = plant.segments()[plant.branch_segments(b).start].position;
        let carrier = plant.branch_index(BodyId(branch.parent.unwrap()));
        // Forks that continue limbs have no element.
        if plant.branches()[carrier].order == 1 {
            continue;
        }
        let element = reader.elements[at(base).unwrap()];
        assert_eq!(element.parent, 0, "a limb hangs on the trunk");
        let tip = plant.segments()[plant.branch_segments(b).end - 1].tip();
        assert!(element.axis.normalize().dot((tip - base).normalize()) > 0.9999);
        first_orders += 1;
    }
    assert!(first_orders > 5);
    assert_eq!(report.foliage, plant.leaves().len() + plant.fruit().len());
}

#[test]
fn extents_reach_the_last_vertex() {
    for (species, leaves) in [("oak", true), ("pine", true), ("apple", false)] {
        let (plant, skin) = tree(species, 1500, 1);
        let (reader, report) = write(&plant, &skin, leaves);
        assert_eq!(report.clamped, 0, "{species}");
        let mut reach = vec![f32::NEG_INFINITY; reader.elements.len()];
        assert_eq!(reader.positions.len(), reader.of_vertex.len());
        for (positions, of_vertex) in reader.positions.iter().zip(&reader.of_vertex) {
            assert_eq!(positions.len(), of_vertex.len());
            for (place, &e) in positions.iter().zip(of_vertex) {
                let element = &reader.elements[e];
                reach[e] = reach[e].max((*place - element.pivot).dot(element.axis.normalize()));
            }
        }
        for (element, reach) in reader.elements.iter().zip(reach).filter(|(_, reach)| reach.is_finite()) {
            // Steps of 2048 / 255 cm, rounded up; pivots and axes are rounded, too.
            let slack = 0.01 + 0.01 * reach.abs();
            assert!(reach <= element.extent + slack, "{species}: {element:?} reaches {reach}");
            assert!(element.extent <= reach.max(0.0803) + 0.0804 + slack, "{species}: {element:?} reaches {reach}");
        }
    }
}

#[test]
fn too_many_leaves_move_with_their_branches() {
    let (plant, skin) = tree("oak", 45_000, 1);
    assert!(plant.leaves().len() > MOST_ELEMENTS);
    let (reader, report) = write(&plant, &skin, true);
    check(&reader, &report);
    assert_eq!((report.foliage, report.levels), (0, MOST_LEVELS));
    let (again, without) = write(&plant, &skin, false);
    assert!(
        again.elements == reader.elements
            && without == PivotReport { pivots: without.pivots.clone(), axes: without.axes.clone(), ..report }
    );
}

/// Many trunks of one segment, each with a limb.
fn grove(trees: usize, y: f32) -> (Plant, Skin) {
    let segment = |position: Vec3| Segment {
        position,
        orientation: windfall_core::glam::Quat::IDENTITY,
        length: 1.0,
        base_radius: 0.1,
        tip_radius: 0.05,
    };
    let branch = |tree: usize, parent: Option<u32>| Branch {
        parent,
        tree: tree as u32,
        segment_count: 1,
        material: 0,
        order: u16::from(parent.is_some()),
    };
    let plant = Plant::new(PlantParts {
        name: "grove".into(),
        provenance: "test".into(),
        trees: (0..trees).map(|i| Tree { name: format!("tree {i}"), origin: [i as f64, 0.0, 0.0].into() }).collect(),
        branches: (0..trees).flat_map(|t| [branch(t, None), branch(t, Some(2 * t as u32))]).collect(),
        segments: (0..trees).flat_map(|_| [segment(Vec3::Y * y), segment(Vec3::Y * (y + 1.0))]).collect(),
        wood_materials: vec![materials::wood("aspen").unwrap().clone()],
        ..PlantParts::default()
    })
    .unwrap();
    let skin = triangles(&plant);
    (plant, skin)
}

/// A triangle at each body.
fn triangles(plant: &Plant) -> Skin {
    let rest = Pose::rest(plant);
    let mut trees = vec![Mesh::default(); plant.trees().len()];
    for id in plant.body_ids() {
        let (mesh, i) = (&mut trees[plant.tree_index(id)], id.0 as usize);
        let first = mesh.positions.len() as u32;
        for corner in [Vec3::ZERO, Vec3::X, Vec3::Y] {
            mesh.positions.push(rest.positions[i] + rest.orientations[i] * corner);
            mesh.normals.push(Vec3::Z);
            mesh.uvs.push(Vec2::ZERO);
            mesh.tints.push([255; 4]);
        }
        mesh.triangles.push([first, first + 1, first + 2]);
        match &mut mesh.binding {
            Binding::Rigid(bodies) => bodies.resize(mesh.positions.len(), id.0),
            Binding::Blended { .. } => unreachable!(),
        }
    }
    let part =
        |mesh| TreeSkin { parts: vec![SkinPart { name: "all".into(), material: 0, mesh }], ..TreeSkin::default() };
    Skin { trees: trees.into_iter().map(part).collect(), materials: vec![windfall_skin::Material::default()] }
}

#[test]
fn limits_are_kept_or_said() {
    // The largest representable indices.
    let (plant, skin) = grove(15_000, 0.0);
    let (reader, report) = write(&plant, &skin, true);
    check(&reader, &report);
    assert_eq!((report.elements, report.levels), (30_000, 2));
    assert_eq!(reader.elements[29_999].parent, 29_998);
    // With one more, limbs are merged with their trunks.
    let (plant, skin) = grove(15_001, 0.0);
    let (reader, report) = write(&plant, &skin, true);
    check(&reader, &report);
    assert_eq!((report.elements, report.levels), (15_001, 1));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("grove.glb");
    let (plant, skin) = grove(30_001, 0.0);
    let error = export_pivot_painter(&plant, &skin, PivotOptions::default(), &path).unwrap_err();
    assert!(error.to_string().contains("30001 trees") && error.to_string().contains("fewer trees"), "{error}");
    let (plant, skin) = grove(1, 700.0);
    let error = export_pivot_painter(&plant, &skin, PivotOptions::default(), &path).unwrap_err();
    assert!(error.to_string().contains("700 m from the origin of its tree"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    // A folder in the place of a texture.
    let (plant, skin) = grove(1, 0.0);
    std::fs::create_dir(folder.path().join("grove_XVector_Extent_8-bit.png")).unwrap();
    let error = export_pivot_painter(&plant, &skin, PivotOptions::default(), &path).unwrap_err();
    assert!(matches!(error, PivotError::Os(_)), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_plant_has_pivots_or_says_why(plant in common::any_plant(), leaves: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("any.glb");
        match export_pivot_painter(&plant, &triangles(&plant), PivotOptions { leaves }, &path) {
            Ok(report) => {
                let reader = read(folder.path(), "any", report.elements);
                check(&reader, &report);
                let farthest = Pose::rest(&plant).positions.iter().fold(0.0_f32, |far, p| far.max(p.abs().max_element()));
                // Half floats have 11 bits.
                prop_assert!(report.largest_m <= f64::from(farthest) / 2048.0 * 1.8 + 1e-9);
            }
            Err(PivotError::Far { metres }) => prop_assert!(metres > 655.0),
            Err(other) => prop_assert!(false, "{}", other),
        }
    }
}
