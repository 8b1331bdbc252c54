//! Vertex animation textures, read back and played as in the shader of `bevy_open_vat`, compared with the
//! skin of the full pose.

use crate::skins;
use crate::sway;
use std::path::Path;

use crate::grown::tree;
use crate::textures::{Primitive, Texture, primitives};
use serde_json::Value;
use windfall_core::glam::{Vec2, Vec3};
use windfall_core::{Plant, Pose};
use windfall_io::{Clip, Frames, PoseList, VatError, VatFormat, VatOptions, VatReport, export_vat};
use windfall_skin::{Motion, Skin};

const PERIOD: f64 = 2.0;
const RATE: f64 = 24.0;
const FORMATS: [VatFormat; 3] = [VatFormat::Exr16, VatFormat::Exr32, VatFormat::Png16];

fn write(
    plant: &Plant,
    skin: &Skin,
    frames: &mut dyn Frames,
    options: VatOptions,
    path: &Path,
) -> Result<VatReport, VatError> {
    export_vat(plant, skin, &mut Clip { name: "sway".into(), frames }, options, path, &mut |_| ())
}

/// The data of the three files.
struct Reader {
    texture: Texture,
    mesh: Vec<Primitive>,
    min: Vec3,
    max: Vec3,
    frames: usize,
    clip: Value,
}

impl Reader {
    fn new(folder: &Path, name: &str, ending: &str) -> Self {
        let file = |tail: &str| folder.join(format!("{name}{tail}"));
        let text = std::fs::read_to_string(file("-remap_info.json")).unwrap();
        let info: Value = serde_json::from_str(&text).unwrap();
        let remap = &info["os-remap"];
        let vector = |v: &Value| Vec3::from_array(std::array::from_fn(|i| v[i].as_f64().unwrap() as f32));
        Self {
            texture: Texture::of(&file(&format!("_vat.{ending}"))),
            mesh: primitives(&file(".glb")),
            min: vector(&remap["Min"]),
            max: vector(&remap["Max"]),
            frames: remap["Frames"].as_u64().unwrap() as usize,
            clip: info["animations"]["sway"].clone(),
        }
    }

    /// Position and normal of a vertex in a frame, which may be fractional.
    fn vertex(&self, part: &Primitive, vertex: usize, frame: f32) -> (Vec3, Vec3) {
        let frame = frame % self.frames as f32;
        let (now, next) = (frame.floor(), (frame.floor() + 1.0) % self.frames as f32);
        let step = 1.0 / self.texture.height as f32;
        let at = |frame: f32, down: f32| {
            let [r, g, b, _] = self.texture.nearest(part.second_uvs[vertex] + Vec2::new(0.0, frame * step + down));
            Vec3::new(r, g, b)
        };
        let mix = |down: f32| at(now, down).lerp(at(next, down), frame.fract());
        let offset = self.min + mix(0.0) * (self.max - self.min);
        let normal = mix(0.5) * 2.0 - 1.0;
        let to_engine = |v: Vec3| Vec3::new(v.x, v.z, -v.y);
        (part.positions[vertex] + to_engine(offset), to_engine(normal).normalize())
    }
}

fn full(plant: &Plant, skin: &Skin, pose: &Pose) -> Vec<(Vec<Vec3>, Vec<Vec3>)> {
    let motion = Motion::new(&Pose::rest(plant), pose);
    let parts = skin.trees.iter().flat_map(|tree| &tree.parts).filter(|part| !part.mesh.triangles.is_empty());
    let deformed = parts.map(|part| {
        let (mut positions, mut normals) = (Vec::new(), Vec::new());
        motion.deform(&part.mesh, &mut positions, &mut normals);
        (positions, normals)
    });
    deformed.collect()
}

/// Largest error of a vertex relative to the skin, and of a normal.
fn off(reader: &Reader, frame: f32, full: &[(Vec<Vec3>, Vec<Vec3>)]) -> (f32, f32) {
    assert_eq!(reader.mesh.len(), full.len());
    let (mut place, mut turn) = (0.0_f32, 0.0_f32);
    for (part, (positions, normals)) in reader.mesh.iter().zip(full) {
        assert_eq!((part.positions.len(), part.second_uvs.len()), (positions.len(), positions.len()));
        for (v, (&position, &normal)) in positions.iter().zip(normals).enumerate() {
            let (found, turned) = reader.vertex(part, v, frame);
            place = place.max(found.distance(position));
            turn = turn.max(turned.distance(normal));
        }
    }
    (place, turn)
}

#[test]
fn every_vertex_is_where_the_skin_is() {
    let (plant, skin) = tree("apple", 200, 2);
    for (format, looping) in FORMATS.into_iter().flat_map(|format| [(format, false), (format, true)]) {
        let folder = tempfile::tempdir().unwrap();
        // Two seconds: the last frame equals the first.
        let mut frames = sway::frames(&plant, PERIOD, RATE, 49);
        let report =
            write(&plant, &skin, &mut frames, VatOptions { format, looping }, &folder.path().join("oak.glb")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "no temporary file stays");
        let reader = Reader::new(folder.path(), "oak", if format == VatFormat::Png16 { "png" } else { "exr" });
        assert_eq!((reader.texture.width, reader.texture.height), (report.width, report.height));
        assert!(reader.texture.width.is_power_of_two() && reader.texture.height.is_power_of_two());
        assert!(report.vertices > report.width, "several rows of vertices");
        assert!(reader.mesh.iter().all(|part| !part.has_colors));

        let count = if looping { 48 } else { 49 };
        assert_eq!(reader.frames, count);
        assert_eq!(reader.clip["startFrame"], 0);
        assert_eq!(reader.clip["endFrame"], 48);
        assert_eq!(reader.clip["framerate"], 24.0);
        assert_eq!(reader.clip["looping"], looping);

        // Half of the last bit of a number from 0.5 to 1 along each axis, or of the smallest step; and
        // rounding of the sum in f32.
        let range = reader.max - reader.min;
        let (step, steps_of_normals) = match format {
            VatFormat::Exr16 => (1.0 / 4096.0, 1.0 / 4096.0),
            VatFormat::Exr32 => (f32::EPSILON, f32::EPSILON),
            VatFormat::Png16 => (0.5 / 65535.0, 0.5 / 65535.0),
        };
        let (bound, turn_bound) = (range.length() * step + 2e-6, 2.0 * 3.0_f32.sqrt() * steps_of_normals + 1e-6);
        let mut worst = 0.0_f32;
        for frame in 0..count {
            let (place, turn) = off(&reader, frame as f32, &full(&plant, &skin, &frames.poses[frame]));
            assert!(place <= bound, "{format:?} frame {frame}: {place} m beyond {bound}");
            assert!(turn <= turn_bound, "{format:?} frame {frame}: {turn} beyond {turn_bound}");
            worst = worst.max(place);
        }
        assert!((f64::from(worst) - report.largest_m).abs() < 2e-6, "{worst} and {}", report.largest_m);
        if looping {
            let (place, _) = off(&reader, 48.0, &full(&plant, &skin, &frames.poses[48]));
            assert!(place <= bound + 1e-5, "the end is the beginning: {place}");
        }
    }
}

#[test]
fn filtering_between_rows_stays_with_the_vertex() {
    let (plant, skin) = tree("apple", 200, 2);
    for looping in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let options = VatOptions { format: VatFormat::Exr32, looping };
        let mut frames = sway::frames(&plant, PERIOD, RATE, 9);
        write(&plant, &skin, &mut frames, options, &folder.path().join("a.glb")).unwrap();
        let reader = Reader::new(folder.path(), "a", "exr");
        let step = 1.0 / reader.texture.height as f32;
        for uv in reader.mesh.iter().flat_map(|part| &part.second_uvs) {
            for down in [0.0, 0.5] {
                let at = |frame: f32| reader.texture.between_rows(*uv + Vec2::new(0.0, frame * step + down));
                let (last, first) =
                    (reader.frames as f32 - 1.0, if looping { 0.0 } else { reader.frames as f32 - 1.0 });
                let (half_way, a, b) = (at(last + 0.5), at(last), at(first));
                for c in 0..3 {
                    assert!((half_way[c] - 0.5 * (a[c] + b[c])).abs() < 1e-3);
                }
            }
        }
    }
}

#[test]
fn several_trees_and_hard_names() {
    let (plant, skin) = skins::two_trees();
    let folder = tempfile::tempdir().unwrap();
    let mut frames = sway::frames(&plant, PERIOD, RATE, 4);
    let path = folder.path().join("tree.v1 ö.glb");
    let report = write(&plant, &skin, &mut frames, VatOptions::default(), &path).unwrap();
    assert_eq!(report.texture.file_name().unwrap(), "tree.v1 ö_vat.exr");
    let reader = Reader::new(folder.path(), "tree.v1 ö", "exr");
    for frame in 0..4 {
        let (place, _) = off(&reader, frame as f32, &full(&plant, &skin, &frames.poses[frame]));
        assert!(f64::from(place) <= report.largest_m + 2e-6 && report.largest_m < 1e-3);
    }
}

#[test]
fn what_does_not_move_needs_no_range() {
    let (plant, skin) = tree("oak", 60, 2);
    let folder = tempfile::tempdir().unwrap();
    let mut frames = PoseList { poses: vec![Pose::rest(&plant)], frames_per_second: 30.0 };
    for looping in [false, true] {
        let options = VatOptions { format: VatFormat::Exr16, looping };
        let report = write(&plant, &skin, &mut frames, options, &folder.path().join("still.glb")).unwrap();
        assert_eq!(report.frames, 1);
        let reader = Reader::new(folder.path(), "still", "exr");
        let (place, _) = off(&reader, 0.0, &full(&plant, &skin, &frames.poses[0]));
        assert!(place < 1e-5, "{place}");
    }
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let (plant, skin) = tree("apple", 200, 2);
    let write_with = |threads: usize, format: VatFormat| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.glb");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut frames = sway::frames(&plant, PERIOD, RATE, 20);
        let report = pool.install(|| {
            let clip = &mut Clip { name: "sway".into(), frames: &mut frames };
            export_vat(&plant, &skin, clip, VatOptions { format, looping: false }, &path, &mut |_| ()).unwrap()
        });
        [path, report.texture, report.remap].map(|file| std::fs::read(file).unwrap())
    };
    for format in FORMATS {
        assert!(write_with(1, format) == write_with(4, format), "{format:?}");
    }
}
